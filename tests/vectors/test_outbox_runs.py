"""Whole runs of the writer over a home: versions, the lock, kills, forgetting, and what is left on disk."""

from __future__ import annotations

import contextlib
import os
import platform
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from axiommind.db import atomic
from axiommind.errors import Locked, NotFound, UsageError
from axiommind.projections.outbox import KINDS
from axiommind.vectors import versions
from axiommind.vectors.contract import COLLECTIONS, VectorRow
from axiommind.vectors.coverage import waiting
from axiommind.vectors.items import FIRST, EmbedItem, collection_of, read
from axiommind.vectors.lock import STALE_MS, Lock, owner
from axiommind.vectors.stores import open_store
from axiommind.vectors.stores.local import LocalStore
from axiommind.vectors.sweep import purge
from tests.examples import examples
from tests.rows import rows
from tests.transcripts import Lines, World
from tests.vectors.fakes import Hashed, embeds_with

SESSIONS = ("s1", "s2")


def grow(world: World, session: str, count: int, word: str = "prompt") -> None:
    lines = Lines(session)
    for n in range(count):
        lines.prompt(f"{word} {n} of {session}")
        lines.answer(f"answer {n} of {session}")
    world.write(lines)


@contextlib.contextmanager
def stored(world: World) -> Iterator[Any]:
    store = open_store("local", versions.folder_of(world.home), write=False)
    try:
        yield store
    finally:
        store.close()


def expected(world: World, kinds: Sequence[str]) -> dict[str, dict[str, EmbedItem]]:
    """The items that there are, by collection and key."""
    found: dict[str, dict[str, EmbedItem]] = {name: {} for name in COLLECTIONS}
    with world.memory().home.writing([]) as (_log, _key, index):
        for kind in kinds:
            ids = [row[0] for row in index.db.execute("select item_id from vector_outbox where item_kind = ?", (kind,))]
            there = read(index.db, kind, ids)
            found[collection_of(kind)] |= {item.key: item for item in there if item.text.strip()}
    return found


def wrong(world: World, version: str) -> list[str]:
    """What is not as it should be after a run: every item has its vectors, and nothing that is gone has any."""
    found = []
    items = expected(world, KINDS[:-1])
    with stored(world) as store:
        for name, there in items.items():
            keys = set(store.keys(name, version))
            if keys != there.keys():
                found.append(f"{name}: {sorted(keys ^ there.keys())}")
            hashes = store.hashes(name, version, keys)
            found += [f"{key} is of another text" for key in keys & there.keys() if hashes[key] != there[key].text_hash]
            for other in store.versions():  # one that was left half-made
                if set(store.keys(name, other)) - there.keys():
                    found.append(f"{other} has vectors of what is gone")
    left = world.rows("select item_kind, item_id, status from vector_outbox where status <> 'done'")
    return found + [f"jobs {left}"] * bool(left)


def half_made(world: World, version: str) -> set[str]:
    """What a version that begins to answer lacks of the first kinds."""
    with stored(world) as store:
        return {
            key
            for name, there in expected(world, FIRST).items()
            for key in there.keys() - set(store.keys(name, version))
        }


# --- versions ----------------------------------------------------------------------------------------------


def test_another_version_answers_only_when_it_is_complete(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    grow(world, "s1", 4)
    memory = world.memory()
    memory.index()
    assert versions.active(world.home) is None
    embeds_with(monkeypatch, Hashed("one"))
    assert not memory.embeddings.make(limit=3).active
    assert versions.active(world.home) is None  # nothing half-made is searched
    first = memory.embeddings.make()
    assert (first.active, first.waiting, first.done) == (True, 0, 6)

    embeds_with(monkeypatch, Hashed("two"))
    assert not memory.embeddings.make(limit=3).active
    answering = versions.active(world.home)
    assert answering is not None and answering.version == "one"
    states = {one.version: one.state for one in memory.embeddings.status().versions}
    assert states == {"one": "active", "two": "building"}

    embeds_with(monkeypatch, Hashed("one"))  # back again
    back = memory.embeddings.make()
    assert (back.active, back.done, back.kept, back.waiting) == (True, 0, 0, 0)
    embeds_with(monkeypatch, Hashed("two"))
    on = memory.embeddings.make()
    assert (on.active, on.done, on.kept) == (True, 6, 3)
    assert {one.version: one.state for one in versions.read(world.home)} == {"one": "retired", "two": "active"}
    assert wrong(world, "two") == []
    assert memory.verify() == []


def test_who_returns_to_an_embedder_has_its_vectors(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    grow(world, "s1", 4)
    memory = world.memory()
    memory.index()
    one, two, three = Hashed("one"), Hashed("two"), Hashed("three")

    def embed(embedder: Hashed) -> tuple[int, int, list[str]]:
        embedder.seen.clear()
        embeds_with(monkeypatch, embedder)
        done = memory.embeddings.make()
        assert done.active and wrong(world, embedder.version) == []
        return done.done, done.kept, list(embedder.seen)

    all_of_it, _, _ = embed(one)
    assert embed(two)[:2] == (all_of_it, 0)
    assert embed(one) == (0, all_of_it, [])  # nothing is embedded again
    grow(world, "s2", 2)
    memory.index()
    new, _, texts = embed(one)
    assert embed(two) == (new, all_of_it, texts)  # only what is new by now
    assert {one.version: one.state for one in versions.read(world.home)} == {"one": "retired", "two": "active"}
    # Of those that no longer answer the last one is kept, and forgetting reaches it.
    embed(three)
    assert {one.version: one.state for one in versions.read(world.home)} == {"two": "retired", "three": "active"}
    memory.forget(session="s1")
    counts = {one.version: one.vectors for one in memory.embeddings.status().versions}
    assert counts == {"two": new, "three": new}
    assert memory.verify() == []
    assert embed(two) == (0, new, [])


def test_after_a_rebuild_nothing_is_embedded_again(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    grow(world, "s1", 3)
    memory = world.memory()
    memory.index()
    embedder = Hashed()
    embeds_with(monkeypatch, embedder)
    memory.embeddings.make()
    embedder.seen.clear()
    memory.rebuild()
    again = memory.embeddings.make()
    assert (again.done, again.kept, again.active, embedder.seen) == (0, 7, True, [])


def test_vectors_that_were_deleted_by_hand_are_made_anew(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    grow(world, "s1", 2)
    world.memory().index()
    embeds_with(monkeypatch, Hashed())
    world.memory().embeddings.make()
    for file in versions.folder_of(world.home).glob("local.db*"):
        file.unlink()
    again = world.memory().embeddings.make()
    assert (again.done, again.active, len(again.notes)) == (5, True, 1)
    assert wrong(world, "hashed-1") == []


def test_a_damaged_state_is_made_anew_from_the_vectors(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    grow(world, "s1", 2)
    world.memory().index()
    embedder = Hashed()
    embeds_with(monkeypatch, embedder)
    world.memory().embeddings.make()
    embedder.seen.clear()
    (versions.folder_of(world.home) / "state.db").write_bytes(b"no database at all" * 400)
    assert versions.active(world.home) is None and owner(world.home) is None
    again = world.memory().embeddings.make()
    assert (again.done, again.active, embedder.seen) == (0, True, [])


def test_in_another_store_it_is_another_version() -> None:
    names = {
        versions.name_of("e1", *where) for where in (("local",), ("lance",), ("lance", "s3://a"), ("lance", "s3://b"))
    }
    assert len(names) == 4 and "e1" in names


def test_kinds_that_are_not_known(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    embeds_with(monkeypatch, Hashed())
    memory = world.memory()
    with pytest.raises(UsageError, match=r"embed\.kinds has no 'tool'"):
        memory.embeddings.make(kinds=["tool"])
    memory.home.config = memory.config._replace(embed_kinds=("prompt", "nonsense"))
    with pytest.raises(UsageError, match="'nonsense' is no kind"):
        memory.embeddings.make()


# --- forgetting --------------------------------------------------------------------------------------------


def test_forgetting_leaves_no_vector_on_disk(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for session in SESSIONS:
        grow(world, session, 3)
    memory = world.memory()
    memory.index()
    embeds_with(monkeypatch, Hashed())
    memory.embeddings.make()
    keys = [str(row[0]) for row in world.rows("select id from passages where session_id = 's1'")]
    with stored(world) as store:
        hashes = list(store.hashes("passages", "hashed-1", keys).values())
    assert len(hashes) == 6
    memory.forget(session="s1")
    with memory.home.writing([]) as (_log, _key, index):
        purge(index.db, world.home)  # what forget calls, or will
    for file in versions.folder_of(world.home).iterdir():
        held = file.read_bytes()
        assert not any(text.encode() in held for text in [*hashes, *keys])
    with stored(world) as store:
        assert len(set(store.keys("passages", "hashed-1"))) == 6
    assert memory.embeddings.make().done == 0


# --- the lock ----------------------------------------------------------------------------------------------


@rows("R2.8", "R2.71")
def test_one_writer_at_a_time(tmp_path: Path) -> None:
    with Lock(tmp_path) as first:
        with pytest.raises(Locked, match=f"process {os.getpid()} on"):
            Lock(tmp_path).__enter__()
        first.check()
    assert owner(tmp_path) is None
    with Lock(tmp_path):
        pass


def test_who_waits_comes_next(tmp_path: Path) -> None:
    order: list[str] = []

    def second() -> None:
        with Lock(tmp_path, wait=True, sleep=lambda _s: time.sleep(0.01)):
            order.append("second")

    with Lock(tmp_path):
        waiter = threading.Thread(target=second)
        waiter.start()
        time.sleep(0.05)
        order.append("first")
    waiter.join()
    assert order == ["first", "second"]


def test_a_lock_without_a_heartbeat_is_taken_and_its_owner_stops(tmp_path: Path) -> None:
    clock = [1_000_000]
    old = Lock(tmp_path, now=lambda: clock[0])
    with old:
        clock[0] += STALE_MS
        with pytest.raises(Locked):
            Lock(tmp_path, now=lambda: clock[0]).__enter__()
        clock[0] += 1
        with Lock(tmp_path, now=lambda: clock[0]) as new:
            new.check()
            with pytest.raises(Locked, match="taken over"):
                old.check()
            old.beat()  # changes nothing: it is not its own any more
            new.check()


@pytest.mark.skipif(os.name == "nt", reason="only the heartbeat counts there")
def test_a_dead_owner_on_this_machine_is_followed_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dead = subprocess.Popen([sys.executable, "-c", "pass"])
    dead.wait()

    def left_by(host: str) -> None:
        state = versions.open_state(tmp_path)
        with atomic(state):
            now = time.time_ns() // 1_000_000
            state.execute("insert or replace into writer values (1, 'x', ?, ?, ?, ?)", (dead.pid, host, now, now))
        state.close()

    left_by(platform.node())
    with Lock(tmp_path):
        pass
    left_by("another-machine")
    with pytest.raises(Locked):
        Lock(tmp_path).__enter__()
    left_by(platform.node())
    monkeypatch.setattr("axiommind.vectors.lock.os.name", "nt")
    assert not owner(tmp_path).is_gone(time.time_ns() // 1_000_000)  # type: ignore[union-attr]


# --- kills -------------------------------------------------------------------------------------------------

KILLED = """
import sys, time
from axiommind.memory import Memory
from axiommind.vectors.embedding import Embeddings
from axiommind.vectors.stores.local import LocalStore
from tests.vectors.fakes import Hashed
Embeddings._embedder = lambda self: (Hashed(), '{}')
whole = LocalStore.upsert
def upsert(self, *given):
    whole(self, *given)
    print("stored", flush=True)
    time.sleep(60)
LocalStore.upsert = upsert
Memory().embeddings.make()
"""


@pytest.mark.skipif(os.name == "nt", reason="there is no kill -9")
def test_killed_between_the_vectors_and_the_job(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    grow(world, "s1", 3)
    world.memory().index()
    embeds_with(monkeypatch, Hashed())
    for _ in range(2):
        root = str(Path(__file__).parents[2])
        environ = {**world.environ, "PYTHONPATH": root}
        run = subprocess.Popen([sys.executable, "-c", KILLED], env=environ, stdout=subprocess.PIPE)
        assert run.stdout is not None and run.stdout.readline() == b"stored\n"
        with pytest.raises(Locked, match=f"process {run.pid}"):
            world.memory().embeddings.make()
        run.send_signal(signal.SIGKILL)
        run.wait()
        run.stdout.close()
    with world.memory().home.writing([]) as (_log, _key, index):
        assert waiting(index.db) >= 6
    done = world.memory().embeddings.make()
    assert done.active and done.kept >= 1
    assert wrong(world, "hashed-1") == []


# --- whatever happens --------------------------------------------------------------------------------------


class Killed(BaseException):
    """kill -9, as far as a test can go in one process."""


operation = st.one_of(
    st.tuples(st.just("grow"), st.sampled_from(SESSIONS), st.integers(1, 3)),
    st.tuples(st.just("rewrite"), st.sampled_from(SESSIONS), st.integers(0, 2)),
    st.tuples(st.just("forget"), st.sampled_from(SESSIONS), st.just(0)),
    st.tuples(st.just("rebuild"), st.none(), st.just(0)),
    st.tuples(st.just("embed"), st.sampled_from(["one", "two"]), st.integers(0, 5)),
    st.tuples(st.just("die"), st.sampled_from(["one", "two"]), st.integers(1, 3)),
)


@given(st.lists(operation, min_size=2, max_size=8))
@settings(max_examples=examples(15))
def test_whatever_happens_each_thing_has_its_vectors_once(history: Sequence[tuple[str, Any, int]]) -> None:
    """And a version that answers has everything it was made for: never a half-made one."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as monkeypatch:
        world = World(Path(folder))
        memory = world.memory()
        memory.index()
        sizes = dict.fromkeys(SESSIONS, 0)
        answering = None
        for act, what, n in history:
            if act == "grow":
                sizes[what] += n
                grow(world, what, sizes[what])
                memory.index()
            elif act == "rewrite":
                sizes[what] = n
                grow(world, what, n, word=f"rewritten {n}")
                memory.index()
            elif act == "forget":
                with contextlib.suppress(NotFound):
                    memory.forget(session=what)
            elif act == "rebuild":
                memory.rebuild()
            else:
                embeds_with(monkeypatch, Hashed(what))
                with monkeypatch.context() as during, contextlib.suppress(Killed):
                    if act == "die":
                        dying(during, n)
                    memory.embeddings.make(limit=n or None)
                before, active = answering, versions.active(world.home)
                answering = None if active is None else active.version
                assert answering is not None or before is None
                if answering is not None and answering != before:
                    assert half_made(world, answering) == set()
        embeds_with(monkeypatch, Hashed("one"))
        assert memory.embeddings.make().active
        assert wrong(world, "one") == []
        assert memory.verify() == []


def dying(monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    """The n-th batch is stored, and then the process is no more; nobody says good-bye."""
    whole, left = LocalStore.upsert, [after]

    def upsert(self: LocalStore, collection: str, version: str, rows: Sequence[VectorRow]) -> None:
        whole(self, collection, version, rows)
        left[0] -= 1
        if not left[0]:
            raise Killed

    monkeypatch.setattr(LocalStore, "upsert", upsert)
