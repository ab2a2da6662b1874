"""Where the words of a passage come from, by the row that it refers to: functions for the statement that fills them."""

from __future__ import annotations

from axiommind.sources import load as load_source
from axiommind.text.pasted import is_pasted
from axiommind.tools.call_text import input_fields
from axiommind.tools.kinds import DELEGATE, UNKNOWN_TOOL
from axiommind.tools.provenance import is_rules_file, result_provenance

__all__ = ["of_call", "of_file", "of_prompt", "said_in"]


def of_prompt(text: str, teammate: int) -> str:
    return "pasted" if is_pasted(text) else said_in("person", teammate)


def of_call(agent: str, name: str, input_json: str | None, output: str | None, teammate: int) -> str:
    """Of a call and its result, which are one passage: that of the result."""
    tool = load_source(agent).TOOLS.get(name, UNKNOWN_TOOL)
    if tool.is_network or tool.kind == DELEGATE or tool.act:
        return result_provenance(tool, name, {})  # whatever it was given
    given = input_fields(input_json)
    return said_in(result_provenance(tool, name, given if isinstance(given, dict) else {}, output), teammate)


def said_in(provenance: str, teammate: int) -> str:
    """In a session of a team mate's, the person is that one."""
    return "teammate" if teammate and provenance in ("person", "picked") else provenance


def of_file(path: str) -> str:
    return "rules" if is_rules_file(path) else "file"
