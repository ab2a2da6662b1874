"""Forgetting takes the vectors too, at once and from every store; where it cannot, it says so, and verify knows."""

from __future__ import annotations

import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from axiommind.distribution import extra_command
from axiommind.errors import MissingExtra
from axiommind.vectors import versions
from axiommind.vectors.stores import open_store
from tests.learning.sessions import tasks
from tests.notes import Notes
from tests.search.asking import ask, tell
from tests.surfaces.command import Axm
from tests.transcripts import World
from tests.vectors.fakes import Hashed, embeds_with

# A version beside the one that is there, in a store that needs an extra.
LANCE = """
    insert into versions
    select 'x.lance', embedder, settings, dimension, 'lance', '', '{}', 1, 1 from versions
"""
SECRET = "The wombat keeps its passwords under the third stone"


THEME = "Add a dark colour theme to the settings window"


@pytest.fixture
def told(world: World) -> World:
    tell(world, "s1", SECRET, "and nobody else knows")
    tell(world, "s2", THEME)
    world.memory().index()
    world.memory().embeddings.make()
    return world


def traces(world: World, session: str) -> list[bytes]:
    """What vectors/ holds of a session: keys, hashes of texts, and the vectors themselves."""
    found = []
    keys = {str(row[0]) for row in world.rows(f"select id from passages where session_id = '{session}'")} | {session}
    with closing(sqlite3.connect(world.home / "vectors" / "local.db")) as db:
        for key, text_hash, vector in db.execute("select key, text_hash, vector from parts").fetchall():
            if key in keys:
                found += [text_hash.encode(), vector]
    assert found
    return [*found, *(key.encode() for key in keys if len(key) > 4)]


def held(world: World, wanted: list[bytes]) -> list[str]:
    """The files below vectors/ that hold one of these."""
    files = [path for path in (world.home / "vectors").rglob("*") if path.is_file()]
    assert files
    return [path.name for path in files if any(one in path.read_bytes() for one in wanted)]


def remaining(world: World) -> list[tuple[str, str]]:
    return [one for one in world.memory().verify() if one[0].startswith("vectors")]


def test_nothing_of_it_is_left_in_any_version(told: World, monkeypatch: pytest.MonkeyPatch) -> None:
    embeds_with(monkeypatch, Hashed())
    half = told.memory().embeddings.make(limit=4)
    assert not half.active and len(versions.read(told.home)) == 2
    wanted = traces(told, "s1")
    assert held(told, wanted)
    done = told.memory().forget(session="s1")
    assert done.pending == () and held(told, wanted) == []
    with closing(open_store("local", told.home / "vectors", write=False)) as store:
        assert len(store.versions()) == 2
        for version in store.versions():
            assert "s1" not in set(store.keys("sessions", version))
    assert remaining(told) == []
    assert {hit.session_id for hit in ask(told, f"{SECRET} {THEME}", mode="semantic").hits} == {"s2"}


def test_tasks_and_documents_go_too(world: World) -> None:
    world.write(tasks("s1"))
    notes = Notes(world)
    path = notes.write("a.md", f"# Stones\n\n{SECRET}\n")
    notes.add()
    memory = world.memory()
    memory.index()
    memory.learning.run()
    memory.embeddings.make()
    with closing(open_store("local", world.home / "vectors", write=False)) as store:
        (version,) = store.versions()
        assert len(list(store.keys("task_titles", version))) == 2
    memory.forget(document=str(path))
    memory.forget(session="s1")
    with closing(open_store("local", world.home / "vectors", write=False)) as store:
        assert store.versions() == {}
    assert memory.verify() == []


@pytest.mark.parametrize("damage", ["at once", "later", "no state"])
def test_a_broken_store_is_no_hiding_place(told: World, axm: Axm, damage: str) -> None:
    wanted = traces(told, "s1")
    store = told.home / "vectors" / "local.db"
    whole = store.read_bytes()
    if damage == "at once":
        store.write_bytes(b"not a database" + whole[14:])
    elif damage == "later":  # the tables are there, and what they hold is not; the rest of the pages is
        with closing(sqlite3.connect(store)) as db:
            (page,) = db.execute("select rootpage from sqlite_master where name = 'parts'").fetchone()
            (size,) = db.execute("pragma page_size").fetchone()
        whole = store.read_bytes()
        store.write_bytes(whole[: (page - 1) * size] + b"\xff" * 100 + whole[(page - 1) * size + 100 :])
    else:
        (told.home / "vectors" / "state.db").write_bytes(b"not a database" * 999)
    assert held(told, wanted)
    done = axm("forget", "--session", "s1", "--yes")
    assert (done.code, done.out) == (0, "s1\n") and "Vectors" not in done.err
    assert held(told, wanted) == []
    assert told.memory().verify() == []
    assert ask(told, "wombat", mode="hybrid").total <= 1
    assert told.memory().embeddings.make().active
    assert ask(told, "設定画面にダークテーマを追加", mode="semantic").hits[0].session_id == "s2"


def test_without_its_extra_a_store_keeps_what_it_has_and_that_is_said(
    told: World, axm: Axm, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "lancedb", None)
    with closing(sqlite3.connect(told.home / "vectors" / "state.db")) as db, db:
        db.execute("update versions set state = 'retired'")
        db.execute(LANCE.format("active"))
    (told.home / "vectors" / "lance").mkdir()
    wanted = traces(told, "s1")
    done = axm("forget", "--session", "s1", "--yes")
    assert (done.code, done.out) == (3, "s1\n") and "Forgotten: 1 session" in done.err
    assert "Pending: vectors: the store lance needs lancedb, which is not installed" in done.err
    assert f"hint: {extra_command('lance')}; then axm embed" in done.err
    assert held(told, wanted) == [], "the other store was purged"
    assert SECRET.encode() not in (told.home / "index.db").read_bytes() + (told.home / "log.db").read_bytes()
    assert told.rows("select id from sessions") == [("s2",)]
    assert [what for _, what in remaining(told)] == [
        "cannot be looked into: the store lance needs lancedb, which is not installed"
    ]
    again = axm("forget", "--session", "s2", "--yes", "--json")
    assert again.code == 3 and again.json["certificate"] is None
    assert [one["why"] for one in again.json["pending"]] == ["the store lance needs lancedb, which is not installed"]


def test_embedding_elsewhere_goes_on_when_the_old_store_cannot_be_opened(
    told: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "lancedb", None)
    with closing(sqlite3.connect(told.home / "vectors" / "state.db")) as db, db:
        db.execute(LANCE.format("retired"))
    tell(told, "s3", "One more")
    told.memory().index()
    done = told.memory().embeddings.make()
    assert done.active and done.done == 2
    with pytest.raises(MissingExtra):
        open_store("lance", told.home / "vectors", write=False)


def test_verify_knows_what_was_forgotten_from_what_has_changed(told: World, axm: Axm) -> None:
    vectors = told.home / "vectors"
    before = {path: path.read_bytes() for path in vectors.iterdir()}
    told.memory().forget(session="s1")
    assert remaining(told) == []
    for path, data in before.items():  # a backup of the folder was put back
        path.write_bytes(data)
    assert all(hit.session_id == "s2" for hit in ask(told, SECRET, mode="semantic").hits), "they lead nowhere"
    done = axm("verify")
    assert done.code == 3
    assert done.out == "✗ vectors local: 3 of what was forgotten remain; axm embed takes them out\n"
    assert told.memory().embeddings.make().removed == 3
    assert axm("verify").code == 0


def test_a_document_that_changed_is_no_finding(world: World) -> None:
    notes = Notes(world)
    notes.write("a.md", f"# Stones\n\n{SECRET}\n")
    notes.add()
    world.memory().embeddings.make()
    notes.write("a.md", "# Stones\n\nNothing to see here.\n")
    notes.index()
    assert world.memory().verify() == []
    assert world.memory().embeddings.make().removed == 1


def test_a_damaged_store_is_a_finding(told: World) -> None:
    path: Path = told.home / "vectors" / "local.db"
    path.write_bytes(b"nothing of a database" * 500)
    ((where, what),) = remaining(told)
    assert where == "vectors local" and "cannot be looked into" in what and "is damaged" in what
