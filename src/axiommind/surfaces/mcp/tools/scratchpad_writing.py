"""Writing scratchpads: create, append, change, chop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from axiommind.errors import BadQuery, UsageError
from axiommind.surfaces.mcp.context import Context
from axiommind.surfaces.mcp.declarations import tool
from axiommind.surfaces.mcp.schemas import Arg
from axiommind.surfaces.mcp.tools._scratchpads import (
    MOST_SCRATCHPADS,
    Content,
    Line,
    ScratchpadId,
    VersionsRead,
    WorkflowId,
    WrittenScratchpadJson,
    whole_id,
)

if TYPE_CHECKING:
    from axiommind.memory import Memory

ORDER = 60
GROUP = "working-memory"

_VERSION = "Refused if it is another by now. Default: the one you read (over HTTP there is none: give it)."
Version = Annotated[int | None, Arg(_VERSION, ge=1)]


@tool(
    "create-scratchpad",
    "Create a scratchpad",
    "A new scratchpad in an active workflow, for findings, plans or state that a later context needs. A workflow "
    f"has {MOST_SCRATCHPADS} at most.",
    reads=False,
)
def create_scratchpad(
    ctx: Context,
    workflow_id: WorkflowId,
    title: Annotated[str, Arg(min_length=1)],
    content: Content = "",
) -> WrittenScratchpadJson:
    done = ctx.memory.scratchpads.create(workflow_id, title, content, actor="agent")
    return ctx.keep(VersionsRead).written(done)


@tool(
    "append-scratchpad",
    "Append to a scratchpad",
    "Add a block at the end of a scratchpad. Needs no reading first: what others append at the same time is kept "
    "too. The id may be a workflow's, if that has one scratchpad, or one with `context` in its title.",
    reads=False,
)
def append_scratchpad(
    ctx: Context,
    id: ScratchpadId,  # noqa: A002 - its name in the protocol
    content: Content,
    version: Annotated[int | None, Arg("Only on top of this version.", ge=1)] = None,
) -> WrittenScratchpadJson:
    name = _to_append_to(ctx.memory, id)
    done = ctx.memory.scratchpads.append(name, content, expect=version, actor="agent")
    return ctx.keep(VersionsRead).written(done, version)


def _to_append_to(memory: Memory, name: str) -> str:
    """The scratchpad to append to: of a workflow, the only one, or the only one that is about the context."""
    if not name.strip().lower().startswith("wf_"):
        return whole_id(memory, name)
    workflow = memory.workflows.show(name)
    rows = memory.scratchpads.list(workflow=workflow.id, limit=MOST_SCRATCHPADS)
    about = [row for row in rows if "context" in row.title.casefold()]
    for found in (rows, about):
        if len(found) == 1:
            return found[0].id
    if not rows:
        raise BadQuery(f"workflow {workflow.id} has no scratchpad yet", hint="create-scratchpad makes one")
    named = "; ".join(f"{row.id} {row.title!r}" for row in rows[:10])
    raise BadQuery(f"workflow {workflow.id} has {len(rows)} scratchpads: {named}", hint="give the id of one of them")


@tool(
    "update-scratchpad",
    "Change a scratchpad",
    "Change a scratchpad: replace all of it, insert before line_number, replace start_line to end_line (no content "
    "removes them), or add to the section headed section_marker (made if there is none). Refused if it was changed "
    "since you read it. Old versions are kept.",
    reads=False,
)
def update_scratchpad(
    ctx: Context,
    id: ScratchpadId,  # noqa: A002 - its name in the protocol
    mode: Literal["replace", "insert_at_line", "replace_lines", "append_section"],
    content: Content,
    line_number: Line = None,
    start_line: Line = None,
    end_line: Line = None,
    section_marker: Annotated[str | None, Arg("A heading.")] = None,
    version: Version = None,
) -> WrittenScratchpadJson:
    scratchpads, seen = ctx.memory.scratchpads, ctx.keep(VersionsRead)
    name = whole_id(ctx.memory, id)
    if mode == "insert_at_line":
        line = _needed(line_number, mode, "line_number")
        expect = version or seen.version(name)
        done = scratchpads.insert(name, line, content, expect=expect, actor="agent")
    elif mode == "append_section":
        heading = _needed(section_marker, mode, "section_marker")
        expect = version or seen.version(name)
        done = scratchpads.append_section(name, heading, content, expect=expect, actor="agent")
    elif mode == "replace_lines":
        start, end = _needed(start_line, mode, "start_line"), _needed(end_line, mode, "end_line")
        expect = version or seen.needed(name)
        done = scratchpads.replace_lines(name, start, end, content, expect=expect, actor="agent")
    else:
        expect = version or seen.needed(name)
        done = scratchpads.replace(name, content, expect=expect, actor="agent")
    return seen.written(done, expect)


def _needed(value: Any, mode: str, name: str) -> Any:
    if value is None:
        raise UsageError(f"{name}: is missing", hint=f"the mode {mode} needs it")
    return value


@tool(
    "chop-scratchpad",
    "Take lines off the end",
    "Take lines off the end of a scratchpad. Refused if it was changed since you read it. Old versions are kept.",
    reads=False,
)
def chop_scratchpad(
    ctx: Context,
    id: ScratchpadId,  # noqa: A002 - its name in the protocol
    lines: Annotated[int, Arg(ge=1)] = 1,
    version: Version = None,
) -> WrittenScratchpadJson:
    name = whole_id(ctx.memory, id)
    seen = ctx.keep(VersionsRead)
    expect = version or seen.needed(name)
    return seen.written(ctx.memory.scratchpads.chop(name, lines, expect=expect, actor="agent"), expect)
