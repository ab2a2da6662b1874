"""Codex: hooks in `hooks.json`, and the MCP server in `config.toml`, as a block of its own at the end.

Codex calls no hook before its user has trusted it, and says nothing about it. What was trusted is a hash of the whole
hook in `config.toml`, so our line stays the same from version to version.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from axiommind.surfaces.hooks.dialects.codex import NAMES
from axiommind.surfaces.install import Machine, _files, _program
from axiommind.surfaces.install._answers import last_answers
from axiommind.surfaces.install._client import Client, command_line, home_variable, hooks_piece, own_folder
from axiommind.surfaces.install._entries import Wanted, our_hooks
from axiommind.surfaces.install._pieces import FilePiece, TomlBlock
from axiommind.surfaces.render.tables import counted

__all__ = ["CLIENT", "checks", "found", "install", "uninstall"]

_SECONDS = {"SessionEnd": 3}  # it allows no more there
_MATCHERS = {"PostToolUse": "Bash|apply_patch"}
_folder = own_folder("CODEX_HOME", ".codex")


def _pieces(machine: Machine) -> list[FilePiece]:
    folder = _folder(machine)
    wanted = [
        Wanted(
            named,
            {"type": "command", "command": command_line("--agent", "codex", event)},
            {"timeout": _SECONDS.get(event, 10)},
            _MATCHERS.get(event),
        )
        for event, named in NAMES.items()
    ]
    program = [*_program.axm(), "mcp"]
    # Strings of JSON are strings of TOML.
    lines = [f"command = {_text(program[0])}", f"args = [{', '.join(map(_text, program[1:]))}]"]
    if home := home_variable(machine):
        lines.append("env = { " + ", ".join(f"{name} = {_text(value)}" for name, value in home.items()) + " }")
    table = "\n".join(["[mcp_servers.axiommind]", *lines])
    return [
        hooks_piece(folder / "hooks.json", wanted),
        TomlBlock(folder / "config.toml", "the MCP server", table, ("mcp_servers", "axiommind"), is_server=True),
    ]


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _advice(machine: Machine) -> list[str]:
    if not _untrusted(machine):
        return []
    return [
        "One thing is left to do: Codex calls no hook that you have not trusted, and does not say so.",
        f"  Start codex, type /hooks, and trust those whose command is {_program.hook()[0]}.",
        "  For a single run: codex --dangerously-bypass-hook-trust",
    ]


def _troubles(machine: Machine) -> Iterable[str]:
    if untrusted := _untrusted(machine):
        yield (
            f"Codex does not call {counted(len(untrusted), 'hook')} that you have not trusted "
            f"({', '.join(untrusted)}): start codex, type /hooks"
        )


def _untrusted(machine: Machine) -> list[str]:
    """The events whose hook of ours its user has not trusted as it is now."""
    folder = _folder(machine)
    try:
        states = tomllib.loads((folder / "config.toml").read_text(encoding="utf-8"))["hooks"]["state"]
    except (OSError, ValueError, KeyError, TypeError):
        states = {}
    path = folder / "hooks.json"
    hooks = _files.read(path).data
    ours = [handler for _, handler in our_hooks(hooks)]
    missing = []
    for event, groups in hooks.get("hooks", {}).items():
        for at, group in enumerate(groups if isinstance(groups, list) else ()):
            for number, handler in enumerate(group.get("hooks", ()) if isinstance(group, dict) else ()):
                if any(handler is one for one in ours):
                    state = _state(states, path, f"{_snake(event)}:{at}:{number}")
                    # Another version of Codex may hash otherwise: then that it calls them says that they are trusted.
                    is_known = state.get("trusted_hash") == _hash(event, group, handler) or (
                        "trusted_hash" in state and _was_called_since(machine, path)
                    )
                    if not is_known or state.get("enabled") is False:
                        missing.append(event)
    return missing


def _was_called_since(machine: Machine, path: Path) -> bool:
    """Whether Codex has called one of our hooks since the file was written."""
    answers, _ = last_answers(machine.config.home, "codex")
    times = [call["at"] for call in answers.values() if isinstance(call["at"], int | float)]
    return bool(times) and max(times) / 1000 > path.stat().st_mtime


def _state(states: object, path: Path, place: str) -> dict[str, Any]:
    """What Codex has written down of a hook, under the path of its file as it was given or as it really is."""
    for name in (f"{path}:{place}", f"{path.resolve()}:{place}"):
        state = states.get(name) if isinstance(states, dict) else None
        if isinstance(state, dict):
            return state
    return {}


def _hash(event: str, group: dict[str, Any], handler: dict[str, Any]) -> str:
    """The hash under which Codex (0.166) trusts a hook: of its canonical form."""
    kept = {"async": handler.get("async", False), "command": handler["command"], "type": "command"}
    kept["timeout"] = max(handler.get("timeout", 600), 1)
    for name in ("statusMessage", "additionalContextLimit"):
        if name in handler:
            kept[name] = handler[name]
    form: dict[str, Any] = {"event_name": _snake(event), "hooks": [kept]}
    if "matcher" in group and event in ("SessionStart", "PreToolUse", "PostToolUse", "PermissionRequest"):
        form["matcher"] = group["matcher"]
    text = json.dumps(form, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def _snake(event: str) -> str:
    return "".join(f"_{char.lower()}" if char.isupper() else char for char in event).lstrip("_")


CLIENT = Client("codex", "Codex", "codex", _folder, _pieces, _advice, _troubles)
TITLE = CLIENT.title
install, uninstall, checks, found = CLIENT.install, CLIENT.uninstall, CLIENT.checks, CLIENT.found
