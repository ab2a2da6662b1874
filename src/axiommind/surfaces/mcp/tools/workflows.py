"""Workflows: pieces of work that outlast a context, each with scratchpads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, TypedDict

from axiommind.surfaces.mcp.context import Context
from axiommind.surfaces.mcp.declarations import tool
from axiommind.surfaces.mcp.pages import PAGE_TOKENS, Cursor, cost, count_fitting, mark_of, start_of
from axiommind.surfaces.mcp.schemas import Arg
from axiommind.surfaces.mcp.tools._scratchpads import (
    MOST_SCRATCHPADS,
    Offset,
    ProjectScope,
    ScratchpadJson,
    WorkflowId,
    WorkflowJson,
    next_cursor,
    scratchpad_json,
    shorten,
    workflow_json,
)

if TYPE_CHECKING:
    from axiommind.memory import Memory

ORDER = 40
GROUP = "working-memory"


class OneWorkflow(TypedDict):
    id: str
    workflow: WorkflowJson


class WorkflowWithScratchpads(OneWorkflow):
    scratchpads: list[ScratchpadJson]
    more_scratchpads: int  # that had no room: list-scratchpads has them


class LatestWorkflow(TypedDict):
    id: str | None
    workflow: WorkflowJson | None
    scratchpads: list[ScratchpadJson]
    message: str


class WorkflowList(TypedDict):
    workflows: list[WorkflowJson]
    next_cursor: str | None


@tool(
    "create-workflow",
    "Create a workflow",
    "Start a piece of work that outlasts this context: an active workflow to keep scratchpads in. Look with "
    "search-workflows or get-latest-active-workflow first whether there is one.",
    reads=False,
)
def create_workflow(
    ctx: Context,
    name: Annotated[str, Arg(min_length=1)],
    description: str = "",
    project_scope: Annotated[str | None, Arg("What it belongs to, such as the project's folder.")] = None,
) -> OneWorkflow:
    made = ctx.memory.workflows.create(name, description, project_scope, actor="agent", cwd=ctx.folder)
    return OneWorkflow(id=made.id, workflow=workflow_json(made))


@tool("list-workflows", "List workflows", "Workflows, the latest changed first. Long descriptions are cut.")
def list_workflows(
    ctx: Context,
    project_scope: ProjectScope = None,
    status: Literal["active", "inactive", "all"] = "all",
    limit: Annotated[int, Arg(ge=1, le=100)] = 20,
    offset: Offset = 0,
    cursor: Cursor = None,
) -> WorkflowList:
    mark = mark_of("workflows", project_scope, status)
    start = start_of(cursor, mark) if cursor else offset
    active = None if status == "all" else status == "active"
    found = ctx.memory.workflows.list(project_scope=project_scope, active=active, limit=limit + 1, offset=start)
    shown = shorten([workflow_json(row) for row in found[:limit]])
    shown = shown[: count_fitting(shown)]
    return WorkflowList(workflows=shown, next_cursor=next_cursor(found, start, len(shown), mark))


@tool("get-workflow", "One workflow", "A workflow, and its scratchpads without their texts.")
def get_workflow(
    ctx: Context,
    workflow_id: WorkflowId,
) -> WorkflowWithScratchpads:
    row = ctx.memory.workflows.show(workflow_id)
    workflow = workflow_json(row)
    scratchpads, more = _scratchpads_of(ctx.memory, workflow)
    return WorkflowWithScratchpads(id=row.id, workflow=workflow, scratchpads=scratchpads, more_scratchpads=more)


@tool(
    "get-latest-active-workflow",
    "The workflow to go on with",
    "Of the active workflows with this scope, the one that was worked on last, and its scratchpads without their "
    "texts: where to go on after a break.",
)
def get_latest_active_workflow(
    ctx: Context,
    project_scope: Annotated[str, Arg("As it was created with.", min_length=1)],
) -> LatestWorkflow:
    row = ctx.memory.workflows.latest_active(project_scope)
    if row is not None:
        workflow = workflow_json(row)
        scratchpads, more = _scratchpads_of(ctx.memory, workflow)
        message = f"{more} more scratchpads: list-scratchpads." if more else ""
        return LatestWorkflow(id=row.id, workflow=workflow, scratchpads=scratchpads, message=message)
    others = len(ctx.memory.workflows.list(active=True, limit=100))
    message = f"No active workflow has the scope {project_scope!r}"
    message += f"; of other scopes there are {others} (list-workflows)." if others else "; create-workflow makes one."
    return LatestWorkflow(id=None, workflow=None, scratchpads=[], message=message)


@tool(
    "update-workflow-status",
    "Set a workflow's status",
    "Make a workflow inactive when the work is done (its scratchpads can be read and take no writes), or active.",
    reads=False,
)
def update_workflow_status(
    ctx: Context,
    workflow_id: WorkflowId,
    is_active: bool,
) -> OneWorkflow:
    row = ctx.memory.workflows.update(workflow_id, active=is_active, actor="agent")
    return OneWorkflow(id=row.id, workflow=workflow_json(row))


def _scratchpads_of(memory: Memory, workflow: WorkflowJson) -> tuple[list[ScratchpadJson], int]:
    """The scratchpads that have room beside a workflow, and how many more there are."""
    rows = memory.scratchpads.list(workflow=workflow["id"], limit=MOST_SCRATCHPADS)
    shown = [scratchpad_json(row) for row in rows]
    shown = shown[: count_fitting(shown, PAGE_TOKENS - cost(workflow))]
    return shown, len(rows) - len(shown)
