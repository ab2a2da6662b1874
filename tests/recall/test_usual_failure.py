"""What a prompt is told that only orders what every project orders: how that usually fails here, and nothing else."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest

from axiommind.ids import short_id
from axiommind.memory import Scope
from axiommind.projections.passages import KIND_BITS, KINDS
from axiommind.recall.recall import Recalled, Silence
from axiommind.recall.usual_failure import orders_in
from axiommind.surfaces import hooks
from axiommind.surfaces.render.recall import as_text
from tests.learning.sessions import Session
from tests.recall.packets import learned
from tests.transcripts import PROJECT, World, stamp

HOOK = "Exit code 1\nerror: the signing key of 'rosa' cannot be read"
COMMIT, PLAIN = "git add -A && git commit -m 'Rates'", "git commit --no-gpg-sign -m 'Rates'"
SAID = "failed in {} of the last {} sessions that ran it: error: the signing key of 'rosa' cannot be read."


def runs(number: int, *steps: tuple[str, str, bool]) -> Session:
    """A session of commands, one after the other: (command, what came back, whether it failed)."""
    lines = Session(f"s{number}")
    lines.prompt("round the rates half up")
    for command, answer, failed in steps:
        lines.use("Bash", answer, failed, command=command)
    for at, line in enumerate(lines.lines):
        line["timestamp"] = stamp(1_440 * number + at)
    return lines


def failing(number: int) -> Session:
    return runs(number, (COMMIT, HOOK, True), (PLAIN, "1 file changed", False))


def working(number: int) -> Session:
    return runs(number, (COMMIT, "1 file changed", False))


def told(world: World, prompt: str, *, session: str | None = None, skip: frozenset[str] = frozenset()) -> str:
    found = world.memory().recall.answer(prompt, Scope(PROJECT), session=session, skip=skip)
    return "" if isinstance(found, Silence) else as_text(found, 1_000)


@pytest.mark.parametrize("prompt", ["commit", "commit and push please", "커밋해줘", "コミットして", "提交吧"])
def test_an_order_that_usually_fails_is_told_how_and_what_helped(world: World, prompt: str) -> None:
    learned(world, *map(failing, (1, 2, 3)))
    text = told(world, prompt)
    assert f"`git commit` {SAID.format(3, 3)} Worked with `--no-gpg-sign`" in text
    assert "(tool output)" in text


@pytest.mark.parametrize(
    "sessions",
    [
        [failing(1), failing(2)],  # twice is no habit
        [failing(1), failing(2), failing(3), working(4)],  # it works again
        [failing(1), failing(2), working(3), working(4), working(5), failing(6)],  # mostly it works
        [runs(n, (COMMIT, f"error: cannot lock ref 'refs/heads/{word}'", True)) for n, word in
         enumerate(("Amsel", "Drossel", "Fink"), 1)],  # another failure each time, which nobody explained
    ],
    ids=["twice", "mended", "seldom", "others"],
)  # fmt: skip
def test_what_mostly_works_is_not_spoken_of(world: World, sessions: list[Session]) -> None:
    learned(world, *sessions)
    assert told(world, "commit") == ""


def test_it_is_told_once_and_not_of_the_session_itself(world: World) -> None:
    learned(world, *map(failing, (1, 2, 3)))
    found = world.memory().recall.answer_order("commit", PROJECT, session="new")
    assert isinstance(found, Recalled) and found.project == PROJECT
    given = frozenset(item.id for item in found.disclosed.matches)
    assert told(world, "commit", session="new", skip=given) == ""
    assert told(world, "commit", session="s3") == ""  # without its own there are two
    assert told(world, "push") == told(world, "yes") == ""


def test_a_check_that_cannot_be_run_is_spoken_of_and_one_that_complains_is_not(world: World) -> None:
    missing = "error: unrecognized subcommand 'bun'"
    learned(world, *(runs(n, ("rtk bun test", missing, True), ("bun test", "12 pass", False)) for n in (1, 2, 3)))
    assert "`test` failed in 3 of the last 3 sessions" in told(world, "run the tests")
    assert told(world, "run the linter") == ""


def test_the_setting_that_silences_prompts_silences_this(world: World) -> None:
    learned(world, *map(failing, (1, 2, 3)))
    world.home.joinpath("config.toml").write_text("retrieval.promptChance = 1.1\n")
    assert told(world, "commit") == ""


def test_the_hook_says_it(world: World) -> None:
    learned(world, *map(failing, (1, 2, 3)))
    given = {"session_id": "new", "cwd": PROJECT, "hook_event_name": "UserPromptSubmit", "prompt": "commit"}
    assert SAID.format(3, 3) in hooks.answer("UserPromptSubmit", json.dumps(given).encode(), world.environ).text


@pytest.mark.parametrize("prompt", ["yes", "commitment", "the tests of the pusher", "c" * 5_000 + " commit"])
def test_what_orders_nothing(prompt: str) -> None:
    assert orders_in(prompt) == ()


def test_a_damaged_full_text_index_is_no_error(world: World) -> None:
    learned(world, *map(failing, (1, 2, 3)))
    with closing(sqlite3.connect(world.home / "index.db")) as db, db:
        db.execute("update passages_fts_data set block = x'00ff00ff' where id > 10")
    assert told(world, "commit") == ""


def test_how_often_it_failed_is_said_whatever_of_it_was_told_before(world: World) -> None:
    other = runs(3, (COMMIT, HOOK, True), ("git commit --signoff -m 'Rates'", "1 file changed", False))
    learned(world, failing(1), failing(2), other)
    both = told(world, "commit")
    assert SAID.format(3, 3) in both and "--signoff" in both and "--no-gpg-sign" in both
    kinds = {"tool": "tool_uses where not is_error and", "prompt": "prompts where", "response": "responses where"}
    rows = {kind: world.rows(f"select id from {table} session_id = 's3'") for kind, table in kinds.items()}
    given = frozenset(short_id(row << KIND_BITS | KINDS[kind]) for kind, found in rows.items() for (row,) in found)
    left = told(world, "commit", session="new", skip=given)
    assert SAID.format(3, 3) in left and "--signoff" not in left
