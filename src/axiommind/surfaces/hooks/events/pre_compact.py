"""PreCompact: what is about to leave the context is indexed in the background."""

from __future__ import annotations

from axiommind.surfaces.hooks.answers import HookAnswer, HookEvent
from axiommind.surfaces.hooks.call import HookCall

__all__ = ["EVENT", "answer"]

EVENT = HookEvent("PreCompact", order=70, seconds=10, starts_index=True)


def answer(call: HookCall) -> HookAnswer:
    return HookAnswer("silent", indexing=True, learning=call.config.learn_auto)
