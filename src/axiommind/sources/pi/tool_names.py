"""Pi's tools, and what each of them is."""

from __future__ import annotations

from axiommind.tools.kinds import EDIT, READ, RUN, SEARCH, KnownTool

__all__ = ["TOOLS"]

_PATH = (("path", "file_path"),)
_TEXTS = (*_PATH, ("oldText", "old_string"), ("newText", "new_string"))

TOOLS = {
    "edit": KnownTool(EDIT, file_field="file_path", is_quiet=True, common="Edit", fields=_TEXTS),
    "write": KnownTool(EDIT, file_field="file_path", is_quiet=True, common="Write", fields=_PATH),
    "read": KnownTool(READ, is_quiet=True, common="Read", fields=_PATH),
    "bash": KnownTool(RUN),
    "grep": KnownTool(SEARCH, is_quiet=True, common="Grep"),
    "find": KnownTool(SEARCH, is_quiet=True, common="Glob"),
    "ls": KnownTool(SEARCH, is_quiet=True, common="LS"),
}
