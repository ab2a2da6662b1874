"""Notes: a row of the index as one line of a packet, with the id that opens it and its citation.

Whatever context is injected unasked is made of these; which rows are worth it is decided elsewhere.
"""

from __future__ import annotations

import json
import re
import sqlite3
import time
from collections.abc import Iterable

from axiommind.ids import short_id
from axiommind.projections.passages import KIND_BITS, KINDS
from axiommind.recall.disclosure import Note, Packet, Section
from axiommind.search.citations import locate
from axiommind.text.patterns import lazy
from axiommind.text.summary import PREVIEW_CHARS, preview

__all__ = ["STAGE_RANK", "claim", "day", "entry_note", "gist", "has_words", "packet", "passage_note"]

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
    db: sqlite3.Connection, kind: str, ref: int, text: str, timestamp: int | None, shown_as: str | None = None
) -> Note:
    """A note that `axm show` opens."""
    number = ref << KIND_BITS | KINDS[kind]
    citation = locate(db, [(number, kind, ref)]).get(number)
    return Note(short_id(number), shown_as or kind, preview(text), citation, timestamp or None)


def entry_note(db: sqlite3.Connection, ref: int, entry_id: str, kind: str, text: str, timestamp: int | None) -> Note:
    """A note that `axm entry show` opens. It says so when it is less than verified or what it speaks of changed since,
    and `packet` leaves it out when that is gone."""
    from axiommind.freshness.state import GONE, Freshness, freshness_of

    state = freshness_of(db, [entry_id]).get(entry_id, Freshness())
    said = preview(text)
    if state.label:
        room = PREVIEW_CHARS - len(state.label) - 3
        said = f"{preview(text, max(room, PREVIEW_CHARS // 2))} ({state.label})"
    citation = locate(db, [(ref, "insight", ref)]).get(ref)
    (stage,) = db.execute("select stage from entries where id = ?", (ref,)).fetchone() or ("",)
    return Note(
        entry_id, kind, said, citation, timestamp, is_gone=state.state == GONE, stage="" if stage in _SURE else stage
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
