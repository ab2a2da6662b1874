"""Grounding: of what an agent was given, what did it use?

An item was used when afterwards, in the same session, the agent opened or changed a file that the item is about, named
the item's id, or repeated one of its identifiers (of a text without any: a phrase of it). Only what was new counts:
what a person, a tool or the agent itself had said before proves nothing, and neither does what everybody says. Two
things cannot be seen: use without a trace in words, and that the agent would have hit upon a name anyway; for the
second there are `controls`, which were not given and are judged in the same way.
"""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from axiommind.grounding.marks import EVERYDAY, WORD_OF_AN_ID, identifiers, is_same_name, last_part, phrases

__all__ = [
    "ItemUse",
    "JudgedItem",
    "LaterText",
    "SuppliedAnswer",
    "SuppliedItem",
    "judge",
]

# What is shown of an item is at most about so long.
_ITEM_CHARS = 2_000
# The call that a hook stands before may be written a moment after the hook was asked.
_BEFORE_A_TOOL = ("PreToolUse", "PostToolUseFailure")
_SLACK_MS = 500


class SuppliedAnswer(NamedTuple):
    """What a hook gave an agent at one time."""

    id: int
    session_id: str
    hook: str
    at: int
    tokens: int


class SuppliedItem(NamedTuple):
    id: str
    kind: str
    score: float | None
    text: str | None  # None: it is gone, and nothing can be said about it
    files: tuple[str, ...] = ()  # that it is about, beside those its text names


class LaterText(NamedTuple):
    """Something in a session: words, or a call of a tool. `files` are those that the call opened or changed."""

    at: int
    text: str
    by_agent: bool
    files: tuple[str, ...] = ()
    ref: tuple[str, int] | None = None  # kind and id of its row


class ItemUse(NamedTuple):
    reason: str  # id, file, identifier, phrase
    what: str
    said: LaterText


class JudgedItem(NamedTuple):
    answer: SuppliedAnswer
    item: SuppliedItem
    is_judged: bool  # False: the item is gone, or the session is not known
    use: ItemUse | None
    verdict: str | None = None  # no or yes: what a person said of it

    @property
    def is_used(self) -> bool:
        """A person's word counts more than any trace."""
        return self.verdict == "yes" or (self.use is not None and self.verdict != "no")


# --- judging -----------------------------------------------------------------------------------------------


class _Marks(NamedTuple):
    """What would show that an item was used."""

    id: str
    files: frozenset[str]
    words: frozenset[str]
    phrases: frozenset[str]


def _marks(item: SuppliedItem) -> _Marks:
    text = (item.text or "")[:_ITEM_CHARS]
    words = frozenset(identifiers(text))
    files = frozenset(item.files) - EVERYDAY
    return _Marks(item.id, files, words, frozenset() if words or files else frozenset(phrases(text)))


class _First:
    """Where in a session each of the wanted names was first said, and each wanted file first touched."""

    def __init__(self, said: Sequence[LaterText], marks: Iterable[_Marks]) -> None:
        ids: set[str] = set()
        names: set[str] = set()
        wanted: set[str] = set()
        for mark in marks:
            ids.add(mark.id)
            names |= {last_part(name) for name in mark.files | mark.words}
            wanted |= mark.phrases
        self._ids: dict[str, int] = {}
        self._phrases: dict[str, int] = {}
        # By the last part of a path, because a path is told from many folders.
        self._named: dict[str, dict[str, int]] = {name: {} for name in names}
        self._touched: dict[str, dict[str, int]] = {name: {} for name in names}
        for index, one in enumerate(said):
            for name in ids.intersection(WORD_OF_AN_ID.findall(one.text)):
                self._ids.setdefault(name, index)
            for name in set(identifiers(one.text)):
                if (places := self._named.get(last_part(name))) is not None:
                    places.setdefault(name, index)
            for path in one.files:
                if (places := self._touched.get(last_part(path))) is not None:
                    places.setdefault(path, index)
            if wanted:
                for phrase in wanted.intersection(phrases(one.text)):
                    self._phrases.setdefault(phrase, index)

    def id(self, name: str) -> int | None:
        return self._ids.get(name)

    def named(self, name: str) -> int | None:
        return _earliest(self._named, name)

    def touched(self, path: str) -> int | None:
        return _earliest(self._touched, path)

    def phrase(self, phrase: str) -> int | None:
        return self._phrases.get(phrase)


def _earliest(places: Mapping[str, Mapping[str, int]], name: str) -> int | None:
    return min((index for other, index in places[last_part(name)].items() if is_same_name(name, other)), default=None)


def judge(
    answers: Sequence[tuple[SuppliedAnswer, Sequence[SuppliedItem]]],
    said: Iterable[LaterText],
    is_common: Callable[[str], bool] = lambda _name: False,
) -> list[JudgedItem]:
    """Every item that was given in one session, with what shows that it was used. `said` is that session with its
    subagents, in any order; `is_common` tells names and phrases that many sessions have."""
    told = sorted(said, key=lambda one: one.at)
    marks = {(a.id, item.id): _marks(item) for a, items in answers for item in items if item.text is not None}
    first = _First(told, marks.values())
    times = [one.at for one in told]
    judged = []
    for answer, items in answers:
        slack = _SLACK_MS if answer.hook in _BEFORE_A_TOOL else 0
        start = bisect.bisect_right(times, answer.at + slack)
        for item in items:
            mark = marks.get((answer.id, item.id))
            if mark is None or not told:
                judged.append(JudgedItem(answer, item, False, None))
            else:
                judged.append(JudgedItem(answer, item, True, _use(mark, first, told, start, is_common)))
    return judged


def _use(
    mark: _Marks, first: _First, told: Sequence[LaterText], start: int, is_common: Callable[[str], bool]
) -> ItemUse | None:
    """The strongest sign, and of equal ones the earliest."""

    def is_new(index: int | None) -> bool:
        return index is not None and index >= start and told[index].by_agent

    def earliest(reason: str, found: Iterable[tuple[int | None, str]]) -> ItemUse | None:
        there = sorted((index, what) for index, what in found if index is not None and is_new(index))
        return next(
            (ItemUse(reason, what, told[index]) for index, what in there if not is_common(last_part(what))), None
        )

    by_id = first.id(mark.id)
    if by_id is not None and is_new(by_id):
        return ItemUse("id", mark.id, told[by_id])
    named = {word: first.named(word) for word in mark.words | mark.files}
    new = [word for word, index in named.items() if index is None or is_new(index)]
    return (
        earliest("file", [(first.touched(word), word) for word in new])
        or earliest("identifier", [(named[word], word) for word in new])
        or earliest("phrase", [(first.phrase(phrase), phrase) for phrase in mark.phrases])
    )
