"""Law 3 for memory: `axm learn` killed at any moment, several at once, beside `axm index`: the same is learned."""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests.counting import PATIENCE_S, wait_for
from tests.examples import examples
from tests.learning.sessions import Session
from tests.rows import rows
from tests.shell import start
from tests.transcripts import World

KILLS = examples(20)
SESSIONS = 40
STATUS = "json_extract(current_json, '$.status')"
LEARNED = {
    "entries": "select entry_id, entry_type, title, stage, status, superseded_by, aligned from entries",
    "tasks": f"select entity_id, title, {STATUS} from entities where entity_type = 'task'",
    "entities": "select entity_id, entity_type, canonical_key from entities",
    "edges": "select src_id, rel_type, dst_id from edges",
    "conflicts": "select conflict_id, older_id, newer_id, resolution from conflicts",
    "outbox": "select item_kind, item_id from vector_outbox where item_kind in ('entry', 'task_title')",
    "task events": "select event_type, entity_id, entry_id, body from task_events",
    "learned": "select session_id, head, status from learned",
}


def corpus(world: World) -> None:
    """Sessions that go on with each other's tasks, and change their mind about the same questions."""
    for n in range(SESSIONS):
        session = Session(f"session-{n:02}", cwd=f"/p/{n % 2}")
        session._clock = iter(range(n * 100, n * 100 + 100))  # type: ignore[assignment]
        session.prompt(f"Always run the tests of part {n % 5} with pytest before a commit. " + "여우 fox " * 40)
        session.ask(f"Where should table {n % 4} live?", ("SQLite", "PostgreSQL", "DuckDB")[n % 3])
        build = session.task(f"Build the cache table number {n % 6}")
        wire = session.task(f"캐시 {n}번을 명령에 연결")
        session.update(wire, addBlockedBy=[build])
        if n % 3:
            session.update(build, status="completed")
        session.commit(f"feat: cache answers of table {n}")
        world.write(session, folder=f"-p-{n % 2}")


def learned(world: World) -> dict[str, list[tuple[Any, ...]]]:
    return {what: sorted(world.rows(sql), key=repr) for what, sql in LEARNED.items()}


def nothing_half_applied(world: World) -> None:
    """Of a session there are all events of step 4, or none."""
    memory = world.memory()
    memory.index()
    assert world.one("select count(*) from entries where not aligned or verified_by is null") == 0
    with memory.home.read_log() as (log, _key):
        by_session: dict[str, set[str]] = {}
        for event in log.replay():
            by_session.setdefault(event.session_id or "", set()).add(event.event_type)
    whole = {"session_ingested", "memory_extracted", "evidence_aligned", "idris_checked", "task_created"}
    for session, types in by_session.items():
        assert not types & whole or types >= whole - {"task_created"}, session
    done = {session for session, types in by_session.items() if "build_finished" in types}
    assert {row[0] for row in world.rows("select session_id from learned")} == done
    assert done <= {row[0] for row in world.rows("select session_id from entries")}


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> World:
    world = World(tmp_path_factory.mktemp("indexed"))
    corpus(world)
    world.memory().index()
    return world


@pytest.fixture(scope="module")
def undisturbed(indexed: World, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[tuple[Any, ...]]]:
    """What one run learns that nobody disturbs."""
    world = twin(indexed, tmp_path_factory.mktemp("undisturbed"))
    report = world.memory().learning.run()
    assert (report.sessions, report.failed) == (SESSIONS, 0)
    found = learned(world)
    assert len(found["entries"]) > 4 * SESSIONS and len(found["conflicts"]) > 10
    return found


def twin(world: World, base: Path) -> World:
    """The same machine once more, as far as it had come."""
    shutil.copytree(world.base, base, dirs_exist_ok=True)
    other = World(base)
    reads_the_same(other, world)
    return other


def reads_the_same(world: World, other: World) -> None:
    shutil.rmtree(world.claude)
    world.claude.symlink_to(other.claude)


@rows("R2.5", "R2.94")
@pytest.mark.law
def test_killed_at_random_moments(indexed: World, undisturbed: Any, tmp_path: Path) -> None:
    dice = random.Random(20260105)
    killed = rounds = 0
    while killed < KILLS and rounds < 5 * KILLS:
        world = twin(indexed, tmp_path / f"round{rounds}")
        rounds += 1
        process = start(world, "learn", "--no-index")
        while killed < KILLS:
            wait_for_work(process, world, dice)
            if process.poll() is not None:
                break
            process.send_signal(signal.SIGKILL)
            killed += 1
            process.wait(PATIENCE_S)
            nothing_half_applied(world)
            process = start(world, "learn", "--no-index")
        assert process.wait(PATIENCE_S) == 0
        assert learned(world) == undisturbed
        assert world.memory().learning.run().sessions == 0
        assert world.memory().verify() == []
    assert killed == KILLS, "so many runs must have been killed in the middle of something"


def wait_for_work(process: subprocess.Popen[bytes], world: World, dice: random.Random) -> None:
    """Most of a run is starting Python: wait for its first event, then a little longer, but not always."""
    before = size(world)
    wait_for(lambda: dice.random() < 0.001 or process.poll() is not None or size(world) != before, poll_s=0.002)
    time.sleep(dice.uniform(0, 0.15))


def size(world: World) -> int:
    wal = world.home / "log.db-wal"
    return wal.stat().st_size if wal.exists() else 0


def test_killed_while_learning_again(indexed: World, undisturbed: Any, tmp_path: Path) -> None:
    """Also when everything is known: nothing is doubled, nothing goes back."""
    dice = random.Random(7)
    world = twin(indexed, tmp_path / "again")
    world.memory().learning.run()
    for _ in range(4):
        process = start(world, "learn", "--again", "--no-index")
        time.sleep(dice.uniform(0.25, 0.6))
        process.send_signal(signal.SIGKILL)
        process.wait(PATIENCE_S)
    world.memory().learning.run()
    assert learned(world) == undisturbed
    assert world.memory().verify() == []


@pytest.mark.parametrize("processes", [2, 4])
def test_several_at_once_equal_one(indexed: World, undisturbed: Any, tmp_path: Path, processes: int) -> None:
    world = twin(indexed, tmp_path / "several")
    running = [start(world, "learn") for _ in range(processes)]
    assert [process.wait(PATIENCE_S) for process in running] == [0] * processes
    assert learned(world) == undisturbed
    nothing_half_applied(world)
    assert world.memory().verify() == []


def test_index_and_learn_at_once(indexed: World, undisturbed: Any, tmp_path: Path) -> None:
    """On a home that does not exist yet. What is learned before all is indexed is learned in another order, so claims
    are compared, and who stands; not what a claim that was replaced had risen to."""
    world = World(tmp_path / "both")
    reads_the_same(world, indexed)
    running = [start(world, command) for command in ("index", "learn", "index", "learn", "rebuild")]
    codes = [process.wait(PATIENCE_S) for process in running]
    assert codes[:4] == [0] * 4, codes
    world.memory().index()
    world.memory().learning.run()
    assert world.memory().verify() == []
    nothing_half_applied(world)

    def claims(found: dict[str, list[tuple[Any, ...]]]) -> set[tuple[Any, ...]]:
        return {(entry, title, status) for entry, _type, title, _stage, status, *_ in found["entries"]}

    assert claims(learned(world)) == claims(undisturbed)
