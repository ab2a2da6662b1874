"""Sixteen processes index, learn, answer hooks, write pads, search, forget and rebuild at once, for minutes. Afterwards
everything that was acknowledged is there once, what was forgotten is gone, and the index is what a replay gives."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.counting import PATIENCE_S
from tests.torture.crowd import ROLES
from tests.torture.figures import note
from tests.torture.options import option
from tests.transcripts import World

MINUTES = option("MINUTES", 1)


@pytest.mark.slow
def test_sixteen_processes(world: World) -> None:
    memory = world.memory()
    memory.index()
    flow = memory.workflows.create("crowd", "everybody writes here").id
    pad = memory.scratchpads.create(flow, "log").row.id
    seconds = MINUTES * 60
    members = [(role, n) for role, count in ROLES.items() for n in range(count)]
    assert len(members) == 16
    root = Path(__file__).parents[2]
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.torture.crowd", str(world.base), role, str(n), str(seconds), pad],
            cwd=root,
            env=os.environ | {"PYTHONPATH": str(root)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        for role, n in members
    ]
    assert [process.wait(seconds + 5 * PATIENCE_S) for process in running] == [0] * len(members)

    answers = {member: told(world, *member) for member in members}
    done = Counter(f"{role} {answer['code']}" for (role, _), said in answers.items() for answer in said)
    print(f"\n{dict(sorted(done.items()))}")
    wrong = [answer for said in answers.values() for answer in said if answer["err"]]
    for answer in wrong:
        print(answer["code"], *answer["args"][:3], answer["err"][:300])
    # Verify finds what is under way; a forgetting that readers are in the way of says that it is pending.
    assert [answer for answer in wrong if answer["args"][0] != "verify" and "Pending" not in answer["err"]] == []
    world.memory().index()
    assert world.memory().verify(deep=True) == []
    text = world.memory().scratchpads.show(pad).text
    marks = [
        answer["args"][3]
        for (role, _), said in answers.items()
        if role == "pad"
        for answer in said
        if not answer["code"]
    ]
    assert marks and [mark for mark in marks if text.count(mark) != 1] == []
    held = b"".join(path.read_bytes() for path in world.home.rglob("*") if path.is_file())
    forgotten = [answer["args"][2] for answer in answers["forget", 0] if answer["args"][0] == "forget"]
    assert forgotten
    for session in forgotten:
        assert f"xyzzy{session.partition('-')[2]}plugh".encode() not in held, session
    note(
        "processes", f"16 processes, {MINUTES} min: {sum(done.values()):,} commands, {len(marks)} appends, nothing lost"
    )


def told(world: World, role: str, number: int) -> list[dict[str, Any]]:
    lines = (world.base / f"{role}-{number}.acknowledged").read_text("utf-8").splitlines()
    assert lines, f"{role}-{number} did nothing"
    return [json.loads(line) for line in lines]
