"""What every store of vectors keeps, whichever it is: the suite runs over each file of the folder of stores."""

from __future__ import annotations

import importlib.util
import math
import random
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from axiommind.distribution import extra_command
from axiommind.errors import Internal, Locked, MissingExtra, StoreError, TooNew, UsageError, VectorError, VectorsCorrupt
from axiommind.vectors.contract import PASSAGES, SESSIONS, Near, Store, VectorRow
from axiommind.vectors.similarity import cosine, similarity
from axiommind.vectors.stores import _codes, _file, _slots, local, names, open_store
from tests.examples import examples
from tests.rows import rows

V1, V2 = "static-1", "static-2"


def needed(name: str) -> None:
    if name == "lance" and importlib.util.find_spec("lancedb") is None:
        pytest.skip("lancedb is not installed: make proof installs it")


@pytest.fixture(params=names())
def kind(request: pytest.FixtureRequest) -> str:
    needed(request.param)
    return str(request.param)


@pytest.fixture
def store(kind: str, tmp_path: Path) -> Iterator[Store]:
    opened = open_store(kind, tmp_path, write=True)
    yield opened
    opened.close()


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Store]:
    """The local one."""
    opened = open_store("local", tmp_path, write=True)
    yield opened
    opened.close()


def row(key: str, vector: Sequence[float], part: int = 0, place: int = 0, text_hash: str = "h") -> VectorRow:
    return VectorRow(key, part, place, text_hash, vector)


def dice(seed: int, dimension: int = 24) -> Callable[[], list[float]]:
    """Random unit vectors."""
    rolled = random.Random(seed)

    def roll() -> list[float]:
        found = [rolled.gauss(0, 1) for _ in range(dimension)]
        length = math.hypot(*found)
        return [x / length for x in found]

    return roll


def product(a: Sequence[float], b: Sequence[float]) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True)) / (math.hypot(*a) * math.hypot(*b))


def check_nearest(
    store: Store, query: Sequence[float], k: int, keys: Iterable[str], places: set[int] | None = None
) -> None:
    """What `near` finds is what brute force finds among these keys, by the vectors as the store has them. Which of two
    keys comes first may differ where their similarities only do so in the last digits."""
    held = store.vectors(PASSAGES, V1, keys)
    every = {key: max(product(query, vector) for vector in vectors) for key, vectors in held.items()}
    found = store.near(PASSAGES, V1, query, k, places)
    best = sorted(every.values(), reverse=True)[:k]
    assert [near.similarity for near in found] == pytest.approx(best, abs=1e-5)
    assert [near.similarity for near in found] == pytest.approx([every[near.key] for near in found], abs=1e-5)
    assert found == sorted(found, key=lambda near: (-near.similarity, near.key))
    assert len({near.key for near in found}) == len(found)


def check_similar(store: Store, query: Sequence[float], keys: Collection[str]) -> None:
    """How near each key is, is what its vectors say."""
    held = store.vectors(PASSAGES, V1, keys)
    every = {key: max(product(query, vector) for vector in vectors) for key, vectors in held.items()}
    assert store.similarities(PASSAGES, V1, query, keys) == pytest.approx(every, abs=1e-5)


# --- what goes in comes out ----------------------------------------------------------------------------


def test_an_empty_store(store: Store) -> None:
    assert store.near(PASSAGES, V1, [1.0, 0.0], 5) == []
    assert store.similarities(PASSAGES, V1, [1.0, 0.0], ["a"]) == {}
    assert store.vectors(PASSAGES, V1, ["a"]) == {}
    assert dict(store.hashes(PASSAGES, V1, ["a"])) == {}
    assert list(store.keys(PASSAGES, V1)) == []
    assert dict(store.versions()) == {}
    store.upsert(PASSAGES, V1, [])
    store.delete(PASSAGES, V1, ["a"])
    store.delete(PASSAGES, V1, [])
    store.drop(V1)
    store.tidy()


def test_the_nearest_come_first_and_ties_by_key(store: Store) -> None:
    store.upsert(PASSAGES, V1, [row("far", [-1, 0]), row("b", [1, 1]), row("a", [1, 1]), row("best", [1, 0])])
    found = store.near(PASSAGES, V1, [1.0, 0.0], 3)
    assert [near.key for near in found] == ["best", "a", "b"]
    assert found[0].similarity == pytest.approx(1, abs=1e-6)
    assert found[1].similarity == pytest.approx(math.sqrt(0.5), abs=1e-6)
    assert [near.key for near in store.near(PASSAGES, V1, [1.0, 0.0], 9)] == ["best", "a", "b", "far"]
    assert store.near(PASSAGES, V1, [1.0, 0.0], 9)[-1].similarity == pytest.approx(-1, abs=1e-6)
    assert store.near(PASSAGES, V1, [1.0, 0.0], 0) == []
    assert store.near(PASSAGES, V1, [0.0, 0.0], 3) == []


@rows("R2.71")
def test_upserting_twice_is_upserting_once(store: Store) -> None:
    roll = dice(1)
    rows = [row(f"k{i}", roll(), part, i, f"h{i}") for i in range(20) for part in range(2)]
    query = roll()
    store.upsert(PASSAGES, V1, rows)
    before = store.near(PASSAGES, V1, query, 30)
    store.upsert(PASSAGES, V1, rows)
    assert store.near(PASSAGES, V1, query, 30) == before
    assert dict(store.versions()) == {V1: 40}
    assert sorted(store.keys(PASSAGES, V1)) == sorted(f"k{i}" for i in range(20))


def test_the_last_of_two_is_kept(store: Store) -> None:
    store.upsert(PASSAGES, V1, [row("a", [1, 0], text_hash="old"), row("a", [0, 1], text_hash="new")])
    assert store.near(PASSAGES, V1, [0.0, 1.0], 5) == [Near("a", pytest.approx(1))]
    assert dict(store.hashes(PASSAGES, V1, ["a", "b"])) == {"a": "new"}
    store.upsert(PASSAGES, V1, [row("a", [1, 0], text_hash="newer")])
    assert store.near(PASSAGES, V1, [0.0, 1.0], 5) == [Near("a", pytest.approx(0))]
    assert dict(store.hashes(PASSAGES, V1, ["a"])) == {"a": "newer"}
    assert dict(store.versions()) == {V1: 1}


def test_parts_that_a_text_no_longer_has_vanish(store: Store) -> None:
    store.upsert(PASSAGES, V1, [row("a", [1, 0], 0), row("a", [0, 1], 1), row("a", [0, -1], 2), row("b", [1, 1])])
    assert [len(v) for v in store.vectors(PASSAGES, V1, ["a"]).values()] == [3]
    store.upsert(PASSAGES, V1, [row("a", [-1, 0])])
    assert store.vectors(PASSAGES, V1, ["a", "none"]) == {"a": [pytest.approx([-1, 0])]}
    assert [near.key for near in store.near(PASSAGES, V1, [0.0, 1.0], 5)] == ["b", "a"]
    assert dict(store.versions()) == {V1: 2}


def test_a_key_is_as_near_as_its_nearest_part(store: Store) -> None:
    store.upsert(PASSAGES, V1, [row("a", [0, 1], 0), row("a", [1, 0], 1), row("b", [0.9, 0.1], 0)])
    assert [near.key for near in store.near(PASSAGES, V1, [1.0, 0.0], 1)] == ["a"]
    found = store.similarities(PASSAGES, V1, [1.0, 0.0], ["a", "b", "none"])
    assert found == {"a": pytest.approx(1), "b": pytest.approx(product([1, 0], [0.9, 0.1]), abs=0.01)}
    assert store.vectors(PASSAGES, V1, ["a"])["a"] == [pytest.approx([0, 1]), pytest.approx([1, 0])]


def test_a_long_text_does_not_crowd_out_others(store: Store) -> None:
    """Its parts fill the first candidates, and yet the second best key is found."""
    roll = dice(2)
    towards = roll()
    parts = [row("long", [x + y / 50 for x, y in zip(towards, roll(), strict=True)], n) for n in range(900)]
    store.upsert(PASSAGES, V1, [*parts, row("b", roll()), row("a", roll())])
    assert {near.key for near in store.near(PASSAGES, V1, towards, 3)} == {"long", "a", "b"}


def test_odd_keys(store: Store) -> None:
    keys = ["it's", "a;drop table parts", '"quoted"', "한국어", "new\nline", "%", "\\", "x" * 300]
    store.upsert(PASSAGES, V1, [row(key, [1, n]) for n, key in enumerate(keys)])
    assert sorted(store.keys(PASSAGES, V1)) == sorted(keys)
    assert set(store.hashes(PASSAGES, V1, keys)) == set(keys)
    store.delete(PASSAGES, V1, keys[:-1])
    assert list(store.keys(PASSAGES, V1)) == keys[-1:]


def test_only_within_some_places(store: Store) -> None:
    store.upsert(PASSAGES, V1, [row(f"k{i}", [1, i / 100], place=i) for i in range(20)])
    found = store.near(PASSAGES, V1, [1.0, 0.0], 3, places={7, 12, 19, 999})
    assert [near.key for near in found] == ["k7", "k12", "k19"]
    assert store.near(PASSAGES, V1, [1.0, 0.0], 3, places=[]) == []
    assert store.near(PASSAGES, V1, [1.0, 0.0], 3, places=[-1]) == []


def test_versions_and_collections_are_apart(store: Store) -> None:
    store.upsert(PASSAGES, V1, [row("a", [1, 0]), row("b", [1, 1])])
    store.upsert(SESSIONS, V1, [row("s", [1, 0])])
    store.upsert(PASSAGES, V2, [row("a", [1, 0, 0]), row("c", [0, 1, 0])])
    assert [near.key for near in store.near(PASSAGES, V1, [1.0, 0.0], 9)] == ["a", "b"]
    assert [near.key for near in store.near(PASSAGES, V2, [1.0, 0.0, 0.0], 9)] == ["a", "c"]
    assert [near.key for near in store.near(SESSIONS, V1, [1.0, 0.0], 9)] == ["s"]
    assert store.near(SESSIONS, V2, [1.0, 0.0, 0.0], 9) == []
    assert dict(store.versions()) == {V1: 3, V2: 2}
    store.delete(PASSAGES, V1, ["a", "c"])
    assert list(store.keys(PASSAGES, V1)) == ["b"]
    assert sorted(store.keys(PASSAGES, V2)) == ["a", "c"]
    store.drop(V1)
    assert dict(store.versions()) == {V2: 2}
    assert list(store.keys(SESSIONS, V1)) == []
    store.upsert(PASSAGES, V1, [row("d", [1, 0, 0, 0])])  # a dropped version may come back with another dimension
    assert list(store.keys(PASSAGES, V1)) == ["d"]


def test_a_text_that_means_nothing_is_known_and_never_near(store: Store) -> None:
    store.upsert(PASSAGES, V1, [row("blank", [0, 0], text_hash="e"), row("a", [1, 0]), row("a", [0, 0], 1)])
    assert [near.key for near in store.near(PASSAGES, V1, [1.0, 0.0], 5)] == ["a"]
    assert dict(store.hashes(PASSAGES, V1, ["blank"])) == {"blank": "e"}
    assert sorted(store.keys(PASSAGES, V1)) == ["a", "blank"]
    assert set(store.similarities(PASSAGES, V1, [1.0, 0.0], ["a", "blank"])) == {"a"}
    assert set(store.vectors(PASSAGES, V1, ["a", "blank"])) == {"a"}
    store.upsert(PASSAGES, V1, [row("blank", [1, 0]), row("a", [0, 0])])
    assert [near.key for near in store.near(PASSAGES, V1, [1.0, 0.0], 5)] == ["blank"]


@pytest.mark.parametrize("bad", [[math.nan, 1.0], [math.inf, 1.0], [1.0, -math.inf], [1.0, 0.0, 0.0], [1.0], []])
def test_what_no_store_can_keep_is_refused_whole(store: Store, bad: list[float]) -> None:
    store.upsert(SESSIONS, V1, [row("s", [1, 0])])
    for given_rows in ([row("good", [0, 1]), row("bad", bad)], [row("bad", bad)]):
        with pytest.raises(VectorError) as refused:
            store.upsert(PASSAGES, V1, given_rows)
        assert isinstance(refused.value, ValueError)
        assert refused.value.hint
    assert list(store.keys(PASSAGES, V1)) == []
    assert dict(store.versions()) == {V1: 1}
    if bad:
        for ask in (lambda: store.near(SESSIONS, V1, bad, 5), lambda: store.similarities(SESSIONS, V1, bad, ["s"])):
            with pytest.raises(VectorError):
                ask()


def test_deleted_keys_are_gone(store: Store) -> None:
    roll = dice(3)
    rows = [row(f"k{i}", roll(), part, i) for i in range(30) for part in range(2)]
    store.upsert(PASSAGES, V1, rows)
    store.delete(PASSAGES, V1, [f"k{i}" for i in range(0, 30, 3)] + ["none"])
    left = [f"k{i}" for i in range(30) if i % 3]
    assert sorted(store.keys(PASSAGES, V1)) == sorted(left)
    query = roll()
    assert sorted(near.key for near in store.near(PASSAGES, V1, query, 99)) == sorted(left)
    check_nearest(store, query, 5, left)
    store.delete(PASSAGES, V1, left)
    assert store.near(PASSAGES, V1, query, 5) == []
    assert dict(store.versions()) == {}


def test_nothing_of_a_deleted_key_is_left_on_disk(store: Store, tmp_path: Path) -> None:
    import struct

    roll = dice(4, 64)
    rows = {f"key-{i:03}-of-a-secret": roll() for i in range(200)}
    for i in range(0, 200, 10):
        store.upsert(PASSAGES, V1, [row(key, rows[key]) for key in list(rows)[i : i + 10]])
    gone = "key-077-of-a-secret"
    small = _codes.small([rows[gone]])[0]
    assert small is not None
    traces = [gone.encode(), small.vector, small.code, struct.pack("<64f", *rows[gone])]

    def found() -> list[bytes]:
        held = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
        return [trace for trace in traces if any(trace in data for data in held)]

    assert gone.encode() in found()
    assert len(found()) >= 2
    store.delete(PASSAGES, V1, [gone])
    assert found() == []
    assert len(list(store.keys(PASSAGES, V1))) == 199
    store.drop(V1)
    held = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(b"of-a-secret" in data for data in held)


def test_no_copy_of_a_deleted_key_stays_behind_where_sqlite_moved_it(tmp_path: Path) -> None:
    """`secure_delete` overwrites the cells it frees, and not the copies that are left when pages are balanced: without
    writing the file anew this mix leaves some."""
    rolled = random.Random(2)
    store = open_store("local", tmp_path, write=True)
    live: dict[str, list[bytes]] = {}
    dead: list[tuple[str, list[bytes]]] = []
    for _ in range(45):
        if rolled.random() < 0.6 or not live:
            rows = []
            for _ in range(rolled.randint(1, 150)):
                key = (
                    rolled.choice(list(live)) if live and rolled.random() < 0.2 else f"secret-{rolled.getrandbits(99)}"
                )
                rows.append(row(key, [rolled.gauss(0, 1) for _ in range(192)]))
            store.upsert(PASSAGES, V1, rows)
            for one, small in zip(rows, _codes.small([one.vector for one in rows]), strict=True):
                assert small is not None
                live.setdefault(one.key, []).append(small.vector)
        else:
            keys = rolled.sample(sorted(live), min(len(live), rolled.randint(1, 80)))
            store.delete(PASSAGES, V1, keys)
            dead += [(key, live.pop(key)) for key in keys]
            data = b"".join(path.read_bytes() for path in tmp_path.iterdir() if path.is_file())
            left = [key for key, vectors in dead if key.encode() in data or any(vector in data for vector in vectors)]
            assert left == []
    store.close()


def test_forgetting_that_was_cut_off_is_done_by_the_next_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = open_store("local", tmp_path, write=True)
    store.upsert(PASSAGES, V1, [row("a-secret", [1, 0]), row("b", [1, 1])])
    with monkeypatch.context() as patched:
        patched.setattr(_file.File, "forget", lambda self: None)
        store.delete(PASSAGES, V1, ["a-secret"])
    assert b"a-secret" in (tmp_path / "local.db-wal").read_bytes()
    store.close()
    store = open_store("local", tmp_path, write=True)
    said: list[str] = []
    store._file._connection().set_trace_callback(said.append)  # type: ignore[attr-defined]
    store.tidy()
    assert "vacuum" in said
    said.clear()
    store.tidy()
    store.delete(PASSAGES, V1, ["not there"])
    assert "vacuum" not in said
    store.close()


def test_many_writes_and_then_tidy(store: Store) -> None:
    roll = dice(5)
    for n in range(8):
        store.upsert(PASSAGES, V1, [row(f"k{i}", roll(), place=i) for i in range(n, n + 20)])
    query = roll()
    before = store.near(PASSAGES, V1, query, 30)
    store.tidy()
    assert store.near(PASSAGES, V1, query, 30) == before
    assert store.size() > 0


def test_a_store_opened_again_and_one_that_reads(kind: str, tmp_path: Path) -> None:
    reader = open_store(kind, tmp_path / "new", write=False)
    assert reader.near(PASSAGES, V1, [1.0, 0.0], 5) == []
    assert reader.size() == 0
    for write in (
        lambda: reader.upsert(PASSAGES, V1, [row("a", [1, 0])]),
        lambda: reader.delete(PASSAGES, V1, ["a"]),
        lambda: reader.drop(V1),
        reader.tidy,
    ):
        with pytest.raises(Internal, match="reading only"):
            write()
    reader.close()
    assert not (tmp_path / "new").exists()
    writer = open_store(kind, tmp_path / "new", write=True)
    writer.upsert(PASSAGES, V1, [row("a", [1, 0])])
    reader = open_store(kind, tmp_path / "new", write=False)
    assert list(reader.keys(PASSAGES, V1)) == ["a"]
    writer.upsert(PASSAGES, V1, [row("b", [0, 1])])
    assert [near.key for near in reader.near(PASSAGES, V1, [0.0, 1.0], 5)] == ["b", "a"]
    writer.delete(PASSAGES, V1, ["b"])
    assert [near.key for near in reader.near(PASSAGES, V1, [0.0, 1.0], 5)] == ["a"]
    writer.close()
    reader.close()


def test_keys_may_be_read_while_they_are_deleted(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "_PAGE", 2)
    store.upsert(PASSAGES, V1, [row(f"k{i}", [1, i]) for i in range(6)])
    assert len(store.hashes(PASSAGES, V1, store.keys(PASSAGES, V1))) == 6
    assert len(store.similarities(PASSAGES, V1, [1.0, 0.0], store.keys(PASSAGES, V1))) == 6
    seen = []
    for key in store.keys(PASSAGES, V1):
        seen.append(key)
        if len(seen) % 3 == 0:
            store.delete(PASSAGES, V1, [key])
    assert seen == [f"k{i}" for i in range(6)]


# --- against brute force -------------------------------------------------------------------------------

VECTORS = st.lists(st.integers(-5, 5).map(float), min_size=3, max_size=3)
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["upsert", "upsert", "delete"]),
        st.lists(st.tuples(st.integers(0, 9), st.integers(0, 2), VECTORS), min_size=1, max_size=6),
    ),
    min_size=1,
    max_size=6,
)


@pytest.mark.parametrize("name", names())
def test_any_writes_then_near_is_brute_force(
    name: str, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    needed(name)
    monkeypatch.setattr(_slots, "BLOCK", 4)

    @settings(max_examples=examples(60 if name == "local" else 8))
    @given(steps=STEPS, query=VECTORS, k=st.integers(1, 6), inside=st.none() | st.sets(st.integers(0, 9), max_size=5))
    def law(
        steps: list[tuple[str, list[tuple[int, int, list[float]]]]],
        query: list[float],
        k: int,
        inside: set[int] | None,
    ) -> None:
        store = open_store(name, tmp_path_factory.mktemp("law"), write=True)
        model: dict[str, dict[int, list[float]]] = {}
        for what, written in steps:
            keys = {f"k{key}" for key, _, _ in written}
            model = {key: parts for key, parts in model.items() if key not in keys}
            if what == "delete":
                store.delete(PASSAGES, V1, keys)
                continue
            store.upsert(PASSAGES, V1, [row(f"k{key}", vector, part, key) for key, part, vector in written])
            for key, part, vector in written:
                model.setdefault(f"k{key}", {})[part] = vector
        assert list(store.keys(PASSAGES, V1)) == sorted(model)
        held = [key for key in model if inside is None or int(key[1:]) in inside]
        if any(query):
            check_nearest(store, query, k, held, inside)
        for key, vectors in store.vectors(PASSAGES, V1, model).items():
            kept = [vector for _, vector in sorted(model[key].items()) if any(vector)]
            assert [product(a, b) for a, b in zip(kept, vectors, strict=True)] == pytest.approx(
                [1] * len(kept), abs=1e-4
            )
        store.close()

    law()


def test_recall_among_many(store: Store) -> None:
    """More than are looked at closely, in clusters: hardly one of the ten nearest is missed."""
    roll = dice(6, 128)
    middles = [roll() for _ in range(30)]
    vectors = {f"k{i:04}": [m + x for m, x in zip(middles[i % 30], roll(), strict=True)] for i in range(1500)}
    store.upsert(PASSAGES, V1, [row(key, vector) for key, vector in vectors.items()])
    hits = 0
    for n in range(10):
        query = [m + x for m, x in zip(middles[n], roll(), strict=True)]
        wanted = sorted(vectors, key=lambda key: -product(vectors[key], query))[:10]
        hits += len({near.key for near in store.near(PASSAGES, V1, query, 10)} & set(wanted))
    assert hits >= 95


# --- the local store -----------------------------------------------------------------------------------


@given(
    vectors=st.lists(st.lists(st.floats(-1, 1, width=32), min_size=70, max_size=70), min_size=1, max_size=40),
    inside=st.none() | st.sets(st.integers(0, 40), max_size=20),
    wanted=st.integers(1, 12),
)
@settings(max_examples=examples(40))
def test_both_scans_give_the_same_answer(vectors: list[list[float]], inside: set[int] | None, wanted: int) -> None:
    pytest.importorskip("numpy")
    slow = [_codes._small(vector) for vector in vectors]
    assert _codes._small_by_numpy(vectors) == slow
    kept = [small for small in slow if small is not None]
    query = _codes.whole(vectors[0])
    size = 7
    codes = [b"".join(s.code for s in kept[i : i + size]) for i in range(0, len(kept), size)]
    places = [(i % 41).to_bytes(8, "little") for i in range(len(kept))]
    only = frozenset(inside or ())
    scans = [kind(query, codes, places if only else (), only) for kind in (_codes.PythonScan, _codes.NumpyScan)]
    assert sorted(scans[0].first(wanted)) == sorted(scans[1].first(wanted))
    assert len(scans[0].first(wanted)) == min(
        wanted, sum(i % 41 in only for i in range(len(kept))) if only else len(kept)
    )
    assert scans[0].dots([s.vector for s in kept]) == scans[1].dots([s.vector for s in kept])
    assert scans[0].squared == scans[1].squared


def test_a_search_is_the_same_with_and_without_numpy(kept: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numpy")
    monkeypatch.setattr(_slots, "BLOCK", 64)
    monkeypatch.setattr(local, "CANDIDATES", 30)
    monkeypatch.setattr(local, "OVERSAMPLE", 3)
    roll = dice(7, 100)
    kept.upsert(PASSAGES, V1, [row(f"k{i}", roll(), place=i % 5) for i in range(500)])
    queries = [roll() for _ in range(10)]

    def asked() -> list[object]:
        found: list[object] = [
            kept.near(PASSAGES, V1, query, 10, places) for query in queries for places in (None, [1, 3])
        ]
        return [*found, kept.similarities(PASSAGES, V1, queries[0], [f"k{i}" for i in range(50)])]

    import numpy as np

    fast = asked()
    monkeypatch.setattr(_codes, "loaded_numpy", lambda: None)
    monkeypatch.setattr(_codes, "NumpyScan", None)
    assert asked() == fast
    monkeypatch.undo()
    assert kept.near(PASSAGES, V1, np.array(queries[0], dtype=np.float64), 10) == kept.near(
        PASSAGES, V1, queries[0], 10
    )


def test_a_new_process_searches_without_numpy_until_it_pays(kept: Store, tmp_path: Path) -> None:
    kept.upsert(PASSAGES, V1, [row("a", [1, 0]), row("b", [0, 1])])
    code = f"""
        import sys
        from axiommind.vectors.stores import local, open_store
        store = open_store("local", {str(tmp_path)!r}, write=False)
        local.PURE_LIMIT = 4
        for asked in (1, 2, 3):
            assert [near.key for near in store.near("passages", {V1!r}, [1, 0], 5)] == ["a", "b"]
            print("numpy" in sys.modules)
    """
    said = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True)
    has = importlib.util.find_spec("numpy") is not None
    assert said.stdout.split() == ["False", "False", str(has)]


def test_blocks_are_what_the_rows_say(kept: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a long mix of writes every slot holds the code of its row, without a gap."""
    import sqlite3

    monkeypatch.setattr(_slots, "BLOCK", 8)
    rolled, roll = random.Random(8), dice(8, 70)
    for _ in range(60):
        keys = {f"k{rolled.randrange(60)}" for _ in range(rolled.randint(1, 12))}
        if rolled.random() < 0.4:
            kept.delete(PASSAGES, V1, keys)
        else:
            rows = [row(key, roll(), part, rolled.randrange(9)) for key in keys for part in range(rolled.randint(1, 3))]
            kept.upsert(PASSAGES, V1, rows)
    db = sqlite3.connect(tmp_path / local.FILE)
    space = _slots.space(db, PASSAGES, V1)
    assert space is not None
    codes = b"".join(_slots.blocks(db, space, "codes", 16))
    places = b"".join(_slots.blocks(db, space, "places", 8))
    rows = db.execute("select slot, vector, place from parts order by slot").fetchall()
    db.close()
    assert [slot for slot, _, _ in rows] == list(range(space.slots))
    assert len(codes) == space.slots * 16
    for slot, vector, place in rows:
        signed = [x - 256 if x > 127 else x for x in vector]
        assert codes[slot * 16 : slot * 16 + 16] == _codes.code(signed)
        assert int.from_bytes(places[slot * 8 : slot * 8 + 8], "little") == place


def test_a_damaged_file(tmp_path: Path) -> None:
    path = tmp_path / local.FILE
    for number in (1, 2):
        path.write_bytes(b"not a database at all, but long enough to be looked at" * 200)
        with pytest.raises(VectorsCorrupt, match=str(path)) as told:
            open_store("local", tmp_path, write=False)
        assert "axm embed" in told.value.hint
        store = open_store("local", tmp_path, write=True)
        store.upsert(PASSAGES, V1, [row("a", [1, 0])])
        store.close()
        assert (tmp_path / f"local.db.corrupt-{number}").exists()
        reader = open_store("local", tmp_path, write=False)
        assert list(reader.keys(PASSAGES, V1)) == ["a"]
        reader.close()


def test_damage_in_the_middle_is_told_to_the_next_writer(tmp_path: Path) -> None:
    """A reader came across it, and who opens the file for writing might not."""
    roll = dice(9)
    store = open_store("local", tmp_path, write=True)
    store.upsert(PASSAGES, V1, [row(f"k{i}", roll()) for i in range(3000)])
    store.close()
    path = tmp_path / local.FILE
    data = bytearray(path.read_bytes())
    data[4096 * 4 :] = b"\xff" * (len(data) - 4096 * 4)
    path.write_bytes(data)
    reader = open_store("local", tmp_path, write=False)
    with pytest.raises(VectorsCorrupt):
        reader.near(PASSAGES, V1, roll(), 5)
    reader.close()
    store = open_store("local", tmp_path, write=True)
    assert dict(store.versions()) == {}
    store.close()
    assert (tmp_path / "local.db.corrupt-1").exists()


def test_a_file_of_a_newer_program(tmp_path: Path) -> None:
    import sqlite3

    db = sqlite3.connect(tmp_path / local.FILE)
    db.execute("pragma user_version=99")
    db.close()
    for write in (False, True):
        with pytest.raises(TooNew):
            open_store("local", tmp_path, write=write)


def test_names_of_stores(tmp_path: Path) -> None:
    assert names() == ["lance", "local"]
    with pytest.raises(UsageError, match="faiss"):
        open_store("faiss", tmp_path, write=False)
    with pytest.raises(UsageError, match="s3://"):
        open_store("local", "s3://bucket/vectors", write=True)


# --- killed, and several at once -----------------------------------------------------------------------

WRITER = """
    import random, sys
    from axiommind.vectors.contract import VectorRow
    from axiommind.vectors.stores import open_store
    kind, folder, name, batches = sys.argv[1:]
    rolled = random.Random(name)
    store = open_store(kind, folder, write=True)
    print("open", flush=True)
    for n in range(int(batches)):
        vectors = [[rolled.gauss(0, 1) for _ in range(24)] for _ in range(20)]
        store.upsert("passages", "static-1", [VectorRow(f"{name}-{n}", i, n, "h", v) for i, v in enumerate(vectors)])
        if n == 0:
            print("stored", flush=True)
    store.close()
"""


def writer(kind: str, folder: Path, name: str, batches: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-W", "ignore", "-c", textwrap.dedent(WRITER), kind, str(folder), name, str(batches)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def whole(store: Store) -> set[str]:
    """The keys that are there, each of them with all of its parts."""
    keys = list(store.keys(PASSAGES, V1))
    held = store.vectors(PASSAGES, V1, keys)
    assert {len(held[key]) for key in keys} <= {20}
    return set(keys)


def test_a_killed_writer_leaves_whole_upserts(kind: str, tmp_path: Path) -> None:
    kills = 4 if kind == "local" else 1
    for n in range(kills):
        process = writer(kind, tmp_path, f"w{n}", 100_000)
        assert process.stdout is not None
        assert (process.stdout.readline(), process.stdout.readline()) == ("open\n", "stored\n")
        time.sleep(0.05 * n)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
    store = open_store(kind, tmp_path, write=True)
    keys = whole(store)
    assert keys
    query = dice(10)()
    check_similar(store, query, keys)
    assert len(store.near(PASSAGES, V1, query, len(keys))) == len(keys)
    store.upsert(PASSAGES, V1, [row("after", query)])
    assert store.near(PASSAGES, V1, query, 1)[0].key == "after"
    store.close()


def test_two_writers_and_a_reader_at_once(tmp_path: Path) -> None:
    """The local store: the writers take turns, the reader sees whole upserts only."""
    writers = [writer("local", tmp_path, name, 40) for name in ("a", "b")]
    reader = open_store("local", tmp_path, write=False)
    query = dice(11)()
    seen = looks = 0
    while any(process.poll() is None for process in writers):
        found = len(whole(reader))
        assert found >= seen
        looks += found > seen
        seen = found
        assert len(reader.near(PASSAGES, V1, query, 10)) >= min(seen, 10)
    assert looks, "the reader saw nothing of the writing"
    for process in writers:
        assert process.returncode == 0
        assert process.stdout is not None
        process.stdout.close()
    assert whole(reader) == {f"{name}-{n}" for name in "ab" for n in range(40)}
    check_similar(reader, query, list(reader.keys(PASSAGES, V1)))
    reader.close()


def test_lance_has_one_writer(tmp_path: Path) -> None:
    needed("lance")
    first = open_store("lance", tmp_path, write=True)
    with pytest.raises(Locked, match="another process") as refused:
        open_store("lance", tmp_path, write=True)
    assert isinstance(refused.value, StoreError)
    reader = open_store("lance", tmp_path, write=False)
    reader.close()
    first.close()
    open_store("lance", tmp_path, write=True).close()


def test_lance_is_read_while_it_is_written_and_tidied(tmp_path: Path) -> None:
    needed("lance")
    import threading

    roll = dice(12)
    store = open_store("lance", tmp_path, write=True)
    store.upsert(PASSAGES, V1, [row(f"k{i}", roll(), part) for i in range(10) for part in range(3)])
    reader = open_store("lance", tmp_path, write=False)
    done = threading.Event()

    def write() -> None:
        for n in range(12):
            store.upsert(PASSAGES, V1, [row(f"k{n % 10}", roll(), part) for part in range(3)])
            store.tidy()
        done.set()

    thread = threading.Thread(target=write)
    thread.start()
    while not done.is_set():
        assert len(reader.near(PASSAGES, V1, roll(), 10)) == 10
        assert {len(parts) for parts in reader.vectors(PASSAGES, V1, [f"k{i}" for i in range(10)]).values()} == {3}
    thread.join()
    reader.close()
    store.close()


def test_lance_that_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lancedb", None)
    with pytest.raises(MissingExtra) as told:
        open_store("lance", tmp_path, write=True)
    assert told.value.hint == extra_command("lance")


# --- similarity ----------------------------------------------------------------------------------------


@rows("R2.103")
def test_distances_become_similarities() -> None:
    assert [similarity(d, "cosine") for d in (0.0, 1.0, 2.0)] == [1.0, 0.0, -1.0]
    assert [similarity(d, "squared_l2") for d in (0.0, 2.0, 4.0)] == [1.0, 0.0, -1.0]
    assert [similarity(h, "hamming", 192) for h in (0, 64, 96, 192)] == pytest.approx([1.0, 0.5, 0.0, -1.0])
    assert similarity(-1e-7, "cosine") == 1.0  # rounding of 32-bit floats
    assert similarity(4.0000001, "squared_l2") == -1.0


@given(a=VECTORS, b=VECTORS)
def test_all_metrics_say_the_same(a: list[float], b: list[float]) -> None:
    if not any(a) or not any(b):
        return
    wanted = product(a, b)
    whole_a, whole_b = ([int(x) for x in vector] for vector in (a, b))
    dot = sum(x * y for x, y in zip(whole_a, whole_b, strict=True))
    assert cosine(dot, sum(x * x for x in whole_a), sum(x * x for x in whole_b)) == pytest.approx(wanted)
    units = [[x / math.hypot(*vector) for x in vector] for vector in (a, b)]
    assert similarity(math.dist(*units) ** 2, "squared_l2") == pytest.approx(wanted)
    assert similarity(1 - wanted, "cosine") == pytest.approx(wanted)
