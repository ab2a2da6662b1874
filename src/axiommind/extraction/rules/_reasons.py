"""Reasons in the message of a commit or a pull request: the sentences that say why, in four languages.

A list of what changed is no reason, nor is what the change was tested with. A choice is a reason that also says what
was not done: "X instead of Y".
"""

from __future__ import annotations

import re
from typing import NamedTuple

from axiommind.text.patterns import lazy
from axiommind.text.summary import sentences

__all__ = ["Reason", "is_choice", "reasons", "says_why"]

_LONGEST = 20_000  # characters of a message
_MOST = 3  # sentences of one message
_SHORTEST = 20
_SHORT_LIST = 4
_BULLET = lazy(r"[ \t]*(?:[-*•+]|\d{1,2}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_HEADING = lazy(r"[ \t]*(?:#{1,6}[ \t]|\*\*[^*\n]{1,60}\*\*:?[ \t]*$|[^\n]{1,40}:[ \t]*$)")
_TESTING = lazy(
    r"\b(?:test plan|tested|verification|checklist|how to test|screenshots)\b|テスト計画|検証|테스트 계획|测试计划",
    re.IGNORECASE,
)
_WHY = lazy(
    r"\b(?:because|since (?:the|it|we|this|that|they|there|a|an|only|both)|so that|in order to|due to|caused by"
    r"|root cause|the (?:cause|reason|problem|issue|bug) (?:was|is)|to (?:avoid|prevent|stop)|otherwise"
    r"|which (?:caused|causes|meant|means|broke|breaks|led|leads|leaked|leaks)"
    r"|this (?:means|meant|caused|causes|broke|avoids|prevents)|without (?:this|it),? )\b"
    r"|ため|ので|原因|理由|防ぐ|避ける|ないように|때문|원인|이유|방지|않도록|因为|由于|原因|以便|避免|防止|导致|否则",
    re.IGNORECASE,
)
_CHOICE = lazy(
    r"\b(?:instead of|rather than|in favou?r of)\b|ではなく|代わりに|대신|아니라|而不是|而非|代替|取代",
    re.IGNORECASE,
)


_REFERRING = lazy(r"(?:this|that|these|which|it)\b|これ|それ|이는|이로|그래서|这|该", re.IGNORECASE)


class Reason(NamedTuple):
    """Where a sentence of a message that says why begins and ends."""

    start: int
    end: int


def is_choice(sentence: str) -> bool:
    return _CHOICE.search(sentence) is not None


def says_why(sentence: str) -> bool:
    """Whether it gives a reason, and not only what was not done."""
    return _WHY.search(sentence) is not None


def reasons(body: str) -> list[Reason]:
    """The sentences of a message that say why, in order; with the one before, where they refer to it."""
    found: list[Reason] = []
    for start, end in _blocks(body[:_LONGEST]):
        before = start
        for first, last in sentences(body[start:end]):
            said = body[start + first : start + last]
            begin, stop = start + first + len(said) - len(said.lstrip()), start + first + len(said.rstrip())
            words = " ".join(said.split())
            if (len(words) >= _SHORTEST or not words.isascii()) and (is_choice(words) or _WHY.search(words)):
                found.append(Reason(before if _REFERRING.match(words) else begin, stop))
            before = begin
    return found[:_MOST]


def _blocks(body: str) -> list[tuple[int, int]]:
    """Where paragraphs and points of lists begin and end, without headings and what comes under a heading of tests.
    The points of a long list say what changed, each of them something else."""
    found: list[tuple[int, int]] = []
    at, is_test = 0, False
    open_block: bool | None = False  # whether the block before goes on; None where it was left out
    is_long_list = sum(1 for line in body.split("\n") if _BULLET.match(line)) > _SHORT_LIST
    for line in body.split("\n"):
        end = at + len(line)
        point = _BULLET.match(line)
        if not line.strip():
            open_block = False
        elif _HEADING.match(line):
            is_test, open_block = _TESTING.search(line) is not None, False
        elif is_test or (point and is_long_list):
            open_block = None
        elif point or open_block is False:
            found.append((at + (point.end() if point else 0), end))
            open_block = True
        elif open_block:
            found[-1] = found[-1][0], end
        at = end + 1
    return found
