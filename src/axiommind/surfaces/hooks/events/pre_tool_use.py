"""PreToolUse: what is known about a file before it is changed, once a session."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from axiommind.sources.claude_code.tool_names import TOOLS
from axiommind.surfaces.hooks.answers import HookAnswer, HookEvent, silent
from axiommind.surfaces.hooks.call import HookCall, answer_with
from axiommind.tools.kinds import EDIT

__all__ = ["EVENT", "answer"]

_EDITING = [name for name, tool in TOOLS.items() if tool.kind == EDIT]
_MOST_FILES = 20  # of one call
EVENT = HookEvent("PreToolUse", order=30, matcher="|".join(_EDITING), gives_context=True)


def answer(call: HookCall) -> HookAnswer:
    """About the first file of the call of which something is known."""
    changes = call.given.get("changes")  # as other clients' calls are heard: a patch may change several files
    if not isinstance(changes, list):
        tool = TOOLS.get(call.text("tool_name"))
        if tool is None or tool.kind != EDIT:
            return silent("no file is changed")
        given = call.table("tool_input")
        changes = [{**given, "file_path": given.get(tool.file_field)}]
    said = silent("no file is named")
    for change in changes[:_MOST_FILES]:
        path = change.get("file_path")
        if isinstance(path, str) and path:
            said = _about(call, path, change)
            if said.outcome != "silent":
                break
    return said


def _about(call: HookCall, path: str, change: Mapping[str, Any]) -> HookAnswer:
    if not call.config.index_path.exists():
        return silent("there is no index yet")
    from axiommind.ids import dedupe_key

    served, about = call.served(), dedupe_key("file", path)[:16]
    if about in served.abouts:
        return silent("this file was told about")
    with call.reading() as (db, project):
        from axiommind.recall.packets.file import about_file

        packet = about_file(db, path, project, session=call.session or None, change=change, skip=served.ids)
        packet = call.wanted(db, packet, project)
    return answer_with(call, packet, call.config.hooks.tool_tokens, project, about)
