"""A disk that is full is called that, with the file and what to do, whatever SQLite or the system calls it."""

from __future__ import annotations

import contextlib
import errno
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from axiommind.db import store_error
from axiommind.disk import os_error
from axiommind.errors import DiskFull, NotWritable
from axiommind.surfaces import hooks
from axiommind.surfaces.mcp.results import error_text
from tests.counting import PATIENCE_S
from tests.transcripts import Lines, World

WORDS = "the quick brown fox jumps over the lazy dog "


def written(world: World, count: int = 60) -> None:
    import random

    dice = random.Random(7)
    for n in range(count):
        lines = Lines(f"s{n:02}")
        for i in range(20):
            lines.prompt(f"{i} {WORDS * 5} {dice.randbytes(200).hex()}")
        world.write(lines)


def limited(world: World, kilobytes: int, *args: str) -> subprocess.CompletedProcess[str]:
    """A command that may write no file beyond this size: the kernel answers as it does for a full disk."""
    code = (
        "import resource, sys; from axiommind.surfaces.cli import main;"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), resource.RLIM_INFINITY));"
        "sys.exit(main(sys.argv[2:]))"
    )
    return subprocess.run(
        [sys.executable, "-B", "-c", code, str(kilobytes << 10), *args],  # -B: half a .pyc would stay behind
        env=world.environ,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


@pytest.mark.skipif(sys.platform == "win32", reason="has no such limit")
@pytest.mark.parametrize("kilobytes", [0, 8, 40, 300])
def test_a_file_that_may_not_grow(world: World, kilobytes: int) -> None:
    written(world)
    done = limited(world, kilobytes, "index")
    assert done.returncode == 3, (done.stdout, done.stderr)
    assert "cannot grow" in done.stderr and "ulimit -f" in done.stderr and str(world.home) in done.stderr
    assert "I/O error" not in done.stderr and "Errno" not in done.stderr
    world.memory().index()
    assert world.one("select count(*) from prompts") == 1200 and world.memory().verify() == []


@contextlib.contextmanager
def tiny_disk(folder: Path, kilobytes: int) -> Iterator[None]:
    folder.mkdir()
    options = f"size={kilobytes}k,mode=0700"
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.run(command, check=False, capture_output=True).returncode:
        pytest.skip("needs to mount a tiny disk")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=False, capture_output=True)


@pytest.mark.skipif(sys.platform == "win32", reason="has no mount")
@pytest.mark.parametrize("kilobytes", [4, 64, 400])
def test_a_disk_without_room(world: World, kilobytes: int) -> None:
    from tests.shell import axm_process

    written(world)
    with tiny_disk(world.home, kilobytes):
        done = axm_process(world, "index")
        assert done.returncode == 3 and "the disk is full" in done.stderr and str(world.home) in done.stderr
        assert "I/O error" not in done.stderr and "Errno" not in done.stderr
        again = axm_process(world, "search", "fox")
        assert again.returncode in (0, 1, 3) and "I/O error" not in again.stderr


def test_what_the_system_says_is_said_plainly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "log.db"
    full = sqlite3.OperationalError("database or disk is full")
    full.sqlite_errorname = "SQLITE_FULL"
    assert isinstance(store_error(full, path), DiskFull)
    broken = sqlite3.OperationalError("disk I/O error")
    broken.sqlite_errorname = "SQLITE_IOERR_WRITE"
    plain = store_error(broken, path)
    assert isinstance(plain, NotWritable) and "SQLITE_IOERR_WRITE" in plain.message
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: shutil._ntuple_diskusage(100, 100, 0))  # type: ignore[attr-defined]
    told = store_error(broken, path)
    assert isinstance(told, DiskFull) and "the disk is full" in told.message and str(path) in told.message
    assert os_error(OSError(errno.EACCES, "no"), path) is None
    fails = os_error(OSError(errno.EIO, "Input/output error"), path)
    assert fails is not None and fails.exit_code == 3 and "check the disk" in fails.hint
    for error in (broken, OSError(errno.ENOSPC, "No space left on device", str(path))):
        assert "the disk is full" in error_text(error, "remember", tmp_path)
        assert "the disk is full" in hooks._said_by(error)
