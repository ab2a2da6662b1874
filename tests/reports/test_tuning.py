"""Tuning files, stop words and the things that a prompt names."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from axiommind.errors import UsageError
from axiommind.reports.analysers.queries import nouns
from axiommind.reports.analysers.stopwords import BUILT_IN, StopWords
from axiommind.reports.analysers.trends import week_name, week_of
from axiommind.reports.analysers.tuning import Tuning
from axiommind.text.stop_words import STOP_WORDS


def test_what_a_file_leaves_out_keeps_its_default(tmp_path: Path) -> None:
    file = tmp_path / "tuning.json"
    file.write_text('{"bm25_k1": 2, "max_clusters": 50.0}')
    assert Tuning.load(file) == replace(Tuning(), bm25_k1=2.0, max_clusters=50)
    file.write_text(json.dumps(Tuning().to_dict()))
    assert Tuning.load(file) == Tuning()
    assert len(Tuning().to_dict()) == 20


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"bm25_k1": "high"}', 'bm25_k1 must be a number, not "high"'),
        ('{"bm25_k1": null}', "bm25_k1 must be a number, not null"),
        ('{"bm25_k1": true}', "bm25_k1 must be a number, not true"),
        ('{"bm25_k1": NaN}', "bm25_k1 must be a finite number"),
        ('{"bm25_k1": -1}', "bm25_k1 must be at least 0"),
        ('{"max_clusters": 1.5}', "max_clusters must be a whole number"),
        ('{"max_clusters": 0}', "max_clusters must be at least 1"),
        ('{"time_window_minutes": [5]}', "time_window_minutes must be a whole number, not [5]"),
        ('{"decay_half_life_days": 0}', "decay_half_life_days must be more than 0"),
        ('{"bm25_b": 2}', "bm25_b must be at most 1"),
        ('{"min_seq_length": 6}', "max_seq_length (5) is less than min_seq_length (6)"),
        ('{"bm25k1": 1}', "unknown field 'bm25k1'"),
        ('{"loop_min_repeats": 1}', "loop_min_repeats must be at least 2"),
        ("[1]", "a JSON object is wanted, not [1]"),
        ("{", "is not JSON"),
    ],
)
def test_a_wrong_file_is_told_by_its_field(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "tuning.json"
    file.write_text(text)
    with pytest.raises(UsageError, match=r"tuning\.json") as caught:
        Tuning.load(file)
    assert said in caught.value.message


def test_a_huge_number_is_no_crash(tmp_path: Path) -> None:
    file = tmp_path / "tuning.json"
    file.write_text('{"bm25_k1": 1' + "0" * 400 + "}")
    with pytest.raises(UsageError, match="bm25_k1"):
        Tuning.load(file)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        Tuning.load(tmp_path / "none.json")
    with pytest.raises(UsageError, match="cannot be read"):
        Tuning.load(tmp_path)


def test_the_tokeniser_drops_the_built_in_stop_words() -> None:
    assert len(BUILT_IN) == 18
    assert BUILT_IN <= STOP_WORDS


def test_stop_words_of_the_user() -> None:
    stop = StopWords(["Login", " "])
    assert "LOGIN" in stop
    assert "OK" in stop
    assert "" not in stop
    assert stop.words("Fix the login bug") == ["fix", "bug"]


def test_nouns_are_what_a_prompt_is_about() -> None:
    assert nouns(["fix", "login", "bug", "carefully", "로그인"]) == ["login", "bug", "로그인"]


@pytest.mark.parametrize(
    ("at", "week"),
    [
        (1_767_225_600_000, "2026-W01"),  # Thursday, 2026-01-01
        (1_767_571_199_999, "2026-W01"),  # Sunday's last
        (1_767_571_200_000, "2026-W02"),
        (1_609_459_200_000, "2020-W53"),  # Friday, 2021-01-01
        (1, "1970-W01"),
    ],
)
def test_weeks_are_named_as_iso_8601_does(at: int, week: str) -> None:
    assert week_name(week_of(at)) == week
