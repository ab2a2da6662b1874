"""Changing `config.toml` as a person would: one line at a time, with comments and everything else left as they are.

What cannot be changed that way without changing something else is refused, with the line to write by hand.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from axiommind.errors import NotWritable, UsageError
from axiommind.private import make_private

__all__ = ["read_text", "replace_text", "with_values"]

_HEADER = re.compile(r"^\s*\[([^\[\]]+)\]\s*(?:#.*)?$")
_ASSIGNED = re.compile(r"^\s*([A-Za-z0-9_.\- ]+?)\s*=")
_PLAIN = re.compile(r'^(\s*[A-Za-z0-9_.\- ]+?\s*=\s*)("[^"\\]*"|[\w.+:\-]+)(\s*(?:#.*)?)$')


def read_text(path: Path) -> str | None:
    """The file's text; None where there is no file."""
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from error


def with_values(text: str, values: Mapping[str, str | None]) -> str:
    """The text with these settings (None: without them). Nothing else in it changes."""
    wanted = _parsed(text)
    for name, value in values.items():
        text = _without(text, name) if value is None else _with(text, name, value)
        _set(wanted, name, value)
    try:
        same = _filled(_parsed(text)) == _filled(wanted)
    except UsageError:
        same = False
    if not same:
        lines = ", ".join(name if value is None else f"{name} = {_literal(value)}" for name, value in values.items())
        raise UsageError(
            "config.toml is written in a way that cannot be changed safely", hint=f"change it by hand: {lines}"
        )
    return text


def replace_text(path: Path, text: str) -> None:
    """Replace the file in one step; an empty text removes it."""
    target = Path(os.path.realpath(path))
    try:
        if not text.strip():
            target.unlink(missing_ok=True)
            return
        make_private(target.parent)
        temporary = target.with_name(f".{target.name}.axm-{os.getpid()}")
        temporary.write_bytes(text.encode("utf-8"))
        with contextlib.suppress(FileNotFoundError):
            temporary.chmod(stat.S_IMODE(target.stat().st_mode))
        temporary.replace(target)
    except OSError as error:
        raise NotWritable(f"{target} cannot be written: {error.strerror}") from error


def _parsed(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(
            f"config.toml cannot be read: {error}", hint="nothing was written; correct it first"
        ) from error


def _set(tables: dict[str, Any], name: str, value: str | None) -> None:
    *path, last = name.split(".")
    inside = tables
    for part in path:
        inside = inside.setdefault(part, {})
    inside.pop(last, None)
    if value is not None:
        inside[last] = value


def _filled(tables: dict[str, Any]) -> dict[str, Any]:
    """Without tables that hold nothing: whether one is there makes no difference."""
    found = {name: _filled(value) if isinstance(value, dict) else value for name, value in tables.items()}
    return {name: value for name, value in found.items() if value != {}}


def _literal(value: str | None) -> str:
    return '"' + (value or "").replace("\\", "\\\\").replace('"', '\\"') + '"'


def _names(lines: list[str]) -> list[str]:
    """The setting that each line assigns, by its whole name; empty where it assigns none."""
    table, names = "", []
    for line in lines:
        header, assigned = _HEADER.match(line), _ASSIGNED.match(line)
        if header:
            table = header[1].strip() + "."
        names.append(table + assigned[1] if assigned and not header else "")
    return names


def _with(text: str, name: str, value: str) -> str:
    lines = text.split("\n")
    names = _names(lines)
    table, _, last = name.rpartition(".")
    if name in names:
        at = names.index(name)
        plain = _PLAIN.match(lines[at])
        kept = (plain[1], plain[3]) if plain else (lines[at].partition("=")[0] + "= ", "")
        lines[at] = kept[0] + _literal(value) + kept[1]
        return "\n".join(lines)
    headers = [n for n, line in enumerate(lines) if (found := _HEADER.match(line)) and found[1].strip() == table]
    dotted = [n for n, known in enumerate(names) if known.startswith(f"{table}.") and not headers]
    if headers:
        inside = [n for n, known in enumerate(names) if n > headers[0] and known.startswith(f"{table}.")]
        lines.insert(max(inside, default=headers[0]) + 1, f"{last} = {_literal(value)}")
        return "\n".join(lines)
    if dotted:
        lines.insert(dotted[-1] + 1, f"{name} = {_literal(value)}")
        return "\n".join(lines)
    before = text if not text or text.endswith("\n") else f"{text}\n"
    return f"{before}{chr(10) if before else ''}[{table}]\n{last} = {_literal(value)}\n"


def _without(text: str, name: str) -> str:
    lines = text.split("\n")
    names = _names(lines)
    if name not in names:
        return text
    at = names.index(name)
    del lines[at], names[at]
    above = at - 1
    is_alone = above >= 0 and _HEADER.match(lines[above]) and (at == len(lines) or not lines[at].strip())
    if is_alone and not any(known.startswith(f"{name.rpartition('.')[0]}.") for known in names):
        del lines[above]
        if above > 0 and not lines[above - 1].strip():
            del lines[above - 1]
    return "\n".join(lines)
