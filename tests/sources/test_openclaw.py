"""OpenClaw: entries as rows, packed or not, and the same entries as lines; what channels put around a message."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import zstandard

from tests.sources.agents import HOMES, AgentHome, rows_of

MAIN = Path(".openclaw") / "agents" / "main"
DATABASE = MAIN / "agent" / "openclaw-agent.sqlite"
SESSION = "6fa90fe0-b4f0-4312-b071-cc018a9df1bc"
CHILD = "11111111-2222-4333-8444-555555555555"


@pytest.fixture
def home(tmp_path: Path) -> AgentHome:
    return AgentHome(tmp_path)


class Gateway:
    """Writes windows and entries as OpenClaw does."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True)
        self.path = path
        made, _ = rows_of((HOMES / "openclaw" / f"{DATABASE}.sql").read_text(encoding="utf-8"))
        for statement in made:
            self.write(statement)
        self.now = 1_794_805_000_000

    def write(self, sql: str, *values: Any) -> None:
        with closing(sqlite3.connect(self.path)) as db, db:
            db.execute(sql, values)

    def window(self, session: str, key: str = "agent:main:main", spawned_by: str | None = None) -> None:
        self.write(
            "insert into session_nodes(session_key, current_session_id, entry_json, updated_at, created_via, "
            "spawned_by) values (?, ?, '{}', 1, ?, ?)",
            *(key, session, "spawn" if spawned_by else None, spawned_by),
        )
        self.write(
            "insert into session_windows(session_id, session_key, created_at, updated_at) values (?, ?, 1, 1)",
            *(session, key),
        )

    def entry(self, session: str, entry: dict[str, Any], *, packed: bool = False) -> None:
        self.now += 1_000
        entry = {"id": f"{session[:8]}-{self.now}", "timestamp": self.now, **entry}
        data = json.dumps(entry).encode()
        with closing(sqlite3.connect(self.path)) as db, db:
            (seq,) = db.execute("select count(*) from transcript_events where session_id = ?", (session,)).fetchone()
            text = None if packed else data.decode()
            small = zstandard.ZstdCompressor(write_content_size=False).compress(data) if packed else None
            row = (session, seq, text, self.now, small, len(data), '{"version":1}' if packed else None)
            db.execute("insert into transcript_events values (?, ?, ?, ?, ?, ?, ?)", row)
            db.execute("update session_windows set transcript_updated_at = ? where session_id = ?", (self.now, session))

    def says(self, session: str, role: str, content: Any, *, packed: bool = False) -> None:
        usage = {"input": 8, "output": 3, "cacheRead": 4, "cacheWrite": 0}
        more = {"usage": usage, "model": "m"} if role == "assistant" else {}
        self.entry(session, {"type": "message", "message": {"role": role, "content": content, **more}}, packed=packed)


@pytest.fixture
def gateway(home: AgentHome) -> Gateway:
    return Gateway(home.user / DATABASE)


def test_packed_entries_are_read(home: AgentHome, gateway: Gateway) -> None:
    gateway.window(SESSION)
    gateway.entry(SESSION, {"type": "session", "version": 4, "cwd": "/home/dev/weather"})
    gateway.says(SESSION, "user", "What is the weather?", packed=True)
    gateway.says(SESSION, "assistant", [{"type": "text", "text": "Rain."}], packed=True)
    assert home.memory().index().problems == []
    assert home.rows("select text from prompts") == [("What is the weather?",)]
    assert home.rows("select text, input_tokens, output_tokens from responses") == [("Rain.", 8, 3)]
    gateway.write("update transcript_events set event_zstd = x'00ff' where seq = 2")
    gateway.write("update session_windows set transcript_updated_at = transcript_updated_at + 1")
    (problem,) = home.memory().index().problems
    assert "cannot be unpacked" in problem.why
    assert home.rows("select text from prompts") == [("What is the weather?",)]
    assert home.rows("select count(*) from responses") == [(0,)]


def test_a_subagent_is_asked_by_an_agent(home: AgentHome, gateway: Gateway) -> None:
    gateway.window(SESSION)
    gateway.says(SESSION, "user", "delegate it")
    gateway.window(CHILD, "agent:main:subagent:1", spawned_by="agent:main:main")
    gateway.says(CHILD, "user", "look at the parser")
    gateway.says(CHILD, "assistant", [{"type": "text", "text": "seen"}])
    home.memory().index()
    assert home.rows("select session_id, text from prompts") == [(SESSION, "delegate it")]
    assert home.rows("select parent_session, title from sessions where id <> ?".replace("?", f"'{SESSION}'")) == [
        (SESSION, "look at the parser")
    ]


@pytest.mark.parametrize(
    ("stored", "typed"),
    [
        ("[Thu 2026-02-26 05:35 UTC] run the tests", "run the tests"),
        ("run the tests\n[message_id: 42]", "run the tests"),
        ("System: [2026-02-26 05:35] Node connected\n\nrun the tests", "run the tests"),
        (
            'Conversation info (untrusted metadata):\n```json\n{"sender": "dev"}\n```\n\n'
            'Sender (untrusted metadata):\n```json\n{"name": "dev"}\n```\n\nrun the tests',
            "run the tests",
        ),
        ("[1] is a footnote", "[1] is a footnote"),
        ("Read HEARTBEAT.md if it exists (workspace context). Follow it strictly.", None),
        ("[cron:7 nightly] summarise", None),
    ],
)
def test_what_a_channel_adds_is_nobodys_words(
    home: AgentHome, gateway: Gateway, stored: str, typed: str | None
) -> None:
    gateway.window(SESSION)
    gateway.says(SESSION, "user", stored)
    home.memory().index()
    assert home.rows("select text from prompts") == ([(typed,)] if typed else [])


def test_a_patch_edits_its_files(home: AgentHome, gateway: Gateway) -> None:
    gateway.window(SESSION)
    gateway.entry(SESSION, {"type": "session", "version": 4, "cwd": "/home/dev/weather"})
    gateway.says(SESSION, "user", "patch it")
    patch = "*** Begin Patch\n*** Update File: a.py\n@@\n-rain\n+sun\n*** Add File: b.py\n+new\n*** End Patch"
    call = {"type": "toolCall", "id": "c1", "name": "apply_patch", "arguments": {"input": patch}}
    gateway.says(SESSION, "assistant", [call])
    home.memory().index()
    assert home.rows("select classified_name from tool_uses") == [("Edit",)]
    found = home.rows("select file_path from file_edits order by 1")
    assert found == [("/home/dev/weather/a.py",), ("/home/dev/weather/b.py",)]


def test_entries_that_are_added_are_no_new_generation(home: AgentHome, gateway: Gateway) -> None:
    gateway.window(SESSION)
    for i in range(4):
        gateway.says(SESSION, "user", f"question {i}", packed=bool(i % 2))
        home.memory().index()
    assert home.rows("select distinct generation from segments") == [(0,)]
    assert home.rows("select count(*) from prompts") == [(4,)]


def test_archives_and_older_versions_are_lines_and_count_once(home: AgentHome) -> None:
    home.lay("openclaw")
    home.memory().index()
    before = home.said()
    with closing(sqlite3.connect(home.user / DATABASE)) as db:
        lines = [row[0] for row in db.execute("select event_json from transcript_events order by seq")]
    folder = home.user / MAIN / "sessions"
    folder.mkdir()
    (folder / f"{SESSION}.jsonl.reset.2026-11-16T05-00-00.000Z").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "sessions.json").write_text("{}", encoding="utf-8")
    (folder / f"{CHILD}-topic-5.jsonl").write_text(
        "\n".join(lines[:5]).replace(SESSION, CHILD).replace("91fe619a", "92fe619a") + "\n", encoding="utf-8"
    )
    assert home.memory().index().problems == []
    found = home.said()
    assert [row for row in found["prompts"] if row[0] == SESSION] == before["prompts"]
    assert found["responses"] == before["responses"] and found["tool_uses"] == before["tool_uses"]
    assert [row[0] for row in found["sessions"]] == [CHILD, SESSION]


def test_every_agent_of_a_home_and_another_home(home: AgentHome, tmp_path: Path) -> None:
    for root, agent, session in ((".openclaw", "main", SESSION), ("elsewhere", "work", CHILD)):
        gateway = Gateway(home.user / root / "agents" / agent / "agent" / "openclaw-agent.sqlite")
        gateway.window(session)
        gateway.says(session, "user", f"of {agent}")
    home.memory(OPENCLAW_STATE_DIR=str(home.user / "elsewhere")).index()
    assert home.rows("select text from prompts") == [("of work",)]
    home.memory().index()
    assert home.rows("select text from prompts order by 1") == [("of main",), ("of work",)]
