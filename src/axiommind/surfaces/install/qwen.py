"""Qwen Code: hooks and the MCP server in its `settings.json`. It counts milliseconds."""

from __future__ import annotations

from axiommind.surfaces.hooks.dialects.qwen import NAMES
from axiommind.surfaces.install import Machine
from axiommind.surfaces.install._client import (
    Client,
    command_line,
    hooks_piece,
    own_folder,
    server_entry,
    server_piece,
)
from axiommind.surfaces.install._entries import Wanted
from axiommind.surfaces.install._pieces import FilePiece

__all__ = ["CLIENT", "checks", "found", "install", "uninstall"]

_MATCHERS = {"PostToolUse": "edit|write_file", "PostToolUseFailure": "run_shell_command"}
_folder = own_folder("QWEN_HOME", ".qwen")


def _pieces(machine: Machine) -> list[FilePiece]:
    path = _folder(machine) / "settings.json"
    wanted = [
        Wanted(
            named,
            {"type": "command", "name": "axiommind", "command": command_line("--agent", "qwen", event)},
            {"timeout": 10_000},
            _MATCHERS.get(event),
        )
        for event, named in NAMES.items()
    ]
    return [hooks_piece(path, wanted), server_piece(path, server_entry(machine))]


CLIENT = Client("qwen", "Qwen Code", "qwen", _folder, _pieces)
TITLE = CLIENT.title
install, uninstall, checks, found = CLIENT.install, CLIENT.uninstall, CLIENT.checks, CLIENT.found
