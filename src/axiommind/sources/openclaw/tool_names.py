"""OpenClaw's tools, and what each of them is."""

from __future__ import annotations

from axiommind.tools.kinds import DELEGATE, EDIT, OTHER, PLAN, READ, RUN, SEARCH, SET_TASKS, KnownTool

__all__ = ["TOOLS"]

_PATH = (("path", "file_path"),)
_TEXTS = (*_PATH, ("oldText", "old_string"), ("newText", "new_string"))
_SILENT = KnownTool(OTHER, is_quiet=True)

TOOLS = {
    "edit": KnownTool(EDIT, file_field="file_path", is_quiet=True, common="Edit", fields=_TEXTS),
    "write": KnownTool(EDIT, file_field="file_path", is_quiet=True, common="Write", fields=_PATH),
    "apply_patch": KnownTool(EDIT, file_field="file_path", is_quiet=True, common="Edit"),
    "read": KnownTool(READ, is_quiet=True, common="Read", fields=_PATH),
    "exec": KnownTool(RUN),
    "bash": KnownTool(RUN),
    "grep": KnownTool(SEARCH, is_quiet=True, common="Grep"),
    "find": KnownTool(SEARCH, is_quiet=True, common="Glob"),
    "ls": KnownTool(SEARCH, is_quiet=True, common="LS"),
    "web_search": KnownTool(SEARCH, is_network=True, common="WebSearch"),
    "web_fetch": KnownTool(READ, is_network=True, common="WebFetch"),
    "browser": KnownTool(READ, is_network=True),
    "update_plan": KnownTool(PLAN, SET_TASKS, is_quiet=True, common="TodoWrite"),
    "sessions_spawn": KnownTool(DELEGATE, common="Agent", fields=(("task", "prompt"), ("label", "description"))),
    "sessions_send": KnownTool(DELEGATE),
    "process": KnownTool(OTHER),  # looks at a command in the background
    "sessions_list": _SILENT,
    "sessions_history": _SILENT,
    "session_status": _SILENT,
    "agents_list": _SILENT,
    "memory_search": _SILENT,
    "memory_get": _SILENT,
}
