"""Scratchpads: workflows and their notes, every version, and editing against what somebody else wrote meanwhile."""

from __future__ import annotations

from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from axiommind.errors import Changed, NotFound, UsageError
from axiommind.memory import Memory
from axiommind.surfaces.web import prose
from axiommind.surfaces.web.site import Form, MenuPlace, action, page, see_other, site_of

__all__ = ["PLACE", "ROUTES"]

PLACE = MenuPlace(60, "scratchpads", "/scratchpads", "Scratchpads", "p")

_WORKFLOWS, _PADS = 100, 50


def scratchpads(request: Request) -> Response:
    site = site_of(request)
    memory, scope = site.memory, site.scope(request)
    query = request.query_params.get("q", "").strip()
    found = memory.scratchpads.search(query, limit=40).results if query else ()
    chosen = request.query_params.get("workflow", "")
    if chosen:
        workflows = [memory.workflows.show(chosen)]
    else:
        workflows = memory.workflows.list(project=scope.project, limit=_WORKFLOWS)
    pads = [(one, memory.scratchpads.list(workflow=one.id, limit=_PADS)) for one in workflows]
    return page(request, "scratchpads.html", workflows=pads, q=query, found=found)


def scratchpad(request: Request) -> Response:
    memory = site_of(request).memory
    name, params = request.path_params["id"], request.query_params
    shown = memory.scratchpads.show(name)
    if shown.row.id != name:
        return RedirectResponse(f"/scratchpads/{quote(shown.row.id)}", 307)
    versions = memory.scratchpads.history(name)
    at = params.get("at", "")
    old = memory.scratchpads.at(name, at) if at else None
    changes = None
    if old is not None:
        before = _before(memory, name, old.row.version)
        changes = prose.diff(before, old.text) if before is not None else None
    return page(
        request,
        "scratchpad.html",
        shown=old or shown,
        row=shown.row,
        versions=versions,
        is_old=old is not None and old.row.version != shown.row.version,
        changes=changes,
        edits="edit" in params,
        is_raw="raw" in params,
        workflow=memory.workflows.show(shown.row.workflow_id),
    )


def create(request: Request, form: Form) -> Response:
    site = site_of(request)
    if form.get("act") == "workflow":
        made = site.memory.workflows.create(
            form.get("name", "").strip(), form.get("description", ""), site.scope(request).project
        )
        return see_other(f"/scratchpads?workflow={quote(made.id)}")
    pad = site.memory.scratchpads.create(form.get("workflow", ""), form.get("title", "").strip())
    return see_other(f"/scratchpads/{quote(pad.row.id)}?edit")


def change_scratchpad(request: Request, form: Form) -> Response:
    """Write a version on top of the one that was read; where another came meanwhile, both are shown."""
    memory, name = site_of(request).memory, request.path_params["id"]
    expect = form.get("expect", "")
    if not expect.isdecimal():
        raise UsageError("which version was changed?", hint="load the page again")
    act = form.get("act", "")
    try:
        if act == "save":
            memory.scratchpads.replace(name, form.get("text", ""), expect=int(expect))
        elif act == "rename":
            memory.scratchpads.rename(name, form.get("title", "").strip(), expect=int(expect))
        elif act == "restore":
            memory.scratchpads.restore(name, form.get("at", ""), expect=int(expect))
        else:
            raise UsageError(f"there is no act {act!r}", hint="load the page again")
    except Changed as changed:
        if act != "save":
            raise
        now = memory.scratchpads.show(name)
        yours = form.get("text", "")
        base = memory.scratchpads.at(name, expect).text
        return page(
            request,
            "scratchpad_conflict.html",
            status=409,
            row=now.row,
            why=changed.message,
            yours=yours,
            theirs=prose.diff(base, now.text),
            mine=prose.diff(now.text, yours),
        )
    return see_other(f"/scratchpads/{quote(name)}")


def _before(memory: Memory, name: str, version: int) -> str | None:
    """The text of the version before one; None for the first."""

    if version <= 1:
        return None
    try:
        return memory.scratchpads.at(name, str(version - 1)).text
    except NotFound:
        return None


ROUTES = [
    Route("/scratchpads", scratchpads),
    Route("/scratchpads", action(create), methods=["POST"]),
    Route("/scratchpads/{id}", scratchpad),
    Route("/scratchpads/{id}", action(change_scratchpad), methods=["POST"]),
]
