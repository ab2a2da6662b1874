"""Evidence: the values that proposals are made of, each with the rows of the index that show it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import PurePosixPath
from typing import NamedTuple

from axiommind.reports.analysers.activity import DAY_MS
from axiommind.reports.analysers.rework import RepeatedFailure

__all__ = [
    "CheckCommand",
    "FileGroup",
    "FilePair",
    "Habit",
    "HabitStep",
    "ProposalMaterial",
    "RepeatedClaim",
    "Sentence",
    "Witness",
    "groups",
]

LEAST_TOGETHER = 3  # sessions in which two files changed
MOST_OF_GROUP = 5  # files
_MOST_OF_OPTION = 4  # words
_SAID_AS_OPTION = 0.75  # of the letters of an option and the words that asked for it


class Witness(NamedTuple):
    """Who says so: a row of the index (a `prompt`, a `tool` use, an `insight`), and words that stand there."""

    kind: str
    ref: int
    session: str
    at: int | None
    quote: str


class Sentence(NamedTuple):
    """A sentence, or a whole prompt, of a person."""

    text: str
    witness: Witness


class HabitStep(NamedTuple):
    """A command that usually followed, or a file that was edited then, and in how many sessions."""

    what: str
    sessions: int
    is_edit: bool = False


@dataclass(frozen=True, slots=True)
class Habit:
    """Prompts that ask for the same: the words used most, and what the agent did then. `template`: the words with
    slots where they vary; `others`: how it was said in other languages; `typed`: characters of all of them;
    `options`: commands that were run then, each with an option, the most sessions first."""

    text: str
    kind: str
    count: int
    sessions: int
    last_at: int
    witnesses: tuple[Witness, ...]
    steps: tuple[HabitStep, ...] = ()
    template: str = ""
    slots: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    typed: int = 0
    options: tuple[tuple[str, str], ...] = ()

    @property
    def option_meant(self) -> tuple[str, str] | None:
        """The command that was run then with an option of these very words, typing errors included."""
        said = "".join(char for char in self.text.casefold() if char.isalnum())
        if len(self.text.split()) > _MOST_OF_OPTION or not said.isascii():
            return None
        for command, option in self.options:
            name = option.replace("-", "")
            if SequenceMatcher(None, said, name, autojunk=False).ratio() >= _SAID_AS_OPTION:
                return command, option
        return None


class CheckCommand(NamedTuple):
    """A test, lint or build command that was run after edits; `place` is where in its session, from 0 to 1."""

    command: str
    tool: str
    place: float
    witnesses: tuple[Witness, ...]


class FilePair(NamedTuple):
    """Two files that changed in the same sessions, and in how many sessions each of them changed at all."""

    a: str
    b: str
    sessions_a: int
    sessions_b: int
    witnesses: tuple[Witness, ...]

    @property
    def together(self) -> int:
        return len({w.session for w in self.witnesses})

    @property
    def either(self) -> int:
        return self.sessions_a + self.sessions_b - self.together

    @property
    def share(self) -> float:
        """Of the sessions that changed either of them, how many changed both."""
        return self.together / max(1, self.either)


class FileGroup(NamedTuple):
    """Files that changed in exactly the same sessions as each other; `either`: sessions that changed any of the first
    two."""

    files: tuple[str, ...]
    either: int
    witnesses: tuple[Witness, ...]

    @property
    def together(self) -> int:
        return len({w.session for w in self.witnesses})

    @property
    def days(self) -> int:
        return len({w.at // DAY_MS for w in self.witnesses if w.at})


def groups(pairs: Sequence[FilePair]) -> list[FileGroup]:
    """Pairs that tell something, those of the same sessions as one; the strongest first."""
    found: dict[frozenset[str], tuple[list[str], FilePair]] = {}
    telling = [p for p in pairs if p.together >= LEAST_TOGETHER and not _same_work(p.a, p.b)]
    for pair in sorted(telling, key=lambda p: (-p.together * p.share, p.a, p.b)):
        files, _ = found.setdefault(frozenset(w.session for w in pair.witnesses), ([], pair))
        if not files or pair.a in files or pair.b in files:
            files += [name for name in (pair.a, pair.b) if name not in files]
    return [FileGroup(tuple(files[:MOST_OF_GROUP]), pair.either, pair.witnesses) for files, pair in found.values()]


class RepeatedClaim(NamedTuple):
    """A fact or decision of memory that holds, with where it was said."""

    text: str
    kind: str
    stage: str
    witnesses: tuple[Witness, ...]


@dataclass(frozen=True, slots=True)
class ProposalMaterial:
    failures: Sequence[RepeatedFailure] = ()
    habits: Sequence[Habit] = ()
    statements: Sequence[Sentence] = ()
    prompts: Sequence[Sentence] = ()
    checks: Sequence[CheckCommand] = ()
    edited_sessions: int = 0
    pairs: Sequence[FilePair] = ()
    claims: Sequence[RepeatedClaim] = ()
    known: str = ""  # what CLAUDE.md says
    commands: frozenset[str] = field(default_factory=frozenset)  # names of commands and skills that are there


def _same_work(a: str, b: str) -> bool:
    """Whether the names alone say that two files belong together: a file and its test, or a header and its source."""
    stems = [re.sub(r"(?:[._-]?(?:test|spec|stories)s?$|^test_)", "", _stem(path)) for path in (a, b)]
    return stems[0] == stems[1]


def _stem(path: str) -> str:
    name = PurePosixPath(path.replace("\\", "/")).name
    return name.rsplit(".", 1)[0].casefold() if "." in name[1:] else name.casefold()
