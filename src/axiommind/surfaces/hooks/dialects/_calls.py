"""A client's call in the words of our events: what was asked, which files a tool changed, which command failed.

Clients name the same things differently (`file_path`, `filePath`, `path`; `old_str`, `oldText`). What counts is decided
once, here; which of a client's tools change files and which run commands is said in its own file.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

__all__ = [
    "AFTER_TOOL",
    "Heard",
    "after_tool",
    "beginning",
    "in_our_words",
    "nested",
    "number_after",
    "prompt",
    "told",
    "words",
]

AFTER_TOOL = "PostToolUse"  # the event of a client that is called after a tool, however that went
_PATHS = ("file_path", "filePath", "path", "absolute_path")
_OLD = ("old_string", "oldString", "old_str", "oldText")
_NEW = ("new_string", "newString", "new_str", "newText")
_WHOLE = ("content", "contents", "file_text", "fileText")
_PATCHES = ("command", "input", "patch", "patchText", "patch_text")
_FILE_MARKS = ("*** Add File: ", "*** Update File: ")
_CHARS = 200_000  # of a patch that is read
_RESULT = 20_000  # characters of a result that are looked at, from its end


class Heard(NamedTuple):
    """A call: the event of ours that it is, and its fields as that event knows them."""

    event: str
    given: Mapping[str, Any]


def told(given: Mapping[str, Any], session: str = "session_id", **fields: Any) -> dict[str, Any]:
    """Whose call it is and where, with more fields; `session` is how the client calls its session's id."""
    return {"session_id": given.get(session), "cwd": given.get("cwd"), **fields}


def beginning(given: Mapping[str, Any], session: str = "session_id") -> Heard:
    """A session that starts: `startup`, `resume`, `clear` or `compact`, whatever else a client calls a new one."""
    source = given.get("source")
    known = source if source in ("resume", "clear", "compact") else "startup"
    return Heard("SessionStart", told(given, session, source=known))


def prompt(given: Mapping[str, Any], text: object, session: str = "session_id") -> Heard | None:
    """What a person asks for; nothing where a client calls its hook without a prompt."""
    if not isinstance(text, str) or not text.strip():
        return None
    return Heard("UserPromptSubmit", told(given, session, prompt=text))


def after_tool(
    given: Mapping[str, Any],
    tool: object,
    tool_input: object,
    error: str,
    *,
    edits: frozenset[str],
    runs: frozenset[str],
    session: str = "session_id",
) -> Heard | None:
    """A tool that was used: a file that was changed is told about, and so is a command that failed (`error`)."""
    taken = tool_input if isinstance(tool_input, dict) else {}
    if tool in edits and not error:
        changes = list(_changes(taken, given.get("cwd")))
        return Heard("PreToolUse", told(given, session, changes=changes)) if changes else None
    if error and tool in runs:
        command = {"command": words(taken.get("command"))}
        return Heard("PostToolUseFailure", told(given, session, tool_name="Bash", tool_input=command, error=error))
    return None


def in_our_words(
    event: str, given: Mapping[str, Any], *, edits: frozenset[str], runs: frozenset[str], error: str = ""
) -> Heard | None:
    """A call of a client that names its fields as we do."""
    if event == "SessionStart":
        return beginning(given)
    if event == "UserPromptSubmit":
        return prompt(given, given.get("prompt"))
    if event == AFTER_TOOL:
        return after_tool(given, given.get("tool_name"), given.get("tool_input"), error, edits=edits, runs=runs)
    return Heard(event, told(given))


def words(value: object) -> str:
    """A text, or a list of texts or of blocks with a text, as one."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return words(value.get("text"))
    if isinstance(value, list):
        return "\n".join(filter(None, map(words, value)))
    return ""


def number_after(text: str, mark: str) -> int | None:
    """The number that stands after the last occurrence of a mark, such as `Exit Code: `; None where there is none."""
    at = text.rfind(mark, max(0, len(text) - _RESULT))
    if at < 0:
        return None
    digits = text[at + len(mark) :].lstrip()[:8]
    sign, digits = (-1, digits[1:]) if digits.startswith("-") else (1, digits)
    taken = ""
    for char in digits:
        if not (char.isascii() and char.isdigit()):
            break
        taken += char
    return sign * int(taken) if taken else None


def nested(named: str, text: str) -> dict[str, Any]:
    """The answer that most clients take; the same that Claude Code does."""
    return {"hookSpecificOutput": {"hookEventName": named, "additionalContext": text}}


def _changes(taken: Mapping[str, Any], cwd: object) -> Iterator[dict[str, Any]]:
    """The files that a call changes, each as the input of an edit that we know."""
    path = _first(taken, _PATHS)
    if path:
        yield {"file_path": _absolute(path, cwd), **_change(taken)}
        return
    for name in _PATCHES:
        patch = taken.get(name)
        if isinstance(patch, str) and "*** " in patch:
            for file, change in _patched(patch[:_CHARS]):
                yield {"file_path": _absolute(file, cwd), **change}
            return


def _change(taken: Mapping[str, Any]) -> dict[str, Any]:
    edits = taken.get("edits")
    if isinstance(edits, list):
        return {"edits": [_change(edit) for edit in edits if isinstance(edit, dict)]}
    parts = {"old_string": _first(taken, _OLD), "new_string": _first(taken, _NEW), "content": _first(taken, _WHOLE)}
    return {name: part for name, part in parts.items() if part}


def _patched(patch: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """(path, change) of each file that a patch adds or updates: `*** Update File: a.py`, then lines with - and +."""
    path, is_new = "", False
    old: list[str] = []
    new: list[str] = []

    def done() -> dict[str, Any]:
        if is_new:
            return {"content": "\n".join(new)}
        return {"old_string": "\n".join(old), "new_string": "\n".join(new)}

    for line in patch.splitlines():
        mark = next((mark for mark in _FILE_MARKS if line.startswith(mark)), "")
        if mark or line.startswith("*** "):
            if path and (mark or not line.startswith("*** Move to: ")):
                yield path, done()
                path = ""
            if mark:
                path, is_new, old, new = line[len(mark) :].strip(), mark == _FILE_MARKS[0], [], []
        elif line[:1] == "-":
            old.append(line[1:])
        elif line[:1] == "+":
            new.append(line[1:])
    if path:
        yield path, done()


def _first(taken: Mapping[str, Any], names: tuple[str, ...]) -> str:
    return next((value for name in names if isinstance(value := taken.get(name), str) and value), "")


def _absolute(path: str, cwd: object) -> str:
    return os.path.join(cwd, path) if isinstance(cwd, str) and cwd.startswith("/") else path  # noqa: PTH118
