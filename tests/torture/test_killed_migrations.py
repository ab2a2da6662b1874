"""Killed while a home is made, while the log is migrated, and while an index of an older shape is replayed."""

from __future__ import annotations

import random
import shutil
import tarfile
from pathlib import Path

import pytest

from axiommind.log import migrations, sqlite
from tests.rows import rows
from tests.shell import axm
from tests.torture.faults import KILLS, Command, Victim
from tests.torture.migration import one_more
from tests.torture.options import option
from tests.transcripts import World, session
from tests.upgrade.make_homes import HOMES

TIMES = max(option("KILLS", 50) // 5, 10)
INDEX = [Command(("index",))]


@pytest.fixture
def dice() -> random.Random:
    return random.Random(option("SEED", 20260105))


def test_killed_while_a_home_is_made(victim: Victim, world: World, dice: random.Random) -> None:
    for n in range(3):
        world.write(session(f"s{n}"))
    calls = victim.run(world, INDEX).calls
    for _ in range(TIMES):
        shutil.rmtree(world.home)
        world.home.mkdir()
        done = victim.run(world, INDEX, dice.choice(KILLS), dice.randint(1, calls))
        assert done.code == -9 and done.hit is not None
        assert axm(world, "index").returncode == 0
        assert world.memory().verify(deep=True) == []
        assert world.one("select count(*) from sessions") == 3


@rows("R0.85")
def test_killed_while_the_log_is_migrated(
    victim: Victim, world: World, dice: random.Random, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The log is as it was, or migrated: never half of it. Opening it again finishes."""
    for n in range(20):
        world.write(session(f"s{n}"))
    world.memory().index()
    shutil.copytree(world.home, tmp_path / "before")
    calls = victim.run(world, INDEX, migration=True).calls
    known = len(migrations.MIGRATIONS)
    for module in (migrations, sqlite):  # back to what they were afterwards
        monkeypatch.setattr(module, "MIGRATIONS", migrations.MIGRATIONS)
    one_more()
    for _ in range(TIMES):
        shutil.rmtree(world.home)
        shutil.copytree(tmp_path / "before", world.home)
        done = victim.run(world, INDEX, dice.choice(KILLS), dice.randint(1, calls), migration=True)
        assert done.code == -9 and done.hit is not None
        assert axm(world, "index").returncode == 0
        with world.memory().home.open_log() as (log, _key):
            (number,) = log._db.execute("select max(number) from migrations").fetchone()
            (counted,) = log._db.execute("select count(*) from torture_counts").fetchone()
            assert (number, counted) == (known + 1, log.last_position())
        assert world.memory().verify(deep=True) == []


def test_killed_while_an_old_index_is_replayed(victim: Victim, tmp_path: Path, dice: random.Random) -> None:
    kept = sorted(HOMES.glob("*.tar.xz"))
    for n in range(TIMES):
        world = World(tmp_path / str(n))
        with tarfile.open(dice.choice(kept)) as tar:
            tar.extractall(world.home, filter="data")
        for at in (dice.randint(1, 100), dice.randint(1, 1_000)):  # a second kill hits what the first has left
            victim.run(world, INDEX, dice.choice(KILLS), at)
        assert axm(world, "index").returncode == 0
        assert world.memory().verify() == []
        assert world.one("select count(*) from sessions") == 2
