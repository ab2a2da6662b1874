"""Indexing, end to end: what lands in the tables, and what a run costs."""

from __future__ import annotations

import json
import os
import shutil
import time
from pathlib import Path

import pytest

from axiommind.errors import NotFound
from axiommind.memory import Memory, Scope
from tests.ingest.traces import traces
from tests.rows import rows
from tests.transcripts import PROJECT, START, Lines, World, encode, session


@rows("R0.12", "R0.19", "R0.30")
def test_what_lands_in_the_tables(world: World) -> None:
    path = world.write(session())
    report = world.memory().index()
    assert (report.new, report.updated, report.unchanged, report.missing) == (1, 0, 0, 0)
    row = world.rows(
        """select id, project, file_path, file_size, file_mtime, first_ts, last_ts, prompt_count, tool_use_count,
                  response_count, edit_count, error_count, model, git_branch, title, missing_since from sessions"""
    )[0]
    info = path.stat()
    assert row == (
        "s1",
        PROJECT,
        str(path),
        info.st_size,
        info.st_mtime_ns // 1_000_000,
        START,
        START,
        1,
        3,
        4,
        1,
        1,
        "claude-opus-5-5",
        "main",
        "please add a test for the parser",
        None,
    )
    assert world.rows("select seq_order, tool_name, classified_name, is_error, line from tool_uses order by 1") == [
        (0, "Read", "Read", 0, 2),
        (1, "Edit", "Edit", 1, 4),
        (2, "Bash", "Bash:test", None, 6),
    ]
    assert world.rows(
        "select file_path, tool_use_id = (select id from tool_uses where seq_order = 1) from file_edits"
    ) == [(f"{PROJECT}/parser.py", 1)]
    assert {k for (k,) in world.rows("select keyword from prompt_keywords")} == {"add", "test", "parser"} or (
        "parser" in {k for (k,) in world.rows("select keyword from prompt_keywords")}
    )
    assert world.rows(
        "select key, value from meta where key not in ('last_indexed_at', 'scope', 'log') order by key"
    ) == [
        ("embedding_version", "1"),
        ("project_path", "*"),
        ("schema_version", "3"),
    ]


@rows("R0.34")
def test_deleting_a_session_cascades(world: World) -> None:
    """R0.34, by the database itself."""
    from axiommind.projections.runner import Index

    world.write(session())
    world.memory().index()
    index = Index(world.home / "index.db")
    index.db.execute("delete from sessions")
    for table in ("prompts", "tool_uses", "file_edits", "prompt_keywords", "responses", "passages"):
        assert index.db.execute(f"select count(*) from {table}").fetchone() == (0,), table
    index.close()


# --- work counters -----------------------------------------------------------------------------------------------


@rows("R0.3", "R0.45", "R0.47")
def test_a_second_run_opens_and_reads_nothing(world: World) -> None:
    for name in ("a", "b", "c"):
        world.write(session(name))
    world.write(b"", "empty")
    world.write(b'{"type":"user"', "torn")
    first = world.memory().index()
    assert first.files_opened == 5 and first.bytes_read == 3 * len(session("a").data())
    second = world.memory().index()
    assert (second.files_opened, second.bytes_read, second.bytes_checked) == (0, 0, 0)
    assert (second.events, second.rows, second.unchanged) == (0, 0, 5)


@rows("R0.3", "R0.45", "R0.46", "R0.50", "R0.51", "R0.88")
def test_a_grown_session_reads_only_its_new_bytes(world: World) -> None:
    for i in range(12):
        world.write(session(f"other{i}", cwd=f"/p/{i}"), folder=f"-p-{i}")
    lines = session("grows")
    world.write(lines)
    world.memory().index()
    before = len(lines.lines)
    lines.prompt("one more thing")
    lines.tool("Write", "new", file_path=f"{PROJECT}/new.py")
    new = b"".join(encode(line) for line in lines.lines[before:])
    world.append(new, "grows")
    report = world.memory().index()
    assert (report.files_opened, report.bytes_read, report.events, report.updated) == (1, len(new), 1, 1)
    assert report.bytes_checked <= 8192
    # Its rows with their jobs, the derived rows of its own project, and where each projection is; not the rows of the
    # twelve others.
    assert report.rows < 80
    assert world.memory().verify() == []


@rows("R0.51")
def test_rows_of_other_projects_are_not_touched(world: World) -> None:
    import sqlite3

    world.write(session("mine"))
    world.write(session("theirs", cwd="/other"), folder="-other")
    world.memory().index()
    db = sqlite3.connect(world.home / "index.db")
    for table in ("tool_transitions", "weekly_buckets", "file_hotspots"):
        db.execute(f"create table seen_{table}(project)")
        for verb, row in (("insert", "new"), ("delete", "old")):
            db.execute(
                f"""create trigger t_{table}_{verb} after {verb} on {table}
                    begin insert into seen_{table} values ({row}.project); end"""
            )
    db.commit()
    world.append(encode(session("mine").tool("Bash", "x", command="git log")), "mine")
    world.memory().index()
    for table in ("tool_transitions", "weekly_buckets", "file_hotspots"):
        assert db.execute(f"select distinct project from seen_{table}").fetchall() == [(PROJECT,)]
    db.close()


def test_a_touched_file_is_checked_and_not_read(world: World) -> None:
    path = world.write(session())
    world.memory().index()
    os.utime(path, (time.time() + 5, time.time() + 5))
    report = world.memory().index()
    assert (report.files_opened, report.bytes_read, report.events, report.unchanged) == (1, 0, 0, 1)
    assert world.memory().index().files_opened == 0


def test_a_copied_back_file_is_the_same_file(world: World) -> None:
    """A new inode with the same beginning (a sync, a restore) goes on where it was."""
    lines = session()
    path = world.write(lines)
    world.memory().index()
    data = path.read_bytes()
    path.unlink()
    more = encode(lines.prompt("after the restore"))
    path.write_bytes(data + more)
    report = world.memory().index()
    assert (report.bytes_read, report.updated) == (len(more), 1)
    assert world.one("select count(*) from prompts") == 2


# --- rewriting, leaving, coming back -----------------------------------------------------------------------------


@rows("R0.46")
def test_a_rewritten_file_supersedes_what_was_read(world: World) -> None:
    world.write(session())
    world.memory().index()
    other = Lines()
    other.prompt("something else entirely")
    world.write(other)
    report = world.memory().index()
    assert report.updated == 1
    assert world.rows("select text from prompts") == [("something else entirely",)]
    assert world.one("select count(*) from tool_uses") == 0
    assert world.memory().verify() == []


@rows("R0.4")
def test_a_change_in_the_middle_is_found_by_deep_and_mended_by_full(world: World) -> None:
    lines = Lines()
    for i in range(200):
        lines.prompt(f"prompt number {i} " + "x" * 60)
    path = world.write(lines)
    world.memory().index()
    data = path.read_bytes()
    path.write_bytes(data.replace(b"number 100 ", b"number xxx "))
    assert world.memory().index().updated == 0
    assert world.memory().verify() == []
    ((where, what),) = world.memory().verify(deep=True)
    assert str(path) in where and "rewritten" in what
    assert world.memory().index(full=True).updated == 1
    assert world.one("select count(*) from prompts where text like '%number xxx%'") == 1
    assert world.one("select count(*) from prompts") == 200
    assert world.memory().verify(deep=True) == []


@rows("R0.48")
def test_sessions_gone_from_disk_stay(world: World) -> None:
    path = world.write(session())
    world.memory().index()
    data = path.read_bytes()
    path.unlink()
    report = world.memory().index()
    assert report.missing == 1
    assert world.memory().index().missing == 1
    assert world.one("select missing_since from sessions") is not None
    assert world.one("select count(*) from prompts") == 1
    path.write_bytes(data)
    assert world.memory().index().missing == 0
    assert world.one("select missing_since from sessions") is None
    assert world.memory().verify() == []


@rows("R0.48")
def test_prune_takes_out_of_the_index_only(world: World) -> None:
    path = world.write(session("gone"))
    world.write(session("stays"))
    world.memory().index()
    data = path.read_bytes()
    path.unlink()
    report = world.memory().index(prune=True)
    assert report.pruned == 1
    assert world.rows("select id from sessions") == [("stays",)]
    world.memory().rebuild()
    assert world.rows("select id from sessions") == [("stays",)]
    path.write_bytes(data)
    report = world.memory().index()
    assert (report.returned, report.as_json()["returned"]) == (1, 1)
    assert world.rows("select id, prompt_count from sessions order by id") == [("gone", 1), ("stays", 1)]
    assert world.memory().index().returned == 0
    assert world.memory().verify() == []


@rows("R0.4", "R0.16")
def test_rm_index_db_gives_the_same_answers(world: World) -> None:
    world.write(session("a"))
    world.write(session("b", cwd="/other"), folder="-other")
    world.memory().index()
    before = world.rows("select * from tool_uses order by id")
    path = world.path("a")
    path.unlink()  # also without the file
    world.memory().index()
    for name in ("index.db", "index.db-wal", "index.db-shm"):
        (world.home / name).unlink(missing_ok=True)
    world.memory().index()
    assert world.rows("select * from tool_uses order by id") == before


def test_a_lost_key_is_said(world: World) -> None:
    world.write(session("a"))
    world.memory().index()
    (world.home / "redaction.key").unlink()
    assert any("redaction.key" in note for note in world.memory().index().notes)
    assert world.memory().index().notes == []


# --- projects, forks, subagents ----------------------------------------------------------------------------------


def test_worktrees_fold_into_their_repository(world: World) -> None:
    world.write(session("a"))
    world.write(session("b", cwd=f"{PROJECT}/.claude/worktrees/feat+x"), folder="-home-dev-weather--claude-worktrees-x")
    world.memory().index()
    assert world.rows("select distinct project from sessions") == [(PROJECT,)]


@rows("R0.15")
def test_the_first_folder_is_the_project(world: World) -> None:
    lines = Lines("a")
    lines.prompt("x")
    lines.prompt("y", cwd=f"{PROJECT}/deep/inside")
    world.write(lines)
    late = Lines("late", cwd=None)
    late.prompt("no folder yet")
    world.write(late, folder="-unknown")
    world.memory().index()
    assert world.rows("select id, project from sessions order by id") == [("a", PROJECT), ("late", "-unknown")]
    world.append(encode({**late.prompt("now"), "cwd": "/known/now"}), "late", "-unknown")
    world.memory().index()
    assert world.rows("select project from sessions where id = 'late'") == [("/known/now",)]
    assert world.memory().verify() == []


def test_the_same_session_in_two_folders_is_one(world: World) -> None:
    lines = session("s")
    world.write(lines)
    lines.prompt("after /cd")
    world.write(lines, folder="-elsewhere")
    world.memory().index()
    assert world.rows("select id, prompt_count, tool_use_count from sessions") == [("s", 2, 3)]
    assert world.one("select count(*) from files") == 2
    world.path("s", "-elsewhere").unlink()
    world.memory().index()
    assert world.one("select missing_since from sessions") is None, "one of its files is still there"


def test_subagents_are_sessions_of_their_own(world: World) -> None:
    parent = session("parent")
    path = world.write(parent)
    folder = path.with_suffix("") / "subagents"
    folder.mkdir(parents=True)
    child = Lines("parent", cwd=f"{PROJECT}/sub", sidechain=True)
    child.prompt("look into the parser")
    child.tool("Grep", "g1", pattern="parse")
    (folder / "agent-a1.jsonl").write_bytes(child.data().replace(b'"parent-', b'"child-'))
    (folder / "agent-a1.meta.json").write_text(
        json.dumps({"agentType": "Explore", "description": "Find it", "toolUseId": "toolu-9"})
    )
    world.memory().index()
    assert world.rows(
        """select id, project, parent_session, agent_type, parent_tool_use_id, title, prompt_count, tool_use_count
           from sessions order by id"""
    ) == [
        ("agent-a1", PROJECT, "parent", "Explore", "toolu-9", "Find it", 0, 1),
        ("parent", PROJECT, None, None, None, "please add a test for the parser", 1, 3),
    ]
    assert world.memory().index().files_opened == 0
    assert world.memory().verify() == []


def test_the_fork_of_the_real_client(world: World) -> None:
    """Two transcripts of the real client: a session, and its copy by --fork-session (tests/fixtures/fork)."""
    fixtures = Path(__file__).parents[1] / "fixtures" / "fork"
    for path in sorted(fixtures.glob("*.jsonl")):
        shutil.copy(path, world.path(path.stem))
    world.memory().index()
    rows = world.rows("select id, prompt_count, tool_use_count, output_tokens from sessions order by started_at, id")
    assert len(rows) == 2
    total = world.one("select count(*) from prompts where canonical")
    assert world.one("select count(*) from prompts") > total
    assert world.one("select count(distinct uuid) from prompts") == total
    assert world.one("select count(*) from tool_uses where canonical") == world.one(
        "select count(distinct uuid || tool_use_id) from tool_uses"
    )
    counted = world.rows(
        """select sum(o), sum(n) from (select max(output_tokens) as o, count(*) > 0 as n
           from responses group by message_id, request_id)"""
    )
    assert world.rows("select sum(output_tokens), count(*) from responses where canonical") == counted
    assert world.memory().verify() == []


def test_titles_by_precedence(world: World) -> None:
    lines = session()
    world.write(lines)
    world.memory().index()

    def title_after(line: dict[str, object]) -> str:
        world.append(encode(line))
        world.memory().index()
        return str(world.one("select title from sessions"))

    assert title_after({"type": "summary", "summary": "a summary", "leafUuid": "s1-0"}) == "a summary"
    assert title_after({"type": "last-prompt", "lastPrompt": "the last prompt"}) == "the last prompt"
    assert title_after({"type": "ai-title", "aiTitle": "by a model"}) == "by a model"
    folder = world.path().with_suffix("")
    folder.mkdir()
    (folder / "custom-title.json").write_text('{"customTitle": "from the file"}')
    world.memory().index()
    assert world.one("select title from sessions") == "from the file"
    assert title_after({"type": "custom-title", "customTitle": "by me"}) == "by me"
    assert world.memory().verify() == []


def test_a_summary_may_sit_in_another_file(world: World) -> None:
    lines = Lines("named")
    lines.answer("no prompt here")
    world.write(lines)
    world.memory().index()
    world.write(encode({"type": "summary", "summary": "what it was about", "leafUuid": "named-0"}), "other")
    world.memory().index()
    assert world.one("select title from sessions where id = 'named'") == "what it was about"
    assert world.memory().verify() == []


# --- forgetting --------------------------------------------------------------------------------------------------


def test_secrets_never_arrive(world: World) -> None:
    """Law 6, through the whole way: prompt, tool input, tool result, title, sidecar, broken line."""
    secret = "gh" + "p_" + "Zz9Yy8Xx7" * 4
    lines = Lines()
    lines.prompt(f"use {secret} to push")
    lines.tool("Bash", "t", command=f"curl -H 'Authorization: Bearer {secret}' x")
    lines.result("t", f"failed with {secret}", error=True)
    path = world.write(lines)
    world.append(encode({"type": "custom-title", "customTitle": f"about {secret}"}))
    world.append(b"{broken " + secret.encode() + b"\n")
    folder = path.with_suffix("")
    folder.mkdir()
    (folder / "custom-title.json").write_text(json.dumps({"customTitle": secret}))
    world.memory().index()
    assert world.one("select count(*) from prompts where text like '%[redacted:%'") == 1
    assert traces(world.home, secret.encode()) == []


@rows("R0.11", "R0.13", "R0.14")
def test_scope_of_the_current_folder(world: World, tmp_path: Path) -> None:
    inside = tmp_path / "repo" / "src"
    inside.mkdir(parents=True)
    world.write(session("a", cwd=str(tmp_path / "repo")))
    world.write(session("b", cwd="/other"), folder="-other")
    world.memory().index()
    memory: Memory = world.memory()
    assert memory.scope(cwd=str(inside)) == Scope(str(tmp_path / "repo"))
    assert memory.scope(cwd="/nowhere") == Scope(None)
    assert memory.scope(cwd=str(inside), all_projects=True) == Scope(None)
    assert memory.scope(project="/other") == Scope("/other")
    with pytest.raises(NotFound):
        memory.scope(project="/nowhere/at/all")
    assert list(memory.sql("select id from sessions", memory.scope(cwd=str(inside)))) == [("a",)]
    assert list(memory.sql("select count(*) from tool_uses", Scope("/other"))) == [(3,)]
