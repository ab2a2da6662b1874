"""Manual entries: a claim that an agent or a person makes, held to the words of a session like any other.

What the caller says about evidence is not believed: the words are looked up in what was recorded, first in the passages
that were named and then in the rest of that session. Words in a call of our own memory were put there by whoever asks,
and are no evidence. An agent's claim starts at `working`, whatever it could show; a person's rises as far as its
evidence and the checkers let it.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Sequence
from typing import NamedTuple

from axiommind.errors import BadQuery, NotFound
from axiommind.extraction.drafts import KINDS as ENTRY_KINDS
from axiommind.extraction.drafts import Draft, Quote
from axiommind.learning.alignment import Aligner, QuoteMatch
from axiommind.learning.candidates import AlignedDraft, align_drafts
from axiommind.learning.keys import entry_id
from axiommind.learning.policies import EntryFacts, StageChange, promotions
from axiommind.learning.trust import trust
from axiommind.projections import PLACE_BITS
from axiommind.projections.entry_rows import BY_AGENT, BY_PERSON, EntryRow
from axiommind.projections.passages import KIND_BITS, KINDS
from axiommind.projections.transcript import Transcript
from axiommind.text.summary import sentences, summary
from axiommind.tools.results import is_ours

__all__ = [
    "MOST_QUOTES",
    "TYPES",
    "TYPE_OF_KIND",
    "ManualClaim",
    "RememberResult",
    "align_claim",
    "check_claim",
    "passages_named",
    "rises_of",
]

TYPES = ("fact", "decision", "insight", "reference")
# The type that a kind has, where nobody names one; a fact otherwise.
TYPE_OF_KIND = {"decision": "decision", "gotcha": "insight", "record": "reference"}
MOST_QUOTES = 8
MOST_TEXT = 4_000
_MOST_TITLE = 200
_LEAST_QUOTE = 3  # characters: a shorter one is found everywhere
_MOST_PASSAGE = 300  # characters of a passage that is the evidence itself
# An agent is never believed more than this, whoever has judged its claims.
_MOST_CONFIDENCE = 0.8
_TARGET = re.compile(r"https?://[^\s<>\"')\]]+|(?<!\w)#\d+\b|\b[0-9a-f]{7,40}\b|(?:[\w.@~-]+/)+[\w.@-]+")
_LINES = {
    "prompt": "select session_id, line, line from prompts where id = ?",
    "response": "select session_id, line_start, line_end from responses where id = ?",
    "tool": "select session_id, line, line from tool_uses where id = ?",
}
_NAMES = {number: kind for kind, number in KINDS.items()}


class ManualClaim(NamedTuple):
    """A claim as its caller makes it, already redacted."""

    text: str
    title: str | None = None
    type: str = "fact"
    quotes: tuple[str, ...] = ()
    reason: str = ""  # of a decision: why
    by_person: bool = False
    at: int | None = None  # when it was claimed; what it rests on may be older
    kind: str = ""  # of KINDS, where the caller says

    @property
    def rule(self) -> str:
        return BY_PERSON if self.by_person else BY_AGENT


class RememberResult(NamedTuple):
    """The entry as it is now; `is_new` is False when it, or one that says the same, was known already. `conflicts` are
    those that it caused."""

    entry: EntryRow
    is_new: bool
    conflicts: tuple[str, ...] = ()


class EvidencePassage(NamedTuple):
    """A passage that was named as evidence: the event that brought it, and its lines."""

    name: str
    session: str
    position: int
    first: int
    last: int


def check_claim(said: ManualClaim) -> None:
    """Refuse what is wrong whatever the session says."""
    if said.type not in TYPES:
        raise BadQuery(f"there is no type {said.type[:40]!r} to remember", hint=f"one of: {', '.join(TYPES)}")
    if said.kind == "open":
        raise BadQuery(
            "open work is a task, and is not remembered as an entry",
            hint="say in a session what is left to do, and learning makes a task of it: axm task list",
        )
    if said.kind and said.kind not in ENTRY_KINDS:
        kinds = ", ".join(kind for kind in ENTRY_KINDS if kind != "open")
        raise BadQuery(f"there is no kind {said.kind[:40]!r} to remember", hint=f"one of: {kinds}")
    if not said.text:
        raise BadQuery("there is nothing to remember", hint="give one sentence that can be understood by itself")
    if len(said.text) > MOST_TEXT:
        raise BadQuery(
            f"an entry has at most {MOST_TEXT:,} characters, and this has {len(said.text):,}",
            hint="one claim per entry; longer texts belong in a scratchpad",
        )
    if len(said.quotes) > MOST_QUOTES:
        raise BadQuery(
            f"at most {MOST_QUOTES} quotes, and there are {len(said.quotes)}", hint="give the most telling ones"
        )
    for quote in said.quotes:
        if len(quote.strip()) < _LEAST_QUOTE:
            raise BadQuery(f"the quote {quote!r} is too short to be evidence", hint="quote the whole sentence")


def passages_named(db: sqlite3.Connection, ids: Sequence[str]) -> list[EvidencePassage]:
    """The passages of one session that ids name, as `search` gives them; for an entry, those it rests on."""
    from axiommind.ids import short_id
    from axiommind.search.reading.passage_ids import numbers, words_of

    found: list[EvidencePassage] = []
    for name in ids:
        known = numbers(db, [name])
        passages = words_of(db, short_id(known[0])) if known else []
        rows = [(number, row) for number in passages if (row := _lines_of(db, number)) is not None]
        if not rows:
            kind = _NAMES.get(known[0] & (1 << KIND_BITS) - 1) if known else None
            if kind in ("doc", "pad"):
                raise BadQuery(
                    f"{name!r} is part of a {'document' if kind == 'doc' else 'scratchpad'} and cannot be evidence",
                    hint="evidence is what was said in a session",
                )
            raise NotFound(f"there is no passage {name!r}", hint="search gives the ids of what was said")
        found += [
            EvidencePassage(name, row[0], number >> KIND_BITS >> PLACE_BITS, row[1], row[2]) for number, row in rows
        ]
    if len({one.session for one in found}) > 1:
        raise BadQuery(
            "the evidence is from several sessions, and an entry belongs to one",
            hint="name passages of one session; the same claim can be remembered for each",
        )
    return found


def _lines_of(db: sqlite3.Connection, number: int) -> tuple[str, int, int] | None:
    sql = _LINES.get(_NAMES.get(number & (1 << KIND_BITS) - 1, ""))
    row = None if sql is None else db.execute(sql, (number >> KIND_BITS,)).fetchone()
    return None if row is None else (row[0], row[1], row[2])


def align_claim(
    db: sqlite3.Connection,
    transcript: Transcript,
    said: ManualClaim,
    named: Sequence[EvidencePassage],
    event_id: Callable[[int], str],
) -> AlignedDraft:
    """The claim with its id and the places of its words. Words that were not found are an error that names them."""
    session = _without_ours(transcript)
    places = {one: _messages_of(session, one) for one in named}
    quotes = _quotes(session, said.quotes, [i for found in places.values() for i in found])
    if not quotes:
        quotes = tuple(quote for one, found in places.items() if (quote := _beginning(session, one, found)))
    precision = None if said.by_person else (lambda rule: trust(db, rule))
    (noticed,) = align_drafts(session, [_draft(said, quotes)], event_id, precision)
    missing = [quote.text for quote, place in zip(quotes, noticed.evidence, strict=True) if "reason" in place]
    if missing:
        raise NotFound(
            f"these words were not said in session {transcript.session_id}: {_shown(missing[0])}",
            hint="quote word for word what was said; what was said a moment ago may not be recorded yet",
        )
    known = db.execute("select value_key from entries where entry_id = ?", (noticed.entry_id,)).fetchone()
    if known is not None and known[0] != noticed.value_key:  # a different claim under the same title
        title = f"{noticed.draft.title} = {noticed.draft.text}"
        noticed = noticed._replace(entry_id=entry_id(transcript.session_id, said.type, title))
    return noticed


def _without_ours(transcript: Transcript) -> Transcript:
    """The session without the calls of our own memory and their results. Places stay the same."""
    ours = {n for n, use in enumerate(transcript.uses) if is_ours(use.name, use.given)}
    messages = tuple(m._replace(text="") if m.use in ours else m for m in transcript.messages)
    return transcript._replace(messages=messages)


def _messages_of(session: Transcript, named: EvidencePassage) -> list[int]:
    """The messages of a passage; for a call, its results too."""
    on_lines = [i for i, m in enumerate(session.messages) if named.first <= m.line <= named.last]
    # A moved session has the same line numbers in several files; a long answer spans several events.
    found = [i for i in on_lines if session.messages[i].position == named.position] or on_lines
    uses = {session.messages[i].use for i in found} - {None}
    return [i for i, m in enumerate(session.messages) if i in found or m.use in uses]


def _quotes(session: Transcript, quotes: Sequence[str], named: Sequence[int]) -> tuple[Quote, ...]:
    aligner = Aligner([session.messages[i].text for i in named])
    found = []
    for text in dict.fromkeys(quotes):
        match = aligner.find(Quote(0, text)) if named else None
        found.append(Quote(named[match.message] if isinstance(match, QuoteMatch) else -1, text))
    return tuple(found)


def _beginning(session: Transcript, named: EvidencePassage, messages: Sequence[int]) -> Quote:
    """The first sentences of a passage."""
    for i in messages:
        text = session.messages[i].text
        start = len(text) - len(text.lstrip())
        line = text[start : start + _MOST_PASSAGE].rstrip()
        if line:
            ends = [end for _start, end in sentences(line) if end < len(line)]
            return Quote(i, line[: ends[-1]].rstrip() if ends and len(line) == _MOST_PASSAGE else line)
    raise NotFound(f"{named.name!r} has no words that can be evidence", hint="name what was said, or quote it")


def _draft(said: ManualClaim, quotes: tuple[Quote, ...]) -> Draft:
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
        kind=said.kind,
        target=target.group().rstrip(".,;:") if target else "",
        # Under a title that somebody gave, a different text is a different claim; a title that we made up says nothing.
        value=said.text if title and said.type in ("fact", "decision") else "",
    )


def rises_of(by_person: bool) -> Callable[[EntryFacts], list[StageChange]]:
    """How far a claim rises at once: an agent's own word becomes a working entry, and no more."""
    return promotions if by_person else (lambda facts: promotions(facts)[:1])


def _shown(quote: str) -> str:
    line = " ".join(quote.split())
    return f"«{line if len(line) <= _MOST_TITLE else line[: _MOST_TITLE - 1] + '…'}»"
