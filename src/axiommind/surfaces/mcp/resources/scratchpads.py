"""`axm://workflow/{id}` and `axm://pad/{id}`: a workflow with the headings of its scratchpads, and a scratchpad."""

from __future__ import annotations

from axiommind.surfaces.mcp.context import Context
from axiommind.surfaces.mcp.declarations import resource
from axiommind.surfaces.mcp.resources._markdown import MARKDOWN, MOST_COMPLETIONS, clipped, completed_by, one_line

ORDER = 40


@resource(
    "axm://workflow/{id}",
    "workflow",
    "A workflow",
    "A workflow, its scratchpads and their headings.",
    mime=MARKDOWN,
    complete={"id": completed_by("select id from workflows order by updated_at desc limit 5000")},
)
def workflow(ctx: Context, id: str) -> str:  # noqa: A002 - the template's word
    from axiommind.text.edits import outline

    flow = ctx.memory.workflows.show(id)
    state = "active" if flow.is_active else "over"
    parts = [f"# {one_line(flow.name)}", f"{flow.id} · {state} · updated {flow.updated_at}"]
    if flow.description:
        parts.append(flow.description)
    for row in ctx.memory.scratchpads.list(workflow=flow.id, limit=MOST_COMPLETIONS):
        found = outline(ctx.memory.scratchpads.show(row.id).text)
        lines = [f"{'  ' * (one.level - 1)}- {one_line(one.title)} (L{one.line}-L{one.last})" for one in found]
        about = f"{row.id} · version {row.version} · {row.lines} lines · axm://pad/{row.id}"
        parts.append("\n".join([f"## {one_line(row.title)}", about, *lines]))
    return ctx.clean(clipped("\n\n".join(parts), "list-scratchpads has the rest"))


@resource(
    "axm://pad/{id}",
    "pad",
    "A scratchpad",
    "The whole text of a scratchpad.",
    mime=MARKDOWN,
    complete={"id": completed_by("select id from pads order by updated_at desc limit 5000")},
)
def scratchpad(ctx: Context, id: str) -> str:  # noqa: A002 - the template's word
    found = ctx.memory.scratchpads.show(id)
    return ctx.clean(clipped(found.text, f"get-scratchpad {found.row.id} gives the rest by lines"))
