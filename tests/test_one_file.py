"""Adding something takes one file: put into a folder of the registry, it is everywhere that it should be."""

from __future__ import annotations

import importlib
import json
import re
import sqlite3
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from axiommind import sources
from axiommind.projections.runner import tables
from axiommind.reports import perspectives
from tests.rows import rows
from tests.transcripts import Lines, World

PROJECTION = '''
"""How much people write: the characters of a session's prompts."""

from axiommind.projections import OF_SESSION, Table

NAME = "wordiness"
VERSION = 1
AFTER = ("sessions",)
EVENT_TYPES = ("forgotten",)
TABLES = (Table("wordiness", "How much was asked.", scope=OF_SESSION, forgotten_by="session_id"),)


def create(db):
    db.execute("create table wordiness (session_id text primary key, chars integer not null) without rowid")


def apply(db, batch):
    for session in sorted(batch.sessions):
        db.execute("delete from wordiness where session_id = ?", (session,))
        db.execute(
            "insert into wordiness select id, (select sum(char_count) from prompts where session_id = s.id) "
            "from sessions s where id = ?",
            (session,),
        )
'''
PERSPECTIVE = '''
"""How long sessions are, in prompts."""

from axiommind.reports.perspectives import Perspective

SQL = "select session_id, count(*) as prompts from prompts group by 1 order by 2 desc, 1 limit :top"


def run(db, params):
    return [dict(zip(("session_id", "prompts"), row)) for row in db.execute(SQL, {"top": params["top"]})]


PERSPECTIVE = Perspective("long-sessions", "the longest sessions", ("session_id", "prompts"), run)
'''
PAGE = (Path(__file__).parents[1] / "docs" / "plugins.md").read_text(encoding="utf-8")
SOURCE = re.findall(r"```python file=axm_scribe/source.py\n(.*?)```", PAGE, re.DOTALL)[0]
# What a plugin may leave out, one of ours has.
SOURCE += """

TITLE = "Scribe"
WATCHED = (".jsonl",)


def watched(root):
    return root


def deletes_after(root):
    return None


def prune(line):
    return line


def sidecar(kind, content):
    return {}
"""

Add = Callable[[str, str, str], None]


@pytest.fixture
def add(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Add]:
    """Puts a file into a folder of the package, as far as anybody can see."""
    added: list[tuple[str, str]] = []

    def put(package: str, name: str, text: str) -> None:
        folder = tmp_path / package
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.py").write_text(text)
        module = importlib.import_module(package)
        monkeypatch.setattr(module, "__path__", [*module.__path__, str(folder)])
        importlib.invalidate_caches()
        added.append((package, name))

    yield put
    for package, name in added:
        sys.modules.pop(f"{package}.{name}", None)
        vars(sys.modules[package]).pop(name, None)


def two_projects(world: World) -> World:
    for session, cwd, texts in (("s1", "/p/a", ["one", "three"]), ("s2", "/p/b", ["elephants"])):
        lines = Lines(session=session, cwd=cwd)
        for text in texts:
            lines.prompt(text)
        world.write(lines, session, cwd.replace("/", "-"))
    return world


def test_a_projection_is_folded_scoped_rebuilt_verified_and_forgotten(add: Add, world: World) -> None:
    two_projects(world).memory().index()
    add("axiommind.projections", "wordiness", PROJECTION)
    world.memory().index()  # of an index that was made without it
    everything = [("s1", 8), ("s2", 9)]
    assert world.rows("select * from wordiness order by 1") == everything
    assert world.rows("select * from wordiness", "/p/a") == [("s1", 8)]
    world.memory().rebuild()
    assert world.rows("select * from wordiness order by 1") == everything
    assert world.memory().verify() == []
    world.memory().forget(session="s1")
    assert world.rows("select * from wordiness") == [("s2", 9)]
    assert world.memory().verify() == []


def test_verify_holds_a_projection_to_the_log_and_to_tombstones(add: Add, world: World) -> None:
    add("axiommind.projections", "wordiness", PROJECTION)
    two_projects(world).memory().index()
    world.memory().forget(session="s1")
    with sqlite3.connect(world.memory().config.index_path) as db:
        db.execute("insert into wordiness values ('s1', 8)")
    found = world.memory().verify()
    assert ("index.db session s1", "was forgotten, but is still in the index") in found
    assert ("index.db wordiness", "1 rows are not in a replay of the log") in found


@rows("R0.64")
def test_a_projection_is_described_in_the_schema(add: Add) -> None:
    add("axiommind.projections", "wordiness", PROJECTION)
    assert "How much was asked." in [table.about for table in tables() if table.name == "wordiness"]


def test_a_perspective_is_listed_and_answers(add: Add, world: World, capsys: pytest.CaptureFixture[str]) -> None:
    from axiommind.surfaces.cli import main

    add("axiommind.reports.perspectives", "long_sessions", PERSPECTIVE)
    assert "long-sessions" in perspectives.names()
    assert main(["query", "--list-perspectives"]) == 0
    assert "the longest sessions" in capsys.readouterr().out
    two_projects(world).memory().index()
    found = world.memory().query(
        perspectives.load("long-sessions"), {"top": 1}, world.memory().scope(all_projects=True)
    )
    assert found == [{"session_id": "s1", "prompts": 2}]


def test_a_source_is_found_indexed_and_resumed(add: Add, world: World) -> None:
    add("axiommind.sources", "scribe", SOURCE)
    (world.base / ".scribe").mkdir()
    line = {"id": "1", "who": "me", "at": 1767225600000, "folder": "/p/a", "text": "hello", "tool": "sh", "with": {}}
    (world.base / ".scribe" / "one.jsonl").write_text(json.dumps(line) + "\n")
    assert "scribe" in sources.names()
    world.memory().index()
    assert world.rows("select id, agent, project from sessions") == [("one", "scribe", "/p/a")]
    assert sources.resume_command("scribe", "one", "/one.jsonl") == ("scribe", "open", "one")
    assert sources.start_command("scribe", "go on") is None  # it need not say how it is started
    assert sources.start_command("claude-code", "go on") == ("claude", "go on")
