"""What every perspective in the folder promises, whatever it is about."""

from __future__ import annotations

import itertools
import json
import sqlite3
from typing import Any

import pytest

from axiommind.errors import BadQuery
from axiommind.reports.perspectives import COMMON, load, names
from tests.reports.perspectives.index_world import DAY, MONDAY, PROJECT, World, ask, busy_world, store
from tests.rows import rows

WORLD = busy_world()
SESSIONS = [s["id"] for s in WORLD.sessions]
FORK, ORIGIN = SESSIONS[4], SESSIONS[0]

# What a row counts: the number that no filter may raise. Averages and shares are not counts; clusters,
# sequences and the two perspectives with kinds regroup what is left, so a group of the rest may be new.
COUNTED = {
    "hotfiles": ("file_path", "edit_count"),
    "tool-frequency": ("tool", "frequency"),
    "usage": ("date", "total_tokens"),
    "transitions": ("from_tool", "count"),
    "trends": ("week_start", "count"),
    "prompts": ("session_id", "char_count"),
    "sessions": ("id", "tool_uses"),
    "session-links": ("session_a", "shared_files"),
}
PER_KIND = ("dependency-graph", "repetition")
HOSTILE = [
    "'; drop table sessions; --",
    "' or '1'='1",
    '" OR 1=1 --',
    "%' union select 1,2,3 --",
    ":session",
    "\\",
    "_",
    "NEAR(a b)",
    "*",
    "\x00",
    "\udcff%",
    "\udcff",
    "x" * 5000,
    "",
]


@pytest.fixture(scope="module")
def db() -> sqlite3.Connection:
    return store(WORLD)


every = pytest.mark.parametrize("name", names())


@every
def test_it_is_described(name: str) -> None:
    perspective = load(name)
    assert perspective.name == name
    assert perspective.summary
    assert len(set(perspective.columns)) == len(perspective.columns)
    assert [p.name for p in perspective.filters] == [p.name for p in COMMON]
    assert not {p.name for p in perspective.params} & {p.name for p in COMMON}
    assert all(p.help for p in (*perspective.filters, *perspective.params))
    if perspective.plot:
        used = {perspective.plot.x, perspective.plot.y, perspective.plot.color, perspective.plot.size} - {None}
        assert used <= set(perspective.columns)


@rows("R0.64")
@every
def test_an_empty_index_gives_no_rows(name: str) -> None:
    assert ask(store(World()), name) == []


@every
def test_rows_have_the_columns_and_can_be_written_as_json(db: sqlite3.Connection, name: str) -> None:
    rows = ask(db, name, top=-1)
    assert rows
    for row in rows:
        assert tuple(row) == load(name).columns
        json.dumps(row, allow_nan=False)


@every
def test_the_same_question_has_the_same_answer(name: str) -> None:
    assert ask(store(WORLD), name, top=-1) == ask(store(WORLD), name, top=-1)


@rows("R0.66")
@every
def test_top(db: sqlite3.Connection, name: str) -> None:
    rows = ask(db, name, top=-1)
    assert ask(db, name, top=0) == []
    assert ask(db, name, top=10**30) == rows
    for n in (1, 2, 5):
        few = ask(db, name, top=n)
        if name in PER_KIND:
            assert len(few) == min(n, len(rows)) and all(row in rows for row in few)
            kinds = dict.fromkeys(row["kind"] for row in rows)
            firsts = [next(row for row in rows if row["kind"] == kind) for kind in kinds]
            assert all(row in few for row in firsts[:n]), "the kinds take turns"
        else:
            assert few == rows[:n]
    default = next(p.default for p in load(name).filters if p.name == "top")
    assert ask(db, name) == ask(db, name, top=default)


@rows("R0.66")
@every
def test_min_count_is_the_least_and_its_default_is_told(db: sqlite3.Connection, name: str) -> None:
    default = next(p.default for p in load(name).filters if p.name == "min_count")
    assert ask(db, name, top=-1) == ask(db, name, top=-1, min_count=default)
    assert ask(db, name, top=-1, min_count=10**30) == []
    many = ask(db, name, top=-1, min_count=default)
    sizes = set()
    for least in (4, 8, 16, 26):
        few = ask(db, name, top=-1, min_count=least)
        assert [row for row in many if row in few] == few
        sizes.add(len(few))
    assert min(sizes) < len(many)


@every
def test_a_window_before_all_time_is_empty(db: sqlite3.Connection, name: str) -> None:
    assert ask(db, name, until=MONDAY - DAY, top=-1) == []
    assert ask(db, name, since=MONDAY + 999 * DAY, top=-1) == []
    assert ask(db, name, since=-(10**30), until=10**30, top=-1), "numbers that SQLite cannot bind"


@rows("R0.66", "R0.68")
@every
def test_since_and_until_take_effect(db: sqlite3.Connection, name: str) -> None:
    everything = ask(db, name, top=-1, min_count=1)
    assert ask(db, name, since=MONDAY + 21 * DAY, top=-1, min_count=1) != everything
    assert ask(db, name, until=MONDAY + 21 * DAY, top=-1, min_count=1) != everything


@rows("R0.66", "R0.68")
@every
def test_tool_takes_effect(db: sqlite3.Connection, name: str) -> None:
    everything = ask(db, name, top=-1, min_count=1)
    some = ask(db, name, tool="Write", top=-1, min_count=1)
    if name != "sessions":  # there every session used it
        assert some != everything
    assert ask(db, name, tool="NoSuchTool", top=-1, min_count=0) == []
    assert ask(db, name, tool="NoSuch%", top=-1, min_count=0) == []


@every
def test_a_tool_name_is_exact_and_a_pattern_ignores_case(db: sqlite3.Connection, name: str) -> None:
    assert ask(db, name, tool="write", top=-1) == []
    assert ask(db, name, tool="WRIT%", top=-1) == ask(db, name, tool="Write", top=-1)
    assert ask(db, name, tool="bash_g%", top=-1) == ask(db, name, tool="Bash_git", top=-1), "_ is no wildcard"
    assert ask(db, name, tool="Bas_:git", top=-1) == []


@rows("R0.66")
@every
def test_session_takes_an_id_or_its_beginning(db: sqlite3.Connection, name: str) -> None:
    rows = ask(db, name, session=FORK, top=-1, min_count=1)
    assert rows == ask(db, name, session=FORK[:4], top=-1, min_count=1)
    assert rows != ask(db, name, top=-1, min_count=1)
    assert ask(db, name, session="no such", top=-1) == []


@every
def test_a_session_id_may_begin_another(name: str) -> None:
    world = busy_world()
    short = SESSIONS[1][:3]
    for table in (world.prompts, world.responses, world.tool_uses, world.file_edits):
        for row in table:
            row["session_id"] = short if row["session_id"] == SESSIONS[0] else row["session_id"]
    world.sessions[0]["id"] = short
    both = store(world)
    found = ask(both, name, session=short, top=-1, min_count=1)
    if name != "session-links":
        assert found == ask(store(world.only(short)), name, session=short, top=-1, min_count=1)
    with pytest.raises(BadQuery, match="more than one"):
        ask(both, name, session=short[:1], top=-1)


@pytest.mark.parametrize("session", SESSIONS)
@pytest.mark.parametrize("name", [n for n in names() if n != "session-links"])
def test_one_session_reads_as_if_it_were_alone(db: sqlite3.Connection, name: str, session: str) -> None:
    alone = store(WORLD.only(session))
    assert ask(db, name, session=session, top=-1, min_count=1) == ask(alone, name, top=-1, min_count=1)
    bounds = {"since": MONDAY + DAY, "until": MONDAY + 40 * DAY, "tool": "Edit"}
    assert ask(db, name, session=session, top=-1, **bounds) == ask(alone, name, top=-1, **bounds)


def test_links_of_one_session_are_those_that_name_it(db: sqlite3.Connection) -> None:
    links = ask(db, "session-links", top=-1, min_overlap=0.0)
    mine = [row for row in links if FORK in (row["session_a"], row["session_b"])]
    assert mine
    assert ask(db, "session-links", session=FORK, top=-1, min_overlap=0.0) == mine
    raw = ask(db, "session-links", session=FORK, tool="%", top=-1, min_overlap=0.0)
    assert raw == mine


@pytest.mark.parametrize("name", sorted(COUNTED))
@pytest.mark.parametrize(
    "more",
    [
        {"since": MONDAY + 15 * DAY},
        {"until": MONDAY + 30 * DAY},
        {"tool": "Edit"},
        {"tool": "Bash%"},
        {"min_count": 4},
    ],
    ids=str,
)
def test_a_filter_never_adds(db: sqlite3.Connection, name: str, more: dict[str, Any]) -> None:
    key, number = COUNTED[name]
    given = {"top": -1, "min_count": 0} | ({"min_overlap": 0.0} if name == "session-links" else {})
    before: dict[Any, int] = {}
    for row in ask(db, name, **given):
        before[row[key]] = before.get(row[key], 0) + row[number]
    after: dict[Any, int] = {}
    for row in ask(db, name, **given | more):
        after[row[key]] = after.get(row[key], 0) + row[number]
    assert all(n <= before[k] for k, n in after.items())


@pytest.mark.parametrize("more", [{"since": MONDAY + 15 * DAY}, {"tool": "Edit"}], ids=str)
def test_a_filter_never_adds_prompts_to_the_clusters(db: sqlite3.Connection, more: dict[str, Any]) -> None:
    everything = ask(db, "clusters", top=-1, min_count=1)
    some = ask(db, "clusters", top=-1, min_count=1, **more)
    assert 0 < sum(row["count"] for row in some) <= sum(row["count"] for row in everything)


@rows("R0.65")
@every
def test_hostile_text_is_only_text(db: sqlite3.Connection, name: str) -> None:
    perspective = load(name)
    texts = ["tool", "session", *(p.name for p in perspective.params if p.kind is str)]
    before = db.execute("select count(*), total(file_size) from sessions").fetchone()
    for parameter, hostile in itertools.product(texts, HOSTILE):
        try:
            rows = ask(db, name, top=-1, **{parameter: hostile})
        except BadQuery:
            continue  # a choice that does not exist, or a beginning of several ids
        if parameter != "search":
            assert rows == [], (parameter, hostile)
    assert db.execute("select count(*), total(file_size) from sessions").fetchone() == before


@every
def test_a_pattern_beyond_what_sqlite_takes_is_a_clear_error(db: sqlite3.Connection, name: str) -> None:
    with pytest.raises(BadQuery):
        ask(db, name, tool="%" + "x" * 60_000)


def test_an_unknown_perspective_is_named() -> None:
    with pytest.raises(BadQuery, match="nope"):
        load("nope")
    with pytest.raises(BadQuery):
        load("_filters")


@every
def test_a_project_reads_as_if_it_were_alone(name: str) -> None:
    """With the views that a project scope makes, two projects in one index do not see each other."""
    both = busy_world()
    for session in both.sessions[:2]:
        session["project"] = "-other"
    theirs = {s["id"] for s in both.sessions[2:]}
    db = store(both)
    mine = f"session_id in (select id from main.sessions where project = '{PROJECT}')"
    db.execute("pragma query_only=off")
    db.execute(f"create temp view sessions as select * from main.sessions where project = '{PROJECT}'")
    for table in ("prompts", "responses", "tool_uses", "file_edits"):
        db.execute(f"create temp view {table} as select * from main.{table} where {mine}")
    for table, columns in {
        "tool_transitions": "from_tool, to_tool, count, probability",
        "weekly_buckets": "week_start, tool_name, count, session_count",
        "file_hotspots": "file_path, edit_count, session_count",
        "session_links": "session_a, session_b, shared_files, overlap_ratio, time_gap_minutes",
    }.items():
        db.execute(f"create temp view {table} as select {columns} from main.{table} where project = '{PROJECT}'")
    alone = store(
        World(
            both.sessions[2:],
            *(
                [row for row in rows if row["session_id"] in theirs]
                for rows in (both.prompts, both.responses, both.tool_uses, both.file_edits)
            ),
        )
    )
    for given in ({}, {"since": MONDAY}, {"tool": "Edit"}):
        assert ask(db, name, top=-1, **given) == ask(alone, name, top=-1, **given)
