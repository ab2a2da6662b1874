"""Reading a session again: what it says now beside what it said before, when it was shorter or the rules were others.

What it says no more is withdrawn, what it says again returns, and so a session learned in pieces leaves what it leaves
when it is learned at once. A claim never changes what it says: said in other words it is another entry. What a person
ruled on stays, and so does what other extractors or `remember` made.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from axiommind.ids import canonical_json
from axiommind.learning.candidates import AlignedDraft, stored
from axiommind.learning.claim_events import ClaimOrigin, is_rejected
from axiommind.learning.keys import entry_id
from axiommind.learning.new_event import NewEvent
from axiommind.projections.entry_rows import STAGES

__all__ = ["Reread", "events_of_withdrawal", "reread"]

# `ruled`: a person vouched for it (the last word raised it), judged it, or rested a decision on it.
_KNOWN = """
    select e.entry_id, e.entry_type, e.extractor, e.status, e.title, e.text, e.content_json, e.kind, e.provenance,
           e.rule, e.confidence, e.support, e.happened_at, e.canonical_key, e.value_key, e.anchors_json,
           e.evidence_json, e.aligned,
           coalesce((select instr(:stages, p.to_stage) > instr(:stages, p.from_stage)
                     from promotions p
                     where p.entry_id = e.entry_id and p.actor = 'user'
                     order by p.id desc
                     limit 1), 0)
           or coalesce((select r.act <> 'restored'
                        from rulings r
                        where r.entry_id = e.entry_id and r.actor = 'user'
                        order by r.ord desc
                        limit 1), 0)
           or exists (select 1 from decision_evidence d where d.evidence_id = e.entry_id) as ruled,
           exists (select 1 from entry_evidence v where v.entry_id = e.entry_id and not v.is_live) as is_stale,
           coalesce((select max(r.position) from rulings r where r.entry_id = e.entry_id), 0) as last_ruling
    from entries e
    where e.session_id = :session
"""
# What is known about an entry besides what it says, as `stored` names it.
_ABOUT = {
    "kind": "kind",
    "provenance": "provenance",
    "rule": "rule",
    "confidence": "confidence",
    "support": "support",
    "timestamp": "happened_at",
    "canonical_key": "canonical_key",
    "value_key": "value_key",
}


class Reread(NamedTuple):
    """A session's claims, by what has to be written about them."""

    new: tuple[AlignedDraft, ...] = ()
    changed: tuple[AlignedDraft, ...] = ()  # known, and something is known otherwise now: its evidence, its kind
    moved: tuple[AlignedDraft, ...] = ()  # known from another extractor, but quoted from lines that were rewritten
    returned: tuple[tuple[str, int], ...] = ()  # withdrawn before, and said again; with the last ruling on each
    withdrawn: tuple[tuple[str, int], ...] = ()  # said before, and no more

    @property
    def written(self) -> tuple[AlignedDraft, ...]:
        return (*self.new, *self.changed)


def reread(
    db: sqlite3.Connection,
    session: str,
    project: str,
    extractor: str,
    drafts: Iterable[AlignedDraft],
    *,
    is_whole: bool = True,
) -> Reread:
    """What a session says now against what is known of it. Unless all of it was read, nothing is withdrawn."""
    rows = db.execute(_KNOWN, {"session": session, "stages": " ".join(STAGES)})
    names = [column[0] for column in rows.description]
    known = {row[0]: dict(zip(names, row, strict=True)) for row in rows}
    new: dict[str, AlignedDraft] = {}
    changed, moved, returned, said = [], [], [], set()
    for draft in drafts:
        one = _as_known(session, project, draft, known)
        if one.entry_id in said:  # stated twice: once is enough
            continue
        said.add(one.entry_id)
        row = known.get(one.entry_id)
        if row is None:
            if not is_rejected(db, one):
                new[one.entry_id] = one
            continue
        is_back = row["status"] == "withdrawn"
        if is_back:
            returned.append((one.entry_id, int(row["last_ruling"])))
        if (row["extractor"] == extractor or is_back) and not row["ruled"]:
            if _is_known_otherwise(row, one, project, extractor):
                changed.append(one)
        elif row["is_stale"] and one.aligned:
            moved.append(one)
    gone = [
        (name, int(row["last_ruling"]))
        for name, row in known.items()
        if name not in said and row["extractor"] == extractor and row["status"] != "withdrawn" and not row["ruled"]
    ]
    return Reread(tuple(new.values()), tuple(changed), tuple(moved), tuple(returned), tuple(gone) if is_whole else ())


def _as_known(session: str, project: str, one: AlignedDraft, known: dict[str, dict[str, Any]]) -> AlignedDraft:
    """The draft under the id of what it says: its title's, unless something else is known under that."""
    row = known.get(one.entry_id)
    # The note on a task is one entry however far the task is. What a person ruled on stays as it was judged.
    if row is None or one.draft.type == "task_note" or row["ruled"]:
        return one
    given = stored(one, project)
    content = canonical_json(given["content"])
    if (row["title"], row["text"], row["content_json"]) == (given["title"], given["text"], content):
        return one
    return one._replace(entry_id=entry_id(session, one.draft.type, f"{one.draft.title} = {content}"))


def _is_known_otherwise(row: dict[str, Any], one: AlignedDraft, project: str, extractor: str) -> bool:
    if row["aligned"] and not one.aligned:  # the words that were found stay the evidence
        return False
    given = stored(one, project)
    return (
        row["extractor"] != extractor
        or (row["title"], row["text"], row["content_json"])
        != (given["title"], given["text"], canonical_json(given["content"]))
        or any(given[name] != row[column] for name, column in _ABOUT.items())
        or given["anchors"] != json.loads(row["anchors_json"])
        or list(one.evidence) != json.loads(row["evidence_json"])
        or one.aligned != bool(row["aligned"])
    )


def events_of_withdrawal(origin: ClaimOrigin, found: Reread) -> Sequence[NewEvent]:
    """What a session takes back, and what it says again."""
    about = {"extractor": origin.extractor, "prompt_hash": origin.prompt_hash, "head": origin.head}
    events = []
    for act, entries, reason in (
        ("entry_withdrawn", found.withdrawn, "its session, read again, no longer says it"),
        ("entry_returned", found.returned, "its session, read again, says it again"),
    ):
        # The ruling that it follows is part of the key: an entry may go and come back more than once.
        events += [
            NewEvent(act, {"entry_id": entry, "reason": reason, **about}, (entry, origin.epoch, last))
            for entry, last in entries
        ]
    return events
