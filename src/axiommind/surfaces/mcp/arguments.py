"""The arguments of a call, checked against the schema of its tool, with a message for each one that does not fit."""

from __future__ import annotations

import json
import math
import types
from typing import Any

from axiommind.surfaces.mcp.schemas import Schema

__all__ = ["BadArguments", "checked"]

_WANTED = {
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
    "array": "a list",
    "object": "an object",
}
_KINDS = {"string": str, "boolean": bool, "null": types.NoneType, "array": list, "object": dict}
_MOST_PROBLEMS = 5
_MOST_SHOWN = 60  # characters of a value in a message
_WHOLE = 2**63  # what SQLite can hold


class BadArguments(Exception):
    """What is wrong with the arguments of a call, each problem naming its field."""


def checked(schema: Schema, arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments as the function takes them; raises `BadArguments` with everything that is wrong.

    An agent may write a number, a list or an object as a string that holds it. Null counts as left out.
    """
    problems: list[str] = []
    properties = schema["properties"]
    arguments = _renamed(properties, arguments, problems)
    if unknown := [name for name in arguments if name not in properties]:
        known = [name for name, of in properties.items() if not of.get("hidden")]
        wanted = f"there are: {', '.join(known)}" if known else "there are none"
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


def _renamed(properties: Schema, arguments: dict[str, Any], problems: list[str]) -> dict[str, Any]:
    """The arguments under their own names, where an alias was used."""
    for name, of in properties.items():
        if (alias := of.get("alias")) is None or alias not in arguments:
            continue
        other = arguments[alias]
        arguments = {key: value for key, value in arguments.items() if key != alias}
        if other is None:
            continue
        if (given := arguments.get(name)) is not None and given != other:
            problems.append(f"{name}: two were given, {_shown(given)} and {_shown(other)}")
        arguments[name] = other if given is None else given
    return arguments


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
    """By the branch of the value's own type, else by one that it can be converted to, else a problem."""
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
    return isinstance(value, _KINDS[name])


def _typed(name: str, value: Any) -> tuple[bool, Any]:
    """Whether a value is of a type or can be converted to it, and the value after that."""
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
