"""Gemini CLI's tools, and what each of them is."""

from __future__ import annotations

from axiommind.tools.kinds import (
    ASK,
    DELEGATE,
    EDIT,
    OTHER,
    PLAN,
    READ,
    RUN,
    SEARCH,
    SET_TASKS,
    KnownTool,
)

__all__ = ["TOOLS"]

_EDIT = KnownTool(EDIT, file_field="file_path", is_quiet=True, common="Edit")
_GREP = KnownTool(SEARCH, is_quiet=True, common="Grep")
_SILENT = KnownTool(OTHER, is_quiet=True)
_PLAN = KnownTool(PLAN, is_quiet=True)

TOOLS = {
    "write_file": _EDIT._replace(common="Write"),
    "replace": _EDIT,
    "edit": _EDIT,
    "run_shell_command": KnownTool(RUN),
    "read_file": KnownTool(READ, is_quiet=True, common="Read", fields=(("absolute_path", "file_path"),)),
    "read_many_files": KnownTool(READ, is_quiet=True, common="Read"),
    "web_fetch": KnownTool(READ, is_network=True, common="WebFetch"),
    "get_internal_docs": KnownTool(READ, is_quiet=True),
    "list_directory": KnownTool(SEARCH, is_quiet=True, common="LS", fields=(("dir_path", "path"),)),
    "glob": KnownTool(SEARCH, is_quiet=True, common="Glob", fields=(("dir_path", "path"),)),
    "grep_search": _GREP,
    "search_file_content": _GREP,
    "google_web_search": KnownTool(SEARCH, is_network=True, common="WebSearch"),
    "ask_user": KnownTool(ASK, common="AskUserQuestion"),
    "write_todos": KnownTool(PLAN, SET_TASKS, is_quiet=True, common="TodoWrite", fields=(("description", "content"),)),
    "enter_plan_mode": _PLAN._replace(common="EnterPlanMode"),
    "exit_plan_mode": _PLAN._replace(common="ExitPlanMode"),
    "tracker_create_task": _PLAN._replace(common="TaskCreate"),
    "tracker_update_task": _PLAN._replace(common="TaskUpdate"),
    "tracker_get_task": _PLAN._replace(common="TaskGet"),
    "tracker_list_tasks": _PLAN._replace(common="TaskList"),
    "invoke_agent": KnownTool(DELEGATE, common="Agent"),
    "delegate_to_agent": KnownTool(DELEGATE, common="Agent"),
    "codebase_investigator": KnownTool(DELEGATE, common="Agent"),
    "save_memory": _SILENT,
    "activate_skill": _SILENT,
    "update_topic": _SILENT,
    "complete_task": _SILENT,
}
