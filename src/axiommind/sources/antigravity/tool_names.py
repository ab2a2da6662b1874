"""Antigravity's tools, and what each of them is."""

from __future__ import annotations

from axiommind.tools.kinds import ASK, DELEGATE, EDIT, OTHER, PLAN, READ, RUN, SEARCH, KnownTool

__all__ = ["TOOLS"]

_TEXTS = (("TargetFile", "file_path"), ("TargetContent", "old_string"), ("ReplacementContent", "new_string"))
_EDIT = KnownTool(EDIT, file_field="file_path", is_quiet=True, common="Edit", fields=_TEXTS)
_WRITE = (("TargetFile", "file_path"), ("CodeContent", "content"))
_READ = KnownTool(READ, is_quiet=True, common="Read", fields=(("AbsolutePath", "file_path"), ("File", "file_path")))
_COMMAND = (("CommandLine", "command"),)
_SILENT = KnownTool(OTHER, is_quiet=True)

TOOLS = {
    "write_to_file": KnownTool(EDIT, file_field="file_path", is_quiet=True, common="Write", fields=_WRITE),
    "replace_file_content": _EDIT,
    "multi_replace_file_content": _EDIT._replace(common="MultiEdit", fields=(*_TEXTS, ("ReplacementChunks", "edits"))),
    "run_command": KnownTool(RUN, fields=_COMMAND),
    "command_status": _SILENT,
    "send_command_input": _SILENT,
    "view_file": _READ,
    "view_file_outline": _READ,
    "view_code_item": _READ,
    "view_content_chunk": _READ,
    "read_url_content": KnownTool(READ, is_network=True, common="WebFetch", fields=(("Url", "url"),)),
    "list_dir": KnownTool(SEARCH, is_quiet=True, common="LS", fields=(("DirectoryPath", "path"),)),
    "find_by_name": KnownTool(SEARCH, is_quiet=True, common="Glob", fields=(("Pattern", "pattern"),)),
    "grep_search": KnownTool(SEARCH, is_quiet=True, common="Grep", fields=(("Query", "pattern"),)),
    "codebase_search": KnownTool(SEARCH, is_quiet=True, fields=(("Query", "query"),)),
    "search_web": KnownTool(SEARCH, is_network=True, common="WebSearch"),
    "ask_question": KnownTool(ASK, common="AskUserQuestion"),
    "notify_user": _SILENT,
    "ask_permission": _SILENT,
    "task_boundary": KnownTool(PLAN, is_quiet=True),
    "browser_subagent": KnownTool(DELEGATE, common="Agent", fields=(("Task", "prompt"), ("TaskName", "description"))),
    "invoke_subagent": KnownTool(DELEGATE, common="Agent"),
    "generate_image": _SILENT,
}
