"""Kinds that are never used sink, by figures that say how much they are worth; a few things change nothing."""

from __future__ import annotations

import contextlib
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from axiommind.grounding.chance import FEW, bounds, chance
from axiommind.grounding.judgements import append_judged
from axiommind.grounding.tallies import Tally
from axiommind.grounding.usefulness import LEAST, MOST, weight, weights
from axiommind.memory import Scope
from axiommind.projections import feedback, usefulness
from axiommind.projections.scope import open_scoped
from axiommind.recall.packet import Note, Packet, Section
from axiommind.recall.packets.wanted import wanted
from tests.examples import examples
from tests.served import MINUTE, item, line, made, spool
from tests.transcripts import PROJECT, START, Lines

HOOK = "UserPromptSubmit"
DAY = 86_400_000


@pytest.fixture
def db() -> sqlite3.Connection:
    made = sqlite3.connect(":memory:")
    usefulness.create(made)
    feedback.create(made)
    return made


def count(
    db: sqlite3.Connection,
    kind: str,
    given: int,
    used: int,
    *,
    project: str = PROJECT,
    period: int = 700,
    controls: int = 0,
    by_chance: int = 0,
    hook: str = HOOK,
) -> None:
    row = (hook, period, kind, project, given, used, controls, by_chance)
    db.execute("insert into usefulness values (?, ?, ?, ?, ?, ?, ?, ?)", row)


# --- weights -----------------------------------------------------------------------------------------------


def test_a_kind_that_is_never_used_sinks_and_others_stay(db: sqlite3.Connection) -> None:
    count(db, "decision", 40, 16)
    count(db, "prompt", 60, 0)
    assert weight(db, HOOK, "prompt") == LEAST
    assert weight(db, HOOK, "decision") >= 1
    assert weight(db, HOOK, "gotcha") == 1, "nothing is known of it"
    assert weight(db, "SessionStart", "prompt") == 1, "another hook is another matter"


def test_a_few_things_change_nothing(db: sqlite3.Connection) -> None:
    count(db, "decision", 40, 16)
    count(db, "prompt", FEW - 1, 0)
    assert weight(db, HOOK, "prompt") == 1


def test_what_looks_used_by_chance_is_not_used(db: sqlite3.Connection) -> None:
    count(db, "decision", 200, 80, controls=200)
    count(db, "tool", 200, 60, controls=400, by_chance=120)
    assert weight(db, HOOK, "tool") < 0.7
    assert weight(db, HOOK, "decision") > 1


def test_what_a_person_says_counts(db: sqlite3.Connection) -> None:
    count(db, "decision", 40, 16)
    row = "insert into feedback values (?, ?, '[]', '', ?, 1, ?, null, null, null, null)"
    for n in range(30):
        db.execute(row, (f"a{n}", HOOK, "no", "tool"))
        db.execute(row, (f"b{n}", HOOK, "no", ""))
    assert weight(db, HOOK, "tool") < 1


def test_old_figures_fade_so_that_a_kind_is_tried_again(db: sqlite3.Connection) -> None:
    count(db, "decision", 40, 16, period=700)
    count(db, "prompt", 60, 0, period=700)
    assert weight(db, HOOK, "prompt") == LEAST
    count(db, "decision", 40, 16, period=703)
    assert weight(db, HOOK, "prompt") == 1


def test_other_projects_count_a_little(db: sqlite3.Connection) -> None:
    count(db, "decision", 400, 160, project="/other")
    count(db, "prompt", 4_000, 0, project="/other")
    assert weight(db, HOOK, "prompt", PROJECT) == LEAST, "nothing is known of this project yet"
    count(db, "prompt", 100, 40)
    assert weight(db, HOOK, "prompt", PROJECT) > 0.8
    assert weight(db, HOOK, "prompt") == LEAST


def test_an_index_of_an_older_version_is_borne() -> None:
    with closing(sqlite3.connect(":memory:")) as empty:
        assert weights(empty, HOOK) == {}


counts = st.tuples(st.integers(0, 300), st.integers(0, 300), st.integers(0, 300), st.integers(0, 300)).map(
    lambda c: (c[0], min(c[1], c[0]), c[2], min(c[3], c[2]))
)


@given(st.lists(counts, max_size=4))
@settings(max_examples=examples(100))
def test_a_weight_has_bounds_and_small_counts_do_nothing(kinds: list[tuple[int, int, int, int]]) -> None:
    with closing(sqlite3.connect(":memory:")) as db:
        usefulness.create(db)
        feedback.create(db)
        for n, (given_, used, controls, by_chance) in enumerate(kinds):
            count(db, f"k{n}", given_, used, controls=controls, by_chance=by_chance)
        for n, (given_, *_) in enumerate(kinds):
            found = weight(db, HOOK, f"k{n}")
            assert LEAST <= found <= MOST
            assert found == 1 or given_ >= FEW


@given(counts)
def test_bounds_hold_the_share(one: tuple[int, int, int, int]) -> None:
    given_, used, controls, by_chance = one
    low, high = bounds(used, given_)
    assert 0 <= low <= high <= 1
    assert not given_ or low - 1e-9 <= used / given_ <= high + 1e-9
    assert 0 < chance(by_chance, controls) <= 1


@pytest.mark.parametrize(
    ("judged", "used", "controls", "by_chance", "says"),
    [
        (4, 4, 8, 0, "too_few"),
        (60, 30, 100, 2, "used"),
        (60, 30, 100, 50, "too_few"),  # as much of what was not given looks used
        (199, 5, 300, 1, "hardly_used"),
        (60, 5, 100, 0, "too_few"),
    ],
)
def test_what_a_figure_allows_to_say(judged: int, used: int, controls: int, by_chance: int, says: str) -> None:
    assert Tally(HOOK, "tool", 1, judged, judged, used, 0, controls, by_chance).says == says


# --- judging -----------------------------------------------------------------------------------------------


def test_what_the_agent_has_read_is_no_use_of_a_memory(tmp_path: Path) -> None:
    """The index keeps little of what tools return; the log has all of it."""
    world = made(tmp_path)
    later = Lines("later")
    later.prompt("The forecast is stale", at=20.01)
    later.tool("Read", "r1", at=21, file_path=f"{PROJECT}/settings.py")
    later.result("r1", "x = 1\n" * 500 + "retry_budget = 30\n", at=21.1)
    later.answer("retry_budget is 30 here.", at=22)
    world.write(later)
    world.memory().index()
    for session in ("now", "later"):
        spool(world, line(session, at=10 if session == "now" else 20, items=[item(world)]), session)
    world.memory().index()
    found = {one.session_id: one.reason for one in world.memory().reports.grounding(Scope(None)).given}
    assert found == {"now": "file", "later": None}


def test_an_answer_is_judged_once_after_its_session(tmp_path: Path) -> None:
    world = made(tmp_path)
    spool(world, line(items=[item(world)]))
    home = world.memory().home
    with home.open_log() as (log, _), contextlib.ExitStack() as stack:
        from axiommind.ingest.served import append_served
        from axiommind.projections.runner import Segments

        index = home.open_index(log, [], stack)
        append_served(log, index.db, world.home / "hooks")
        index.catch_up(log, Segments(log))
        assert append_judged(log, index.db, START + 30 * MINUTE) == 0, "it may go on"
        assert append_judged(log, index.db, START + DAY) == 1
        assert append_judged(log, index.db, START + DAY) == 0
    for _ in range(2):
        world.memory().index()
        assert world.rows("select hook, kind, given, used from judged_context") == [(HOOK, "response", 1, 1)]
    before = world.rows("select * from usefulness")
    assert [row[:1] + row[2:6] for row in before] == [(HOOK, "response", PROJECT, 1, 1)]
    for path in world.home.glob("index.db*"):
        path.unlink()
    world.memory().index()
    assert world.rows("select * from usefulness") == before
    assert world.memory().verify() == []


def test_counts_go_with_the_session(tmp_path: Path) -> None:
    world = made(tmp_path)
    spool(world, line(items=[item(world)]))
    world.memory().index()
    assert world.rows("select count(*) from usefulness") == [(1,)]
    world.memory().forget(session="now")
    assert world.rows("select * from usefulness") == world.rows("select * from judged_context") == []
    assert world.memory().verify() == []


def test_controls_are_like_what_was_given_and_were_not(tmp_path: Path) -> None:
    world = made(tmp_path)
    more = Lines("old")
    more.prompt("And how do we bill?")
    more.answer("Invoices are kept in src/billing/ledger.py.", at=1)
    more.answer("Totals are rounded half even.", at=2)
    old = world.path("old").read_bytes()
    world.write(old + more.data().replace(b'"old-', b'"older-'), "old")
    world.memory().index()
    spool(world, line(items=[item(world)]))
    world.memory().index()
    total = world.memory().reports.grounding(Scope(None)).total
    assert (total.judged, total.used, total.by_chance) == (1, 1, 0)
    assert total.controls > 0


def test_a_persons_word_counts_more_than_a_trace(tmp_path: Path) -> None:
    world = made(tmp_path)
    spool(world, line(items=[item(world)]))
    world.memory().index()
    name = item(world)["id"]
    for verdict, used in (("no", 0), ("yes", 1), ("clear", 1)):
        world.memory().feedback.say(name, verdict)
        assert world.memory().reports.grounding(Scope(None)).total.used == used


def test_a_packet_ends_with_what_is_used_least(tmp_path: Path) -> None:
    world = made(tmp_path)
    with closing(sqlite3.connect(world.home / "index.db")) as db:
        count(db, "task", 40, 20, hook="SessionStart")
        count(db, "file", 25, 0, hook="SessionStart")
        count(db, "prompt", 200, 0, hook="SessionStart")
        db.commit()
    notes = (Note("a1", "prompt", "p"), Note("a2", "file", "f"), Note("a3", "task", "t"))
    with closing(open_scoped(world.home / "index.db", None)) as db:
        kept = wanted(db, "SessionStart", Packet((Section("S", notes),)), session=None, project=PROJECT)
    assert kept is not None
    assert [note.id for note in kept.notes] in (["a3", "a2"], ["a3"])


def test_a_kind_that_is_never_used_is_less_likely_to_be_recalled(tmp_path: Path) -> None:
    world = made(tmp_path)
    question = "which retry_budget did we set to keep the forecast fresh"

    def kinds() -> set[str]:
        found = world.memory().recall.answer_question(question, PROJECT, session="new")
        return {one.type for one in getattr(getattr(found, "disclosed", None), "matches", ())}

    assert "response" in kinds()
    with closing(sqlite3.connect(world.home / "index.db")) as db:
        count(db, "decision", 100, 60)
        count(db, "response", 200, 0)
        db.commit()
    assert "response" not in kinds()
