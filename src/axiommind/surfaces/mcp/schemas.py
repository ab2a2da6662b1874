"""JSON schemas of what a tool takes and returns, written from the annotations of its function.

Standard library only, because the server answers before anything heavier could be loaded. Schemas are written out in
full, without references, so that every client can read them. An object of an answer is a TypedDict, or a `RowShape`:
fields of a row of the library, whose types are declared there and nowhere else.
"""

from __future__ import annotations

import importlib
import types
from collections.abc import Callable
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    NotRequired,
    Required,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

__all__ = ["OPTIONAL", "Arg", "RowShape", "Schema", "input_schema", "output_schema", "published"]

Schema = dict[str, Any]

_PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean", types.NoneType: "null", dict: "object"}


OPTIONAL = "optional"  # marks a field of a RowShape that may be missing: Annotated[str, OPTIONAL]


class Arg(NamedTuple):
    """What an argument is for, and its bounds: of a number, or of the length of a text or a list. `alias` is another
    name that it is taken under; one that is `hidden` is taken, too. Neither is published: they are for agents that
    learned them elsewhere, and every word of a schema costs all the others."""

    description: str = ""
    ge: float | None = None
    le: float | None = None
    min_length: int | None = None
    max_length: int | None = None
    alias: str = ""
    hidden: bool = False


class RowShape(dict[str, Any]):
    """An object of an answer that shows fields of a row. `of` is the row's class (`module:Class`, imported when the
    schema is first needed); `fields` are the names to show, in order, `task_id:id` under another name. An annotation
    declares what the row does not have, or has in another form; unnamed ones come last.

        class TaskJson(RowShape, of="axiommind.projections.task_rows:TaskRow", fields="task_id:id title status"):
            may_go_on: bool
    """

    _row: ClassVar[str] = ""
    _shown: ClassVar[str] = ""

    def __init_subclass__(cls, of: str = "", fields: str = "") -> None:
        cls._row, cls._shown = of or cls._row, fields or cls._shown

    @classmethod
    def hints(cls) -> dict[str, Any]:
        """The type of each field, in order. Of the row only the fields shown are looked at."""
        own = get_type_hints(cls, include_extras=True)
        own = {name: hint for name, hint in own.items() if not name.startswith("_")}
        names: dict[str, str] = {}
        for field in cls._shown.split():
            source, _, shown = field.partition(":")
            names[shown or source] = source
        found = {**own, **cls._row_hints([source for source in names.values() if source not in own])}
        return {shown: found.pop(source) for shown, source in names.items()} | found

    @classmethod
    def _row_hints(cls, fields: list[str]) -> dict[str, Any]:
        if not fields:
            return {}
        module, _, name = cls._row.partition(":")
        home = vars(importlib.import_module(module))
        annotations = home[name].__annotations__
        return get_type_hints(types.SimpleNamespace(__annotations__={f: annotations[f] for f in fields}), home)


def input_schema(function: Callable[..., Any]) -> Schema:
    """What a function takes after its context. An argument with a default may be left out, or be null."""
    hints = get_type_hints(function, include_extras=True)
    names = _parameters(function)[1:]
    defaults = _defaults(function)
    properties: Schema = {}
    for name in names:
        properties[name] = _schema(_without_none(hints[name]) if defaults.get(name, ...) is None else hints[name])
        if defaults.get(name) is not None:
            properties[name]["default"] = defaults[name]
    schema: Schema = {"type": "object", "properties": properties}
    if required := [name for name in names if name not in defaults]:
        schema["required"] = required
    schema["additionalProperties"] = False
    return schema


def published(schema: Schema) -> Schema:
    """The schema of a function's arguments as agents see it. That there are no others they need not be told before
    they try."""
    properties = {
        name: {key: value for key, value in of.items() if key != "alias"}
        for name, of in schema["properties"].items()
        if not of.get("hidden")
    }
    return {key: value for key, value in schema.items() if key != "additionalProperties"} | {"properties": properties}


def output_schema(function: Callable[..., Any]) -> Schema:
    """What a function returns: a TypedDict, or a RowShape."""
    given = get_type_hints(function, include_extras=True).get("return")
    if not is_typeddict(given) and not _is_row_shape(given):
        raise TypeError(f"{function.__qualname__} has to return a TypedDict or a RowShape, not {given!r}")
    return _schema(given)


def _parameters(function: Callable[..., Any]) -> tuple[str, ...]:
    code = function.__code__
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def _defaults(function: Callable[..., Any]) -> dict[str, Any]:
    positional = function.__code__.co_varnames[: function.__code__.co_argcount]
    values = function.__defaults__ or ()
    return {
        **dict(zip(positional[len(positional) - len(values) :], values, strict=True)),
        **(function.__kwdefaults__ or {}),
    }


def _without_none(kind: Any) -> Any:
    if get_origin(kind) is Annotated:
        inner, *marks = get_args(kind)
        return Annotated[(_without_none(inner), *marks)]
    if get_origin(kind) in (Union, types.UnionType):
        return Union[tuple(one for one in get_args(kind) if one is not types.NoneType)]  # noqa: UP007
    return kind


def _is_row_shape(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, RowShape)


def _schema(kind: Any, inside: tuple[Any, ...] = ()) -> Schema:
    origin, args = get_origin(kind), get_args(kind)
    if kind is Any or kind is object:
        return {}
    if kind in _PLAIN:
        return {"type": _PLAIN[kind]}
    if origin in (Required, NotRequired):
        return _schema(args[0], inside)
    if origin is Annotated:
        schema = _schema(args[0], inside)
        for mark in args[1:]:
            if isinstance(mark, Arg):
                _add_bounds(schema, mark)
        return schema
    if origin in (Union, types.UnionType):
        return {"anyOf": [_schema(one, inside) for one in args]}
    if origin is Literal:
        names = {_PLAIN[type(value)] for value in args}
        return {"type": names.pop() if len(names) == 1 else sorted(names), "enum": list(args)}
    if origin is list or kind is list:
        return {"type": "array", "items": _schema(args[0], inside)} if args else {"type": "array"}
    if origin is dict:
        of = _schema(args[1], inside)
        return {"type": "object", "additionalProperties": of} if of else {"type": "object"}
    if kind not in inside and (is_typeddict(kind) or _is_row_shape(kind)):
        return _object(kind, (*inside, kind))
    raise TypeError(f"there is no schema for {kind!r}")


def _object(kind: Any, inside: tuple[Any, ...]) -> Schema:
    if _is_row_shape(kind):
        hints = kind.hints()
        required = [name for name, hint in hints.items() if OPTIONAL not in get_args(hint)[1:]]
    else:
        hints = get_type_hints(kind, include_extras=True)
        # Where annotations are strings, the TypedDict itself cannot see NotRequired.
        required = [
            name
            for name, hint in hints.items()
            if get_origin(hint) is Required or (name in kind.__required_keys__ and get_origin(hint) is not NotRequired)
        ]
    schema: Schema = {"type": "object", "properties": {name: _schema(hint, inside) for name, hint in hints.items()}}
    if required:
        schema["required"] = required
    return schema


def _add_bounds(schema: Schema, arg: Arg) -> None:
    if arg.description:
        schema["description"] = arg.description
    if arg.alias:
        schema["alias"] = arg.alias
    if arg.hidden:
        schema["hidden"] = True
    for branch in schema.get("anyOf", [schema]):
        of = branch.get("type")
        if of in ("integer", "number"):
            bounds = {"minimum": arg.ge, "maximum": arg.le}
        elif of == "string":
            bounds = {"minLength": arg.min_length, "maxLength": arg.max_length}
        elif of == "array":
            bounds = {"minItems": arg.min_length, "maxItems": arg.max_length}
        else:
            continue
        branch.update({name: bound for name, bound in bounds.items() if bound is not None})
