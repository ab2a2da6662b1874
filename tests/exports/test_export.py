"""An export holds what the index holds, twice is once, and what is brought up to date is what is written anew."""

from __future__ import annotations

import json
import sqlite3
import stat
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from axiommind.errors import MissingExtra, NotFound, UsageError
from axiommind.exports import parts, snapshot
from axiommind.exports.columns import Column
from axiommind.exports.snapshot import ExportedTable
from tests.examples import examples
from tests.exports.reading import FORMATS, files_of, held, in_index, opened
from tests.laws.histories import History, operation
from tests.shell import axm
from tests.transcripts import Lines, World, session

pytest.importorskip("duckdb")
every_format = pytest.mark.parametrize("to", FORMATS)


def small_parts(monkeypatch: pytest.MonkeyPatch, rows: int = 4) -> None:
    """Parts of a few rows, so that a few sessions have many."""
    monkeypatch.setattr(parts, "USUAL_ROWS", rows)
    monkeypatch.setattr(parts, "MOST_ROWS", 4 * rows)


def make_home(world: World, sessions: int = 4) -> None:
    for n in range(sessions):
        world.write(session(f"session-{n}"))
    memory = world.memory()
    memory.index()
    memory.learning.run()
    flow = memory.workflows.create("migrate the billing", description="in three steps")
    memory.scratchpads.create(flow.id, "plan", "the quetzalcoatl plan\nof two lines")


@every_format
def test_every_row_of_the_index_is_in_it(to: str, world: World, tmp_path: Path) -> None:
    make_home(world)
    done = world.memory().exports.make(to, tmp_path / "out")
    expected = in_index(world.home)
    found = held(to, tmp_path / "out", [*expected])
    assert found == expected
    assert done.is_anew and done.rows == done.rows_written > sum(map(len, expected.values()))


@given(
    st.sampled_from(FORMATS),
    st.lists(operation, min_size=1, max_size=8),
    st.lists(operation, min_size=1, max_size=6),
)
@settings(max_examples=examples(25), deadline=None)
def test_whatever_happened_an_export_brought_up_to_date_is_the_index(
    to: str, before: list[tuple[str, Any, Any]], after: list[tuple[str, Any, Any]]
) -> None:
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        small_parts(patch)
        world, out = World(Path(folder) / "w"), Path(folder) / "out"
        player = History(world)
        for history in (before, after):
            for step in history:
                player.play(*step)
            player.index()
            exports = world.memory().exports
            exports.make(to, out)
            again = exports.make(to, out)
            assert (again.rows_written, again.parts_removed, again.is_anew) == (0, 0, False)
            expected = in_index(world.home)
            assert held(to, out, [*expected]) == expected
            with sqlite3.connect(world.home / "log.db") as log:
                events = log.execute("select position, event_id, checksum from events order by position").fetchall()
            assert [(*row[:2], row[8]) for row in _events(to, out)] == events


def _events(to: str, out: Path) -> list[tuple[Any, ...]]:
    return sorted(held(to, out, ["events"])["events"])


@pytest.mark.parametrize("to", ["jsonl", "parquet"])
def test_only_parts_that_changed_are_written(
    to: str, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_parts(monkeypatch, rows=8)
    make_home(world, sessions=12)
    exports, out = world.memory().exports, tmp_path / "out"
    first = exports.make(to, out)
    before = files_of(out)
    world.write(session("the-newest"))
    world.memory().index()
    second = exports.make(to, out)
    after = files_of(out)
    untouched = [name for name in before if after.get(name) == before[name]]
    assert not second.is_anew and 0 < second.rows_written < first.rows_written
    assert len(untouched) > len(before) / 2
    assert held(to, out, [*in_index(world.home)]) == in_index(world.home)


def test_events_that_are_there_are_not_read_again(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_parts(monkeypatch)
    make_home(world, sessions=30)
    exports = world.memory().exports
    exports.make("jsonl", tmp_path / "out")
    world.write(session("the-newest"))
    world.memory().index()
    asked = []
    rows = snapshot.Snapshot.rows
    monkeypatch.setattr(
        snapshot.Snapshot,
        "rows",
        lambda self, table, after=0: asked.append((table.name, after)) or rows(self, table, after),
    )
    exports.make("jsonl", tmp_path / "out")
    (after,) = [after for name, after in asked if name == "events"]
    assert after > 30


def test_memory_holds_one_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted, not measured: of a million rows no more are held than a part has."""
    table = ExportedTable("many", "", (Column("id", "integer", 1, True, "integer"), Column("text", "text")))
    given_out = 0

    def rows() -> Any:
        nonlocal given_out
        for number in range(1_000_000):
            given_out += 1
            yield (number, "word")

    taken = 0
    for part, held_rows in parts.cut(table, rows()):
        assert len(held_rows) == part.rows <= parts.MOST_ROWS
        taken += part.rows
        assert given_out == taken
    assert taken == 1_000_000
    wide = [part.rows for part, _ in parts.cut(table, ((n, "x" * (4 << 20)) for n in range(20)))]
    assert max(wide) <= 5 and sum(wide) == 20


@given(st.lists(st.integers(0, 10**6), unique=True), st.integers(0, 10**6))
@settings(max_examples=examples(50), deadline=None)
def test_a_row_more_changes_the_parts_near_it(keys: list[int], more: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        small_parts(patch)
        table = ExportedTable("t", "", (Column("id", "integer", 1, True, "integer"),))
        before = {part.digest for part, _ in parts.cut(table, ((key,) for key in sorted(keys)))}
        after = [part.digest for part, _ in parts.cut(table, ((key,) for key in sorted({*keys, more})))]
        fresh = [place for place, digest in enumerate(after) if digest not in before]
        # A part that was full ends elsewhere now, up to the next end that a key decides.
        assert not fresh or len(fresh) <= 2 + len(keys) // 4
        assert sum(part.rows for part, _ in parts.cut(table, ((k,) for k in sorted({*keys, more})))) == len(
            {*keys, more}
        )


@every_format
def test_what_was_forgotten_goes_from_the_next_export(to: str, world: World, tmp_path: Path) -> None:
    secret = Lines("secretive")
    secret.prompt("the codename is xylophonist, keep it between us")
    secret.answer("I shall not say xylophonist to anybody.")
    world.write(secret)
    make_home(world)
    out = tmp_path / "out"
    exports = world.memory().exports
    exports.make(to, out, blobs=True)
    assert _holds(to, out, "xylophonist")
    said = axm(world, "forget", "--session", "secretive", "--yes")
    assert f"may still hold it: {out}" in said.stderr and f"axm export --to {to} {out}" in said.stderr
    exports.make(to, out, blobs=True)
    assert not _holds(to, out, "xylophonist")
    assert held(to, out, [*in_index(world.home)]) == in_index(world.home)


def _holds(to: str, out: Path, word: str) -> bool:
    """Whether any table says it, and whether any byte does."""
    files = [file for file in out.rglob("*") if file.is_file()] if out.is_dir() else [out]
    if any(word.encode() in file.read_bytes() for file in files):
        return True
    if to == "jsonl":
        return False
    with opened(to, out) as db:
        names = [table.name for table in snapshot._index_tables()] + ["events", "blobs"]
        return any(word in repr(db.execute(f'select * from "{name}"').fetchall()) for name in names)


@every_format
def test_a_run_that_fails_leaves_what_was_there(
    to: str, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_home(world)
    exports, out = world.memory().exports, tmp_path / "out"
    exports.make(to, out)
    expected = in_index(world.home)
    world.write(session("the-newest"))
    world.memory().index()
    rows = snapshot.Snapshot.rows

    def failing(self: Any, table: ExportedTable, after: int = 0) -> Any:
        if table.name == "tool_uses":
            raise OSError("gone in the middle")
        return rows(self, table, after)

    with monkeypatch.context() as patch:
        patch.setattr(snapshot.Snapshot, "rows", failing)
        with pytest.raises(OSError, match="in the middle"):
            exports.make(to, out)
    assert held(to, out, [*expected]) == expected
    assert [file.name for file in tmp_path.rglob("*") if ".new" in file.name or ".part" in file.name] == []
    exports.make(to, out)
    assert held(to, out, [*expected]) == in_index(world.home)


def test_what_a_killed_run_left_is_removed_and_what_is_missing_comes_back(world: World, tmp_path: Path) -> None:
    make_home(world)
    exports, out = world.memory().exports, tmp_path / "out"
    exports.make("jsonl", out)
    (out / "sessions" / f"{'a' * 32}.jsonl").write_text("{}\n")
    (out / "sessions" / "mine.txt").write_text("not yours")
    for file in (out / "prompts").iterdir():
        file.unlink()
    exports.make("jsonl", out)
    assert held("jsonl", out, [*in_index(world.home)]) == in_index(world.home)
    assert (out / "sessions" / "mine.txt").read_text() == "not yours"


@every_format
def test_what_is_something_else_is_not_overwritten(to: str, world: World, tmp_path: Path) -> None:
    make_home(world, sessions=1)
    exports = world.memory().exports
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "letter.txt").write_text("dear")
    with pytest.raises(UsageError):
        exports.make(to, mine, force=True)
    file = tmp_path / "file"
    file.write_text("a letter, long enough to be something else")
    with pytest.raises(UsageError):
        exports.make(to, file)
    assert file.read_text().startswith("a letter") and (mine / "letter.txt").read_text() == "dear"
    if to in ("sqlite", "duckdb"):
        assert exports.make(to, file, force=True).is_anew
        assert held(to, file, [*in_index(world.home)]) == in_index(world.home)
    another = next(name for name in FORMATS if name != to)
    with pytest.raises(UsageError):
        exports.make(another, Path(exports.make(to, tmp_path / "out").path))


def test_an_export_is_its_owners_alone(world: World, tmp_path: Path) -> None:
    make_home(world, sessions=1)
    for to in FORMATS:
        world.memory().exports.make(to, tmp_path / "out" / to)
    for path in (tmp_path / "out").rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path


@every_format
def test_one_project_and_some_time(to: str, world: World, tmp_path: Path) -> None:
    for n, project in enumerate(("/p/one", "/p/one", "/p/two")):
        lines = Lines(f"session-{n}", project)
        lines.prompt(f"prompt {n}", at=n * 60 * 24)
        lines.answer(f"answer {n}", at=n * 60 * 24 + 1)
        world.write(lines, folder="-p")
    memory = world.memory()
    memory.index()
    project = tmp_path / "project"
    memory.exports.make(to, project, project="/p/one", blobs=True)
    found = held(to, project, ["sessions", "prompts", "events", "blobs"])
    assert {row[0] for row in found["sessions"]} == {"session-0", "session-1"} == {row[5] for row in found["events"]}
    assert len(found["prompts"]) == 2 and not _holds(to, project, "prompt 2")
    with pytest.raises(UsageError, match="/p/one"):
        memory.exports.make(to, project)
    last = max(row[0] for row in world.rows("select ended_at from sessions"))
    lately = tmp_path / "lately"
    memory.exports.make(to, lately, since=last, blobs=True)
    assert [row[0] for row in held(to, lately, ["sessions"])["sessions"]] == ["session-2"]
    assert not _holds(to, lately, "prompt 1") and _holds(to, lately, "prompt 2")
    memory.exports.make(to, lately, blobs=True)  # a window that moves is no other export
    assert len(held(to, lately, ["sessions"])["sessions"]) == 3


def test_real_types(world: World, tmp_path: Path) -> None:
    make_home(world)
    with opened("duckdb", world.memory().exports.make("duckdb", tmp_path / "axm.duckdb").path) as db:
        types = {
            (t, c): kind
            for t, c, kind in db.execute(
                "select table_name, column_name, data_type from information_schema.columns where table_schema = 'main'"
            ).fetchall()
        }
        assert types["prompts", "timestamp"] == types["events", "ts"] == types["entries", "created_at"] == "TIMESTAMP"
        assert types["prompts", "canonical"] == types["tool_uses", "is_error"] == "BOOLEAN"
        assert types["events", "payload"] == types["entries", "evidence_json"] == "JSON"
        assert types["weekly_buckets", "week_start"] == "DATE" and types["model_calls", "usd"] == "DECIMAL(18,9)"
        assert types["sessions", "output_tokens"] == "BIGINT" and types["session_links", "overlap_ratio"] == "DOUBLE"
        said = dict(db.execute("select table_name || '.' || column_name, type from dictionary").fetchall())
        assert said == {
            f"{t}.{c}": kind for (t, c), kind in types.items() if t not in ("dictionary", "export_manifest")
        }
        assert db.execute("select min(timestamp) > timestamp '2026-01-01' from prompts").fetchone() == (True,)
        assert db.execute("select count(*) from events where payload->>'$.stream' is not null").fetchone() != (0,)


def test_columns_called_boolean_are(world: World) -> None:
    """What a column is follows from its name: one that is called so and is not would lose what it says."""
    make_home(world)
    view = snapshot.Snapshot(world.home / "index.db", world.home / "log.db", None, None)
    for table in view.tables(blobs=True):
        for place, column in enumerate(table.columns):
            values = {row[place] for row in view.rows(table)} if table.name != "blobs" else set()
            if column.kind == "boolean":
                assert values <= {0, 1, None}, (table.name, column.name)
            if column.kind == "time":
                assert all(v is None or v == 0 or 10**12 < v < 10**13 for v in values), (table.name, column.name)
            if column.kind == "moment":
                assert all(v is None or (v[10] == "T" and v[-1] == "Z") for v in values), (table.name, column.name)
            if column.kind == "json":
                assert all(v is None or isinstance(json.loads(v), (dict, list)) for v in values), column.name
    view.close()


def test_the_words_of_the_command(world: World, tmp_path: Path) -> None:
    out = tmp_path / "out.sqlite"
    assert axm(world, "export", "--to", "sqlite", str(out)).returncode == 1  # there is no index yet
    make_home(world)
    assert axm(world, "export").returncode == 2
    assert axm(world, "export", "--to", "xlsx", str(out)).returncode == 2
    done = axm(world, "export", "--to", "sqlite", str(out))
    assert (done.returncode, done.stdout) == (0, f"{out}\n") and "Exported" in done.stderr
    again = axm(world, "export", "--to", "sqlite", str(out), "--json")
    assert json.loads(again.stdout)["rows_written"] == 0 and "Nothing changed" in again.stderr
    world.write(session("the-newest"))
    world.memory().index()
    assert "Brought up to date" in axm(world, "export", "--to", "sqlite", str(out)).stderr
    other = axm(world, "export", "--to", "sqlite", str(tmp_path))
    assert other.returncode == 2 and "name a file" in other.stderr


def test_without_the_extra_it_says_what_to_install(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_home(world, sessions=1)
    monkeypatch.setitem(__import__("sys").modules, "duckdb", None)
    for to in ("parquet", "duckdb"):
        with pytest.raises(MissingExtra) as raised:
            world.memory().exports.make(to, tmp_path / to)
        assert "export" in raised.value.hint and not (tmp_path / to).exists()
    assert world.memory().exports.make("jsonl", tmp_path / "jsonl").is_anew


def test_there_has_to_be_something(world: World, tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        world.memory().exports.make("jsonl", tmp_path / "out")
    assert not (tmp_path / "out").exists()
