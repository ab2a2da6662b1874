"""Calibrated relevance: a chance that a passage is meant, on which a floor can be set."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from axiommind.projections.scope import open_scoped
from axiommind.search import find as finding
from axiommind.search.find import Options, Page, find
from axiommind.search.lexical import Statistics, Weighed
from axiommind.search.query import Filters, Query
from axiommind.search.rank import PASSAGE_WEIGHT, STAGE_WEIGHT, STATUS_WEIGHT, Asked, Passage, score
from axiommind.search.relevance import WEIGHTS, Signs, judge, relevance
from axiommind.text.query_terms import Clause
from tests.search.asking import NOW, ask, tell
from tests.transcripts import World

PROMPTS = Path(__file__).parents[2] / "bench" / "sets" / "unrelated" / "prompts.jsonl"
TALKS = {
    "radar": (
        "the rain radar tiles flicker when the animation loops",
        "keep two radar frames in memory so that the animation of the rain tiles does not flicker",
    ),
    "alerts": ("storm alerts arrive twice on phones", "deduplicate storm alerts by their bulletin number"),
    "units": ("wind speed should be shown in knots for sailors", "add knots and beaufort to the unit setting"),
    "tides": ("fetch the tide tables of the Breton harbours", "cache tide tables for a week, they never change"),
    "snow": ("the snow depth of the Alps is missing at night", "the snow stations report only by day"),
    "pollen": ("paint the pollen forecast as a calendar", "birch pollen starts in March, hazel in January"),
}


@pytest.fixture
def told(world: World) -> World:
    for session, texts in TALKS.items():
        tell(world, session, *texts)
    world.memory().index()
    return world


def recalled(world: World, text: str, k: int = 10, without: frozenset[str] = frozenset()) -> Page:
    db = open_scoped(world.home / "index.db", None)
    try:
        finding.connect(db)
        return find(db, Query.plain(text, now=NOW), Options(k, calibrated=True, without=without), NOW)
    finally:
        db.close()


signs = st.builds(Signs, *[st.floats(-2, 12, allow_nan=False)] * len(Signs._fields))


@given(signs, st.sampled_from(Signs._fields), st.floats(0, 5))
def test_more_of_any_sign_never_lowers_the_chance(some: Signs, name: str, more: float) -> None:
    before = relevance(some)
    assert 0 <= before <= relevance(some._replace(**{name: getattr(some, name) + more})) <= 1


def test_no_sign_speaks_against_a_passage() -> None:
    assert min(WEIGHTS) >= 0


def test_a_clear_question_is_sure_of_its_session(told: World) -> None:
    page = recalled(told, "why do the rain radar tiles flicker when the animation loops?")
    best = page.hits[0]
    assert best.session_id == "radar" and best.score >= 0.7 and best.score_kind == "calibrated"
    assert [hit.score for hit in page.hits] == sorted((hit.score for hit in page.hits), reverse=True)
    assert set(best.why["relevance"]) == set(Signs._fields)


def test_prompts_about_something_else_find_nothing_worth_telling(told: World) -> None:
    prompts = [json.loads(line)["text"] for line in PROMPTS.read_text(encoding="utf-8").splitlines()]
    noisy = [text for text in prompts if any(hit.score >= 0.7 for hit in recalled(told, text).hits)]
    assert len(prompts) > 100 and noisy == []


def test_the_session_that_asks_is_left_out_before_anything_is_compared(told: World) -> None:
    tell(told, "now", "why do the rain radar tiles flicker when the animation loops?")
    told.memory().index()
    page = recalled(told, "why do the rain radar tiles flicker when the animation loops?", without=frozenset({"now"}))
    assert page.hits[0].session_id == "radar" and page.hits[0].score >= 0.7
    assert "now" not in {hit.session_id for hit in page.hits}


def test_who_says_the_same_again_is_folded(told: World) -> None:
    tell(told, "again", TALKS["tides"][0])
    told.memory().index()
    page = recalled(told, "tide tables of the Breton harbours")
    assert page.hits[0].same == 1


def test_a_search_that_does_not_ask_for_it_scores_as_before(told: World) -> None:
    page = ask(told, "rain radar", mode="lexical")
    assert {hit.score_kind for hit in page.hits} == {"bm25"}
    assert all("relevance" not in hit.why for hit in page.hits)


def test_nothing_in_a_prompt_is_syntax() -> None:
    text = 'kind:nonsense -radar "rain tiles" since:never'
    query = Query.plain(text, now=NOW, project="/p", kinds=["prompt"], since="2026-01-01")
    assert query == Query(text, text, (), (), Filters(kinds=("prompt",), project="/p", since=1_767_225_600_000))


def test_a_long_prompt_is_asked_by_its_beginning_and_its_end(told: World) -> None:
    pasted = "\n".join(f"0x{n:06x} loaded module m{n} at offset {n * 64}" for n in range(10_000))
    query = Query.plain(f"the radar animation is broken\n{pasted}\nfind out why tiles flicker", now=NOW)
    assert query.words.startswith("the radar animation is broken") and query.words.endswith(
        "find out why tiles flicker"
    )
    assert len(query.words) < 3_000
    assert Query.plain("\ud800 radar", now=NOW).words == "\ufffd radar"


def test_an_entry_that_no_longer_stands_is_not_worth_telling() -> None:
    worth = [Weighed(Clause((word,)), 1, 1, 8.0) for word in ("radar", "flicker", "frames")]
    asked = Asked(worth, Statistics(10_000, 20.0), 24.0, kinds=PASSAGE_WEIGHT)

    def chance(stage: str, status: str) -> float:
        said = Passage(1, "prompt", 1, "radar", None, None, "radar")
        entry = Passage(2, "insight", 1, "radar", None, None, "radar")
        standing = STAGE_WEIGHT[stage] * STATUS_WEIGHT[status]
        scored = [score(asked, said, [[0], [1], [2]], 20), score(asked, entry, [[0], [1], [2]], 20, 0, standing)]
        return next(judged.chance for judged in judge(asked, scored) if judged.one.passage.kind == "insight")

    assert chance("certified", "active") >= chance("raw", "active") >= 0.7
    assert chance("certified", "superseded") < chance("certified", "contested") < 0.35
