"""Droid: hooks in its `settings.json`, and the MCP server in `mcp.json`."""

from __future__ import annotations

from pathlib import Path

from axiommind.surfaces.hooks.dialects.droid import NAMES
from axiommind.surfaces.install import Machine
from axiommind.surfaces.install._client import Client, command_line, hooks_piece, server_entry, server_piece
from axiommind.surfaces.install._entries import Wanted
from axiommind.surfaces.install._pieces import FilePiece

__all__ = ["CLIENT", "checks", "found", "install", "uninstall"]

_MATCHERS = {"PostToolUse": "Create|Edit|MultiEdit|ApplyPatch"}


def _folder(machine: Machine) -> Path:
    own = machine.environ.get("FACTORY_HOME_OVERRIDE", "")  # takes the place of the user's folder
    return (Path(own).expanduser().absolute() if own else machine.user) / ".factory"


def _pieces(machine: Machine) -> list[FilePiece]:
    folder = _folder(machine)
    wanted = [
        Wanted(
            named,
            {"type": "command", "command": command_line("--agent", "droid", event)},
            {"timeout": 10},
            _MATCHERS.get(event),
        )
        for event, named in NAMES.items()
    ]
    return [
        hooks_piece(folder / "settings.json", wanted),
        server_piece(folder / "mcp.json", server_entry(machine, type="stdio", disabled=False)),
    ]


CLIENT = Client("droid", "Droid", "droid", _folder, _pieces)
TITLE = CLIENT.title
install, uninstall, checks, found = CLIENT.install, CLIENT.uninstall, CLIENT.checks, CLIENT.found
