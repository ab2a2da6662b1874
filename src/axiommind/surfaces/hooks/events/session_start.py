"""SessionStart: where work was left off in this project; after a compaction, what the session was about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from axiommind.errors import AxmError
from axiommind.surfaces.hooks.answers import HookAnswer, HookEvent, silent
from axiommind.surfaces.hooks.background_index import is_due
from axiommind.surfaces.hooks.call import HookCall, answer_with

if TYPE_CHECKING:
    from axiommind.recall.packets.prepared_start import PreparedStart

__all__ = ["EVENT", "answer"]

EVENT = HookEvent(
    "SessionStart", order=20, matcher="startup|resume|clear|compact|fork", gives_context=True, starts_index=True
)


def answer(call: HookCall) -> HookAnswer:
    is_broken = False
    try:
        said = _packet(call)
    except AxmError as error:  # a broken index is reported, and made anew in the background
        said, is_broken = HookAnswer("error", error.message), True
    if call.text("source") in ("compact", "clear"):
        said = said._replace(afresh=True)
    if not is_broken and not is_due(call.config.home):
        return said
    return said._replace(indexing=True, learning=call.config.learn_auto)


def _packet(call: HookCall) -> HookAnswer:
    if not call.config.index_path.exists():
        return silent("there is no index yet")
    source = call.text("source") or "startup"
    prepared = _prepared(call, source)
    if prepared is not None:
        return answer_with(call, prepared.told(source), call.config.hooks.start_tokens, call.folder)
    with call.reading() as (db, project):
        from axiommind.recall.packets.session_start import left_off, recovery

        if source == "compact":
            packet = recovery(db, call.session or None)
        elif project is None:
            return silent("nothing was indexed of this project")
        else:
            skip = frozenset() if source == "clear" else call.served().ids
            packet = left_off(db, project, session=call.session or None, source=source, now=call.now, skip=skip)
            packet = call.wanted(db, packet, project)
    return answer_with(call, packet, call.config.hooks.start_tokens, project)


def _prepared(call: HookCall, source: str) -> PreparedStart | None:
    """What was prepared for this folder; None where that is not all there is to say, or not this."""
    if source == "compact" or (source != "clear" and call.served().ids):
        return None
    from axiommind.recall.packets.prepared_start import read_prepared

    return read_prepared(call.config, call.folder, session=call.session, now=call.now)
