"""Law 3: killed at a random system call, before it, in the middle of it or after it, nothing acknowledged is lost, no
event is half applied, and a rebuild gives the same index. `make torture` kills 1,000 times, `make test` 50 times."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from tests.torture.campaign import OPERATIONS, Campaign
from tests.torture.faults import KILLS, Fault, Victim
from tests.torture.figures import note
from tests.torture.options import option

HOW_MANY = option("KILLS", 50)
PER_WORLD = 25  # kills of one home before the next is a fresh one
SEED = option("SEED", 20260105)


def test_killed_at_random_system_calls(victim: Victim, tmp_path: Path) -> None:
    dice = random.Random(SEED)
    landed: Counter[str] = Counter()
    by_operation: Counter[str] = Counter()
    killed = tries = 0
    campaign = Campaign(tmp_path / "0", victim, dice)
    while killed < HOW_MANY:
        tries += 1
        assert tries < 3 * HOW_MANY, "most faults must be met"
        if killed and killed % PER_WORLD == 0 and not campaign.landed.total() < PER_WORLD:
            campaign = Campaign(tmp_path / str(killed), victim, dice)
        if campaign.kill(OPERATIONS[tries % len(OPERATIONS)], dice.choice(KILLS)):
            killed += 1
            if campaign.landed.total() == PER_WORLD or killed == HOW_MANY:
                landed += campaign.landed
                by_operation += campaign.by_operation
    shares = ", ".join(f"{count} {where}" for where, count in landed.most_common())
    note("kills", f"{killed} kills: {shares}; nothing lost ({', '.join(OPERATIONS)})")
    assert landed.total() == HOW_MANY
    assert landed["inside a transaction"] >= HOW_MANY // 3, landed
    assert landed["before the first commit"] <= HOW_MANY // 3, landed
    assert set(by_operation) == set(OPERATIONS)


@pytest.mark.parametrize("fault", [Fault.FULL_ONCE, Fault.FULL, Fault.BROKEN_ONCE, Fault.BROKEN])
def test_a_disk_that_fails_is_said_and_loses_nothing(victim: Victim, tmp_path: Path, fault: Fault) -> None:
    """ENOSPC and EIO, at a random write or sync: the command says so, and the next one goes on."""
    dice = random.Random(SEED + fault)
    campaign = Campaign(tmp_path / "0", victim, dice)
    said: Counter[int] = Counter()
    times = max(HOW_MANY // 5, len(OPERATIONS))
    for n in range(times):
        before = campaign.events()
        done = campaign.hit(OPERATIONS[n % len(OPERATIONS)], fault)
        assert done.code == 0, done
        for answer in done.answers:
            assert "Traceback" not in answer["err"], answer
            assert answer["code"] in (0, 3), answer
            said[answer["code"]] += 1
        campaign.check(before)
    codes = ", ".join(f"{count} × exit code {code}" for code, count in sorted(said.items()))
    print(f"\n{fault.name}: {codes}")
    if fault is Fault.BROKEN:  # the last of the four
        note("disks", f"4 × {times} faults (ENOSPC, EIO, once and from then on), nothing lost")
