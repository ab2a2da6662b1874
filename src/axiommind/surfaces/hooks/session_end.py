"""SessionEnd: the session is indexed in the background, and learned if that is wanted."""

from __future__ import annotations

from axiommind.surfaces.hooks._call import Answer, Call

__all__ = ["answer"]


def answer(call: Call) -> Answer:
    return Answer("silent", indexing=True, learning=call.config.hooks.learn)
