"""A client that is wired by pieces: installed, uninstalled and looked at in the same way, whatever it is.

A module of the folder makes one of these and offers its methods. It says where the client keeps its files, which
pieces are put there, and what a person has to know or do besides.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from axiommind.config import Config
from axiommind.errors import AxmError, UsageError
from axiommind.surfaces.install import Machine, Wishes, _files, _program, say
from axiommind.surfaces.install._answers import answer_text, last_answers
from axiommind.surfaces.install._entries import (
    SERVER,
    Wanted,
    our_hooks,
    our_server,
    with_hooks,
    with_server,
    without_hooks,
    without_server,
)
from axiommind.surfaces.install._ledger import Ledger
from axiommind.surfaces.install._pieces import FilePiece, JsonPiece
from axiommind.surfaces.install._wiring import by_file, planned, take_out, undone, what_becomes, write
from axiommind.surfaces.render.tables import counted

if TYPE_CHECKING:
    from axiommind.health.check import Check
    from axiommind.surfaces.install._files import Json

__all__ = ["Client", "command_line", "home_variable", "hooks_piece", "own_folder", "server_entry", "server_piece"]

_NEW_FOLDERS = 5  # that may be made for a file


class Client(NamedTuple):
    """A client, by its name here and to people."""

    name: str
    title: str
    program: str  # how it is started
    folder: Callable[[Machine], Path]  # where it keeps its settings
    pieces: Callable[[Machine], list[FilePiece]]
    advice: Callable[[Machine], Sequence[str]] = lambda _machine: ()  # what a person has to do, or should know
    troubles: Callable[[Machine], Iterable[str]] = lambda _machine: ()  # why hooks that are there are not called
    of_project: bool = False  # no agent, but a file of the project that one works in

    def found(self, machine: Machine) -> bool:
        """Whether it is on this machine, or was."""
        return self.folder(machine).is_dir() or self._has_program(machine.environ)

    def install(self, machine: Machine, wishes: Wishes) -> int:
        self._refuse(wishes)
        with nullcontext() if wishes.only_print else _files.alone(machine.config.home):
            return self._install(machine, wishes)

    def uninstall(self, machine: Machine, wishes: Wishes) -> int:
        self._refuse(wishes)
        with nullcontext() if wishes.only_print else _files.alone(machine.config.home):
            return self._uninstall(machine, wishes)

    def checks(self, config: Config, environ: Mapping[str, str], user: Path) -> list[Check]:
        from axiommind.health.check import Check

        try:
            machine = Machine(config, environ, user, Path.cwd())
        except OSError:  # the current folder is gone
            machine = Machine(config, environ, user, user)
        wired, problems, is_whole = self._wired(machine)
        name = self.title.lower()
        if not wired:
            if not self.found(machine):
                return []
            return [Check(name, "note", f"not wired; run: axm install {self.name}", tuple(problems))]
        if self.of_project:
            return [Check(name, "warn" if problems else "ok", "; ".join(wired), tuple(problems))]
        if not self._has_program(environ) and not self.folder(machine).is_dir():
            wired.append(f"{self.title} itself is gone; axm uninstall {self.name} takes our entries out")
        if is_whole:
            problems += self.troubles(machine)
        answers, troubles = last_answers(config.home, self.name)
        problems += troubles
        if not config.hooks.enabled:
            problems.append("hooks.enabled is false: the hooks say nothing")
        data = {"wired": wired, "answers": answers, "problems": problems}
        details = (*problems, *(answer_text(event, answer) for event, answer in answers.items()))
        if not answers:
            details = (*details, "no hook was called yet")
        return [Check(name, "warn" if problems else "ok", "; ".join(wired), details, data)]

    # --- how -------------------------------------------------------------------------------------------------

    def _refuse(self, wishes: Wishes) -> None:
        if wishes.plugin:
            raise UsageError("--plugin is Claude Code's", hint=f"axm install {self.name}")
        if self.of_project and wishes.scope == "user":
            raise UsageError(f"{self.title} is a file of a project", hint=f"axm install {self.name}")
        if wishes.scope == "project" and not self.of_project:
            raise UsageError(
                f"{self.title} is wired in your own settings, for every project",
                hint="axm install agents-md writes into this project's AGENTS.md, for agents without hooks",
            )

    def _install(self, machine: Machine, wishes: Wishes) -> int:
        changes = planned(piece for piece in self.pieces(machine) if wishes.mcp or not piece.is_server)
        if wishes.only_print:
            print(json.dumps({str(c.path): c.shown for c, _ in changes}, ensure_ascii=False, indent=2))
            return 0
        for change, _ in changes:
            _files.require_writable(change.path, new_folders=_NEW_FOLDERS)
        is_known = self.found(machine)
        ledger = Ledger(machine.config.home, self.name)
        for change, inside in changes:
            write(change, inside, ledger)
        if not is_known and not self.of_project:
            say(f"  {self.title} was not found on this machine: it will use this when it is there")
        if _program.is_passing(_program.hook()[0]):
            say("  the program is in a cache that may be emptied: install axiommind for good, then run this again")
        if machine.config.home != machine.user / ".axiommind" and not self.of_project:
            say(f"  {self.title} has to be started with AXM_HOME={machine.config.home} for its hooks to use this home")
        for line in self.advice(machine):
            say(line)
        if any(change.needed for change, _ in changes):
            say("Sessions that start from now on use it; axm doctor tells whether it answers.")
        return 0

    def _uninstall(self, machine: Machine, wishes: Wishes) -> int:
        ledger = Ledger(machine.config.home, self.name)
        files = by_file(self.pieces(machine))
        for path in map(Path, ledger.files):  # its folder was another one then
            files.setdefault(path, _moved(self.pieces(machine), path))
        changes = [c for path, inside in files.items() if (c := undone(path, inside, ledger)) is not None]
        if wishes.only_print:
            print("\n".join(f"{change.path}: {what_becomes(change)}" for change in changes))
            return 0
        for change in changes:
            _files.require_writable(change.path)
        for change in changes:
            take_out(change.path, files[change.path], ledger)
        if not changes:
            say(f"Nothing of ours was found in the files of {self.title}.")
        ledger.close()
        return 0

    def _wired(self, machine: Machine) -> tuple[list[str], list[str], bool]:
        """What is installed where, what is wrong with it, and whether all of it is there that makes hooks work."""
        wired: list[str] = []
        problems: list[str] = []
        missing: list[str] = []
        is_whole = True
        for path, inside in by_file(self.pieces(machine)).items():
            for piece in inside:
                try:
                    raw = _files.look(path).raw
                    if raw is None or not piece.is_in(raw):
                        if not piece.is_server:
                            missing.append(piece.what)
                        continue
                    wired.append(f"{piece.what} in {path}")
                    if piece.added(raw) != raw:
                        problems.append(f"{piece.what} in {path}: out of date; axm install {self.name} renews it")
                except AxmError as error:
                    problems.append(error.message)
                    is_whole = False
        if wired:
            problems += [f"{what} is not there; axm install {self.name} adds it" for what in missing]
        return wired, list(dict.fromkeys(problems)), is_whole and not missing

    def _has_program(self, environ: Mapping[str, str]) -> bool:
        return bool(self.program) and shutil.which(self.program, path=environ.get("PATH")) is not None


def _moved(pieces: Iterable[FilePiece], path: Path) -> list[FilePiece]:
    """The pieces that a file of this name may hold, elsewhere than now."""
    found = [piece for piece in pieces if piece.path.name == path.name]
    return [piece._replace(path=path) for piece in found]  # type: ignore[attr-defined]


# --- what most clients have --------------------------------------------------------------------------------


def own_folder(variable: str, *parts: str) -> Callable[[Machine], Path]:
    """The folder that a variable names; by default these parts of the user's own."""

    def folder(machine: Machine) -> Path:
        own = machine.environ.get(variable, "")
        return Path(own).expanduser().absolute() if own else machine.user.joinpath(*parts)

    return folder


def command_line(*arguments: str) -> str:
    """Our hook as one line for a shell. The same line every time: some clients trust a hook by its line."""
    words = [*_program.hook(), *arguments]
    return subprocess.list2cmdline(words) if os.name == "nt" else shlex.join(words)


def hooks_piece(path: Path, wanted: Sequence[Wanted], *, grouped: bool = True) -> FilePiece:
    return JsonPiece(
        path,
        counted(len(wanted), "hook"),
        lambda data: with_hooks(data, wanted, grouped=grouped),
        our_hooks,
        without_hooks,
        lambda data: {"hooks": data["hooks"]},
    )


def server_entry(machine: Machine, **more: object) -> Json:
    """Our server as most clients write it down."""
    program, home = _program.axm(), home_variable(machine)
    return {**more, "command": program[0], "args": [*program[1:], "mcp"], **({"env": home} if home else {})}


def home_variable(machine: Machine) -> dict[str, str]:
    """The home, where it is not where everybody looks: some clients give a server few of their own variables."""
    home = machine.config.home
    return {} if home == machine.user / ".axiommind" else {"AXM_HOME": str(home)}


def server_piece(path: Path, entry: Json, keys: Sequence[str] = ("mcpServers",)) -> FilePiece:
    def show(data: Json) -> Json:
        inside: Json = {SERVER: our_server(data, keys)}
        for key in reversed(keys):
            inside = {key: inside}
        return inside

    return JsonPiece(
        path,
        "the MCP server",
        lambda data: with_server(data, entry, keys),
        lambda data: our_server(data, keys),
        lambda data, before: without_server(data, before, keys),
        show,
        is_server=True,
    )
