"""A derived table and the raw rows it stands for tell the same, whatever the world looks like.

The derived tables are filled by the plain Python of `index_world` and by the product's own projection; the
raw path needs neither. All three must agree.
"""

from __future__ import annotations

import sqlite3
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from axiommind.projections import Batch, derived
from tests.examples import examples
from tests.reports.perspectives.index_world import (
    DAY,
    MINUTE,
    MONDAY,
    WEEK,
    World,
    Writer,
    ask,
    busy_world,
    store,
    week,
    without_gaps,
)
from tests.rows import rows

TOOLS = ["Read", "Edit", "Write", "Bash:git", "mcp__a_b"]
times = st.integers(0, 40).map(lambda n: MONDAY + n * 11 * 3_600_000)
files = st.sampled_from(["/a", "/b", "/c"])
events = st.lists(
    st.one_of(
        st.tuples(st.just("use"), st.sampled_from(TOOLS), times),
        st.tuples(st.just("use"), st.sampled_from(["Edit", "Write"]), times, files),
        st.tuples(st.just("prompt"), st.sampled_from(["fix it now", "고쳐줘 제발"]), times),
        st.tuples(st.just("answer"), st.just("opus"), times, st.integers(0, 9)),
    ),
    max_size=10,
)


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """One to four sessions; some begin with copies of the first."""
    writer = Writer()
    first = draw(events)
    writer.session("s0", first)
    for i in range(1, draw(st.integers(1, 4))):
        copied = draw(st.integers(0, len(first)))
        writer.session(f"s{i}", first[:copied] + draw(events), canonical_from=copied)
    return writer.world


# What makes a perspective read the raw rows although it leaves none of them out.
RAW = {
    "transitions": {"since": 1},
    "trends": {"until": MONDAY + 500 * DAY},
    "hotfiles": {"since": 1},
    "session-links": {"since": 1},
}


def all_rows(db: sqlite3.Connection, name: str, **given: Any) -> list[dict[str, Any]]:
    extra = {"min_overlap": 0.0} if name == "session-links" else {}
    return [
        {k: round(v, 9) if isinstance(v, float) else v for k, v in row.items()}
        for row in ask(db, name, top=-1, **extra, **given)
    ]


@rows("R0.43", "R0.68")
@given(worlds())
@settings(deadline=None, max_examples=examples(60))
def test_derived_equals_raw(world: World) -> None:
    db = store(world)
    for name, raw in RAW.items():
        assert all_rows(db, name) == all_rows(db, name, **raw), name


@rows("R0.42", "R0.43")
@given(worlds())
@settings(deadline=None, max_examples=examples(40))
def test_the_projection_fills_them_alike(world: World) -> None:
    db = store(world)
    expected = {name: all_rows(db, name) for name in RAW}
    db.execute("pragma query_only=off")
    for table in (table.name for table in derived.TABLES):
        db.execute(f"drop table {table}")
    derived.create(db)
    touched = Batch([], None, lambda _: None)  # type: ignore[arg-type]
    touched.sessions |= {s["id"] for s in world.sessions}
    touched.projects |= {s["project"] for s in world.sessions}
    derived.apply(db, touched)
    assert {name: all_rows(db, name) for name in RAW} == expected


@rows("R0.36")
@given(worlds())
@settings(deadline=None, max_examples=examples(60))
def test_probabilities_sum_to_one(world: World) -> None:
    db = store(world)
    for given_ in ({}, {"since": MONDAY + 4 * DAY}, {"session": "s0"}):
        sums: dict[str, float] = {}
        for row in ask(db, "transitions", **given_):
            sums[row["from_tool"]] = sums.get(row["from_tool"], 0) + row["probability"]
        assert all(total == pytest.approx(1) for total in sums.values())


@rows("R0.35")
@given(worlds(), st.sampled_from([None, "s0", "s1"]), st.none() | times, st.none() | times)
@settings(deadline=None, max_examples=examples(60))
def test_transitions_equal_the_definition(
    world: World, session: str | None, since: int | None, until: int | None
) -> None:
    expected: dict[tuple[str, str], int] = {}
    for second in world.tool_uses:
        if not (second["session_id"] == session if session else second["canonical"]):
            continue
        at = second["timestamp"]
        if (since is not None and at < since) or (until is not None and at >= until):
            continue
        for first in world.tool_uses:
            if (first["session_id"], first["seq_order"]) == (second["session_id"], second["seq_order"] - 1):
                if (since or until) and not first["timestamp"]:
                    continue
                if (since is not None and first["timestamp"] < since) or (until and first["timestamp"] >= until):
                    continue
                pair = first["classified_name"], second["classified_name"]
                expected[pair] = expected.get(pair, 0) + 1
    rows = ask(store(world), "transitions", session=session, since=since, until=until)
    assert {(row["from_tool"], row["to_tool"]): row["count"] for row in rows} == expected


@given(worlds(), times, times)
@settings(deadline=None, max_examples=examples(40))
def test_halves_of_time_add_up(world: World, one: int, other: int) -> None:
    """What happened before a moment and what happened from it on are together what happened."""
    db = store(world)
    middle = max(one, other)
    for name, key, number in (
        ("tool-frequency", "tool", "frequency"),
        ("hotfiles", "file_path", "edit_count"),
        ("usage", "model", "total_tokens"),
    ):
        sums: dict[str, int] = {}
        for window in ({"until": middle}, {"since": middle}):
            for row in ask(db, name, top=-1, **window):
                sums[row[key]] = sums.get(row[key], 0) + row[number]
        whole: dict[str, int] = {}
        for row in ask(db, name, top=-1):
            whole[row[key]] = whole.get(row[key], 0) + row[number]
        assert sums == whole


@rows("R0.39", "R0.40", "R0.41")
def test_the_busy_world_too() -> None:
    db = store(without_gaps(busy_world()))
    for name, raw in RAW.items():
        rows = all_rows(db, name)
        assert rows
        assert rows == all_rows(db, name, **raw), name


@rows("R0.38", "R0.44", "R0.55")
def test_weeks_start_on_monday_and_since_takes_whole_weeks() -> None:
    sunday = MONDAY + WEEK - MINUTE
    world = Writer().session("s", [("use", "Read", MONDAY), ("use", "Read", sunday), ("use", "Read", sunday + MINUTE)])
    db = store(world.world)
    assert [(r["week_start"], r["count"]) for r in ask(db, "trends")] == [
        ("2026-01-05", 2),
        ("2026-01-12", 1),
    ]
    assert [r["week_start"] for r in ask(db, "trends", since=MONDAY + 1)] == ["2026-01-12"]
    assert [r["count"] for r in ask(db, "trends", until=sunday)] == [1], "until cuts the last week"
    assert [r["count"] for r in ask(db, "trends", until=sunday + MINUTE)] == [2]
    assert week(sunday) == "2026-01-05"
