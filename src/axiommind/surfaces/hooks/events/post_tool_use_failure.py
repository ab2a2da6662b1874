"""PostToolUseFailure: this error was met before, and this is known of it; once a session."""

from __future__ import annotations

from axiommind.surfaces.hooks.answers import HookAnswer, HookEvent, silent
from axiommind.surfaces.hooks.call import HookCall, answer_with

__all__ = ["EVENT", "answer"]

EVENT = HookEvent("PostToolUseFailure", order=40, gives_context=True)

_ERROR_CHARS = 20_000


def answer(call: HookCall) -> HookAnswer:
    tool, error = call.text("tool_name"), call.text("error")[:_ERROR_CHARS]
    if not tool or not error.strip():
        return silent("no error is named")
    if call.given.get("is_interrupt") is True:
        return silent("a person interrupted it")
    if not call.config.index_path.exists():
        return silent("there is no index yet")
    from axiommind.ids import dedupe_key

    served, about = call.served(), dedupe_key("error", tool, error)[:16]
    if about in served.abouts:
        return silent("this error was told about")
    with call.reading() as (db, project):
        from axiommind.recall.packets.known_error import known_error

        given = dict(call.table("tool_input"))
        packet = known_error(db, tool, given, error, project, session=call.session or None, skip=served.ids)
        packet = call.wanted(db, packet, project)
    return answer_with(call, packet, call.config.hooks.tool_tokens, project, about)
