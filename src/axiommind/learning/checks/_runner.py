"""Finding and running `idris2`: in a scratch folder, with a limit on its time and its output.

A pass is more than an exit status of 0: Idris writes `Batch.ttc` only for a module without an error, and ends with 0 on
some errors that have no place in a file. So both are asked for, in a folder where no older file can stand."""

from __future__ import annotations

import contextlib
import os
import re
import selectors
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from axiommind.learning.checks.candidate import Candidate
from axiommind.learning.checks.idris import MODULE, batches, module

__all__ = ["Idris", "IdrisJudgement", "find_idris", "idris_status", "judge"]

_SECONDS = 60.0
_VERSION_SECONDS = 10.0
_OUTPUT_BYTES = 200_000
_ROUNDS = 3
_ONE_BY_ONE = 8

_VERSION = re.compile(r"^Idris 2, version (\d+\.\d+\.\d+(?:-[0-9A-Za-z.+-]+)?)\s*$", re.MULTILINE)
# Only what begins a line: quoted source lines come after a number and a bar, so no entry can speak in these words.
_ERROR = re.compile(r"^Error: .*", re.MULTILINE)
_BLAMED = re.compile(rf"^Error: While processing [a-z ]+ of (?:{MODULE}\.)?(?:verified|entry)(\d+)\b", re.MULTILINE)
_PLACE = re.compile(rf"^{MODULE}:(\d+):\d+--\d+:\d+\s*$", re.MULTILINE)

_found: dict[tuple[str, int], Idris | str] = {}


class Idris(NamedTuple):
    """An `idris2` that has said its version."""

    path: str
    version: str
    environ: Mapping[str, str]
    seconds: float = _SECONDS  # for one module


class IdrisJudgement(NamedTuple):
    """Which of the candidates (by index) it rejected. `silent` says why there is no verdict at all."""

    rejected: frozenset[int]
    silent: str = ""
    remarks: tuple[str, ...] = ()


class _Ran(NamedTuple):
    status: int | None  # None: its time was up
    output: str


def find_idris(environ: Mapping[str, str]) -> Idris | None:
    """The one on the PATH, if it works; asked once per process."""
    found = _look(environ)
    return found if isinstance(found, Idris) else None


def idris_status(environ: Mapping[str, str]) -> str:
    """One line for `axm doctor`."""
    found = _look(environ)
    return f"idris2 {found.version} at {found.path}" if isinstance(found, Idris) else found


def _look(environ: Mapping[str, str]) -> Idris | str:
    if os.name != "posix":
        return "idris2 is not used on this system: the built-in checker speaks alone"  # no process groups to end
    path = shutil.which("idris2", path=environ.get("PATH", os.defpath))
    if path is None:
        return "idris2 is not on the PATH: the built-in checker speaks alone"
    try:
        key = (path, Path(path).stat().st_mtime_ns)
    except OSError as error:
        return f"idris2 at {path} cannot be used: {error.strerror}"
    if key not in _found:
        _found[key] = _ask_version(path, environ)
    return _found[key]


def _ask_version(path: str, environ: Mapping[str, str]) -> Idris | str:
    with _scratch() as folder:
        try:
            ran = _run([path, "--version"], folder, environ, _VERSION_SECONDS)
        except OSError as error:
            return f"idris2 at {path} cannot be used: {error.strerror}"
    if ran.status is None:
        return f"idris2 at {path} cannot be used: no version within {_VERSION_SECONDS:.0f} s"
    said = _VERSION.search(ran.output)
    if ran.status or not said:
        return f"idris2 at {path} cannot be used: --version ended with {ran.status} and said {_first(ran.output)!r}"
    return Idris(path, said[1], dict(environ))


def judge(entries: Sequence[Candidate], idris: Idris) -> IdrisJudgement:
    """Every candidate that is not rejected stood in a module that passed. After a module without a verdict no other
    is tried: the next would hang or crash as well."""
    rejected: set[int] = set()
    remarks: list[str] = []
    for batch in batches(entries):
        try:
            rejected |= _judge_batch(entries, list(batch), idris, remarks)
        except _Silent as silent:
            return IdrisJudgement(frozenset(), str(silent), tuple(remarks))
    return IdrisJudgement(frozenset(rejected), "", tuple(remarks))


class _Silent(Exception):
    """It ran and gave no verdict."""


def _judge_batch(entries: Sequence[Candidate], batch: list[int], idris: Idris, remarks: list[str]) -> set[int]:
    """Leaves out those that an error names and checks the rest again, until the rest passes."""
    rejected: set[int] = set()
    rest = batch
    for _ in range(_ROUNDS):
        accepted, blamed, why = _check([entries[index] for index in rest], idris)
        if accepted:
            return rejected
        if not blamed:
            remarks.append(f"an error of no entry: {why}")
            break
        rejected |= {rest[number - 1] for number in blamed}
        rest = [index for index in rest if index not in rejected]
        if not rest:
            return rejected
    if 1 < len(rest) <= _ONE_BY_ONE:
        return rejected | {index for index in rest if not _check([entries[index]], idris)[0]}
    return rejected | set(rest)


def _check(entries: list[Candidate], idris: Idris) -> tuple[bool, set[int], str]:
    """Whether the module passed; if not, the entries that the errors name (counted from 1) and the first error."""
    written = module(entries)
    with _scratch() as folder:
        (folder / f"{MODULE}.idr").write_text(written.text, encoding="utf-8", newline="\n")
        command = [idris.path, "--no-banner", "--no-color", "--console-width", "0", "--check", f"{MODULE}.idr"]
        try:
            ran = _run(command, folder, idris.environ, idris.seconds)
        except OSError as error:
            raise _Silent(f"it could not be started: {error.strerror}") from error
        compiled = any((folder / "build").rglob(f"{MODULE}.ttc"))
    if ran.status is None:
        raise _Silent(f"it was stopped after {idris.seconds:g} s")
    errors = _ERROR.findall(ran.output)
    if ran.status == 0 and compiled and not errors:
        return True, set(), ""
    if not errors or ran.status < 0:
        raise _Silent(f"it ended with {ran.status} and without a verdict, saying {_first(ran.output)!r}")
    blamed = {int(number) for number in _BLAMED.findall(ran.output)}
    blamed |= {written.lines[int(line)] for line in _PLACE.findall(ran.output) if int(line) in written.lines}
    return False, {number for number in blamed if 1 <= number <= len(entries)}, errors[0][:200]


@contextlib.contextmanager
def _scratch() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="axm-check-", ignore_cleanup_errors=True) as name:
        yield Path(name)


def _run(command: list[str], folder: Path, environ: Mapping[str, str], seconds: float) -> _Ran:
    """Keeps the beginning of what is printed and drops the rest; ends the whole process group in every case."""
    deadline = time.monotonic() + seconds
    kept = bytearray()
    process = subprocess.Popen(
        command,
        cwd=folder,
        env={**environ, "LC_ALL": "C.UTF-8"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    assert process.stdout is not None
    try:
        with selectors.DefaultSelector() as printed:
            printed.register(process.stdout, selectors.EVENT_READ)
            while (left := deadline - time.monotonic()) > 0:
                if printed.select(min(left, 0.1)):
                    piece = os.read(process.stdout.fileno(), 65536)
                    if not piece:
                        break
                    kept += piece[: _OUTPUT_BYTES - len(kept)]
                elif process.poll() is not None:
                    break  # it is gone; a child of it holds the pipe
        try:
            status: int | None = process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            status = None
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()
    return _Ran(status, kept.decode("utf-8", "replace"))


def _first(output: str) -> str:
    return next((line.strip()[:200] for line in output.splitlines() if line.strip()), "")
