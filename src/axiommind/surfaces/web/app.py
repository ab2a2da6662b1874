"""The app: pages and API of their folders, what is told when something is wrong, and the gate in front of it all."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount
from starlette.staticfiles import StaticFiles

from axiommind.errors import AxmError, BadQuery, Changed, NeedsPerson, NotFound, PersonOnly, UsageError
from axiommind.registry import Registry
from axiommind.surfaces.serving.access import Address
from axiommind.surfaces.web import pages
from axiommind.surfaces.web.gate import Gate
from axiommind.surfaces.web.site import Site, page

__all__ = ["app_of", "gated"]

_STATIC = Path(__file__).parent / "static"
_PAGES: Registry[Any] = Registry(pages.__name__, requires=("ROUTES",), has_helpers=True)
_THREADS = 8  # that answer at once: each has its own connection and its own share of memory
_STATUS: tuple[tuple[type[AxmError], int], ...] = (
    (NotFound, 404),
    (PersonOnly, 403),
    (NeedsPerson, 403),
    (Changed, 409),
    (UsageError, 400),
    (BadQuery, 400),
)


def app_of(site: Site) -> Starlette:
    """The pages over a memory, without the gate."""
    routes: list[BaseRoute] = [Mount("/static", StaticFiles(directory=_STATIC))]
    modules: list[Any] = [_PAGES.find(name) for name in _PAGES.own()]
    for module in modules:
        routes += module.ROUTES
    places = sorted(module.PLACE for module in modules if hasattr(module, "PLACE"))
    app = Starlette(
        routes=routes,
        lifespan=_few_threads,
        exception_handlers={AxmError: _failed, HTTPException: _refused, 500: _broken},
    )
    app.state.site = replace(site, places=tuple(places))
    return app


def gated(site: Site, address: Address) -> Gate:
    """The app as it is served."""
    return Gate(app_of(site), address, site.entrance)


@contextlib.asynccontextmanager
async def _few_threads(_app: Starlette) -> AsyncIterator[None]:
    import anyio.to_thread

    anyio.to_thread.current_default_thread_limiter().total_tokens = _THREADS
    yield


async def _failed(request: Request, error: Exception) -> Response:
    assert isinstance(error, AxmError)
    status = next((status for kind, status in _STATUS if isinstance(error, kind)), 500)
    return _told(request, status, error.message, error.hint)


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 404:
        return _told(request, 404, "There is no such page", "the menu leads to all of them")
    told = _told(request, error.status_code, error.detail, "")
    told.headers.update(error.headers or {})  # a method that is not allowed says which are
    return told


async def _broken(request: Request, error: Exception) -> Response:
    return _told(
        request, 500, f"This is a mistake of ours: {type(error).__name__}", "axm doctor looks for what is wrong"
    )


def _told(request: Request, status: int, message: str, hint: str) -> Response:
    if request.url.path.startswith("/api/"):
        body = json.dumps({"error": {"message": message, "hint": hint}}, ensure_ascii=False)
        return Response(body, status, media_type="application/json")
    return page(request, "error.html", status=status, message=message, hint=hint)
