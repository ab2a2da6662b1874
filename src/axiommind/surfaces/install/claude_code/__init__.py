"""Claude Code: hooks and the MCP server in its settings, or the plugin that brings both. Never both ways at once."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

from axiommind.errors import AxmError
from axiommind.surfaces.hooks.events import all_events
from axiommind.surfaces.install import Machine, Wishes, _files, _program, say
from axiommind.surfaces.install._files import FileChange, Json, Ledger
from axiommind.surfaces.install.claude_code.doctor import checks
from axiommind.surfaces.install.claude_code.entries import SERVER, has_ours, with_hooks, with_server, without_ours
from axiommind.surfaces.install.claude_code.places import places
from axiommind.surfaces.install.claude_code.plugin import (
    enabled_plugin,
    install_commands,
    marketplace,
    run_client,
    uninstall_commands,
)
from axiommind.surfaces.render.tables import counted

__all__ = ["MODEL", "PROGRAM", "TITLE", "checks", "install", "uninstall"]

TITLE = "Claude Code"
MODEL = "claude"
PROGRAM = "claude -p"


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
    program = _program.hook()
    where = places(machine, scope)
    changes = [_plan(where.settings, "hooks", lambda data: with_hooks(data, program))]
    if wishes.mcp:
        changes.append(_plan(where.mcp, "mcpServers", lambda data: with_server(data, _program.axm())))
    if wishes.only_print:
        print(json.dumps({str(c.path): c.piece for c in changes}, ensure_ascii=False, indent=2))
        return 0
    for change in changes:
        _files.require_writable(change.path, may_make_folder=True)
    ledger = Ledger(machine.config.home)
    for change in changes:
        _write(change, ledger, private=change.path.name == ".claude.json")
    _program.note_for_plugin(machine.config.home)
    _say_after(machine, scope, program[0], any(change.needed for change in changes))
    return 0


def _plan(path: Path, key: str, change: Callable[[Json], Json]) -> FileChange:
    """The change of a file. One whose content would be the same is not written again, however it is formatted."""
    found = _files.read(path)
    try:
        data = change(found.data)
    except AxmError as error:
        raise AxmError(f"{found.path}: {error.message}", hint=error.hint or "nothing was written") from error
    piece = data[key] if key == "hooks" else {SERVER: data[key][SERVER]}
    after = found.raw if data == found.data else _files.dump(data, found.raw)
    return FileChange(found, after, {key: piece})


def _write(change: FileChange, ledger: Ledger, *, private: bool) -> None:
    if not change.needed:
        say(f"Nothing to change in {change.path}")
        return
    folder = change.path.parent
    if not folder.is_dir():
        folder.mkdir()
        ledger.made(change.path, folder)
    ledger.keep(change, had_ours=has_ours(change.found.data))
    _files.replace(change.found, change.after, private=private)
    what = counted(len(all_events()), "hook") if "hooks" in change.piece else "the MCP server"
    say(f"Wrote {what} to {change.path}")


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
    ledger = Ledger(machine.config.home)
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
        _take_out(change.path, ledger)
    _say_after(machine, "user", _program.hook()[0], changed=True)
    return 0


# --- uninstall ---------------------------------------------------------------------------------------------


def uninstall(machine: Machine, wishes: Wishes) -> int:
    with nullcontext() if wishes.only_print else _files.alone(machine.config.home):
        return _uninstall(machine, wishes)


def _uninstall(machine: Machine, wishes: Wishes) -> int:
    ledger = Ledger(machine.config.home)
    changes = _planned(machine, wishes.scope, ledger)
    commands = uninstall_commands(machine, wishes.scope)
    if wishes.only_print:
        print("\n".join([*(f"{c.path}: {_what(c)}" for c in changes), *map(shlex.join, commands)]))
        return 0
    for change in changes:
        _files.require_writable(change.path)
    for change in changes:
        _take_out(change.path, ledger)
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


def _what(change: FileChange) -> str:
    if change.after is None:
        return "removed"
    return "as it was before" if change.exact else "without our entries"


def _planned(machine: Machine, scope: str | None, ledger: Ledger) -> list[FileChange]:
    """The changes that remove our entries from the files of a scope. A broken file elsewhere stops none of them."""
    known = {os.path.realpath(path) for name in ("user", "project") for path in places(machine, name)}
    changes = []
    for path in _ours_in(machine, scope):
        try:
            change = _undo(path, ledger)
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
        found += map(Path, Ledger(machine.config.home).files)
    return list(dict.fromkeys(Path(os.path.realpath(path)) for path in found))


def _undo(path: Path, ledger: Ledger) -> FileChange | None:
    found = _files.read(path)
    entry, old = ledger[found.path], ledger.before(found.path)
    if found.raw is None or not has_ours(found.data):
        return None
    if entry and ledger.is_ours(found) and (old is not None or not entry.backup):
        return FileChange(found, old, {}, exact=True)
    before = _known(found.path, old)
    data = without_ours(found.data, before)
    if not data and entry and not entry.backup:
        return FileChange(found, None, {})
    return FileChange(found, _files.dump(data, found.raw), {})


def _known(path: Path, old: bytes | None) -> Json | None:
    """The content before us. A backup with entries of ours was made later and says nothing."""
    if old is None:
        return None
    try:
        data = _files.parse(path, old)
    except AxmError:
        return None
    return None if has_ours(data) else data


def _take_out(path: Path, ledger: Ledger) -> None:
    change = _undo(path, ledger)
    if change is None:
        return
    _files.replace(change.found, change.after)
    backup = ledger.drop(change)
    say(f"{change.path}: {_what(change)}" + (f" (a copy of what it was before them: {backup})" if backup else ""))
