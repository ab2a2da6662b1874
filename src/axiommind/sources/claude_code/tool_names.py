"""Claude Code's tools, and what each of them is."""

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

_EDIT = KnownTool(EDIT, file_field="file_path", is_quiet=True)
_SILENT = KnownTool(OTHER, is_quiet=True)

TOOLS = {
    "Edit": _EDIT,
    "Write": _EDIT,
    "MultiEdit": _EDIT,
    "NotebookEdit": KnownTool(EDIT, file_field="notebook_path", is_quiet=True),
    "Bash": KnownTool(RUN),
    "Read": KnownTool(READ, is_quiet=True),
    "NotebookRead": KnownTool(READ, is_quiet=True),
    "WebFetch": KnownTool(READ, is_network=True),
    "Glob": KnownTool(SEARCH, is_quiet=True),
    "Grep": KnownTool(SEARCH, is_quiet=True),
    "LS": KnownTool(SEARCH, is_quiet=True),
    "ToolSearch": KnownTool(SEARCH, is_quiet=True),
    "WebSearch": KnownTool(SEARCH, is_network=True),
    "AskUserQuestion": KnownTool(ASK),
    "EnterPlanMode": KnownTool(PLAN, is_quiet=True),
    "ExitPlanMode": KnownTool(PLAN, PROPOSE_PLAN),
    "TodoWrite": KnownTool(PLAN, SET_TASKS, is_quiet=True),
    "TodoRead": KnownTool(PLAN, is_quiet=True),
    "TaskCreate": KnownTool(PLAN, ADD_TASK, is_quiet=True),
    "TaskUpdate": KnownTool(PLAN, CHANGE_TASK, is_quiet=True),
    "TaskList": KnownTool(PLAN, is_quiet=True),
    "TaskGet": KnownTool(PLAN, is_quiet=True),
    "Task": KnownTool(DELEGATE),
    "Agent": KnownTool(DELEGATE),
    "TaskStop": _SILENT,
    "KillShell": _SILENT,
    "Skill": _SILENT,
}
