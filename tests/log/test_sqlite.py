"""The SQLite engine: the contract, and what only a file can do wrong."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from axiommind.errors import LogCorrupt, TooNew
from axiommind.log import EventLog, home_key
from axiommind.log.sqlite import SqliteLog
from tests.log.contract import KEY, LogContract, text
from tests.rows import rows


class TestSqliteLog(LogContract):
    base: Path

    @pytest.fixture(autouse=True)
    def folder(self, tmp_path: Path) -> None:
        self.base = tmp_path

    def open(self) -> tuple[EventLog, Callable[[int], None]]:
        clock = [1000]
        folder = Path(tempfile.mkdtemp(dir=self.base))
        log = SqliteLog(folder / "log.db", KEY, now=lambda: clock[0])
        return log, lambda now: clock.__setitem__(0, now)

    def reopen(self, log: EventLog) -> EventLog:
        assert isinstance(log, SqliteLog)
        log.close()
        return SqliteLog(log.path, KEY)


@rows("R2.4")
def test_the_database_itself_refuses_to_change_an_event(tmp_path: Path) -> None:
    log = SqliteLog(tmp_path / "log.db", KEY)
    log.append_dedup("noted", actor="t", payload={}, dedupe_key="a")
    log.close()
    db = sqlite3.connect(tmp_path / "log.db")
    for statement in ("update events set actor = 'x'", "delete from events"):
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            db.execute(statement)


@rows("R2.105")
def test_a_redacted_payload_is_marked_and_holds_the_secret_nowhere(tmp_path: Path) -> None:
    secret = "ghp_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"
    log = SqliteLog(tmp_path / "log.db", KEY)
    with closing(log):
        for key, note in (("a", "nothing"), ("b", f"the key is {secret}")):
            log.append_dedup("noted", actor="t", payload={"note": note}, dedupe_key=key)
    with closing(sqlite3.connect(tmp_path / "log.db")) as db:
        plain, marked = db.execute("select payload_json, payload_redacted, sensitivity from events order by position")
    assert plain[1:] == (None, "normal")
    assert marked[1] == marked[0] and marked[2] == "redacted" and secret not in marked[0]


@rows("R2.34")
def test_verify_finds_each_kind_of_damage(tmp_path: Path) -> None:
    def damaged(*statements: str) -> list[str]:
        path = Path(tempfile.mkdtemp(dir=tmp_path)) / "log.db"
        log = SqliteLog(path, KEY)
        blob = text("some text " * 50)
        log.append_dedup("noted", actor="t", payload={"blob": blob.hash}, dedupe_key="a", blobs=[blob])
        log.append_dedup("noted", actor="t", payload={}, dedupe_key="b")
        log.close()
        db = sqlite3.connect(path)
        for verb in ("update", "delete"):
            db.execute(f"drop trigger events_never_{verb}")
        for statement in statements:
            db.execute(statement)
        db.commit()
        db.close()
        return [f.what for f in SqliteLog(path, KEY).verify()]

    assert damaged() == []
    assert any("checksum" in w for w in damaged("""update events set payload_json = '{"a":1}' where position = 2"""))
    assert any("ts" in w for w in damaged("update events set ts = 1 where position = 2"))
    assert any("dedupe" in w for w in damaged("delete from event_dedup where dedupe_key = 'b'"))
    assert any("missing" in w for w in damaged("delete from blobs"))
    assert any("gone" in w for w in damaged("delete from blob_refs", "delete from blobs"))
    assert any("refers" in w for w in damaged("delete from blob_refs"))
    assert any("unpacked" in w or "match" in w for w in damaged("update blobs set data = zeroblob(100)"))


def test_a_damaged_file_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    path.write_bytes(b"this is not a database, " * 400)
    before = path.read_bytes()
    with pytest.raises(LogCorrupt) as caught:
        SqliteLog(path, KEY)
    assert path.read_bytes() == before
    assert "backup" in caught.value.hint


@rows("R0.85")
def test_a_newer_file_is_refused(tmp_path: Path) -> None:
    SqliteLog(tmp_path / "log.db", KEY).close()
    db = sqlite3.connect(tmp_path / "log.db")
    db.execute("insert into migrations(number, name) values (99, 'm099_from_the_future')")
    db.commit()
    db.close()
    with pytest.raises(TooNew):
        SqliteLog(tmp_path / "log.db", KEY)


def test_the_key_of_a_home_is_made_once(tmp_path: Path) -> None:
    first = home_key(tmp_path / "home")
    assert home_key(tmp_path / "home") == first and len(first) == 32
    assert (tmp_path / "home" / "redaction.key").stat().st_mode & 0o077 == 0
    assert [p.name for p in (tmp_path / "home").iterdir()] == ["redaction.key"]
