"""What a tool takes and gives, as JSON schema: written from annotations, and held against what a client sends.

The standard library alone, because the server answers before anything heavier could be loaded. Schemas are written
out in full (no references), so that every client reads them.
"""

from __future__ import annotations

import json
import math
import types
from collections.abc import Callable
from typing import (
    Annotated,
    Any,
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

__all__ = ["Arg", "BadArguments", "Schema", "checked", "input_schema", "output_schema"]

Schema = dict[str, Any]

_PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean", types.NoneType: "null", dict: "object"}
_WANTED = {
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
    "array": "a list",
    "object": "an object",
}
_MOST_PROBLEMS = 5
_MOST_SHOWN = 60  # characters of a value in a message
_WHOLE = 2**63  # what SQLite can hold


class Arg(NamedTuple):
    """What an argument is, and its bounds: of a number, or of the length of a text or a list."""

    description: str = ""
    ge: float | None = None
    le: float | None = None
    min_length: int | None = None
    max_length: int | None = None


class BadArguments(Exception):
    """What is wrong with the arguments of a call, each naming its field."""


# --- written -----------------------------------------------------------------------------------------------------


def input_schema(function: Callable[..., Any]) -> Schema:
    """What a function takes. An argument with a default may be left out, or be null."""
    hints = get_type_hints(function, include_extras=True)
    names = _parameters(function)
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


def output_schema(function: Callable[..., Any]) -> Schema:
    """What a function gives: a TypedDict."""
    given = get_type_hints(function, include_extras=True).get("return")
    if not is_typeddict(given):
        raise TypeError(f"{function.__qualname__} has to give a TypedDict, not {given!r}")
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
                _mark(schema, mark)
        return schema
    if origin in (Union, types.UnionType):
        return _one_of([_schema(one, inside) for one in args])
    if origin is Literal:
        names = {_PLAIN[type(value)] for value in args}
        return {"type": names.pop() if len(names) == 1 else sorted(names), "enum": list(args)}
    if origin is list or kind is list:
        return {"type": "array", "items": _schema(args[0], inside)} if args else {"type": "array"}
    if origin is dict:
        of = _schema(args[1], inside)
        return {"type": "object", "additionalProperties": of} if of else {"type": "object"}
    if is_typeddict(kind) and kind not in inside:
        return _fields(kind, (*inside, kind))
    raise TypeError(f"there is no schema for {kind!r}")


def _one_of(schemas: list[Schema]) -> Schema:
    if all(schema.keys() == {"type"} and isinstance(schema["type"], str) for schema in schemas):
        names = [schema["type"] for schema in schemas]
        return {"anyOf": [{"type": name} for name in names]} if len(names) > 1 else schemas[0]
    return {"anyOf": schemas}


def _fields(kind: Any, inside: tuple[Any, ...]) -> Schema:
    hints = get_type_hints(kind, include_extras=True)
    # Where annotations are texts, the class itself cannot see NotRequired.
    required = [
        name
        for name, hint in hints.items()
        if get_origin(hint) is Required or (name in kind.__required_keys__ and get_origin(hint) is not NotRequired)
    ]
    schema: Schema = {"type": "object", "properties": {name: _schema(hint, inside) for name, hint in hints.items()}}
    if required:
        schema["required"] = required
    return schema


def _mark(schema: Schema, arg: Arg) -> None:
    if arg.description:
        schema["description"] = arg.description
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


# --- held against what is sent -----------------------------------------------------------------------------------


def checked(schema: Schema, arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a call as its function takes them, or what is wrong with them.

    An agent may write a number, a list or an object as a text that holds it. Null is an argument left out.
    """
    problems: list[str] = []
    properties = schema["properties"]
    if unknown := [name for name in arguments if name not in properties]:
        wanted = f"there are: {', '.join(properties)}" if properties else "there are none"
        problems.append(f"{', '.join(map(_shown, unknown[:_MOST_PROBLEMS]))}: no such argument ({wanted})")
    found = {}
    for name, of in properties.items():
        value = arguments.get(name)
        if value is None and not _takes_null(of):
            if name in schema.get("required", ()):
                problems.append(f"{name}: is missing")
        elif name in arguments:
            found[name] = _value(of, value, name, problems)
    if problems:
        more = len(problems) - _MOST_PROBLEMS
        raise BadArguments("; ".join(problems[:_MOST_PROBLEMS]) + (f"; and {more} more" if more > 0 else ""))
    return found


def _takes_null(schema: Schema) -> bool:
    return not schema or schema.get("type") == "null" or any(map(_takes_null, schema.get("anyOf", ())))


def _value(schema: Schema, value: Any, where: str, problems: list[str]) -> Any:
    if branches := schema.get("anyOf"):
        return _of_branches(branches, value, where, problems)
    wanted = schema.get("type")
    if wanted is None:
        return value
    for one in wanted if isinstance(wanted, list) else [wanted]:
        fits, value = _typed(one, value)
        if fits:
            break
    else:
        problems.append(f"{where}: {_shown(value)} is not {_WANTED.get(wanted, 'one of what it can be')}")
        return value
    if "enum" in schema and value not in schema["enum"]:
        problems.append(f"{where}: {_shown(value)} is not one of {', '.join(map(str, schema['enum']))}")
    elif isinstance(value, str):
        _bounded(schema, "Length", len(value), where, "characters", problems)
        if not value.isascii() and any("\ud800" <= letter <= "\udfff" for letter in value):
            problems.append(f"{where}: holds half of a character (a lone surrogate)")
    elif isinstance(value, list):
        _bounded(schema, "Items", len(value), where, "items", problems)
        items = schema.get("items", {})
        return [_value(items, one, f"{where}[{n}]", problems) for n, one in enumerate(value)]
    elif isinstance(value, dict):
        return _object(schema, value, where, problems)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        if value < schema.get("minimum", -_WHOLE):
            problems.append(f"{where}: {_shown(value)} is less than {schema.get('minimum', 'a number can be')}")
        elif value > schema.get("maximum", _WHOLE - 1):
            problems.append(f"{where}: {_shown(value)} is more than {schema.get('maximum', 'a number can be')}")
    return value


def _of_branches(branches: list[Schema], value: Any, where: str, problems: list[str]) -> Any:
    """The branch that the value is of by itself, else one that it can be read as, else what the first has against."""
    of_type = [one for one in branches if not one.get("type") or _is(one["type"], value)]
    against: list[str] = []
    for branch in of_type or branches:
        said: list[str] = []
        found = _value(branch, value, where, said)
        if not said:
            return found
        against = against or said
    if of_type:
        problems += against
    else:
        names = " or ".join(_WANTED.get(one.get("type", ""), "something else") for one in branches)
        problems.append(f"{where}: {_shown(value)} is not {names}")
    return value


def _object(schema: Schema, value: dict[str, Any], where: str, problems: list[str]) -> dict[str, Any]:
    properties, rest = schema.get("properties", {}), schema.get("additionalProperties", {})
    problems += [f"{where}.{name}: is missing" for name in schema.get("required", ()) if name not in value]
    return {
        name: _value(properties.get(name, rest or {}), one, f"{where}.{name}", problems) for name, one in value.items()
    }


def _bounded(schema: Schema, of: str, size: int, where: str, unit: str, problems: list[str]) -> None:
    least, most = schema.get(f"min{of}", 0), schema.get(f"max{of}", size)
    if size < least:
        is_empty = size == 0 and least == 1
        problems.append(f"{where}: is empty" if is_empty else f"{where}: {size} {unit} are fewer than {least}")
    elif size > most:
        problems.append(f"{where}: {size:,} {unit} are more than {most:,}")


def _is(name: str, value: Any) -> bool:
    if name in ("integer", "number"):
        is_number = isinstance(value, int if name == "integer" else (int, float))
        return is_number and not isinstance(value, bool) and math.isfinite(value)
    kind = {"string": str, "boolean": bool, "null": types.NoneType, "array": list, "object": dict}[name]
    return isinstance(value, kind)


def _typed(name: str, value: Any) -> tuple[bool, Any]:
    """Whether a value is of a type, and the value as that."""
    if _is(name, value):
        return True, value
    if name == "integer" and isinstance(value, float) and value.is_integer():
        return True, int(value)
    if name != "string" and isinstance(value, str) and len(value) < 1_000_000:
        try:
            read = json.loads(value)
        except (ValueError, RecursionError):
            return False, value
        if not isinstance(read, str) and read is not None and _typed(name, read)[0]:
            return True, _typed(name, read)[1]
    return False, value


def _shown(value: Any) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False) if not isinstance(value, str) else repr(value)
    except (ValueError, RecursionError, TypeError):
        text = f"{type(value).__name__}"
    return text if len(text) <= _MOST_SHOWN else text[: _MOST_SHOWN - 1] + "…"
