"""An export of another home is read as something that a stranger wrote, and is searched like what is ours."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from axiommind.errors import BadQuery, PersonOnly, UsageError
from axiommind.exports import taking_in
from axiommind.log.foreign import ForeignRefused
from tests.shell import axm
from tests.transcripts import AS_AGENT, Lines, World, session


@pytest.fixture
def laptop(tmp_path: Path) -> World:
    world = World(tmp_path / "laptop")
    said = Lines("on-the-laptop")
    said.prompt("always run the linter with --strict, please")
    said.answer("The turquoise migration is done: 테스트 passed.")
    world.write(said)
    world.write(session("another"))
    memory = world.memory()
    memory.index()
    memory.learning.run()
    return world


@pytest.fixture
def export(laptop: World, tmp_path: Path) -> Path:
    return laptop.memory().exports.make("jsonl", tmp_path / "export").path


@pytest.fixture
def desk(tmp_path: Path) -> World:
    world = World(tmp_path / "desk")
    world.write(session("at-the-desk"))
    world.memory().index()
    return world


def test_sessions_of_another_machine_are_searched_here(laptop: World, desk: World, export: Path) -> None:
    done = desk.memory().exports.take_in(export, "laptop")
    assert done.sessions == ("another", "on-the-laptop") and done.relation == "own"
    found = desk.rows("select id, project from sessions")
    assert ("on-the-laptop", "laptop:/home/dev/weather") in found and len(found) == 3
    said = json.loads(axm(desk, "search", "turquoise migration", "--all-projects", "--json").stdout)
    assert "on-the-laptop" in json.dumps(said["hits"][0])
    assert desk.memory().verify() == []
    texts = "select text from prompts where session_id = 'on-the-laptop'"
    assert desk.rows(texts) == laptop.rows(texts)
    entries = "select entry_id, title, stage from entries where session_id = 'on-the-laptop' order by entry_id"
    assert desk.rows(entries) == laptop.rows(entries) != []


def test_twice_is_once_and_again_brings_what_is_new(laptop: World, desk: World, export: Path) -> None:
    first = desk.memory().exports.take_in(export, "laptop")
    again = desk.memory().exports.take_in(export)
    assert (again.appended, again.known) == (0, first.appended)
    laptop.write(session("the-newest"))
    laptop.memory().index()
    laptop.memory().exports.make("jsonl", export)
    later = desk.memory().exports.take_in(export)
    assert later.appended > 0 and later.known == first.appended
    assert desk.one("select count(*) from sessions") == 4


def test_a_run_that_was_stopped_goes_on(
    laptop: World, desk: World, export: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(taking_in, "_BATCH_EVENTS", 2)
    append, calls = taking_in.append_foreign, 0

    def stops(*given: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise KeyboardInterrupt
        return append(*given)

    with monkeypatch.context() as patch:
        patch.setattr(taking_in, "append_foreign", stops)
        with pytest.raises(KeyboardInterrupt):
            desk.memory().exports.take_in(export, "laptop")
    done = desk.memory().exports.take_in(export)
    assert done.known == 4 and done.appended > 0
    whole = World(desk.base / "whole")
    whole.memory().exports.take_in(export, "laptop")
    rows = "select id, project, prompt_count, tool_use_count from sessions where project like 'laptop:%' order by id"
    assert desk.rows(rows) == whole.rows(rows) != []
    assert desk.memory().verify() == []


def test_a_dry_run_changes_nothing(desk: World, export: Path) -> None:
    before = desk.memory().exports.make("jsonl", desk.base / "before").position
    said = axm(desk, "import", str(export), "--as", "laptop", "--dry-run")
    assert said.returncode == 0 and "Would import from laptop" in said.stderr and "2 sessions" in said.stderr
    assert desk.memory().exports.make("jsonl", desk.base / "before").position == before


def test_what_somebody_else_says_is_never_taken_for_ours(desk: World, export: Path) -> None:
    done = desk.memory().exports.take_in(export, "kim@laptop")
    assert done.relation == "teammate" and done.sessions == ("another@kim", "on-the-laptop@kim")
    stages = {stage for (stage,) in desk.rows("select stage from entries where session_id = 'on-the-laptop@kim'")}
    assert stages and stages <= {"raw", "candidate"}
    assert desk.rows("select distinct project from sessions where id like '%@kim'") == [
        ("kim@laptop:/home/dev/weather",)
    ]


def test_what_was_forgotten_there_stays_there_and_goes_here(laptop: World, desk: World, export: Path) -> None:
    desk.memory().exports.take_in(export, "laptop")
    assert desk.one("select count(*) from sessions where id = 'on-the-laptop'") == 1
    laptop.memory().forget(session="on-the-laptop")
    laptop.memory().exports.make("jsonl", export)
    desk.memory().exports.take_in(export)
    assert desk.one("select count(*) from sessions where id = 'on-the-laptop'") == 0
    fresh = World(desk.base / "fresh")
    assert fresh.memory().exports.take_in(export, "laptop").sessions == ("another",)


def test_a_project_that_was_imported_can_be_taken_out_again(desk: World, export: Path) -> None:
    desk.memory().exports.take_in(export, "laptop")
    assert axm(desk, "forget", "--session", "another", "--yes").returncode == 0
    assert desk.rows("select id from sessions order by id") == [("at-the-desk",), ("on-the-laptop",)]
    said = axm(desk, "forget", "--project", "laptop:/home/dev/weather", "--yes")
    assert said.returncode == 0, said.stderr
    assert desk.memory().verify() == []
    assert desk.rows("select id from sessions") == [("at-the-desk",)]
    assert desk.memory().exports.take_in(export).appended == 0


def test_only_a_person_imports_and_only_what_is_another_home(laptop: World, desk: World, export: Path) -> None:
    assert axm(desk, "import", str(export), "--as", "laptop", **AS_AGENT).returncode == 1
    with pytest.raises(PersonOnly):
        from axiommind.callers import AGENT

        desk.memory().exports.take_in(export, "laptop", caller=AGENT)
    with pytest.raises(UsageError, match="whose home"):
        desk.memory().exports.take_in(export)
    with pytest.raises(UsageError, match="no name"):
        desk.memory().exports.take_in(export, "kim@")
    with pytest.raises(UsageError, match="of this home"):
        laptop.memory().exports.take_in(export, "laptop")
    with pytest.raises(UsageError, match="no export"):
        desk.memory().exports.take_in(desk.base / "nothing", "laptop")
    bare = laptop.memory().exports.make("jsonl", desk.base / "bare", blobs=False).path
    with pytest.raises(UsageError, match="no texts"):
        desk.memory().exports.take_in(bare, "laptop")
    desk.memory().exports.take_in(export, "laptop")
    with pytest.raises(UsageError, match="known here as laptop"):
        desk.memory().exports.take_in(export, "kim@laptop")


def _line(change: Callable[[dict[str, Any]], Any]) -> Callable[[bytes], bytes]:
    def changed(line: bytes) -> bytes:
        said = json.loads(line)
        change(said)
        return json.dumps(said).encode() + b"\n"

    return changed


HOSTILE = {
    "no JSON": lambda line: b"{torn\n",
    "no object": lambda line: b"[1]\n",
    "NaN": _line(lambda e: e["payload"].update(n=float("nan"))),
    "too deep": lambda line: b'{"position":1,"payload":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n",
    "another payload": _line(lambda e: e["payload"].update(generation=7)),
    "another checksum": _line(lambda e: e.update(checksum="0" * 64)),
    "a position again": _line(lambda e: e.update(position=0)),
    "no position": _line(lambda e: e.update(position="1")),
    "a field more": _line(lambda e: e.update(more=1)),
    "a field less": _line(lambda e: e.pop("actor")),
    "a time of another kind": _line(lambda e: e.update(ts="soon")),
    "a name too long": _line(lambda e: e.update(session_id="s" * 300)),
}


@pytest.mark.parametrize("attack", HOSTILE)
def test_a_line_that_is_not_what_it_has_to_be_ends_it(attack: str, desk: World, export: Path) -> None:
    (file,) = (export / "events").glob("*.jsonl")
    lines = file.read_bytes().splitlines(keepends=True)
    place = next(n for n, line in enumerate(lines) if json.loads(line)["event_type"] == "transcript_segment")
    file.write_bytes(b"".join([*lines[:place], HOSTILE[attack](lines[place]), *lines[place + 1 :]]))
    with pytest.raises(BadQuery) as refused:
        desk.memory().exports.take_in(export, "laptop")
    assert f"line {place + 1}" in refused.value.message
    assert desk.rows("select id from sessions") == [("at-the-desk",)] and desk.memory().verify() == []


def test_a_line_without_end_is_not_read_to_its_end(desk: World, export: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(taking_in, "_LONGEST_EVENT", 50_000)
    (file,) = (export / "events").glob("*.jsonl")
    file.write_bytes(b'{"position": 1, "payload": "' + b"x" * 1_000_000)
    with pytest.raises(ForeignRefused, match="longer than 50000"):
        desk.memory().exports.take_in(export, "laptop")


def test_a_text_that_is_not_what_its_name_says_is_left_out(desk: World, export: Path) -> None:
    (file,) = (export / "blobs").glob("*.jsonl")
    file.write_bytes(file.read_bytes().replace(b"turquoise", b"vermilion"))
    done = desk.memory().exports.take_in(export, "laptop")
    assert done.texts_quarantined == 1
    assert "vermilion" not in axm(desk, "search", "vermilion", "--all-projects").stdout
    assert all("its quote is not" in what for _, what in desk.memory().verify())  # of entries that quoted it


def test_a_manifest_names_no_file_of_another_place(desk: World, export: Path, tmp_path: Path) -> None:
    manifest = json.loads((export / "manifest.json").read_text())
    outside = tmp_path / "outside"
    shutil.copytree(export / "events", outside)
    for part in manifest["parts"]:
        if part["table"] == "events":
            part["table"] = "../outside"
    (export / "manifest.json").write_text(json.dumps(manifest))
    said = axm(desk, "import", str(export), "--as", "laptop")
    assert said.returncode == 3 and "no name of ours" in said.stderr


def test_the_words_of_the_command(desk: World, export: Path) -> None:
    said = axm(desk, "import", str(export), "--as", "laptop")
    assert said.returncode == 0 and said.stdout == "another\non-the-laptop\n"
    assert "Imported from laptop" in said.stderr
    again = axm(desk, "import", str(export), "--json")
    assert json.loads(again.stdout)["appended"] == 0 and "Here already" in again.stderr
