"""What every source of sessions has to do, for each agent whose home is in `homes/`: read it right, read only what is
new, and keep the laws."""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
import tracemalloc
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from axiommind import sources, testing
from axiommind.log.sqlite import SqliteLog
from axiommind.memory import Scope
from axiommind.text.recalled import CLOSE, OPEN
from axiommind.tools import kinds
from tests.laws.passages import Passages
from tests.opening import opened
from tests.sources.agents import AGENTS, HOMES, WORD, AgentHome, expected, is_database, make_database, rows_of, touch
from tests.transcripts import Lines, World

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
# How clients make ids: of hexadecimal digits, in groups or without.
_ID = re.compile(
    r"(?<![0-9A-Za-z])(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
    r"|(?!(?:(?<=: )|(?<=:))[0-9]+[,\s}])[0-9a-f]{8,40})(?![0-9A-Za-z])"  # and no number of JSON, such as a time
)
FOREIGN = {"type": "from-the-future", "kind": "from-the-future", "role": "from-the-future", "what": [1, {"a": None}]}


@pytest.fixture(params=AGENTS)
def agent(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def home(agent: str, tmp_path: Path) -> AgentHome:
    found = AgentHome(tmp_path, agent)
    found.memory().index()
    return found


def test_every_agent_has_a_home() -> None:
    assert set(AGENTS) == set(sources.REGISTRY.own()) - {"claude-code"}


# --- read right ----------------------------------------------------------------------------------------------


def test_what_was_said(agent: str, home: AgentHome) -> None:
    assert home.sessions() == expected(agent)["sessions"]
    assert set(home.rows("select agent from sessions")) == {(agent,)}


def test_totals_count_what_was_copied_once(agent: str, home: AgentHome) -> None:
    assert home.total() == expected(agent)["total"]


def test_nothing_is_unknown_in_what_the_client_wrote(agent: str, home: AgentHome) -> None:
    assert home.memory().index(full=True).problems == []
    assert home.rows("select distinct type from record_counts where not known") == []


def test_it_is_resumed_by_its_own_command(agent: str) -> None:
    session, wanted = expected(agent)["resume"]
    for known_here in (session, f"{agent}:{session}"):  # the second of two agents' sessions with the same id
        found = sources.resume_command(agent, known_here, "/one.jsonl")
        assert (None if found is None else list(found)) == wanted


STARTS = {
    "claude-code": ("claude", "go on"),
    "codex": ("codex", "go on"),
    "copilot": ("copilot", "-i", "go on"),
    "cursor": ("cursor-agent", "go on"),
    "droid": ("droid", "go on"),
    "gemini": ("gemini", "-i", "go on"),
    "opencode": ("opencode", "--prompt", "go on"),
    "pi": ("pi", "go on"),
    "qwen": ("qwen", "-i", "go on"),
}


@pytest.mark.parametrize("name", sorted({*AGENTS, "claude-code"}))
def test_it_is_started_with_a_prompt_by_its_own_command(name: str) -> None:
    """Interactively; None where nobody knows how."""
    assert sources.load(name).start("go on") == STARTS.get(name)


# Kinds of tools that each agent has, and what only one of them does.
SHARED = (kinds.EDIT, kinds.RUN, kinds.ASK, kinds.PLAN, kinds.DELEGATE)
OF_ITS_OWN = {"Delete", "TaskOutput", "sessions_send", "task_boundary"}


def test_its_tools_have_the_names_that_all_agents_have(agent: str) -> None:
    common = set(sources.load("claude-code").TOOLS) | OF_ITS_OWN
    for name, tool in sources.load(agent).TOOLS.items():
        if tool.kind in SHARED:
            assert tool.kind == kinds.RUN or (tool.common or name) in common, name


def test_a_source_keeps_its_contract(agent: str, home: AgentHome) -> None:
    source = sources.load(agent)
    stream = home.rows(
        "select path from segments where session_id in (select session_id from tool_uses) "
        "and session_id in (select session_id from prompts) order by position limit 1"
    )[0][0]
    with source.open_stream(stream) as file:
        transcript = b"".join(source.prune(line.rstrip(b"\n")) + b"\n" for line in file)
    testing.check_source(source, transcript)


# --- only what is new ----------------------------------------------------------------------------------------


def test_nothing_new_opens_nothing(home: AgentHome) -> None:
    """No transcript, and none of the files beside them: those of the other agents, which are not there, either."""
    with opened(home.user) as files:
        again = home.memory().index()
    assert files == []
    assert (again.files_opened, again.bytes_read, again.bytes_checked, again.events) == (0, 0, 0, 0)
    assert (again.new, again.unchanged) == (0, home.rows("select count(*) from sessions")[0][0])


def test_an_empty_session_is_opened_once(agent: str, tmp_path: Path) -> None:
    """The client has made the file, and written nothing to it yet."""
    home = AgentHome(tmp_path, agent)
    for path in home.user.rglob("*"):
        if path.is_file() and not is_database(path):
            path.write_bytes(b"")
    home.memory().index()
    with opened(home.user) as files:
        home.memory().index()
    assert files == []


def test_indexed_twice_is_indexed_once(home: AgentHome) -> None:
    before = home.said()
    home.memory().index(full=True)
    assert home.said() == before


def test_in_any_pieces_it_reads_the_same(agent: str, home: AgentHome, tmp_path: Path) -> None:
    """As the client would have written it: line by line, or row by row."""
    wanted = home.said()
    grown = AgentHome(tmp_path / "grown")
    steps = [*_growing_lines(grown, agent), *_growing_rows(grown, agent)]
    for count in range(1, max(map(len, steps), default=0) + 1):
        for step in steps:
            if count <= len(step):
                step[count - 1]()
        if count % 3 == 0:
            assert grown.memory().index().problems == []
    grown.memory().index()
    assert grown.said() == wanted
    assert grown.memory().verify(deep=True) == []


def _growing_lines(grown: AgentHome, agent: str) -> list[list[partial[Any]]]:
    growing = [path for path in grown.lay(agent) if path.suffix == ".jsonl"]
    whole = {path: path.read_bytes().splitlines(keepends=True) for path in growing}
    for path in growing:
        path.write_bytes(b"")
    return [
        [partial(grown.put, path, b"".join(lines[:count])) for count in range(1, len(lines) + 1)]
        for path, lines in whole.items()
    ]


def _growing_rows(grown: AgentHome, agent: str) -> list[list[partial[Any]]]:
    steps = []
    for path in sorted((HOMES / agent).rglob("*.sql")):
        database = (grown.user / path.relative_to(HOMES / agent)).with_suffix("")
        made, inserts = rows_of(path.read_text(encoding="utf-8"))
        make_database(";\n".join([*made, ""]), database)
        steps.append([partial(_insert, database, *one) for one in inserts])
    return steps


def _insert(database: Path, sql: str, row: tuple[Any, ...]) -> None:
    with closing(sqlite3.connect(database)) as db, db:
        db.execute(sql, row)


def test_a_torn_line_is_read_when_it_is_whole(agent: str, home: AgentHome, tmp_path: Path) -> None:
    wanted = home.said()
    torn = AgentHome(tmp_path / "torn")
    growing = [path for path in torn.lay(agent) if path.suffix == ".jsonl"]
    if not growing:
        pytest.skip("its sessions are not in files of lines")
    whole = {path: path.read_bytes() for path in growing}
    for path, data in whole.items():
        torn.put(path, data[: -len(data.splitlines()[-1]) // 2])
    torn.memory().index()
    for path, data in whole.items():
        torn.put(path, data)
    torn.memory().index()
    assert torn.said() == wanted


def test_a_rewritten_session_is_read_anew(agent: str, home: AgentHome) -> None:
    for path in home.lay(agent, lambda text: text.replace(WORD, "anothermodule")):
        if is_database(path):
            touch(path)
    home.memory().index()
    texts = json.dumps(home.said())
    assert "anothermodule" in texts and WORD not in texts


def test_what_is_gone_is_kept(home: AgentHome) -> None:
    before = home.rows("select count(*) from prompts")
    for path in sorted(home.user.rglob("*"), reverse=True):
        path.unlink() if path.is_file() else path.rmdir()
    report = home.memory().index()
    assert report.missing == home.rows("select count(*) from sessions")[0][0] and not report.problems
    assert home.rows("select count(*) from prompts") == before


# --- whatever they hold --------------------------------------------------------------------------------------


def test_a_record_that_nobody_knows_is_counted(agent: str, home: AgentHome, tmp_path: Path) -> None:
    wanted = home.said()["responses"]
    later = AgentHome(tmp_path / "later")
    growing = [path for path in later.lay(agent) if path.suffix == ".jsonl"]
    if not growing:
        pytest.skip("its sessions are not in files of lines")
    for path in growing:
        later.put(path, path.read_bytes() + json.dumps(FOREIGN).encode() + b"\n[]\nno json\n")
    later.memory().index()
    found = later.said()["responses"]
    assert found == wanted
    assert later.rows("select count(*) from record_counts where not known") != [(0,)]


def test_no_secret_gets_in(agent: str, tmp_path: Path) -> None:
    home = AgentHome(tmp_path, agent, lambda text: text.replace(WORD, f"KEY={SECRET}"))
    home.memory().index()
    assert home.rows("select count(*) from prompts") != [(0,)]
    key = (tmp_path / "axm" / "redaction.key").read_bytes()
    with closing(SqliteLog(tmp_path / "axm" / "log.db", key, read_only=True)) as log:
        blobs = [log.blob(event.payload["blob"]) or b"" for event in log.replay(["transcript_segment"])]
    assert not any(SECRET.encode() in blob for blob in blobs)
    for path in (tmp_path / "axm").rglob("*"):
        assert not path.is_file() or SECRET.encode() not in path.read_bytes(), path


def test_our_own_words_are_no_history(agent: str, tmp_path: Path) -> None:
    ours = f"{OPEN}\\nThe zebracorn deployment uses port 7777.\\n{CLOSE}"
    home = AgentHome(tmp_path, agent, lambda text: text.replace("[[FOLLOW]]", f"{ours}[[FOLLOW]]"))
    home.memory().index()
    texts = json.dumps(home.said())
    assert "zebracorn" not in texts and "[[FOLLOW]]" in texts


def test_every_citation_opens(home: AgentHome) -> None:
    world = World(home.base / "unused")
    world.home = home.base / "axm"
    passages = Passages(world)
    try:
        kinds = [kind for kind, _text, opened, _row in passages if opened.lines]
    finally:
        passages.close()
    assert {"prompt", "response", "tool"} <= set(kinds)


def test_the_same_ids_in_two_agents_are_two_sessions(agent: str, tmp_path: Path) -> None:
    """Ids of sessions, messages and calls are the clients' own; nothing keeps two clients from using the same."""
    home = AgentHome(tmp_path, agent)
    session = next(iter(expected(agent)["sessions"]))
    lines = Lines(session, "/home/dev/demo")
    lines.prompt("a prompt of Claude Code")
    path = home.user / ".claude" / "projects" / "-home-dev-demo" / f"{session}.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(lines.data())
    home.memory().index()
    found = home.rows("select agent, count(*) from sessions group by 1 order by 1")
    assert sorted(found) == sorted([(agent, len(expected(agent)["sessions"])), ("claude-code", 1)])
    home.memory().index()
    assert home.rows("select agent, count(*) from sessions group by 1 order by 1") == found


def test_what_is_forgotten_is_gone_and_does_not_come_back(agent: str, home: AgentHome) -> None:
    memory = home.memory()
    for (session,) in home.rows("select id from sessions"):
        if home.rows(f"select 1 from sessions where id = '{session}'"):
            memory.forget(session=session)
    assert home.rows("select count(*) from prompts") == [(0,)]
    home.memory().index()
    assert home.rows("select count(*) from prompts") == [(0,)]
    home.lay(agent)
    home.memory().index()
    assert home.rows("select count(*) from prompts") == [(0,)]


def test_rebuilt_it_is_the_same(home: AgentHome) -> None:
    memory = home.memory()
    before = home.said()
    memory.rebuild()
    assert home.said() == before
    assert memory.verify(deep=True) == []


def test_a_project_on_windows_is_a_project(agent: str, tmp_path: Path) -> None:
    """Also when its sessions are read on another system, as under WSL."""
    home = AgentHome(tmp_path, agent, lambda text: text.replace("/home/dev/demo", r"C:\\Users\\dev\\demo"))
    home.memory().index()
    projects = {row[0] for row in home.rows("select distinct project from sessions where project_known")}
    wanted = {one["project"] for one in expected(agent)["sessions"].values()}
    assert not any(project.startswith("/home/dev/demo") for project in projects)
    assert len(projects) <= len(wanted) and home.memory().verify() == []


def test_two_agents_in_one_repository_are_one_project(agent: str, tmp_path: Path) -> None:
    home = AgentHome(tmp_path, agent)
    lines = Lines("another", "/home/dev/demo")
    lines.prompt("please look at calc.py")
    path = home.user / ".claude" / "projects" / "-home-dev-demo" / "another.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(lines.data())
    home.memory().index()
    memory = home.memory()
    if "/home/dev/demo" in {one["project"] for one in expected(agent)["sessions"].values()}:
        found = memory.search(WORD, Scope("/home/dev/demo")).hits
        assert found and {row[0] for row in home.rows("select agent from sessions")} == {agent, "claude-code"}


@pytest.mark.slow
def test_ten_thousand_sessions_fit_into_memory(agent: str, tmp_path: Path) -> None:
    """How peak memory grows with the number of sessions, each a copy with ids of its own; SQLite's cache, which has a
    limit, is not counted."""
    home = HOMES / agent
    if any(home.rglob("*.sql")):
        pytest.skip("copies of a database's rows are not made here")
    if not any(_ID.search(str(path)) for path in home.rglob("*")):
        pytest.skip("its sessions are all in one file")
    few, many = (_peak(tmp_path / str(count), agent, count) for count in (300, 1_500))
    assert many[0] == 5 * few[0]
    assert (many[1] - few[1]) / (many[0] - few[0]) < 8_000, "what is kept of a session is where its file stands"


def _peak(base: Path, agent: str, count: int) -> tuple[int, int]:
    """How many sessions there were, and how much memory indexing took at most."""
    home = AgentHome(base)
    for number in range(count):
        for path in (HOMES / agent).rglob("*"):
            if path.is_file():
                target = home.user / _with_other_ids(str(path.relative_to(HOMES / agent)), number)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(_with_other_ids(path.read_text(encoding="utf-8"), number), encoding="utf-8")
    memory = home.memory()
    tracemalloc.start()
    try:
        memory.index()
        return home.rows("select count(*) from sessions")[0][0], tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def _with_other_ids(text: str, number: int) -> str:
    """The text with every id another one of the same form, the same one wherever it stands."""
    return _ID.sub(lambda found: _unlike(found[0], number), text)


def _unlike(name: str, number: int) -> str:
    digits = iter(hashlib.sha256(f"{name} {number}".encode()).hexdigest() * 4)
    return "".join(next(digits) if char in "0123456789abcdef" else char for char in name)
