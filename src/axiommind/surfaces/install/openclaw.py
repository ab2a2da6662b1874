"""OpenClaw: a plugin of our own, and in `openclaw.json` that it is on, may add to prompts, and the MCP server."""

from __future__ import annotations

import json
from pathlib import Path

from axiommind.errors import AxmError
from axiommind.surfaces.install import Machine
from axiommind.surfaces.install._client import Client, own_folder, server_entry, server_piece
from axiommind.surfaces.install._files import Json
from axiommind.surfaces.install._pieces import FilePiece, JsonPiece, OwnFile
from axiommind.surfaces.install._plugin_script import MARK, script

__all__ = ["CLIENT", "checks", "found", "install", "uninstall"]

_ID = "axiommind"
_ABOUT = "AxiomMind's plugin. " + MARK + " openclaw`"
_MANIFEST = {
    "id": _ID,
    "name": "AxiomMind",
    "description": _ABOUT,
    "activation": {"onStartup": True},
    "configSchema": {"type": "object", "additionalProperties": False},
}
_PACKAGE = {
    "name": _ID,
    "description": _ABOUT,
    "version": "1.0.0",
    "type": "module",
    "openclaw": {"extensions": ["./index.ts"]},
}
_ENTRY = {"enabled": True, "hooks": {"allowConversationAccess": True, "allowPromptInjection": True, "timeoutMs": 8000}}
_folder = own_folder("OPENCLAW_STATE_DIR", ".openclaw")


def _pieces(machine: Machine) -> list[FilePiece]:
    folder = _folder(machine)
    plugin = folder / "axiommind-plugin"
    settings = folder / "openclaw.json"
    return [
        OwnFile(plugin / "index.ts", "a plugin", script("openclaw", "openclaw.ts"), MARK),
        OwnFile(plugin / "openclaw.plugin.json", "its manifest", _dumped(_MANIFEST), MARK),
        OwnFile(plugin / "package.json", "its package", _dumped(_PACKAGE), MARK),
        _switch(settings, plugin),
        server_piece(settings, server_entry(machine), ("mcp", "servers")),
    ]


def _dumped(data: Json) -> str:
    return json.dumps(data, indent=2) + "\n"


def _switch(path: Path, plugin: Path) -> FilePiece:
    """That the plugin is loaded, is on, and may add to what the model is given."""

    def add(data: Json) -> Json:
        plugins = _table(data, "plugins")
        load, entries = _table(plugins, "load"), _table(plugins, "entries")
        paths = load.get("paths", [])
        if not isinstance(paths, list):
            raise AxmError('"plugins.load.paths" is not a list')
        paths = paths if str(plugin) in paths else [*paths, str(plugin)]
        return {
            **data,
            "plugins": {
                **plugins,
                "load": {**load, "paths": paths},
                "entries": {**entries, _ID: {**_ENTRY, **_table(entries, _ID)}},
            },
        }

    def ours(data: Json) -> Json:
        entry = _table(_table(_table(data, "plugins"), "entries"), _ID)
        return {"plugins": {"load": {"paths": [str(plugin)]}, "entries": {_ID: entry}}} if entry else {}

    def remove(data: Json, before: Json | None) -> Json:
        plugins, known = _table(data, "plugins"), _table(before or {}, "plugins")
        load, entries = _table(plugins, "load"), _table(plugins, "entries")
        paths = [one for one in load.get("paths", []) if Path(str(one)).name != plugin.name]
        parts = {
            "load": _kept({**load, "paths": paths}, _table(known, "load")),
            "entries": {name: entry for name, entry in entries.items() if name != _ID},
        }
        return _kept({**data, "plugins": _kept({**plugins, **parts}, known)}, before or {})

    return JsonPiece(path, "the switch of the plugin", add, ours, remove, ours)


def _kept(data: Json, before: Json) -> Json:
    """Without what is empty now, and was not there before."""
    return {key: value for key, value in data.items() if value not in ({}, []) or key in before}


def _table(data: Json, key: str) -> Json:
    inner = data.get(key, {})
    if not isinstance(inner, dict):
        raise AxmError(f'"{key}" is not an object')
    return inner


CLIENT = Client("openclaw", "OpenClaw", "openclaw", _folder, _pieces)
TITLE = CLIENT.title
install, uninstall, checks, found = CLIENT.install, CLIENT.uninstall, CLIENT.checks, CLIENT.found
