"""Which prompts nobody typed: a text that a model wrote and a person, or the client for them, handed on."""

from __future__ import annotations

from axiommind.text.patterns import lazy

__all__ = ["is_pasted"]

# What a client sends when a plan is approved and begun anew: the plan is the agent's.
_PLAN = lazy(r"\s*Implement the following plan:\s*\S")


def is_pasted(text: str) -> bool:
    return _PLAN.match(text) is not None
