"""Gemini CLI: hooks and the MCP server in its `settings.json`. It counts milliseconds."""

from __future__ import annotations

from pathlib import Path

from axiommind.surfaces.hooks.dialects.gemini import NAMES
from axiommind.surfaces.install import Machine
from axiommind.surfaces.install._client import Client, command_line, hooks_piece, server_entry, server_piece
from axiommind.surfaces.install._entries import Wanted
from axiommind.surfaces.install._pieces import FilePiece

__all__ = ["CLIENT", "checks", "found", "install", "uninstall"]

_MATCHERS = {"PostToolUse": "write_file|replace|run_shell_command"}


def _folder(machine: Machine) -> Path:
    own = machine.environ.get("GEMINI_CLI_HOME", "")  # takes the place of the user's folder
    return (Path(own).expanduser().absolute() if own else machine.user) / ".gemini"


def _pieces(machine: Machine) -> list[FilePiece]:
    path = _folder(machine) / "settings.json"
    wanted = [
        Wanted(
            named,
            {"type": "command", "name": "axiommind", "command": command_line("--agent", "gemini", event)},
            {"timeout": 10_000},
            _MATCHERS.get(event, "*"),
        )
        for event, named in NAMES.items()
    ]
    return [hooks_piece(path, wanted), server_piece(path, server_entry(machine))]


CLIENT = Client("gemini", "Gemini CLI", "gemini", _folder, _pieces)
TITLE = CLIENT.title
install, uninstall, checks, found = CLIENT.install, CLIENT.uninstall, CLIENT.checks, CLIENT.found
