"""Cursor's tools, and what each of them is: those of its command line, then those of its editor."""

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

_FIELDS = (
    ("path", "file_path"),
    ("target_file", "file_path"),
    ("relativeWorkspacePath", "file_path"),
    ("contents", "content"),
    ("code_edit", "content"),
    ("streamingContent", "content"),
)
_EDIT = KnownTool(EDIT, file_field="file_path", is_quiet=True, common="Edit", fields=_FIELDS)
_WRITE = KnownTool(EDIT, file_field="file_path", is_quiet=True, common="Write", fields=_FIELDS)
_READ = KnownTool(READ, is_quiet=True, common="Read", fields=_FIELDS)
_GREP = KnownTool(SEARCH, is_quiet=True, common="Grep")
_GLOB = KnownTool(SEARCH, is_quiet=True, common="Glob")
_LIST = KnownTool(SEARCH, is_quiet=True, common="LS")
_FETCH = KnownTool(READ, is_network=True, common="WebFetch")
_WEB = KnownTool(SEARCH, is_network=True, common="WebSearch", fields=(("search_term", "query"),))
_TODOS = KnownTool(PLAN, SET_TASKS, is_quiet=True, common="TodoWrite")
_TASK = KnownTool(DELEGATE, common="Agent")
_ASK = KnownTool(ASK, common="AskUserQuestion")
_SILENT = KnownTool(OTHER, is_quiet=True)

TOOLS = {
    "Shell": KnownTool(RUN),
    "Write": _WRITE,
    "StrReplace": _EDIT,
    "ApplyPatch": _EDIT,
    "Delete": KnownTool(EDIT, file_field="file_path", is_quiet=True, common="Delete", fields=_FIELDS),
    "EditNotebook": _EDIT,
    "Read": _READ,
    "ReadLints": _SILENT,
    "Grep": _GREP,
    "Glob": _GLOB,
    "LS": _LIST,
    "SemanticSearch": _GREP,
    "WebFetch": _FETCH,
    "WebSearch": _WEB,
    "TodoWrite": _TODOS,
    "Task": _TASK,
    "Subagent": _TASK,
    "AskQuestion": _ASK,
    "CreatePlan": KnownTool(PLAN, PROPOSE_PLAN, is_quiet=True, common="ExitPlanMode"),
    "run_terminal_cmd": KnownTool(RUN),
    "run_terminal_command_v2": KnownTool(RUN),
    "edit_file": _EDIT,
    "edit_file_v2": _EDIT,
    "search_replace": _EDIT,
    "write": _WRITE,
    "apply_patch": _EDIT,
    "delete_file": KnownTool(EDIT, file_field="file_path", is_quiet=True, common="Delete", fields=_FIELDS),
    "read_file": _READ,
    "read_file_v2": _READ,
    "read_lints": _SILENT,
    "grep": _GREP,
    "grep_search": _GREP,
    "ripgrep": _GREP,
    "ripgrep_raw_search": _GREP,
    "codebase_search": _GREP,
    "semantic_search_full": _GREP,
    "file_search": _GLOB,
    "glob_file_search": _GLOB,
    "list_dir": _LIST,
    "list_dir_v2": _LIST,
    "web_search": _WEB,
    "web_fetch": _FETCH,
    "todo_write": _TODOS,
    "task_v2": _TASK,
    "ask_question": _ASK,
    "create_plan": KnownTool(PLAN, PROPOSE_PLAN, is_quiet=True, common="ExitPlanMode"),
    "fetch_rules": _SILENT,
}
