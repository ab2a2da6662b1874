"""Reading scratchpads: a text or some lines of it, its headings, its end, and a workflow's scratchpads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, NotRequired, TypedDict

from axiommind.errors import BadQuery, UsageError
from axiommind.surfaces.mcp.context import Context
from axiommind.surfaces.mcp.declarations import tool
from axiommind.surfaces.mcp.pages import PAGE_TOKENS, Cursor, chars_fitting, cost, count_fitting, mark_of, start_of
from axiommind.surfaces.mcp.schemas import Arg, RowShape
from axiommind.surfaces.mcp.tools._scratchpads import (
    LISTED_CHARS,
    MOST_SCRATCHPADS,
    NOTES,
    TEXT_TOKENS,
    IncludeContent,
    Line,
    MostChars,
    Offset,
    Preview,
    ScratchpadId,
    ScratchpadJson,
    VersionsRead,
    WorkflowId,
    chars_shown,
    next_cursor,
    scratchpad_json,
)

if TYPE_CHECKING:
    from axiommind.projections.scratchpad_rows import ScratchpadRow
    from axiommind.surfaces.render.scratchpads import Excerpt

ORDER = 50
GROUP = "working-memory"

_READ_CHARS = 2_000  # unless more is asked for
_TAIL_LINES = 50


class ScratchpadPart(TypedDict):
    id: str
    scratchpad: ScratchpadJson
    line_start: int
    line_end: int
    next_line: int | None  # where to read on
    truncated: bool
    note: str | None


class HeadingJson(RowShape, of="axiommind.text.edits:OutlineHeading", fields="line last level title"): ...


class ScratchpadOutline(TypedDict):
    id: str
    scratchpad: ScratchpadJson
    outline: list[HeadingJson]
    note: str | None


class ScratchpadList(TypedDict):
    scratchpads: list[ScratchpadJson]
    next_cursor: str | None
    note: str | None


class TailSize(TypedDict):
    lines: NotRequired[Annotated[int, Arg(ge=1)]]
    chars: NotRequired[Annotated[int, Arg(ge=1)]]
    blocks: NotRequired[Annotated[int, Arg(ge=1)]]


@tool(
    "get-scratchpad",
    "Read a scratchpad",
    "A scratchpad with its version: 2,000 characters of it, or all that fits (include_content), or some lines. "
    f"`next_line` says where to read on. {NOTES}",
)
def get_scratchpad(
    ctx: Context,
    id: ScratchpadId,  # noqa: A002 - its name in the protocol
    include_content: IncludeContent = None,
    preview_mode: Preview = False,
    max_content_chars: MostChars = None,
    line_start: Line = None,
    line_end: Line = None,
) -> ScratchpadPart:
    from axiommind.surfaces.render.scratchpads import between, within

    found = ctx.memory.scratchpads.show(id)
    in_lines = line_start is not None or line_end is not None
    whole = between(found.text, line_start or 1, line_end)
    if line_start and line_start > max(found.row.lines, 1):
        raise BadQuery(
            f"scratchpad {found.row.id} has {found.row.lines} lines, and no line {line_start}",
            hint="get-scratchpad-outline shows what is where",
        )
    if line_end and line_end < (line_start or 1):
        raise BadQuery(f"lines {line_start} to {line_end}: the last is before the first", hint="give them in order")
    if include_content is False:
        part = whole._replace(text="", line_end=whole.line_start - 1)
        return _part(found.row, part, None, is_whole=True)
    ctx.keep(VersionsRead).read(found)
    limit = chars_shown(include_content or in_lines, preview_mode, max_content_chars, _READ_CHARS)
    part = within(whole, min(limit, chars_fitting(whole.text, TEXT_TOKENS)))
    return _part(found.row, part, whole, is_whole=part.text == whole.text)


def _part(row: ScratchpadRow, part: Excerpt, whole: Excerpt | None, *, is_whole: bool) -> ScratchpadPart:
    shown = scratchpad_json(row)
    note = None
    if whole is not None:
        shown["content"] = part.text
        if part.is_cut:
            is_longer = len(part.text) < chars_fitting(whole.text, TEXT_TOKENS)
            more = "max_content_chars shows more" if is_longer else "search-scratchpad-content finds the rest"
            note = f"Line {part.line_start} is cut after {len(part.text):,} characters: {more}."
        elif not is_whole:
            note = f"Cut: line_start={part.line_end + 1} reads on; include_content=true gives as much as fits."
    if row.conflicts:
        what = "Another machine changed it at the same time, and both texts are kept"
        note = f"{note or ''} {what}: a person settles it with axm pad resolve {row.id}.".strip()
    ends = part.line_end >= row.lines
    return ScratchpadPart(
        id=row.id,
        scratchpad=shown,
        line_start=part.line_start,
        line_end=part.line_end,
        next_line=None if ends else part.line_end + 1,
        truncated=not is_whole,
        note=note,
    )


@tool(
    "get-scratchpad-outline",
    "A scratchpad's headings",
    "The headings of a scratchpad with the lines they reach to, so as to read only what is needed.",
)
def get_scratchpad_outline(
    ctx: Context,
    id: ScratchpadId,  # noqa: A002 - its name in the protocol
) -> ScratchpadOutline:
    from axiommind.surfaces.render.scratchpads import outline_json

    found = ctx.memory.scratchpads.show(id)
    headings = [HeadingJson(one) for one in outline_json(found.text)]
    shown = headings[: count_fitting(headings, TEXT_TOKENS)]
    note = None
    if len(shown) < len(headings):
        left = len(headings) - len(shown)
        note = f"{left:,} headings more: search-scratchpad-content with queryRegex ^# finds them."
    return ScratchpadOutline(id=found.row.id, scratchpad=scratchpad_json(found.row), outline=shown, note=note)


@tool(
    "tail-scratchpad",
    "The end of a scratchpad",
    f"The end of a scratchpad: {_TAIL_LINES} lines, or what tail_size says, or all that fits (full_content). {NOTES}",
)
def tail_scratchpad(
    ctx: Context,
    id: ScratchpadId,  # noqa: A002 - its name in the protocol
    tail_size: Annotated[TailSize | None, Arg("One of lines, chars, or blocks as they were appended.")] = None,
    lines: Annotated[int | None, Arg("So many lines.", ge=1, hidden=True)] = None,
    chars: Annotated[int | None, Arg("So many characters.", ge=1, hidden=True)] = None,
    blocks: Annotated[int | None, Arg("So many blocks, as they were appended.", ge=1, hidden=True)] = None,
    full_content: bool = False,
) -> ScratchpadPart:
    from axiommind.surfaces.render.scratchpads import last_chars

    unit, size = _tail_size(tail_size, {"lines": lines, "chars": chars, "blocks": blocks})
    found = ctx.memory.scratchpads.show(id)
    part = _tail(found.text, "all" if full_content else unit, size)
    if part.text == found.text:
        ctx.keep(VersionsRead).read(found)
    room = _end_fitting(part.text)
    shown = part if len(part.text) <= room else last_chars(found.text, room)
    note = None
    if shown.text != part.text:
        note = f"Cut to the last {room:,} characters: get-scratchpad reads the lines before {shown.line_start}."
    elif len(shown.text) < len(found.text):
        note = f"There is more before line {shown.line_start}: full_content, or get-scratchpad with line_end."
    scratchpad = scratchpad_json(found.row)
    scratchpad["content"] = shown.text
    return ScratchpadPart(
        id=found.row.id,
        scratchpad=scratchpad,
        line_start=shown.line_start,
        line_end=shown.line_end,
        next_line=None,
        truncated=len(shown.text) < len(found.text),
        note=note,
    )


def _end_fitting(text: str) -> int:
    """How many characters of a text's end fit into an answer."""
    return chars_fitting(text[::-1], TEXT_TOKENS)


def _tail_size(given: TailSize | None, sizes: dict[str, int | None]) -> tuple[str, int]:
    """The one unit that was given, and how many of it."""
    asked: list[tuple[str, Any]] = [*(given or {}).items()]
    asked += [(unit, size) for unit, size in sizes.items() if size is not None]
    if unknown := [unit for unit, _ in asked if unit not in sizes]:
        raise UsageError(f"tail_size: there is no {unknown[0]!r}", hint="one of lines, chars and blocks")
    if len(asked) > 1:
        raise UsageError("more than one size was given", hint="give one of lines, chars and blocks")
    return asked[0] if asked else ("lines", _TAIL_LINES)


def _tail(text: str, unit: str, size: int) -> Excerpt:
    from axiommind.surfaces.render.scratchpads import between, last_blocks, last_chars, last_lines

    if unit == "all":
        return between(text, 1, None)
    return {"lines": last_lines, "chars": last_chars, "blocks": last_blocks}[unit](text, size)


@tool(
    "list-scratchpads",
    "A workflow's scratchpads",
    f"The scratchpads of a workflow in the order they were made, with the beginning of each text. {NOTES}",
)
def list_scratchpads(
    ctx: Context,
    workflow_id: WorkflowId,
    limit: Annotated[int, Arg(ge=1, le=MOST_SCRATCHPADS)] = 20,
    offset: Offset = 0,
    cursor: Cursor = None,
    include_content: IncludeContent = None,
    preview_mode: Preview = False,
    max_content_chars: MostChars = None,
) -> ScratchpadList:
    workflow = ctx.memory.workflows.show(workflow_id).id
    mark = mark_of("pads", workflow)
    start = start_of(cursor, mark) if cursor else offset
    rows = ctx.memory.scratchpads.list(workflow=workflow, limit=limit + 1, offset=start)
    shown = [scratchpad_json(row) for row in rows[:limit]]
    shown = shown[: count_fitting(shown)]
    note = None
    if include_content is not False:
        chars = chars_shown(include_content, preview_mode, max_content_chars, LISTED_CHARS)
        cut = _add_texts(ctx, shown, chars)
        note = f"{cut} of the texts are cut: get-scratchpad reads one in full." if cut else None
    return ScratchpadList(scratchpads=shown, next_cursor=next_cursor(rows, start, len(shown), mark), note=note)


def _add_texts(ctx: Context, shown: list[ScratchpadJson], chars: int) -> int:
    """Add the beginning of each text, as much as fits into an answer; returns how many are cut."""
    from axiommind.surfaces.render.scratchpads import between, within

    left, cut = PAGE_TOKENS - sum(map(cost, shown)) - 20 * len(shown), 0  # names of fields, too
    for one in shown:
        text = ctx.memory.scratchpads.show(one["id"]).text
        one["content"] = within(between(text, 1, None), min(chars, chars_fitting(text[:chars], left))).text
        one["truncated"] = one["content"] != text
        left -= cost(one["content"])
        cut += one["truncated"]
    return cut
