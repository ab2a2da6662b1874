"""What made a call work: how it differs from the one that failed, in the few words that were changed.

A query of several hundred characters tells nothing by itself; that it went to another owner, or without one argument,
does. Where the two calls have little in common, nothing is said: the call itself is told.
"""

from __future__ import annotations

from typing import NamedTuple

from axiommind.text.patterns import lazy

__all__ = ["around", "changed_words"]

_TOKEN = lazy(r"\"[^\"\s]{0,60}\"|'[^'\s]{0,60}'|[\w./@:=-]+|\S")
_TOKENS = 400
_ALIKE = 0.5
_CHANGES = 3
_CHARS = 60  # of a change
_LONG = 140  # characters: a shorter call shows by itself what it is
_BEFORE, _ROOM, _BEGINNING = 60, 150, 24  # characters of a call that are shown


class _Change(NamedTuple):
    old: str
    new: str
    at: int  # where it is in the call that worked


def changed_words(failed: str, worked: str, error: str) -> str:
    """The difference, as in "with `owner: "ours"` instead of `owner: "theirs"`"; empty where there is none to tell."""
    found = _changes(failed, worked)
    told = [one for one in found if any(word in error for word in _named(one.old))] or found
    if not told or len(told) > _CHANGES or any(max(len(one.old), len(one.new)) > _CHARS for one in told):
        return ""
    ways = []
    for one in told:
        if one.old and one.new:
            ways.append(f"with `{one.new}` instead of `{one.old}`")
        else:
            ways.append(f"with `{one.new}`" if one.new else f"without `{one.old}`")
    return ", ".join(way.replace("``", "`") for way in ways)


def around(failed: str, worked: str) -> str:
    """A long call by its beginning and what stands around its first difference."""
    if len(worked) <= _ROOM:
        return worked
    found = _changes(failed, worked)
    start = max(0, found[0].at - _BEFORE) if found else 0
    if start <= _BEGINNING:
        return f"{worked[: _ROOM - 1].rstrip()}…"
    start = worked.rfind(" ", 0, start) + 1 or start
    end = start + _ROOM - _BEGINNING
    return f"{worked[:_BEGINNING].rstrip()} … {worked[start:end].strip()}{'…' * (end < len(worked))}"


def _changes(failed: str, worked: str) -> list[_Change]:
    """What was replaced, added and left out; a value with the name before it."""
    from difflib import SequenceMatcher  # few failures are told by it

    before, after = (list(_TOKEN.finditer(text))[:_TOKENS] for text in (failed, worked))
    if len(worked) <= _LONG or not before or not after:
        return []
    matcher = SequenceMatcher(None, [one[0] for one in before], [one[0] for one in after], autojunk=False)
    if matcher.ratio() < _ALIKE:
        return []
    found = []
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind == "equal":
            continue
        if a and c and (before[a - 1][0].startswith("--") or before[a - 1][0].endswith((":", "="))):
            a, c = a - 1, c - 1
        old = failed[before[a].start() : before[b - 1].end()] if a < b else ""
        new = worked[after[c].start() : after[d - 1].end()] if c < d else ""
        at = after[min(c, len(after) - 1)].start()
        found.append(_Change(old, new, at))
    return found


def _named(text: str) -> list[str]:
    """The words of a change that an error may name."""
    return [word for token in _TOKEN.findall(text) if len(word := token.strip("\"':=-")) > 3]
