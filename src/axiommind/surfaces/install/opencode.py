"""OpenCode: a plugin of our own among its plugins, and the MCP server in `opencode.json`.

OpenCode reads `opencode.jsonc` beside it, and puts both together: that one may have comments, and is left alone.
"""

from __future__ import annotations

from pathlib import Path

from axiommind.surfaces.install import Machine, _program
from axiommind.surfaces.install._client import Client, home_variable, server_piece
from axiommind.surfaces.install._pieces import FilePiece, OwnFile
from axiommind.surfaces.install._plugin_script import MARK, script

__all__ = ["CLIENT", "checks", "found", "install", "uninstall"]


def _folder(machine: Machine) -> Path:
    around = machine.environ.get("XDG_CONFIG_HOME", "")
    return (Path(around).expanduser().absolute() if around else machine.user / ".config") / "opencode"


def _pieces(machine: Machine) -> list[FilePiece]:
    folder = _folder(machine)
    home = home_variable(machine)
    entry = {"type": "local", "command": [*_program.axm(), "mcp"], "enabled": True}
    if home:
        entry["environment"] = home
    return [
        OwnFile(folder / "plugins" / "axiommind.js", "a plugin", script("opencode", "opencode.js"), MARK),
        server_piece(folder / "opencode.json", entry, ("mcp",)),
    ]


CLIENT = Client("opencode", "OpenCode", "opencode", _folder, _pieces)
TITLE = CLIENT.title
install, uninstall, checks, found = CLIENT.install, CLIENT.uninstall, CLIENT.checks, CLIENT.found
