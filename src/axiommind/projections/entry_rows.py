"""Reading entries: rows of what was learned. Not a projection."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from typing import Any, NamedTuple

from axiommind.errors import BadQuery, NotFound
from axiommind.ids import number_of
from axiommind.projections.passages import KIND_BITS, KINDS

__all__ = [
    "BY_AGENT",
    "BY_PERSON",
    "BY_TEAMMATE",
    "ENTRY_STATUSES",
    "ENTRY_TYPES",
    "ONLY_KIND",
    "STAGES",
    "EntryRow",
    "EvidenceRow",
    "ListedEntry",
    "find_entry",
    "get_entry",
    "list_entries",
]

ENTRY_TYPES = ("fact", "decision", "insight", "task_note", "reference")
ONLY_KIND = {"decision": "decision", "task_note": "open", "reference": "record"}  # of a type that has only one kind
STAGES = ("raw", "working", "candidate", "verified", "certified")  # in the order that an entry rises
ENTRY_STATUSES = ("active", "contested", "deprecated", "superseded", "withdrawn")
# In the column `rule`, beside the names of rules and models: who made the claim by hand.
BY_AGENT = "agent"
BY_PERSON = "person"
BY_TEAMMATE = "teammate"


class EvidenceRow(NamedTuple):
    """Where a quote was found; or why it was not (`reason`)."""

    position: int | None
    line: int | None
    block: str | None
    start: int | None
    end: int | None
    quote_hash: str | None
    confidence: float | None
    method: str | None
    reason: str | None
    event_id: str | None


class EntryRow(NamedTuple):
    id: int
    entry_id: str
    created_ts: int
    entry_type: str
    stage: str
    status: str
    superseded_by: str | None
    session_id: str
    project: str
    build_id: str | None
    kind: str
    provenance: str
    extractor: str
    rule: str
    confidence: float
    support: str
    aligned: bool
    verified_by: str | None
    happened_at: int | None
    canonical_key: str
    value_key: str
    title: str
    text: str
    content: dict[str, Any]
    evidence: tuple[EvidenceRow, ...]
    anchors: tuple[str, ...] = ()


class ListedEntry(NamedTuple):
    """An entry in a list, and in how many sessions the same was stated."""

    entry: EntryRow
    sessions: int
    freshness: str = "unknown"  # against the code: fresh, drifted, gone or unknown
    changed: str = ""  # what changed since, where something did


_COLUMNS = """
    e.id, e.entry_id, e.created_ts, e.entry_type, e.stage, e.status, e.superseded_by, e.session_id, e.project,
    e.build_id, e.kind, e.provenance, e.extractor, e.rule, e.confidence, e.support, e.aligned, e.verified_by,
    e.happened_at, e.canonical_key, e.value_key, e.title, e.text, e.content_json, e.evidence_json, e.anchors_json
"""


def _row(values: Sequence[Any]) -> EntryRow:
    *plain, content, evidence, anchors = values
    found = tuple(EvidenceRow(*(one.get(name) for name in EvidenceRow._fields)) for one in json.loads(evidence))
    row = EntryRow._make((*plain, json.loads(content), found, tuple(json.loads(anchors))))
    return row._replace(aligned=bool(row.aligned))


def get_entry(db: sqlite3.Connection, entry_id: str) -> EntryRow | None:
    row = db.execute(f"select {_COLUMNS} from entries e where e.entry_id = ?", (entry_id,)).fetchone()
    return None if row is None else _row(row)


def find_entry(db: sqlite3.Connection, name: str) -> EntryRow:
    """The entry with this id, or whose id begins so; also by the id that a search gave its passage."""
    wanted = name.strip()
    if (number := number_of(wanted.lower())) is not None and number & (1 << KIND_BITS) - 1 == KINDS["insight"]:
        row = db.execute(f"select {_COLUMNS} from entries e where e.id = ?", (number >> KIND_BITS,)).fetchone()
        if row is not None:
            return _row(row)
    start = wanted if wanted.startswith("ent_") else f"ent_{wanted}"
    rows = db.execute(
        f"select {_COLUMNS} from entries e where substr(e.entry_id, 1, length(:start)) = :start limit 2",
        {"start": start},
    ).fetchall()
    if len(start) < 5:
        raise BadQuery(f"{name!r} matches every entry", hint="give more characters of the id")
    if not rows:
        raise NotFound(f"there is no entry {name!r}", hint="axm entry list shows them")
    if len(rows) > 1:
        raise BadQuery(f"{name!r} matches several entries", hint="give more characters of the id")
    return _row(rows[0])


def list_entries(
    db: sqlite3.Connection,
    *,
    types: Sequence[str] = (),
    stages: Sequence[str] = (),
    statuses: Sequence[str] = (),
    kinds: Sequence[str] = (),
    provenances: Sequence[str] = (),
    project: str | None = None,
    session: str | None = None,
    every: bool = False,
    limit: int = 50,
) -> list[ListedEntry]:
    """Entries, highest stage and newest first; those that say the same count as one, unless `every` is asked for."""
    wanted = ["true"]
    values: dict[str, Any] = {"limit": limit}
    by_column = {"entry_type": types, "stage": stages, "status": statuses, "kind": kinds, "provenance": provenances}
    for column, names in by_column.items():
        if names:
            places = ", ".join(f":{column}{n}" for n in range(len(names)))
            wanted.append(f"e.{column} in ({places})")
            values |= {f"{column}{n}": name for n, name in enumerate(names)}
    if project is not None:
        wanted.append("e.project = :project")
        values["project"] = project
    if session is not None:
        wanted.append("e.session_id = :session")
        values["session"] = session
    first = "true" if every else "nth = 1"
    stages_in_order = " ".join(f"when '{stage}' then {n}" for n, stage in enumerate(STAGES))
    rows = db.execute(
        f"""
        select * from (
            select {_COLUMNS},
                   (select count(distinct o.session_id)
                    from entries o
                    where o.value_key = e.value_key
                      and (o.status <> 'withdrawn' or o.entry_id = e.entry_id)) as sessions,
                   row_number() over (
                       partition by e.value_key, e.status
                       order by case e.stage {stages_in_order} end desc, e.happened_at desc, e.entry_id) as nth
            from entries e
            where {" and ".join(wanted)})
        where {first}
        order by case stage {stages_in_order} end desc, happened_at desc, entry_id
        limit :limit
        """,
        values,
    ).fetchall()
    return [ListedEntry(_row(row[:-2]), row[-2]) for row in rows]
