"""Notes: a row of the index as one line of a packet, with the id that opens it and its citation.

Whatever context is injected unasked is made of these; which rows are worth it is decided elsewhere.
"""

from __future__ import annotations

import json
import re
import sqlite3
import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from axiommind.ids import short_id
from axiommind.projections.passages import KIND_BITS, KINDS
from axiommind.recall.packet import Note, Packet, Section
from axiommind.search.citations import locate
from axiommind.text.patterns import lazy
from axiommind.text.summary import PREVIEW_CHARS, preview

if TYPE_CHECKING:
    from axiommind.freshness.state import Freshness
    from axiommind.model import Citation

__all__ = [
    "STAGE_RANK",
    "EntryWords",
    "claim",
    "day",
    "entry_note",
    "entry_notes",
    "gist",
    "has_words",
    "packet",
    "passage_note",
]

# How much a stage says. A raw entry is no claim yet; one that is contested, superseded or deprecated is none any more.
STAGE_RANK = {"certified": 4, "verified": 3, "candidate": 2, "working": 1}
_SURE = ("verified", "certified")  # what is told without its stage
# How clients begin the first prompt of a plan that was agreed on: the plan's own title says what it is about.
_PLAN = lazy(r"\s*(?:Implement the following plan:?|Please implement this plan:?)\s*", re.IGNORECASE)
_HEADING = lazy(r"#{1,6}\s*(?:Plan:\s*)?")
_URL = lazy(r"\w+://\S+")
_WORD = lazy(r"\w{2,}")
_ANSWER_CHARS = 80


def passage_note(
    db: sqlite3.Connection,
    kind: str,
    ref: int,
    text: str,
    timestamp: int | None,
    shown_as: str | None = None,
    limit: int = PREVIEW_CHARS,
) -> Note:
    """A note that `axm show` opens."""
    number = ref << KIND_BITS | KINDS[kind]
    citation = locate(db, [(number, kind, ref)]).get(number)
    (session,) = db.execute("select session_id from passages where id = ?", (number,)).fetchone() or (None,)
    return Note(
        short_id(number), shown_as or kind, preview(text, limit), citation, timestamp or None, session_id=session
    )


class EntryWords(NamedTuple):
    """An entry, and what of it is to be said."""

    ref: int
    entry_id: str
    kind: str
    text: str
    timestamp: int | None


def entry_note(db: sqlite3.Connection, ref: int, entry_id: str, kind: str, text: str, timestamp: int | None) -> Note:
    """A note that `axm entry show` opens. It says so when it is less than verified or what it speaks of changed since,
    and `packet` leaves it out when that is gone."""
    return entry_notes(db, [EntryWords(ref, entry_id, kind, text, timestamp)])[0]


def entry_notes(db: sqlite3.Connection, said: Sequence[EntryWords]) -> list[Note]:
    """The same of several entries: the index is asked once for all, and each file that they speak of is read once."""
    from axiommind.freshness.state import freshness_of

    if not said:
        return []
    states = freshness_of(db, [one.entry_id for one in said])
    places = ", ".join("?" * len(said))
    sql = f"select id, stage, session_id, provenance from entries where id in ({places})"
    known = {ref: tuple(about) for ref, *about in db.execute(sql, [one.ref for one in said])}
    cited = locate(db, [(one.ref, "insight", one.ref) for one in said])
    return [
        _noted(one, states.get(one.entry_id), cited.get(one.ref), *known.get(one.ref, ("", None, ""))) for one in said
    ]


def _noted(
    one: EntryWords,
    found: Freshness | None,
    citation: Citation | None,
    stage: str,
    session: str | None,
    provenance: str,
) -> Note:
    from axiommind.freshness.state import GONE

    label = found.label if found is not None else ""
    text = preview(one.text)
    if label:
        room = PREVIEW_CHARS - len(label) - 3
        text = f"{preview(one.text, max(room, PREVIEW_CHARS // 2))} ({label})"
    return Note(
        one.entry_id,
        one.kind,
        text,
        citation,
        one.timestamp,
        is_gone=found is not None and found.state == GONE,
        stage="" if stage in _SURE else stage,
        session_id=session,
        passage_id=short_id(one.ref << KIND_BITS | KINDS["insight"]),
        provenance=provenance,
    )


def claim(rule: str, title: str, text: str, content: str) -> str:
    """What an entry says, in a line: a question with its answer, a plan with its reason, anything else as it is."""
    from axiommind.extraction.rules import PLAN, QUESTION, form_of  # most prompts meet no entry

    form = form_of(rule)
    if form == QUESTION:
        answer = preview(text, _ANSWER_CHARS)
        return f"{preview(title, PREVIEW_CHARS - 3 - len(answer))} → {answer}"
    if form == PLAN:
        why = json.loads(content).get("rationale")
        return f"{title}: {why}" if isinstance(why, str) and why else title
    return title if len(title) > len(text) else text


def gist(text: str, limit: int = PREVIEW_CHARS) -> str:
    """What a prompt is about, on one line."""
    begun = _PLAN.match(text)
    if begun is not None:
        text = text[begun.end() :].partition("\n")[0] or text
    return preview(_HEADING.sub("", text, count=1) if text.startswith("#") else text, limit)


def has_words(text: str) -> bool:
    """Whether a prompt means something on its own, unlike "yes", "8" or "commit"."""
    text = _URL.sub(" ", text[:400])
    return len(_WORD.findall(text)) > 2 or (not text.isascii() and len(text.strip()) > 5)


def day(timestamp: int | None) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(timestamp / 1000)) if timestamp else "an unknown day"


def packet(sections: Iterable[tuple[str, Iterable[Note]]], skip: frozenset[str]) -> Packet | None:
    """The sections that still have notes without those in `skip` and those that are gone; None when none has."""
    kept = []
    for title, notes in sections:
        new = tuple(note for note in notes if note.id not in skip and not note.is_gone)
        if new:
            kept.append(Section(title, new))
    return Packet(tuple(kept)) if kept else None
