"""The budget of layers: how much of an index, a timeline and details an answer has room for.

Always in the same order, so that more budget never gives less. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from axiommind.model import QUOTED_AS
from axiommind.recall.disclosure import (
    FENCE_CHARS,
    FENCE_SPARE,
    FENCE_UNITS,
    MOST_CHARS,
    Detail,
    Disclosed,
    IndexItem,
    TimelineItem,
    cited_as,
    client_chars,
    places,
    previews,
)
from axiommind.text.estimate import UNITS, chars_within, estimate_tokens, weigh

if TYPE_CHECKING:
    from axiommind.config import Disclosure
    from axiommind.text.query_terms import Clause

__all__ = ["fit"]

# A detail of less than this says less than its line in the index.
_LEAST_DETAIL = 40 * UNITS
# Characters of a text that are searched for what was asked.
_LOOKED_AT = 20_000
# What a line or a header takes beside the texts in it, in characters: the most that surfaces/render/recall.py writes.
_HEADER, _INDEX_LINE, _TIMELINE_LINE, _DETAIL, _META_LINE = 44, 56, 36, 64, 116
# The same in hundredths of a token.
_HEADER_UNITS = weigh("\n\n## Related Memories (100 matches)\n")
_INDEX_UNITS = weigh("\n100. []  (score: 0.00) · ,  · 2026-01-05 ·  · from  · ")
_TIMELINE_UNITS = weigh("\n**→** 2026-01-05 08:00:  [] ")
_DETAIL_UNITS = weigh("\n\n---\n\n## Detail: \n_session 01234567 · 2026-01-05 · _\n\n")
_META_UNITS = weigh("\n\n_~ of  tokens; 100 more left out; ")
_META_UNITS += weigh("axm show ID opens one, axm timeline ID what was around it_")


def fit(
    found: Disclosed,
    budget: int,
    settings: Disclosure | None = None,
    asked: Sequence[Clause] = (),
    fence: int = FENCE_CHARS,
) -> Disclosed:
    """As much of it as the budget allows and the client takes, always in this order, so that more of it never gives
    less: the lines of the index, what was said right before and after its targets, of details the part that was asked
    for, and then what is farther away. Where not one line fits, nothing.

    Neither the estimate of its layers (with settings) nor that of its text is over the budget.
    """
    around = 2 * weigh(str(budget)) + (FENCE_UNITS + FENCE_SPARE if fence else 0)
    room = _Room(budget * UNITS - around, MOST_CHARS - fence)
    matches = list(found.matches)
    while matches and not room.holds(matches, (), budget, settings):
        matches.pop()
    timeline: list[TimelineItem] = []
    details: list[Detail] = []
    if matches and len(matches) == len(found.matches):
        near, far = _by_distance(found.timeline)
        timeline = room.filled(matches, [], near, budget, settings)
        is_whole = len(timeline) == len(near)
        if is_whole:
            left = room.less(matches, timeline)
            tokens = budget - _lines(settings, matches, timeline)
            details, is_whole = _details_within(found.details, left, tokens, settings, asked)
        if is_whole:
            for detail in details:
                room = room.inside(detail).after(detail.content)
            tokens = budget - sum(estimate_tokens(detail.content) for detail in details)
            timeline = room.filled(matches, timeline, far, tokens, settings)
        if all(item.is_target for item in timeline):
            timeline.clear()
    kept = {id(item) for item in timeline}
    timeline = [item for item in found.timeline if id(item) in kept]
    cost = _lines(settings, matches, timeline) + sum(estimate_tokens(detail.content) for detail in details)
    estimated = cost if settings is not None else found.meta.estimated_tokens
    meta = found.meta._replace(expanded_count=len(details), estimated_tokens=estimated)
    return Disclosed(tuple(matches), tuple(timeline), tuple(details), meta)


class _Room(NamedTuple):
    """What a text may take: hundredths of a token of the budget, and characters as the client counts them."""

    units: int
    client: int

    def holds(
        self,
        matches: Sequence[IndexItem],
        timeline: Sequence[TimelineItem],
        tokens: int,
        settings: Disclosure | None,
    ) -> bool:
        left = self.less(matches, timeline)
        return left.units >= 0 and left.client >= 0 and _lines(settings, matches, timeline) <= tokens

    def filled(
        self,
        matches: Sequence[IndexItem],
        timeline: list[TimelineItem],
        more: Sequence[TimelineItem],
        tokens: int,
        settings: Disclosure | None,
    ) -> list[TimelineItem]:
        """A timeline with as many more of its lines as there is room for, one after the other."""
        timeline = list(timeline)
        for item in more:
            timeline.append(item)
            if not self.holds(matches, timeline, tokens, settings):
                return timeline[:-1]
        return timeline

    def less(self, matches: Sequence[IndexItem], timeline: Sequence[TimelineItem]) -> _Room:
        return _Room(self.units - _units(matches, timeline), self.client - _chars(matches, timeline))

    def inside(self, detail: Detail) -> _Room:
        """What is left for the content of a detail."""
        cite = f"{cited_as(detail.session_id, detail.citation)} · {QUOTED_AS.get(detail.provenance, '')}"
        return _Room(
            self.units - _DETAIL_UNITS - weigh(detail.id) - _weigh_path(cite),
            self.client - _DETAIL - len(detail.id) - client_chars(cite),
        )

    def takes(self, content: str) -> bool:
        return client_chars(content) <= self.client and weigh(content) <= self.units

    def after(self, content: str) -> _Room:
        return _Room(self.units - weigh(content), self.client - client_chars(content))


def _details_within(
    details: Sequence[Detail], room: _Room, tokens: int, settings: Disclosure | None, asked: Sequence[Clause]
) -> tuple[list[Detail], bool]:
    """As many details as there is room for, each as far as it may go, and whether more room would not give more."""
    kept: list[Detail] = []
    for detail in details:
        inside = room.inside(detail)
        least = min(inside.units, tokens * UNITS)
        most = least if settings is None else min(least, settings.detail_tokens * UNITS)
        content = _part(detail, inside._replace(units=most), asked)
        if content is None:
            return kept, False
        kept.append(detail._replace(content=content))
        if content != detail.content and (most == least or inside.client < most // UNITS):
            return kept, False
        room = inside.after(content)
        tokens -= estimate_tokens(content)
    return kept, True


def _lines(settings: Disclosure | None, matches: Sequence[IndexItem], timeline: Sequence[TimelineItem]) -> int:
    """The estimated cost of the lines of the index and of the timeline, in tokens (R3.32)."""
    if settings is None:
        return 0
    return len(matches) * settings.index_tokens + len(timeline) * settings.timeline_tokens


def _chars(matches: Sequence[IndexItem], timeline: Sequence[TimelineItem]) -> int:
    """The most characters that these take in a text, with its headers and its last line."""
    total = _HEADER + _META_LINE + sum(_INDEX_LINE + sum(map(client_chars, _texts(item))) for item in matches)
    said = previews(timeline, matches)
    for near, place in zip(timeline, places(timeline), strict=True):
        total += _TIMELINE_LINE + len(near.id) + client_chars(said[near.id]) + client_chars(place)
        total += len(QUOTED_AS.get(near.provenance, "")) + 3
    return total + _HEADER if timeline else total


def _units(matches: Sequence[IndexItem], timeline: Sequence[TimelineItem]) -> int:
    """The same in hundredths of a token."""
    total = _HEADER_UNITS + _META_UNITS + sum(_INDEX_UNITS + sum(map(_weigh_path, _texts(item))) for item in matches)
    said = previews(timeline, matches)
    for near, place in zip(timeline, places(timeline), strict=True):
        total += _TIMELINE_UNITS + weigh(near.id) + weigh(said[near.id]) + _weigh_path(place)
        total += weigh(f" ({QUOTED_AS.get(near.provenance, '')})")
    return total + _HEADER_UNITS if timeline else total


def _texts(item: IndexItem) -> tuple[str, ...]:
    """What the line of a match says, but for its number, its score and its day."""
    what = item.type if item.entry is None else item.entry.type + item.entry.stage
    elsewhere = (item.project or "") if item.elsewhere else ""
    changed = f" · {item.changed}" if item.changed else ""
    quoted = f" · {label}" if (label := QUOTED_AS.get(item.provenance)) else ""
    return (item.id, item.said, what, cited_as(item.session_id, item.citation), elsewhere, changed, quoted)


def _weigh_path(path: str) -> int:
    """What a path costs as it is shown: a character that cannot be printed is replaced by one that can."""
    return weigh(path) if path.isprintable() else weigh(path) + len(path) * UNITS


def _by_distance(timeline: Sequence[TimelineItem]) -> tuple[list[TimelineItem], list[TimelineItem]]:
    """The targets with what is right beside them, and what is farther away, the nearest first; of two, the later one:
    what follows says more than what came before."""
    targets = [i for i, item in enumerate(timeline) if item.is_target] or [0]
    away = {i: min(abs(i - target) for target in targets) for i in range(len(timeline))}
    order = sorted(away, key=lambda i: (away[i], -i))
    return [timeline[i] for i in order if away[i] < 2], [timeline[i] for i in order if away[i] >= 2]


def _part(detail: Detail, room: _Room, asked: Sequence[Clause]) -> str | None:
    """A detail as far as there is room: whole, or the part with most of what was asked, marked as a part; None where
    there is too little."""
    if room.takes(detail.content):
        return detail.content
    text = detail.content
    note = f"\n[cut from {len(text):,} characters; axm show {detail.id} has them all]"
    units, client = room.units - weigh(f"……{note}"), room.client - len(note) - 2
    if units < _LEAST_DETAIL or client < _LEAST_DETAIL // UNITS:
        return None
    # About as many characters as fit, to find the stretch; then those that do.
    most = max(min(client, units * len(text) // (weigh(text) or 1)), 1)
    start = _start(text, most, asked)
    if start and (blank := text.find("\n", start, start + most // 5)) >= 0:
        start = blank + 1
    rest = text[start : start + client]
    wide = client_chars(rest) - len(rest)
    end = start + chars_within(rest[: max(client - wide, client // 2)] if wide else rest, units)
    before = max(text.rfind("\n", end - most // 5, end), text.rfind(" ", end - 20, end)) if end < len(text) else -1
    end = before if before > start else end
    return ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "") + note


def _start(text: str, room: int, asked: Sequence[Clause]) -> int:
    """Where the first stretch begins that has the most different words of what was asked."""
    if not asked:
        return 0
    from axiommind.search.snippets import best_start, marks

    return best_start(text, marks(text[:_LOOKED_AT], asked), room)
