"""Workflows: pieces of work that outlast a context, each with scratchpads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, TypedDict

from axiommind.surfaces.mcp.context import Context
from axiommind.surfaces.mcp.declarations import tool
from axiommind.surfaces.mcp.pages import Cursor, mark_of, start_of
from axiommind.surfaces.mcp.schemas import Arg
from axiommind.surfaces.mcp.tools._scratchpads import (
    MOST_SCRATCHPADS,
    Alias,
    OptionalWorkflowId,
    ProjectScope,
    ScratchpadJson,
    WorkflowJson,
    next_cursor,
    one_id,
    scratchpad_json,
    shorten,
    workflow_json,
)

if TYPE_CHECKING:
    from axiommind.memory import Memory

ORDER = 40


class OneWorkflow(TypedDict):
    id: str
    workflow: WorkflowJson


class WorkflowWithScratchpads(OneWorkflow):
    scratchpads: list[ScratchpadJson]


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
    name: Annotated[str, Arg("What it is called, in a few words.", min_length=1)],
    description: Annotated[str, Arg("What it is for.")] = "",
    project_scope: Annotated[str | None, Arg("What it belongs to, such as the project's folder.")] = None,
) -> OneWorkflow:
    made = ctx.memory.workflows.create(name, description, project_scope, actor="agent", cwd=ctx.folder)
    return OneWorkflow(id=made.id, workflow=workflow_json(made))


@tool("list-workflows", "List workflows", "Workflows, the latest changed first. Long descriptions are cut.")
def list_workflows(
    ctx: Context,
    project_scope: ProjectScope = None,
    status: Annotated[Literal["active", "inactive", "all"], Arg("Which of them.")] = "all",
    limit: Annotated[int, Arg("Most of them.", ge=1, le=100)] = 20,
    offset: Annotated[int, Arg("Leave out so many first.", ge=0)] = 0,
    cursor: Cursor = None,
) -> WorkflowList:
    mark = mark_of("workflows", project_scope, status)
    start = start_of(cursor, mark) if cursor else offset
    active = None if status == "all" else status == "active"
    found = ctx.memory.workflows.list(project_scope=project_scope, active=active, limit=limit + 1, offset=start)
    return WorkflowList(
        workflows=shorten([workflow_json(row) for row in found[:limit]]),
        next_cursor=next_cursor(found, start, limit, mark),
    )


@tool("get-workflow", "One workflow", "A workflow, and its scratchpads without their texts.")
def get_workflow(
    ctx: Context,
    workflow_id: OptionalWorkflowId = None,
    id: Alias = None,  # noqa: A002 - its name in the protocol
) -> WorkflowWithScratchpads:
    row = ctx.memory.workflows.show(one_id(workflow_id, id, "workflow_id"))
    scratchpads = _scratchpads_of(ctx.memory, row.id)
    return WorkflowWithScratchpads(id=row.id, workflow=workflow_json(row), scratchpads=scratchpads)


@tool(
    "get-latest-active-workflow",
    "The workflow to go on with",
    "Of the active workflows with this scope, the one that was worked on last, and its scratchpads without their "
    "texts: where to go on after a break.",
)
def get_latest_active_workflow(
    ctx: Context,
    project_scope: Annotated[str, Arg("Exactly this scope, as it was created with.", min_length=1)],
) -> LatestWorkflow:
    row = ctx.memory.workflows.latest_active(project_scope)
    if row is not None:
        scratchpads = _scratchpads_of(ctx.memory, row.id)
        return LatestWorkflow(id=row.id, workflow=workflow_json(row), scratchpads=scratchpads, message="")
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
    is_active: Annotated[bool, Arg("Whether it takes writes.")],
    workflow_id: OptionalWorkflowId = None,
    id: Alias = None,  # noqa: A002 - its name in the protocol
) -> OneWorkflow:
    row = ctx.memory.workflows.update(one_id(workflow_id, id, "workflow_id"), active=is_active, actor="agent")
    return OneWorkflow(id=row.id, workflow=workflow_json(row))


def _scratchpads_of(memory: Memory, workflow: str) -> list[ScratchpadJson]:
    return [scratchpad_json(row) for row in memory.scratchpads.list(workflow=workflow, limit=MOST_SCRATCHPADS)]
