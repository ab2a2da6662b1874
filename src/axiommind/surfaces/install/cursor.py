"""Cursor: hooks in `hooks.json`, and the MCP server in `mcp.json`.

It also runs the hooks of Claude Code's settings, and leaves out its own where the command is the same. So the command
is the same: our program and nothing else. Where Cursor runs both all the same, the dialect sees to it that a session
is told once. A timeout is left to the client: whether it counts seconds or milliseconds is not known for sure.
"""

from __future__ import annotations

from pathlib import Path

from axiommind.surfaces.hooks.dialects.cursor import NAMES
from axiommind.surfaces.install import Machine
from axiommind.surfaces.install._client import (
    Client,
    command_line,
    hooks_piece,
    server_entry,
    server_piece,
)
from axiommind.surfaces.install._entries import Wanted
from axiommind.surfaces.install._files import Json
from axiommind.surfaces.install._pieces import FilePiece, JsonPiece

__all__ = ["CLIENT", "checks", "found", "install", "uninstall"]


def _folder(machine: Machine) -> Path:
    return machine.user / ".cursor"


def _pieces(machine: Machine) -> list[FilePiece]:
    folder = _folder(machine)
    wanted = [Wanted(named, {"command": command_line()}, {}) for named in NAMES.values()]
    piece = hooks_piece(folder / "hooks.json", wanted, grouped=False)
    assert isinstance(piece, JsonPiece)
    return [_versioned(piece), server_piece(folder / "mcp.json", server_entry(machine))]


def _versioned(piece: JsonPiece) -> FilePiece:
    """The same in a file that says its version, as the client wants it."""

    def add(data: Json) -> Json:
        return piece.add({"version": 1, **data})

    def remove(data: Json, before: Json | None) -> Json:
        left = piece.remove(data, before)
        is_ours = left == {"version": 1} if before is None else "version" not in before
        return {key: value for key, value in left.items() if key != "version"} if is_ours else left

    return piece._replace(add=add, remove=remove)


CLIENT = Client("cursor", "Cursor", "cursor-agent", _folder, _pieces)
TITLE = CLIENT.title
install, uninstall, checks, found = CLIENT.install, CLIENT.uninstall, CLIENT.checks, CLIENT.found
