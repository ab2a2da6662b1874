"""The JSON API under /api/v1: an address for each operation, and its description."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, get_type_hints

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from axiommind.errors import UsageError
from axiommind.surfaces.web.api.description import BASE, described, parameters_of
from axiommind.surfaces.web.api.operations import OPERATIONS, Operation
from axiommind.surfaces.web.api.shapes import as_json
from axiommind.surfaces.web.site import site_of

__all__ = ["ROUTES"]

_MOST = 2**53
_YES, _NO = ("1", "true", "yes"), ("", "0", "false", "no")


def _answering(one: Operation) -> Callable[[Request], Response]:
    parameters = parameters_of(one)
    hints = get_type_hints(one.answer)
    is_open = any(given.kind is inspect.Parameter.VAR_KEYWORD for given in parameters.values())
    named = {name for name, given in parameters.items() if given.kind is not inspect.Parameter.VAR_KEYWORD}

    def answer(request: Request) -> Response:
        given = {**request.query_params, **request.path_params}
        given.pop("project", None)
        unknown = set(given) - named
        if unknown and not is_open:
            raise UsageError(
                f"there is no parameter {sorted(unknown)[0]!r}", hint=", ".join(sorted(named | {"project"}))
            )
        missing = [name for name in named - set(given) if parameters[name].default is inspect.Parameter.empty]
        if missing:
            raise UsageError(f"{missing[0]!r} is missing", hint=f"{BASE}/openapi.json describes it")
        values = {name: _read(name, value, hints.get(name, str)) for name, value in given.items()}
        site = site_of(request)
        return _json(one.answer(site.memory, site.scope(request), **values))

    return answer


def description(_request: Request) -> Response:
    return _json(described())


def _json(value: Any) -> Response:
    return Response(as_json(value), media_type="application/json")


def _read(name: str, value: str, kind: Any) -> Any:
    """A parameter as its annotation says."""
    if kind is int:
        if not value.isascii() or not value.isdecimal() or int(value[:20]) > _MOST:
            raise UsageError(f"{name} is no number from 0 on: {value!r}", hint="such as 10")
        return int(value)
    if kind is bool:
        if value.lower() not in (*_YES, *_NO):
            raise UsageError(f"{name} is neither true nor false: {value!r}", hint="true or false")
        return value.lower() in _YES
    return value


ROUTES = [
    Route(f"{BASE}/openapi.json", description),
    *(Route(f"{BASE}{one.path}", _answering(one)) for one in OPERATIONS),
]
