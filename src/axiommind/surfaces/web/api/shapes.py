"""Values of the library as JSON, and the JSON schema of a type: both follow the annotations of the value's class."""

from __future__ import annotations

import dataclasses
import json
import math
import sys
import types
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

__all__ = ["ShapeBook", "as_json", "to_plain"]

_PLAIN: dict[Any, dict[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    types.NoneType: {"type": "null"},
    Path: {"type": "string"},
    bytes: {"type": "string"},
}


def as_json(value: Any) -> str:
    return json.dumps(to_plain(value), ensure_ascii=False)


def to_plain(value: Any) -> Any:
    """A value as JSON has it: rows are objects, and what JSON does not know is text, or null."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, bool | int | None):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if hasattr(value, "_asdict"):
        return {name: to_plain(one) for name, one in value._asdict().items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(name): to_plain(one) for name, one in value.items()}
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, Sequence | set | frozenset):
        return [to_plain(one) for one in value]
    return str(value)


class ShapeBook:
    """The schemas of rows that others name, each once, under `components`."""

    def __init__(self) -> None:
        self.schemas: dict[str, dict[str, Any]] = {}

    def of(self, kind: Any) -> dict[str, Any]:
        """The schema of a type."""
        origin, args = get_origin(kind), get_args(kind)
        if kind in _PLAIN:
            return dict(_PLAIN[kind])
        if kind is Any or kind is object:
            return {}
        if origin is Literal:
            return {"type": "string", "enum": list(args)}
        if origin in (Union, types.UnionType):
            return {"anyOf": [self.of(one) for one in args]}
        if origin in (list, tuple, Sequence, frozenset, set):
            return self._list(origin, args)
        if origin in (dict, Mapping):
            return {"type": "object", "additionalProperties": self.of(args[1])}
        if kind in (dict, Mapping):
            return {"type": "object"}
        if isinstance(kind, type) and (hasattr(kind, "_fields") or dataclasses.is_dataclass(kind)):
            return self._row(kind)
        return {}

    def _list(self, origin: Any, args: tuple[Any, ...]) -> dict[str, Any]:
        if origin is tuple and args and args[-1] is not ...:
            return {
                "type": "array",
                "prefixItems": [self.of(one) for one in args],
                "minItems": len(args),
                "maxItems": len(args),
            }
        return {"type": "array", "items": self.of(args[0])}

    def _row(self, kind: type) -> dict[str, Any]:
        name = kind.__name__
        if name not in self.schemas:
            self.schemas[name] = {}  # it may name itself
            hints = _hints(kind)
            names = getattr(kind, "_fields", None) or [field.name for field in dataclasses.fields(kind)]
            properties = {field: self.of(hints.get(field, Any)) for field in names}
            self.schemas[name] = {"type": "object", "properties": properties, "required": list(names)}
            if kind.__doc__ and not kind.__doc__.startswith(f"{name}("):
                self.schemas[name]["description"] = " ".join(kind.__doc__.split())
        return {"$ref": f"#/components/schemas/{name}"}


def _hints(kind: type) -> dict[str, Any]:
    """The types of a row's fields. Some are only imported for type checkers; those stay open."""
    module = vars(sys.modules[kind.__module__])
    found = {}
    for name, hint in kind.__annotations__.items():
        try:
            found[name] = get_type_hints(types.SimpleNamespace(__annotations__={name: hint}), module)[name]
        except NameError:
            found[name] = Any
    return found
