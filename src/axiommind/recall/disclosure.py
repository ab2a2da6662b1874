"""Progressive disclosure: an index of matches, a timeline around them, and details, within a budget.

Owns the values that travel to the surfaces, and the rules that say what is opened without being asked for, by
calibrated relevance alone; `layer_budget` says how much of it there is room for. Pure: it reads no index and writes no
text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from axiommind.config import Disclosure
    from axiommind.model import Citation
    from axiommind.search.hits import Learned

__all__ = [
    "FENCE_CHARS",
    "FENCE_SPARE",
    "FENCE_UNITS",
    "MOST_CHARS",
    "SESSION_CHARS",
    "Detail",
    "Disclosed",
    "Expansion",
    "IndexItem",
    "Meta",
    "TimelineItem",
    "cited_as",
    "client_chars",
    "decide",
    "places",
    "previews",
    "score_kind_of",
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
    excerpt: str = ""  # for a prompt: the sentences of it that answer, whole; told instead of the summary
    provenance: str = "elsewhere"  # of PROVENANCES
    chunk_id: int | None = None  # of a document: the row of `chunks`

    @property
    def said(self) -> str:
        return self.excerpt or self.summary


class TimelineItem(NamedTuple):
    """Layer 2: what was said before and after, in the same session."""

    id: str
    timestamp: int | None
    type: str
    preview: str  # at most 200 characters
    is_target: bool
    citation: Citation | None = None
    session_id: str | None = None
    provenance: str = "elsewhere"


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
    provenance: str = "elsewhere"


class Meta(NamedTuple):
    total_matches: int
    expanded_count: int
    estimated_tokens: int
    expansion_reason: str | None = None
    search_method: str = ""  # how its matches were found

    @property
    def score_kind(self) -> str:
        return score_kind_of("" if self.expansion_reason == "excerpts" else self.search_method)


class Disclosed(NamedTuple):
    matches: tuple[IndexItem, ...]  # the index; a tuple has a method of that name
    timeline: tuple[TimelineItem, ...]
    details: tuple[Detail, ...]
    meta: Meta


def score_kind_of(search_method: str) -> str:
    """What the scores of matches say that were found like this. By words alone they are calibrated chances."""
    return {"hybrid": "hybrid", "semantic": "cosine"}.get(search_method, "calibrated")


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
# What is shown of a session's id.
SESSION_CHARS = 8
# What the fence around an answer takes of it (surfaces/render/fence.py: fenced), in characters and in hundredths of a
# token; and what it may take beside that, for what it writes instead of tags and turns.
FENCE_CHARS = 211
FENCE_UNITS = 4_815
FENCE_SPARE = 1_000


def client_chars(text: str) -> int:
    """Its length as the client counts, in JavaScript: a character beyond U+FFFF is two."""
    return len(text) if text.isascii() else len(text) + sum(char > "\uffff" for char in text)


def cited_as(session: str | None, citation: Citation | None) -> str:
    """How a line says where it is from. A passage of a session opens by its id; a document is a file of its own."""
    return session[:SESSION_CHARS] if session else "" if citation is None else citation.text


def places(timeline: Iterable[TimelineItem]) -> list[str]:
    """Where the lines of a timeline are from: a session or a file is named where it is another than above."""
    shown = []
    above: str | None = None
    for item in timeline:
        text = cited_as(item.session_id, item.citation)
        named = text if item.session_id or item.citation is None else item.citation.path
        shown.append("" if named == above else text)
        above = named
    return shown


def previews(timeline: Iterable[TimelineItem], matches: Iterable[IndexItem]) -> dict[str, str]:
    """What the lines of a timeline say, by their ids. One that stands in the index above says which it is."""
    above = {item.id: f"match {number}" for number, item in enumerate(matches, 1)}
    return {item.id: above.get(item.id, item.preview) for item in timeline}
