"""What Claude Code keeps beside its transcripts: every typed prompt in one file, and its own notes of a project."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from axiommind.memory import Scope
from tests.sources.agents import resumes
from tests.transcripts import PROJECT, START, Lines, World


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def typed(world: World, *prompts: tuple[str, str], project: str = PROJECT) -> None:
    """Add lines to the history: (session, what was typed)."""
    with (world.claude / "history.jsonl").open("a", encoding="utf-8") as file:
        for minute, (session, text) in enumerate(prompts):
            line = {"display": text, "pastedContents": {}, "timestamp": START + minute * 60_000, "project": project}
            file.write(json.dumps({**line, "sessionId": session}) + "\n")


def prompts(world: World, session: str = "s1") -> list[str]:
    return [row[0] for row in world.rows(f"select text from prompts where session_id = '{session}' order by id")]


def test_what_was_asked_in_a_session_that_is_gone(world: World) -> None:
    typed(world, ("gone", "move the parser to its own module"), ("gone", "and test it"), ("other", "hello there"))
    world.memory().index()
    assert prompts(world, "gone") == ["move the parser to its own module", "and test it"]
    assert world.rows("select project, title, agent from sessions where id = 'gone'") == [
        (PROJECT, "move the parser to its own module", "claude-code")
    ]
    assert set(resumes(world.memory()).values()) == {None}  # there is nothing to go on with


@pytest.mark.parametrize("first", ["history", "transcript"])
def test_a_prompt_that_the_transcript_has_counts_once(world: World, first: str) -> None:
    lines = Lines("s1")
    lines.prompt("please add a test")
    if first == "history":
        typed(world, ("s1", "please add a test"), ("s1", "a prompt that was lost"))
        world.memory().index()
        world.write(lines)
    else:
        world.write(lines)
        world.memory().index()
        typed(world, ("s1", "please add a test"), ("s1", "a prompt that was lost"))
    world.memory().index()
    assert sorted(prompts(world)) == ["a prompt that was lost", "please add a test"]
    if first == "transcript":
        assert resumes(world.memory()) == {"s1": "claude --resume s1"}
    assert world.memory().verify(deep=True) == []


def test_commands_are_commands(world: World) -> None:
    typed(world, ("s1", "/model opus"), ("s1", "!git status"), ("s1", "/home/me/x.py is wrong"))
    world.memory().index()
    assert world.rows("select kind, name, args from commands order by kind") == [
        ("bash", "!", "git status"),
        ("slash", "/model", "opus"),
    ]
    assert prompts(world) == ["/home/me/x.py is wrong"]


def test_only_sessions_with_something_new_are_read_again(world: World) -> None:
    typed(world, ("a", "one"), ("b", "two"))
    world.memory().index()
    assert world.memory().index().files_opened == 0
    typed(world, ("b", "three"))
    report = world.memory().index()
    assert (report.files_opened, report.updated) == (1, 1) and prompts(world, "b") == ["two", "three"]


def test_torn_and_foreign_lines_are_passed_over(world: World) -> None:
    typed(world, ("a", "one"))
    with (world.claude / "history.jsonl").open("ab") as file:
        file.write(b'{"display": "half\n[]\n{"display": 7, "sessionId": "a"}\n{"sessionId": "x#y", "display": "z"}\n')
    assert world.memory().index().problems == []
    assert prompts(world, "a") == ["one"] and world.one("select count(*) from sessions") == 1


def test_what_is_forgotten_stays_forgotten(world: World) -> None:
    typed(world, ("a", "a secret plan"), ("b", "two"))
    world.memory().index()
    world.memory().forget(session="a")
    world.memory().index()
    typed(world, ("a", "more of it"))
    world.memory().index()
    assert world.rows("select id from sessions") == [("b",)]


# --- its own notes -------------------------------------------------------------------------------------------


def note(world: World, text: str, folder: str = "-home-dev-weather") -> Path:
    file = world.projects / folder / "memory" / "MEMORY.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def test_its_notes_are_documents_of_their_project(world: World) -> None:
    lines = Lines("s1")
    lines.prompt("hello")
    world.write(lines)
    note(world, "# Weather\n\nThe barometer API wants hectopascals.\n")
    world.memory().index()
    assert world.rows("select project, title from documents") == [(PROJECT, "Weather")]
    (hit,) = world.memory().search("barometer hectopascals", Scope(PROJECT)).hits
    assert (hit.kind, hit.provenance) == ("doc", "agent")


def test_they_never_cross_into_another_project(world: World) -> None:
    for name, folder, cwd in (("s1", "-home-dev-weather", PROJECT), ("s2", "-home-dev-other", "/home/dev/other")):
        lines = Lines(name, cwd)
        lines.prompt("hello")
        world.write(lines, folder=folder)
    note(world, "# Weather\n\nThe barometer API wants hectopascals.\n")
    world.memory().index()
    assert world.memory().search("barometer hectopascals", Scope("/home/dev/other")).hits == ()


def test_taken_out_they_are_not_added_again(world: World) -> None:
    lines = Lines("s1")
    lines.prompt("hello")
    world.write(lines)
    file = note(world, "# Weather\n\nThe barometer API wants hectopascals.\n")
    world.memory().index()
    world.memory().documents.remove(file.parent)
    world.memory().index()
    assert world.rows("select count(*) from documents") == [(0,)]


def test_notes_of_a_project_that_nobody_knows_wait(world: World) -> None:
    note(world, "# Nowhere\n", folder="-home-dev-nowhere")
    world.memory().index()
    assert world.rows("select count(*) from documents") == [(0,)]
