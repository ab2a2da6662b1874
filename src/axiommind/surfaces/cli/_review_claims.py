"""Claims that a person looks through with single keys: conflicts, of which one side is kept, and candidates, which are
vouched for or withdrawn. Every answer can be taken back by the next key.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from axiommind.errors import AxmError
from axiommind.memory import Memory, Scope
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import tables as render
from axiommind.surfaces.render.entries import claim, one_line, project_name
from axiommind.surfaces.render.provenance import SAID_BY
from axiommind.text.summary import preview

if TYPE_CHECKING:
    from axiommind.callers import Caller
    from axiommind.projections.entry_rows import ListedEntry

__all__ = ["QUIT", "candidates", "settle_conflicts", "walk_candidates"]

T = TypeVar("T")
Undo = Callable[[], object]

QUIT = ("q", "", "\x03", "\x04", "\x1b")
_SKIP = ("s", " ", "\r", "\n")
_REASON = "a person's review"
_TYPES = ("fact", "decision", "insight", "reference")
_YOURS = ("person", "picked")
_TEXT_CHARS, _QUOTE_CHARS, _QUOTES = 400, 300, 3
_CONFLICT_KEYS = "1 keep the older · 2 keep the newer · o open the words · s skip · u undo · q quit"
_CANDIDATE_KEYS = "y it holds · n it does not · o open the words · s skip · u undo · q quit"


class _Walk(NamedTuple, Generic[T]):
    """What is walked through: how one is shown, what its keys do, and what its words are."""

    noun: str
    legend: str
    text: Callable[[T], str]
    acts: Mapping[str, Callable[[T], Undo]]
    words: Callable[[T], str]
    done: Mapping[str, str]  # what is counted by key, in words

    def through(self, items: Sequence[T], key: Callable[[], str]) -> bool:
        """Ask about each; False when the person has had enough."""
        said: list[tuple[int, str, Undo]] = []
        options.say(f"{render.counted(len(items), self.noun)}: {self.legend}")
        at, shown = 0, -1
        while at < len(items) or said:
            if at == len(items):
                options.say(f"That was the last {self.noun}: u takes your answer back, any other key ends")
            elif shown != at:
                print(f"\n{at + 1}/{len(items)}  {self.text(items[at])}", flush=True)
                shown = at
            pressed = key()
            if pressed == "u" and said:
                at, _, undo = said.pop()
                undo()
                shown = -1
            elif pressed in QUIT or at == len(items):
                break
            elif pressed == "o":
                print(self.words(items[at]), flush=True)
            elif pressed in self.acts:
                at = self._act(items, at, pressed, said)
            elif pressed in _SKIP:
                at += 1
            else:
                options.say(self.legend)
        counts = ", ".join(f"{sum(one == key for _, one, _ in said)} {words}" for key, words in self.done.items())
        options.say(f"{self.noun.capitalize()}s: {counts}.")
        return at == len(items)

    def _act(self, items: Sequence[T], at: int, pressed: str, said: list[tuple[int, str, Undo]]) -> int:
        """Do it; the next one, unless it could not be done."""
        try:
            said.append((at, pressed, self.acts[pressed](items[at])))
        except AxmError as error:
            options.say(f"Not done: {error.message}" + (f"\n  hint: {error.hint}" if error.hint else ""))
            return at
        return at + 1


def settle_conflicts(memory: Memory, found: Sequence[dict[str, Any]], caller: Caller, key: Callable[[], str]) -> bool:
    def keep(side: str, other: str) -> Callable[[dict[str, Any]], Undo]:
        def settle(one: dict[str, Any]) -> Undo:
            memory.conflicts.settle(one["conflict_id"], one[f"{side}_id"], _REASON, caller=caller)
            return lambda: memory.entries.rule(
                one[f"{other}_id"], "restored", _REASON, None, "superseded", caller=caller
            )

        return settle

    walk: _Walk[dict[str, Any]] = _Walk(
        "conflict",
        _CONFLICT_KEYS,
        _conflict_text,
        {"1": keep("older", "newer"), "2": keep("newer", "older")},
        lambda one: "\n".join(f"{side}:\n{_words(memory, one[f'{side}_id'])}" for side in ("older", "newer")),
        {"1": "older claims kept", "2": "newer claims kept"},
    )
    return walk.through(found, key)


def _conflict_text(one: dict[str, Any]) -> str:
    return "\n".join(
        [
            render.bold(one_line(one["title"])),
            *(f"  {n} {side}: {preview(one_line(one[side]), _TEXT_CHARS)}" for n, side in ((1, "older"), (2, "newer"))),
            render.dim(f"  {one['conflict_id']}, since {one['detected_at'][:10]}: {one_line(one['reason'])}"),
        ]
    )


def candidates(memory: Memory, scope: Scope, limit: int) -> tuple[list[ListedEntry], int]:
    """The newest candidates, a person's own words first; and how many there are."""
    wanted: dict[str, Any] = {"types": _TYPES, "stages": ("candidate",), "statuses": ("active",)}
    yours = memory.entries.list(scope, **wanted, provenances=_YOURS, limit=limit)
    known = {one.entry.entry_id for one in yours}
    others = memory.entries.list(scope, **wanted, limit=limit) if len(yours) < limit else []
    found = [*yours, *(one for one in others if one.entry.entry_id not in known)]
    return found[:limit], memory.entries.count(scope, **wanted) if found else 0


def walk_candidates(memory: Memory, found: Sequence[ListedEntry], caller: Caller, key: Callable[[], str]) -> bool:
    def holds(one: ListedEntry) -> Undo:
        name = one.entry.entry_id
        memory.entries.promote(name, _REASON, "verified", caller=caller)
        return lambda: memory.entries.undo_promotion(name, _REASON, caller=caller)

    def does_not(one: ListedEntry) -> Undo:
        name = one.entry.entry_id
        memory.entries.rule(name, "deprecated", _REASON, caller=caller)
        return lambda: memory.entries.rule(name, "restored", _REASON, None, "deprecated", caller=caller)

    walk: _Walk[ListedEntry] = _Walk(
        "candidate",
        _CANDIDATE_KEYS,
        _candidate_text,
        {"y": holds, "n": does_not},
        lambda one: _words(memory, one.entry.entry_id),
        {"y": "verified", "n": "withdrawn"},
    )
    return walk.through(found, key)


def _candidate_text(one: ListedEntry) -> str:
    entry = one.entry
    said = preview(one_line(entry.text), _TEXT_CHARS)
    about = [
        entry.entry_id,
        entry.kind,
        SAID_BY.get(entry.provenance, entry.provenance),
        render.day(entry.happened_at),
        project_name(entry.project),
        f"in {one.sessions} sessions" if one.sessions > 1 else "",
        one.freshness if one.freshness not in ("unknown", "fresh") else "",
    ]
    lines = [render.bold(one_line(claim(entry)))]
    lines += [f"  {said}"] if said and said != one_line(claim(entry)) else []
    return "\n".join([*lines, render.dim(f"  {' · '.join(filter(None, about))}")])


def _words(memory: Memory, name: str) -> str:
    """The words that a claim rests on, each with the command that opens their lines."""
    lines = []
    for quote in memory.entries.show(name).quotes[:_QUOTES]:
        said = preview(one_line(quote.quote), _QUOTE_CHARS) if quote.quote else one_line(quote.reason or "")
        where = "" if quote.citation is None else render.dim(f"\n    axm open {one_line(quote.citation.text)}")
        lines.append(f"  «{said}»{where}")
    return "\n".join(lines) or "  It rests on no words of a session."
