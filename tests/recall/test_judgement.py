"""Whether to speak: what each sign does to the chance, and which prompts have which."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from axiommind.recall.judgement import WEIGHTS, MomentSigns, chance, likelihood, signs_of
from axiommind.recall.outcomes import outcomes
from axiommind.search.evidence import evidence
from axiommind.search.query import Query
from tests.learning.sessions import answered
from tests.recall.packets import learned, reading
from tests.recall.prompts import asked, past
from tests.search.asking import NOW
from tests.transcripts import PROJECT, World

shares = st.floats(0, 1)
signs = st.builds(MomentSigns, st.floats(0, 6), *[shares] * 7)
SPEAKS_FOR = {"entry", "dense", "meant", "agrees", "fails"}


@given(signs, st.sampled_from(MomentSigns._fields), st.floats(0, 3))
def test_more_of_a_sign_never_does_the_opposite(before: MomentSigns, sign: str, more: float) -> None:
    after = before._replace(**{sign: getattr(before, sign) + more})
    assert 0 < chance(before) < 1
    assert chance(after) >= chance(before) if sign in SPEAKS_FOR else chance(after) <= chance(before)


def test_every_sign_counts() -> None:
    assert {name for name, weight in WEIGHTS._asdict().items() if weight > 0} == SPEAKS_FOR
    assert all(WEIGHTS)
    assert chance(MomentSigns(*[0.0] * 8)) < 0.1  # silence, where nothing speaks for it


def judged(world: World, prompt: str) -> tuple[MomentSigns, float]:
    """The signs of a prompt, and how likely it is that something helps."""
    with reading(world) as db:
        found = evidence(db, Query.plain(prompt, now=NOW, project=PROJECT), NOW)
        assert found is not None
        read = outcomes(db, found, PROJECT)
        return signs_of(prompt, found, read), likelihood(prompt, found, read)


@pytest.mark.parametrize(
    ("plain", "failing"),
    [
        ("show the radar tiles on the map", "the radar tiles on the map fail to show"),
        ("장마 통계를 보여 줘", "장마 통계에서 오류가 나"),
        ("積雪のグラフを表示して", "積雪のグラフでエラーになる"),
        ("显示台风路径", "显示台风路径报错"),
    ],
)
def test_something_that_fails_speaks_for_it(world: World, plain: str, failing: str) -> None:
    asked(world)
    assert (judged(world, plain)[0].fails, judged(world, failing)[0].fails) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("task", "correction"),
    [
        ("draw the wind rose in SVG", "No, that's wrong, draw the wind rose in SVG"),
        ("장마 통계를 월별로 집계해 줘", "아니 그게 아니라 장마 통계를 월별로 집계해 줘"),
        ("積雪のグラフを表示して", "違う、そうじゃなくて積雪のグラフを表示して"),
        ("显示台风路径", "不对，我是说显示台风路径"),
    ],
)
def test_a_correction_is_about_what_was_just_done(world: World, task: str, correction: str) -> None:
    asked(world)
    (before, likely), (after, less) = judged(world, task), judged(world, correction)
    assert (before.corrects, after.corrects) == (0.0, 1.0) and less < likely


def test_a_plan_says_everything_itself(world: World) -> None:
    asked(world)
    (task, likely), (plan, less) = (
        judged(world, f"{begun}the radar tiles fail: send no-store for errors of the proxy")
        for begun in ("", "Implement the following plan: ")
    )
    assert (task.plan, plan.plan, plan.fails, plan.corrects) == (0.0, 1.0, 0.0, 0.0) and less < likely


def test_what_a_project_has_never_heard_of_speaks_against_it(world: World) -> None:
    asked(world)
    known, likely = judged(world, "draw the wind rose in SVG")
    foreign, less = judged(world, "draw the zanzibar quux of the frobnicator in SVG")
    assert known.unknown == 0 < foreign.unknown < 1 and less < likely


def test_an_unknown_word_counts_less_where_it_may_only_have_another_ending(world: World) -> None:
    asked(world)
    english, _ = judged(world, "draw the wind rose zanzibar")
    korean, _ = judged(world, "draw the wind rose 뚜뚜뚜")
    assert 0 < korean.unknown < english.unknown


def test_a_best_piece_of_the_session_that_is_meant_speaks_for_it(world: World) -> None:
    asked(world)
    assert judged(world, "draw the wind rose in SVG")[0].agrees == 1.0


def test_an_entry_about_it_speaks_for_it(world: World) -> None:
    prompt = "Use another database for the service of the wind rose"
    without = judged(learned(world, *past()), prompt)
    with_it = judged(learned(world, answered("11111111-s1", "SQLite", at=9_000)), prompt)
    assert without[0].entry == 0 < with_it[0].entry and with_it[1] > without[1]
