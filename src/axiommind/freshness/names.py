"""What a claim names: files, symbols and commits, as people and agents write them.

Only what can hardly be anything else counts: a path has an ending or a folder, a symbol is set as code and has the
shape of one, a commit is a hash that somebody called a commit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from axiommind.text.patterns import lazy

__all__ = ["Named", "is_commit", "named_in"]

_MOST = 20
_TEXT = 20_000
_CODE = lazy(r"`([^`\n]{2,120})`")
_PATH = lazy(r"(?<![\w/.@:-])@?((?:[\w.@~-]{1,60}/){0,12}[\w.-]{1,80}\.[A-Za-z][A-Za-z0-9]{0,7})(?![\w/])")
_FOLDER_PATH = lazy(r"(?<![\w/.@:-])@?((?:[\w.@~-]{1,60}/){1,12}[\w.-]{1,80})(?![\w/])")
_SYMBOL = lazy(r"(?:[A-Za-z_]\w{0,60}(?:\.|::|#))*([A-Za-z_]\w{3,60})(?:\(\s*\))?")
# A word that only a program would write: two words in one, or a call.
_SHAPED = lazy(r"[a-z0-9][A-Z]|[A-Z][a-z].*[A-Z]|_|^[A-Z0-9_]{4,}$")
_COMMIT = lazy(r"\b(?:commit|revision|reverts?|커밋|コミット|提交)\s+`?([0-9a-f]{7,40})\b", re.IGNORECASE)
_HASH = lazy(r"[0-9a-f]{7,40}")
_VERSION = lazy(r"v?\d+(?:\.\d+)+\w*")


class Named(NamedTuple):
    paths: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()


def named_in(text: str) -> Named:
    """What a text names, each once and in order, and not more of each than anybody means."""
    text = text[:_TEXT]
    codes = [match[1].strip() for match in _CODE.finditer(text)]
    paths = [match[1] for match in _PATH.finditer(text)]
    paths += [match[1] for code in codes for match in _FOLDER_PATH.finditer(code)]
    symbols = []
    for code in codes:
        match = _SYMBOL.fullmatch(code)
        if match is not None and (_SHAPED.search(match[1]) or code.endswith(")") or len(code) > len(match[0])):
            symbols.append(match[1])
    commits = [match[1].lower() for match in _COMMIT.finditer(text)]
    return Named(_first(p for p in paths if not _VERSION.fullmatch(p)), _first(symbols), _first(commits))


def is_commit(text: str) -> bool:
    """Whether a reference is a commit's hash."""
    return _HASH.fullmatch(text) is not None


def _first(found: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(found))[:_MOST]
