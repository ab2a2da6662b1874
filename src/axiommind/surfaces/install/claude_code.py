"""Claude Code: hooks and the MCP server in its settings, or the plugin that brings both. Never both ways at once.

Our entries are known by what they run, so that those of an older version or another environment are found too.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import axiommind
from axiommind.config import Config
from axiommind.errors import AxmError
from axiommind.surfaces.install import Machine, Wishes, _files, _program
from axiommind.surfaces.install._files import Change, Json, Ledger
from axiommind.surfaces.render.tables import counted, printable

if TYPE_CHECKING:
    from axiommind.health.check import Check

__all__ = ["EVENTS", "TITLE", "checks", "install", "marketplace", "uninstall", "with_hooks", "without_ours"]

TITLE = "Claude Code"
PLUGIN = "axiommind@axiommind"
_SERVER = "axiommind"
_CLIENT_SECONDS = 300


class Event(NamedTuple):
    """A hook: when it is called, for what, and after how many seconds the client gives it up."""

    name: str
    matcher: str | None = None
    seconds: int = 5


# plugin/hooks/hooks.json says the same; a test keeps them equal.
EVENTS = (
    Event("UserPromptSubmit"),
    Event("SessionStart", "startup|resume|clear|compact|fork"),
    Event("PreToolUse", "Edit|Write|MultiEdit|NotebookEdit"),
    Event("PostToolUseFailure"),
    Event("Stop"),
    Event("SessionEnd"),
    Event("PreCompact", seconds=10),
)


# --- places ------------------------------------------------------------------------------------------------


class Places(NamedTuple):
    """The files of a scope."""

    settings: Path
    mcp: Path


def places(machine: Machine, scope: str) -> Places:
    if scope == "project":
        root = project_root(machine)
        return Places(root / ".claude" / "settings.json", root / ".mcp.json")
    own = machine.environ.get("CLAUDE_CONFIG_DIR")
    folder = Path(own).expanduser().absolute() if own else machine.user / ".claude"
    # With a folder of its own, the client keeps this file in it, else beside it.
    return Places(folder / "settings.json", (folder if own else machine.user) / ".claude.json")


def project_root(machine: Machine) -> Path:
    """The repository that the current folder is in, or this folder. The user's own folder is no project, though it may
    be under version control."""
    user = os.path.realpath(machine.user)
    for folder in (machine.cwd, *machine.cwd.parents):
        if os.path.realpath(folder) == user:
            break
        if (folder / ".git").exists():
            return folder
    return machine.cwd


def _all_settings(machine: Machine) -> list[Path]:
    """Every settings file that counts in the current folder; in the user's own folder two of them are one."""
    found = [places(machine, "user").settings]
    for folder in (project_root(machine), machine.cwd):
        found += [folder / ".claude" / "settings.json", folder / ".claude" / "settings.local.json"]
    return list(dict.fromkeys(Path(os.path.realpath(path)) for path in found))


def marketplace() -> Path | None:
    """The folder that ships the plugin: inside the installed package, or the repository it is developed in."""
    package = Path(axiommind.__file__).parent
    for folder in (package / "marketplace", package.parents[1]):
        if (folder / ".claude-plugin" / "marketplace.json").is_file() and (folder / "plugin").is_dir():
            return folder
    return None


# --- entries -----------------------------------------------------------------------------------------------


def is_our_hook(handler: object) -> bool:
    words = _words(handler)
    return bool(words) and (_stem(words[0]) == "axm-hook" or _program.HOOKS in words[1:])


def is_our_server(server: object) -> bool:
    words = _words(server)
    return bool(words) and (
        (_stem(words[0]) == "axm" and words[1:2] == ["mcp"]) or words[1:4] == ["-m", "axiommind", "mcp"]
    )


def _words(entry: object) -> list[str]:
    """The command of an entry and its arguments; without arguments the client gives the command to a shell."""
    if not isinstance(entry, dict) or not isinstance(command := entry.get("command"), str):
        return []
    if isinstance(args := entry.get("args"), list):
        return [command, *map(str, args)]
    try:
        words = shlex.split(command)
    except ValueError:
        words = command.split()
    while words and "=" in words[0] and words[0].partition("=")[0].isidentifier():
        words = words[1:]
    return words


def _stem(program: str) -> str:
    return program.replace("\\", "/").rpartition("/")[2].removesuffix(".exe")


def _groups(data: Json) -> dict[str, list[Any]]:
    """The hooks by event, where they have the shape that they should have."""
    hooks = data.get("hooks")
    found = hooks.items() if isinstance(hooks, dict) else ()
    return {event: groups for event, groups in found if isinstance(groups, list)}


def _handlers(group: object) -> list[Any]:
    handlers = group.get("hooks") if isinstance(group, dict) else None
    return handlers if isinstance(handlers, list) else []


def our_hooks(data: Json) -> list[tuple[str, Json]]:
    """(event, entry) of each hook of ours."""
    return [
        (event, handler)
        for event, groups in _groups(data).items()
        for group in groups
        for handler in _handlers(group)
        if is_our_hook(handler)
    ]


def our_server(data: Json) -> Json | None:
    servers = data.get("mcpServers")
    server = servers.get(_SERVER) if isinstance(servers, dict) else None
    return server if is_our_server(server) else None


def _has_ours(data: Json) -> bool:
    return bool(our_hooks(data)) or our_server(data) is not None


def with_hooks(data: Json, program: tuple[str, ...]) -> Json:
    """Settings with our hooks: where one of ours is, it is made new in its place; everything else stays."""
    hooks = data.get("hooks", {})
    if not isinstance(hooks, dict):
        raise AxmError('"hooks" is not an object')
    result = dict(hooks)
    for name, groups in _groups(data).items():
        if name not in {event.name for event in EVENTS} and (kept := _stripped(groups)) != groups:
            result[name] = kept
            if not kept:
                del result[name]
    for event in EVENTS:
        groups = result.get(event.name, [])
        if not isinstance(groups, list):
            raise AxmError(f'"hooks.{event.name}" is not a list')
        result[event.name] = _with_event(groups, event, program)
    return {**data, "hooks": result}


def _with_event(groups: list[Any], event: Event, program: tuple[str, ...]) -> list[Any]:
    wanted: Json = {"type": "command", "command": program[0], "args": [*program[1:], event.name]}
    for at, group in enumerate(groups):
        handlers = _handlers(group)
        old = next((h for h in handlers if is_our_hook(h)), None)
        if old is None:
            continue
        # What the user tuned in it, such as the timeout, stays.
        new = {**{k: v for k, v in old.items() if k not in wanted}, **wanted}
        new = {k: new[k] for k in dict.fromkeys((*old, *new))}
        matcher = {"matcher": event.matcher} if event.matcher and all(map(is_our_hook, handlers)) else {}
        rest = [new if h is old else h for h in handlers if h is old or not is_our_hook(h)]
        return [*groups[:at], {**group, **matcher, "hooks": rest}, *_stripped(groups[at + 1 :])]
    group = {"matcher": event.matcher} if event.matcher else {}
    return [*groups, {**group, "hooks": [{**wanted, "timeout": event.seconds}]}]


def _stripped(groups: list[Any]) -> list[Any]:
    """Groups of hooks without ours, and without those that held nothing else."""
    kept = []
    for group in groups:
        handlers = _handlers(group)
        rest = [h for h in handlers if not is_our_hook(h)]
        if len(rest) == len(handlers):
            kept.append(group)
        elif rest:
            kept.append({**group, "hooks": rest})
    return kept


def without_ours(data: Json, before: Json | None) -> Json:
    """A file without our entries. What became empty by that goes too, unless it was there before us."""
    result = dict(data)
    known = before or {}
    if our_hooks(data):
        hooks = dict(data["hooks"])
        for event, groups in _groups(data).items():
            hooks[event] = _stripped(groups)
            if not hooks[event] and groups and event not in _groups(known):
                del hooks[event]
        result["hooks"] = hooks
        if not hooks and "hooks" not in known:
            del result["hooks"]
    if our_server(data) is not None:
        servers = {name: server for name, server in data["mcpServers"].items() if name != _SERVER}
        result["mcpServers"] = servers
        if not servers and "mcpServers" not in known:
            del result["mcpServers"]
    return result


def with_server(data: Json, program: tuple[str, ...]) -> Json:
    servers = data.get("mcpServers", {})
    if not isinstance(servers, dict):
        raise AxmError('"mcpServers" is not an object')
    old = servers.get(_SERVER, {})
    if old and not is_our_server(old):
        raise AxmError(f'"mcpServers.{_SERVER}" is another server', hint="--no-mcp leaves it as it is")
    new = {**old, "command": program[0], "args": [*program[1:], "mcp"]}
    return {**data, "mcpServers": {**servers, _SERVER: new}}


# --- install -----------------------------------------------------------------------------------------------


def install(machine: Machine, wishes: Wishes) -> int:
    with nullcontext() if wishes.only_print else _files.alone(machine.config.home):
        return _install(machine, wishes)


def _install(machine: Machine, wishes: Wishes) -> int:
    scope = wishes.scope or "user"
    if wishes.plugin:
        return _install_plugin(machine, scope, wishes)
    if plugin := _enabled_plugin(machine):
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


def _plan(path: Path, key: str, change: Callable[[Json], Json]) -> Change:
    """What a file is to hold. One that would say the same is not written again, however it is written."""
    found = _files.read(path)
    try:
        data = change(found.data)
    except AxmError as error:
        raise AxmError(f"{found.path}: {error.message}", hint=error.hint or "nothing was written") from error
    piece = data[key] if key == "hooks" else {_SERVER: data[key][_SERVER]}
    after = found.raw if data == found.data else _files.dump(data, found.raw)
    return Change(found, after, {key: piece})


def _write(change: Change, ledger: Ledger, *, private: bool) -> None:
    if not change.needed:
        _say(f"Nothing to change in {change.path}")
        return
    folder = change.path.parent
    if not folder.is_dir():
        folder.mkdir()
        ledger.made(change.path, folder)
    ledger.keep(change, had_ours=_has_ours(change.found.data))
    _files.replace(change.found, change.after, private=private)
    what = counted(len(EVENTS), "hook") if "hooks" in change.piece else "the MCP server"
    _say(f"Wrote {what} to {change.path}")


def _say_after(machine: Machine, scope: str, program: str, changed: bool) -> None:
    if _program.is_passing(program):
        _say(f"  {program} is in a cache that may be emptied: install axiommind for good, then run this again")
    if scope == "project" and changed:
        _say("  the path of this machine is in it: think of that before you commit it")
    if machine.config.home != machine.user / ".axiommind":
        _say(f"  Claude Code has to be started with AXM_HOME={machine.config.home} for this home to be used")
    if changed:
        _say("Sessions that start from now on use it; axm doctor tells whether it answers.")


# --- the plugin --------------------------------------------------------------------------------------------


def _install_plugin(machine: Machine, scope: str, wishes: Wishes) -> int:
    folder = marketplace()
    if folder is None:
        raise AxmError("the plugin is not part of this installation", hint="axm install claude-code works without it")
    commands = [
        ["claude", "plugin", "marketplace", "add", str(folder)],
        ["claude", "plugin", "install", PLUGIN, "--scope", scope],
    ]
    if wishes.only_print:
        print("\n".join(map(shlex.join, commands)))
        return 0
    ledger = Ledger(machine.config.home)
    ours = _planned(machine, None, ledger)
    for change in ours:
        _files.require_writable(change.path)
    _program.note_for_plugin(machine.config.home)
    if not _run_client(machine, commands):
        _say("Claude Code is not on the PATH. Run these where it is:")
        print("\n".join(map(shlex.join, commands)))
        if ours:
            _say("and before that: axm uninstall claude-code, or everything comes twice")
        return 1
    # The client has written to the settings meanwhile, so they are read again.
    for change in ours:
        _take_out(change.path, ledger)
    _say_after(machine, "user", _program.hook()[0], changed=True)
    return 0


def _run_client(machine: Machine, commands: list[list[str]]) -> bool:
    """Let the client change its own files. False where there is no client."""
    client = shutil.which("claude", path=machine.environ.get("PATH"))
    if client is None:
        return False
    # Inside a session of the client, its variables would make this one part of it.
    environ = {k: v for k, v in machine.environ.items() if k not in ("CLAUDECODE", "CLAUDE_CODE_SESSION_ID")}
    for command in commands:
        _say(f"+ {shlex.join(command)}")
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


def _enabled_plugin(machine: Machine) -> Path | None:
    """The settings file in which the plugin is switched on."""
    for path in _all_settings(machine):
        plugins = _glance(path).get("enabledPlugins")
        if isinstance(plugins, dict) and any(k.startswith(f"{_SERVER}@") and v for k, v in plugins.items()):
            return path
    return None


# --- uninstall ---------------------------------------------------------------------------------------------


def uninstall(machine: Machine, wishes: Wishes) -> int:
    with nullcontext() if wishes.only_print else _files.alone(machine.config.home):
        return _uninstall(machine, wishes)


def _uninstall(machine: Machine, wishes: Wishes) -> int:
    ledger = Ledger(machine.config.home)
    changes = _planned(machine, wishes.scope, ledger)
    commands = _plugin_commands(machine, wishes.scope)
    if wishes.only_print:
        print("\n".join([*(f"{c.path}: {_what(c)}" for c in changes), *map(shlex.join, commands)]))
        return 0
    for change in changes:
        _files.require_writable(change.path)
    for change in changes:
        _take_out(change.path, ledger)
    told = not commands or _run_client(machine, commands)
    if not told:
        _say("The plugin is installed, and Claude Code is not on the PATH. Run these where it is:")
        print("\n".join(map(shlex.join, commands)))
    elif not changes and not commands:
        _say("Nothing of ours was found in the settings of Claude Code.")
    if wishes.scope is None and told:
        ledger.close()
        (machine.config.home / "hooks" / "program").unlink(missing_ok=True)
    return 0 if told else 1


def _what(change: Change) -> str:
    if change.after is None:
        return "removed"
    return "as it was before" if change.exact else "without our entries"


def _planned(machine: Machine, scope: str | None, ledger: Ledger) -> list[Change]:
    """What takes our entries out of every file of a scope. A file elsewhere that is broken does not stop the others."""
    known = {os.path.realpath(path) for name in ("user", "project") for path in places(machine, name)}
    changes = []
    for path in _ours_in(machine, scope):
        try:
            change = _undo(path, ledger)
        except AxmError as error:
            if str(path) in known:
                raise
            _say(f"{error.message}: left as it is")
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


def _undo(path: Path, ledger: Ledger) -> Change | None:
    found = _files.read(path)
    entry, old = ledger[found.path], ledger.before(found.path)
    if found.raw is None or not _has_ours(found.data):
        return None
    if entry and ledger.is_ours(found) and (old is not None or not entry.backup):
        return Change(found, old, {}, exact=True)
    before = _known(found.path, old)
    data = without_ours(found.data, before)
    if not data and entry and not entry.backup:
        return Change(found, None, {})
    return Change(found, _files.dump(data, found.raw), {})


def _known(path: Path, old: bytes | None) -> Json | None:
    """What was there before us. A backup with entries of ours is of a later time and tells nothing."""
    if old is None:
        return None
    try:
        data = _files.parse(path, old)
    except AxmError:
        return None
    return None if _has_ours(data) else data


def _take_out(path: Path, ledger: Ledger) -> None:
    change = _undo(path, ledger)
    if change is None:
        return
    _files.replace(change.found, change.after)
    backup = ledger.drop(change)
    _say(f"{change.path}: {_what(change)}" + (f" (a copy of what it was before them: {backup})" if backup else ""))


def _plugin_commands(machine: Machine, scope: str | None) -> list[list[str]]:
    commands = []
    for name in [scope] if scope else ["user", "project"]:
        plugins = _glance(places(machine, name).settings).get("enabledPlugins")
        if isinstance(plugins, dict) and PLUGIN in plugins:
            commands.append(["claude", "plugin", "uninstall", PLUGIN, "--scope", name])
    known = _glance(places(machine, "user").settings).get("extraKnownMarketplaces")
    if scope is None and isinstance(known, dict) and _SERVER in known:
        commands.append(["claude", "plugin", "marketplace", "remove", _SERVER])
    return commands


# --- doctor ------------------------------------------------------------------------------------------------


def checks(config: Config, environ: Mapping[str, str], user: Path) -> list[Check]:
    from axiommind.health.check import Check

    try:
        machine = Machine(config, environ, user, Path.cwd())
    except OSError:  # the current folder is gone
        machine = Machine(config, environ, user, user)
    wired, problems, programs = _wiring(machine)
    if not wired:
        return [Check("claude code", "note", "not wired; run: axm install claude-code", tuple(problems))]
    answers, troubles = _answers(config.home / "hooks" / "hooks.log")
    problems += troubles
    if not config.hooks.enabled:
        problems.append("hooks.enabled is false: the hooks say nothing")
    data = {"wired": wired, "programs": programs, "answers": answers, "problems": problems}
    details = (*problems, *(_answer_text(event, answer) for event, answer in answers.items()))
    if not answers:
        details = (*details, "no hook was called yet")
    return [Check("claude code", "warn" if problems else "ok", "; ".join(wired), details, data)]


def _wiring(machine: Machine) -> tuple[list[str], list[str], list[str]]:
    """What is wired, what is wrong with that, and the programs that are named."""
    wired: list[str] = []
    problems: list[str] = []
    programs: dict[str, None] = {}
    has_hooks = has_server = False
    for path in _all_settings(machine):
        try:
            data = _files.read(path).data
        except AxmError as error:
            problems.append(error.message)
            continue
        if hooks := our_hooks(data):
            has_hooks = True
            wired.append(f"{counted(len(hooks), 'hook')} in {path}")
            programs.update(dict.fromkeys(_words(handler)[0] for _, handler in hooks))
            missing = [event.name for event in EVENTS if event.name not in {name for name, _ in hooks}]
            if missing:
                problems.append(f"{path} has no hook for {', '.join(missing)}: axm install claude-code adds it")
        if data.get("disableAllHooks") is True:
            problems.append(f"disableAllHooks is set in {path}: no hook is called")
    for path in dict.fromkeys(Path(os.path.realpath(places(machine, s).mcp)) for s in ("user", "project")):
        if server := our_server(_glance(path)):
            has_server = True
            wired.append(f"MCP server in {path}")
            programs[_words(server)[0]] = None
    plugin = _enabled_plugin(machine)
    if plugin:
        wired.append(f"plugin in {plugin}")
        problems += _plugin_problems(machine, programs)
    if plugin and (has_hooks or has_server):
        both = "it is in the settings and in the plugin: everything comes twice"
        problems.append(f"{both}; axm install claude-code --plugin keeps the plugin only")
    problems += _program_problems(programs)
    return wired, problems, list(programs)


def _program_problems(programs: Iterable[str]) -> list[str]:
    here = str(Path(_program.hook()[0]).parent)
    problems = []
    for program in programs:
        path = Path(program)
        if not path.is_absolute() and shutil.which(program) is None:
            problems.append(f"{program} is not on the PATH: axm install claude-code names it anew")
        elif path.is_absolute() and not (path.is_file() and os.access(path, os.X_OK)):
            problems.append(f"{program} is not there: axm install claude-code names it anew")
        elif path.is_absolute() and str(path.parent) != here:
            problems.append(f"{program} is of another installation; axm install claude-code names this one ({here})")
    return problems


def _plugin_problems(machine: Machine, programs: dict[str, None]) -> list[str]:
    """The plugin starts what `hooks/program` names, and lies where its marketplace was added from."""
    problems = []
    try:
        program = (machine.config.home / "hooks" / "program").read_text(encoding="utf-8").strip()
        programs[program] = None
    except (OSError, UnicodeDecodeError):
        if shutil.which("axm-hook", path=machine.environ.get("PATH")) is None:
            problems.append("the plugin finds no axm-hook: axm install claude-code --plugin names it")
    known = _glance(places(machine, "user").settings).get("extraKnownMarketplaces")
    entry = known.get(_SERVER) if isinstance(known, dict) else None
    source = entry.get("source") if isinstance(entry, dict) else None
    folder = source.get("path") if isinstance(source, dict) else None
    if isinstance(folder, str) and not Path(folder).is_dir():
        problems.append(f"the plugin's folder {folder} is gone: axm install claude-code --plugin")
    return problems


def _answers(log: Path) -> tuple[dict[str, Json], list[str]]:
    """The last call of each hook, from the end of their log, and what went wrong with it."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - 65_536))
            lines = file.read().splitlines()
    except OSError:
        return {}, []
    last: dict[str, Json] = {}
    for line in lines:
        try:
            call = json.loads(line)
        except (ValueError, RecursionError):
            continue  # the first line may be cut, and one may be half written
        if isinstance(call, dict) and isinstance(call.get("hook"), str):
            last[call["hook"]] = {k: call.get(k) for k in ("at", "ms", "outcome", "why")}
    ordered = {e.name: last[e.name] for e in EVENTS if e.name in last}
    troubles = [
        f"{event} {'was late' if call['outcome'] == 'late' else 'failed'} last time"
        + (f": {printable(str(call['why']))[:200]}" if call["why"] else "")
        for event, call in ordered.items()
        if call["outcome"] in ("late", "error")
    ]
    return ordered, troubles


def _answer_text(event: str, call: Json) -> str:
    at, ms = call["at"], call["ms"]
    when = _ago(at) if isinstance(at, int | float) else "at some time"
    took = f" in {ms:.0f} ms" if isinstance(ms, int | float) else ""
    return f"{event}: {printable(str(call['outcome']))}{took}, {when}"


def _ago(at: float) -> str:
    seconds = max(0, time.time() - at / 1000)
    for size, noun in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            return f"{counted(int(seconds // size), noun)} ago"
    return "just now"


def _glance(path: Path) -> Json:
    """A file that only is looked at: what cannot be read says nothing."""
    try:
        return _files.read(path).data
    except AxmError:
        return {}


def _say(text: str) -> None:
    sys.stderr.write(printable(text) + "\n")
