"""From checked claims to events: what was claimed, where its words are, what the checkers said, how far it rises.

Whoever makes a claim (an extractor, an agent, a person), it is written the same way. Nothing here writes: the events
belong in one transaction of the log, in which the index was brought up to date first.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from axiommind.ids import canonical_json, checksum
from axiommind.learning.candidates import AlignedDraft, stored
from axiommind.learning.checks import Checked
from axiommind.learning.new_event import NewEvent
from axiommind.learning.policies import GRADUATION, PERSON, EntryFacts, StageChange

__all__ = ["ClaimOrigin", "epoch_of", "events_of_check", "events_of_claims", "is_rejected"]

_EPOCH = """
    select max(
        (select coalesce(min(position), 0) from segments where session_id = :session),
        (select coalesce(max(position), 0) from learning_voids where session_id = :session))
"""
_REJECTED = "select 1 from rejected_claims where value_key = :value_key"

Rises = Callable[[EntryFacts], list[StageChange]]


class ClaimOrigin(NamedTuple):
    """The session of some claims, as it was when they were made, and who made them."""

    session: str
    project: str
    epoch: str
    head: str
    extractor: str
    model: str = ""
    prompt_hash: str = ""
    by_person: bool = False


def epoch_of(db: sqlite3.Connection, session: str) -> str:
    """Part of every key: a session that was forgotten and came back, or that lost a task when another session was
    forgotten, is learned as if for the first time."""
    (first,) = db.execute(_EPOCH, {"session": session}).fetchone()
    return str(first)


def is_rejected(db: sqlite3.Connection, one: AlignedDraft) -> bool:
    """Whether a person rejected this claim, in whichever session."""
    return db.execute(_REJECTED, {"value_key": one.value_key}).fetchone() is not None


def events_of_claims(
    origin: ClaimOrigin,
    new: Sequence[AlignedDraft],
    checked: Checked,
    rises: Rises | None = None,
    *,
    changed: Sequence[AlignedDraft] = (),
    moved: Sequence[AlignedDraft] = (),
) -> Iterator[NewEvent]:
    """The events of new claims (which rise as `rises` says, or when their project is settled), of those that something
    else is known about now (`changed`), and of those whose words were found again elsewhere (`moved`)."""
    session, epoch = origin.session, origin.epoch
    written = [stored(one, origin.project) for one in (*new, *changed)]
    text = canonical_json({"entries": written}) if written else None
    made = {
        "extractor": origin.extractor,
        "model": origin.model,
        "prompt_hash": origin.prompt_hash,
        "count": len(written),
    }
    yield NewEvent("memory_extracted", made, (session, epoch, origin.head, checksum([made, text])), text=text)
    places = [
        {"entry_id": one.entry_id, "aligned": one.aligned, "evidence": list(one.evidence)}
        for one in (*new, *changed, *moved)
    ]
    if places:
        yield NewEvent("evidence_aligned", {"entries": places}, (session, epoch, origin.head, checksum(places)))
    if not written:
        return
    unique = (origin.session, origin.epoch, origin.head)
    yield from events_of_check([one.entry_id for one in (*new, *changed)], checked, unique)
    if rises is not None and new:
        yield _risen(origin, new, checked, rises)


def events_of_check(entries: Sequence[str], checked: Checked, unique: tuple[str | int, ...]) -> Iterator[NewEvent]:
    """What the checkers said of entries of one session; `unique` tells this time from others."""
    verdicts = {name: checked.verdicts.get(name) for name in entries}
    results = [
        {"entry_id": name, "passed": verdict.passed, "failed": list(verdict.failed)}
        for name, verdict in verdicts.items()
        if verdict is not None
    ]
    if not results:
        return
    spoken = {
        "checkers": [[one.name, one.version, one.ok, round(one.seconds, 3)] for one in checked.checkers],
        "results": results,
        "agree": checked.agree,
        "verified_by": checked.verified_by,
    }
    # A checker may repeat what it was given, so its words are text.
    words = {"said": [one.said for one in checked.checkers], "difference": checked.difference[:1000]}
    key = (*unique, checksum(results), checked.verified_by)
    yield NewEvent("idris_checked", spoken, key, text=canonical_json(words))


def _risen(origin: ClaimOrigin, new: Sequence[AlignedDraft], checked: Checked, rises: Rises) -> NewEvent:
    listed = []
    for one in new:
        verdict = checked.verdicts.get(one.entry_id)
        passed = verdict is not None and verdict.passed and checked.agree
        grounds = "recorded by a person" if origin.by_person else ""
        facts = EntryFacts(one.entry_id, "raw", "active", one.aligned, passed, one.confidence, grounds=grounds)
        listed += [change.payload() for change in rises(facts)]
    policy = PERSON if origin.by_person else GRADUATION
    return NewEvent(
        "promoted",
        {"policy": policy.name, "version": policy.version, "changes": listed},
        (origin.session, origin.epoch, checksum(listed)),
    )
