"""Claude Code: hooks and the MCP server in its settings, or the plugin that brings both. Never both ways at once."""

from __future__ import annotations

import json
import os
import shlex
import shutil
from contextlib import nullcontext
from pathlib import Path

from axiommind.errors import AxmError
from axiommind.surfaces.hooks.events import all_events
from axiommind.surfaces.install import Machine, Wishes, _files, _program, say
from axiommind.surfaces.install._entries import SERVER, our_hooks, our_server, without_hooks, without_server
from axiommind.surfaces.install._files import FileChange
from axiommind.surfaces.install._ledger import Ledger
from axiommind.surfaces.install._pieces import FilePiece, JsonPiece
from axiommind.surfaces.install._wiring import planned, take_out, undone, what_becomes, write
from axiommind.surfaces.install.claude_code.doctor import checks
from axiommind.surfaces.install.claude_code.entries import with_our_hooks, with_our_server
from axiommind.surfaces.install.claude_code.places import places
from axiommind.surfaces.install.claude_code.plugin import (
    enabled_plugin,
    install_commands,
    marketplace,
    run_client,
    uninstall_commands,
)
from axiommind.surfaces.render.tables import counted

__all__ = ["MODEL", "PROGRAM", "TITLE", "checks", "found", "install", "uninstall"]

TITLE = "Claude Code"
MODEL = "claude"
PROGRAM = "claude -p"


_NAME = "claude-code"


def found(machine: Machine) -> bool:
    """Whether it is on this machine, or was."""
    return places(machine, "user").settings.parent.is_dir() or bool(
        shutil.which("claude", path=machine.environ.get("PATH"))
    )


def install(machine: Machine, wishes: Wishes) -> int:
    with nullcontext() if wishes.only_print else _files.alone(machine.config.home):
        return _install(machine, wishes)


def _install(machine: Machine, wishes: Wishes) -> int:
    scope = wishes.scope or "user"
    if wishes.plugin:
        return _install_plugin(machine, scope, wishes)
    if plugin := enabled_plugin(machine):
        raise AxmError(
            f"the plugin is installed ({plugin}): with hooks in the settings too, everything would come twice",
            hint="axm uninstall claude-code takes it out, then run this again",
        )
    where = places(machine, scope)
    pieces = [_hooks_piece(where.settings)]
    if wishes.mcp:
        pieces.append(_server_piece(where.mcp))
    changes = planned(pieces)
    if wishes.only_print:
        print(json.dumps({str(c.path): c.shown for c, _ in changes}, ensure_ascii=False, indent=2))
        return 0
    for change, _ in changes:
        _files.require_writable(change.path, new_folders=1)
    ledger = Ledger(machine.config.home, _NAME)
    for change, inside in changes:
        write(change, inside, ledger)
    _program.note_for_plugin(machine.config.home)
    _say_after(machine, scope, _program.hook()[0], any(change.needed for change, _ in changes))
    return 0


def _hooks_piece(path: Path) -> FilePiece:
    return JsonPiece(
        path,
        counted(len(all_events()), "hook"),
        lambda data: with_our_hooks(data, _program.hook()),
        our_hooks,
        without_hooks,
        lambda data: {"hooks": data["hooks"]},
    )


def _server_piece(path: Path) -> FilePiece:
    return JsonPiece(
        path,
        "the MCP server",
        lambda data: with_our_server(data, _program.axm()),
        our_server,
        without_server,
        lambda data: {"mcpServers": {SERVER: data["mcpServers"][SERVER]}},
        is_server=True,
        private=path.name == ".claude.json",
    )


def _say_after(machine: Machine, scope: str, program: str, changed: bool) -> None:
    if _program.is_passing(program):
        say(f"  {program} is in a cache that may be emptied: install axiommind for good, then run this again")
    if scope == "project" and changed:
        say("  the path of this machine is in it: think of that before you commit it")
    if machine.config.home != machine.user / ".axiommind":
        say(f"  Claude Code has to be started with AXM_HOME={machine.config.home} for this home to be used")
    if changed:
        say("Sessions that start from now on use it; axm doctor tells whether it answers.")


# --- the plugin --------------------------------------------------------------------------------------------


def _install_plugin(machine: Machine, scope: str, wishes: Wishes) -> int:
    folder = marketplace()
    if folder is None:
        raise AxmError("the plugin is not part of this installation", hint="axm install claude-code works without it")
    commands = install_commands(folder, scope)
    if wishes.only_print:
        print("\n".join(map(shlex.join, commands)))
        return 0
    ledger = Ledger(machine.config.home, _NAME)
    ours = _planned(machine, None, ledger)
    for change in ours:
        _files.require_writable(change.path)
    _program.note_for_plugin(machine.config.home)
    if not run_client(machine, commands):
        say("Claude Code is not on the PATH. Run these where it is:")
        print("\n".join(map(shlex.join, commands)))
        if ours:
            say("and before that: axm uninstall claude-code, or everything comes twice")
        return 1
    # The client has written to the settings meanwhile, so they are read again.
    for change in ours:
        take_out(change.path, _pieces_in(change.path), ledger)
    _say_after(machine, "user", _program.hook()[0], changed=True)
    return 0


# --- uninstall ---------------------------------------------------------------------------------------------


def uninstall(machine: Machine, wishes: Wishes) -> int:
    with nullcontext() if wishes.only_print else _files.alone(machine.config.home):
        return _uninstall(machine, wishes)


def _uninstall(machine: Machine, wishes: Wishes) -> int:
    ledger = Ledger(machine.config.home, _NAME)
    changes = _planned(machine, wishes.scope, ledger)
    commands = uninstall_commands(machine, wishes.scope)
    if wishes.only_print:
        print("\n".join([*(f"{c.path}: {what_becomes(c)}" for c in changes), *map(shlex.join, commands)]))
        return 0
    for change in changes:
        _files.require_writable(change.path)
    for change in changes:
        take_out(change.path, _pieces_in(change.path), ledger)
    told = not commands or run_client(machine, commands)
    if not told:
        say("The plugin is installed, and Claude Code is not on the PATH. Run these where it is:")
        print("\n".join(map(shlex.join, commands)))
    elif not changes and not commands:
        say("Nothing of ours was found in the settings of Claude Code.")
    if wishes.scope is None and told:
        ledger.close()
        (machine.config.home / "hooks" / "program").unlink(missing_ok=True)
    return 0 if told else 1


def _planned(machine: Machine, scope: str | None, ledger: Ledger) -> list[FileChange]:
    """The changes that remove our entries from the files of a scope. A broken file elsewhere stops none of them."""
    known = {os.path.realpath(path) for name in ("user", "project") for path in places(machine, name)}
    changes = []
    for path in _ours_in(machine, scope):
        try:
            change = undone(path, _pieces_in(path), ledger)
        except AxmError as error:
            if str(path) in known:
                raise
            say(f"{error.message}: left as it is")
            continue
        if change is not None:
            changes.append(change)
    return changes


def _ours_in(machine: Machine, scope: str | None) -> list[Path]:
    """The files that may hold entries of ours: those of the scope, or all that we know of."""
    scopes = [scope] if scope else ["user", "project"]
    found = [path for name in scopes for path in places(machine, name)]
    if scope is None:
        found += map(Path, Ledger(machine.config.home, _NAME).files)
    return list(dict.fromkeys(Path(os.path.realpath(path)) for path in found))


def _pieces_in(path: Path) -> list[FilePiece]:
    """What any of its files may hold of ours: older versions put both into one."""
    return [_hooks_piece(path), _server_piece(path)]
