"""SessionEnd: the session is marked as ended, indexed in the background, and learned from unless that is off."""

from __future__ import annotations

from axiommind.surfaces.hooks.answers import HookAnswer, HookEvent
from axiommind.surfaces.hooks.call import HookCall
from axiommind.surfaces.hooks.record import mark_ended

__all__ = ["EVENT", "answer"]

EVENT = HookEvent("SessionEnd", order=60, starts_index=True)


def answer(call: HookCall) -> HookAnswer:
    mark_ended(call.config.home, call.session)
    return HookAnswer("silent", indexing=True, learning=call.config.learn_auto)
