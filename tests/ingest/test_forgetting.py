"""Forgetting beside readers, rebuilds and copies: what is left, and that it is said."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from axiommind.errors import NotFound
from tests.counting import PATIENCE_S
from tests.ingest.traces import traces
from tests.log.older import make_older
from tests.shell import axm
from tests.transcripts import PROJECT, Lines, World, encode, session


def test_forgotten_while_an_index_is_under_way(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from axiommind.ingest import TranscriptIngest

    lines = session("sec")
    world.write(lines)
    world.memory().index()
    world.append(encode(lines.prompt("zanzibarquux")), "sec")
    work = TranscriptIngest._work

    def forget_first(self: TranscriptIngest, jobs: Any) -> None:
        monkeypatch.setattr(TranscriptIngest, "_work", work)
        world.memory().forget(session="sec")
        work(self, jobs)

    monkeypatch.setattr(TranscriptIngest, "_work", forget_first)
    world.memory().index()
    assert world.rows("select id from sessions") == []
    assert traces(world.home, b"zanzibarquux") == []
    assert world.memory().verify(deep=True) == []


def test_a_title_from_another_file_goes_with_that_file(world: World) -> None:
    x = Lines("x")
    x.answer("no prompt")
    world.write(x)
    world.write(encode({"type": "summary", "summary": "zanzibarquux", "leafUuid": "x-0"}), "y")
    world.memory().index()
    assert world.one("select title from sessions where id = 'x'") == "zanzibarquux"
    world.memory().forget(session="y")
    assert world.one("select title from sessions where id = 'x'") is None
    assert traces(world.home, b"zanzibarquux") == []
    assert world.memory().verify() == []


def test_a_killed_rebuild_leaves_nothing_to_a_forget(world: World) -> None:
    lines = session("sec")
    lines.prompt("zanzibarquux")
    world.write(lines)
    world.memory().index()
    dead = subprocess.Popen([sys.executable, "-c", "pass"])
    dead.wait()
    leftover = world.home / f"index.db.building-{dead.pid}"
    leftover.write_bytes((world.home / "index.db").read_bytes())
    world.memory().forget(session="sec")
    assert not leftover.exists() and traces(world.home, b"zanzibarquux") == []


def test_whoever_folds_a_tombstone_scrubs(world: World) -> None:
    """Killed between the tombstone and the fold: the next run leaves no terms behind either."""
    lines = session("sec")
    lines.prompt("zanzibarquux")
    world.write(lines)
    world.memory().index()
    with world.memory().home.open_log() as (log, _key):
        log.forget(["sec"], None, actor="user", reason="")
        log.settle()
    world.memory().index()
    assert traces(world.home, b"zanzibarquux") == []


def test_a_reader_delays_the_last_traces_and_it_is_said(world: World) -> None:
    world.write(session("sec"))
    world.memory().index()
    with closing(sqlite3.connect(world.home / "index.db", isolation_level=None, check_same_thread=False)) as reader:
        reader.execute("begin")
        reader.execute("select count(*) from prompts").fetchone()
        found: list[Any] = []
        thread = threading.Thread(target=lambda: found.append(world.memory().forget(session="sec")))
        thread.start()
        thread.join(PATIENCE_S)
        assert found and found[0].complete is False
        assert axm(world, "verify", "--forgotten").returncode == 3
        reader.execute("rollback")
    world.memory().index()
    assert world.rows("select id from sessions") == []
    assert axm(world, "verify", "--forgotten").returncode == 0


@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="only Linux says who holds a lock")
def test_who_is_reading_is_named(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("axiommind.db.CHECKPOINT_MS", 20)
    world.write(session("sec"))
    world.memory().index()
    code = (
        "import sqlite3, sys; db = sqlite3.connect(sys.argv[1], isolation_level=None); db.execute('begin');"
        "db.execute('select count(*) from prompts').fetchone(); print('reading', flush=True); sys.stdin.read()"
    )
    reader = subprocess.Popen(
        [sys.executable, "-c", code, str(world.home / "index.db")], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert reader.stdout and reader.stdin and reader.stdout.readline() == b"reading\n"
    done = axm(world, "forget", "--session", "sec", "--yes", "--json")
    (held,) = json.loads(done.stdout)["pending"]
    assert done.returncode == 3 and held["place"] == "index.db" and f"process {reader.pid} (" in held["why"]
    assert f"Pending: index.db: process {reader.pid}" in done.stderr and "axm verify" in done.stderr
    assert held["found"] > 0, "what was purged was looked for, and found"
    assert "forgetting is pending (1)" in axm(world, "doctor").stdout
    told = axm(world, "verify")
    assert told.returncode == 3 and f"process {reader.pid}" in told.stdout and "rebuild" not in told.stderr
    reader.communicate()
    assert axm(world, "verify").returncode == 0
    proven = json.loads(axm(world, "verify", "--forgotten", "--json").stdout)
    assert proven["ok"] and [one["events"] for one in proven["certificates"]] == [[2]]


def test_a_copy_that_somebody_made_in_the_home_is_found(world: World) -> None:
    lines = session("sec")
    for n in range(40):
        lines.prompt(f"the zanzibarquux project {n} is confidential and secret")
    world.write(lines)
    world.memory().index()
    (world.home / "log.db.bak").write_bytes((world.home / "log.db").read_bytes())
    (world.home / "hooks").mkdir(exist_ok=True)
    (world.home / "hooks" / "notes.txt").write_text("see: the zanzibarquux project 7 is confidential and secret")
    done = world.memory().forget(session="sec")
    assert {held.place for held in done.pending} == {"log.db.bak", "hooks/notes.txt"}
    assert all(held.found for held in done.pending)
    (world.home / "log.db.bak").unlink()
    assert [where for where, _ in world.memory().verify()] == ["forgetting: hooks/notes.txt"]
    (world.home / "hooks" / "notes.txt").unlink()
    assert world.memory().verify() == []


def test_what_somebody_else_says_too_is_no_trace(world: World) -> None:
    for name in ("sec", "other"):
        lines = session(name)
        lines.prompt("the zanzibarquux project is confidential")
        world.write(lines)
    world.memory().index()
    (world.home / "notes.txt").write_text("the zanzibarquux project is confidential")
    assert world.memory().forget(session="sec").pending == ()


def test_what_was_forgotten_by_an_older_version_is_proven_too(world: World) -> None:
    world.write(session("sec"))
    world.memory().index()
    world.memory().forget(session="sec")
    make_older(world.home / "log.db", 2)
    assert len(world.memory().forgotten().certificates) == 2
    assert world.memory().verify() == []


def test_verify_leaves_its_second_index_where_forgetting_finds_it(world: World) -> None:
    world.write(session("sec"))
    world.memory().index()
    dead = subprocess.Popen([sys.executable, "-c", "pass"])
    dead.wait()
    left = world.home / f"index.db.building-{dead.pid}-verify-x"
    left.mkdir()
    (left / "replay.db").write_bytes((world.home / "index.db").read_bytes())
    assert world.memory().forget(session="sec").pending == () and not left.exists()


def test_forks_that_keep_copies_are_named(world: World) -> None:
    base = session("a")
    world.write(base)
    copy = Lines("b")
    copy.lines = [{**line, "sessionId": "b"} for line in base.lines]
    world.write(copy)
    world.memory().index()
    assert world.memory().forget(session="a", dry_run=True).copies == ("b",)
    done = axm(world, "forget", "--session", "a", "--yes")
    assert "forks contain copies" in done.stderr and world.rows("select id from sessions") == [("b",)]


def test_one_session_does_not_bring_its_project_back(world: World) -> None:
    world.write(session("a"))
    world.write(session("b"))
    world.memory().index()
    world.memory().forget(project=PROJECT)
    refused = axm(world, "forget", "--session", "a", "--undo")
    assert refused.returncode == 1 and f"axm forget --project {PROJECT} --undo" in refused.stderr
    assert world.rows("select id from sessions") == []
    assert axm(world, "forget", "--project", PROJECT, "--undo").returncode == 0
    again = axm(world, "forget", "--project", PROJECT, "--undo")
    assert again.returncode == 1 and "not forgotten" in again.stderr


def test_forgetting_what_is_gone_from_disk_says_so(world: World) -> None:
    path = world.write(session("a"))
    world.memory().index()
    path.unlink()
    world.memory().index()
    assert "cannot be undone" in axm(world, "forget", "--session", "a", "--dry-run").stderr
    assert "cannot be undone" in axm(world, "forget", "--session", "a", "--yes").stderr
    undone = axm(world, "forget", "--session", "a", "--undo")
    assert "on disk any more" in undone.stderr


def test_forgetting_leaves_no_trace(world: World) -> None:
    lines = session("secret")
    lines.prompt("the zanzibarquux project is confidential")
    lines.tool("Bash", "z", command="echo zanzibarquux")
    path = world.write(lines)
    world.write(session("other"))
    world.memory().index()
    assert traces(world.home, b"zanzibarquux")
    done = world.memory().forget(session="secret")
    assert done.sessions == ("secret",)
    assert traces(world.home, b"zanzibarquux") == []
    assert world.rows("select id from sessions") == [("other",)]
    world.append(encode(lines.prompt("more zanzibarquux")), "secret")
    world.memory().index()
    world.memory().index(full=True)
    world.memory().rebuild()
    assert traces(world.home, b"zanzibarquux") == [], "a tombstone stops re-reading"
    assert world.memory().verify(deep=True) == []
    assert path.exists(), "the agent's own file is not ours to touch"
    world.memory().undo_forget(session="secret")
    assert world.one("select prompt_count from sessions where id = 'secret'") == 3
    assert world.memory().verify(deep=True) == []


def test_forgetting_a_project(world: World) -> None:
    world.write(session("a"))
    world.write(session("b", cwd="/other"), folder="-other")
    world.memory().index()
    assert world.memory().forget(project=PROJECT, dry_run=True).sessions == ("a",)
    assert world.one("select count(*) from sessions") == 2
    world.memory().forget(project=PROJECT)
    world.write(session("later"))
    assert world.memory().index().files_opened == 1, "whose it is stands inside"
    assert world.memory().index().files_opened == 0, "and is then known"
    assert world.rows("select id from sessions") == [("b",)]
    assert world.memory().verify() == []
    world.memory().undo_forget(project=PROJECT)
    assert world.one("select count(*) from sessions") == 3
    with pytest.raises(NotFound):
        world.memory().forget(project="/nowhere")
    with pytest.raises(NotFound):
        world.memory().forget(session="nobody")


def test_forgetting_takes_the_subagents_along(world: World) -> None:
    path = world.write(session("parent"))
    folder = path.with_suffix("") / "subagents"
    folder.mkdir(parents=True)
    child = Lines("parent", sidechain=True)
    child.prompt("zanzibarquux")
    (folder / "agent-a1.jsonl").write_bytes(child.data())
    world.memory().index()
    assert world.memory().forget(session="par").sessions == ("agent-a1", "parent")
    report = world.memory().index()
    assert (report.files_opened, report.unchanged) == (0, 0)
    assert world.rows("select id from sessions") == []
    assert traces(world.home, b"zanzibarquux") == []
    with pytest.raises(NotFound):
        world.memory().undo_forget(session="nobody")
    world.memory().undo_forget(session="par")
    assert world.rows("select id from sessions order by id") == [("agent-a1",), ("parent",)]
    assert world.memory().verify(deep=True) == []
