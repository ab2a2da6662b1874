"""Remembered: a claim that an agent or a person makes, held to the words of a session like any other.

What the caller says about evidence is not believed: words are looked up in what was recorded, in the passages that
were named first and then in the rest of that session. Words that only stand in a call of our own memory were put there
by whoever asks, and are none. An agent's claim starts at `working`, whatever it could show; a person's rises as far as
its evidence and the checkers let it.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Sequence
from typing import NamedTuple

from axiommind.errors import BadQuery, NotFound
from axiommind.extraction.drafts import Draft, Quote
from axiommind.learning.alignment import Aligner, Match
from axiommind.learning.audit import measured
from axiommind.learning.candidates import Noticed, notice
from axiommind.learning.keys import entry_id
from axiommind.learning.policies import Change, Facts, promotions
from axiommind.projections import PLACE_BITS
from axiommind.projections.entry_rows import EntryRow
from axiommind.projections.passages import KIND_BITS, KINDS
from axiommind.projections.transcript import Transcript
from axiommind.text.summary import sentences, summary
from axiommind.tools.results import is_ours

__all__ = ["MOST_QUOTES", "TYPES", "Remembered", "Said", "check_said", "noticed_in", "passages_named", "rises_of"]

TYPES = ("fact", "decision", "insight", "reference")
MOST_QUOTES = 8
MOST_TEXT = 4_000
_MOST_TITLE = 200
_LEAST_QUOTE = 3  # characters: a shorter one stands everywhere
_MOST_PASSAGE = 300  # characters of a passage that is evidence itself
# Of an agent that nobody has judged one half is believed, and never more than this.
_MOST_CONFIDENCE = 0.8
_TARGET = re.compile(r"https?://[^\s<>\"')\]]+|(?<!\w)#\d+\b|\b[0-9a-f]{7,40}\b|(?:[\w.@~-]+/)+[\w.@-]+")
_LINES = {
    "prompt": "select session_id, line, line from prompts where id = ?",
    "response": "select session_id, line_start, line_end from responses where id = ?",
    "tool": "select session_id, line, line from tool_uses where id = ?",
}
_NAMES = {number: kind for kind, number in KINDS.items()}


class Said(NamedTuple):
    """A claim as its caller makes it, its words redacted already."""

    text: str
    title: str | None = None
    type: str = "fact"
    quotes: tuple[str, ...] = ()
    reason: str = ""  # of a decision: why
    by_person: bool = False
    at: int | None = None  # when it was claimed; what it rests on may be older

    @property
    def rule(self) -> str:
        return "person" if self.by_person else "agent"


class Remembered(NamedTuple):
    """The entry as it stands; `is_new` is False when it was known already. `conflicts` are those that it brought."""

    entry: EntryRow
    is_new: bool
    conflicts: tuple[str, ...] = ()


class Named(NamedTuple):
    """A passage that was named as evidence: the event that brought it, and its lines."""

    name: str
    session: str
    position: int
    first: int
    last: int


def check_said(said: Said) -> None:
    """What no session is needed for to see that it is wrong."""
    if said.type not in TYPES:
        raise BadQuery(f"there is no type {said.type[:40]!r} to remember", hint=f"one of: {', '.join(TYPES)}")
    if not said.text:
        raise BadQuery("there is nothing to remember in this", hint="a sentence that says it all will do")
    if len(said.text) > MOST_TEXT:
        raise BadQuery(
            f"an entry has at most {MOST_TEXT:,} characters, and this has {len(said.text):,}",
            hint="one claim an entry; longer texts belong into a scratchpad",
        )
    if len(said.quotes) > MOST_QUOTES:
        raise BadQuery(
            f"at most {MOST_QUOTES} quotes, and these are {len(said.quotes)}", hint="the telling ones will do"
        )
    for quote in said.quotes:
        if len(quote.strip()) < _LEAST_QUOTE:
            raise BadQuery(f"the quote {quote!r} is too short to be evidence", hint="quote the whole sentence")


def passages_named(db: sqlite3.Connection, ids: Sequence[str]) -> list[Named]:
    """The passages of one session that ids mean, as `search` gives them; of an entry those that it rests on."""
    from axiommind.ids import short_id
    from axiommind.search.passage_ids import numbers, words_of

    found: list[Named] = []
    for name in ids:
        known = numbers(db, [name])
        passages = words_of(db, short_id(known[0])) if known else []
        rows = [(number, row) for number in passages if (row := _lines_of(db, number)) is not None]
        if not rows:
            kind = _NAMES.get(known[0] & (1 << KIND_BITS) - 1) if known else None
            if kind in ("doc", "pad"):
                raise BadQuery(
                    f"{name!r} is part of a {'document' if kind == 'doc' else 'scratchpad'}, and no evidence",
                    hint="evidence is what was said in a session",
                )
            raise NotFound(f"there is no passage {name!r}", hint="search gives the ids of what was said")
        found += [Named(name, row[0], number >> KIND_BITS >> PLACE_BITS, row[1], row[2]) for number, row in rows]
    if len({one.session for one in found}) > 1:
        raise BadQuery(
            "the evidence is of several sessions, and an entry belongs to one",
            hint="name passages of one session; the same can be remembered for each",
        )
    return found


def _lines_of(db: sqlite3.Connection, number: int) -> tuple[str, int, int] | None:
    sql = _LINES.get(_NAMES.get(number & (1 << KIND_BITS) - 1, ""))
    row = None if sql is None else db.execute(sql, (number >> KIND_BITS,)).fetchone()
    return None if row is None else (row[0], row[1], row[2])


def noticed_in(
    db: sqlite3.Connection,
    transcript: Transcript,
    said: Said,
    named: Sequence[Named],
    event_id: Callable[[int], str],
) -> Noticed:
    """The claim with its id and the places of its words. Words that stand nowhere are an error that names them."""
    session = _without_ours(transcript)
    places = {one: _messages_of(session, one) for one in named}
    quotes = _quotes(session, said.quotes, [i for found in places.values() for i in found])
    if not quotes:
        quotes = tuple(quote for one, found in places.items() if (quote := _beginning(session, one, found)))
    precision = None if said.by_person else (lambda rule: measured(db, rule))
    (noticed,) = notice(session, [_draft(said, quotes)], event_id, precision)
    missing = [quote.text for quote, place in zip(quotes, noticed.evidence, strict=True) if "reason" in place]
    if missing:
        raise NotFound(
            f"these words were not said in session {transcript.session_id}: {_shown(missing[0])}",
            hint="quote word for word what was said; what was said a moment ago may not be recorded yet",
        )
    known = db.execute("select value_key from entries where entry_id = ?", (noticed.entry_id,)).fetchone()
    if known is not None and known[0] != noticed.value_key:  # of the same title, another claim
        title = f"{noticed.draft.title} = {noticed.draft.text}"
        noticed = noticed._replace(entry_id=entry_id(transcript.session_id, said.type, title))
    return noticed


def _without_ours(transcript: Transcript) -> Transcript:
    """The session without what was said to our own memory, and what that answered. Places stay what they are."""
    ours = {n for n, use in enumerate(transcript.uses) if is_ours(use.name, use.given)}
    messages = tuple(m._replace(text="") if m.use in ours else m for m in transcript.messages)
    return transcript._replace(messages=messages)


def _messages_of(session: Transcript, named: Named) -> list[int]:
    """The messages of a passage; of a call also what came back."""
    on_lines = [i for i, m in enumerate(session.messages) if named.first <= m.line <= named.last]
    # Lines of the same number are in several files where a session was moved; a long answer is of several events.
    found = [i for i in on_lines if session.messages[i].position == named.position] or on_lines
    uses = {session.messages[i].use for i in found} - {None}
    return [i for i, m in enumerate(session.messages) if i in found or m.use in uses]


def _quotes(session: Transcript, quotes: Sequence[str], named: Sequence[int]) -> tuple[Quote, ...]:
    aligner = Aligner([session.messages[i].text for i in named])
    found = []
    for text in dict.fromkeys(quotes):
        match = aligner.find(Quote(0, text)) if named else None
        found.append(Quote(named[match.message] if isinstance(match, Match) else -1, text))
    return tuple(found)


def _beginning(session: Transcript, named: Named, messages: Sequence[int]) -> Quote:
    """The first sentences of a passage."""
    for i in messages:
        text = session.messages[i].text
        start = len(text) - len(text.lstrip())
        line = text[start : start + _MOST_PASSAGE].rstrip()
        if line:
            ends = [end for _start, end in sentences(line) if end < len(line)]
            return Quote(i, line[: ends[-1]].rstrip() if ends and len(line) == _MOST_PASSAGE else line)
    raise NotFound(f"{named.name!r} holds no words that can be evidence", hint="name what was said, or quote it")


def _draft(said: Said, quotes: tuple[Quote, ...]) -> Draft:
    title = " ".join((said.title or "").split())[:_MOST_TITLE]
    target = _TARGET.search(said.text) if said.type == "reference" else None
    return Draft(
        type=said.type,
        title=title or summary(said.text) or said.text,
        text=said.text,
        quotes=quotes,
        rule=said.rule,
        confidence=1.0 if said.by_person else _MOST_CONFIDENCE,
        rationale=said.reason if said.type == "decision" else "",
        timestamp=said.at,
        target=target.group().rstrip(".,;:") if target else "",
        # With a title that somebody gave, another text is another claim about the same; one of ours says nothing.
        value=said.text if title and said.type in ("fact", "decision") else "",
    )


def rises_of(by_person: bool) -> Callable[[Facts], list[Change]]:
    """How far a claim rises at once: an agent's own word has the form of an entry, and no more."""
    return promotions if by_person else (lambda facts: promotions(facts)[:1])


def _shown(quote: str) -> str:
    line = " ".join(quote.split())
    return f"«{line if len(line) <= _MOST_TITLE else line[: _MOST_TITLE - 1] + '…'}»"
