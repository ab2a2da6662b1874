"""Settling a project: what its claims amount to together. Which of two that cannot both hold gives way, and how far
each has risen.

Both are functions of what is known, not of the order in which it was learned: claims are compared by when they were
said. What differs from what the index has is written as events, in one transaction. A person's word stays: what was
vouched for, restored or ruled out by a person gives way only to what a person said later.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from axiommind.ids import dedupe_key
from axiommind.learning.new_event import NewEvent
from axiommind.learning.opposition import EXPLICIT, OpposableClaim, Opposition, oppositions, order_of
from axiommind.learning.policies import CONFLICTS
from axiommind.projections.entry_rows import BY_AGENT, BY_PERSON, STAGES

if TYPE_CHECKING:
    from axiommind.learning.event_writer import EventWriter
    from axiommind.learning.policies import StageChange
    from axiommind.log import EventLog
    from axiommind.projections.runner import Index

__all__ = ["Settled", "settle", "unsettled"]

_BY = f"{CONFLICTS.name}-{CONFLICTS.version}"
_CLAIMS = """
    select e.entry_id, e.canonical_key, e.value_key, e.title, e.text, e.kind, coalesce(e.happened_at, e.created_ts),
           coalesce(json_extract(e.evidence_json, '$[0].line'), 0), e.content_json, e.session_id, e.rule, e.provenance,
           e.aligned, e.confidence, e.status, e.superseded_by, e.id,
           (select case when instr(:stages, p.to_stage) > instr(:stages, p.from_stage)
                        then cast((julianday(p.at) - 2440587.5) * 86400000 as integer) end
            from promotions p
            where p.entry_id = e.entry_id and p.actor = 'user'
            order by p.id desc
            limit 1),
           (select r.act || ' ' || cast((julianday(r.at) - 2440587.5) * 86400000 as integer)
            from rulings r
            where r.entry_id = e.entry_id and r.actor = 'user'
            order by r.ord desc
            limit 1),
           (select r.actor || ' ' || r.act
            from rulings r
            where r.entry_id = e.entry_id and r.act not in ('withdrawn', 'returned')
            order by r.ord desc
            limit 1)
    from entries e
    where e.project = :project
      and e.status <> 'withdrawn'
      and e.entry_type in ('fact', 'decision', 'insight')
    order by e.id
"""
_CONFLICTS = """
    select c.conflict_id, c.older_id, c.newer_id, c.resolved_at is null, c.resolved_by
    from conflicts c
    join entries e on e.entry_id = c.newer_id
    where e.project = :project
"""
# What was learned and not settled, because a run was cut off in between.
_UNSETTLED = "select distinct project from entries where stage = 'raw' and status <> 'withdrawn'"
_POSITION = "select coalesce(max(position), 0) from projection_offsets"


class _Known(NamedTuple):
    """A claim with what decides whether it gives way."""

    claim: OpposableClaim
    session: str
    is_person: bool  # a person's own words or choice, or recorded by one
    rank: int  # how far where it comes from is trusted: less is more
    aligned: bool
    confidence: float
    status: str
    superseded_by: str | None
    row: int
    word_at: int | None  # when a person last vouched for it or restored it
    is_out: bool  # a person rejected it or said what replaces it
    by_memory: bool  # the last ruling on it was not a person's
    by_agent: bool  # an agent asked for it to be remembered


class Settled(NamedTuple):
    conflicts: tuple[str, ...] = ()  # found, and open
    superseded: tuple[str, ...] = ()
    changes: tuple[StageChange, ...] = ()


def unsettled(db: sqlite3.Connection) -> list[str]:
    return [row[0] for row in db.execute(_UNSETTLED)]


def settle(
    log: EventLog, writer: EventWriter, index: Index, projects: Iterable[str], *, at: int, stages: bool = True
) -> Settled:
    """Bring the claims of some projects into their places. Decided while nobody else can append."""
    from axiommind.learning.entry_facts import facts_of
    from axiommind.learning.policies import GRADUATION, HALF_LIFE, graduate, sink
    from axiommind.learning.stage_changes import write_changes
    from axiommind.projections.runner import Segments

    opened: list[str] = []
    superseded: list[str] = []
    changes: list[StageChange] = []
    for project in sorted(set(projects)):
        with log.atomic():
            index.catch_up(log, Segments(log))
            known = _read(index.db, project)
            events, statuses = _decide(index.db, project, known)
            for event in events:
                name = str(event.payload.get("entry_id") or event.payload.get("newer_id") or "")
                session = known[name].session if name in known else None
                writer.append(event, session=session, project=project)
                if event.event_type == "conflict_detected":
                    opened.append(str(event.payload["conflict_id"]))
                elif event.event_type == "entry_superseded":
                    superseded.append(name)
            if stages:
                facts = [
                    one._replace(status=statuses.get(one.entry_id, one.status))
                    for one in facts_of(index.db, at, project)
                ]
                risen = graduate(facts)
                if risen:
                    write_changes(writer, GRADUATION.name, GRADUATION.version, risen, actor="memory")
                now = {change.entry_id: change.target for change in risen}
                sunk = sink([one._replace(stage=now.get(one.entry_id, one.stage)) for one in facts])
                if sunk:
                    write_changes(writer, HALF_LIFE.name, HALF_LIFE.version, sunk, actor="memory")
                changes += [*risen, *sunk]
        index.catch_up(log, Segments(log))
    return Settled(tuple(opened), tuple(superseded), tuple(changes))


def _read(db: sqlite3.Connection, project: str) -> dict[str, _Known]:
    rows = db.execute(_CLAIMS, {"project": project, "stages": " ".join(STAGES)})
    return {row[0]: _known(row) for row in rows}


def _known(row: Sequence[Any]) -> _Known:
    entry, key, value_key, title, text, kind, happened_at, line, content, session, rule, provenance = row[:12]
    aligned, confidence, status, superseded_by, place, vouched_at, ruled, last = row[12:]
    given = json.loads(content)
    claim = OpposableClaim(
        entry,
        key,
        value_key,
        str(given.get("value") or ""),
        title,
        text,
        kind,
        happened_at,
        line,
        tuple(given.get("retires", ())),
        tuple(given.get("supersedes", ())),
        tuple(given.get("alternatives", ())),
    )
    act, _, ruled_at = (ruled or " ").partition(" ")
    words = [time for time in (vouched_at, int(ruled_at) if act == "restored" else None) if time is not None]
    is_person = rule == BY_PERSON or (provenance in ("person", "picked") and rule != BY_AGENT)
    rank = 0 if is_person else 1 if provenance == "rules" else 2
    is_out = act in ("deprecated", "superseded")
    by_memory = last is None or last.startswith("memory ")
    return _Known(
        claim,
        session,
        is_person,
        rank,
        bool(aligned),
        confidence,
        status,
        superseded_by,
        place,
        max(words, default=None),
        is_out,
        by_memory,
        rule == BY_AGENT,
    )


def _gives_way(older: _Known, newer: _Known) -> bool:
    """Whether the newer of two claims that cannot both hold takes the place of the older one."""
    if not newer.aligned:  # evidence that was not found changes nothing
        return False
    if newer.by_agent and not older.by_agent:  # an agent's request lowers nothing but what agents asked for
        return False
    if older.word_at is not None and not (newer.is_person and newer.claim.happened_at > older.word_at):
        return False
    if newer.rank != older.rank:
        return newer.rank < older.rank
    return newer.is_person or not older.aligned or newer.confidence >= older.confidence


def _decide(db: sqlite3.Connection, project: str, known: dict[str, _Known]) -> tuple[list[NewEvent], dict[str, str]]:
    """What has to be written so that the index says what the claims amount to, and the statuses that follow."""
    pairs = list(oppositions([one.claim for one in known.values()]))
    replaced: dict[str, str] = {}
    why: dict[str, str] = {}
    for pair in pairs:  # of several that take its place, the newest
        older, newer = known[pair.older], known[pair.newer]
        if _gives_way(older, newer):
            before = replaced.get(pair.older)
            if before is None or order_of(known[before].claim) < order_of(newer.claim):
                replaced[pair.older], why[pair.older] = pair.newer, pair.reason
    said = [
        pair for pair in pairs if pair.reason in EXPLICIT and not (known[pair.older].is_out or known[pair.newer].is_out)
    ]
    is_open = {pair for pair in said if not replaced.keys() & {pair.older, pair.newer}}
    (position,) = db.execute(_POSITION).fetchone()
    events = [*_rulings(known, replaced, why, position), *_conflicts(db, project, known, said, is_open, position)]
    return events, _statuses(known, replaced, is_open)


def _rulings(
    known: dict[str, _Known], replaced: dict[str, str], why: dict[str, str], position: int
) -> Iterable[NewEvent]:
    for name, one in known.items():
        if one.is_out:
            continue
        by = replaced.get(name)
        if by is not None and (one.status, one.superseded_by) != ("superseded", by):
            reason = f"{why[name]}: a newer claim stands"
            yield NewEvent(
                "entry_superseded", {"entry_id": name, "other_id": by, "reason": reason}, (name, by, position)
            )
        elif by is None and one.status == "superseded" and one.by_memory:
            reason = "nothing takes its place any more"
            yield NewEvent("entry_restored", {"entry_id": name, "reason": reason}, (name, "restored", position))


def _conflicts(
    db: sqlite3.Connection,
    project: str,
    known: dict[str, _Known],
    said: Sequence[Opposition],
    wanted: set[Opposition],
    position: int,
) -> Iterable[NewEvent]:
    """Every conflict that somebody's words make is recorded: those that are open, and those that are over."""
    rows = db.execute(_CONFLICTS, {"project": project}).fetchall()
    stored = {frozenset((older, newer)): (name, is_open, by) for name, older, newer, is_open, by in rows}
    for pair in said:
        older, newer, reason = pair
        name, is_open, by = stored.get(frozenset((older, newer)), (None, False, None))
        if name is None:
            name = "cfl_" + dedupe_key("conflict", older, newer)[:16]
            found = {"conflict_id": name, "older_id": older, "newer_id": newer, "conflict_type": "value"}
            place = max(known[older].row, known[newer].row)
            yield NewEvent("conflict_detected", {**found, "reason": reason}, (name, place))
            stored[frozenset((older, newer))] = (name, True, None)
        elif not is_open and by != "user" and pair in wanted:
            again = {"conflict_id": name, "resolution": None, "resolved_by": None}
            yield NewEvent("conflict_reopened", again, (name, position))
    still = {frozenset((pair.older, pair.newer)) for pair in wanted}
    won = {frozenset((pair.older, pair.newer)) for pair in said if _gives_way(known[pair.older], known[pair.newer])}
    for both, (name, is_open, _) in stored.items():
        if is_open and both not in still and both <= known.keys():
            how = "the newer one stands" if both in won else "the two no longer stand against each other"
            over = {"conflict_id": name, "resolution": how, "resolved_by": _BY}
            yield NewEvent("conflict_resolved", over, (name, _BY, position))


def _statuses(known: dict[str, _Known], replaced: dict[str, str], wanted: set[Opposition]) -> dict[str, str]:
    contested = {
        name
        for pair in wanted
        for name, other in ((pair.older, pair.newer), (pair.newer, pair.older))
        if known[name].by_agent or not known[other].by_agent
    }
    return {
        name: "superseded" if name in replaced else "contested" if name in contested else "active"
        for name, one in known.items()
        if not one.is_out and (one.by_memory or name in replaced)
    }
