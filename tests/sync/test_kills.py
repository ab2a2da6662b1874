"""Processes of `axm sync` that are killed, over and over, at both ends."""

from __future__ import annotations

import random
import signal
import time
from pathlib import Path

import pytest

from tests.counting import PATIENCE_S
from tests.examples import examples
from tests.shell import start
from tests.sync.homes import paired, said, session, sync, tables

KILLS = examples(30)


@pytest.mark.law
def test_killed_at_random_moments(tmp_path: Path) -> None:
    desk, laptop = worlds = paired(tmp_path, str(tmp_path / "remote"), "desk", "laptop")
    dice = random.Random(20260105)
    wrote = set()
    for n in range(20):
        session(desk, f"big{n}", *(f"remark {n} {m} " + "words " * 200 for m in range(10)))
    begun = time.monotonic()
    start(desk, "sync").wait(PATIENCE_S)
    whole = time.monotonic() - begun
    killed = tries = 0
    while killed < KILLS and tries < 20 * KILLS:
        tries += 1
        for world in worlds:
            words = f"written before kill {tries} on {world.base.name}"
            session(world, f"{world.base.name}{tries % 5}-{tries}", words)
            wrote.add(words)
        process = start(dice.choice(worlds), "sync")
        time.sleep(dice.uniform(0.02, whole))
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            killed += 1
        process.wait(PATIENCE_S)
    assert killed == KILLS, "so many runs must have been killed in the middle of something"
    sync(desk, laptop, desk, laptop)
    assert wrote <= said(desk) and said(desk) == said(laptop)
    assert tables(desk) == tables(laptop)
    for world in worlds:
        assert world.memory().verify(deep=True) == []
        status = world.memory().sync.status()
        assert status.refused == () and status.machine == world.base.name, "no kill looks like a copy"
