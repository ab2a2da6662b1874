"""Copilot CLI: a file of our own among its hooks, and the MCP server in `mcp-config.json`."""

from __future__ import annotations

import json
import os

from axiommind.surfaces.hooks.dialects.copilot import NAMES
from axiommind.surfaces.install import Machine
from axiommind.surfaces.install._client import Client, command_line, own_folder, server_entry, server_piece
from axiommind.surfaces.install._pieces import FilePiece, OwnFile
from axiommind.surfaces.render.tables import counted

__all__ = ["CLIENT", "checks", "found", "install", "uninstall"]

_folder = own_folder("COPILOT_HOME", ".copilot")


def _pieces(machine: Machine) -> list[FilePiece]:
    folder = _folder(machine)
    shell = "powershell" if os.name == "nt" else "bash"
    hooks = {
        named: [{"type": "command", shell: command_line("--agent", "copilot", event), "timeoutSec": 10}]
        for event, named in NAMES.items()
    }
    text = json.dumps({"version": 1, "hooks": hooks}, indent=2) + "\n"
    return [
        OwnFile(folder / "hooks" / "axiommind.json", counted(len(hooks), "hook"), text, "--agent copilot"),
        server_piece(folder / "mcp-config.json", server_entry(machine, type="local", tools=["*"])),
    ]


CLIENT = Client("copilot", "Copilot CLI", "copilot", _folder, _pieces)
TITLE = CLIENT.title
install, uninstall, checks, found = CLIENT.install, CLIENT.uninstall, CLIENT.checks, CLIENT.found
