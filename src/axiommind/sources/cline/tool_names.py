"""Cline's tools, of all its versions, and what each of them is."""

from __future__ import annotations

from axiommind.tools.kinds import ASK, DELEGATE, EDIT, OTHER, READ, RUN, SEARCH, KnownTool

__all__ = ["TOOLS"]

_PATH = (("path", "file_path"),)
_TEXTS = (*_PATH, ("old_text", "old_string"), ("new_text", "new_string"))
_EDIT = KnownTool(EDIT, file_field="file_path", is_quiet=True, common="Edit", fields=_TEXTS)
_READ = KnownTool(READ, is_quiet=True, common="Read", fields=_PATH)
_FETCH = KnownTool(READ, is_network=True, common="WebFetch")
_ASK = KnownTool(ASK, common="AskUserQuestion")
_SILENT = KnownTool(OTHER, is_quiet=True)

TOOLS = {
    "editor": _EDIT,
    "apply_patch": _EDIT,
    "replace_in_file": _EDIT,
    "write_to_file": _EDIT._replace(common="Write"),
    "new_rule": _EDIT._replace(common="Write"),
    "run_commands": KnownTool(RUN),
    "execute_command": KnownTool(RUN),
    "read_files": _READ,
    "read_file": _READ,
    "list_code_definition_names": _READ,
    "fetch_web_content": _FETCH,
    "web_fetch": _FETCH,
    "search_codebase": KnownTool(SEARCH, is_quiet=True, common="Grep"),
    "search_files": KnownTool(SEARCH, is_quiet=True, common="Grep", fields=(("regex", "pattern"),)),
    "list_files": KnownTool(SEARCH, is_quiet=True, common="LS"),
    "web_search": KnownTool(SEARCH, is_network=True, common="WebSearch"),
    "ask_question": _ASK,
    "ask_followup_question": _ASK,
    "use_subagents": KnownTool(DELEGATE, common="Agent"),
    "new_task": KnownTool(DELEGATE, common="Agent"),
    "browser_action": KnownTool(OTHER, is_network=True),
    "load_mcp_documentation": _SILENT,
    "skills": _SILENT,
    "use_skill": _SILENT,
}
