"""Likeness: whether two texts speak of the same thing, by the words and the names they share.

Words of four letters and more that are not everybody's, and pairs of characters where words have no blanks between
them. Names are files, symbols and inline code.
"""

from __future__ import annotations

import re

from axiommind.text.patterns import lazy

__all__ = ["names_in", "overlap", "words_in"]

_LATIN = lazy(r"[a-z0-9_]{3,}", re.IGNORECASE)
_RUN = lazy(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]{2,}")
# Particles of other scripts may follow a name without a blank.
_NAME = lazy(
    r"`([^`\n]{2,120})`"
    r"|(?<![\w/.])((?:[\w@.-]{1,60}/){0,12}[A-Za-z0-9_-]{1,60}\.[a-z]{1,5})(?![A-Za-z0-9_/])"
    r"|(?<![A-Za-z0-9_])([a-z]{1,40}[A-Z][A-Za-z0-9_]{1,60}|[A-Z][a-z]{1,40}[A-Z][A-Za-z0-9_]{1,60}"
    r"|[A-Za-z][A-Za-z0-9]{0,40}_[A-Za-z0-9_]{1,60})"
)
_COMMON_WORDS = """
the and for are was were has had not but can all its one two now any out our you use get set may via per also this
that with from have been will would should when what which there their about into than then them they your only
just more some does make need using used like because since while where after before still each both very here
file files code test tests line lines change changes issue problem
"""
_COMMON = frozenset(_COMMON_WORDS.split())
# Endings and little words that pairs of characters catch everywhere.
_EMPTY_PAIRS = """
です ます した して する ない この その れる いる ある こと ため から ので には では との にな って てい まし でし
니다 습니 입니 합니 됩니 하는 에서 으로 하고 있습 있는 없는 것은 것이 이건 그리 하지 지만 는데 해서 경우 하면
的是 这个 一个 我们 可以 需要 没有 就是
"""
_EMPTY = frozenset(_EMPTY_PAIRS.split())


def words_in(text: str) -> frozenset[str]:
    text = text.casefold()
    words = {word for word in _LATIN.findall(text) if word not in _COMMON}
    for run in _RUN.findall(text):
        words.update(pair for at in range(len(run) - 1) if (pair := run[at : at + 2]) not in _EMPTY)
    return frozenset(words)


def names_in(text: str) -> frozenset[str]:
    """Files, symbols and inline code that a text names."""
    return frozenset(
        name.strip() for match in _NAME.finditer(text) for name in match.groups() if name and len(name.strip()) > 2
    )


def overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """How much of the smaller is in the other."""
    return len(one & other) / max(1, min(len(one), len(other)))
