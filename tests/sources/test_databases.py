"""Sessions that are rows of an agent's database: nothing of it changes, nothing else in it is read, and whatever state
it is in stops no run."""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from axiommind import sources
from axiommind.health.check import Check
from axiommind.search.citations import parse
from axiommind.sources.databases import database_file, missing_columns, opened
from tests.sources.agents import AGENTS, HOMES, AgentHome, is_database, rows_of, touch

WITH_ROWS = [agent for agent in AGENTS if any((HOMES / agent).rglob("*.sql"))]
SECRET = "sk-of-an-account"


@pytest.fixture(params=WITH_ROWS)
def agent(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def home(agent: str, tmp_path: Path) -> AgentHome:
    return AgentHome(tmp_path, agent)


@pytest.fixture
def database(home: AgentHome) -> Path:
    return next(path for path in sorted(home.user.rglob("*")) if is_database(path))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[str, str]]]:
    """What was asked of which database of an agent, statement by statement, as SQLite saw it."""
    found: list[tuple[str, str]] = []
    connect = sqlite3.connect

    def traced(name: str, **options: object) -> sqlite3.Connection:
        db = connect(name, **options)  # type: ignore[call-overload]
        if "mode=ro" in str(name) and "/user/" in str(name):
            found.append((str(name), "open"))
            db.set_trace_callback(lambda sql: found.append((str(name), sql)))
        return db  # type: ignore[no-any-return]

    monkeypatch.setattr(sqlite3, "connect", traced)
    yield found


def state_of(folder: Path) -> dict[str, str]:
    return {
        str(path): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith(("-wal", "-shm"))
    }


def checks(home: AgentHome) -> list[Check]:
    return list(home.memory().doctor())


# --- nothing changes, nothing else is read -------------------------------------------------------------------


def test_nothing_of_an_agent_changes(home: AgentHome) -> None:
    before = state_of(home.user)
    home.memory().index()
    home.memory().verify(deep=True)
    checks(home)
    assert state_of(home.user) == before


def test_credentials_are_never_read(home: AgentHome, database: Path, asked: list[tuple[str, str]]) -> None:
    with closing(sqlite3.connect(database)) as db, db:
        db.execute("create table account(id text primary key, access_token text)")
        db.execute("create table credential(id text primary key, value text)")
        db.execute("insert into account values ('1', ?)", (SECRET,))
        db.execute("insert into credential values ('1', ?)", (SECRET,))
    assert home.memory().index().problems == []
    statements = [sql for _, sql in asked]
    assert any("from" in sql for sql in statements)
    assert not [sql for sql in statements if "account" in sql or "credential" in sql or "select *" in sql]
    for path in (home.base / "axm").rglob("*"):
        assert not path.is_file() or SECRET.encode() not in path.read_bytes(), path


@pytest.mark.parametrize(
    "sql",
    [
        "select access_token from account",
        "select secret from session",
        "select id from disguised",
        "select id from session union select access_token from account",
        "insert into session values ('2', 's')",
        "pragma journal_mode = delete",
        "attach ':memory:' as other",
        "select load_extension('x')",
    ],
)
def test_sqlite_itself_refuses_what_a_source_did_not_name(tmp_path: Path, sql: str) -> None:
    path = tmp_path / "a.db"
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("create table session(id text, secret text)")
        db.execute("create table account(access_token text)")
        db.execute("create view disguised as select access_token as id from account")
    with opened(str(path), {"session": ("id",)}) as db:
        assert db.execute("select id from session").fetchall() == []
    with pytest.raises(OSError), opened(str(path), {"session": ("id",), "disguised": ("id",)}) as db:
        db.execute(sql).fetchall()


def test_a_view_is_no_table_of_sessions(tmp_path: Path) -> None:
    """A hostile file could make one that never ends."""
    path = tmp_path / "a.db"
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(
            "create view session as with recursive n(i) as (select 1 union all select i + 1 from n) select i from n"
        )
    with pytest.raises(OSError), opened(str(path), {"session": ("i",)}) as db:
        db.execute("select max(i) from session").fetchone()


def test_what_is_unchanged_is_not_opened(home: AgentHome, database: Path, asked: list[tuple[str, str]]) -> None:
    home.memory().index()
    assert "open" in [sql for _, sql in asked]
    asked.clear()
    home.memory().index()
    assert asked == []


def test_only_the_sessions_that_changed_are_read(agent: str, home: AgentHome) -> None:
    first = home.memory().index()
    made = [path for path in home.lay(agent) if is_database(path)]
    again = home.memory().index()
    assert first.new >= 1 and (again.files_opened, again.events) == (0, 0)
    for path in made:
        touch(path)
    touched = home.memory().index()
    assert touched.files_opened >= 1 and (touched.events, touched.updated) == (0, 0)


def test_a_database_in_a_folder_that_nobody_may_write(tmp_path: Path) -> None:
    path = tmp_path / "shared" / "a.db"
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as db:
        db.execute("pragma journal_mode = wal")
        db.execute("create table session(id text)")
        db.execute("insert into session values ('s')")
        db.commit()
    path.parent.chmod(0o500)
    try:
        with opened(str(path), {"session": ("id",)}) as db:
            assert db.execute("select id from session").fetchall() == [("s",)]
    finally:
        path.parent.chmod(0o700)


# --- while it is written -------------------------------------------------------------------------------------


def test_a_writer_is_at_work(agent: str, home: AgentHome, tmp_path: Path) -> None:
    """Rows that are committed are read while more are being written; those that are not are no rows yet."""
    home.memory().index()
    wanted = home.said()
    later = AgentHome(tmp_path / "later")
    later.lay(agent)
    dump = max((HOMES / agent).rglob("*.sql"), key=lambda path: path.stat().st_size)
    path = (later.user / dump.relative_to(HOMES / agent)).with_suffix("")
    path.unlink()
    made, inserts = rows_of(dump.read_text(encoding="utf-8"))
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("pragma journal_mode = wal")
        for statement in made:
            db.execute(statement)
        half = len(inserts) // 2
        for sql, row in inserts[:half]:
            db.execute(sql, row)
        db.execute("begin immediate")
        for sql, row in inserts[half:]:
            db.execute(sql, row)
        assert later.memory().index().problems == []
        before = later.rows("select count(*) from responses")
        db.execute("commit")
        assert later.memory().index().problems == []
        assert later.rows("select count(*) from responses") != before
        assert later.memory().index().files_opened == 0, "what waits in the write-ahead log is not read twice"
    assert later.said() == wanted
    assert later.memory().verify(deep=True) == []


def test_one_that_is_locked_is_a_problem_and_the_next_run_reads_it(home: AgentHome, database: Path) -> None:
    with closing(sqlite3.connect(database, isolation_level=None)) as db:
        db.execute("begin exclusive")
        problems = home.memory().index().problems
        assert [(p.path, p.why) for p in problems] == [(str(database), "cannot be read: database is locked")]
        db.execute("rollback")
    assert home.memory().index().problems == []
    assert home.rows("select count(*) > 0 from prompts") == [(1,)]


def test_a_lock_later_takes_nothing_away(home: AgentHome, database: Path) -> None:
    home.memory().index()
    before = home.said()
    with closing(sqlite3.connect(database, isolation_level=None)) as db:
        db.execute("create table more(a)")
        db.execute("begin exclusive")
        report = home.memory().index()
        assert len(report.problems) == 1 and report.missing == 0
        db.execute("rollback")
    assert home.memory().index().missing == 0 and home.said() == before


# --- whatever it holds ---------------------------------------------------------------------------------------


def test_a_version_that_nobody_knows_is_a_problem_that_doctor_shows(home: AgentHome, database: Path) -> None:
    home.memory().index()
    before = home.said()
    with closing(sqlite3.connect(database)) as db, db:
        for (table,) in db.execute("select name from sqlite_master where type = 'table'").fetchall():
            db.execute(f'alter table "{table}" rename to "v9_{table}"')
    report = home.memory().index()
    (problem,) = report.problems
    assert problem.path == str(database) and "of a version that is not known here" in problem.why
    assert report.missing == 0 and home.said() == before
    assert [check.status for check in checks(home) if "not known here" in check.text] == ["warn"]


def test_more_columns_and_tables_are_no_new_version(agent: str, home: AgentHome, database: Path) -> None:
    with closing(sqlite3.connect(database)) as db, db:
        for (table,) in db.execute("select name from sqlite_master where type = 'table'").fetchall():
            db.execute(f'alter table "{table}" add column from_the_future text')
        db.execute("create table from_the_future(a)")
    assert home.memory().index().problems == []
    assert home.rows("select count(*) > 0 from prompts") == [(1,)]


def test_a_file_that_is_no_database(home: AgentHome, database: Path) -> None:
    database.write_bytes(b"not a database, and long enough to be looked at" * 100)
    (problem,) = home.memory().index().problems
    assert problem.path == str(database) and problem.why.startswith("cannot be read: ")
    assert any(problem.why in check.text for check in checks(home))


def test_half_a_database(home: AgentHome, database: Path) -> None:
    """Copied while it was written, or on a disk that was full."""
    data = database.read_bytes()
    database.write_bytes(data[: len(data) // 2])
    assert home.memory().index().problems != []


def test_rows_with_nothing_or_anything_in_them(agent: str, home: AgentHome, database: Path) -> None:
    """Every text of every table in turn is broken, empty, of another type, or no UTF-8."""
    with closing(sqlite3.connect(database)) as db:
        tables = [row[0] for row in db.execute("select name from sqlite_master where type = 'table'")]
        for table in tables:
            for column in [row[1] for row in db.execute(f'pragma table_info("{table}")')]:
                for value in ("{broken", b"\xff\xfe\x00", -(1 << 63), 1.5, ""):
                    db.execute("savepoint s")
                    try:
                        db.execute(f'update "{table}" set "{column}" = ? where rowid % 2', (value,))
                        db.execute(f'update "{table}" set "{column}" = ?', (value,))
                        db.commit()
                    except sqlite3.IntegrityError:
                        db.execute("rollback to s")
                        db.execute("release s")
                        db.commit()
                        continue
                    source = sources.load(agent)
                    file = database_file(database, str(database.parent))
                    assert file is not None
                    with contextlib.suppress(OSError):  # which is said, and the next file is read
                        for one in source.expand(file).files:
                            with source.open_stream(one.path) as stream:
                                source.decode(stream.read(), 1)
                    home.lay(agent)


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("create table session(id text)")
    wanted = {"session": ("id", "title"), "part": ("id",)}
    with opened(str(path), wanted) as db:
        why = missing_columns(db, wanted)
    assert why == "of a version that is not known here (it has no session.title, part.id): its sessions are not read"


# --- what is done with sessions, wherever they are -----------------------------------------------------------


def test_what_comes_back_is_there_again(agent: str, home: AgentHome, database: Path) -> None:
    """A drive that was not mounted, a folder that was moved: the very same file."""
    home.memory().index()
    database.rename(database.with_name("elsewhere"))
    gone = home.memory().index().missing
    assert gone > 0
    database.with_name("elsewhere").rename(database)
    report = home.memory().index()
    assert (report.returned, report.missing) == (gone, 0)
    assert home.memory().index().files_opened == 0


def test_what_is_forgotten_stays_forgotten_while_the_rest_goes_on(home: AgentHome, database: Path) -> None:
    home.memory().index()
    of_rows = "path like '%#%' and session_id in (select session_id from prompts)"
    (session,) = home.rows(f"select session_id from segments where {of_rows} limit 1")[0]
    memory = home.memory()
    memory.forget(session=session)
    found = memory.forgotten()
    assert (found.held, len(found.certificates)) == ((), 1) and memory.verify() == []
    touch(database)
    assert home.memory().index().problems == []
    assert home.rows(f"select count(*) from prompts where session_id = '{session}'") == [(0,)]
    memory.undo_forget(session=session)
    home.memory().index()
    assert home.rows(f"select count(*) > 0 from prompts where session_id = '{session}'") == [(1,)]
    assert home.memory().verify(deep=True) == []


def test_a_backup_without_their_text_reads_it_again(home: AgentHome, tmp_path: Path) -> None:
    """The daily backup leaves out what is on disk; the same rows give the same bytes, also in another home."""
    home.memory().index()
    before = home.said()
    backup = home.memory().backups.daily()
    assert backup is not None
    again = AgentHome(tmp_path / "again")
    again.user = home.user
    again.memory().backups.restore(backup)
    again.memory().index()
    assert again.said() == before
    assert again.memory().verify(deep=True) == []


def test_their_citations_are_opened_by_what_is_shown(home: AgentHome) -> None:
    home.memory().index()
    ((path, line, session),) = home.rows(
        "select s.path, p.line, p.session_id from prompts p join segments s using (session_id) where s.path like '%#%' "
        "order by s.position limit 1"
    )
    memory = home.memory()
    for citation in (f"{path}:L{line}", f"{path}#L{line}", f"{session}:L{line}"):
        found = memory.passages.open(parse(citation), context=0)
        assert (found.first, len(found.lines), found.kind) == (line, 1, "transcript"), citation
