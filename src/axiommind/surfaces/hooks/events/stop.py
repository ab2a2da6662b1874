"""Stop: the turn that has ended is indexed in the background."""

from __future__ import annotations

from axiommind.surfaces.hooks.answers import HookAnswer, HookEvent
from axiommind.surfaces.hooks.call import HookCall

__all__ = ["EVENT", "answer"]

EVENT = HookEvent("Stop", order=50, starts_index=True)


def answer(_call: HookCall) -> HookAnswer:
    return HookAnswer("silent", indexing=True)
