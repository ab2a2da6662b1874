"""Findings: sentences of the agent that state a cause, a constraint or how things work, in four languages."""

from __future__ import annotations

import pytest

from axiommind.extraction.drafts import Draft
from axiommind.extraction.rules import declared
from axiommind.extraction.rules.findings import find
from axiommind.projections.transcript import Transcript
from tests.learning.quoted_drafts import check_quotes, transcript_of
from tests.transcripts import Lines, World


def found(world: World, lines: Lines) -> list[Draft]:
    transcript = transcript_of(world, lines)
    drafts = find(transcript)
    check_quotes(transcript, drafts)
    return drafts


def conversation(*turns: tuple[str, str]) -> Lines:
    lines = Lines()
    for prompt, answer in turns:
        lines.prompt(prompt)
        lines.answer(answer)
    return lines


STATED = [
    (
        "Why is the list empty?",
        "The root cause: `load_rows` only runs on mount because the effect has no dependencies.",
    ),
    ("왜 목록이 비어 있어?", "원인은 `load_rows`가 시작할 때만 호출되기 때문에 새 데이터가 반영되지 않는 것입니다."),
    (
        "なぜ一覧が空なのですか？",
        "原因は `load_rows` が起動時にしか呼ばれないため、新しいデータが反映されないことです。",
    ),
    ("为什么列表是空的？", "根本原因是 `load_rows` 只会在启动时调用，因为它没有依赖，所以新数据不会显示。"),
]


@pytest.mark.parametrize(("asked", "answer"), STATED)
def test_a_cause_is_found_in_every_language(world: World, asked: str, answer: str) -> None:
    (draft,) = found(world, conversation((asked, answer)))
    assert draft.rule == "findings" and draft.kind == "gotcha" and draft.type == "insight"
    assert draft.text.startswith(answer[:8]) and "load_rows" in draft.anchors


NOT_STATED = [
    "Let me read `load_rows` because the list is empty.",
    "I’ll read `load_rows` because the list is empty.",
    "I’m checking `load_rows` first because the list is empty.",
    "The list is empty because of `load_rows`, so I'm rerunning it.",
    "All 12 tests pass, and `load_rows` is fixed because of that.",
    "Maybe `load_rows` only runs once because the effect has no dependencies.",
    "Should I change `load_rows` so that it must not run twice?",
    "Added `load_rows` to `main.py` and removed `old_rows`.",
    "I recommend that `load_rows` should be called only once.",
    "`load_rows`를 확인하겠습니다. 문제는 나중에 보겠습니다.",
    "`load_rows`가 원인일 가능성이 있습니다.",
    "`load_rows` の原因を確認します。",
    "`load_rows` が原因かもしれません。",
    "让我看看 `load_rows` 的原因。",
    "`load_rows` 可能是原因。",
]


@pytest.mark.parametrize("answer", NOT_STATED)
def test_plans_reports_guesses_and_questions_state_nothing(world: World, answer: str) -> None:
    assert found(world, conversation(("Why is the list empty?", answer))) == []


def test_a_finding_takes_along_what_it_points_to(world: World) -> None:
    answer = (
        "## Cause\n\nThe worker reads `config.toml` only at start. This means that a changed `port` is never seen, "
        "because nobody reads it again. Let me restart it."
    )
    (draft,) = found(world, conversation(("Why does it keep the old port?", answer)))
    assert draft.text.startswith("Cause: The worker reads `config.toml` only at start. This means")
    assert "Let me" not in draft.text


def test_what_is_said_twice_is_one_finding(world: World) -> None:
    lines = conversation(
        ("Why?", "The problem is that `sync_all` never retries because the queue drops failed jobs."),
        ("And in short?", "In short: `sync_all` never retries, because the queue drops failed jobs."),
    )
    (draft,) = found(world, lines)
    assert len({quote.message for quote in draft.quotes}) == 2


def test_code_tables_and_headings_are_no_findings(world: World) -> None:
    answer = (
        "```\nfails because `x` must only run once\n```\n\n| why | `a` fails because `b` must run |\n\n# Only because"
    )
    assert found(world, conversation(("Why?", answer))) == []


def test_a_subagent_reports_to_its_caller(world: World) -> None:
    transcript: Transcript = transcript_of(world, conversation(STATED[0]))
    assert find(transcript) and find(transcript._replace(subagent=True)) == []


def test_findings_stay_candidates() -> None:
    assert declared()["findings"].precision < 0.7 and declared()["findings"].most == 3
