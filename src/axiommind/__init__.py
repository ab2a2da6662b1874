"""AxiomMind: memory for coding agents, kept on your own machine."""

__version__ = "0.1.0"
__all__ = ["__version__"]
