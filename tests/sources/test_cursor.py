"""Cursor: lines without ids and times, text of old versions, and an editor's database in which values are replaced."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from axiommind.sources import load
from axiommind.sources.cursor import rows
from axiommind.sources.databases import opened
from tests.sources.agents import WRITTEN, AgentHome, resumes

EDITOR = Path(".config") / "Cursor" / "User"
PROJECTS = Path(".cursor") / "projects"
CHAT = "9f8e7d6c-1111-4222-8333-444455556666"
START = 1_794_805_200_000


@pytest.fixture
def home(tmp_path: Path) -> AgentHome:
    return AgentHome(tmp_path)


class Editor:
    """Writes values as Cursor's editor does: a write replaces the row."""

    def __init__(self, user: Path) -> None:
        self.path = user / EDITOR / "globalStorage" / "state.vscdb"
        self.path.parent.mkdir(parents=True)
        with closing(sqlite3.connect(self.path)) as db, db:
            for table in ("ItemTable", "cursorDiskKV"):
                db.execute(f"create table {table} (key text unique on conflict replace, value blob)")

    def put(self, key: str, value: Any) -> None:
        kept = value if isinstance(value, (bytes, str)) or value is None else json.dumps(value)
        with closing(sqlite3.connect(self.path)) as db, db:
            db.execute("insert into cursorDiskKV values (?, ?)", (key, kept))

    def chat(self, *bubbles: str, **more: Any) -> None:
        headers = [{"bubbleId": name, "type": 1} for name in bubbles]
        about = {"composerId": CHAT, "createdAt": START, "fullConversationHeadersOnly": headers, **more}
        self.put(f"composerData:{CHAT}", about)

    def bubble(self, name: str, kind: int, text: str = "", **more: Any) -> None:
        folder = {"workspaceUris": ["file:///home/dev/my%20weather"]}
        self.put(f"bubbleId:{CHAT}:{name}", {"type": kind, "bubbleId": name, "text": text, **folder, **more})


@pytest.fixture
def editor(home: AgentHome) -> Editor:
    return Editor(home.user)


def tool(name: str, status: str, given: dict[str, Any], result: Any = None, **more: Any) -> dict[str, Any]:
    kept = {"name": name, "toolCallId": f"t-{name}-{status}", "status": status, "rawArgs": json.dumps(given), **more}
    return {"toolFormerData": kept if result is None else {**kept, "result": json.dumps(result)}}


def lines(*records: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def says(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "message": {"content": [{"type": "text", "text": text}]}}


# --- the command line ----------------------------------------------------------------------------------------


def test_the_time_is_that_of_the_file_when_a_line_was_read(home: AgentHome) -> None:
    path = home.user / PROJECTS / "home-dev-demo" / "agent-transcripts" / "s1" / "s1.jsonl"
    path.parent.mkdir(parents=True)
    home.put(path, lines(says("user", "<user_query>first</user_query>")))
    home.memory().index()
    path.write_bytes(
        path.read_bytes() + lines(says("assistant", "yes"), says("user", "<user_query>second</user_query>"))
    )
    os.utime(path, (WRITTEN + 60, WRITTEN + 60))
    home.memory().index()
    wanted = [("first", WRITTEN * 1000), ("second", (WRITTEN + 60) * 1000)]
    assert home.rows("select text, timestamp from prompts order by line") == wanted
    home.memory().rebuild()
    assert home.rows("select text, timestamp from prompts order by line") == wanted


def test_the_same_words_in_two_sessions_are_said_twice(home: AgentHome) -> None:
    for name in ("s1", "s2"):
        path = home.user / PROJECTS / "home-dev-demo" / "agent-transcripts" / f"{name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        home.put(path, lines(says("user", "continue")))
    home.memory().index()
    assert home.rows("select session_id, canonical from prompts order by 1") == [("s1", 1), ("s2", 1)]


def test_a_project_is_the_one_folder_that_its_name_can_mean(home: AgentHome, tmp_path: Path) -> None:
    folder = tmp_path / "code" / "my.app"
    folder.mkdir(parents=True)
    name = "-".join(part.replace(".", "-").replace("_", "-") for part in folder.parts[1:])
    for project, session in ((name, "s1"), ("nowhere-at-all", "s2")):
        path = home.user / PROJECTS / project / "agent-transcripts" / f"{session}.jsonl"
        path.parent.mkdir(parents=True)
        home.put(path, lines(says("user", "hello")))
    home.memory().index()
    assert home.rows("select id, project from sessions order by id") == [("s1", str(folder)), ("s2", "nowhere-at-all")]


def test_a_project_that_is_not_here_is_told_by_the_paths_in_it(home: AgentHome) -> None:
    """As of a session that was brought from elsewhere."""
    for name, given in {
        "home-dev-my-app": {"path": "/home/dev/my.app/src/main.py", "contents": "x"},
        "c-Users-dev-demo": {"path": r"C:\Users\dev\demo\main.py"},
        "home-dev-other": {"path": "/home/dev/another/main.py"},
    }.items():
        path = home.user / PROJECTS / name / "agent-transcripts" / f"{name}.jsonl"
        path.parent.mkdir(parents=True)
        said = {"role": "assistant", "message": {"content": [{"type": "tool_use", "name": "Write", "input": given}]}}
        home.put(path, lines(says("user", "hello"), said))
    home.memory().index()
    assert home.rows("select project from sessions order by id") == [
        (r"C:\Users\dev\demo",),
        ("/home/dev/my.app",),
        ("home-dev-other",),
    ]


def test_only_sessions_of_the_command_line_are_resumed(home: AgentHome, editor: Editor) -> None:
    path = home.user / PROJECTS / "home-dev-demo" / "agent-transcripts" / "s1.jsonl"
    path.parent.mkdir(parents=True)
    home.put(path, lines(says("user", "hello")))
    editor.chat("b1")
    editor.bubble("b1", 1, "hello from the editor")
    memory = home.memory()
    memory.index()
    assert resumes(memory) == {"s1": "cursor-agent --resume s1", CHAT: None}
    assert memory.handoffs.of(CHAT).session.resume is None


def test_what_the_client_puts_around_a_prompt_is_not_typed(home: AgentHome) -> None:
    path = home.user / PROJECTS / "home-dev-demo" / "agent-transcripts" / "s1.jsonl"
    path.parent.mkdir(parents=True)
    added = "<attached_files>\n<code_selection>secret plans</code_selection>\n</attached_files>\n"
    home.put(path, lines(says("user", f"{added}<user_query>\nuse <b> tags\n</user_query>")))
    home.memory().index()
    assert home.rows("select text from prompts") == [("use <b> tags",)]


def test_an_old_text_that_is_lines_now_is_read_once(home: AgentHome) -> None:
    folder = home.user / PROJECTS / "home-dev-demo" / "agent-transcripts"
    folder.mkdir(parents=True)
    text = "user:\n<user_query>\nassistant:\nis a word\n</user_query>\n\nassistant:\n[Tool call] Shell\n  command: ls\n"
    home.put(folder / "s1.txt", text.encode())
    home.memory().index()
    assert home.rows("select text from prompts") == [("assistant:\nis a word",)]
    assert home.rows("select classified_name, input_json from tool_uses") == [("Bash:other", '{"command":"ls"}')]
    home.put(folder / "s2.txt", text.encode())
    home.put(folder / "s2.jsonl", lines(says("user", "as lines")))
    home.memory().index()
    assert home.rows("select text from prompts where session_id = 's2'") == [("as lines",)]


def test_only_folders_that_are_there_are_watched(home: AgentHome) -> None:
    root = home.user / ".cursor"
    root.mkdir()
    assert load("cursor").watched(root) == root
    (root / "projects").mkdir()
    assert load("cursor").watched(root) == root / "projects"


# --- the editor ----------------------------------------------------------------------------------------------


def test_an_answer_is_read_when_it_is_whole(home: AgentHome, editor: Editor) -> None:
    editor.bubble("b1", 1, "What is the weather?")
    editor.bubble("b2", 2, "I look")
    editor.chat("b1", "b2", status="generating", name="Weather")
    home.memory().index()
    assert home.rows("select text from prompts") == [("What is the weather?",)]
    assert home.rows("select count(*) from responses") == [(0,)]
    editor.bubble("b2", 2, "I look it up.")
    editor.bubble("b3", 2, **tool("run_terminal_cmd", "loading", {"command": "make weather"}))
    editor.chat("b1", "b2", "b3", status="generating", name="Weather")
    home.memory().index()
    assert home.rows("select text from responses") == [("I look it up.",)]
    assert home.rows("select count(*) from tool_uses") == [(0,)]
    done = tool("run_terminal_cmd", "completed", {"command": "make weather"}, {"output": "rain", "exitCode": 0})
    editor.bubble("b3", 2, **done)
    editor.chat("b1", "b2", "b3", status="completed", name="Weather")
    home.memory().index()
    assert home.rows("select classified_name, is_error, output from tool_uses") == [("Bash:build", 0, "rain")]
    assert home.rows("select title, project from sessions") == [("Weather", "/home/dev/my weather")]
    assert home.rows("select distinct generation from segments") == [(0,)]
    assert home.memory().verify(deep=True) == []


def test_how_tools_ended(home: AgentHome, editor: Editor) -> None:
    editor.bubble("b1", 1, "try it")
    editor.bubble(
        "b2", 2, **tool("run_terminal_cmd", "completed", {"command": "make test"}, {"output": "no", "exitCode": 2})
    )
    editor.bubble("b3", 2, **tool("read_file", "error", {"target_file": "a.py"}, error="no such file"))
    editor.bubble("b4", 2, **tool("search_replace", "cancelled", {"file_path": "b.py", "old_string": "x"}))
    editor.bubble("b5", 2, **tool("mcp-weather", "completed", {"city": "Seoul"}, {"result": "sunny"}))
    editor.chat("b1", "b2", "b3", "b4", "b5")
    home.memory().index()
    assert home.rows("select classified_name, is_error from tool_uses order by seq_order") == [
        ("Bash:test", 1),
        ("Read", 1),
        ("Edit", 1),
        ("mcp-weather", 0),
    ]


def test_what_was_taken_back_leaves(home: AgentHome, editor: Editor) -> None:
    editor.bubble("b1", 1, "use tabs")
    editor.bubble("b2", 1, "use spaces")
    editor.chat("b1", "b2")
    home.memory().index()
    editor.chat("b2", lastUpdatedAt=START + 1)
    home.memory().index()
    assert home.rows("select text from prompts") == [("use spaces",)]


def test_values_that_are_nothing_or_broken(home: AgentHome, editor: Editor) -> None:
    editor.bubble("b1", 1, "still here")
    editor.put(f"bubbleId:{CHAT}:b2", "{broken")
    editor.put(f"bubbleId:{CHAT}:b3", None)
    editor.put(f"bubbleId:{CHAT}:b4", json.dumps({"type": 1, "text": "as a blob"}).encode())
    editor.chat("b1", "b2", "b3", "b4", "b5")
    editor.put("composerData:none", None)
    editor.put("composerData:broken", "{")
    editor.put("bubbleId:broken:b1", {"type": 1, "text": "of a broken session", "createdAt": START})
    editor.put("bubbleId:deleted:b1", {"type": 1, "text": "of a session that was deleted"})
    (problem,) = home.memory().index().problems
    assert problem.path == f"{editor.path}#{CHAT}" and "no JSON" in problem.why
    assert home.rows("select text from prompts order by text") == [
        ("as a blob",),
        ("of a broken session",),
        ("still here",),
    ]


def test_a_session_of_versions_that_kept_it_in_one_value(home: AgentHome, editor: Editor) -> None:
    inline = [{"type": 1, "bubbleId": "b1", "text": "from before"}, {"type": 2, "bubbleId": "b2", "text": "yes"}]
    editor.put(f"composerData:{CHAT}", {"composerId": CHAT, "createdAt": START, "conversation": inline})
    home.memory().index()
    assert home.rows("select text from prompts") == [("from before",)]
    assert home.rows("select text, timestamp from responses") == [("yes", START)]


def test_what_signs_the_user_in_cannot_be_read(home: AgentHome, editor: Editor) -> None:
    with closing(sqlite3.connect(editor.path)) as db, db:
        db.execute("insert into ItemTable values ('cursorAuth/accessToken', 'secret')")
    with pytest.raises(OSError, match="prohibited"), opened(str(editor.path), rows.READ) as db:
        db.execute("select value from ItemTable").fetchall()
    editor.bubble("b1", 1, "hello")
    editor.chat("b1")
    assert home.memory().index().problems == []
