"""Codex's tools, and what each of them is."""

from __future__ import annotations

from axiommind.tools.kinds import ASK, DELEGATE, EDIT, OTHER, PLAN, READ, RUN, SEARCH, SET_TASKS, KnownTool

__all__ = ["PATCH", "SHELLS", "TOOLS", "WAITING"]

PATCH = "apply_patch"
WAITING = "write_stdin"  # writes to a command that still runs, or waits for it
SHELLS = frozenset(("exec_command", "shell", "shell_command", "container.exec", "local_shell"))
_SHELL = KnownTool(RUN, fields=(("cmd", "command"), ("workdir", "cwd"), ("working_directory", "cwd")))
_SILENT = KnownTool(OTHER, is_quiet=True)  # what another agent reports is in that agent's own session
_PAGE = KnownTool(READ, is_network=True, common="WebFetch")
_FILE = (("path", "file_path"),)

TOOLS = {
    **dict.fromkeys(SHELLS, _SHELL),
    WAITING: KnownTool(OTHER),
    PATCH: KnownTool(EDIT, file_field="file_path", is_quiet=True, common="Edit"),
    "update_plan": KnownTool(
        PLAN, SET_TASKS, is_quiet=True, common="TodoWrite", fields=(("plan", "todos"), ("step", "content"))
    ),
    "read_file": KnownTool(READ, is_quiet=True, common="Read", fields=_FILE),
    "view_image": KnownTool(READ, is_quiet=True, common="Read", fields=_FILE),
    "list_dir": KnownTool(SEARCH, is_quiet=True, common="LS", fields=(("dir_path", "path"),)),
    "grep_files": KnownTool(SEARCH, is_quiet=True, common="Grep"),
    "web_search": KnownTool(SEARCH, is_network=True, common="WebSearch"),
    "open_page": _PAGE,
    "find_in_page": _PAGE,
    "tool_search": KnownTool(SEARCH, is_quiet=True, common="ToolSearch"),
    "list_mcp_resources": KnownTool(SEARCH, is_quiet=True),
    "list_mcp_resource_templates": KnownTool(SEARCH, is_quiet=True),
    "read_mcp_resource": KnownTool(READ),
    "request_user_input": KnownTool(ASK, common="AskUserQuestion"),
    "spawn_agent": KnownTool(DELEGATE, common="Agent", fields=(("message", "prompt"), ("agent_type", "subagent_type"))),
    "spawn_agents_on_csv": KnownTool(DELEGATE, common="Agent", fields=(("instruction", "prompt"),)),
    "wait": _SILENT,
    "wait_agent": _SILENT,
    "close_agent": _SILENT,
    "resume_agent": _SILENT,
    "interrupt_agent": _SILENT,
    "list_agents": _SILENT,
    "send_input": _SILENT,
    "send_message": _SILENT,
    "followup_task": _SILENT,
    "request_permissions": _SILENT,
    "create_goal": _SILENT,
    "update_goal": _SILENT,
    "get_goal": _SILENT,
}
