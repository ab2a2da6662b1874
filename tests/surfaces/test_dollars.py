"""Dollars as a person meets them: in `usage`, `sessions`, SQL, `start` and `insight`, and nowhere when they are off."""

from __future__ import annotations

import json
from typing import Any

import pytest

from axiommind.memory import Memory, Scope
from axiommind.reports.perspectives import load
from tests.shell import axm
from tests.transcripts import Lines, World

MILLION = {"input_tokens": 1_000_000, "output_tokens": 1_000_000}
CALL = (
    "(model, timestamp, input_tokens, output_tokens, cache_creation_tokens, cache_read_tokens, cache_1h_tokens, "
    "service_tier)"
)


def answer(lines: Lines, model: str, text: str = "Done.", **usage: Any) -> None:
    line = lines.answer(text, usage=usage)
    line["message"]["model"] = model


@pytest.fixture
def priced(world: World) -> World:
    """A session of two models with a price, one of a model that nobody knows, and a fork of the first."""
    known = Lines("known")
    known.prompt("add a test")
    answer(known, "claude-opus-5-5", **MILLION)
    answer(known, "claude-haiku-4-5-20251001", **MILLION)
    answer(known, "<synthetic>", "API Error", output_tokens=0)
    world.write(known)
    mixed = Lines("mixed")
    mixed.prompt("try another model")
    answer(mixed, "claude-opus-5-5", **MILLION)
    answer(mixed, "my-own-model", **MILLION)
    world.write(mixed)
    fork = Lines("the-fork")
    fork.lines = [{**line, "sessionId": "the-fork", "forkedFrom": {"sessionId": "known"}} for line in known.lines]
    world.write(fork)
    world.memory().index()
    return world


def rows(memory: Memory, name: str, **given: Any) -> Any:
    asked = load(name)
    params = {param.name: param.default for param in (*asked.filters, *asked.params)}
    return memory.query(asked, params | given, Scope(None))


def test_usage_says_what_each_model_cost_and_names_those_without_a_price(priced: World) -> None:
    found = rows(priced.memory(), "usage", by="model")
    assert {row["model"]: row["dollars"] for row in found} == {
        "claude-opus-5-5": 48.0,
        "claude-haiku-4-5-20251001": 6.0,
        "my-own-model": None,
    }
    (note,) = found.notes
    assert "my-own-model" in note and "synthetic" not in note


def test_a_session_costs_what_it_paid_for(priced: World) -> None:
    """A copy was paid for once, and a sum with something unknown in it is unknown."""
    found = rows(priced.memory(), "sessions")
    assert {row["id"]: row["dollars"] for row in found} == {"known": 30.0, "mixed": None, "the-fork": None}
    assert "my-own-model" in found.notes[0]


def test_an_answer_is_priced_by_its_day_and_its_size(world: World) -> None:
    lines = Lines("s1")
    long = {"input_tokens": 300_000, "output_tokens": 0}
    for day in ("2026-03-12", "2026-03-13"):
        answer(lines, "claude-sonnet-4-6", **long)
        lines.lines[-1]["timestamp"] = f"{day}T12:00:00.000Z"
    world.write(lines)
    world.memory().index()
    found = rows(world.memory(), "usage", by="day")
    assert [(row["date"], row["dollars"]) for row in found] == [("2026-03-13", 0.9), ("2026-03-12", 1.8)]


def test_sql_can_ask_and_a_new_price_list_needs_no_rebuild(priced: World) -> None:
    memory = priced.memory()
    one = f"select model, dollars{CALL} as dollars from responses where session_id = 'mixed' order by 1"
    found = memory.sql(one, Scope(None))
    assert found == [("claude-opus-5-5", 24.0), ("my-own-model", None)] and "my-own-model" in found.notes[0]
    assert memory.sql(f"select sum_dollars{CALL} from responses where session_id = 'known'", Scope(None)) == [(30.0,)]
    assert memory.sql(f"select sum_dollars{CALL} from responses", Scope(None)) == [(None,)]
    assert memory.own_sql(f"select sum(dollars{CALL}) from responses where canonical", Scope(None)) == [(54.0,)]
    assert memory.sql("select dollars('claude-opus-5-5', 0, 1000000)", Scope(None)) == [(4.0,)]
    assert memory.sql("select count(*) from responses", Scope(None)).notes == ()


def without(world: World, *args: str) -> Any:
    done = axm(world, *args, AXM_DOLLARS="off")
    assert done.returncode == 0, done.stderr
    return done


def test_those_who_pay_by_subscription_see_no_dollars(priced: World) -> None:
    for name in ("usage", "sessions"):
        for form in ("json", "csv", "table"):
            done = without(priced, "query", "--all-projects", "--perspective", name, "--format", form)
            assert "dollar" not in done.stdout + done.stderr and "own-model" not in done.stderr
            nothing = without(priced, "query", "--perspective", name, "--format", form, "--since", "2030-01-01")
            assert "dollar" not in nothing.stdout
    done = without(priced, "query", "--all-projects", "--sql", "select dollars('claude-opus-5-5', 0, 1000000) as d")
    assert json.loads(done.stdout) == [{"d": None}] and "turned off" in done.stderr
    assert "$" not in without(priced, "start").stdout
    for form in ((), ("--json",)):
        assert "dollars" not in without(priced, "start", *form).stdout
        assert "dollars" not in without(priced, "insight", "--all-projects", *form).stdout


def test_words_go_to_stderr_and_rows_to_stdout(priced: World) -> None:
    done = axm(priced, "query", "--all-projects", "--perspective", "usage", "--by", "model")
    assert [row["dollars"] for row in json.loads(done.stdout)] == [48.0, 6.0, None]
    assert done.stderr.startswith("No price is known of my-own-model: ") and "genai-prices" in done.stderr


def test_the_overview_says_what_it_cost_and_what_is_not_in_it(priced: World) -> None:
    seen = priced.memory().overview(Scope(None))
    assert (seen.dollars, seen.unpriced) == (54.0, ("my-own-model",))
    done = axm(priced, "start")
    assert "$54.00 at list prices, without my-own-model (no price known)" in done.stdout


def test_insight_says_what_each_model_cost(priced: World) -> None:
    done = axm(priced, "insight", "--all-projects")
    assert done.returncode == 0
    assert "dollars, at list prices" in done.stdout and "no price known" in done.stdout and "48.00" in done.stdout
