"""Tasks: a board by status, what waits for what as a graph, and one task with its history."""

from __future__ import annotations

from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from axiommind.errors import UsageError
from axiommind.projections.task_fold import PRIORITIES, TASK_STATUSES
from axiommind.surfaces.web.drawing import DrawnEdge, DrawnNode, graph
from axiommind.surfaces.web.site import Form, MenuPlace, action, page, see_other, site_of

__all__ = ["PLACE", "ROUTES"]

PLACE = MenuPlace(50, "tasks", "/tasks", "Tasks", "t")

_COLUMNS = ("in_progress", "blocked", "pending", "done")
_SHOWN = 40
_IN_GRAPH = 24


def tasks(request: Request) -> Response:
    site = site_of(request)
    memory, scope = site.memory, site.scope(request)
    given = request.query_params.get("status", "")
    if given:
        found = memory.tasks.list(scope, statuses=(given,), limit=500)
        return page(request, "tasks.html", columns=[(given, found, False)], given=given, drawn=None, blocked=0)
    columns = []
    for status in _COLUMNS:
        found = memory.tasks.list(scope, statuses=(status,), limit=_SHOWN + 1)
        columns.append((status, found[:_SHOWN], len(found) > _SHOWN))
    blocked = memory.tasks.blocked(scope, limit=_IN_GRAPH)
    nodes: dict[str, DrawnNode] = {}
    edges = []
    for one in blocked:
        name = one.task.task_id
        nodes[name] = DrawnNode(one.task.title, one.task.status, f"/tasks/{quote(name)}")
        for blocker in (*one.blocked_by, *one.suggested):
            where = f"/tasks/{quote(blocker.entity_id)}" if blocker.kind == "task" else ""
            nodes.setdefault(blocker.entity_id, DrawnNode(blocker.title, blocker.status or blocker.kind, where))
            edges.append(DrawnEdge(blocker.entity_id, name, blocker in one.suggested))
    drawn = graph(nodes, edges, "What waits for what") if edges else None
    return page(request, "tasks.html", columns=columns, given="", drawn=drawn, blocked=len(blocked))


def task(request: Request) -> Response:
    detail = site_of(request).memory.tasks.show(request.path_params["id"])
    if detail.task.task_id != request.path_params["id"]:
        return RedirectResponse(f"/tasks/{quote(detail.task.task_id)}", 307)
    return page(request, "task.html", detail=detail, task=detail.task, statuses=TASK_STATUSES, priorities=PRIORITIES)


def change_task(request: Request, form: Form) -> Response:
    site = site_of(request)
    name, act = request.path_params["id"], form.get("act", "")
    if act == "set":
        status, priority = form.get("status") or None, form.get("priority") or None
        site.memory.tasks.set(name, status=status, priority=priority, caller=site.caller)
    elif act == "reopen":
        site.memory.tasks.reopen(name, caller=site.caller)
    elif act == "resolve":
        site.memory.conditions.resolve(form.get("condition", ""), form.get("to", "").strip(), caller=site.caller)
    else:
        raise UsageError(f"there is no act {act!r}", hint="load the page again")
    return see_other(f"/tasks/{quote(name)}")


ROUTES = [
    Route("/tasks", tasks),
    Route("/tasks/{id}", task),
    Route("/tasks/{id}", action(change_task), methods=["POST"]),
]
