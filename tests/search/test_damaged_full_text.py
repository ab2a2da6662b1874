"""A damaged full-text index: every door still answers, by reading the texts, and the next `axm index` makes it anew."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest

from axiommind.home import Scope
from axiommind.projections import full_text
from axiommind.search.unindexed import DAMAGED
from axiommind.surfaces.hooks import answer
from tests.rows import rows
from tests.search.asking import DAY, ask, found, tell
from tests.transcripts import PROJECT, World

LEDGER = "The ledger rounds every amount to cents before it is stored"
THEME = "Add a dark colour theme to the settings window"
KOREAN = "회의 일정을 달력에 추가하고 참석자를 초대한다"
AMOUNTS = "Amounts are never negative"
ARCHIVED = "Ledgers are archived after ten years"
DAMAGE = {
    "all of it": "delete from passages_fts_data",
    "torn": "update passages_fts_data set block = x'0102030405' where id > 10",
    "its structure": "update passages_fts_data set block = x'' where id = 10",
    "its averages": "update passages_fts_data set block = x'ffff' where id = 1",
    "dropped": "drop table passages_fts",
    "no data": "drop table passages_fts_data",
    "no sizes": "drop table passages_fts_docsize",
    "no settings": "drop table passages_fts_config",
}


@pytest.fixture(params=DAMAGE)
def damaged(request: pytest.FixtureRequest, world: World) -> World:
    for number, text in enumerate((LEDGER, THEME, KOREAN, AMOUNTS)):
        tell(world, f"s{number}", text, at=number * DAY)
    world.memory().index()
    with closing(sqlite3.connect(world.home / "index.db")) as db, db:
        db.execute("pragma writable_schema=on")
        db.execute(DAMAGE[request.param])
    return world


@rows("R4.2", "R4.27")
def test_search_reads_the_texts_and_says_so(damaged: World) -> None:
    page = ask(damaged, "rounding of amounts in the ledger")
    assert page.hits[0].snippet.text == LEDGER
    assert (page.search_method, page.score_kind, page.note) == ("like", "bm25", DAMAGED)
    assert found(damaged, "달력 참석자") == [KOREAN] == found(damaged, "달력")
    assert found(damaged, '"dark colour" theme') == [THEME] and found(damaged, '"colour dark" theme') == []
    assert found(damaged, "amounts -ledger") == [AMOUNTS] and found(damaged, "platypus") == []
    assert ask(damaged, "amounts ledger", mode="hybrid").hits and ask(damaged, "amounts", group=True).hits


def test_recall_and_hooks_answer(damaged: World) -> None:
    recall = damaged.memory().recall
    selected = recall.select("rounding of amounts in the ledger", Scope(None), min_score=0.0)
    assert selected.items[0].summary == LEDGER and selected.method == "like" and selected.note == DAMAGED
    for project in (None, PROJECT):
        recall.answer("how are amounts rounded in the ledger?", Scope(project))
    given = {"session_id": "new", "prompt": "how are amounts rounded in the ledger?", "cwd": PROJECT}
    environ = {"AXM_HOME": str(damaged.home), "HOME": str(damaged.home.parent), "AXM_HOOK_SECONDS": "20"}
    assert answer("UserPromptSubmit", json.dumps(given).encode(), environ).outcome in ("served", "silent")


def test_the_next_run_mends_it(damaged: World) -> None:
    ask(damaged, "rounding of amounts in the ledger")
    report = damaged.memory().index()
    assert report.notes == ["the full-text index was damaged: made anew from the passages"]
    page = ask(damaged, "rounding of amounts in the ledger")
    assert page.search_method == "fts5" and page.note is None and page.hits[0].snippet.text == LEDGER
    assert not full_text.marked(damaged.home / "index.db") and not damaged.memory().index().notes
    tell(damaged, "s9", ARCHIVED, at=90 * DAY)
    damaged.memory().index()
    assert found(damaged, "archived ledgers")[0] == ARCHIVED


def test_a_sound_one_is_left_alone(world: World) -> None:
    tell(world, "s0", LEDGER)
    world.memory().index()
    with closing(sqlite3.connect(world.home / "index.db")) as db:
        assert full_text.is_sound(connected(db))
    assert found(world, "platypus") == [] and not full_text.marked(world.home / "index.db")


def connected(db: sqlite3.Connection) -> sqlite3.Connection:
    from axiommind.projections import passages

    passages.connect(db)
    return db


def test_words_beyond_those_that_are_searched_for_are_named(world: World) -> None:
    tell(world, "s0", LEDGER)
    world.memory().index()
    many = " ".join(f"zq{n:03}" for n in range(120))
    page = ask(world, f"{many} ledger")
    assert page.note == "the first 96 words of the query were searched for, 25 more were left out" and not page.hits
    selected = world.memory().recall.select(f"{many} ledger", Scope(None), min_score=0.0)
    assert selected.note == page.note
    assert ask(world, f"ledger {many}").hits and ask(world, "ledger").note is None
