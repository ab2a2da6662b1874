"""`axm review`: conflicts and candidates by single keys; what was pressed can be taken back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from axiommind.memory import Scope
from tests.learning.sessions import Session, answered
from tests.screens import Screen
from tests.shell import axm
from tests.transcripts import AS_AGENT, World


@pytest.fixture
def world(tmp_path: Path) -> World:
    """An answer that a person vouches for, another one to the same question later, and things that were asked for."""
    world = World(tmp_path)
    world.write(answered("s1", "SQLite"))
    world.memory().index()
    world.memory().learning.run(extractor="rules")
    (entry,) = world.memory().entries.list(Scope(None), types=("decision",))
    world.memory().entries.promote(entry.entry.entry_id, "measured", "certified")
    world.write(answered("s3", "Postgres", at=5_000))
    lines = Session("s4")
    lines.prompt("Please name all tables in the singular from now on, that is how we do it here")
    lines.answer("I will name all tables in the singular.")
    lines.prompt("I want the errors of the parser shown in red instead of yellow")
    lines.answer("They are red now.")
    world.write(lines)
    memory = world.memory()
    memory.index()
    memory.learning.run(extractor="rules")
    return world


def review(world: World, keys: str, *words: str) -> str:
    done = axm(world, "review", *words, stdin=keys)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def stages(world: World) -> dict[str, tuple[str, str]]:
    rows = world.rows("select entry_id, stage, status from entries order by 1")
    return {name: (stage, status) for name, stage, status in rows}


def conflicts(world: World) -> list[str]:
    return [one["conflict_id"] for one in world.memory().conflicts.list(Scope(None))]


def test_a_conflict_is_settled_by_a_key_and_opened_again_by_another(world: World) -> None:
    assert len(conflicts(world)) == 1
    before = stages(world)
    shown = review(world, "1q", "--only", "conflicts")
    assert "SQLite" in shown and "Postgres" in shown and "1 older claims kept" in shown
    assert conflicts(world) == []
    assert review_nothing(world)
    world.memory().rebuild()
    assert conflicts(world) == [] and stages(world) != before


def review_nothing(world: World) -> bool:
    return axm(world, "review", "--only", "conflicts", stdin="").returncode == 1


def test_the_last_answer_is_taken_back(world: World) -> None:
    before = stages(world)
    waiting = json.loads(axm(world, "review", "--json", "--only", "candidates").stdout)
    assert waiting["candidates"], "there is something to look through"
    review(world, "yuq", "--only", "candidates")
    assert stages(world) == before
    review(world, "nuq", "--only", "candidates")
    assert stages(world) == before


def test_candidates_are_vouched_for_or_withdrawn(world: World) -> None:
    waiting = json.loads(axm(world, "review", "--json").stdout)["candidates"]
    first = waiting[0]["id"]
    assert "1 verified, 0 withdrawn" in review(world, "yq", "--only", "candidates")
    assert stages(world)[first] == ("verified", "active")
    left = [one["id"] for one in json.loads(axm(world, "review", "--json").stdout)["candidates"]]
    assert first not in left
    if left:
        assert "0 verified, 1 withdrawn" in review(world, "nq", "--only", "candidates")
        assert stages(world)[left[0]][1] == "deprecated"


def test_the_words_that_a_claim_rests_on_are_a_key_away(world: World) -> None:
    assert "axm open" in review(world, "oq", "--only", "candidates")
    shown = review(world, "oq", "--only", "conflicts")
    assert "older:" in shown and "«" in shown


def test_a_key_that_means_nothing_says_which_do(world: World) -> None:
    before = stages(world)
    assert review(world, "xq", "--only", "candidates").count("y it holds") == 2
    assert stages(world) == before


def test_an_agent_reviews_nothing_and_may_see_what_waits(world: World) -> None:
    before = stages(world)
    done = axm(world, "review", stdin="yyyy", **AS_AGENT)
    assert done.returncode == 1 and "a review is a person's" in done.stderr
    assert axm(world, "review", "--json", **AS_AGENT).returncode == 0
    assert stages(world) == before


def test_on_a_terminal_a_key_needs_no_enter(world: World) -> None:
    with Screen(world, "review", "--only", "candidates", rows=40) as screen:
        screen.shows("o open the words")
        screen.press("o")
        screen.shows("axm open")
        screen.press("y")
        screen.press("q")
        screen.shows("1 verified")
        assert screen.ended() == 0


def test_how_much_waits_is_said_first(world: World) -> None:
    (first, *_) = world.memory().entries.list(Scope(None), limit=1)
    axm(world, "entry", "deprecate", first.entry.entry_id, "--reason", "wrong", **AS_AGENT)
    said = axm(world, "review", stdin="q").stderr.split("\n")[0]
    assert said.startswith("To review: 1 proposal, 1 conflict") and "candidate" in said
