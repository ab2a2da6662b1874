"""The text of a scratchpad that several machines write: its edits in an order that all of them agree on, merged.

An edit says what its writer had seen. What is appended is added to whatever is there. Any other edit goes on from the
text that its writer saw; where another machine had changed that text meanwhile, both stay: the one that is first in
order is the text, the other a text beside it, until somebody resolves it. Pure: the same edits give the same texts,
in whatever order they are given.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from axiommind.text.edits import Edit, apply

__all__ = ["Aside", "MergedText", "WrittenEdit", "merged", "merges"]


class WrittenEdit(NamedTuple):
    """An edit, by whom and after what. `machine` and `number` give its place among the edits of its machine; `seen` are
    the last edits of other machines that were known there; `resolves` are the edits whose texts it replaces."""

    name: str
    order: str
    machine: int
    number: int
    edit: Edit
    title: str = ""
    seen: tuple[str, ...] = ()
    resolves: tuple[str, ...] = ()


class Aside(NamedTuple):
    """A text that contradicts the one of the scratchpad, and the edit that made it so."""

    name: str
    text: str


class MergedText(NamedTuple):
    title: str
    text: str
    version: int
    asides: tuple[Aside, ...]
    made: str | None = None  # what the last edit made, where that is not the text but one beside it


Clock = Mapping[int, int]  # of each machine, how many of its edits


@dataclass(frozen=True)
class _Branch:
    """A text, and how many edits of each machine that changed it (what was only appended is in every text)."""

    text: str
    tip: str
    clock: dict[int, int] = field(default_factory=dict)


def merged(edits: Sequence[WrittenEdit]) -> MergedText | None:
    """The texts after all of these edits; None where none of them creates it."""
    found = None
    for _, now in merges(edits):
        found = now
    return found


def merges(edits: Sequence[WrittenEdit]) -> Iterator[tuple[WrittenEdit, MergedText]]:
    """Each edit in order, with the texts after it."""
    return _Merge(edits).run()


class _Merge:
    def __init__(self, edits: Sequence[WrittenEdit]) -> None:
        self._edits = edits
        by_machine: dict[int, list[WrittenEdit]] = defaultdict(list)
        for one in sorted(edits, key=lambda one: one.number):
            by_machine[one.machine].append(one)
        self._place = {one.name: (machine, n) for machine, some in by_machine.items() for n, one in enumerate(some, 1)}
        self._by_machine = by_machine
        self._known: dict[str, dict[int, int]] = {}

    def _needs(self, one: WrittenEdit) -> set[str]:
        """The edits just before it, of its own machine and of those that it had seen."""
        machine, n = self._place[one.name]
        own = {self._by_machine[machine][n - 2].name} if n > 1 else set()
        return own | (set(one.seen) & self._place.keys()) - {one.name}

    def _ordered(self) -> Iterator[WrittenEdit]:
        """By time, and none before what its writer had seen."""
        by_name = {one.name: one for one in self._edits}
        waits = {name: self._needs(one) for name, one in by_name.items()}
        after: dict[str, list[str]] = defaultdict(list)
        for name, needs in waits.items():
            for need in needs:
                after[need].append(name)
        ready = [(one.order, name) for name, one in by_name.items() if not waits[name]]
        heapq.heapify(ready)
        left = set(by_name)
        while left:
            if not ready:  # a circle, which no writer makes: the earliest goes first
                first = min(left, key=lambda name: (by_name[name].order, name))
                heapq.heappush(ready, (by_name[first].order, first))
            name = heapq.heappop(ready)[1]
            if name not in left:
                continue
            left.discard(name)
            yield by_name[name]
            for later in after[name]:
                waits[later].discard(name)
                if not waits[later] and later in left:
                    heapq.heappush(ready, (by_name[later].order, later))

    def _knows(self, one: WrittenEdit) -> dict[int, int]:
        """How many edits of each machine its writer knew, itself included."""
        known: dict[int, int] = {}
        for need in self._needs(one):
            for machine, n in self._known.get(need, {}).items():
                known[machine] = max(known.get(machine, 0), n)
        machine, n = self._place[one.name]
        known[machine] = n
        self._known[one.name] = known
        return known

    def run(self) -> Iterator[tuple[WrittenEdit, MergedText]]:
        branches: list[_Branch] = []
        done: list[WrittenEdit] = []
        title = ""
        for one in self._ordered():
            known = self._knows(one)
            if one.edit.mode == "created":
                if not branches:
                    made = _Branch(apply("", one.edit), one.name, {one.machine: self._place[one.name][1]})
                    # What arrived before what it builds on counts from here on.
                    for earlier in done:
                        made = replace(made, text=made.text + _appended(earlier))
                    branches = [made]
            elif one.edit.mode == "appended":
                branches = [replace(branch, text=branch.text + one.edit.piece) for branch in branches]
            elif one.edit.mode != "renamed" and branches:
                branches = self._changed(branches, one, known, done)
            title = one.title or title
            done.append(one)
            if branches:
                asides = tuple(Aside(branch.tip, branch.text) for branch in branches[1:])
                made_aside = next((aside.text for aside in asides if aside.name == one.name), None)
                yield one, MergedText(title, branches[0].text, len(done), asides, made_aside)

    def _changed(
        self, branches: list[_Branch], one: WrittenEdit, known: Clock, done: Sequence[WrittenEdit]
    ) -> list[_Branch]:
        """The texts after an edit that is more than an addition."""
        machine, n = self._place[one.name]
        knows_all = sum(known.values()) == len(done) + 1
        unseen = [] if knows_all else [other for other in done if not self._is_known(other, known)]
        at = next((i for i, branch in enumerate(branches) if _is_within(branch.clock, known)), None)
        if at is not None and not unseen:
            text = apply(branches[at].text, one.edit)
        else:
            view = merged([other for other in done if self._is_known(other, known)])
            text = apply("" if view is None else view.text, one.edit) + "".join(map(_appended, unseen))
        clock = {} if at is None else dict(branches[at].clock)
        made = _Branch(text, one.name, {**clock, machine: n})
        if at is None:
            made = replace(made, clock=dict(known))
            branches = [*branches, made]
        else:
            branches = [made if i == at else branch for i, branch in enumerate(branches)]
        return [branch for branch in branches if branch is made or branch.tip not in one.resolves]

    def _is_known(self, one: WrittenEdit, known: Clock) -> bool:
        machine, n = self._place[one.name]
        return n <= known.get(machine, 0)


def _is_within(clock: Clock, known: Clock) -> bool:
    return all(n <= known.get(machine, 0) for machine, n in clock.items())


def _appended(one: WrittenEdit) -> str:
    return one.edit.piece if one.edit.mode == "appended" else ""
