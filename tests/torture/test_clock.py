"""The clock goes back, or years ahead and back again, between commands and in the middle of one."""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path

from tests.shell import axm
from tests.torture.campaign import OPERATIONS, Campaign
from tests.torture.faults import Fault, Victim
from tests.torture.figures import note
from tests.torture.options import option

JUMPS = option("KILLS", 50) // 5
YEAR = 365 * 86_400
# Seconds by which the clock is wrong when a command begins, and by which it jumps in the middle of it.
WRONG = ((3 * YEAR, -3 * YEAR), (-8 * YEAR, 0), (0, -86_400), (-3_600, 2 * YEAR), (-50 * YEAR, 0))


def test_time_jumps_while_everything_is_written(victim: Victim, tmp_path: Path) -> None:
    dice = random.Random(option("SEED", 20260105))
    campaign = Campaign(tmp_path / "0", victim, dice)
    for n in range(max(JUMPS, len(OPERATIONS))):
        before = campaign.events()
        off, jump = dice.choice(
            ((3 * YEAR, -3 * YEAR), (-8 * YEAR, 0), (0, -86_400), (-3_600, 2 * YEAR), (-60 * YEAR, 0))
        )
        done = campaign.hit(OPERATIONS[n % len(OPERATIONS)], Fault.CLOCK_JUMPS, (off, jump))
        assert done.code == 0, done
        assert [answer for answer in done.answers if answer["code"]] == []
        campaign.check(before)
    with campaign.world.memory().home.read_log() as (log, _key):
        times = [event.ts for event in log.replay()]
    assert all(one <= other for one, other in pairwise(times)), "the time of the log went back"
    assert axm(campaign.world, "verify").returncode == 0
    note("clock", f"{max(JUMPS, len(OPERATIONS))} jumps of an hour to 50 years")
