"""SessionEnd: the session is indexed in the background, and learned from if the settings say so."""

from __future__ import annotations

from axiommind.surfaces.hooks.answers import HookAnswer, HookEvent
from axiommind.surfaces.hooks.call import HookCall

__all__ = ["EVENT", "answer"]

EVENT = HookEvent("SessionEnd", order=60, starts_index=True)


def answer(call: HookCall) -> HookAnswer:
    return HookAnswer("silent", indexing=True, learning=call.config.hooks.learn)
