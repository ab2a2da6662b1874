"""Workflows and scratchpads as JSON and as text for people; and parts of a pad's text, cut between its lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from axiommind.surfaces.render import tables as render
from axiommind.surfaces.render.entries import labelled, one_line, project_name, several_projects
from axiommind.text.edits import SEPARATOR, Heading, blocks, outline

if TYPE_CHECKING:
    from axiommind.projections.scratchpad_rows import PadRow, PadText, WorkflowRow
    from axiommind.scratchpads.search_lines import PadMatches
    from axiommind.scratchpads.search_workflows import PadPage, WorkflowPage
    from axiommind.scratchpads.writer import PadVersion

__all__ = [
    "Part",
    "between",
    "difference",
    "history_table",
    "last_blocks",
    "last_chars",
    "last_lines",
    "matches_json",
    "numbered",
    "outline_as_text",
    "outline_json",
    "pad_heading",
    "pad_json",
    "pad_page_as_text",
    "pad_page_json",
    "pads_table",
    "short",
    "stamp",
    "within",
    "workflow_as_text",
    "workflow_page_as_text",
    "workflow_page_json",
    "workflows_table",
]

# An id begins with its time: ten characters of it, and two that tell apart what one millisecond made.
_SHORT = 12
_MODES = {
    "created": "created",
    "replaced": "replaced",
    "restored": "restored",
    "appended": "appended to",
    "inserted": "inserted into",
    "lines": "lines replaced",
    "chopped": "chopped",
    "renamed": "renamed",
}


# --- parts of a text ---------------------------------------------------------------------------------------


class Part(NamedTuple):
    """Lines of a text as they are, from `line_start` to `line_end`; `is_cut` when the last (or first) is not whole."""

    text: str
    line_start: int
    line_end: int
    is_cut: bool = False


def _ended(text: str) -> list[str]:
    """Lines with their ends: joined, they are the text."""
    *lines, rest = text.split("\n")
    return [f"{line}\n" for line in lines] + ([rest] if rest else [])


def between(text: str, start: int, end: int | None) -> Part:
    """Some lines, both ends included; what is past the last line is not there."""
    lines = _ended(text)
    last = len(lines) if end is None else min(end, len(lines))
    return Part("".join(lines[start - 1 : last]), start, max(last, start - 1))


def within(part: Part, limit: int) -> Part:
    """As many whole lines from the beginning as fit; of a first line that is longer, its beginning."""
    if len(part.text) <= limit:
        return part
    size, kept = 0, 0
    lines = _ended(part.text)
    for line in lines:
        if size + len(line) > limit:
            break
        size, kept = size + len(line), kept + 1
    if not kept:
        return Part(lines[0][:limit], part.line_start, part.line_start, is_cut=True)
    return Part(part.text[:size], part.line_start, part.line_start + kept - 1)


def last_lines(text: str, count: int) -> Part:
    lines = _ended(text)
    kept = lines[-count:]
    return Part("".join(kept), len(lines) - len(kept) + 1, len(lines))


def last_chars(text: str, count: int) -> Part:
    """So many characters at the end. The first line of them may be a part of one."""
    kept = text[-count:]
    before = text[: len(text) - len(kept)]
    return Part(kept, before.count("\n") + 1, len(_ended(text)), is_cut=bool(before) and not before.endswith("\n"))


def last_blocks(text: str, count: int) -> Part:
    """So many blocks at the end, as they were appended."""
    found = blocks(text)
    kept = found[-count:]
    if len(kept) == len(found):
        return between(text, 1, None)
    shown = f"\n{SEPARATOR}".join(kept)
    return last_lines(text, len(_ended(shown))) if text.endswith(shown) else Part(shown, 1, len(_ended(shown)))


def difference(old: str, new: str, names: tuple[str, str]) -> str:
    """A unified diff, as `patch` reads it."""
    from difflib import unified_diff

    lines = unified_diff(_ended(old), _ended(new), *names)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def numbered(part: Part) -> str:
    room = len(str(part.line_end))
    return "".join(f"{n:>{room}}  {line}" for n, line in enumerate(_ended(part.text), start=part.line_start))


# --- as JSON -----------------------------------------------------------------------------------------------


def outline_json(text: str) -> list[dict[str, Any]]:
    return [one._asdict() for one in outline(text)]


def workflow_page_json(page: WorkflowPage) -> dict[str, Any]:
    """A page of found workflows, in the shape that the tool of the same name has always had."""
    return {
        "results": [
            {
                "workflow": hit.workflow._asdict(),
                "score": hit.score,
                "rank": hit.rank,
                "matching_scratchpads": [
                    {**pad_json(one.pad), "score": one.score, "snippet": one.snippet}
                    for one in hit.matching_scratchpads
                ],
            }
            for hit in page.results
        ],
        "pagination": {
            "page": page.page,
            "per_page": page.per_page,
            "total_results": page.total_results,
            "has_more": page.has_more,
        },
        "query": page.query,
        "search_method": page.search_method,
        "score_kind": "points",
        "message": page.message,
    }


def pad_page_json(page: PadPage) -> dict[str, Any]:
    return {
        "results": [
            {
                "scratchpad": pad_json(hit.pad),
                "workflow_name": hit.workflow_name,
                "score": hit.score,
                "score_kind": hit.score_kind,
                "snippet": hit.snippet,
                "line_start": hit.line_start,
                "line_end": hit.line_end,
            }
            for hit in page.hits
        ],
        "total_results": page.total,
        "next_cursor": page.next_cursor,
        "query": page.query,
        "search_method": page.search_method,
    }


def matches_json(found: PadMatches) -> dict[str, Any]:
    return {
        "scratchpad": pad_json(found.pad),
        "query": found.query,
        "regex": found.regex,
        "matches": [one._asdict() for one in found.matches],
        "ranges": [{"first": one.first, "last": one.last, "text": "\n".join(one.lines)} for one in found.ranges],
        "total_matches": found.total_matches,
        "truncated": found.truncated,
    }


def pad_json(row: PadRow) -> dict[str, Any]:
    """A pad; its project is the workflow's."""
    shown = row._asdict()
    del shown["project"]
    return shown


# --- as text -----------------------------------------------------------------------------------------------


def short(name: str) -> str:
    """The beginning of an id, for a table."""
    prefix, mark, rest = name.partition("_")
    return prefix + mark + rest[:_SHORT]


def _names(ids: Iterable[str]) -> dict[str, str]:
    """Beginnings of ids where these differ, else the ids."""
    names = {name: short(name) for name in ids}
    return names if len(set(names.values())) == len(names) else {name: name for name in names}


def stamp(at: str) -> str:
    """`2026-11-15 10:00:07` of a time as it is kept."""
    return at[:19].replace("T", " ")


def _size(count: int) -> str:
    return (
        f"{count} B" if count < 1_000 else f"{count / 1_000:.1f} kB" if count < 1_000_000 else f"{count / 1e6:.2f} MB"
    )


def workflows_table(found: Sequence[WorkflowRow]) -> str:
    names = _names(row.id for row in found)
    rows = [
        {
            "id": names[row.id],
            "name": row.name,
            "status": "active" if row.is_active else "inactive",
            "pads": row.scratchpad_count,
            "scope": row.project_scope,
            "project": project_name(row.project),
            "updated": stamp(row.updated_at)[:16],
        }
        for row in found
    ]
    columns = ["id", "name", "status", "pads", "updated"]
    if any(row.project_scope for row in found):
        columns.insert(-1, "scope")
    if several_projects(row.project for row in found):
        columns.insert(-1, "project")
    return render.as_table(columns, rows)


def workflow_as_text(row: WorkflowRow, pads: Sequence[PadRow]) -> str:
    facts = labelled(
        (
            ("status", "active" if row.is_active else "inactive: takes no writes"),
            ("scope", one_line(row.project_scope or "")),
            ("project", one_line(row.project)),
            ("created", stamp(row.created_at)),
            ("updated", stamp(row.updated_at)),
            ("pads", str(row.scratchpad_count)),
        )
    )
    parts = [f"{row.id}  {render.bold(one_line(row.name))}", facts]
    if row.description:
        parts.append(render.printable(row.description))
    if pads:
        parts.append(pads_table(pads))
    return "\n\n".join(parts)


def workflow_page_as_text(page: WorkflowPage) -> str:
    """Each workflow with its points, and under it the pads that gave some."""
    shown = []
    for hit in page.results:
        row = hit.workflow
        state = "" if row.is_active else " (inactive)"
        points = render.counted(hit.score, "point")
        lines = [f"{hit.rank}. {short(row.id)}  {render.bold(one_line(row.name))}{state}  {points}"]
        for one in hit.matching_scratchpads:
            lines.append(f"   {short(one.pad.id)}  {one_line(one.pad.title)}  {one.score}")
            if one.snippet:
                lines.append(f"     {render.dim(one_line(one.snippet))}")
        shown.append("\n".join(lines))
    return "\n\n".join(shown)


def pad_page_as_text(page: PadPage) -> str:
    shown = []
    for hit in page.hits:
        where = f"L{hit.line_start}" if hit.line_start == hit.line_end else f"L{hit.line_start}-L{hit.line_end}"
        title = render.bold(one_line(hit.pad.title))
        shown.append(
            f"{short(hit.pad.id)}  {title}  {where}  {hit.score:.2f}{_of(hit.workflow_name)}\n  {one_line(hit.snippet)}"
        )
    return "\n\n".join(shown)


def _of(workflow: str) -> str:
    return render.dim(f" · {one_line(workflow)}") if workflow else ""


def pads_table(found: Sequence[PadRow]) -> str:
    pads, flows = _names(row.id for row in found), _names(row.workflow_id for row in found)
    rows = [
        {
            "id": pads[row.id],
            "title": row.title,
            "version": row.version,
            "lines": row.lines,
            "size": _size(row.size_bytes),
            "workflow": flows[row.workflow_id],
            "project": project_name(row.project),
            "updated": stamp(row.updated_at)[:16],
        }
        for row in found
    ]
    columns = ["id", "title", "version", "lines", "size", "updated"]
    if len(flows) > 1:
        columns.insert(-1, "workflow")
    if several_projects(row.project for row in found):
        columns.insert(-1, "project")
    return render.as_table(columns, rows)


def pad_heading(pad: PadRow) -> str:
    lines = render.counted(pad.lines, "line")
    facts = (f"version {pad.version}", f"{lines}, {_size(pad.size_bytes)}", stamp(pad.updated_at))
    return " · ".join((f"{pad.id}  {one_line(pad.title)}", *facts))


def outline_as_text(found: PadText) -> str:
    return "\n".join(_outlined(one, len(str(found.pad.lines))) for one in outline(found.text))


def _outlined(one: Heading, room: int) -> str:
    return f"{one.line:>{room}}-{one.last:<{room}}  {'  ' * (one.level - 1)}{one_line(one.title)}"


def history_table(found: Sequence[PadVersion]) -> str:
    rows = [
        {
            "version": one.version,
            "at": stamp(one.at),
            "what": _MODES.get(one.mode, one.mode),
            "by": one.actor,
            "lines": one.lines,
            "size": _size(one.size_bytes),
            "session": (one.session or "")[:8],
        }
        for one in found
    ]
    columns = ["version", "at", "what", "by", "lines", "size"]
    if any(one.session for one in found):
        columns.append("session")
    return render.as_table(columns, rows)
