"""OpenCode's tools, and what each of them is."""

from __future__ import annotations

from axiommind.tools.kinds import ASK, DELEGATE, EDIT, OTHER, PLAN, READ, RUN, SEARCH, SET_TASKS, KnownTool

__all__ = ["TOOLS"]

_PATH = (("filePath", "file_path"),)
_TEXTS = (*_PATH, ("oldString", "old_string"), ("newString", "new_string"))
_SILENT = KnownTool(OTHER, is_quiet=True)

TOOLS = {
    "edit": KnownTool(EDIT, file_field="file_path", is_quiet=True, common="Edit", fields=_TEXTS),
    "multiedit": KnownTool(EDIT, file_field="file_path", is_quiet=True, common="MultiEdit", fields=_TEXTS),
    "write": KnownTool(EDIT, file_field="file_path", is_quiet=True, common="Write", fields=_PATH),
    "patch": KnownTool(EDIT, file_field="file_path", is_quiet=True, common="Edit"),
    "apply_patch": KnownTool(EDIT, file_field="file_path", is_quiet=True, common="Edit"),
    "read": KnownTool(READ, is_quiet=True, common="Read", fields=_PATH),
    "bash": KnownTool(RUN),
    "grep": KnownTool(SEARCH, is_quiet=True, common="Grep"),
    "glob": KnownTool(SEARCH, is_quiet=True, common="Glob"),
    "list": KnownTool(SEARCH, is_quiet=True, common="LS"),
    "lsp": KnownTool(SEARCH, is_quiet=True),
    "webfetch": KnownTool(READ, is_network=True, common="WebFetch"),
    "websearch": KnownTool(SEARCH, is_network=True, common="WebSearch"),
    "codesearch": KnownTool(SEARCH, is_network=True, common="WebSearch"),
    "question": KnownTool(ASK, common="AskUserQuestion"),
    "todowrite": KnownTool(PLAN, SET_TASKS, is_quiet=True, common="TodoWrite"),
    "todoread": KnownTool(PLAN, is_quiet=True, common="TodoRead"),
    "plan_enter": KnownTool(PLAN, is_quiet=True, common="EnterPlanMode"),
    "plan_exit": KnownTool(PLAN, is_quiet=True, common="ExitPlanMode"),
    "task": KnownTool(DELEGATE, common="Agent"),
    "skill": KnownTool(OTHER, is_quiet=True, common="Skill"),
    "invalid": _SILENT,  # the model called a tool with something that is no input of it
    "batch": _SILENT,
}
