"""Which results of tool calls are worth searching, and which calls asked our own memory."""

from __future__ import annotations

import re
from typing import Any

from axiommind.tools.call_text import input_fields
from axiommind.tools.kinds import GIT, KnownTool

__all__ = ["has_output", "is_ours"]

# Agents put the name of an MCP server before that of its tool in ways of their own.
_OURS = re.compile(r"(?:mcp_{1,2})?(?:plugin_)?(?:axiommind|axm|memory_axiommind)(?:[-_.]|\Z)")
_OUR_COMMAND = re.compile(r"""(?:^|[|;&(`"'\s/])(?:axm|suggest-workflow)["']?\s|\s-m\s+axiommind\b""")


def has_output(tool: KnownTool, name: str, classified: str, given: Any) -> bool:
    """Whether what this call returns is worth searching. git's lists of commits are not, and what comes from our own
    memory was said elsewhere and must not be found again here."""
    return not tool.is_quiet and classified != GIT and not is_ours(name, given)


def is_ours(name: str, given: Any) -> bool:
    """Whether a call asked our own memory, by its server or by its command: what is said in it is said twice."""
    if _OURS.match(name):
        return True
    fields = input_fields(given) if isinstance(given, str) else given
    command = fields.get("command") if isinstance(fields, dict) else None
    return isinstance(command, str) and _OUR_COMMAND.search(command) is not None
