"""SessionStart: where work was left off in this project; after a compaction, what the session was about."""

from __future__ import annotations

from axiommind.errors import AxmError
from axiommind.surfaces.hooks._call import Answer, Call, about_packet, silent
from axiommind.surfaces.hooks._detached import is_due

__all__ = ["answer"]


def answer(call: Call) -> Answer:
    is_broken = False
    try:
        said = _packet(call)
    except AxmError as error:  # the rest is to be said and done nevertheless
        said, is_broken = Answer("error", error.message), True
    if call.text("source") in ("compact", "clear"):
        said = said._replace(afresh=True)
    if not is_broken and not is_due(call.config.home):
        return said
    return said._replace(indexing=True, learning=call.config.hooks.learn)


def _packet(call: Call) -> Answer:
    if not call.config.index_path.exists():
        return silent("there is no index yet")
    source = call.text("source") or "startup"
    with call.reading() as (db, project):
        from axiommind.recall.packets.session_start import left_off, recovery

        if source == "compact":
            packet = recovery(db, call.session or None, now=call.now)
        elif project is None:
            return silent("nothing was indexed of this project")
        else:
            skip = frozenset() if source == "clear" else call.served().ids
            packet = left_off(db, project, session=call.session or None, source=source, now=call.now, skip=skip)
    return about_packet(call, packet, call.config.hooks.start_tokens, project)
