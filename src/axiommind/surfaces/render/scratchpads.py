"""Workflows and scratchpads as JSON and as text for people, and excerpts of a scratchpad's text, cut at line ends."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from axiommind.surfaces.render import tables as render
from axiommind.surfaces.render.entries import labelled, one_line, project_name, several_projects
from axiommind.text.edits import SEPARATOR, OutlineHeading, blocks, outline

if TYPE_CHECKING:
    from axiommind.projections.scratchpad_rows import ScratchpadRow, ScratchpadText, WorkflowRow
    from axiommind.scratchpads.values import ScratchpadMatches, ScratchpadPage, ScratchpadVersion, WorkflowPage

__all__ = [
    "Excerpt",
    "between",
    "difference",
    "ended",
    "history_table",
    "last_blocks",
    "last_chars",
    "last_lines",
    "matches_json",
    "numbered",
    "outline_as_text",
    "outline_json",
    "scratchpad_heading",
    "scratchpad_json",
    "scratchpad_page_as_text",
    "scratchpad_page_json",
    "scratchpads_table",
    "short",
    "stamp",
    "within",
    "workflow_as_text",
    "workflow_json",
    "workflow_page_as_text",
    "workflow_page_json",
    "workflows_table",
]

# An id begins with its time: ten characters of that, and two to tell apart what one millisecond made.
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


# --- excerpts ----------------------------------------------------------------------------------------------


class Excerpt(NamedTuple):
    """Lines of a text, from `line_start` to `line_end`; `is_cut` if the last (or first) is not whole."""

    text: str
    line_start: int
    line_end: int
    is_cut: bool = False


def ended(text: str) -> list[str]:
    """Lines with their line breaks: joined, they are the text."""
    *lines, rest = text.split("\n")
    return [f"{line}\n" for line in lines] + ([rest] if rest else [])


def between(text: str, start: int, end: int | None) -> Excerpt:
    """Some lines, both ends included, as far as the text goes."""
    lines = ended(text)
    last = len(lines) if end is None else min(end, len(lines))
    return Excerpt("".join(lines[start - 1 : last]), start, max(last, start - 1))


def within(excerpt: Excerpt, limit: int) -> Excerpt:
    """As many whole lines from the beginning as fit; if not even the first does, the beginning of that."""
    if len(excerpt.text) <= limit:
        return excerpt
    size, kept = 0, 0
    lines = ended(excerpt.text)
    for line in lines:
        if size + len(line) > limit:
            break
        size, kept = size + len(line), kept + 1
    if not kept:
        return Excerpt(lines[0][:limit], excerpt.line_start, excerpt.line_start, is_cut=True)
    return Excerpt(excerpt.text[:size], excerpt.line_start, excerpt.line_start + kept - 1)


def last_lines(text: str, count: int) -> Excerpt:
    lines = ended(text)
    kept = lines[-count:]
    return Excerpt("".join(kept), len(lines) - len(kept) + 1, len(lines))


def last_chars(text: str, count: int) -> Excerpt:
    """So many characters at the end. The first line may be incomplete."""
    kept = text[-count:]
    before = text[: len(text) - len(kept)]
    return Excerpt(kept, before.count("\n") + 1, len(ended(text)), is_cut=bool(before) and not before.endswith("\n"))


def last_blocks(text: str, count: int) -> Excerpt:
    """So many blocks at the end, as they were appended."""
    found = blocks(text)
    kept = found[-count:]
    if len(kept) == len(found):
        return between(text, 1, None)
    shown = f"\n{SEPARATOR}".join(kept)
    return last_lines(text, len(ended(shown))) if text.endswith(shown) else Excerpt(shown, 1, len(ended(shown)))


def difference(old: str, new: str, names: tuple[str, str]) -> str:
    """A unified diff, as `patch` reads it."""
    from difflib import unified_diff

    lines = unified_diff(ended(old), ended(new), *names)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def numbered(excerpt: Excerpt) -> str:
    room = len(str(excerpt.line_end))
    return "".join(f"{n:>{room}}  {line}" for n, line in enumerate(ended(excerpt.text), start=excerpt.line_start))


# --- as JSON -----------------------------------------------------------------------------------------------


def outline_json(text: str) -> list[dict[str, Any]]:
    return [one._asdict() for one in outline(text)]


def workflow_page_json(page: WorkflowPage) -> dict[str, Any]:
    """A page of workflows, in the shape that `search-workflows` has always had."""
    return {
        "results": [
            {
                "workflow": workflow_json(hit.workflow),
                "score": hit.score,
                "rank": hit.rank,
                "matching_scratchpads": [
                    {**scratchpad_json(one.row), "score": one.score, "snippet": one.snippet}
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
        "score_kind": page.score_kind,
        "message": page.message,
    }


def scratchpad_page_json(page: ScratchpadPage) -> dict[str, Any]:
    return {
        "results": [
            {
                "scratchpad": scratchpad_json(hit.scratchpad),
                "workflow_name": hit.workflow_name,
                "score": hit.score,
                "score_kind": hit.score_kind,
                "snippet": hit.snippet,
                "line_start": hit.line_start,
                "line_end": hit.line_end,
            }
            for hit in page.results
        ],
        "total_results": page.total_results,
        "next_cursor": page.next_cursor,
        "query": page.query,
        "search_method": page.search_method,
    }


def matches_json(found: ScratchpadMatches) -> dict[str, Any]:
    return {
        "scratchpad": scratchpad_json(found.scratchpad),
        "query": found.query,
        "regex": found.regex,
        "matches": [one._asdict() for one in found.matches],
        "ranges": [one._asdict() for one in found.ranges],
        "total_matches": found.total_matches,
        "truncated": found.truncated,
    }


def workflow_json(row: WorkflowRow) -> dict[str, Any]:
    shown = row._asdict()
    if not shown["conflicts"]:
        del shown["conflicts"]
    return shown


def scratchpad_json(row: ScratchpadRow) -> dict[str, Any]:
    """A scratchpad without its project, which is the workflow's."""
    shown = row._asdict()
    del shown["project"]
    if not shown["conflicts"]:
        del shown["conflicts"]
    return shown


# --- as text -----------------------------------------------------------------------------------------------


def short(name: str) -> str:
    """The beginning of an id, for a table."""
    prefix, mark, rest = name.partition("_")
    return prefix + mark + rest[:_SHORT]


def _names(ids: Iterable[str]) -> dict[str, str]:
    """Short forms of ids if they differ, else the ids."""
    names = {name: short(name) for name in ids}
    return names if len(set(names.values())) == len(names) else {name: name for name in names}


def stamp(at: str) -> str:
    """`2026-11-15 10:00:07` for a time as it is stored."""
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


def workflow_as_text(row: WorkflowRow, scratchpads: Sequence[ScratchpadRow]) -> str:
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
    if scratchpads:
        parts.append(scratchpads_table(scratchpads))
    return "\n\n".join(parts)


def workflow_page_as_text(page: WorkflowPage) -> str:
    """Each workflow with its points, and below it the scratchpads that matched."""
    shown = []
    for hit in page.results:
        row = hit.workflow
        state = "" if row.is_active else " (inactive)"
        points = render.counted(hit.score, "point")
        lines = [f"{hit.rank}. {short(row.id)}  {render.bold(one_line(row.name))}{state}  {points}"]
        for one in hit.matching_scratchpads:
            lines.append(f"   {short(one.row.id)}  {one_line(one.row.title)}  {one.score}")
            if one.snippet:
                lines.append(f"     {render.dim(one_line(one.snippet))}")
        shown.append("\n".join(lines))
    return "\n\n".join(shown)


def scratchpad_page_as_text(page: ScratchpadPage) -> str:
    shown = []
    for hit in page.results:
        where = f"L{hit.line_start}" if hit.line_start == hit.line_end else f"L{hit.line_start}-L{hit.line_end}"
        title = render.bold(one_line(hit.scratchpad.title))
        about = f"{short(hit.scratchpad.id)}  {title}  {where}  {hit.score:.2f}{_of(hit.workflow_name)}"
        shown.append(f"{about}\n  {one_line(hit.snippet)}")
    return "\n\n".join(shown)


def _of(workflow: str) -> str:
    return render.dim(f" · {one_line(workflow)}") if workflow else ""


def scratchpads_table(found: Sequence[ScratchpadRow]) -> str:
    scratchpads, flows = _names(row.id for row in found), _names(row.workflow_id for row in found)
    rows = [
        {
            "id": scratchpads[row.id],
            "title": row.title,
            "version": row.version,
            "lines": row.lines,
            "size": _size(row.size_bytes),
            "workflow": flows[row.workflow_id],
            "project": project_name(row.project),
            "updated": stamp(row.updated_at)[:16],
            "other texts": row.conflicts or None,
        }
        for row in found
    ]
    columns = ["id", "title", "version", "lines", "size", "updated"]
    if any(row.conflicts for row in found):
        columns.append("other texts")
    if len(flows) > 1:
        columns[columns.index("size")] = "workflow"  # 80 columns do not hold both
    if several_projects(row.project for row in found):
        columns.insert(-1, "project")
    return render.as_table(columns, rows)


def scratchpad_heading(scratchpad: ScratchpadRow) -> str:
    lines = render.counted(scratchpad.lines, "line")
    facts = (f"version {scratchpad.version}", f"{lines}, {_size(scratchpad.size_bytes)}", stamp(scratchpad.updated_at))
    return " · ".join((f"{scratchpad.id}  {one_line(scratchpad.title)}", *facts))


def outline_as_text(found: ScratchpadText) -> str:
    return "\n".join(_outlined(one, len(str(found.row.lines))) for one in outline(found.text))


def _outlined(one: OutlineHeading, room: int) -> str:
    return f"{one.line:>{room}}-{one.last:<{room}}  {'  ' * (one.level - 1)}{one_line(one.title)}"


def history_table(found: Sequence[ScratchpadVersion]) -> str:
    rows = [
        {
            "version": one.version,
            "at": stamp(one.at),
            "what": _MODES.get(one.mode, one.mode),
            "by": one.actor,
            "lines": one.lines,
            "size": _size(one.size_bytes),
            "session": (one.session or "")[:8],
            "machine": one.machine,
            "other texts": one.conflicts or None,
        }
        for one in found
    ]
    columns = ["version", "at", "what", "by", "lines", "size"]
    columns += [name for name in ("machine", "other texts") if any(row[name] for row in rows)]
    if any(one.session for one in found):
        columns.append("session")
    return render.as_table(columns, rows)
