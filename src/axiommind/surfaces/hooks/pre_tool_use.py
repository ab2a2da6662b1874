"""PreToolUse: what is known about a file before it is changed, once a session."""

from __future__ import annotations

from axiommind.sources.claude_code.tool_names import TOOLS
from axiommind.surfaces.hooks._call import Answer, Call, about_packet, silent
from axiommind.tools.kinds import EDIT

__all__ = ["answer"]


def answer(call: Call) -> Answer:
    tool = TOOLS.get(call.text("tool_name"))
    if tool is None or tool.kind != EDIT:
        return silent("no file is changed")
    path = call.table("tool_input").get(tool.file_field)
    if not isinstance(path, str) or not path:
        return silent("no file is named")
    if not call.config.index_path.exists():
        return silent("there is no index yet")
    from axiommind.ids import dedupe_key

    served, about = call.served(), dedupe_key("file", path)[:16]
    if about in served.abouts:
        return silent("this file was told about")
    with call.reading() as (db, project):
        from axiommind.recall.packets.file import about_file

        packet = about_file(db, path, project, session=call.session or None, skip=served.ids)
    return about_packet(call, packet, call.config.hooks.tool_tokens, project, about)
