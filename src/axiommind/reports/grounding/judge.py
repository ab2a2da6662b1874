"""Grounding: of what an agent was given, what did it use?

An item was used when afterwards, in the same session, the agent opened or changed a file that the item is about, named
the item's id, or repeated one of its identifiers (of a text without any: a phrase of it). Only what was new counts:
what a person, a tool or the agent itself had said before proves nothing, and neither does what everybody says. Two
things cannot be seen: use without a trace in words, and that the agent would have hit upon a name anyway.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

__all__ = [
    "ItemUse",
    "JudgedItem",
    "LaterText",
    "SuppliedAnswer",
    "SuppliedItem",
    "Tally",
    "identifiers",
    "judge",
    "phrases",
    "tally",
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


# --- what marks a text -------------------------------------------------------------------------------------

_ID = re.compile(r"[A-Za-z0-9_-]{4,100}")
_RUN = re.compile(r"[A-Za-z0-9_./~@:+-]{3,200}")
_LINE = re.compile(r"(?::\d+)+(?:-\d+)?$")
_SNAKE = re.compile(r"\w*[A-Za-z0-9]_+[A-Za-z0-9]\w*|_+[a-z]\w{3,}")
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)+")
_VERSION = re.compile(r"v?\d+\.\d+\.\d+[\w.+-]*")
_CAMEL = re.compile(r"[a-z]+[A-Z]\w*|[A-Z]+[a-z0-9]+[A-Z]\w*")
_CODE = re.compile(r"[A-Z]{1,6}-?\d{3,}|[A-Z]{2,6}-\d{1,6}|E[A-Z]{4,}|SIG[A-Z]{3,}")
_HASH = re.compile(r"(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}")
_AMOUNT = re.compile(
    r"(?<![\w.])(\d[\d.,]*)\s?(ms|seconds|secs?|s|minutes|mins?|m|hours|h|days|[kKMG]i?B|%|px|rps|tokens|[kM]?Hz)(?!\w)"
)
_UNITS = {"second": "s", "sec": "s", "minute": "min", "m": "min", "hour": "h"}
_ABBREVIATED = 5  # letters: shorter dotted words are `e.g` and `a.m`
# Everybody names these.
_EVERYDAY_LIST = """
README.md CLAUDE.md package.json pyproject.toml Cargo.toml go.mod __init__.py setup.py index.ts index.js main.py
node.js Node.js Next.js GitHub GitLab JavaScript TypeScript PostgreSQL MySQL NoSQL GraphQL macOS OpenAI SQLite ISO-8601
__name__ __main__ __init__ session_id user_id file_path node_modules UTF-8 UTF-16 SHA-1 SHA-256 SHA256
"""
_EVERYDAY = frozenset(_EVERYDAY_LIST.split())


def identifiers(text: str) -> Iterator[str]:
    """The words of a text that name something exactly: paths, code, flags, codes of errors, versions, amounts."""
    for match in _RUN.finditer(text):
        run = match[0]
        if run[0] == "/" and match.start() and text[match.start() - 1].isalnum():  # after a folder in another script
            run = run[1:]
        word = _identifier(run)
        if word and word not in _EVERYDAY:
            yield word
    for match in _AMOUNT.finditer(text):
        number, unit = match[1].rstrip(".,"), match[2]
        if sum(c.isdigit() for c in number) > 1 and (number, unit) != ("100", "%"):
            unit = unit[:-1] if unit.endswith("s") and len(unit) > 2 else unit
            yield number + _UNITS.get(unit, unit)


def _identifier(run: str) -> str | None:
    if run.startswith("--"):
        flag = run.rstrip(".:-+/")
        return flag if len(flag) > 4 and flag[2].isalpha() else None
    word = _LINE.sub("", run.rstrip(".:-+@")).lstrip("-:+")
    if "/" in word:
        return _path(word)
    word = word.lstrip(".@~")
    if _SNAKE.fullmatch(word) or _VERSION.fullmatch(word) or _CODE.fullmatch(word) or _HASH.fullmatch(word):
        return word
    if _DOTTED.fullmatch(word):
        return word if sum(c.isalpha() for c in word) >= _ABBREVIATED else None
    return word if len(word) > 4 and _CAMEL.fullmatch(word) else None


def _path(word: str) -> str | None:
    """A path, as far as one can tell it from `and/or`."""
    path = word.rstrip("/").removeprefix("./")
    last = path.rpartition("/")[2]
    if not any(c.isalpha() for c in last):
        return None
    is_one = path.count("/") > 1 or path.startswith(("/", "~/", "../")) or any(c in "._" for c in last)
    return path if is_one and len(path) > 4 else None


_WORDS = re.compile(r"[^\W_]+")
_CHARACTERS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]+")  # scripts that set no blanks
_WINDOW, _LONG, _CHARACTER_WINDOW = 4, 3, 8


def phrases(text: str) -> Iterator[str]:
    """Every few words in a row, most of them long, or of a script without blanks every eight characters."""
    for run in _CHARACTERS.findall(text):
        for i in range(len(run) - _CHARACTER_WINDOW + 1):
            yield run[i : i + _CHARACTER_WINDOW]
    words = _WORDS.findall(_CHARACTERS.sub(" ", text).lower())
    long = [len(word) > 3 or not word.isascii() for word in words]
    for i in range(len(words) - _WINDOW + 1):
        if sum(long[i : i + _WINDOW]) >= _LONG:
            yield " ".join(words[i : i + _WINDOW])


def _last(name: str) -> str:
    return name.rpartition("/")[2]


def _same(a: str, b: str) -> bool:
    """The same name, or the same path told from another folder."""
    short, long = sorted((a.removeprefix("~/"), b.removeprefix("~/")), key=len)
    return long == short or long.endswith("/" + short)


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
    files = frozenset(item.files) - _EVERYDAY
    return _Marks(item.id, files, words, frozenset() if words or files else frozenset(phrases(text)))


class _First:
    """Where in a session each of the wanted names was first said, and each wanted file first touched."""

    def __init__(self, said: Sequence[LaterText], marks: Iterable[_Marks]) -> None:
        ids: set[str] = set()
        names: set[str] = set()
        wanted: set[str] = set()
        for mark in marks:
            ids.add(mark.id)
            names |= {_last(name) for name in mark.files | mark.words}
            wanted |= mark.phrases
        self._ids: dict[str, int] = {}
        self._phrases: dict[str, int] = {}
        # By the last part of a path, because a path is told from many folders.
        self._named: dict[str, dict[str, int]] = {name: {} for name in names}
        self._touched: dict[str, dict[str, int]] = {name: {} for name in names}
        for index, one in enumerate(said):
            for name in ids.intersection(_ID.findall(one.text)):
                self._ids.setdefault(name, index)
            for name in set(identifiers(one.text)):
                if (places := self._named.get(_last(name))) is not None:
                    places.setdefault(name, index)
            for path in one.files:
                if (places := self._touched.get(_last(path))) is not None:
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
    return min((index for other, index in places[_last(name)].items() if _same(name, other)), default=None)


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
        return next((ItemUse(reason, what, told[index]) for index, what in there if not is_common(_last(what))), None)

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


# --- counting ----------------------------------------------------------------------------------------------


class Tally(NamedTuple):
    """Figures of one hook, or of one kind of item that it gave. Tokens of an answer are shared by its items."""

    hook: str | None  # None: all hooks
    kind: str | None  # None: all kinds
    answers: int
    items: int
    judged: int
    used: int
    tokens: int

    @property
    def share(self) -> float | None:
        """Of the items that can be judged, those that were used."""
        return round(self.used / self.judged, 4) if self.judged else None

    @property
    def tokens_per_used(self) -> int | None:
        return round(self.tokens / self.used) if self.used else None


def tally(judged: Sequence[JudgedItem]) -> list[Tally]:
    """All of it; then each hook, and after it each of its kinds, the most frequent first."""
    sizes: dict[int, int] = {}
    for one in judged:
        sizes[one.answer.id] = sizes.get(one.answer.id, 0) + 1
    groups: dict[tuple[str | None, str | None], list[JudgedItem]] = {(None, None): []}
    for one in judged:
        for key in ((None, None), (one.answer.hook, None), (one.answer.hook, one.item.kind)):
            groups.setdefault(key, []).append(one)
    found = [
        Tally(
            hook,
            kind,
            len({one.answer.id for one in members}),
            len(members),
            sum(one.is_judged for one in members),
            sum(one.use is not None for one in members),
            round(sum(one.answer.tokens / sizes[one.answer.id] for one in members)),
        )
        for (hook, kind), members in groups.items()
    ]
    of_hook = {t.hook: t.items for t in found if t.kind is None}
    return sorted(
        found,
        key=lambda t: (
            t.hook is not None,
            -of_hook[t.hook],
            t.hook or "",
            t.kind is not None,
            -t.items,
            t.kind or "",
        ),
    )
