"""The command line as somebody at a shell has it: what was printed, and the exit code.

`axm` runs a command in this process, with an environment, a folder and streams of its own: starting Python takes
longer than most commands. `axm_process`, `start` and `as_nobody` are for what only a process shows.
"""

from __future__ import annotations

import io
import os
import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from unittest import mock

import pytest

from axiommind.callers.agents import agent_in_process
from axiommind.callers.processes import ancestors
from axiommind.surfaces.cli import main
from tests.counting import PATIENCE_S
from tests.transcripts import World

__all__ = ["Done", "any_terminal", "as_nobody", "axm", "axm_process", "in_terminal", "own_terminal", "start"]

Done = subprocess.CompletedProcess[str]


def axm(world: World, *args: str, stdin: str | None = None, cwd: Path | None = None, **environ: str) -> Done:
    out, err = _stream(), _stream()
    with _as_a_process(world.environ | environ, cwd, stdin, "axm"), redirect_stdout(out), redirect_stderr(err):
        try:
            code = main(list(args))
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 1
    return subprocess.CompletedProcess(["axm", *args], code, _text(out), _text(err))


def axm_process(world: World, *args: str, stdin: str | None = None, cwd: Path | None = None, **environ: str) -> Done:
    return subprocess.run(
        [sys.executable, "-m", "axiommind", *args],
        env=world.environ | environ,
        capture_output=True,
        text=True,
        input=stdin,
        cwd=cwd,
        timeout=PATIENCE_S,
        check=False,
    )


def start(world: World, *args: str, workers: int = 0) -> subprocess.Popen[bytes]:
    """A process that goes on beside the test, and whose words nobody hears."""
    return subprocess.Popen(
        [sys.executable, "-m", "axiommind", *args],
        env=world.environ | {"AXM_WORKERS": str(workers)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def as_nobody(world: World, *args: str, stdin: str | None = None, program: str = "axiommind") -> Done:
    """A process of a user whom permissions bind, also when the tests run as root."""
    command = [sys.executable, "-m", program, *args]
    if os.geteuid() == 0:
        for path in [world.base, *world.base.rglob("*")]:
            os.chown(path, 65534, 65534, follow_symlinks=False)
        for parent in world.base.parents:
            if parent != Path("/") and not parent.stat().st_mode & 0o001:
                os.chmod(parent, parent.stat().st_mode | 0o011)
        command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *command]
        probe = subprocess.run(
            [*command[:4], sys.executable, "-c", "import axiommind"], capture_output=True, check=False
        )
        if probe.returncode:
            pytest.skip("another user cannot run this Python")
    environ = world.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        command, env=environ, capture_output=True, text=True, input=stdin, timeout=PATIENCE_S, check=False
    )


def in_terminal(
    world: World, command: list[str], *, typed: bytes = b"", cwd: Path | None = None, **environ: str
) -> str:
    """What a command prints in a terminal of its own."""
    shown, name = os.openpty()
    process = subprocess.Popen(
        command, stdin=name, stdout=name, stderr=name, env=world.environ | environ, cwd=cwd, start_new_session=True
    )
    os.close(name)
    os.write(shown, typed)
    said = b""
    with suppress(OSError):  # Linux says so when nobody has it open any more
        while select.select([shown], [], [], PATIENCE_S)[0] and (more := os.read(shown, 1 << 16)):
            said += more
    os.close(shown)
    process.wait(PATIENCE_S)
    return said.decode("utf-8", "replace")


any_terminal = pytest.mark.skipif(not hasattr(os, "openpty"), reason="there are no such terminals")
own_terminal = pytest.mark.skipif(
    not hasattr(os, "openpty") or any(agent_in_process(command) for command in ancestors()),
    reason="an agent runs these tests, which is what is asked about",
)


@contextmanager
def _as_a_process(environ: dict[str, str], cwd: Path | None, stdin: str | None, program: str) -> Iterator[None]:
    given = io.TextIOWrapper(io.BytesIO((stdin or "").encode()), encoding="utf-8")
    with (
        chdir(cwd or Path.cwd()),
        mock.patch.dict(os.environ, environ, clear=True),
        mock.patch.object(sys, "argv", [program]),
        mock.patch.object(sys, "stdin", given),
    ):
        yield


def _stream() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="\n", write_through=True)


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    return stream.buffer.getvalue().decode("utf-8")  # type: ignore[attr-defined,no-any-return]
