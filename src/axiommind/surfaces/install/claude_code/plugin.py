"""The plugin that brings hooks, the MCP server, commands and a skill: where it is, and how Claude Code installs it.

Claude Code changes its own files: we run its commands, or print them where it is not on the PATH. The plugin's
`hooks.json` is made of the events that there are (`hooks_json`); a test holds the file to it.
"""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from pathlib import Path

import axiommind
from axiommind.errors import AxmError
from axiommind.surfaces.hooks.events import all_events
from axiommind.surfaces.install import Machine, say
from axiommind.surfaces.install._entries import SERVER
from axiommind.surfaces.install.claude_code.entries import hook_group
from axiommind.surfaces.install.claude_code.places import all_settings, glance, places, project_root

__all__ = [
    "enabled_plugin",
    "hooks_json",
    "install_commands",
    "marketplace",
    "marketplace_source",
    "run_client",
    "uninstall_commands",
]

PLUGIN = "axiommind@axiommind"
_HOOK = "${CLAUDE_PLUGIN_ROOT}/bin/axm-hook"
_CLIENT_SECONDS = 300


def marketplace() -> Path | None:
    """The folder that ships the plugin: inside the installed package, or the repository it is developed in."""
    package = Path(axiommind.__file__).parent
    for folder in (package / "marketplace", package.parents[1]):
        if (folder / ".claude-plugin" / "marketplace.json").is_file() and (folder / "plugin").is_dir():
            return folder
    return None


def hooks_json() -> str:
    """The plugin's `hooks/hooks.json`, of the events that there are."""
    hooks = {event.name: [hook_group(event, (_HOOK,))] for event in all_events()}
    return json.dumps({"description": "Recall, and indexing in the background", "hooks": hooks}, indent=2) + "\n"


def install_commands(folder: Path, scope: str) -> list[list[str]]:
    return [
        ["claude", "plugin", "marketplace", "add", str(folder)],
        ["claude", "plugin", "install", PLUGIN, "--scope", scope],
    ]


def uninstall_commands(machine: Machine, scope: str | None) -> list[list[str]]:
    commands = []
    for name in [scope] if scope else ["user", "project"]:
        plugins = glance(places(machine, name).settings).get("enabledPlugins")
        if isinstance(plugins, dict) and PLUGIN in plugins:
            commands.append(["claude", "plugin", "uninstall", PLUGIN, "--scope", name])
    if scope is None and marketplace_source(machine) is not None:
        commands.append(["claude", "plugin", "marketplace", "remove", SERVER])
    return commands


def run_client(machine: Machine, commands: list[list[str]]) -> bool:
    """Let the client change its own files. False where there is no client."""
    client = shutil.which("claude", path=machine.environ.get("PATH"))
    if client is None:
        return False
    # Inside a session of the client, its variables would make this one part of it.
    environ = {k: v for k, v in machine.environ.items() if k not in ("CLAUDECODE", "CLAUDE_CODE_SESSION_ID")}
    for command in commands:
        say(f"+ {shlex.join(command)}")
        try:
            done = subprocess.run(
                [client, *command[1:]],
                env=environ,
                cwd=project_root(machine),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_CLIENT_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise AxmError(f"{shlex.join(command)} took more than {_CLIENT_SECONDS} seconds") from error
        said = [line for line in (done.stderr + done.stdout).decode("utf-8", "replace").splitlines() if line.strip()]
        if done.returncode:
            why = said[-1].strip() if said else f"exit code {done.returncode}"
            raise AxmError(f"{shlex.join(command)}: {why}", hint="run it yourself to see more")
    return True


def enabled_plugin(machine: Machine) -> Path | None:
    """The settings file in which the plugin is switched on."""
    for path in all_settings(machine):
        plugins = glance(path).get("enabledPlugins")
        if isinstance(plugins, dict) and any(k.startswith(f"{SERVER}@") and v for k, v in plugins.items()):
            return path
    return None


def marketplace_source(machine: Machine) -> dict[str, object] | None:
    """What Claude Code knows of our marketplace; None where it was never added."""
    known = glance(places(machine, "user").settings).get("extraKnownMarketplaces")
    if not isinstance(known, dict) or SERVER not in known:
        return None
    entry = known[SERVER]
    source = entry.get("source") if isinstance(entry, dict) else None
    return source if isinstance(source, dict) else {}
