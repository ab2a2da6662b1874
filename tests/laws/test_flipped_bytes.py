"""A single flipped bit in the index is found by `verify`, or changes nothing that a rebuild would make otherwise; and a
schema version that somebody wrote by hand is noticed by whoever reads or writes."""

from __future__ import annotations

import random
import shutil
import sqlite3
from pathlib import Path

import pytest

from axiommind.errors import IndexCorrupt, TooNew
from axiommind.home import Scope
from axiommind.projections.runner import tables
from axiommind.projections.scope import SCHEMA_VERSION
from tests.examples import examples
from tests.learning.sessions import Session
from tests.shell import axm
from tests.transcripts import World, session

FLIPS = examples(300)


def make(world: World) -> Path:
    """An index with rows in most tables, in one file."""
    world.write(session("a"))
    world.write(session("b", cwd="/p/other"), folder="-p-other")
    said = Session("c")
    said.prompt("Always run the tests with pytest before a commit. 항상 테스트를 먼저 실행하세요.")
    said.ask("Where should the table live?", "SQLite")
    said.update(said.task("Build the cache table"), status="completed")
    said.commit("feat: cache answers")
    world.write(said)
    notes = world.base / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("# Notes\n\nabout [[aardvarks]] and #tags\n")
    memory = world.memory()
    memory.documents.add([notes])
    memory.index()
    memory.learning.run()
    flow = memory.workflows.create("billing", description="in steps")
    memory.scratchpads.create(flow.id, "plan", "first\nsecond\n" * 40)
    memory.rebuild()
    db = sqlite3.connect(world.home / "index.db")
    db.execute("pragma wal_checkpoint(truncate)")
    db.close()
    return world.home / "index.db"


def content(path: Path) -> dict[str, list[str]]:
    """Every table, less what is operational: the same words as `verify` has for it."""
    db = sqlite3.connect(path)
    db.execute("create virtual table temp.terms using fts5vocab(main, passages_fts, 'instance')")
    try:
        found = {"terms": sorted(map(repr, db.execute("select * from temp.terms")))}
        for table in tables():
            if table.is_view or table.is_cache or table.name == "passages_fts":
                continue
            columns = [row[1] for row in db.execute(f"pragma table_info({table.name})")]
            wanted = ", ".join(column for column in columns if column not in table.differing)
            where = f"where not ({table.differs})" if table.differs else ""
            found[table.name] = sorted(map(repr, db.execute(f"select {wanted} from {table.name} {where}")))
        return found
    finally:
        db.close()


@pytest.mark.law
def test_a_flipped_bit_is_found(world: World) -> None:
    index = make(world)
    whole, before = index.read_bytes(), content(index)
    memory = world.memory()
    assert memory.verify() == []
    used = [place for place, byte in enumerate(whole) if byte]  # in a small index most pages are mostly empty
    dice = random.Random(20261118)
    found = 0
    for _ in range(FLIPS):
        for name in ("index.db-wal", "index.db-shm"):
            (world.home / name).unlink(missing_ok=True)
        place = dice.choice(used)
        index.write_bytes(whole[:place] + bytes([whole[place] ^ 1 << dice.randrange(8)]) + whole[place + 1 :])
        if memory.verify():
            found += 1
        else:
            assert content(index) == before, f"byte {place}"
    assert found


@pytest.mark.parametrize("table", ["meta", "passages_fts_docsize", "sqlite_master"])
def test_what_is_not_a_row_of_a_projection_is_looked_at_too(world: World, table: str) -> None:
    index = make(world)
    db = sqlite3.connect(index)
    if table == "meta":
        db.execute("update meta set value = replace(value, 'project', 'projecz') where key = 'scope'")
    elif table == "passages_fts_docsize":
        db.execute("update passages_fts_docsize set sz = x'0101' where id = (select max(id) from passages_fts_docsize)")
    else:
        db.execute("pragma writable_schema=on")
        db.execute("update sqlite_master set sql = replace(sql, 'running', 'sunning') where name = 'build_runs'")
    db.commit()
    db.close()
    assert world.memory().verify()


@pytest.mark.parametrize("value", ["99", "1", "0", "-3", "three", ""])
def test_a_schema_version_written_by_hand_is_noticed(world: World, value: str) -> None:
    index = make(world)
    kept = world.base / "kept.db"
    shutil.copyfile(index, kept)
    db = sqlite3.connect(index)
    db.execute("update meta set value = ? where key = 'schema_version'", (value,))
    db.commit()
    db.close()
    error = TooNew if value == "99" else IndexCorrupt
    with pytest.raises(error, match=f"reads {SCHEMA_VERSION}"):
        world.memory().overview(Scope(None))
    for command in (("query", "--perspective", "sessions"), ("search", "parser"), ("doctor",), ("verify",)):
        assert axm(world, *command).returncode == 3, command
    if value == "99":
        with pytest.raises(TooNew):
            world.memory().index()
        assert content(index).keys() == content(kept).keys()
    else:
        assert any("shape" in note for note in world.memory().index().notes)
        assert world.memory().verify() == []


def test_no_schema_version_at_all_is_noticed(world: World) -> None:
    index = make(world)
    db = sqlite3.connect(index)
    db.execute("delete from meta where key = 'schema_version'")
    db.commit()
    db.close()
    assert axm(world, "search", "parser").returncode == 3
    world.memory().index()
    assert world.memory().verify() == []
