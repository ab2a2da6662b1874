"""Snippets: the part of a text that answers, on one line, with the words of the query marked."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from axiommind.search.snippets import SNIPPET_CHARS, Snippet, cut, marks, telling
from axiommind.text.query_terms import clauses
from axiommind.text.tokens import terms
from tests.examples import examples


def marked(text: str, query: str) -> list[str]:
    return [text[start:end] for start, end in marks(text, clauses(query))]


def shown(snippet: Snippet) -> list[str]:
    return [snippet.text[start:end] for start, end in snippet.marks]


@pytest.mark.parametrize(
    ("text", "query", "words"),
    [
        ("the login test failed again", "failing logins", ["login", "failed"]),
        ("Login LOGIN logins", "login", ["Login", "LOGIN", "logins"]),
        ("catalog cat", "cat", ["cat"]),
        ("call getUserById now", "user", ["getUserById"]),
        ("rename user_id", "user_id", ["user_id"]),
        ("see src/app/auth.py", "auth.py", ["auth", "py"]),
        ("병합할 때 충돌이 났어요", "충돌", ["충돌"]),
        ("数据库连接失败了", "连接", ["连接"]),
        ("数据库连接失败了", "数据库", ["数据库"]),
        ("数据库连接失败了", "库", ["库"]),
        ("React組件開發", "組件", ["組件"]),
        ("React組件開發", "React", ["React"]),
        ("テストが失敗しました", "テスト", ["テスト"]),
        ("Crème brûlée", "creme", ["Crème"]),
        ("Привет, мир", "мир", ["мир"]),
        ("nothing of it", "wombat", []),
        ("", "wombat", []),
        ("wombat", "", []),
    ],
)
def test_what_is_marked(text: str, query: str, words: list[str]) -> None:
    assert marked(text, query) == words


def test_a_short_text_is_shown_whole_on_one_line() -> None:
    assert cut("  two\n\n lines\tof it ", clauses("lines")) == Snippet("two lines of it", ((4, 9),))


@pytest.mark.parametrize("before", [7_700, 7_990, 8_000, 15_555, 1_000_000])
@pytest.mark.parametrize("filler", ["filler ", "데이터베이스", "数据库连接失败了"])
def test_a_match_deep_in_a_text_is_shown(filler: str, before: int) -> None:
    text = (filler * before)[:before] + " quokka " + filler * 1_000
    snippet = cut(text, clauses("quokka"))
    assert shown(snippet) == ["quokka"] and len(snippet.text) <= SNIPPET_CHARS
    assert snippet.text.startswith("…") and snippet.text.endswith("…")


def test_a_match_at_the_end_of_a_text_is_shown() -> None:
    snippet = cut("lorem ipsum dolor " * 200 + "needle", clauses("needle"))
    assert shown(snippet) == ["needle"]
    assert snippet.text.endswith("dolor needle")
    assert len(snippet.text) <= SNIPPET_CHARS


def test_the_part_with_most_of_the_query_is_shown() -> None:
    text = "wombat " + "filler " * 100 + "here the wombat meets the quokka by night " + "filler " * 100
    snippet = cut(text, clauses("wombat quokka"))
    assert "wombat meets the quokka" in snippet.text
    assert snippet.text.startswith("…") and snippet.text.endswith("…")
    assert shown(snippet) == ["wombat", "quokka"]


def test_without_a_match_the_beginning_is_shown() -> None:
    snippet = cut("begin " + "filler " * 100, clauses("wombat"))
    assert snippet.text.startswith("begin filler") and snippet.text.endswith("…") and snippet.marks == ()


def test_words_are_not_cut_in_two() -> None:
    text = " ".join(f"word{i}" for i in range(200))
    snippet = cut(text, clauses("word100"))
    assert set(snippet.text.strip("…").split()) <= set(text.split())


words = st.sampled_from(
    ["wombat", "getUserById", "user_id", "로그인이", "충돌", "組件", "React組件開發", "テスト", "Crème", "ﬁne", "ㅋㅋ"]
)
text = st.one_of(
    st.text(max_size=600),
    st.lists(st.one_of(words, st.text(max_size=12)), max_size=120).map(" ".join),
    st.lists(words, max_size=80).map("".join),
)


@given(text, st.one_of(text, words), st.integers(30, 400))
@settings(max_examples=examples(200))
@example("\u0130" * 300 + " wombat", "wombat", 220)
@example("ﬃ組件ﬃ" * 90, "組件", 220)
@example("x" * 500 + "wombat", "wombat", 30)
@example(" ".join(["wombat"] * 300), "wombat", 30)
def test_marks_are_inside_in_order_and_words_of_the_query(text: str, query: str, limit: int) -> None:
    wanted = clauses(query)
    asked = {term for clause in wanted for term in clause.terms}
    snippet = cut(text, wanted, limit)
    assert len(snippet.text) <= limit
    assert "\n" not in snippet.text and "\t" not in snippet.text
    assert all(0 <= start < end <= len(snippet.text) for start, end in snippet.marks)
    assert all(one[1] < other[0] for one, other in pairwise(snippet.marks))
    whole = " ".join(text.split())
    for mark in marks(whole, wanted):
        piece = whole[slice(*mark)]
        assert asked & set(terms(piece)) or any(char in asked for char in piece), piece


@given(st.text(max_size=3000), st.text(max_size=40))
@settings(max_examples=examples(60))
def test_a_snippet_is_a_piece_of_its_text(text: str, query: str) -> None:
    snippet = cut(text, clauses(query))
    assert len(snippet.text) <= SNIPPET_CHARS
    assert snippet.text.removeprefix("…").removesuffix("…") in " ".join(["", *text.split(), ""]) or "…" in text


def test_the_telling_sentence() -> None:
    text = "All tests pass. The default report mode is json now, not terminal. Anything else?"
    asked = clauses("default report mode json")
    assert telling(cut(text, asked), "All tests pass.") == "The default report mode is json now, not terminal."
    assert telling(cut(text, clauses("tests")), "All tests pass.") == "All tests pass."
    assert telling(cut("x " * 300, asked), "x…") == "x…"
