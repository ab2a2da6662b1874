"""Law 3: killed at any moment, by SIGKILL, and several at once: nothing is lost, nothing is doubled."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from axiommind.db import atomic, open_read, open_write
from tests.counting import PATIENCE_S, wait_for
from tests.examples import examples
from tests.shell import start
from tests.transcripts import Lines, World

KILLS = examples(20)


@pytest.mark.law
def test_several_make_one_database(tmp_path: Path) -> None:
    """SQLite does not wait when two at once change a new database to the write-ahead log: we do."""

    def opened(path: Path) -> None:
        start.wait()
        db = open_write(path)
        with atomic(db):
            db.execute("create table if not exists t (x)")
            db.execute("insert into t values (1)")
        db.close()

    for i in range(examples(100)):
        start, path = threading.Barrier(8), tmp_path / f"{i}.db"
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(opened, [path] * 8))
        assert open_read(path).execute("select count(*) from t").fetchone() == (8,)


def corpus(world: World, sessions: int = 24) -> tuple[int, int]:
    """Some sessions of two projects; returns how many prompts and tool uses they hold."""
    prompts = uses = 0
    for n in range(sessions):
        lines = Lines(f"session-{n:02}", cwd=f"/p/{n % 2}")
        for i in range(30):
            lines.prompt(f"prompt {i} of {n}: " + "the quick brown fox 빠른 갈색 여우 " * 6)
            lines.tool("Edit", f"t-{n}-{i}", file_path=f"/p/{n % 2}/{i % 7}.py", old_string="a" * 300, new_string="b")
            lines.result(f"t-{n}-{i}", "ok " * 200)
            prompts += 1
            uses += 1
        world.write(lines, folder=f"-p-{n % 2}")
    return prompts, uses


def check(world: World, prompts: int, uses: int) -> None:
    assert world.one("select count(*) from prompts") == prompts
    assert world.one("select count(*) from tool_uses") == uses
    assert world.one("select count(*) from file_edits") == uses
    assert world.one("select count(distinct uuid) from prompts") == prompts
    assert world.memory().verify(deep=True) == []


@pytest.mark.law
def test_killed_at_random_moments(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each run is killed after a random while; the sessions grow in between, so that there is always work."""
    dice = random.Random(20260105)
    prompts, uses = corpus(world)
    started = time.monotonic()
    process = start(world, "index")
    process.wait(PATIENCE_S)
    whole = time.monotonic() - started
    killed = tries = 0
    extra = 0
    while killed < KILLS and tries < 20 * KILLS:
        tries += 1
        kill = tries
        for n in dice.sample(range(24), 4):
            more = Lines(f"session-{n:02}", cwd=f"/p/{n % 2}")
            more.prompt(f"kill {kill}", uuid=f"extra-{extra}")
            world.append(more.data(), f"session-{n:02}", f"-p-{n % 2}")
            extra += 1
        if kill % 8 == 7:  # also with everything to do again
            for name in ("index.db", "index.db-wal", "index.db-shm"):
                (world.home / name).unlink(missing_ok=True)
        process = start(world, dice.choice(["index", "index", "rebuild"]))
        time.sleep(dice.uniform(0.02, whole))
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            killed += 1
        process.wait(PATIENCE_S)
    assert killed == KILLS, "so many runs must have been killed in the middle of something"
    world.memory().index()
    check(world, prompts + extra, uses)
    leftovers = [p.name for p in world.home.iterdir() if "building" in p.name]
    for name in leftovers:  # of killed rebuilds; the next rebuild takes those away that are old
        os.utime(world.home / name, (0, 0))
    world.memory().rebuild()
    assert [p.name for p in world.home.iterdir() if "building" in p.name and "-wal" not in p.name] == []


def test_several_at_once(world: World) -> None:
    """Eight agents end their turn at the same moment, on a home that does not exist yet."""
    prompts, uses = corpus(world, sessions=10)
    running = [start(world, "index") for _ in range(8)]
    assert [p.wait(PATIENCE_S) for p in running] == [0] * 8
    check(world, prompts, uses)


def test_a_reader_is_never_refused(world: World) -> None:
    """X4: questions are answered while an index and a rebuild run."""
    prompts, uses = corpus(world, sessions=10)
    world.memory().index()
    writers = [start(world, "rebuild"), start(world, "index", "--full")]
    asked = 0
    while any(p.poll() is None for p in writers):
        assert world.one("select count(*) from prompts") == prompts
        asked += 1
    assert asked > 3
    assert [p.returncode for p in writers] == [0, 0]
    check(world, prompts, uses)


def test_workers_go_when_their_parent_is_killed(world: World) -> None:
    lines = Lines("big")
    for i in range(60):
        lines.prompt(f"{i} " + "w" * 40_000)
    world.write(lines)
    for n in range(4):
        world.write(lines.data().replace(b'"big-', f'"b{n}-'.encode()), f"big{n}")
    process = start(world, "index", workers=2)
    children: list[int] = []
    wait_for(lambda: children.extend(_children(process.pid)) or children or process.poll() is not None)
    assert children, "worker processes must have been started for this much"
    process.send_signal(signal.SIGKILL)
    process.wait()
    wait_for(lambda: not any(map(_alive, children)), "the end of the workers")
    world.memory().index()
    assert world.one("select count(*) from prompts") == 300


def _children(pid: int) -> list[int]:
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        pytest.skip("needs /proc")


def _alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
