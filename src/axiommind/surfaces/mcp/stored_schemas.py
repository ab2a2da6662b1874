"""The schemas of our tools, stored in `schemas.json`: writing them from annotations takes longer than a client waits.

`make docs` writes the file, and a test compares it with what the annotations say. A tool that is not in it, such as a
new one, gets its schemas from its annotations.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from axiommind.surfaces.mcp.schemas import Schema, input_schema, output_schema

__all__ = ["PATH", "ToolSchemas", "as_text", "derived_schemas", "schemas_of"]

PATH = Path(__file__).with_name("schemas.json")


class ToolSchemas(NamedTuple):
    input: Schema
    output: Schema


def schemas_of(function: Callable[..., Any]) -> ToolSchemas:
    """The schemas of a tool's function: as they are stored, else from its annotations."""
    stored = _stored().get(_name(function))
    return derived_schemas(function) if stored is None else ToolSchemas(**stored)


def derived_schemas(function: Callable[..., Any]) -> ToolSchemas:
    return ToolSchemas(input_schema(function), output_schema(function))


def as_text(functions: list[Callable[..., Any]]) -> str:
    """The file for these tools, one line each."""
    lines = [
        f"{json.dumps(_name(one))}: {json.dumps(derived_schemas(one)._asdict(), ensure_ascii=False)}"
        for one in sorted(functions, key=_name)
    ]
    return "{\n" + ",\n".join(lines) + "\n}\n"


@functools.cache
def _stored() -> dict[str, dict[str, Schema]]:
    try:
        return dict(json.loads(PATH.read_bytes()))
    except FileNotFoundError:
        return {}


def _name(function: Callable[..., Any]) -> str:
    return f"{function.__module__.removeprefix(f'{__package__}.')}.{function.__qualname__}"
