"""What is recalled, as text for agents and as JSON: an index, a timeline, details, and what they cost.

Whatever was disclosed is rendered whole: what fits a budget is decided before. Text for an agent still has to be fenced
(`fence`); the texts in the JSON are clean. A hook imports this, so it imports little.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

from axiommind.model import QUOTED_AS
from axiommind.recall.disclosure import (
    FENCE_CHARS,
    FENCE_SPARE,
    MOST_CHARS,
    SESSION_CHARS,
    client_chars,
    places,
    previews,
)
from axiommind.recall.packet import Packet
from axiommind.recall.quotations import by_session, quotation
from axiommind.surfaces.render.fence import clean, framed
from axiommind.text.estimate import UNITS, estimate_tokens, weigh

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from axiommind.model import Citation
    from axiommind.recall.disclosure import Detail, Disclosed, IndexItem, TimelineItem
    from axiommind.recall.packet import Note, Section

__all__ = [
    "around_to_dict",
    "as_text",
    "detail_to_dict",
    "item_to_dict",
    "moment",
    "packet_announced",
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
    layout = _quotations if disclosed.matches[0].excerpt else _index
    parts = [layout(disclosed.matches, disclosed.meta.total_matches)]
    if disclosed.timeline:
        parts.append(timeline_text(disclosed.timeline, disclosed.matches))
    if disclosed.details:
        parts.append("\n\n---\n\n".join(map(_detail, disclosed.details)))
    left_out = disclosed.meta.total_matches - len(disclosed.matches)
    more = f"{left_out} more left out; " if left_out > 0 else ""
    return _with_cost("\n\n".join(parts), budget, more, is_fenced=fence)


def _quotations(matches: Iterable[IndexItem], total: int) -> str:
    lines = [_header(total)]
    for place, items in by_session(matches).items():
        where = f", from {_at_home(items[0].project)}" if items[0].elsewhere and items[0].project else ""
        lines += [f"{_at_home(place)}{where}", *map(quotation, items)]
    return "\n".join(lines)


def _header(total: int) -> str:
    return f"## Related Memories ({total} matches)"


def _index(items: Iterable[IndexItem], total: int) -> str:
    lines = [_header(total)]
    for number, item in enumerate(items, 1):
        what = item.type
        if item.entry is not None:
            what = f"{item.entry.type.replace('_', ' ')}, {item.entry.stage}"
        about = [f"{number}. [{item.id}] {item.said} (score: {item.score:.2f})"]
        about += [_from(item.timestamp, item.session_id, item.citation), what]
        if item.provenance in QUOTED_AS:
            about.append(QUOTED_AS[item.provenance])
        if item.changed:
            about.append(item.changed)
        lines.append(" · ".join(part for part in about if part))
    return "\n".join(lines)


def timeline_text(timeline: Iterable[TimelineItem], above: Iterable[IndexItem] = ()) -> str:
    """What was around matches; what stands `above` it in an index is named, not said again."""
    timeline = tuple(timeline)
    said = previews(timeline, above)
    lines = ["## Timeline Context"]
    last = ""
    for item, place in zip(timeline, places(timeline), strict=True):
        mark = "**→** " if item.is_target else "  "
        day, _, hour = (at := moment(item.timestamp)).partition(" ")
        when = hour if day == last and not place else at
        last = day
        where = f" {_at_home(place)}" if place else ""
        quoted = f" ({QUOTED_AS[item.provenance]})" if item.provenance in QUOTED_AS else ""
        lines.append(f"{mark}{when}{where}: {said[item.id]} [{item.id}]{quoted}")
    return "\n".join(lines)


def _detail(detail: Detail) -> str:
    of = f"session {detail.session_id[:8]}" if detail.session_id else "document"
    about = [of, _day(detail.timestamp), "" if detail.session_id else _cited(detail.citation)]
    about.append(QUOTED_AS.get(detail.provenance, ""))
    return f"## Detail: {detail.id}\n_{' · '.join(part for part in about if part)}_\n\n{detail.content.strip()}"


def _with_cost(body: str, budget: int, more: str, *, is_fenced: bool) -> str:
    """A text with what all of it costs, this line and the fence included."""
    line = f" of {budget} tokens; {more}axm show ID opens one, axm timeline ID what was around it_"
    digits = tokens = 0
    while len(str(tokens)) > digits:  # more digits cost more
        digits += 1
        whole = f"{body}\n\n_~{'0' * digits}{line}"
        tokens = estimate_tokens(framed(whole) if is_fenced else whole)
    return f"{body}\n\n_~{tokens}{line}"


# --- packets -------------------------------------------------------------------------------------------------


_HOW = "_axm show ID opens one_"
_ANNOUNCED = 80  # characters of the first line, for the person


def packet_text(packet: Packet) -> str:
    """The sections below each other, and how one opens what they cite."""
    return "\n\n".join([*map(_section, packet.sections), _HOW]) if packet.sections else ""


def packet_announced(packet: Packet, home: Path | None = None) -> str:
    """What a person is told that the agent was given, in a line."""
    from axiommind.text.summary import preview

    notes = packet.notes
    where = ", ".join(" ".join(section.title.split()).lower() for section in packet.sections)
    lines = "1 line" if len(notes) == 1 else f"{len(notes)} lines"
    return f"AxiomMind recalled {lines} ({where}): {preview(clean(notes[0].text, home), _ANNOUNCED)}"


def _section(section: Section) -> str:
    """A section with its lines. What all of them share, the day and the session, is said once, in its title."""
    days = {_day(note.timestamp) for note in section.notes}
    sessions = {note.session_id for note in section.notes}
    if len(section.notes) < 2 or len(days) > 1 or len(sessions) > 1 or not all(sessions):
        return "\n".join([_title(section.title), *map(_note, section.notes)])
    about = f"{' '.join(days)} [{_short(section.notes[0].session_id)}]".strip()
    shared = (_note(note._replace(timestamp=None, session_id=None)) for note in section.notes)
    return "\n".join([f"{_title(section.title)}, {about}", *shared])


def packet_within(packet: Packet, budget: int) -> Packet:
    """As many notes of a packet as a budget allows, which also pays for a fence, and the client takes; in their order,
    the most important first."""
    room = budget * UNITS - weigh(framed(_HOW)) - FENCE_SPARE
    client = MOST_CHARS - FENCE_CHARS - len(_HOW)
    sections = []
    for section in packet.sections:
        title = _title(section.title)
        kept: list[Note] = []
        for note in section.notes:
            lines = f"{_note(note)}\n" if kept else f"{title}\n{_note(note)}\n\n"
            cost = weigh(lines)
            if cost <= room and client_chars(lines) <= client:
                kept.append(note)
                room -= cost
                client -= client_chars(lines)
        if kept:
            sections.append(section._replace(notes=tuple(kept)))
    return Packet(tuple(sections))


def _title(title: str) -> str:
    return f"## {' '.join(title.split())}"


def _note(note: Note) -> str:
    """One line: the day, then in brackets the session and the id that opens it, then what is known."""
    about = [_day(note.timestamp), f"[{f'{_short(note.session_id)} {note.shown_id}'.strip()}]", note.text.strip()]
    known = [f"{note.kind.replace('_', ' ')}, {note.stage}"] if note.stage else []
    known += [QUOTED_AS[note.provenance]] if note.provenance in QUOTED_AS else []
    if known:
        about.append(f"({'; '.join(known)})")
    return f"- {' '.join(part for part in about if part)}"


# --- words for times and places ------------------------------------------------------------------------------


def _day(milliseconds: int | None) -> str:
    return moment(milliseconds)[:10] if milliseconds else ""


def moment(milliseconds: int | None) -> str:
    if not milliseconds:
        return "unknown time"
    try:
        return time.strftime("%Y-%m-%d %H:%M", time.gmtime(milliseconds / 1000))[:16]
    except (OverflowError, OSError, ValueError):  # a transcript may say any number
        return "unknown time"


def _short(session: str | None) -> str:
    return session[:SESSION_CHARS] if session else ""


def _from(milliseconds: int | None, session: str | None, citation: Citation | None) -> str:
    """The day and the session of a passage, or the document that it is part of."""
    where = _short(session) or _cited(citation)
    return " ".join(part for part in (_day(milliseconds), where) if part)


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
            "searchMethod": meta.search_method,
            "scoreKind": meta.score_kind,
        },
    }


def item_to_dict(item: IndexItem, home: Path | None = None) -> dict[str, Any]:
    return {
        "id": item.id,
        "summary": clean(item.summary, home),
        "excerpt": clean(item.excerpt, home),
        "score": item.score,
        "type": item.type,
        "timestamp": item.timestamp,
        "sessionId": item.session_id,
        "project": item.project,
        "elsewhere": item.elsewhere,
        "citation": _citation(item.citation),
        "entry": item.entry._asdict() if item.entry is not None else None,
        "changed": item.changed,
        "provenance": item.provenance,
        "chunkId": item.chunk_id,
    }


def around_to_dict(item: TimelineItem, home: Path | None = None) -> dict[str, Any]:
    return {
        "id": item.id,
        "timestamp": item.timestamp,
        "type": item.type,
        "preview": clean(item.preview, home),
        "isTarget": item.is_target,
        "citation": _citation(item.citation),
        "provenance": item.provenance,
    }


def detail_to_dict(detail: Detail, home: Path | None = None) -> dict[str, Any]:
    return {
        "id": detail.id,
        "content": clean(detail.content, home),
        "type": detail.type,
        "timestamp": detail.timestamp,
        "sessionId": detail.session_id,
        "citation": _citation(detail.citation),
        "provenance": detail.provenance,
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
