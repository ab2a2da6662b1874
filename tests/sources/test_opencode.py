"""OpenCode: rows that change until they have settled, forks with new ids, and the files of older versions."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from axiommind.sources import load
from axiommind.sources.databases import database_file
from tests.sources.agents import HOMES, AgentHome, rows_of

PLACE = Path(".local") / "share" / "opencode"
START = 1_794_805_000_000
PROJECT = "/home/dev/weather"


class Client:
    """Writes sessions as OpenCode does: a message first, its parts one by one, and both again when they change."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self.now = START
        made, _ = rows_of((HOMES / "opencode" / PLACE / "opencode.db.sql").read_text(encoding="utf-8"))
        with self.db() as db:
            for statement in made:
                db.execute(statement)
            db.execute(
                "insert into project(id, worktree, time_created, time_updated, sandboxes) values ('p','/',0,0,'')"
            )

    def db(self) -> Any:
        return closing(sqlite3.connect(self.path, isolation_level=None))

    def write(self, sql: str, *values: Any) -> None:
        self.now += 1_000
        with self.db() as db:
            db.execute(sql, values)

    def session(self, name: str = "ses_1", title: str = "Weather", parent: str | None = None) -> None:
        self.write(
            "insert into session(id, project_id, slug, parent_id, directory, title, version, time_created, "
            "time_updated) values (?, 'p', 's', ?, ?, ?, '1.18.33', ?, ?)",
            *(name, parent, PROJECT, title, self.now, self.now),
        )

    def message(self, name: str, data: dict[str, Any], session: str = "ses_1", created: int | None = None) -> None:
        when = created or self.now
        data = {"time": {"created": when}, **data}
        self.write(
            "insert into message values (?1, ?2, ?3, ?4, ?5) on conflict do update set data = ?5, time_updated = ?4",
            *(name, session, when, self.now, json.dumps(data)),
        )

    def part(self, message: str, place: int, data: dict[str, Any], session: str = "ses_1") -> None:
        self.write(
            "insert into part values (?1, ?2, ?3, ?4, ?4, ?5) on conflict do update set data = ?5, time_updated = ?4",
            *(f"prt_{message}_{place}", message, session, self.now, json.dumps(data)),
        )

    def asks(self, name: str, text: str, session: str = "ses_1", **more: Any) -> None:
        self.message(name, {"role": "user", "agent": "build"}, session)
        self.part(name, 1, {"type": "text", "text": text, **more}, session)

    def answers(self, name: str, *parts: dict[str, Any], session: str = "ses_1", **more: Any) -> None:
        begun = self.now
        data = {"role": "assistant", "modelID": "m", "path": {"cwd": PROJECT}, **more}
        self.message(name, data, session, begun)
        for i, part in enumerate(parts):
            self.part(name, i, part, session)
        self.message(name, {**data, "time": {"created": begun, "completed": self.now}}, session, begun)


def said(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text, "time": {"start": START, "end": START}}


def step(fresh: int = 80, out: int = 20, thought: int = 10, read: int = 40, written: int = 5) -> dict[str, Any]:
    tokens = {"input": fresh, "output": out, "reasoning": thought, "cache": {"read": read, "write": written}}
    return {"type": "step-finish", "reason": "stop", "tokens": tokens}


def tool(name: str, call: str, status: str, given: dict[str, Any], **state: Any) -> dict[str, Any]:
    return {"type": "tool", "tool": name, "callID": call, "state": {"status": status, "input": given, **state}}


@pytest.fixture
def home(tmp_path: Path) -> AgentHome:
    return AgentHome(tmp_path)


@pytest.fixture
def client(home: AgentHome) -> Client:
    return Client(home.user / PLACE / "opencode.db")


def generations(home: AgentHome) -> list[int]:
    return [row[0] for row in home.rows("select distinct generation from segments order by 1")]


# --- a session that grows ------------------------------------------------------------------------------------


def test_what_has_not_settled_is_read_when_it_has(home: AgentHome, client: Client) -> None:
    client.session(title="New session - 2026-11-16T04:58:04.676Z")
    client.message("msg_1", {"role": "user"})
    home.memory().index()
    assert home.rows("select count(*) from prompts") == [(0,)], "a message whose text is not there yet"
    client.part("msg_1", 1, {"type": "text", "text": "What is the weather?"})
    home.memory().index()
    assert home.rows("select text from prompts") == [("What is the weather?",)]

    answer = {"role": "assistant", "modelID": "m", "parentID": "msg_1"}
    client.message("msg_2", answer)
    client.part("msg_2", 1, {"type": "text", "text": "I look"})
    client.part("msg_2", 2, tool("bash", "call_1", "running", {"command": "make weather"}))
    client.asks("msg_3", "and tomorrow?")  # typed meanwhile
    home.memory().index()
    assert home.rows("select count(*) from responses") == [(0,)]

    client.part("msg_2", 1, said("I look it up."))
    client.part(
        "msg_2",
        2,
        tool("bash", "call_1", "completed", {"command": "make weather"}, output="rain", metadata={"exit": 0}),
    )
    client.part("msg_2", 3, step())
    client.message("msg_2", {**answer, "time": {"created": START + 1, "completed": client.now}, "finish": "stop"})
    client.write("update session set title = 'Weather', time_updated = time_updated + 1")
    home.memory().index()
    assert home.rows(
        "select text, input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens from responses"
    ) == [("I look it up.", 80, 30, 40, 5)]
    assert home.rows("select text from prompts order by line") == [("What is the weather?",), ("and tomorrow?",)]
    assert home.rows("select title from sessions") == [("Weather",)]
    assert generations(home) == [0], "it only grew"
    assert home.memory().verify(deep=True) == []


def test_an_answer_that_never_ended_is_read_once_the_model_answers_again(home: AgentHome, client: Client) -> None:
    client.session()
    client.asks("msg_1", "first")
    client.message("msg_2", {"role": "assistant", "modelID": "m"})
    client.part("msg_2", 1, said("killed in the middle of"))
    client.asks("msg_3", "again")
    home.memory().index()
    assert home.rows("select text from prompts") == [("first",)]
    client.answers("msg_4", said("done"), step())
    home.memory().index()
    assert home.rows("select text from responses order by line_start") == [("killed in the middle of",), ("done",)]
    assert generations(home) == [0]


def test_an_answer_that_never_ended_is_read_once_people_work_elsewhere(home: AgentHome, client: Client) -> None:
    client.session()
    client.asks("msg_1", "first")
    client.message("msg_2", {"role": "assistant", "modelID": "m"})
    client.part("msg_2", 1, said("killed in the middle of"))
    client.session("ses_2")
    client.asks("msg_3", "elsewhere", "ses_2")
    home.memory().index()
    assert home.rows("select count(*) from responses") == [(0,)]
    client.now += 2 * 3_600_000
    client.session("ses_3")
    client.asks("msg_5", "much later", "ses_3")
    home.memory().index()
    assert home.rows("select text from responses") == [("killed in the middle of",)]


def test_what_was_taken_back_is_gone(home: AgentHome, client: Client) -> None:
    client.session()
    client.asks("msg_1", "use tabs")
    client.answers("msg_2", said("with tabs"), step())
    home.memory().index()
    client.write("delete from part where message_id in ('msg_1', 'msg_2')")
    client.write("delete from message")
    client.asks("msg_3", "use spaces")
    client.answers("msg_4", said("with spaces"), step())
    home.memory().index()
    assert home.rows("select text from prompts") == [("use spaces",)]
    assert home.rows("select text from responses") == [("with spaces",)]
    assert home.memory().verify(deep=True) == []


def test_a_session_that_was_deleted_is_kept(home: AgentHome, client: Client) -> None:
    client.session()
    client.asks("msg_1", "use tabs")
    home.memory().index()
    for table in ("part", "message", "session"):
        client.write(f"delete from {table}")
    report = home.memory().index()
    assert report.missing == 1 and home.rows("select text from prompts") == [("use tabs",)]


# --- what the rows say ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stored", "typed"),
    [
        ('"list the files please"', "list the files please"),
        ('"say \\"hi\\" twice"', 'say "hi" twice'),
        ('say "hi"', 'say "hi"'),
        ('"one" and "two"', '"one" and "two"'),
        ('""', None),
    ],
)
def test_quotes_of_the_client_are_not_typed(home: AgentHome, client: Client, stored: str, typed: str | None) -> None:
    client.session()
    client.asks("msg_1", stored)
    home.memory().index()
    assert home.rows("select text from prompts") == ([(typed,)] if typed else [])


def test_what_the_client_adds_is_nobodys_words(home: AgentHome, client: Client) -> None:
    client.session()
    client.asks("msg_1", "look at @a.py")
    client.part("msg_1", 2, {"type": "text", "text": "Called the Read tool with this input", "synthetic": True})
    client.part("msg_1", 3, {"type": "text", "text": "x" * 5_000, "synthetic": True})
    client.part("msg_1", 4, {"type": "file", "mime": "image/png", "url": "data:image/png;base64," + "A" * 5_000})
    home.memory().index()
    assert home.rows("select text from prompts") == [("look at @a.py",)]
    with load("opencode").open_stream(f"{client.path}#ses_1") as stream:
        assert len(stream.read()) < 2_000


def test_a_failed_command_is_a_failure(home: AgentHome, client: Client) -> None:
    client.session()
    client.asks("msg_1", "run the tests")
    client.answers(
        "msg_2",
        tool("bash", "c1", "completed", {"command": "make test"}, output="1 failed", metadata={"exit": 2}),
        tool("bash", "c2", "completed", {"command": "make lint"}, output="clean", metadata={"exit": 0}),
        tool("edit", "c3", "error", {"filePath": "a.py"}, error="oldString not found"),
        tool(
            "apply_patch",
            "c4",
            "completed",
            {"patchText": "*** Begin Patch\n*** Update File: b.py\n*** Add File: c.py\n"},
        ),
        tool("bash", "c5", "pending", {}),
        step(),
    )
    home.memory().index()
    assert home.rows("select classified_name, is_error from tool_uses order by seq_order") == [
        ("Bash:test", 1),
        ("Bash:lint", 0),
        ("Edit", 1),
        ("Edit", 0),
        ("Bash:other", None),
    ]
    assert home.rows("select file_path from file_edits order by id") == [
        ("a.py",),
        (f"{PROJECT}/b.py",),
        (f"{PROJECT}/c.py",),
    ]


def test_a_command_of_the_person(home: AgentHome, client: Client) -> None:
    client.session()
    client.asks("msg_1", "The following tool was executed by the user", synthetic=True)
    client.answers(
        "msg_2", tool("bash", "c1", "completed", {"command": "git status"}, output="clean"), parentID="msg_1"
    )
    home.memory().index()
    assert home.rows("select kind, name, args from commands") == [("bash", "!", "git status")]
    assert home.rows("select count(*) from tool_uses") == [(0,)] == home.rows("select count(*) from prompts")


def test_a_compaction(home: AgentHome, client: Client) -> None:
    client.session()
    client.asks("msg_1", "go on")
    client.message("msg_2", {"role": "user"})
    client.part("msg_2", 1, {"type": "compaction", "auto": True})
    client.answers("msg_3", said("## Goal\nThe weather."), step(), summary=True, mode="compaction")
    client.asks("msg_4", "Continue if you have next steps", synthetic=True)
    home.memory().index()
    assert home.rows("select text from compaction_summaries") == [("## Goal\nThe weather.",)]
    assert home.rows("select trigger from compactions") == [("auto",)]
    assert home.rows("select text from prompts") == [("go on",)]


def test_several_steps_in_one_answer(home: AgentHome, client: Client) -> None:
    """As earlier versions wrote them: the message has the tokens of its last step."""
    client.session()
    client.asks("msg_1", "go on")
    last = {"input": 7, "output": 1, "reasoning": 0, "cache": {"read": 0, "write": 0}}
    client.answers("msg_2", step(), said("one"), step(7, 1, 0, 0, 0), tokens=last)
    client.answers("msg_3", said("two"), tokens=last)
    home.memory().index()
    assert home.rows("select input_tokens, output_tokens from responses order by line_start") == [(87, 31), (7, 1)]


def test_tasks_of_the_agent(home: AgentHome, client: Client) -> None:
    client.session()
    client.asks("msg_1", "plan it")
    todos = [{"id": "1", "content": "Write the parser", "status": "pending", "priority": "high"}]
    client.answers("msg_2", tool("todowrite", "c1", "completed", {"todos": todos}, output="[]"), step())
    home.memory().index()
    assert home.rows("select classified_name from tool_uses") == [("TodoWrite",)]


def test_subagents_that_begin_in_the_same_moment_are_two(home: AgentHome, client: Client) -> None:
    client.session()
    client.asks("msg_1", "delegate")
    for name in ("ses_2", "ses_3"):
        client.session(name, f"look ({name})", parent="ses_1")
        client.message(f"msg_{name}", {"role": "user"}, name, START)
        client.part(f"msg_{name}", 1, {"type": "text", "text": "look at it"}, name)
        data = {"role": "assistant", "modelID": "m", "time": {"created": START, "completed": START + 5}}
        client.message(f"msg_{name}_2", data, name, START)
        client.part(f"msg_{name}_2", 1, said("seen"), name)
        client.part(f"msg_{name}_2", 2, step(), name)
    home.memory().index()
    assert home.rows("select text from prompts") == [("delegate",)], "a subagent is asked by an agent"
    assert home.rows("select count(*) from responses where canonical") == [(2,)]
    assert home.rows("select id, parent_session, title from sessions order by id")[1:] == [
        ("ses_2", "ses_1", "look (ses_2)"),
        ("ses_3", "ses_1", "look (ses_3)"),
    ]


def test_a_fork_is_a_copy_and_the_original_counts(home: AgentHome) -> None:
    home.lay("opencode")
    home.memory().index()
    counted = home.rows("select distinct session_id from prompts where canonical and text like '%WORK%'")
    assert counted == [("ses_e1d480f58ffe5aAuJutrzb3Kr3",)]


def test_the_database_named_by_the_environment(home: AgentHome, tmp_path: Path) -> None:
    client = Client(tmp_path / "elsewhere" / "mine.db")
    client.session()
    client.asks("msg_1", "from elsewhere")
    home.memory(OPENCODE_DB=str(client.path)).index()
    assert home.rows("select text from prompts") == [("from elsewhere",)]


# --- files of older versions ---------------------------------------------------------------------------------


def as_files(client: Client, root: Path) -> None:
    """The same sessions as versions before 1.2 kept them."""
    storage = root / "storage"

    def keep(path: str, value: dict[str, Any]) -> None:
        target = storage / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(json.dumps(value), encoding="utf-8")

    with client.db() as db:
        for name, parent, directory, title, created in db.execute(
            "select id, parent_id, directory, title, time_created from session"
        ):
            about = {"id": name, "parentID": parent, "directory": directory, "title": title, "version": "0.9.1"}
            keep(f"session/p/{name}.json", {**about, "time": {"created": created}})
        for name, session, data in db.execute("select id, session_id, data from message"):
            keep(f"message/{session}/{name}.json", {"id": name, **json.loads(data)})
        for name, message, data in db.execute("select id, message_id, data from part"):
            keep(f"part/{message}/{name}.json", {"id": name, **json.loads(data)})


def test_files_of_older_versions_read_the_same_and_not_twice(home: AgentHome, client: Client) -> None:
    client.session()
    client.asks("msg_1", "from before")
    client.answers("msg_2", said("yes"), tool("bash", "c1", "completed", {"command": "ls"}, output="a"), step())
    client.session("ses_2", "look", parent="ses_1")
    client.asks("msg_3", "look", "ses_2")
    client.answers("msg_4", said("seen"), step(), session="ses_2")
    as_files(client, client.path.parent)
    held = client.path.read_bytes()
    client.path.unlink()
    home.memory().index()
    before = home.said()
    assert home.rows("select text from prompts") == [("from before",)]
    assert home.rows("select id, parent_session from sessions") == [("ses_1", None), ("ses_2", "ses_1")]
    assert home.memory().index().files_opened == 0
    assert home.memory().verify(deep=True) == []

    client.path.write_bytes(held)  # a later version takes them over
    home.memory().index()
    assert home.said()["prompts"] == before["prompts"] and home.said()["responses"] == before["responses"]
    assert home.said()["tool_uses"] == before["tool_uses"]
    assert home.memory().verify(deep=True) == []


def test_files_of_older_versions_grow(home: AgentHome, client: Client) -> None:
    client.session()
    client.asks("msg_1", "from before")
    as_files(client, client.path.parent)
    held = client.path.read_bytes()
    client.path.unlink()
    home.memory().index()
    client.path.write_bytes(held)
    client.answers("msg_2", said("yes"), step())
    as_files(client, client.path.parent)
    client.path.unlink()
    home.memory().index()
    assert home.rows("select text from responses") == [("yes",)] and generations(home) == [0]


# --- a whole session, as one text ----------------------------------------------------------------------------


def test_what_is_rendered_is_always_the_same(home: AgentHome) -> None:
    (path,) = home.lay("opencode")
    source = load("opencode")
    file = database_file(path, str(path.parent))
    assert file is not None
    streams = [one.path for one in source.expand(file).files]
    assert len(streams) == 5
    for stream in streams:
        with source.open_stream(stream) as first, source.open_stream(stream) as second:
            assert first.read() == second.read()
