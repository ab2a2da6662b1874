"""Globs over paths: does `notes/**` name `notes/rust/kb.md`? One meaning for discovery and for search filters.

`*` and `?` stay inside a folder, `**` as a whole segment crosses folders (none or many), `[a-z]` and `[!a-z]` are
one character, `\\` takes the next character as it is, and a glob that ends in `/` means everything below. The whole
path must match, case counts, and a name is the same whether its accents are composed or not (macOS stores them apart).
It refuses nothing, and takes time proportional to path times glob: no glob can make it backtrack without end.
"""

from __future__ import annotations

import re
from functools import lru_cache
from unicodedata import normalize

__all__ = ["matches"]

_NAME = "[^/]*"  # any part of a name
_PATH_CHARS = 4096  # normalising is quadratic in a run of accents, so what is no path is taken as it is


def matches(path: str, glob: str) -> bool:
    return _compiled(glob).fullmatch(_composed(path)) is not None


def _composed(text: str) -> str:
    return text if text.isascii() or len(text) > _PATH_CHARS else normalize("NFC", text)


@lru_cache(maxsize=512)
def _compiled(glob: str) -> re.Pattern[str]:
    """Between two `**` lies a run of segments, and taking each run at its first place leaves most to the others. So
    each is an atomic group, and only the last one, which must end the path, is looked for from the end."""
    glob = _composed(glob)
    runs: list[list[str]] = [[]]
    for segment in (glob + "**" if glob.endswith("/") else glob).split("/"):
        if segment != "**":
            runs[-1].append(_segment(segment))
        elif len(runs) == 1 or runs[-1]:
            runs.append([])
    first, *others = runs
    if not others:
        return re.compile("/".join(first), re.DOTALL)
    *middle, last = others
    parts = [segment + "/" for segment in first]
    parts += [f"(?>(?:{_NAME}/)*?{''.join(segment + '/' for segment in run)})" for run in middle]
    parts.append(f"(?:{_NAME}/)*" + "/".join(last) if last else ".+")
    return re.compile("".join(parts), re.DOTALL)


def _segment(glob: str) -> str:
    """A name. What stands between two stars has a fixed length, so the same reasoning holds as for `**`."""
    first, *others = _literals(glob)
    if not others:
        return first
    *middle, last = others
    return first + "".join(f"(?>{_NAME}?{part})" for part in middle) + _NAME + last


def _literals(glob: str) -> list[str]:
    """The parts between the stars as regular expressions; none of them matches a `/`."""
    parts = [""]
    at = 0
    while at < len(glob):
        char = glob[at]
        at += 1
        if char == "*":
            if len(parts) == 1 or parts[-1]:  # `**` inside a name is `*`
                parts.append("")
        elif char == "?":
            parts[-1] += "[^/]"
        elif char == "[" and (end := _closing(glob, at)) > 0:
            parts[-1] += _one_of(glob[at:end])
            at = end + 1
        elif char == "\\" and at < len(glob):
            parts[-1] += re.escape(glob[at])
            at += 1
        else:
            parts[-1] += re.escape(char)
    return parts


def _closing(glob: str, at: int) -> int:
    """Where the `]` is that ends a class begun before `at`; a `]` in first place is a member. -1 where none does."""
    return glob.find("]", at + 2 if glob.startswith(("!", "^"), at) else at + 1)


def _one_of(members: str) -> str:
    negated = members[:1] in ("!", "^")
    at = int(negated)
    ranges = ""
    while at < len(members):
        low = high = members[at]
        if members[at + 1 : at + 2] == "-" and at + 2 < len(members):
            high = members[at + 2]
            at += 2
        at += 1
        if low <= high:
            ranges += f"{re.escape(low)}-{re.escape(high)}"
    if negated:
        return f"[^/{ranges}]"
    return f"(?!/)[{ranges}]" if ranges else "(?!)"
