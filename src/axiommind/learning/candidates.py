"""Candidates: the drafts of a session with their ids, and where each quote was found or why it was not.

From here on a draft is only bounded and described; nothing is added to what the extractor said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from axiommind.extraction.contract import ExtractionFailed
from axiommind.extraction.drafts import Draft, Quote
from axiommind.ids import dedupe_key
from axiommind.learning.alignment import Aligner, QuoteMatch, quote_hash
from axiommind.learning.checks.candidate import Candidate
from axiommind.learning.claim_provenance import QuotedWords, claim_provenance
from axiommind.learning.keys import canonical_key, entry_id, value_key
from axiommind.model import Span
from axiommind.projections.entry_rows import ENTRY_TYPES, ONLY_KIND
from axiommind.projections.transcript import Transcript

__all__ = ["AlignedDraft", "align_drafts", "stored", "to_check"]

# An extractor that finds more than this in a session has gone wrong.
MOST_ENTRIES = 2_000
_QUOTES_KEPT = 8
_ANCHORS_KEPT = 20
_REPLACED_KEPT = 8
_TITLE_CHARS = 200
_TEXT_CHARS = 4_000


class AlignedDraft(NamedTuple):
    """A draft with its id, and where each of its quotes was found or why not."""

    entry_id: str
    draft: Draft
    evidence: tuple[dict[str, Any], ...]
    spans: tuple[Span, ...]
    steps: tuple[tuple[dict[str, Any], ...], ...]
    aligned: bool
    confidence: float
    value_key: str
    provenance: str = "elsewhere"  # of PROVENANCES


def align_drafts(
    transcript: Transcript,
    drafts: Sequence[Draft],
    event_id: Callable[[int], str],
    precision: Callable[[str], float] | None = None,
) -> Iterator[AlignedDraft]:
    """The drafts of a session, each quote located. `precision` says how far unmeasured claims are believed."""
    aligner = Aligner([message.text for message in transcript.messages])
    events: dict[int, str] = {}
    spoken: dict[tuple[int, int, str, int], QuotedWords] = {}  # typed and pasted words stand at one place

    def quoted(one: dict[str, Any]) -> QuotedWords:
        return spoken[one["position"], one["line"], one["block"], one["start"]]

    def place(quote: Quote) -> dict[str, Any]:
        found = aligner.find(quote)
        if not isinstance(found, QuoteMatch):
            return {"reason": found.reason}
        message = transcript.messages[found.message]
        words = QuotedWords(message.provenance, message.text[found.start : found.end])
        spoken[message.position, message.line, message.block, found.start] = words
        if message.position not in events:
            events[message.position] = event_id(message.position)
        return {
            "event_id": events[message.position],
            **message.span(found.start, found.end)._asdict(),
            "quote_hash": quote_hash(message.text[found.start : found.end]),
            "confidence": found.confidence,
            "method": found.method,
        }

    known: dict[str, str] = {}
    for draft in _bounded(drafts):
        # A task keeps the title it began with: the same entry, whether it is learned before or after it was renamed.
        name = entry_id(transcript.session_id, draft.type, draft.renamed_from or draft.title)
        value = value_key(draft.type, transcript.project, draft.key or draft.title, draft.value or draft.text)
        if draft.value and known.get(name, value) != value:  # somebody changed their mind: a different claim
            name = entry_id(transcript.session_id, draft.type, f"{draft.title} = {draft.value}")
        if name in known and draft.type != "task_note":
            continue  # stated twice in one session: once is enough
        known[name] = value
        evidence = tuple(place(quote) for quote in draft.quotes[:_QUOTES_KEPT])
        found = [one for one in evidence if "reason" not in one]
        if draft.timestamp is None:  # then it dates from when its words were said
            draft = draft._replace(timestamp=_when(transcript, found))
        sure = draft.confidence if precision is None else min(draft.confidence, precision(draft.rule))
        yield AlignedDraft(
            name,
            draft,
            evidence,
            tuple(Span(*(one[part] for part in Span._fields)) for one in found),
            tuple(tuple(place(quote) for quote in step.quotes) for step in draft.steps),
            bool(evidence) and len(found) == len(evidence),
            round(sure * min((one["confidence"] for one in found), default=1.0), 4),
            value,
            claim_provenance(draft, [quoted(one) for one in found]),
        )


def _when(transcript: Transcript, found: Sequence[dict[str, Any]]) -> int | None:
    lines = {(one["position"], one["line"]) for one in found}
    times = (m.timestamp for m in transcript.messages if (m.position, m.line) in lines)
    return next((at for at in times if at is not None), transcript.ended_at)


def _bounded(drafts: Sequence[Draft]) -> Iterator[Draft]:
    """Not too many, none too long, and nothing without a title. One draft of an unknown type spoils them all: whatever
    made it cannot be trusted."""
    for draft in drafts[:MOST_ENTRIES]:
        if draft.type not in ENTRY_TYPES:
            raise ExtractionFailed(f"there is no entry type {draft.type[:40]!r}")
        title = " ".join(draft.title.split())[:_TITLE_CHARS]
        if title:
            sure = min(draft.confidence, 1.0) if draft.confidence > 0 else 0.0  # also for what is not a number
            yield draft._replace(title=title, text=draft.text.strip()[:_TEXT_CHARS] or title, confidence=sure)


def to_check(one: AlignedDraft) -> Candidate:
    """What the checkers are given of a draft."""
    draft = one.draft
    status = draft.steps[-1].status if draft.steps else "pending"
    waits = [blocker.text for blocker in draft.blocked_by] if status not in ("done", "cancelled") else []
    if status == "blocked" and not waits:
        waits = ["(unknown blocker)"]
    return Candidate(
        one.entry_id,
        draft.type,
        draft.title,
        draft.text,
        draft.rationale,
        draft.target,
        one.spans,
        status if draft.type == "task_note" else "",
        draft.priority or "",
        # Which entity each of them is is resolved later; here it only matters that there is one.
        tuple("cond_" + dedupe_key("blocker", text)[:16] for text in waits),
    )


def stored(one: AlignedDraft, project: str) -> dict[str, Any]:
    draft = one.draft
    content: dict[str, Any] = {"text": draft.text}
    if draft.rationale:
        content["rationale"] = draft.rationale
    if draft.target:
        content["target"] = draft.target
    if draft.value:
        content["value"] = draft.value
    if draft.support:
        content["support"] = draft.support
    # What it replaces, and what was not chosen: others are held against it by these.
    for name in ("retires", "supersedes", "alternatives"):
        if words := getattr(draft, name)[:_REPLACED_KEPT]:
            content[name] = list(words)
    if draft.type == "task_note":
        content |= {
            "status": draft.steps[-1].status if draft.steps else "pending",
            "priority": draft.priority,
            "blockedBy": [blocker.text for blocker in draft.blocked_by],
        }
    return {
        "entry_id": one.entry_id,
        "type": draft.type,
        "title": draft.title,
        "text": draft.text,
        "content": content,
        "canonical_key": canonical_key(draft.type, project, draft.key or draft.title),
        "value_key": one.value_key,
        "kind": draft.kind or ONLY_KIND.get(draft.type, ""),
        "provenance": one.provenance,
        "anchors": list(draft.anchors[:_ANCHORS_KEPT]),
        "rule": draft.rule,
        "confidence": one.confidence,
        "support": draft.support,
        "timestamp": draft.timestamp,
        "quotes": [quote._asdict() for quote in draft.quotes[:_QUOTES_KEPT]],
    }
