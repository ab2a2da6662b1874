"""Copilot's tools, and what each of them is."""

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

__all__ = ["PATCH", "TASKS", "TOOLS"]

PATCH = "apply_patch"
TASKS = "update_todo"
_PATH = (("path", "file_path"),)
_TEXTS = (*_PATH, ("old_str", "old_string"), ("new_str", "new_string"), ("file_text", "content"))
_SILENT = KnownTool(OTHER, is_quiet=True)

TOOLS = {
    "edit": KnownTool(EDIT, file_field="file_path", is_quiet=True, common="Edit", fields=_TEXTS),
    "create": KnownTool(EDIT, file_field="file_path", is_quiet=True, common="Write", fields=_TEXTS),
    "str_replace_editor": KnownTool(EDIT, file_field="file_path", is_quiet=True, common="Edit", fields=_TEXTS),
    PATCH: KnownTool(EDIT, file_field="file_path", is_quiet=True, common="Edit"),
    "view": KnownTool(READ, is_quiet=True, common="Read", fields=_PATH),
    "bash": KnownTool(RUN),
    "powershell": KnownTool(RUN),
    "local_shell": KnownTool(RUN),
    "read_bash": KnownTool(OTHER),
    "write_bash": KnownTool(OTHER),
    "read_powershell": KnownTool(OTHER),
    "write_powershell": KnownTool(OTHER),
    "grep": KnownTool(SEARCH, is_quiet=True, common="Grep"),
    "rg": KnownTool(SEARCH, is_quiet=True, common="Grep"),
    "glob": KnownTool(SEARCH, is_quiet=True, common="Glob"),
    "web_fetch": KnownTool(READ, is_network=True, common="WebFetch"),
    "web_search": KnownTool(SEARCH, is_network=True, common="WebSearch"),
    "fetch_copilot_cli_documentation": KnownTool(READ, is_quiet=True),
    "task": KnownTool(DELEGATE, common="Agent", fields=(("agent_type", "subagent_type"),)),
    "ask_user": KnownTool(ASK, common="AskUserQuestion"),
    "exit_plan_mode": KnownTool(PLAN, PROPOSE_PLAN, common="ExitPlanMode"),
    TASKS: KnownTool(PLAN, SET_TASKS, is_quiet=True, common="TodoWrite"),
    **dict.fromkeys(
        (
            *("stop_bash", "list_bash", "stop_powershell", "list_powershell", "report_intent", "skill", "sql"),
            *("read_agent", "write_agent", "list_agents", "store_memory", "task_complete", "session_store_sql"),
        ),
        _SILENT,
    ),
}
