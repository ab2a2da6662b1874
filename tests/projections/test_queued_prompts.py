"""Prompts typed while the agent was at work: those that no other line repeats, however the session arrives."""

from __future__ import annotations

from typing import Any

import pytest

from axiommind.memory import Scope
from axiommind.projections import transcript
from tests.transcripts import Lines, World, encode


class Busy(Lines):
    """A session whose person types while the agent works."""

    def queue(self, operation: str, content: str | None = None, at: float | None = None) -> None:
        line = self.add("queue-operation", at, operation=operation, content=content)
        for name in ("uuid", "cwd", "isSidechain", "version", "gitBranch"):
            line.pop(name, None)

    def attached(self, text: str) -> None:
        self.add("attachment", attachment={"type": "queued_command", "prompt": text, "humanTurn": True})


def busy() -> Busy:
    lines = Busy("s1")
    lines.queue("enqueue", "start with the parser")
    lines.queue("dequeue")
    lines.prompt("start with the parser")
    lines.queue("enqueue", "don't open a pull request")
    lines.queue("remove")
    lines.answer("Working on it.")
    lines.queue("enqueue", "also run the tests")
    lines.queue("enqueue", "and then lint")
    lines.queue("enqueue", '{"task_id":"b1","description":"Run tests"}')
    lines.queue("enqueue", "<task-notification>\n<task-id>b1</task-id>\n</task-notification>\nRead the output.")
    lines.queue("enqueue", "/compact keep the plan")
    lines.queue("enqueue", "/clear")
    lines.prompt("also run the tests\nand then lint")
    lines.prompt("<command-name>/clear</command-name><command-args></command-args>")
    lines.queue("enqueue", "forget what I said")
    lines.queue("popAll", "forget what I said")
    lines.queue("enqueue", "forget what I said, really")
    lines.queue("enqueue", "use the old fixture")
    lines.attached("use the old fixture")
    lines.queue("enqueue", "/tmp/x is the folder")
    return lines


PROMPTS = [
    ("start with the parser", "unstamped"),
    ("don't open a pull request", "queued"),
    ("also run the tests\nand then lint", "unstamped"),
    ("forget what I said, really", "queued"),
    ("use the old fixture", "queued"),
    ("/tmp/x is the folder", "queued"),
]
COMMANDS = [("/compact", "keep the plan"), ("/clear", "")]


def state(world: World) -> tuple[Any, ...]:
    prompts = world.rows("select text, origin from prompts order by line")
    commands = world.rows("select name, args from commands order by line")
    passages = world.rows(
        "select t.text from passage_texts t join passages p using (id) join prompts r on r.id = p.ref "
        "where t.kind = 'prompt' order by r.line"
    )
    memory = world.memory()
    with memory.home.reading(Scope(None), None) as db, memory.home.read_log() as (log, _):
        read = transcript.read(db, log.blob, "s1")
    assert read is not None
    said = [(m.line, m.text.strip()) for m in read.messages if m.role == "person"]
    assert {m.role for m in read.messages} <= {"person", "assistant"}
    counted = world.one("select prompt_count from sessions")
    return prompts, commands, passages, said, counted


def test_what_no_line_repeats_is_a_prompt(world: World) -> None:
    world.write(busy())
    world.memory().index()
    prompts, commands, passages, said, counted = state(world)
    assert prompts == PROMPTS
    assert commands == COMMANDS
    assert [text for (text,) in passages] == [text for _, text in said] == [text for text, _ in PROMPTS]
    assert counted == len(PROMPTS)


def test_in_pieces_as_at_once(tmp_path: Any) -> None:
    lines = busy().lines
    whole = World(tmp_path / "whole")
    whole.write(busy())
    whole.memory().index()
    expected = state(whole)
    for cut in range(1, len(lines)):
        world = World(tmp_path / str(cut))
        world.append(b"".join(map(encode, lines[:cut])))
        world.memory().index()
        world.append(b"".join(map(encode, lines[cut:])))
        world.memory().index()
        assert state(world) == expected, cut
        assert world.memory().verify() == [], cut


def test_line_by_line(world: World) -> None:
    for line in busy().lines:
        world.append(encode(line))
        world.memory().index()
    assert world.rows("select text, origin from prompts order by line") == PROMPTS
    assert world.rows("select name, args from commands order by line") == COMMANDS


def test_a_queued_prompt_is_found_and_cited_where_it_stands(world: World) -> None:
    path = world.write(busy())
    world.memory().index()
    hit = world.memory().search("open pull request", Scope(None)).hits[0]
    assert (hit.citation.path, hit.citation.line_start) == (str(path), 4)


def test_a_file_that_was_copied_says_nothing_twice(world: World) -> None:
    world.write(busy())
    world.memory().index()
    more = busy()
    more.queue("enqueue", "one more thing")
    world.write(more, folder="-home-dev-elsewhere")
    world.memory().index()
    assert world.rows("select text, origin from prompts order by line") == [*PROMPTS, ("one more thing", "queued")]


def test_a_placeholder_stands_for_what_was_pasted(world: World) -> None:
    lines = Busy("s1")
    lines.queue("enqueue", "why does this fail? [Pasted text #1 +3 lines] look at the end")
    lines.prompt("why does this fail? a\nb\nc look at the end")
    world.write(lines)
    world.memory().index()
    assert world.one("select count(*) from prompts") == 1


@pytest.mark.parametrize("pieces", [False, True])
def test_what_a_program_queued_is_no_prompt(world: World, pieces: bool) -> None:
    lines = Busy("s1")
    lines.prompt("watch the build")
    lines.queue("enqueue", "check the build again")
    lines.queue("enqueue", "look at the log")
    world.append(lines.data())
    if pieces:
        world.memory().index()
    before = len(lines.lines)
    lines.prompt("check the build again", origin={"kind": "schedule"}, promptSource="system")
    lines.prompt("look at the log", isMeta=True)
    world.append(b"".join(map(encode, lines.lines[before:])))
    world.memory().index()
    assert world.rows("select text from prompts") == [("watch the build",)]
    assert world.memory().verify() == []


@pytest.mark.parametrize("origin", [{}, {"origin": {"kind": "human"}}])
def test_a_message_of_a_teammate_is_no_prompt(world: World, origin: dict[str, Any]) -> None:
    lines = Busy("s1")
    lines.prompt('<teammate-message teammate_id="tester">\nall green\n</teammate-message>', **origin)
    lines.queue("enqueue", '<teammate-message teammate_id="tester">again</teammate-message>')
    lines.prompt("go on")
    world.write(lines)
    world.memory().index()
    assert world.rows("select text from prompts") == [("go on",)]
