"""Knowledge: the documents of added folders, rendered, at the lines that are cited."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from axiommind.errors import NotFound
from axiommind.model import Citation
from axiommind.surfaces.web.site import MenuPlace, page, site_of

__all__ = ["PLACE", "ROUTES"]

PLACE = MenuPlace(70, "knowledge", "/knowledge", "Knowledge", "k")

_SHOWN = 300


def knowledge(request: Request) -> Response:
    site = site_of(request)
    library = site.memory.documents.list()
    words = request.query_params.get("words", "").strip().lower()
    project = site.scope(request).project
    found = [
        one
        for one in library.documents
        if words in f"{one.title} {one.path}".lower() and (project is None or one.project in ("", project))
    ]
    by_folder: dict[str, list[object]] = {}
    for one in found[:_SHOWN]:
        by_folder.setdefault(one.root, []).append(one)
    return page(
        request,
        "knowledge.html",
        folders=library.folders,
        by_folder=by_folder,
        words=words,
        total=len(found),
        shown=_SHOWN,
    )


def document(request: Request) -> Response:
    memory = site_of(request).memory
    name, params = request.path_params["id"], request.query_params
    row = next((one for one in memory.documents.list().documents if one.id == name), None)
    if row is None:
        raise NotFound(
            f"there is no document {name!r}", hint="it may have been removed: axm kb list shows what there is"
        )
    opened = memory.passages.open(Citation(row.path, 1, max(row.lines, 1)))
    first = int(params["line"]) if params.get("line", "").isdecimal() else 0
    last = int(params["to"]) if params.get("to", "").isdecimal() else first
    text = "\n".join(opened.lines)
    return page(request, "document.html", row=row, text=text, first=first, last=last, is_raw="raw" in params)


ROUTES = [Route("/knowledge", knowledge), Route("/knowledge/{id}", document)]
