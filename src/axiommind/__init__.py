"""AxiomMind: memory for coding agents, kept on your own machine.

    from axiommind import Memory

    memory = Memory()
    memory.index()
    page = memory.search("why did we choose PostgreSQL", memory.scope(all_projects=True))

What is named here is stable. It is imported when it is asked for: a hook asks for little, and soon.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in typing, which takes as long to import as the interpreter takes to start
if TYPE_CHECKING:
    from typing import Any

    from axiommind.memory import Memory, Scope

__version__ = "0.1.0"
__all__ = ["Memory", "Scope", "__version__"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from axiommind import memory

    return getattr(memory, name)
