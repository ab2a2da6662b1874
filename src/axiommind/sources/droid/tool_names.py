"""Droid's tools, and what each of them is."""

from __future__ import annotations

from axiommind.tools.kinds import (
    ASK,
    DELEGATE,
    EDIT,
    OTHER,
    PLAN,
    PROPOSE_PLAN,
    READ,
    RUN,
    SEARCH,
    SET_TASKS,
    KnownTool,
)

__all__ = ["TOOLS"]

_EDIT = KnownTool(
    EDIT,
    file_field="file_path",
    is_quiet=True,
    common="Edit",
    fields=(("old_str", "old_string"), ("new_str", "new_string"), ("changes", "edits")),
)
_SILENT = KnownTool(OTHER, is_quiet=True)

TOOLS = {
    "Create": KnownTool(EDIT, file_field="file_path", is_quiet=True, common="Write"),
    "Edit": _EDIT,
    "MultiEdit": _EDIT._replace(common="MultiEdit"),
    "ApplyPatch": _EDIT,
    "Execute": KnownTool(RUN),
    "Read": KnownTool(READ, is_quiet=True),
    "FetchUrl": KnownTool(READ, is_network=True, common="WebFetch"),
    "LS": KnownTool(SEARCH, is_quiet=True, fields=(("directory_path", "path"),)),
    "Grep": KnownTool(SEARCH, is_quiet=True),
    "Glob": KnownTool(SEARCH, is_quiet=True),
    "ToolSearch": KnownTool(SEARCH, is_quiet=True),
    "WebSearch": KnownTool(SEARCH, is_network=True),
    "AskUser": KnownTool(ASK, common="AskUserQuestion"),
    "TodoWrite": KnownTool(PLAN, SET_TASKS, is_quiet=True),
    "ExitSpecMode": KnownTool(PLAN, PROPOSE_PLAN, common="ExitPlanMode"),
    "Task": KnownTool(DELEGATE, common="Agent"),
    "TaskOutput": KnownTool(DELEGATE, is_quiet=True),
    "TaskStop": _SILENT,
    "Skill": _SILENT,
}
