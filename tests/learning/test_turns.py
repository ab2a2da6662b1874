"""Learning by itself: after `axm index`, one process at a time, for so long, and what it leaves is continued."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from axiommind.health.learning import check_learning
from axiommind.learning import runs
from axiommind.learning.turns import is_learning, is_wanted, last_run, session_lease, turn
from axiommind.surfaces.cli._background_learning import WORKER
from axiommind.surfaces.hooks import background_index
from tests.shell import axm, axm_process
from tests.transcripts import START, Lines, World

LEARNED = "select count(*) from learned where status = 'success'"


def decided(name: str, what: str) -> Lines:
    lines = Lines(name)
    lines.prompt(f"We decided to {what}.")
    lines.answer("Noted.")
    return lines


def several(world: World, count: int = 4) -> World:
    for n in range(count):
        world.write(decided(f"s{n}", f"calibrate hygroscope number {n} against the quartz reference"))
    return world


HOLD = """
import sys, time
from pathlib import Path
from axiommind.learning.turns import is_wanted, turn
home = Path(sys.argv[1])
with turn(home, wait=False) as ours:
    assert ours
    print("held", flush=True)
    while not is_wanted(home):
        time.sleep(0.01)
"""


@contextmanager
def holding(home: Path, script: str = HOLD) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen([sys.executable, "-c", script, str(home)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "held\n"
        try:
            yield process
        finally:
            process.kill()


def test_indexing_starts_a_learner_and_does_not_wait(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[tuple[list[str], dict[str, str]]] = []
    monkeypatch.setattr(
        background_index, "_spawn", lambda arguments, _home, _log, environ: started.append((arguments, environ))
    )
    several(world)
    done = axm(world, "index", AXM_LEARN="on")
    assert "Learning from 4 sessions in the background" in done.stderr and done.returncode == 0
    ((arguments, environ),) = started
    assert arguments == ["learn", "--no-index"] and environ["AXM_HOOKS"] == "0"
    assert axm(world, "index", "--no-learn", AXM_LEARN="on").returncode == 0
    assert axm(world, "index", AXM_LEARN="off").returncode == 0
    assert len(started) == 1  # neither of them started one
    done = axm(world, "index", "--learn", AXM_LEARN="on")
    assert "Learned: 4 sessions" in done.stderr and len(started) == 1
    done = axm(world, "index", AXM_LEARN="on")
    assert "background" not in done.stderr and len(started) == 1  # nothing is left to learn


def test_the_old_name_of_the_setting_is_read(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[object] = []
    monkeypatch.setattr(background_index, "_spawn", lambda *args: started.append(args))
    several(world, 1)
    world.home.mkdir()
    (world.home / "config.toml").write_text("[hooks]\nlearn = false\n")
    assert axm(world, "index", AXM_LEARN="").returncode == 0 and not started
    (world.home / "config.toml").write_text("[hooks]\nlearn = false\n[learn]\nauto = true\n")
    assert axm(world, "index", AXM_LEARN="").returncode == 0 and len(started) == 1


def test_learn_continues_what_goes_on_in_the_background(world: World) -> None:
    several(world, 6)
    world.memory().index()
    worker = [sys.executable, "-m", "axiommind", "learn", "--no-index"]
    environ = world.environ | {"AXM_LEARN": "on", WORKER: "1"}
    with subprocess.Popen(worker, env=environ, stderr=subprocess.PIPE) as process:
        done = axm_process(world, "learn")
        assert done.returncode == 0, done.stderr
        assert world.one(LEARNED) == 6
        said = process.communicate()[1]
        assert process.returncode == 0, said
    assert world.one("select count(*) from build_runs where status = 'success'") == 6  # each of them once


def test_a_person_waits_and_the_background_makes_room(world: World) -> None:
    several(world, 2)
    world.memory().index()
    with holding(world.home) as process:
        assert is_learning(world.home) and not is_wanted(world.home)
        assert world.memory().learning.run_in_background().sessions == 0  # somebody else is at it
        done = axm(world, "learn")
        assert "Waiting for the process that learns in the background" in done.stderr
        assert (done.returncode, process.wait()) == (0, 0) and world.one(LEARNED) == 2


def test_a_killed_learner_leaves_no_lock(world: World) -> None:
    several(world, 1)
    world.memory().index()
    with holding(world.home, HOLD.replace("while not is_wanted(home)", "while True")):
        assert is_learning(world.home)
    assert not is_learning(world.home)
    assert world.memory().learning.run_in_background().sessions == 1


def test_a_run_in_the_background_ends_in_time_and_says_what_is_left(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    several(world, 5)
    world.memory().index()
    asked = iter(["", "", "time is up"])
    monkeypatch.setattr(runs, "_limit", lambda _home, _seconds: lambda: next(asked, "time is up"))
    report = world.memory().learning.run_in_background()
    assert (report.sessions, report.left, report.stopped) == (2, 3, "time is up")
    last = last_run(world.home)
    assert last is not None and (last["sessions"], last["left"], last["stopped"]) == (2, 3, "time is up")
    monkeypatch.undo()
    told = "it ended early: time is up; 3 sessions were left to the next run"
    assert told in check_learning(world.memory().config._replace(learn_auto=True))[0].details
    world.memory().learning.run()  # by hand: nothing waits any more
    assert check_learning(world.memory().config._replace(learn_auto=True))[0].details == ()
    assert world.one(LEARNED) == 5


def test_runs_in_the_background_continue(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    several(world, 5)
    world.memory().index()
    asked = iter(["", "time is up"])
    monkeypatch.setattr(runs, "_limit", lambda _home, _seconds: lambda: next(asked, "time is up"))
    assert world.memory().learning.run_in_background().sessions == 1
    assert ": 1 session, " in check_learning(world.memory().config._replace(learn_auto=True))[0].text
    monkeypatch.undo()
    assert world.memory().learning.run_in_background().sessions == 4
    assert world.memory().learning.run_in_background().sessions == 0
    assert world.one(LEARNED) == 5


def test_the_limit_of_a_run(tmp_path: Path) -> None:
    assert runs._limit(tmp_path, 1000.0)() == ""
    assert runs._limit(tmp_path, -1.0)() == "-1 seconds are over"


def test_a_session_is_finished_when_its_client_says_so_or_it_is_quiet(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    several(world, 2)
    world.memory().index()
    monkeypatch.setattr(runs, "now", lambda: START + 10 * 60_000)
    monkeypatch.setattr("axiommind.learning.learner.now", lambda: START + 10 * 60_000)
    memory = world.memory()
    assert (memory.learning.waiting(), memory.learning.waiting(finished=True)) == (2, 0)
    assert memory.learning.run_in_background(finished=True).sessions == 0
    ended = world.home / "hooks" / "ended" / "s1"
    ended.parent.mkdir(parents=True)
    ended.touch()
    os.utime(ended, (START / 1000 + 61, START / 1000 + 61))  # after its last word
    assert memory.learning.run_in_background(finished=True).sessions == 1
    os.utime(ended, (START / 1000 - 600, START / 1000 - 600))  # resumed since
    assert memory.learning.waiting(finished=True) == 0
    monkeypatch.setattr(runs, "now", lambda: START + 22 * 60_000)
    monkeypatch.setattr("axiommind.learning.learner.now", lambda: START + 22 * 60_000)
    assert memory.learning.waiting(finished=True) == 1
    assert memory.learning.run_in_background(finished=True).sessions == 1


def test_a_lease_is_one_processs_and_ends_with_it(tmp_path: Path) -> None:
    script = """
import sys, time
from pathlib import Path
from axiommind.learning.turns import session_lease
with session_lease(Path(sys.argv[1]), "s1") as ours:
    assert ours
    print("held", flush=True)
    time.sleep(600)
"""
    with (
        holding(tmp_path, script),
        session_lease(tmp_path, "s1") as ours,
        session_lease(tmp_path, "s2") as other,
    ):
        assert (ours, other) == (False, True)
    with session_lease(tmp_path, "s1") as ours:
        assert ours
    assert list((tmp_path / "learning" / "sessions").iterdir()) == []


def test_a_turn_that_nobody_else_has_is_taken_at_once(tmp_path: Path) -> None:
    with turn(tmp_path) as ours, turn(tmp_path, wait=False) as other:
        assert (ours, other) == (True, False)
