"""What is recalled, as text for agents and as JSON: an index, a timeline, details, and what they cost.

Whatever was disclosed is rendered whole: what fits a budget is decided before. Text for an agent still has to be fenced
(`fence`); the texts in the JSON are clean. A hook imports this, so it imports little.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

from axiommind.recall.disclosure import FENCE_CHARS, MOST_CHARS, Packet, cites, client_chars
from axiommind.surfaces.render.fence import clean
from axiommind.text.estimate import CHARS_PER_TOKEN, estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from axiommind.model import Citation
    from axiommind.recall.disclosure import Detail, Disclosed, IndexItem, Note, TimelineItem

__all__ = [
    "around_to_dict",
    "as_text",
    "detail_to_dict",
    "item_to_dict",
    "packet_text",
    "packet_within",
    "timeline_text",
    "to_dict",
]

# --- as text -------------------------------------------------------------------------------------------------


def as_text(disclosed: Disclosed, budget: int, *, fence: bool = True) -> str:
    """The layers below each other, and what they cost of the budget that they were disclosed for."""
    if not disclosed.matches:
        return ""
    parts = [_index(disclosed.matches, disclosed.meta.total_matches)]
    if disclosed.timeline:
        parts.append(timeline_text(disclosed.timeline))
    if disclosed.details:
        parts.append("\n\n---\n\n".join(map(_detail, disclosed.details)))
    left_out = disclosed.meta.total_matches - len(disclosed.matches)
    more = f"{left_out} more left out; " if left_out > 0 else ""
    return _with_cost(parts, budget, more, around=True, fence=FENCE_CHARS if fence else 0)


def _index(items: Iterable[IndexItem], total: int) -> str:
    lines = [f"## Related Memories ({total} matches)"]
    for number, item in enumerate(items, 1):
        what = item.type
        if item.entry is not None:
            what = f"{item.entry.type.replace('_', ' ')}, {item.entry.stage}"
        about = [f"{number}. [{item.id}] {item.summary} (score: {item.score:.2f})", what, _day(item.timestamp)]
        about.append(_cited(item.citation))
        if item.elsewhere and item.project:
            about.append(f"from {_at_home(item.project)}")
        if item.changed:
            about.append(item.changed)
        lines.append(" · ".join(part for part in about if part))
    return "\n".join(lines)


def timeline_text(timeline: Iterable[TimelineItem]) -> str:
    timeline = tuple(timeline)
    lines = ["## Timeline Context"]
    for item, cite in zip(timeline, cites(item.citation for item in timeline), strict=True):
        mark = "**→** " if item.is_target else "  "
        where = f" {_at_home(cite)}" if cite else ""
        lines.append(f"{mark}{_moment(item.timestamp)}: {item.preview} [{item.id}]{where}")
    return "\n".join(lines)


def _detail(detail: Detail) -> str:
    of = f"session {detail.session_id[:8]}" if detail.session_id else "document"
    about = [of, _day(detail.timestamp), _cited(detail.citation)]
    return f"## Detail: {detail.id}\n_{' · '.join(part for part in about if part)}_\n\n{detail.content.strip()}"


def _with_cost(parts: list[str], budget: int, more: str = "", *, around: bool, fence: int = FENCE_CHARS) -> str:
    body = "\n\n".join(parts)
    how = "axm show ID opens one" + (", axm timeline ID what was around it" if around else "")
    tokens = min(estimate_tokens(body) + 25 + fence // CHARS_PER_TOKEN, budget)
    return f"{body}\n\n_~{tokens} of {budget} tokens; {more}{how}_"


# --- packets -------------------------------------------------------------------------------------------------


_PACKET_COST = 80  # characters of the last line


def packet_text(packet: Packet, budget: int) -> str:
    """The sections below each other, and what they cost of the budget that they were kept to."""
    parts = ["\n".join([_title(section.title), *map(_note, section.notes)]) for section in packet.sections]
    return _with_cost(parts, budget, around=False) if parts else ""


def packet_within(packet: Packet, budget: int) -> Packet:
    """As many notes of a packet as a budget allows, which also pays for a fence, and the client takes; in their order,
    the most important first."""
    around = FENCE_CHARS + _PACKET_COST
    room, client = min(budget * CHARS_PER_TOKEN, MOST_CHARS) - around, MOST_CHARS - around
    sections = []
    for section in packet.sections:
        title = _title(section.title)
        kept: list[Note] = []
        for note in section.notes:
            lines = _note(note) if kept else f"{_note(note)}{title}\n\n"
            if len(lines) < room and client_chars(lines) < client:
                kept.append(note)
                room -= len(lines) + 1
                client -= client_chars(lines) + 1
        if kept:
            sections.append(section._replace(notes=tuple(kept)))
    return Packet(tuple(sections))


def _title(title: str) -> str:
    return f"## {' '.join(title.split())}"


def _note(note: Note) -> str:
    kind = note.kind.replace("_", " ")
    about = [f"{kind}, {note.stage}" if note.stage else kind, _day(note.timestamp), _cited(note.citation)]
    return f"- [{note.id}] {note.text.strip()} · {' · '.join(part for part in about if part)}"


# --- words for times and places ------------------------------------------------------------------------------


def _day(milliseconds: int | None) -> str:
    return _moment(milliseconds)[:10] if milliseconds else ""


def _moment(milliseconds: int | None) -> str:
    if not milliseconds:
        return "unknown time"
    try:
        return time.strftime("%Y-%m-%d %H:%M", time.gmtime(milliseconds / 1000))[:16]
    except (OverflowError, OSError, ValueError):  # a transcript may say any number
        return "unknown time"


def _cited(citation: Citation | None) -> str:
    return "" if citation is None else _at_home(citation.text)


def _at_home(path: str) -> str:
    """A path as people write it: the home folder as ~, and on one line whatever its name."""
    home = os.path.expanduser("~")  # noqa: PTH111 - pathlib would need the whole path
    if home != "/" and path.startswith(home + os.sep):
        path = "~" + path[len(home) :]
    return path if path.isprintable() else "".join(c if c.isprintable() else "\ufffd" for c in path)


# --- as JSON -------------------------------------------------------------------------------------------------
# Clean, and not fenced: the fields say what these values are.


def to_dict(disclosed: Disclosed, home: Path | None = None) -> dict[str, Any]:
    meta = disclosed.meta
    return {
        "index": [item_to_dict(item, home) for item in disclosed.matches],
        "timeline": [around_to_dict(item, home) for item in disclosed.timeline],
        "details": [detail_to_dict(detail, home) for detail in disclosed.details],
        "meta": {
            "totalMatches": meta.total_matches,
            "expandedCount": meta.expanded_count,
            "estimatedTokens": meta.estimated_tokens,
            "expansionReason": meta.expansion_reason,
        },
    }


def item_to_dict(item: IndexItem, home: Path | None = None) -> dict[str, Any]:
    return {
        "id": item.id,
        "summary": clean(item.summary, home),
        "score": item.score,
        "type": item.type,
        "timestamp": item.timestamp,
        "sessionId": item.session_id,
        "project": item.project,
        "elsewhere": item.elsewhere,
        "citation": _citation(item.citation),
        "entry": item.entry._asdict() if item.entry is not None else None,
        "changed": item.changed,
    }


def around_to_dict(item: TimelineItem, home: Path | None = None) -> dict[str, Any]:
    return {
        "id": item.id,
        "timestamp": item.timestamp,
        "type": item.type,
        "preview": clean(item.preview, home),
        "isTarget": item.is_target,
        "citation": _citation(item.citation),
    }


def detail_to_dict(detail: Detail, home: Path | None = None) -> dict[str, Any]:
    return {
        "id": detail.id,
        "content": clean(detail.content, home),
        "type": detail.type,
        "timestamp": detail.timestamp,
        "sessionId": detail.session_id,
        "citation": _citation(detail.citation),
        "metadata": {
            "tokenCount": detail.token_count,
            "hasCode": detail.has_code,
            "files": [clean(file, home) for file in detail.files],
            "tools": list(detail.tools),
        },
        "relations": {
            "parentId": detail.parent_id,
            "childIds": list(detail.child_ids),
            "relatedIds": list(detail.related_ids),
        },
    }


def _citation(citation: Citation | None) -> dict[str, Any] | None:
    from axiommind.surfaces.render.hits import cited

    return cited(citation)
