"""PreCompact: what is about to leave the context is indexed in the background."""

from __future__ import annotations

from axiommind.surfaces.hooks._call import Answer, Call

__all__ = ["answer"]


def answer(call: Call) -> Answer:
    return Answer("silent", indexing=True, learning=call.config.hooks.learn)
