"""Progressive disclosure: an index of matches, a timeline around them, and details, within a budget.

Owns the values that travel to the surfaces, the rules that say what is opened without being asked for (by calibrated
relevance alone), and the budget. Pure: it reads no index and writes no text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from axiommind.text.estimate import CHARS_PER_TOKEN, estimate_tokens

if TYPE_CHECKING:
    from axiommind.config import Disclosure
    from axiommind.model import Citation
    from axiommind.search.hits import Learned
    from axiommind.text.query_terms import Clause

__all__ = [
    "FENCE_CHARS",
    "MOST_CHARS",
    "Detail",
    "Disclosed",
    "Expansion",
    "IndexItem",
    "Meta",
    "Note",
    "Packet",
    "Section",
    "TimelineItem",
    "cites",
    "client_chars",
    "decide",
    "fit",
    "within",
]


class IndexItem(NamedTuple):
    """Layer 1: one match, in a line."""

    id: str
    summary: str  # at most 100 characters
    score: float  # calibrated relevance, 0 to 1
    type: str  # prompt, response, tool, insight, doc
    timestamp: int | None
    session_id: str | None
    citation: Citation | None
    project: str | None
    entry: Learned | None = None  # of an insight: the entry and its stage
    elsewhere: bool = False  # of another project than the one asked about
    changed: str = ""  # of an entry: what it speaks of has changed since, and how


class TimelineItem(NamedTuple):
    """Layer 2: what was said before and after, in the same session."""

    id: str
    timestamp: int | None
    type: str
    preview: str  # at most 200 characters
    is_target: bool
    citation: Citation | None = None


class Detail(NamedTuple):
    """Layer 3: one passage in full, or as much of it as the budget allows."""

    id: str
    content: str
    type: str
    timestamp: int | None
    session_id: str | None
    citation: Citation | None
    token_count: int  # of all of it
    has_code: bool
    files: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    parent_id: str | None = None
    child_ids: tuple[str, ...] = ()
    related_ids: tuple[str, ...] = ()


class Meta(NamedTuple):
    total_matches: int
    expanded_count: int
    estimated_tokens: int
    expansion_reason: str | None = None


class Disclosed(NamedTuple):
    matches: tuple[IndexItem, ...]  # the index; a tuple has a method of that name
    timeline: tuple[TimelineItem, ...]
    details: tuple[Detail, ...]
    meta: Meta


class Note(NamedTuple):
    """One thing that is known, for a packet: a task, a decision, a fixed error."""

    id: str
    kind: str  # task, decision, fact, insight, prompt, response, tool, file, doc …
    text: str
    citation: Citation | None = None
    timestamp: int | None = None
    is_gone: bool = False  # what it speaks of is no longer there
    stage: str = ""  # of an entry that is less than verified


class Section(NamedTuple):
    title: str
    notes: tuple[Note, ...]


class Packet(NamedTuple):
    """Context that is injected unasked, most important section first."""

    sections: tuple[Section, ...]

    @property
    def notes(self) -> tuple[Note, ...]:
        return tuple(note for section in self.sections for note in section.notes)


# --- what is opened by itself --------------------------------------------------------------------------------

# The rules' own thresholds; the others are settings.
_LIKELY_WINNER = 0.85
_LIKELY_ONE_OF_MANY = 0.8
_MANY = 3
_ROUNDING = 1e-9  # 0.95 - 0.85 is a little less than 0.1


class Expansion(NamedTuple):
    """Whose timeline and whose details follow the index, and why."""

    timeline_ids: tuple[str, ...] = ()
    detail_ids: tuple[str, ...] = ()
    reason: str | None = None


def decide(items: Sequence[IndexItem], settings: Disclosure) -> Expansion:
    """The first rule that applies to an index, best first (R3.20 to R3.26)."""
    if not (settings.enabled and settings.auto_expand):
        return Expansion()
    if not items:
        return Expansion(reason="no_results")
    most = max(settings.max_expand, 0)
    best = items[0]
    first = (best.id,)[:most]
    if len(items) == 1 and best.score >= settings.high_confidence:
        return Expansion(first, first, "high_confidence_single")
    ahead = best.score - items[1].score if len(items) > 1 else 0.0
    if len(items) > 1 and best.score >= _LIKELY_WINNER and ahead >= settings.score_gap - _ROUNDING:
        return Expansion(first, first, "clear_winner")
    likely = [item.id for item in items if item.score >= _LIKELY_ONE_OF_MANY]
    if len(likely) >= _MANY:
        return Expansion(tuple(likely[: min(_MANY, most)]), (), "ambiguous_multiple_high")
    return Expansion(reason="low_confidence")


# --- the budget ----------------------------------------------------------------------------------------------

# The most characters of one answer, whatever its budget, as the client counts: it cuts what is longer.
MOST_CHARS = 10_000
# What the fence around an answer takes of it (surfaces/render/fence.py: fenced).
FENCE_CHARS = 244
# A detail of fewer characters than this says less than its line in the index.
_LEAST_DETAIL = 160
# Characters of a text that are searched for what was asked.
_LOOKED_AT = 20_000
# What a line or a header takes beside the texts in it: the most that surfaces/render/recall.py writes.
_HEADER, _INDEX_LINE, _TIMELINE_LINE, _DETAIL, _META_LINE = 44, 56, 36, 64, 116


def client_chars(text: str) -> int:
    """Its length as the client counts, in JavaScript: a character beyond U+FFFF is two."""
    return len(text) if text.isascii() else len(text) + sum(char > "\uffff" for char in text)


def fit(
    found: Disclosed,
    budget: int,
    settings: Disclosure | None = None,
    asked: Sequence[Clause] = (),
    fence: int = FENCE_CHARS,
) -> Disclosed:
    """As much of it as the budget allows and the client takes: of details the part that was asked for, then the
    timeline nearest to its targets, then the best lines of the index. Where not one line fits, nothing.

    Neither the estimate of its layers (with settings) nor that of its text is over the budget.
    """
    matches, timeline = list(found.matches), list(found.timeline)
    room = _Room(min(budget * CHARS_PER_TOKEN, MOST_CHARS) - fence, MOST_CHARS - fence)
    while matches and not (_lines(settings, matches, timeline) <= budget and room.holds(matches, timeline)):
        if timeline:
            del timeline[_farthest(timeline)]
            if all(item.is_target for item in timeline):
                timeline.clear()
        else:
            matches.pop()
    if not matches:
        timeline.clear()
    details: list[Detail] = []
    if matches:
        left = room.less(matches, timeline)
        details = _details_within(found.details, left, budget - _lines(settings, matches, timeline), settings, asked)
    cost = _lines(settings, matches, timeline) + sum(estimate_tokens(detail.content) for detail in details)
    estimated = cost if settings is not None else found.meta.estimated_tokens
    meta = found.meta._replace(expanded_count=len(details), estimated_tokens=estimated)
    return Disclosed(tuple(matches), tuple(timeline), tuple(details), meta)


class _Room(NamedTuple):
    """What a text may take: characters of the budget, and characters as the client counts them."""

    chars: int
    client: int

    def holds(self, matches: Sequence[IndexItem], timeline: Sequence[TimelineItem]) -> bool:
        return _chars(matches, timeline) <= self.chars and _chars(matches, timeline, client_chars) <= self.client

    def less(self, matches: Sequence[IndexItem], timeline: Sequence[TimelineItem]) -> _Room:
        return _Room(self.chars - _chars(matches, timeline), self.client - _chars(matches, timeline, client_chars))

    def for_content(self, detail: Detail) -> int:
        """The most characters of a detail. Of one with wide characters so few that they may all be in what is kept."""
        around = _around(detail)
        client = self.client - around
        wide = client_chars(detail.content) - len(detail.content)
        return min(self.chars - around, client if not wide else max(client - wide, client // 2))


def _details_within(
    details: Sequence[Detail], room: _Room, tokens: int, settings: Disclosure | None, asked: Sequence[Clause]
) -> list[Detail]:
    kept: list[Detail] = []
    for detail in details:
        most = min(room.for_content(detail), tokens * CHARS_PER_TOKEN)
        if settings is not None:
            most = min(most, settings.detail_tokens * CHARS_PER_TOKEN)
        content = detail.content if len(detail.content) <= most else _cut(detail, most, asked)
        if content is None:
            continue
        kept.append(detail._replace(content=content))
        around = _around(detail)
        room = _Room(room.chars - around - len(content), room.client - around - client_chars(content))
        tokens -= estimate_tokens(content)
    return kept


def within(details: Sequence[Detail], budget: int) -> list[Detail]:
    """Details that were asked for by their ids, cut so that all of them are shown and their contents fit."""
    found = []
    room = budget * CHARS_PER_TOKEN
    for left, detail in zip(range(len(details), 0, -1), details, strict=True):
        share = room // left // CHARS_PER_TOKEN * CHARS_PER_TOKEN
        content = detail.content if len(detail.content) <= share else _cut(detail, share, ())
        if content is not None:
            found.append(detail._replace(content=content))
            room -= estimate_tokens(content) * CHARS_PER_TOKEN
    return found


def _lines(settings: Disclosure | None, matches: Sequence[IndexItem], timeline: Sequence[TimelineItem]) -> int:
    """The estimated cost of the lines of the index and of the timeline, in tokens (R3.32)."""
    if settings is None:
        return 0
    return len(matches) * settings.index_tokens + len(timeline) * settings.timeline_tokens


def _chars(matches: Sequence[IndexItem], timeline: Sequence[TimelineItem], size: Callable[[str], int] = len) -> int:
    """The most characters that these take in a text, with its headers and its last line."""
    total = _HEADER + _META_LINE
    for item in matches:
        what = item.type if item.entry is None else f"{item.entry.type}, {item.entry.stage}"
        total += _INDEX_LINE + len(item.id) + size(item.summary) + len(what)
        total += size(item.citation.text) if item.citation is not None else 0
        total += size(item.project or "") if item.elsewhere else 0
        total += size(item.changed) + 3 if item.changed else 0
    if timeline:
        total += _HEADER
    for near, cite in zip(timeline, cites(near.citation for near in timeline), strict=True):
        total += _TIMELINE_LINE + len(near.id) + size(near.preview) + size(cite)
    return total


def _around(detail: Detail) -> int:
    return _DETAIL + len(detail.id) + (client_chars(detail.citation.text) if detail.citation is not None else 0)


def cites(citations: Iterable[Citation | None]) -> list[str]:
    """Citations of lines below each other: a file is named the first time, after that only its lines."""
    shown = []
    named: set[str] = set()
    for citation in citations:
        text = "" if citation is None else citation.text
        if citation is not None and citation.path in named:
            text = text[len(citation.path) + 1 :]
        elif citation is not None:
            named.add(citation.path)
        shown.append(text)
    return shown


def _farthest(timeline: Sequence[TimelineItem]) -> int:
    """The item farthest from a target; of two, the earlier one: what follows says more than what came before."""
    targets = [i for i, item in enumerate(timeline) if item.is_target] or [0]
    return max(range(len(timeline)), key=lambda i: (min(abs(i - target) for target in targets), -i))


def _cut(detail: Detail, most: int, asked: Sequence[Clause]) -> str | None:
    """The part of a detail with most of what was asked, marked as a part; None where there is no room."""
    note = f"\n[cut from {len(detail.content):,} characters; axm show {detail.id} has them all]"
    room = most - len(note) - 2
    if room < _LEAST_DETAIL:
        return None
    text = detail.content
    start = _start(text, room, asked)
    end = start + room
    if start and (blank := text.find("\n", start, start + room // 5)) >= 0:
        start = blank + 1
    if (
        end < len(text)
        and (blank := max(text.rfind("\n", end - room // 5, end), text.rfind(" ", end - 20, end))) > start
    ):
        end = blank
    return ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "") + note


def _start(text: str, room: int, asked: Sequence[Clause]) -> int:
    """Where the first stretch begins that has the most different words of what was asked."""
    if not asked:
        return 0
    from axiommind.search.snippets import best_start, marks

    return best_start(text, marks(text[:_LOOKED_AT], asked), room)
