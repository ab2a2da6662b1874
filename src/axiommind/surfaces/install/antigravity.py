"""Antigravity: a plugin folder with one hook, and the MCP server for its editor and for `agy`."""

from __future__ import annotations

import json
from pathlib import Path

from axiommind.surfaces.hooks.dialects.antigravity import NAMES
from axiommind.surfaces.install import Machine
from axiommind.surfaces.install._client import Client, command_line, server_entry, server_piece
from axiommind.surfaces.install._pieces import FilePiece, OwnFile

__all__ = ["CLIENT", "checks", "found", "install", "uninstall"]


def _folder(machine: Machine) -> Path:
    return machine.user / ".gemini" / "antigravity"


def _pieces(machine: Machine) -> list[FilePiece]:
    around = machine.user / ".gemini"
    plugin = around / "config" / "plugins" / "axiommind"
    hooks = {
        "axiommind": {
            named: [{"type": "command", "command": command_line("--agent", "antigravity", event), "timeout": 10}]
            for event, named in NAMES.items()
        }
    }
    return [
        OwnFile(plugin / "plugin.json", "a plugin", json.dumps({"name": "axiommind"}) + "\n", '"axiommind"'),
        OwnFile(plugin / "hooks.json", "its hook", json.dumps(hooks, indent=2) + "\n", "--agent antigravity"),
        server_piece(around / "config" / "mcp_config.json", server_entry(machine)),
        server_piece(around / "antigravity" / "mcp_config.json", server_entry(machine)),
    ]


CLIENT = Client("antigravity", "Antigravity", "agy", _folder, _pieces)
TITLE = CLIENT.title
install, uninstall, checks, found = CLIENT.install, CLIENT.uninstall, CLIENT.checks, CLIENT.found
