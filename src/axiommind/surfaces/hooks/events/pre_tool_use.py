"""PreToolUse: what is known about a file before it is changed, once a session."""

from __future__ import annotations

from axiommind.sources.claude_code.tool_names import TOOLS
from axiommind.surfaces.hooks.answers import HookAnswer, HookEvent, silent
from axiommind.surfaces.hooks.call import HookCall, answer_with
from axiommind.tools.kinds import EDIT

__all__ = ["EVENT", "answer"]

_EDITING = [name for name, tool in TOOLS.items() if tool.kind == EDIT]
EVENT = HookEvent("PreToolUse", order=30, matcher="|".join(_EDITING), gives_context=True)


def answer(call: HookCall) -> HookAnswer:
    tool = TOOLS.get(call.text("tool_name"))
    if tool is None or tool.kind != EDIT:
        return silent("no file is changed")
    given = call.table("tool_input")
    path = given.get(tool.file_field)
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

        packet = about_file(db, path, project, session=call.session or None, change=given, skip=served.ids)
        packet = call.wanted(db, packet, project)
    return answer_with(call, packet, call.config.hooks.tool_tokens, project, about)
