"""SQL from strangers: one select, within limits, and nothing else; the index stays as it was."""

from __future__ import annotations

import contextlib
import hashlib
import subprocess
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from axiommind.errors import AxmError, BadQuery, QueryLimit
from axiommind.memory import Scope
from tests.counting import ending
from tests.rows import rows
from tests.shell import axm
from tests.transcripts import PROJECT, Lines, World, session


@pytest.fixture
def filled(world: World) -> World:
    for name, cwd in (("a", "/p/one"), ("b", "/p/two")):
        lines = Lines(name, cwd)
        for i in range(8):
            lines.prompt(f"테스트를 {name} 추가해줘 number {i}")
            lines.tool("Edit", f"e{name}{i}", file_path="/p/x.py")
            lines.tool("Bash", f"b{name}{i}", command="git status")
        world.write(lines, folder=cwd.replace("/", "-"))
    world.memory().index()
    return world


ALLOWED = [
    "select count(*) from sessions",
    "SELECT 1",
    "  \n select 1 ; ",
    "-- a comment\nselect 1",
    "/* one */ /* two */ select 1",
    "with t as (select 1 as n) select n from t",
    "with recursive c(n) as (select 1 union all select n + 1 from c where n < 10) select sum(n) from c",
    "select (select max(id) from prompts) as m",
    "select json_extract(input_json, '$.command') from tool_uses",
    "select 'drop table sessions; delete from x' as text",
    "select * from prompts where text like '%update%'",
    "select count(*) from passages_fts where passages_fts match '\"number\"'",
    "select name from sqlite_master order by 1",
]
REFUSED = [
    "insert into prompts(id) values (1)",
    "update sessions set title = 'x'",
    "delete from sessions",
    "drop table sessions",
    "create table x(y)",
    "create temp table x(y)",
    "create temp view v as select 1",
    "alter table sessions add column x",
    "pragma writable_schema = 1",
    "pragma table_info(sessions)",
    "select * from pragma_table_info('sessions')",
    "attach '/tmp/x.db' as x",
    "detach main",
    "vacuum",
    "vacuum into '/tmp/copy.db'",
    "reindex",
    "analyze",
    "begin",
    "commit",
    "savepoint x",
    "with t as (select 1) delete from sessions",
    "with t as (select 1) insert into prompts select * from prompts",
    "select 1; select 2",
    "select 1; drop table sessions",
    "explain select 1",
    "values (1)",
    "replace into meta values ('a', 'b')",
    "select load_extension('x')",
    "select writefile('/tmp/x', 'y')",
    "select randomblob(1000000000)",
    "",
    "   ",
    ";",
    "-- only a comment",
    "select",
    "selec 1",
    "select * from no_such_table",
    "select no_such_column from sessions",
    "select 1\x00; drop table sessions",
]


@rows("R0.70", "R0.71")
@pytest.mark.parametrize("sql", ALLOWED)
@pytest.mark.parametrize("project", [None, "/p/one"])
def test_allowed(filled: World, sql: str, project: str | None) -> None:
    filled.memory().sql(sql, Scope(project))


@rows("R0.71", "R0.73")
@pytest.mark.parametrize("sql", REFUSED)
def test_refused_and_nothing_changed(filled: World, sql: str) -> None:
    def state() -> str:
        return hashlib.sha256((filled.home / "index.db").read_bytes()).hexdigest()

    before = state()
    for project in (None, "/p/one"):
        with pytest.raises(BadQuery) as caught:
            filled.memory().sql(sql, Scope(project))
        assert caught.value.exit_code == 1 and caught.value.message
    assert state() == before


def test_the_time_limit(filled: World) -> None:
    memory = filled.memory()
    memory.home.config = memory.config._replace(query_seconds=0.1)
    with ending(), pytest.raises(QueryLimit, match="stopped after"):
        memory.sql(
            "with recursive c(n) as (select 1 union all select n + 1 from c) select count(*) from c", Scope(None)
        )


def test_the_row_limit(filled: World) -> None:
    memory = filled.memory()
    memory.home.config = memory.config._replace(query_rows=10)
    assert len(memory.sql("select * from tool_uses limit 10", Scope(None))) == 10
    with pytest.raises(QueryLimit, match="more than 10 rows"):
        memory.sql("select * from tool_uses", Scope(None))


def test_memory_cannot_be_burnt(filled: World) -> None:
    for sql in (
        "select length(printf('%.*c', 100000000, 'x'))",
        "select length(replace(hex(zeroblob(50000)), '0', hex(zeroblob(500))))",
    ):
        with contextlib.suppress(BadQuery):
            ((length,),) = filled.memory().sql(sql, Scope(None))
            assert length is None or length <= 64 << 20


@given(st.text(max_size=60) | st.sampled_from(REFUSED).flatmap(lambda s: st.just(s[::-1])))
def test_any_text_gives_rows_or_an_error_of_ours(text: str) -> None:
    import sqlite3

    from axiommind import db as guarded

    connection = sqlite3.connect(":memory:", isolation_level=None)
    guarded.guard(connection)
    for sql in (text, f"select {text}", f"with {text}"):
        with contextlib.suppress(AxmError):
            guarded.run_guarded(connection, sql, seconds=1, rows=100)
    connection.close()


@rows("R0.72")
def test_the_example_of_the_design_document(filled: World) -> None:
    """R0.72 as written, in a project's scope and over all."""
    sql = """
      SELECT t1.classified_name as tool, COUNT(*) as freq,
             AVG(CASE WHEN t2.classified_name LIKE 'Bash:%' THEN 1.0 ELSE 0.0 END) as bash_follow_rate
      FROM tool_uses t1
      LEFT JOIN tool_uses t2
        ON t1.session_id = t2.session_id AND t2.seq_order = t1.seq_order + 1
      GROUP BY t1.classified_name
      HAVING freq >= 5
      ORDER BY freq DESC
    """
    rows = filled.memory().sql(sql, Scope(None))
    assert rows.columns == ("tool", "freq", "bash_follow_rate")
    assert sorted(rows) == [("Bash:git", 16, 0.0), ("Edit", 16, 1.0)]
    assert sorted(filled.memory().sql(sql, Scope("/p/one"))) == [("Bash:git", 8, 0.0), ("Edit", 8, 1.0)]


def test_copies_of_a_fork_are_apart(world: World) -> None:
    """The totals of the design's own SQL are those without copies; a session's own counts have them beside."""
    origin = session("one")
    world.write(origin)
    fork = Lines("fork")
    fork.lines = [{**line, "sessionId": "fork", "forkedFrom": {"sessionId": "one"}} for line in origin.lines]
    world.write(fork)
    world.memory().index()
    uses, of_both = (world.rows(f"select count(*) from tool_uses {of}")[0][0] for of in ("where canonical", ""))
    assert 0 < uses < of_both
    for scope in (Scope(None), Scope(PROJECT)):
        counts = {
            name: world.memory().sql(f"select count(*) from {name}", scope)[0][0]
            for name in (
                "tool_uses",
                "tool_uses_copies",
                "file_edits",
                "file_edits e join tool_uses t on t.id = e.tool_use_id",
            )
        }
        assert list(counts.values()) == [uses, of_both - uses, 1, 1]


@rows("R0.13")
def test_a_scope_shows_only_its_project(filled: World) -> None:
    tables = (
        "sessions",
        "prompts",
        "responses",
        "tool_uses",
        "file_edits",
        "prompt_keywords",
        "tool_transitions",
        "weekly_buckets",
        "file_hotspots",
        "segments",
        "files",
        "records",
        "record_counts",
        "passages",
    )
    for table in tables:
        counts = [
            filled.memory().sql(f"select count(*) from {table}", Scope(p))[0][0] for p in ("/p/one", "/p/two", None)
        ]
        assert counts[0] > 0 and counts[1] > 0, table
        if table in ("tool_transitions", "weekly_buckets", "file_hotspots"):
            assert counts[2] == counts[0], "over all projects the same names are one row"
        else:
            assert counts[2] == counts[0] + counts[1], table


def test_over_all_projects_probabilities_are_recomputed(filled: World) -> None:
    rows = filled.memory().sql("select from_tool, sum(probability) from tool_transitions group by 1", Scope(None))
    assert all(abs(total - 1) < 1e-9 for _, total in rows)


def test_every_table_with_a_session_is_scoped(filled: World) -> None:
    """A table that a later version adds must not leak through a project's scope."""
    from axiommind.projections.scope import open_scoped

    names = filled.rows("select name from sqlite_master where type = 'table' and name not like '%fts%'")
    scoped = open_scoped(filled.home / "index.db", "/p/one")
    views = {name for (name,) in scoped.execute("select name from sqlite_temp_master where type = 'view'")}
    scoped.close()
    missing = []
    for (name,) in names:
        columns = filled.memory().sql(f'select * from "{name}" limit 0', Scope(None)).columns
        if {"session_id", "doc_id", "project"} & set(columns) and name not in views:
            missing.append(name)
    assert missing == []


def test_columns_of_one_name_are_all_shown(world: World) -> None:
    world.write(session())
    world.memory().index()
    assert world.memory().sql("select 1 as a, 2 as a, 3 as b", Scope(None)).dicts() == [{"a": 1, "a_2": 2, "b": 3}]
    assert '"a_2": 2' in axm(world, "query", "--sql", "select 1 as a, 2 as a").stdout


def test_bytes_are_limited_too(world: World) -> None:
    world.write(session())
    world.memory().index()
    with pytest.raises(QueryLimit, match="MB"):
        world.memory().sql("select printf('%.8000000c', 'x') from tool_uses, tool_uses b, tool_uses c", Scope(None))


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """Every process that is started."""
    started: list[subprocess.Popen[bytes]] = []
    popen = subprocess.Popen

    def start(*args: Any, **kwargs: Any) -> subprocess.Popen[bytes]:
        started.append(popen(*args, **kwargs))
        return started[-1]

    monkeypatch.setattr(subprocess, "Popen", start)
    return started


def test_what_sqlite_cannot_interrupt_is_killed(filled: World, processes: list[subprocess.Popen[bytes]]) -> None:
    """One call of a function looks at no clock: `instr(printf(…))` went on for a minute after its ten seconds."""
    memory = filled.memory()
    memory.home.config = memory.config._replace(query_seconds=0.1)
    with ending(), pytest.raises(QueryLimit, match=r"stopped after 0\.1 s"):
        memory.sql("select instr(printf('%.*c', 2000000000, 'x'), 'y')", Scope(None))
    (process,) = processes
    assert process.returncode is not None and process.returncode != 0


def test_the_heap_of_a_query_is_limited(filled: World) -> None:
    row = ", ".join(["printf('%.15000000c', 'x')"] * 40)
    with pytest.raises(QueryLimit, match="values that are too large"):
        filled.memory().sql(f"select {row}", Scope(None))


def test_a_query_that_takes_its_process_down_is_an_error_of_ours(
    filled: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("axiommind.reports.sql_process._CODE", "import os; os.abort()")
    with pytest.raises(QueryLimit, match="memory"):
        filled.memory().sql("select 1", Scope(None))


def test_values_come_back_as_they_are(filled: World) -> None:
    sql = "select null, 1, -9223372036854775808, 1.5, 9e999, 'tëxt 테스트', x'00ff', ''"
    assert filled.memory().sql(sql, Scope(None)) == [
        (None, 1, -9223372036854775808, 1.5, float("inf"), "tëxt 테스트", b"\x00\xff", "")
    ]


def test_what_is_ready_made_needs_no_process(filled: World, processes: list[subprocess.Popen[bytes]]) -> None:
    assert axm(filled, "query", "--perspective", "tool-frequency", "--all-projects").returncode == 0
    assert axm(filled, "query", "--perspective", "prompts", "--session", "nobody", "--all-projects").returncode == 0
    assert axm(filled, "query", "--schema").returncode == 0
    assert processes == []
    assert axm(filled, "query", "--sql", "select 1", "--all-projects").returncode == 0
    assert len(processes) == 1
