"""Whether Claude Code uses the memory, what is wrong with its settings, and how its hooks answered last."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from axiommind.config import Config
from axiommind.errors import AxmError
from axiommind.surfaces.hooks.events import all_events
from axiommind.surfaces.install import Machine, _files, _program
from axiommind.surfaces.install._answers import answer_text, last_answers
from axiommind.surfaces.install._entries import our_hooks, our_server, words_of
from axiommind.surfaces.install.claude_code.places import all_settings, glance, places
from axiommind.surfaces.install.claude_code.plugin import enabled_plugin, marketplace_source
from axiommind.surfaces.render.tables import counted

if TYPE_CHECKING:
    from axiommind.health.check import Check

__all__ = ["checks"]


def checks(config: Config, environ: Mapping[str, str], user: Path) -> list[Check]:
    from axiommind.health.check import Check

    try:
        machine = Machine(config, environ, user, Path.cwd())
    except OSError:  # the current folder is gone
        machine = Machine(config, environ, user, user)
    wired, problems, programs = _wiring(machine)
    if not wired:
        return [Check("claude code", "note", "not wired; run: axm install claude-code", tuple(problems))]
    answers, troubles = last_answers(config.home)
    problems += troubles
    if not config.hooks.enabled:
        problems.append("hooks.enabled is false: the hooks say nothing")
    data = {"wired": wired, "programs": programs, "answers": answers, "problems": problems}
    details = (*problems, *(answer_text(event, answer) for event, answer in answers.items()))
    if not answers:
        details = (*details, "no hook was called yet")
    return [Check("claude code", "warn" if problems else "ok", "; ".join(wired), details, data)]


def _wiring(machine: Machine) -> tuple[list[str], list[str], list[str]]:
    """What is installed where, what is wrong with it, and the programs that it names."""
    wired: list[str] = []
    problems: list[str] = []
    programs: dict[str, None] = {}
    has_hooks = has_server = False
    for path in all_settings(machine):
        try:
            data = _files.read(path).data
        except AxmError as error:
            problems.append(error.message)
            continue
        if hooks := our_hooks(data):
            has_hooks = True
            wired.append(f"{counted(len(hooks), 'hook')} in {path}")
            programs.update(dict.fromkeys(words_of(handler)[0] for _, handler in hooks))
            missing = [event.name for event in all_events() if event.name not in {name for name, _ in hooks}]
            if missing:
                problems.append(f"{path} has no hook for {', '.join(missing)}: axm install claude-code adds it")
        if data.get("disableAllHooks") is True:
            problems.append(f"disableAllHooks is set in {path}: no hook is called")
    for path in dict.fromkeys(Path(os.path.realpath(places(machine, s).mcp)) for s in ("user", "project")):
        if server := our_server(glance(path)):
            has_server = True
            wired.append(f"MCP server in {path}")
            programs[words_of(server)[0]] = None
    plugin = enabled_plugin(machine)
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
    """The plugin starts what `hooks/program` names, and is in the folder that was added as its marketplace."""
    problems = []
    try:
        program = (machine.config.home / "hooks" / "program").read_text(encoding="utf-8").strip()
        programs[program] = None
    except (OSError, UnicodeDecodeError):
        if shutil.which("axm-hook", path=machine.environ.get("PATH")) is None:
            problems.append("the plugin finds no axm-hook: axm install claude-code --plugin names it")
    folder = (marketplace_source(machine) or {}).get("path")
    if isinstance(folder, str) and not Path(folder).is_dir():
        problems.append(f"the plugin's folder {folder} is gone: axm install claude-code --plugin")
    return problems
