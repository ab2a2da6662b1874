"""Law 3 for backups: killed at any moment, a backup is the old one or the new one, and so is a home."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from axiommind.backups.archive import check
from axiommind.backups.automatic import automatic_files
from tests.backups.homes import make_home, tables
from tests.counting import PATIENCE_S
from tests.examples import examples
from tests.shell import start
from tests.transcripts import Lines, World

KILLS = examples(30)


def big_home(world: World) -> str:
    for n in range(30):
        lines = Lines(f"big-{n}")
        for i in range(20):
            lines.prompt(f"{i} of {n}: " + "the quick brown fox 빠른 갈색 여우 " * 20)
        world.write(lines)
    return make_home(world)


def killed(process: subprocess.Popen[bytes], after: float) -> bool:
    """Whether it was still at it."""
    time.sleep(after)
    alive = process.poll() is None
    if alive:
        process.send_signal(signal.SIGKILL)
    process.wait(PATIENCE_S)
    return alive


def duration(world: World, *args: str) -> float:
    began = time.monotonic()
    assert start(world, *args).wait(PATIENCE_S) == 0
    return time.monotonic() - began


@pytest.mark.law
def test_a_backup_is_killed(world: World, tmp_path: Path) -> None:
    flow = big_home(world)
    target = tmp_path / "safe" / "axm.backup"
    whole = duration(world, "backup", str(target))
    dice, kills = random.Random(1), 0
    for n in range(20 * KILLS):
        if kills == KILLS:
            break
        world.memory().scratchpads.create(world.memory().workflows.create(f"flow {n}").id, f"pad {n}", "text")
        events = check(target).events
        kills += killed(start(world, "backup", str(target), "--force"), dice.uniform(0.02, whole))
        assert check(target).events >= events
    assert kills == KILLS and flow
    assert duration(world, "backup", str(target), "--force") > 0
    assert [path.name for path in target.parent.iterdir() if ".part-" in path.name] == []
    assert world.memory().verify() == []


@pytest.mark.law
def test_a_restore_is_killed(world: World, tmp_path: Path) -> None:
    """The home is the old one or the new one; the next index finishes it; what was replaced is kept."""
    flow = big_home(world)
    target = tmp_path / "axm.backup"
    world.memory().backups.make(target)
    restored = tables(world.home / "index.db")["pads"]
    whole = duration(world, "restore", str(target), "--yes")
    dice, kills = random.Random(2), 0
    for n in range(20 * KILLS):
        if kills == KILLS:
            break
        world.memory().scratchpads.create(flow, f"pad {n}", f"unique {n} text")
        mine = tables(world.home / "index.db")["pads"]
        kills += killed(start(world, "restore", str(target), "--yes"), dice.uniform(0.05, whole))
        world.memory().index()
        now = tables(world.home / "index.db")["pads"]
        assert now in (mine, restored)
        if now == restored and mine != restored:
            texts = b"".join(path.read_bytes() for path in (world.home / "kept").glob("*/log.db"))
            assert f"unique {n} text".encode() in texts
            assert world.memory().verify() == []
    assert kills == KILLS
    assert world.memory().verify() == []


_DAILY = """
import sys, time
from pathlib import Path
from axiommind.backups.automatic import back_up_daily
from axiommind.memory import Memory
with Memory().home.open_log() as (log, key):
    home = Memory().config.home
    back_up_daily(home, log, key, 64 << 20, is_first=True, now=float(sys.argv[1]))
"""


@pytest.mark.law
def test_an_automatic_backup_is_killed(world: World) -> None:
    big_home(world)
    now, dice, kills = time.time(), random.Random(3), 0

    def run(day: int) -> subprocess.Popen[bytes]:
        return subprocess.Popen([sys.executable, "-c", _DAILY, str(now + day * 86_400)], env=world.environ)

    began = time.monotonic()
    assert run(0).wait(PATIENCE_S) == 0
    whole = time.monotonic() - began
    for day in range(1, 20 * KILLS):
        if kills == KILLS:
            break
        world.memory().workflows.create(f"flow {day}")
        kills += killed(run(day), dice.uniform(0.02, whole))
        found = automatic_files(world.home)
        assert 1 <= len(found) <= 4
        for path in found:
            check(path)
    assert kills == KILLS
    assert world.memory().verify() == []
