"""Law 6 for names: a secret in the name of a file, folder or session is stored nowhere, and nothing is read twice."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from axiommind.ingest.file_names import without_secrets
from axiommind.log import home_key
from axiommind.sources import Discovery, SourceFile
from axiommind.text.redaction import Redactor
from tests.counting import PATIENCE_S
from tests.transcripts import PROJECT, World, session

TOKEN = "ghp_Zx81kQm4Tb7Ws2Rv9Lp6Yd3Hc5Nf0JgAeUiO"
DASHED = TOKEN.replace("_", "-")  # as Claude Code writes it in the name of a folder


def places_of(home: Path, secret: str) -> list[str]:
    """The files of a home whose name or content holds it."""
    return [
        str(path.relative_to(home))
        for path in home.rglob("*")
        if secret in path.name or (path.is_file() and secret.encode() in path.read_bytes())
    ]


def sessions_of(world: World) -> list[str]:
    return sorted(row[0] for row in world.rows("select id from sessions"))


def test_a_file_and_a_session_named_after_a_token(world: World) -> None:
    lines = session(TOKEN)
    world.write(lines)
    world.memory().index()
    mark = Redactor(home_key(world.home)).text(TOKEN)
    assert sessions_of(world) == [mark]
    assert not places_of(world.home, TOKEN)

    world.append(session("s2").data(), TOKEN)
    report = world.memory().index()
    assert (report.new, report.updated) == (0, 1)
    again = world.memory().index()
    assert (again.unchanged, again.files_opened, again.missing) == (1, 0, 0)
    assert not world.memory().verify()


def test_a_folder_named_after_a_path_with_a_token(world: World) -> None:
    world.write(session("s1", f"/home/dev/{TOKEN}"), folder=f"-home-dev-{DASHED}")
    world.memory().index()
    assert sessions_of(world) == ["s1"]
    assert not places_of(world.home, TOKEN) and not places_of(world.home, DASHED)
    assert world.memory().index().files_opened == 0


def test_what_an_older_version_stored_is_read_anew_under_a_clean_name(world: World) -> None:
    path = world.write(session(TOKEN))
    world.memory().index()
    mark = sessions_of(world)[0]
    with closing(sqlite3.connect(world.home / "log.db")) as db, db:  # as it was stored then
        ((state,),) = db.execute("select state from heads").fetchall()
        raw = json.dumps({**json.loads(state), "session_id": TOKEN})
        db.execute("update heads set stream = ?, state = ?", (str(path), raw))
        guards = db.execute(
            "select name, sql from sqlite_master where type = 'trigger' and tbl_name = 'events'"
        ).fetchall()
        for name, _ in guards:
            db.execute(f"drop trigger {name}")
        db.execute("update events set session_id = ? where session_id = ?", (TOKEN, mark))
        for _, sql in guards:
            db.execute(sql)
    world.memory().rebuild()
    assert sessions_of(world) == [TOKEN]
    before = world.one("select count(*) from records")
    world.memory().index()
    assert sessions_of(world) == [mark]
    assert world.one("select count(*) from records") == before
    assert world.one("select count(*) from prompts") == 1
    assert world.memory().index().files_opened == 0
    assert not world.memory().verify()


def test_a_document_named_after_a_token(world: World) -> None:
    notes = world.base / "notes"
    notes.mkdir()
    (notes / f"{TOKEN}.md").write_text("# Cache\n\nIt lives in SQLite.\n", encoding="utf-8")
    world.memory().documents.add([notes])
    world.memory().index()
    assert world.one("select count(*) from documents") == 1
    assert not places_of(world.home, TOKEN)
    world.memory().index()
    assert world.one("select count(*) from documents") == 1


def test_a_hook_of_a_session_named_after_a_token(world: World) -> None:
    world.write(session("s1"))
    world.memory().index()
    for event in ("SessionStart", "Stop", "SessionEnd", TOKEN):
        given = {"hook_event_name": event, "session_id": TOKEN, "cwd": PROJECT, "source": "startup"}
        done = subprocess.run(
            [sys.executable, "-m", "axiommind.surfaces.hooks", "" if event == TOKEN else event],
            input=json.dumps(given).encode(),
            env=world.environ,
            capture_output=True,
            timeout=PATIENCE_S,
            check=False,
        )
        assert done.returncode == 0
    world.memory().index()
    assert (world.home / "hooks" / "hooks.log").exists()
    assert not places_of(world.home, TOKEN)


def test_a_working_folder_that_only_a_file_beside_the_session_names() -> None:
    """Its session's path tells nothing of it."""
    file = SourceFile("/home/dev/a.jsonl", "transcript", "a", "/home/dev", "x", None, 1, 1, 1, cwd=f"/home/dev/{TOKEN}")
    ((_, found),) = without_secrets([("other", Discovery((), (file,), ()))], Redactor(b"a key"))
    (named,) = found.files
    assert TOKEN not in str(named) and named.place == file.path
