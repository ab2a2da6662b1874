"""Withdrawn claims: what was superseded, deprecated or contested is served neither as an entry nor in the words that it
was learned from. Where another claim superseded it, that one is served instead.

A few statements, whatever the number of passages: every answer to an agent goes through here.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from axiommind.ids import number_of, short_id
from axiommind.model import Citation
from axiommind.projections.passages import KIND_BITS, KINDS
from axiommind.recall.disclosure import IndexItem
from axiommind.recall.packets.notes import claim as claim_of
from axiommind.search.citations import locate
from axiommind.search.hits import Learned
from axiommind.text.query_terms import clauses
from axiommind.text.summary import SUMMARY_CHARS, preview
from axiommind.text.tokens import terms

__all__ = [
    "PassageClaim",
    "already_told",
    "claims",
    "copied",
    "repeating",
    "withdrawn_among",
    "without_withdrawn",
]

_INSIGHT = KINDS["insight"]
_KIND_OF = {number: kind for kind, number in KINDS.items()}
_TABLES = {
    "prompt": "select {kind}, id, session_id, line, line, uuid from prompts",
    "response": "select {kind}, id, session_id, line_start, line_end, uuid from responses",
    "tool": "select {kind}, id, session_id, line, coalesce(result_line, line), uuid from tool_uses",
}
# A fork or a resumed session repeats a message under its uuid, and nothing is learned from the copy.
_PLACES = """
    with m(kind, id, session_id, first, last, uuid) as ({messages})
    select m.kind, m.id, m.session_id, m.first, m.last, r.session_id, r.line
    from m
    left join records r on r.uuid = m.uuid and r.session_id <> m.session_id
"""
_EVIDENCE = """
    select e.entry_id, e.id, e.status, e.superseded_by, e.session_id, json_extract(q.value, '$.line')
    from entries e
    join json_each(e.evidence_json) q
    join segments g on g.position = json_extract(q.value, '$.position') and g.live
    where e.session_id in ({sessions})
    order by e.id
"""
# Withdrawn claims of a passage's project: of its own session, and of others if the passage is older than the ruling.
# Only the newest, because each costs a comparison.
_WITHDRAWN = """
    with withdrawn as materialized (
        select e.entry_id, e.session_id, e.project, e.rule, e.title, e.text,
               coalesce(n.title || ' ' || n.text, '') as instead,
               (select max(strftime('%s', r.at)) * 1000 from rulings r where r.entry_id = e.entry_id) as withdrawn_at
        from entries e
        left join entries n on n.entry_id = e.superseded_by
        where e.status <> 'active'
          and e.project in (
              select s.project from passages p join sessions s on s.id = p.session_id where p.id in ({wanted})
          )
        order by e.id desc
        limit 200
    )
    select p.id, f.entry_id, f.rule, f.title, f.text, f.instead
    from passages p
    join sessions s on s.id = p.session_id
    join withdrawn f on f.project = s.project and (f.session_id = p.session_id or p.timestamp < f.withdrawn_at)
    where p.id in ({wanted})
"""
# Passages whose messages are also in another session: a fork holds what it was forked from.
_COPIED = """
    with m(kind, id, session_id, first, last, uuid) as ({messages})
    select m.kind, m.id
    from m
    join records r on r.uuid = m.uuid and r.session_id = ?
"""
_ANSWER_CHARS = 50
_READ_CHARS = 4_000  # of a text, that are searched for the words of a claim
# A passage with so much of what a claim says repeats it, provided that it has everything that the superseding claim
# changed: a question about the same subject has all but that.
ECHO = 0.8
_ENTRIES = """
    select id, entry_id, entry_type, stage, status, superseded_by, session_id, project, happened_at, rule, title, text,
           content_json, provenance
    from entries
    where entry_id in ({entries})
"""


class PassageClaim(NamedTuple):
    """An entry that rests on a passage."""

    entry_id: str
    row: int
    status: str
    superseded_by: str | None


class _Row(NamedTuple):
    id: int
    entry_id: str
    type: str
    stage: str
    status: str
    superseded_by: str | None
    session_id: str
    project: str
    happened_at: int | None
    rule: str
    title: str
    text: str
    content: str
    provenance: str

    @property
    def passage(self) -> int:
        return self.id << KIND_BITS | _INSIGHT


def claims(db: sqlite3.Connection, passages: Iterable[int]) -> dict[int, list[PassageClaim]]:
    """The claims that were learned from the words of passages, by passage."""
    messages = _messages(passages)
    if not messages:
        return {}
    places: dict[str, list[tuple[int, int, int]]] = {}
    for kind, ref, session, first, last, other, line in db.execute(_PLACES.format(messages=messages)):
        passage = ref << KIND_BITS | kind
        places.setdefault(session, []).append((passage, first, last))
        if other is not None:  # a copy keeps its messages' order, so that it is as long
            places.setdefault(other, []).append((passage, line, line + last - first))
    marks = ", ".join("?" * len(places))
    found: dict[int, list[PassageClaim]] = {}
    for *claim, session, line in db.execute(_EVIDENCE.format(sessions=marks), tuple(places)):
        one = PassageClaim(claim[0], claim[1], claim[2], claim[3])
        for passage, first, last in places[session]:
            # Between a call and what came back are lines of others.
            is_in = line in (first, last) if passage & (1 << KIND_BITS) - 1 == KINDS["tool"] else first <= line <= last
            if is_in and one not in found.setdefault(passage, []):
                found[passage].append(one)
    return {passage: those for passage, those in found.items() if those}


def _messages(passages: Iterable[int]) -> str:
    """The select of the messages behind passages; empty where there are none."""
    wanted: dict[str, list[int]] = {kind: [] for kind in _TABLES}
    for passage in passages:
        kind = _KIND_OF.get(passage & (1 << KIND_BITS) - 1)
        if kind in wanted:
            wanted[kind].append(passage >> KIND_BITS)
    return " union all ".join(  # numbers of ours, not words of a user
        f"{_TABLES[kind].format(kind=KINDS[kind])} where id in ({', '.join(map(str, refs))})"
        for kind, refs in wanted.items()
        if refs
    )


def copied(db: sqlite3.Connection, passages: Iterable[int], session: str) -> set[int]:
    """The passages whose words are in a session too, because one of the two was forked from the other."""
    messages = _messages(passages)
    if not messages:
        return set()
    return {ref << KIND_BITS | kind for kind, ref in db.execute(_COPIED.format(messages=messages), (session,))}


def already_told(db: sqlite3.Connection, names: Iterable[str], items: Sequence[IndexItem]) -> frozenset[str]:
    """Names of what was told, and of what says the same: the entries that were learned from a passage that was told,
    and, of the items, passages from which only entries were learned that were told."""
    names = set(names)
    numbers = {item.id: number for item in items if item.entry is None and (number := number_of(item.id)) is not None}
    given = {number for name in names if not name.startswith("ent_") and (number := number_of(name)) is not None}
    learned = claims(db, given.union(numbers.values()))
    entries = {name for name in names if name.startswith("ent_")}
    entries |= {claim.entry_id for passage in given for claim in learned.get(passage, ())}
    rows = {claim.row for passage in given for claim in learned.get(passage, ())}
    names |= entries | {short_id(row << KIND_BITS | _INSIGHT) for row in rows}
    for name, number in numbers.items():
        of = learned.get(number, ())
        if of and all(claim.entry_id in entries for claim in of):
            names.add(name)
    return frozenset(names)


def repeating(db: sqlite3.Connection, passages: Iterable[int], targets: Collection[int]) -> set[int]:
    """The passages that entries among the targets were learned from: they say the same."""
    learned = claims(db, passages)
    return {p for p, those in learned.items() if any(c.row << KIND_BITS | _INSIGHT in targets for c in those)}


def withdrawn_among(db: sqlite3.Connection, passages: Iterable[int]) -> set[int]:
    """The passages in whose words a withdrawn claim was made, those that repeat such a claim, and withdrawn entries."""
    passages = list(passages)
    found = {passage for passage, those in claims(db, passages).items() if any(c.status != "active" for c in those)}
    found |= _echoes(db, passages).keys()
    entries = [passage >> KIND_BITS for passage in passages if passage & (1 << KIND_BITS) - 1 == _INSIGHT]
    if entries:
        rows = db.execute(f"select id from entries where status <> 'active' and id in ({', '.join(map(str, entries))})")
        found |= {row << KIND_BITS | _INSIGHT for (row,) in rows}
    return found


def _echoes(db: sqlite3.Connection, passages: Iterable[int]) -> dict[int, list[str]]:
    """The passages that repeat a withdrawn claim, each with the claims: an agent that noted what was decided, or
    another session that relied on it before it was withdrawn."""
    wanted = ", ".join(str(p) for p in passages if _KIND_OF.get(p & (1 << KIND_BITS) - 1) in _TABLES)
    rows = db.execute(_WITHDRAWN.format(wanted=wanted)).fetchall()
    if not rows:
        return {}
    ids = ", ".join(str(passage) for passage in {row[0] for row in rows})
    texts = db.execute(f"select id, text from passage_texts where id in ({ids})")
    said = {passage: set(terms((text or "")[:_READ_CHARS])) for passage, text in texts}
    claims: dict[str, tuple[set[str], set[str]]] = {}
    found: dict[int, list[str]] = {}
    for passage, entry, rule, title, text, instead in rows:
        if entry not in claims:  # of a question that was answered, both are the claim
            claim = _content(f"{title} {text}" if _is_question(rule) else title) or _content(text)
            claims[entry] = claim, claim - _content(instead) if instead else set()
        claim, changed = claims[entry]
        heard = said.get(passage, set())
        if claim and changed <= heard and len(claim & heard) >= ECHO * len(claim):
            found.setdefault(passage, []).append(entry)
    return found


def _is_question(rule: str) -> bool:
    from axiommind.extraction.rules import QUESTION, form_of  # most prompts meet no entry

    return form_of(rule) == QUESTION


def _content(text: str) -> set[str]:
    """The terms of a claim that say something."""
    return {term for clause in clauses(text) for term in clause.terms}


def without_withdrawn(db: sqlite3.Connection, items: Sequence[IndexItem]) -> list[IndexItem]:
    """An index without withdrawn claims: what superseded them in their place, and nothing said twice; best first."""
    numbers = {item.id: number_of(item.id) or 0 for item in items}
    learned = claims(db, (numbers[item.id] for item in items if item.entry is None and item.session_id is not None))
    # By item, the withdrawn entries because of which it must not be served.
    echoes = _echoes(db, numbers.values())
    withdrawn = {
        item.id: [*_withdrawn_for(item, learned.get(numbers[item.id], ())), *echoes.get(numbers[item.id], ())]
        for item in items
    }
    rows = _chains(db, {item.entry.entry_id for item in items if item.entry is not None}.union(*withdrawn.values()))
    where = locate(db, [(row.passage, "insight", row.id) for row in rows.values() if row.status == "active"])
    best: dict[str, IndexItem] = {}

    def take(item: IndexItem) -> None:
        known = best.get(item.id)
        if known is None or known.score < item.score:
            best[item.id] = item

    for item in items:
        for entry in withdrawn[item.id]:
            if (successor := _end(rows, entry)) is not None:
                take(_item(successor, item.score, where))
        if not withdrawn[item.id]:
            row = rows.get(item.entry.entry_id) if item.entry is not None else None
            take(item if row is None else item._replace(summary=_in_a_line(row)))
    for item in items:  # the words of an entry that is in the index itself
        for claim in learned.get(numbers[item.id], ()):
            entry_item = best.get(short_id(claim.row << KIND_BITS | _INSIGHT))
            if entry_item is not None and best.pop(item.id, None) is not None:
                take(entry_item._replace(score=item.score))
    return sorted(best.values(), key=lambda item: -item.score)


def _withdrawn_for(item: IndexItem, learned: Iterable[PassageClaim]) -> list[str]:
    if item.entry is not None:
        return [item.entry.entry_id] if item.entry.status != "active" else []
    return [claim.entry_id for claim in learned if claim.status != "active"]


def _chains(db: sqlite3.Connection, entries: set[str]) -> dict[str, _Row]:
    """Entries, and what superseded each of them, and so on."""
    rows: dict[str, _Row] = {}
    wanted = entries
    while wanted:
        marks = ", ".join("?" * len(wanted))
        read = [_Row(*row) for row in db.execute(_ENTRIES.format(entries=marks), tuple(wanted))]
        rows |= {row.entry_id: row for row in read}
        wanted = {row.superseded_by for row in read if row.superseded_by} - rows.keys()
    return rows


def _end(rows: dict[str, _Row], entry: str) -> _Row | None:
    """The active claim at the end of what superseded an entry; None where there is none."""
    at = rows.get(entry)
    seen: set[str] = set()
    while at is not None and at.status == "superseded" and at.entry_id not in seen:
        seen.add(at.entry_id)
        at = rows.get(at.superseded_by or "")
    return at if at is not None and at.status == "active" else None


def _in_a_line(row: _Row) -> str:
    """What an entry says in a line; of a question also its answer, whatever their length."""
    if _is_question(row.rule):
        answer = preview(row.text, _ANSWER_CHARS)
        return f"{preview(row.title, SUMMARY_CHARS - 3 - len(answer))} → {answer}"
    return preview(claim_of(row.rule, row.title, row.text, row.content), SUMMARY_CHARS)


def _item(row: _Row, score: float, where: dict[int, Citation]) -> IndexItem:
    return IndexItem(
        id=short_id(row.passage),
        summary=_in_a_line(row),
        score=score,
        type="insight",
        timestamp=row.happened_at,
        session_id=row.session_id,
        citation=where.get(row.passage),
        project=row.project,
        entry=Learned(row.entry_id, row.type, row.stage, row.status),
        provenance=row.provenance,
    )
