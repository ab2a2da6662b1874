"""Our entries in the JSON settings of clients: recognised, added, updated and removed; everything else stays.

They are recognised by what they run, so those of an older version or another environment are found too. Most clients
keep hooks as Claude Code does: per event a list of groups, each with a matcher and a list of handlers.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from axiommind.errors import AxmError
from axiommind.surfaces.install import _program
from axiommind.surfaces.install._files import Json

__all__ = [
    "SERVER",
    "Wanted",
    "group_of",
    "our_hooks",
    "our_server",
    "with_hooks",
    "with_server",
    "without_hooks",
    "without_server",
    "words_of",
]

SERVER = "axiommind"


class Wanted(NamedTuple):
    """A hook that is to be there. Of a handler of ours that is found, what `more` says stays as the user has it."""

    event: str  # as the client calls it
    handler: Json
    more: Json
    matcher: str | None = None


def _is_our_hook(handler: object) -> bool:
    words = words_of(handler)
    return bool(words) and (_stem(words[0]) == "axm-hook" or _program.HOOKS in words[1:])


def _is_our_server(server: object) -> bool:
    words = words_of(server)
    return bool(words) and (
        (_stem(words[0]) == "axm" and words[1:2] == ["mcp"])
        or [word for word in words[1:5] if word != "-P"][:3] == ["-m", "axiommind", "mcp"]
    )


def words_of(entry: object) -> list[str]:
    """The command of an entry and its arguments; without arguments the client gives the command to a shell."""
    if not isinstance(entry, dict):
        return []
    command = entry.get("command", entry.get("bash"))
    if isinstance(command, list):
        return list(map(str, command))
    if not isinstance(command, str):
        return []
    if isinstance(args := entry.get("args"), list):
        return [command, *map(str, args)]
    try:
        words = shlex.split(command)
    except ValueError:
        words = command.split()
    while words and "=" in words[0] and words[0].partition("=")[0].isidentifier():
        words = words[1:]
    return words


def _stem(program: str) -> str:
    return program.replace("\\", "/").rpartition("/")[2].removesuffix(".exe")


# --- hooks -------------------------------------------------------------------------------------------------


def _groups(data: Json) -> dict[str, list[Any]]:
    """The hooks by event, where they have the expected shape."""
    hooks = data.get("hooks")
    found = hooks.items() if isinstance(hooks, dict) else ()
    return {event: groups for event, groups in found if isinstance(groups, list)}


def _handlers(group: object) -> list[Any]:
    """The handlers of a group; where a client has no groups, the entry is the handler."""
    if not isinstance(group, dict):
        return []
    handlers = group.get("hooks")
    if isinstance(handlers, list):
        return handlers
    return [group] if "hooks" not in group and words_of(group) else []


def our_hooks(data: Json) -> list[tuple[str, Json]]:
    """(event, entry) of each hook of ours."""
    return [
        (event, handler)
        for event, groups in _groups(data).items()
        for group in groups
        for handler in _handlers(group)
        if _is_our_hook(handler)
    ]


def with_hooks(data: Json, wanted: Sequence[Wanted], *, grouped: bool = True) -> Json:
    """Settings with our hooks: an old one of ours is updated in its place; everything else stays."""
    hooks = data.get("hooks", {})
    if not isinstance(hooks, dict):
        raise AxmError('"hooks" is not an object')
    result = dict(hooks)
    for name, groups in _groups(data).items():
        if name not in {one.event for one in wanted} and (kept := _stripped(groups)) != groups:
            result[name] = kept
            if not kept:
                del result[name]
    for one in wanted:
        groups = result.get(one.event, [])
        if not isinstance(groups, list):
            raise AxmError(f'"hooks.{one.event}" is not a list')
        result[one.event] = _with_event(groups, one) if grouped else _with_entry(groups, one)
    return {**data, "hooks": result}


def _with_event(groups: list[Any], wanted: Wanted) -> list[Any]:
    for at, group in enumerate(groups):
        handlers = _handlers(group)
        old = next((h for h in handlers if _is_our_hook(h)), None)
        if old is None or old is group:
            continue
        new = _updated(old, wanted)
        matcher = {"matcher": wanted.matcher} if wanted.matcher and all(map(_is_our_hook, handlers)) else {}
        rest = [new if h is old else h for h in handlers if h is old or not _is_our_hook(h)]
        return [*groups[:at], {**group, **matcher, "hooks": rest}, *_stripped(groups[at + 1 :])]
    return [*groups, group_of(wanted)]


def _with_entry(entries: list[Any], wanted: Wanted) -> list[Any]:
    """The same where a client has no groups."""
    matcher = {"matcher": wanted.matcher} if wanted.matcher else {}
    for at, old in enumerate(entries):
        if _is_our_hook(old):
            return [*entries[:at], {**_updated(old, wanted), **matcher}, *_stripped(entries[at + 1 :])]
    return [*entries, {**matcher, **wanted.handler, **wanted.more}]


def _updated(old: Json, wanted: Wanted) -> Json:
    """A handler made new. What the user changed in it, such as the timeout, stays."""
    new = {**{k: v for k, v in old.items() if k not in wanted.handler}, **wanted.handler}
    return {k: new[k] for k in dict.fromkeys((*old, *new))}


def group_of(wanted: Wanted) -> Json:
    """The entry of an event, where there is none yet."""
    group = {"matcher": wanted.matcher} if wanted.matcher else {}
    return {**group, "hooks": [{**wanted.handler, **wanted.more}]}


def _stripped(groups: list[Any]) -> list[Any]:
    """Groups of hooks without ours, and without those that held nothing else."""
    kept = []
    for group in groups:
        handlers = _handlers(group)
        rest = [h for h in handlers if not _is_our_hook(h)]
        if len(rest) == len(handlers):
            kept.append(group)
        elif rest:
            kept.append({**group, "hooks": rest})
    return kept


def without_hooks(data: Json, before: Json | None) -> Json:
    """Settings without our hooks. What is empty without them goes too, unless it was there before us."""
    if not our_hooks(data):
        return data
    known = before or {}
    hooks = dict(data["hooks"])
    for event, groups in _groups(data).items():
        hooks[event] = _stripped(groups)
        if not hooks[event] and groups and event not in _groups(known):
            del hooks[event]
    result = {**data, "hooks": hooks}
    if not hooks and "hooks" not in known:
        del result["hooks"]
    return result


# --- the MCP server ----------------------------------------------------------------------------------------


def our_server(data: Json, keys: Sequence[str] = ("mcpServers",)) -> Json | None:
    server = _inside(data, keys).get(SERVER)
    return server if isinstance(server, dict) and _is_our_server(server) else None


def with_server(data: Json, entry: Json, keys: Sequence[str] = ("mcpServers",)) -> Json:
    """Settings with our server in the object that these keys lead to."""
    key, *deeper = keys
    inside = data.get(key, {})
    if not isinstance(inside, dict):
        raise AxmError(f'"{key}" is not an object')
    if deeper:
        return {**data, key: with_server(inside, entry, deeper)}
    old = inside.get(SERVER, {})
    if old and not _is_our_server(old):
        raise AxmError(f'"{key}.{SERVER}" is another server', hint="--no-mcp leaves it as it is")
    return {**data, key: {**inside, SERVER: {**old, **entry}}}


def without_server(data: Json, before: Json | None, keys: Sequence[str] = ("mcpServers",)) -> Json:
    if our_server(data, keys) is None:
        return data
    key, *deeper = keys
    known = (before or {}).get(key)
    if deeper:
        inside = without_server(data[key], known if isinstance(known, dict) else None, deeper)
    else:
        inside = {name: server for name, server in data[key].items() if name != SERVER}
    result = {**data, key: inside}
    if not inside and key not in (before or {}):
        del result[key]
    return result


def _inside(data: Mapping[str, Any], keys: Sequence[str]) -> Mapping[str, Any]:
    for key in keys:
        inner = data.get(key)
        if not isinstance(inner, dict):
            return {}
        data = inner
    return data
