"""Qwen Code's tools, and what each of them is."""

from __future__ import annotations

from axiommind.tools.kinds import (
    ADD_TASK,
    ASK,
    CHANGE_TASK,
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

_EDIT = KnownTool(EDIT, file_field="file_path", is_quiet=True, common="Edit")
_GREP = KnownTool(SEARCH, is_quiet=True, common="Grep")
_AGENT = KnownTool(DELEGATE, common="Agent")
_PLAN = KnownTool(PLAN, is_quiet=True)
_SILENT = KnownTool(OTHER, is_quiet=True)

TOOLS = {
    "write_file": _EDIT._replace(common="Write"),
    "edit": _EDIT,
    "replace": _EDIT,
    "notebook_edit": _EDIT._replace(file_field="notebook_path", common="NotebookEdit"),
    "run_shell_command": KnownTool(RUN),
    "read_file": KnownTool(READ, is_quiet=True, common="Read", fields=(("absolute_path", "file_path"),)),
    "read_many_files": KnownTool(READ, is_quiet=True, common="Read"),
    "web_fetch": KnownTool(READ, is_network=True, common="WebFetch"),
    "list_directory": KnownTool(SEARCH, is_quiet=True, common="LS"),
    "glob": KnownTool(SEARCH, is_quiet=True, common="Glob"),
    "grep_search": _GREP,
    "search_file_content": _GREP,
    "web_search": KnownTool(SEARCH, is_network=True, common="WebSearch"),
    "tool_search": KnownTool(SEARCH, is_quiet=True, common="ToolSearch"),
    "lsp": KnownTool(SEARCH, is_quiet=True),
    "ask_user_question": KnownTool(ASK, common="AskUserQuestion"),
    "todo_write": KnownTool(PLAN, SET_TASKS, is_quiet=True, common="TodoWrite"),
    "task_create": KnownTool(PLAN, ADD_TASK, is_quiet=True, common="TaskCreate"),
    "task_update": KnownTool(PLAN, CHANGE_TASK, is_quiet=True, common="TaskUpdate"),
    "task_list": _PLAN._replace(common="TaskList"),
    "task_get": _PLAN._replace(common="TaskGet"),
    "enter_plan_mode": _PLAN._replace(common="EnterPlanMode"),
    "exit_plan_mode": KnownTool(PLAN, PROPOSE_PLAN, common="ExitPlanMode"),
    "agent": _AGENT,
    "task": _AGENT,
    "task_stop": _SILENT,
    "save_memory": _SILENT,
    "skill": _SILENT._replace(common="Skill"),
}
