"""Our entries in Claude Code's files: recognised, added, updated and removed; everything else stays.

They are recognised by what they run, so those of an older version or another environment are found too.
"""

from __future__ import annotations

import shlex
from typing import Any

from axiommind.errors import AxmError
from axiommind.surfaces.hooks.answers import HookEvent
from axiommind.surfaces.hooks.events import all_events
from axiommind.surfaces.install import _program
from axiommind.surfaces.install._files import Json

__all__ = [
    "SERVER",
    "has_ours",
    "hook_group",
    "our_hooks",
    "our_server",
    "with_hooks",
    "with_server",
    "without_ours",
    "words_of",
]

SERVER = "axiommind"


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
    if not isinstance(entry, dict) or not isinstance(command := entry.get("command"), str):
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


def _groups(data: Json) -> dict[str, list[Any]]:
    """The hooks by event, where they have the expected shape."""
    hooks = data.get("hooks")
    found = hooks.items() if isinstance(hooks, dict) else ()
    return {event: groups for event, groups in found if isinstance(groups, list)}


def _handlers(group: object) -> list[Any]:
    handlers = group.get("hooks") if isinstance(group, dict) else None
    return handlers if isinstance(handlers, list) else []


def our_hooks(data: Json) -> list[tuple[str, Json]]:
    """(event, entry) of each hook of ours."""
    return [
        (event, handler)
        for event, groups in _groups(data).items()
        for group in groups
        for handler in _handlers(group)
        if _is_our_hook(handler)
    ]


def our_server(data: Json) -> Json | None:
    servers = data.get("mcpServers")
    server = servers.get(SERVER) if isinstance(servers, dict) else None
    return server if _is_our_server(server) else None


def has_ours(data: Json) -> bool:
    return bool(our_hooks(data)) or our_server(data) is not None


def with_hooks(data: Json, program: tuple[str, ...]) -> Json:
    """Settings with our hooks: an old one of ours is updated in its place; everything else stays."""
    hooks = data.get("hooks", {})
    if not isinstance(hooks, dict):
        raise AxmError('"hooks" is not an object')
    result = dict(hooks)
    events = all_events()
    for name, groups in _groups(data).items():
        if name not in {event.name for event in events} and (kept := _stripped(groups)) != groups:
            result[name] = kept
            if not kept:
                del result[name]
    for event in events:
        groups = result.get(event.name, [])
        if not isinstance(groups, list):
            raise AxmError(f'"hooks.{event.name}" is not a list')
        result[event.name] = _with_event(groups, event, program)
    return {**data, "hooks": result}


def _with_event(groups: list[Any], event: HookEvent, program: tuple[str, ...]) -> list[Any]:
    wanted = _handler(event, program)
    for at, group in enumerate(groups):
        handlers = _handlers(group)
        old = next((h for h in handlers if _is_our_hook(h)), None)
        if old is None:
            continue
        # What the user changed in it, such as the timeout, stays.
        new = {**{k: v for k, v in old.items() if k not in wanted}, **wanted}
        new = {k: new[k] for k in dict.fromkeys((*old, *new))}
        matcher = {"matcher": event.matcher} if event.matcher and all(map(_is_our_hook, handlers)) else {}
        rest = [new if h is old else h for h in handlers if h is old or not _is_our_hook(h)]
        return [*groups[:at], {**group, **matcher, "hooks": rest}, *_stripped(groups[at + 1 :])]
    return [*groups, hook_group(event, program)]


def hook_group(event: HookEvent, program: tuple[str, ...]) -> Json:
    """The entry of an event, where there is none yet."""
    group = {"matcher": event.matcher} if event.matcher else {}
    return {**group, "hooks": [{**_handler(event, program), "timeout": event.seconds}]}


def _handler(event: HookEvent, program: tuple[str, ...]) -> Json:
    return {"type": "command", "command": program[0], "args": [*program[1:], event.name]}


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


def without_ours(data: Json, before: Json | None) -> Json:
    """A file without our entries. What is empty without them goes too, unless it was there before us."""
    result = dict(data)
    known = before or {}
    if our_hooks(data):
        hooks = dict(data["hooks"])
        for event, groups in _groups(data).items():
            hooks[event] = _stripped(groups)
            if not hooks[event] and groups and event not in _groups(known):
                del hooks[event]
        result["hooks"] = hooks
        if not hooks and "hooks" not in known:
            del result["hooks"]
    if our_server(data) is not None:
        servers = {name: server for name, server in data["mcpServers"].items() if name != SERVER}
        result["mcpServers"] = servers
        if not servers and "mcpServers" not in known:
            del result["mcpServers"]
    return result


def with_server(data: Json, program: tuple[str, ...]) -> Json:
    servers = data.get("mcpServers", {})
    if not isinstance(servers, dict):
        raise AxmError('"mcpServers" is not an object')
    old = servers.get(SERVER, {})
    if old and not _is_our_server(old):
        raise AxmError(f'"mcpServers.{SERVER}" is another server', hint="--no-mcp leaves it as it is")
    new = {**old, "command": program[0], "args": [*program[1:], "mcp"]}
    return {**data, "mcpServers": {**servers, SERVER: new}}
