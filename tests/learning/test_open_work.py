"""Open work: what a session leaves, as it is found, taken back when the session goes on, and closed when it is done."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from bench import precision
from hypothesis import given, settings
from hypothesis import strategies as st

from axiommind.extraction.rules import declared
from tests.examples import examples
from tests.transcripts import Lines, World

TASKS = """
    select title, json_extract(current_json, '$.status'), json_extract(current_json, '$.seen_at'),
           (select group_concat(canonical_key) from entity_keys k where k.entity_id = e.entity_id)
    from entities e
    where entity_type = 'task'
    order by 1
"""
TODO = "/home/dev/weather/todos/pending/2026-01-02-cache-the-forecast.md"


def learn(world: World, *sessions: Lines) -> list[tuple[Any, ...]]:
    for lines in sessions:
        world.write(lines, lines.session)
    memory = world.memory()
    memory.index()
    memory.learning.run()
    return world.rows(TASKS)


def call(lines: Lines, name: str, result: str = "ok", **given: Any) -> None:
    use = f"{lines.session}-u{len(lines.lines)}"
    lines.tool(name, use, **given)
    lines.result(use, result)


def later(session: str, hours: float) -> Lines:
    """A session that begins so many hours after the first."""
    lines = Lines(session)
    for _ in range(int(hours * 60)):
        next(lines._clock)
    return lines


@pytest.mark.parametrize("name", ["open-files", "open-left", "open-offered", "open-unanswered"])
def test_precision_on_what_was_made_by_hand(name: str) -> None:
    score = (precision.dialogues() | precision.todo_files())[name]
    assert score.precision >= 0.85
    assert round(score.smoothed, 2) == declared()[name].precision
    assert precision.missed() == []


def test_a_prompt_that_nobody_answered_is_open_until_it_is(world: World) -> None:
    lines = Lines()
    lines.prompt("add the wind")
    lines.answer("The wind is in.")
    lines.prompt("the night icons are missing on the third day, please fix that")
    ((title, status, *_),) = learn(world, lines)
    assert (title, status) == ("the night icons are missing on the third day, please fix that", "pending")
    lines.answer("The icons of the third day are there now.")
    assert learn(world, lines) == []
    assert world.one("select count(*) from entries where status = 'withdrawn' and kind = 'open'") == 1


def test_what_an_answer_leaves_is_taken_back_and_comes_back(world: World) -> None:
    lines = Lines()
    lines.prompt("release it")
    lines.answer("The upload failed because the store token isn't configured yet.")
    left = learn(world, lines)
    assert [row[:2] for row in left] == [
        ("The upload failed because the store token isn't configured yet.", "pending"),
    ]
    lines.prompt("what does the token look like")
    lines.answer("It has forty characters.")
    assert learn(world, lines) == []
    lines.prompt("say again what is left")
    lines.answer("The upload failed because the store token isn't configured yet.")
    assert [row[:2] for row in learn(world, lines)] == [row[:2] for row in left]


def test_a_todo_file_is_a_task_under_its_own_name(world: World) -> None:
    first = Lines("s1")
    call(first, "Write", file_path=TODO, content="---\ntitle: Cache the forecast for an hour\n---\n")
    ((title, status, *_),) = learn(world, first)
    assert (title, status) == ("Cache the forecast for an hour", "pending")
    second = later("s2", 1)
    call(second, "Bash", "2026-01-02-cache-the-forecast.md", command="ls todos/pending/")
    ((title, status, seen, _),) = learn(world, second)
    assert (title, status) == ("Cache the forecast for an hour", "pending") and seen > 0
    third = later("s3", 2)
    call(third, "Bash", "", command="git mv todos/pending/2026-01-02-cache-the-forecast.md todos/done/")
    ((title, status, *_),) = learn(world, third)
    assert (title, status) == ("Cache the forecast for an hour", "done")
    detail = world.memory().tasks.show(world.one("select entity_id from entities where entity_type = 'task'"))
    assert [change.reason for change in detail.history if change.after == "in_progress"] == [
        "bridge: said to be done, and never to be begun"
    ]
    assert all(change.citation is not None for change in detail.history if change.what == "task_status_changed")


def commit(lines: Lines, subject: str) -> None:
    call(lines, "Bash", f"[main 1a2b3c4] {subject}\n 1 file changed", command=f"git commit -m '{subject}'")


def test_a_later_commit_closes_what_an_answer_left(world: World) -> None:
    first, second, third = Lines("s1"), later("s2", 1), later("s3", 2)
    first.prompt("run the tests")
    commit(first, "Fix the upload test on the mobile runner")  # before it was said to fail
    first.answer("The upload test is still failing on the mobile runner.")
    commit(second, "Track the upload test that is failing on the mobile runner")
    commit(second, "Fix the download test on the desktop")
    assert [row[1] for row in learn(world, first, second)] == ["pending"]
    commit(third, "fix(tests): upload test failing on the mobile runner")
    ((title, status, *_),) = learn(world, third)
    assert status == "done"
    detail = world.memory().tasks.show(world.one("select entity_id from entities where entity_type = 'task'"))
    last = detail.history[-1]
    assert (last.after, last.reason) == ("done", "finished by what was committed")
    assert last.citation is not None and "s3" in last.citation.text
    before = len(detail.history)
    learn(world)
    assert len(world.memory().tasks.show(detail.task.task_id).history) == before
    world.memory().forget(session="s3")
    assert [row[:2] for row in world.rows(TASKS)] == [(title, "pending")]


def test_a_commit_does_not_close_what_a_file_says_is_open(world: World) -> None:
    lines = Lines()
    call(lines, "Write", file_path=TODO, content="# Cache the forecast for an hour\n")
    commit(lines, "Cache the forecast for an hour")
    assert [row[1] for row in learn(world, lines)] == ["pending"]


def test_who_shared_a_task_that_is_taken_back_keeps_it(world: World) -> None:
    said = "The upload failed because the store token isn't configured yet."
    first, second = Lines("s1"), later("s2", 1)
    for lines in (first, second):
        lines.prompt("release it")
        lines.answer(said)
    assert len(learn(world, first, second)) == 1
    first.prompt("never mind that for today")
    first.answer("All right.")
    learn(world, first)
    assert [row[:2] for row in learn(world)] == [(said, "pending")]  # learned again, for its part of it


# --- in pieces, as at once -----------------------------------------------------------------------------------

LISTS = st.lists(
    st.tuples(st.sampled_from(("Parse the feed", "Show the wind")), st.sampled_from(("pending", "completed"))),
    max_size=2,
    unique_by=lambda item: item[0],
)
ASKED = st.sampled_from(("please show the humidity of the last week", "the map is empty at night, why is that"))
SAID = st.sampled_from(("Done.", "The map is not drawn yet.", "The upload test is still failing on the runner."))
COMMANDS = st.sampled_from(("ls todos/pending/", "mv todos/pending/2026-01-02-cache-the-forecast.md todos/done/"))
TURNS = st.one_of(
    st.tuples(st.just("prompt"), ASKED),
    st.tuples(st.just("answer"), SAID),
    st.tuples(st.just("list"), LISTS),
    st.tuples(st.just("write"), st.just(TODO)),
    st.tuples(st.just("run"), COMMANDS),
)


def say(lines: Lines, kind: str, what: Any) -> None:
    if kind == "prompt":
        lines.prompt(what)
    elif kind == "answer":
        lines.answer(what)
    elif kind == "list":
        call(lines, "TodoWrite", todos=[{"content": title, "status": status} for title, status in what])
    elif kind == "write":
        call(lines, "Write", file_path=what, content="# Cache the forecast for an hour\n")
    else:
        call(lines, "Bash", "2026-01-02-cache-the-forecast.md" if what.startswith("ls") else "", command=what)


@settings(max_examples=examples(25), deadline=None)
@given(st.lists(st.lists(TURNS, min_size=1, max_size=4), min_size=2, max_size=4))
def test_tasks_learned_in_pieces_are_those_learned_at_once(pieces: list[list[tuple[str, Any]]]) -> None:
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        often, once, lines = World(Path(one)), World(Path(two)), Lines()
        for turns in pieces:
            for turn in turns:
                say(lines, *turn)
            learned = learn(often, lines)
        assert learned == learn(once, lines)
        assert learn(often) == learned
