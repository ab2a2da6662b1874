"""The API as an OpenAPI description, made of the operations' own annotations."""

from __future__ import annotations

import functools
import inspect
import re
from typing import Any, get_type_hints

from axiommind.surfaces.web.api.operations import OPERATIONS, Operation
from axiommind.surfaces.web.api.shapes import ShapeBook

__all__ = ["BASE", "described", "parameters_of"]

BASE = "/api/v1"
_ERROR = {
    "type": "object",
    "properties": {
        "error": {
            "type": "object",
            "properties": {"message": {"type": "string"}, "hint": {"type": "string"}},
            "required": ["message", "hint"],
        }
    },
    "required": ["error"],
}
_PROJECT = {
    "name": "project",
    "in": "query",
    "required": False,
    "schema": {"type": "string"},
    "description": "only this project",
}


def parameters_of(one: Operation) -> dict[str, inspect.Parameter]:
    """The parameters of an operation, without the memory and the scope; `params` stands for any others."""
    return dict(list(inspect.signature(one.answer).parameters.items())[2:])


@functools.cache
def described() -> dict[str, Any]:
    book = ShapeBook()
    paths = {f"{BASE}{one.path}": {"get": _operation(one, book)} for one in OPERATIONS}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "AxiomMind",
            "version": "1",
            "description": "Reading only. Times are epoch milliseconds. Bring the code of axm serve as a bearer token.",
        },
        "paths": paths,
        "components": {
            "schemas": {**book.schemas, "Error": _ERROR},
            "securitySchemes": {"code": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"code": []}],
    }


def _operation(one: Operation, book: ShapeBook) -> dict[str, Any]:
    hints = get_type_hints(one.answer)
    in_path = set(re.findall(r"\{(\w+)\}", one.path))
    parameters = []
    for name, given in parameters_of(one).items():
        if given.kind is inspect.Parameter.VAR_KEYWORD:
            continue
        is_needed = given.default is inspect.Parameter.empty
        schema = book.of(hints[name]) | ({} if is_needed else {"default": given.default})
        if hints[name] is int:
            schema |= {"minimum": 0, "maximum": 2**53}
        place = "path" if name in in_path else "query"
        parameters.append({"name": name, "in": place, "required": is_needed, "schema": schema})
    problems = {
        "description": "what is wrong, and what to do",
        "content": _json({"$ref": "#/components/schemas/Error"}),
    }
    return {
        "operationId": one.answer.__name__,
        "summary": one.summary,
        "description": " ".join((one.answer.__doc__ or one.summary).split()),
        "parameters": [*parameters, _PROJECT],
        "responses": {
            "200": {"description": "as asked", "content": _json(book.of(hints["return"]))},
            "4XX": problems,
            "5XX": problems,
        },
    }


def _json(schema: dict[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}
