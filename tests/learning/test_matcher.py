"""Which task a text means, and what else it may point at."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from axiommind.learning.keys import canonical_key
from axiommind.learning.tasks import match
from axiommind.learning.tasks.artifacts import artifact_in
from axiommind.learning.tasks.match import (
    Catalogue,
    KnownTask,
    TaskMatch,
    looks_like_condition,
    strict,
    suggest_candidates,
)
from axiommind.text.normal_form import normalise
from tests.examples import examples
from tests.rows import rows

NOW = 1_700_000_000_000
DAY = 86_400_000
PROJECT = "app"


class Board:
    """Some tasks by title; a task may be known under more keys than its title."""

    def __init__(self, *tasks: KnownTask) -> None:
        self._catalogue = Catalogue(tasks)
        self._keys = {canonical_key("task", PROJECT, t.title_norm): t.task_id for t in tasks}

    def by_key(self, entity_type: str, key: str) -> str | None:
        return self._keys.get(key) if entity_type == "task" else None

    def catalogue(self, project: str) -> Catalogue:
        return self._catalogue


def known(
    title: str, *, status: str = "pending", stage: str = "working", entity: str = "active", age: float = 0
) -> KnownTask:
    return KnownTask(title, normalise(title), stage, entity, status, int(NOW - age * DAY))


def meant(board: Board, text: str, near: match.Near | None = None) -> str | None:
    found = strict(board, text, project=PROJECT, now=NOW, near=near)
    return found.task_id if found else None


@rows("R2.44", "R2.54")
def test_the_exact_title_is_the_task_whatever_its_case_or_brackets() -> None:
    board = Board(known("Set up CI", age=500), known("Other"))
    assert strict(board, "`set up (CI)`", project=PROJECT, now=NOW) == TaskMatch("Set up CI", 1.0, "exact")


def test_an_exact_title_is_never_taken_for_a_condition_but_a_like_one_is() -> None:
    board = Board(known("Review the parser code"))
    assert meant(board, "review the parser code") == "Review the parser code"
    assert meant(board, "parser code: the review") is None
    assert suggest_candidates(board, "parser code: the review", project=PROJECT, now=NOW)[0].task_id == (
        "Review the parser code"
    )


def test_the_same_words_in_another_order_are_the_task() -> None:
    board = Board(known("Migrate user database"), known("Write docs"), known("Fix login"))
    assert meant(board, "user database: migrate") == "Migrate user database"


def test_a_poor_match_stays_poor_even_when_it_is_the_best() -> None:
    board = Board(known("Deploy the user service to production"))
    assert meant(board, "deploy") is None
    assert meant(board, "production database password of the customer") is None
    (found,) = suggest_candidates(board, "deploy to staging", project=PROJECT, now=NOW)
    assert 0 < found.score < 0.6


@rows("R2.51", "R2.56")
def test_two_alike_are_none() -> None:
    board = Board(known("migrate user database"), known("database user migrate"), known("x y z"))
    assert meant(board, "user database migrate") is None


@rows("R2.56")
@pytest.mark.parametrize(
    ("task", "is_meant"),
    [
        (known("alpha beta gamma"), True),
        (known("alpha beta gamma", stage="raw"), True),  # the stage is left out of the strict test
        (known("alpha beta gamma", age=2), True),
        (known("alpha beta gamma", age=10), False),
        (known("alpha beta gamma", status="done"), False),
        (known("alpha beta gamma", status="cancelled"), False),
        (known("alpha beta gamma", entity="contested"), False),
    ],
)
def test_strict_wants_it_active_fresh_and_not_over(task: KnownTask, is_meant: bool) -> None:
    assert (meant(Board(task, known("other")), "gamma beta alpha") is not None) == is_meant


def test_the_exact_title_of_a_cancelled_task_is_not_it_and_that_of_a_done_one_is() -> None:
    assert meant(Board(known("alpha", status="cancelled")), "alpha") is None
    assert meant(Board(known("alpha", status="done")), "alpha") == "alpha"


@rows("R2.55", "R2.57")
def test_candidates_are_weighed_by_stage_status_and_age_and_at_most_five() -> None:
    board = Board(
        known("parser one", stage="certified"),
        known("parser two", stage="verified"),
        known("parser three", stage="candidate"),
        known("parser four"),
        known("parser five", status="done"),
        known("parser six", entity="deprecated"),
    )
    found = suggest_candidates(board, "parser", project=PROJECT, now=NOW)
    assert [m.task_id for m in found] == ["parser one", "parser two", "parser three", "parser four", "parser five"]


@rows("R2.55")
def test_recency_halves_in_sixty_days_and_stops_at_the_floor() -> None:
    assert match.recency(NOW, NOW) == 1.0
    assert match.recency(NOW - 30 * DAY, NOW) == pytest.approx(0.5**0.5)
    assert match.recency(NOW - 900 * DAY, NOW) == 0.6
    assert match.recency(NOW + DAY, NOW) == 1.0  # a clock that is ahead


@rows("R2.54")
def test_vectors_count_where_they_say_more() -> None:
    board = Board(known("Repair sign-in"), known("Write docs"))

    def near(text: str, limit: int) -> list[tuple[str, float]]:
        return [("Repair sign-in", 0.02), ("Write docs", 0.4), ("gone", 0.0)]

    assert meant(board, "로그인 수정", near) == "Repair sign-in"
    assert [m.method for m in suggest_candidates(board, "로그인", project=PROJECT, now=NOW, near=near)] == [
        "vector"
    ] * 2


@rows("R2.45")
@pytest.mark.parametrize(
    "text",
    ["QA 승인 대기", "권한 요청", "확인 필요", "리뷰", "waiting for Bob", "needs approval", "code review",
     "awaiting access to S3", "等待审批", "需要确认", "代码评审", "承認待ち", "権限の依頼", "レビュー"],
)  # fmt: skip
def test_conditions_are_recognised(text: str) -> None:
    assert looks_like_condition(text)


@pytest.mark.parametrize(
    "text", ["Set up CI", "로그인 수정", "写解析器", "テストを書く", "preview the page", "the moon"]
)
def test_plain_titles_are_no_conditions(text: str) -> None:
    assert not looks_like_condition(text)


@rows("R2.46", "R2.49")
@pytest.mark.parametrize(
    ("text", "key", "confidence"),
    [
        ("waits for PROJ-123 to land", "art:jira:PROJ-123", 0.95),
        ("acme/shop#12", "art:gh_issue:acme/shop:12", 0.9),
        ("PR #77", "art:gh_issue:app:77", 0.9),
        ("#5", "art:gh_issue:app:5", 0.9),
        ("see https://github.com/Acme/shop/issues/12.", "art:gh_issue:acme/shop:12", 0.95),
        ("https://github.com/Acme/shop/pull/12/files", "art:gh_issue:acme/shop:12", 0.95),
    ],
)
def test_artifacts(text: str, key: str, confidence: float) -> None:
    found = artifact_in(text, PROJECT)
    assert found is not None
    assert (found.key, found.confidence) == (key, confidence)


@rows("R2.46")
def test_one_url_is_one_artifact_however_it_is_written_into_a_sentence() -> None:
    plain, cited = (
        artifact_in("https://x.example/a?b=1", PROJECT),
        artifact_in("(see https://x.example/a?b=1).", PROJECT),
    )
    assert plain == cited
    assert plain is not None and plain.key.startswith("art:url:") and plain.url == "https://x.example/a?b=1"


@pytest.mark.parametrize(
    "text",
    ["UTF-8 everywhere", "SHA-256", "task #3", "step #2", "ISO-8601 dates", "&#39;", "a-1", "the moon", "", "#abc"],
)
def test_no_artifacts(text: str) -> None:
    assert artifact_in(text, PROJECT) is None


@settings(max_examples=examples(500))
@given(st.lists(st.text(max_size=30), max_size=8), st.text(max_size=60))
def test_any_text_has_an_answer_and_scores_stay_in_bounds(titles: list[str], text: str) -> None:
    board = Board(
        *(KnownTask(f"t{i}", normalise(t), "certified", "active", "pending", NOW) for i, t in enumerate(titles))
    )
    found = suggest_candidates(board, text, project=PROJECT, now=NOW)
    assert len(found) <= 5
    assert all(0.0 <= m.score <= 1.0 for m in found)
    one = strict(board, text, project=PROJECT, now=NOW)
    assert one is None or one.score >= 0.92
    artifact_in(text, PROJECT)
    if any(normalise(t) == normalise(text) for t in titles):
        assert one is not None and one.method == "exact"


def test_a_renamed_task_is_found_by_its_new_words_only() -> None:
    catalogue = Catalogue([known("alpha"), known("beta")])
    catalogue.put(known("alpha")._replace(title_norm="gamma"))
    assert catalogue.search("alpha") == {}
    assert set(catalogue.search("gamma")) == {"alpha"}
