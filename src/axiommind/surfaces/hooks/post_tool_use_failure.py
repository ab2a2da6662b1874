"""PostToolUseFailure: this error was met before, and this helped; once a session."""

from __future__ import annotations

from axiommind.surfaces.hooks._call import Answer, Call, about_packet, silent

__all__ = ["answer"]

_ERROR_CHARS = 20_000


def answer(call: Call) -> Answer:
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
        from axiommind.recall.packets.known_error import met_before

        given = dict(call.table("tool_input"))
        packet = met_before(db, tool, given, error, project, session=call.session or None, skip=served.ids)
    return about_packet(call, packet, call.config.hooks.tool_tokens, project, about)
