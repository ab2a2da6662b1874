"""Stop: what was said in this turn is indexed in the background."""

from __future__ import annotations

from axiommind.surfaces.hooks._call import Answer, Call

__all__ = ["answer"]


def answer(_call: Call) -> Answer:
    return Answer("silent", indexing=True)
