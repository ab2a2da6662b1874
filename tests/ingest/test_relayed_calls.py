"""Older clients tell in the parent's file what a subagent does: where the subagent's own file is gone, that is kept."""

from __future__ import annotations

from axiommind.model import Citation
from tests.transcripts import PROJECT, Lines, World

CALLS = """
    select session_id, subagent, classified_name, is_error, output, canonical from tool_uses
    order by session_id, seq_order
"""
AGENT = "agent-a24095b"


def _subagent() -> Lines:
    """What the subagent's own file would hold."""
    own = Lines("s1", sidechain=True)
    own.prompt("Look at the parser, and mend it")
    own.tool("Bash", "sub-1", command="pytest -q")
    own.result("sub-1", "1 failed: test_parser", error=True)
    own.tool("Edit", "sub-2", file_path=f"{PROJECT}/parser.py", old_string="a", new_string="b")
    own.result("sub-2", "updated")
    own.answer("The parser reads it now.")
    for line in own.lines:
        line["uuid"] = f"own-{line['uuid']}"
    return own


def _parent(*, until: int | None = None) -> Lines:
    lines = Lines("s1")
    lines.prompt("please mend the parser")
    lines.tool("Read", "s1-read", file_path=f"{PROJECT}/parser.py")
    lines.result("s1-read", "def parse(): ...")
    lines.tool("Task", "s1-task", description="mend", prompt="Look at the parser, and mend it")
    for line in _subagent().lines[:until]:
        if line["type"] == "user" or any(block["type"] == "tool_use" for block in line["message"]["content"]):
            lines.relays("a24095b", line)
    if until is None:
        lines.result("s1-task", "The parser reads it now.")
        lines.tool("Bash", "s1-git", command="git status")
    return lines


def test_calls_that_only_the_parent_tells_of_are_kept(world: World) -> None:
    world.write(_parent())
    world.memory().index()
    assert world.rows("select subagent, classified_name, is_error, output from tool_uses order by seq_order") == [
        (None, "Read", 0, None),
        (None, "Task", 0, "The parser reads it now."),
        (AGENT, "Bash:test", 1, None),
        (AGENT, "Edit", 0, None),
        (None, "Bash:git", None, None),
    ]
    assert world.rows("select file_path from file_edits") == [(f"{PROJECT}/parser.py",)]
    assert world.one("select count(*) from prompts") == 1  # the task is nobody's prompt
    # A subagent's calls are not between those of its parent.
    assert world.rows("select from_tool, to_tool from tool_transitions order by 1, 2") == [
        ("Bash:test", "Edit"),
        ("Read", "Task"),
        ("Task", "Bash:git"),
    ]


def test_they_stand_at_their_lines_and_are_not_searched(world: World) -> None:
    path = world.write(_parent())
    memory = world.memory()
    memory.index()
    ((line, result_line),) = world.rows("select line, result_line from tool_uses where tool_use_id = 'sub-1'")
    shown = memory.passages.open(Citation(str(path), line, result_line)).lines
    assert "pytest -q" in shown[0] and "1 failed: test_parser" in shown[-1]
    assert world.one("select count(*) from passages where kind = 'tool'") == 3


def test_the_subagents_own_file_says_it_instead(world: World) -> None:
    """Whichever is read first, and whatever comes later: each call counts once, where it was made."""
    world.write(_parent(until=3))
    world.memory().index()
    assert world.one("select count(*) from tool_uses where subagent is not null") == 1
    world.write(_subagent(), AGENT, "-home-dev-weather/s1/subagents")
    world.memory().index()
    world.write(_parent())
    world.memory().index()
    grown = world.rows(CALLS)
    assert [(session, subagent, name) for session, subagent, name, *_ in grown] == [
        (AGENT, None, "Bash:test"),
        (AGENT, None, "Edit"),
        ("s1", None, "Read"),
        ("s1", None, "Task"),
        ("s1", None, "Bash:git"),
    ]
    assert all(canonical for *_, canonical in grown)
    assert world.rows("select id, tool_use_count, edit_count from sessions order by id") == [
        (AGENT, 2, 1),
        ("s1", 3, 0),
    ]
    world.memory().rebuild()
    assert world.rows(CALLS) == grown


def test_a_fork_that_repeats_them_counts_them_once(world: World) -> None:
    world.write(_parent())
    fork = Lines("s2")
    fork.lines = [{**line, "sessionId": "s2"} for line in _parent().lines]
    world.write(fork)
    world.memory().index()
    assert world.rows("select session_id, canonical from tool_uses where subagent is not null order by 1") == [
        ("s1", 1),
        ("s1", 1),
        ("s2", 0),
        ("s2", 0),
    ]


def test_what_is_repeated_in_every_line_is_not_kept(world: World) -> None:
    lines = _parent()
    for line in lines.lines:
        if line["type"] == "progress":
            line["data"]["prompt"] = "Look at the parser, and mend it. " * 100
            line["data"]["normalizedMessages"] = [{"text": "all messages so far " * 100}]
    world.write(lines)
    world.memory().index()
    kept = "\n".join(world.memory().passages.open(Citation(str(world.path()), 1, 99)).lines)
    assert "1 failed: test_parser" in kept
    assert "all messages so far" not in kept
    assert kept.count("Look at the parser, and mend it") == 1  # the call that started it


def test_a_forgotten_session_does_not_come_back_by_them(world: World) -> None:
    """A copy of the parent's file is known by the sessions that its lines speak of."""
    world.write(_parent())
    world.memory().index()
    world.memory().forget(session="s1")
    world.write(_parent(), "another")
    world.memory().index()
    assert world.one("select count(*) from tool_uses") == 0
