"""Pi: an extension of our own, and the MCP server in `mcp.json` where that is (before 1.0, Pi has no MCP)."""

from __future__ import annotations

from axiommind.surfaces.install import Machine
from axiommind.surfaces.install._client import Client, own_folder, server_entry, server_piece
from axiommind.surfaces.install._pieces import FilePiece, OwnFile
from axiommind.surfaces.install._plugin_script import MARK, script

__all__ = ["CLIENT", "checks", "found", "install", "uninstall"]

_folder = own_folder("PI_CODING_AGENT_DIR", ".pi", "agent")


def _pieces(machine: Machine) -> list[FilePiece]:
    folder = _folder(machine)
    pieces: list[FilePiece] = [
        OwnFile(folder / "extensions" / "axiommind.ts", "an extension", script("pi", "pi.ts"), MARK)
    ]
    if (folder / "mcp.json").exists():
        pieces.append(server_piece(folder / "mcp.json", server_entry(machine)))
    return pieces


CLIENT = Client("pi", "Pi", "pi", _folder, _pieces)
TITLE = CLIENT.title
install, uninstall, checks, found = CLIENT.install, CLIENT.uninstall, CLIENT.checks, CLIENT.found
