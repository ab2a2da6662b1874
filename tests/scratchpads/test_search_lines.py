"""Searching in one pad: lines, the lines around them, and patterns that would never end."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from axiommind.errors import BadQuery, QueryLimit
from axiommind.projections.scratchpad_rows import ScratchpadRow, ScratchpadText
from axiommind.scratchpads import search_lines as searching
from axiommind.scratchpads.search_lines import search_lines
from axiommind.scratchpads.values import ScratchpadMatches
from tests.counting import ending
from tests.examples import examples
from tests.rows import rows


def scratchpad(text: str) -> ScratchpadText:
    return ScratchpadText(ScratchpadRow("pad_1", "wf_1", "notes", 1, len(text), 0, "", "", ""), text)


NOTES = scratchpad("alpha\nBeta, beta\nx\ny\nz\n로그인 beta 12\nend\n")


def places(found: ScratchpadMatches) -> list[tuple[int, int, str]]:
    return [(one.line_number, one.char_position, one.match_text) for one in found.matches]


def test_a_text_is_found_in_any_case_once_a_line() -> None:
    found = search_lines(NOTES, query="BETA")
    assert places(found) == [(2, 1, "Beta"), (6, 5, "beta")]
    assert [one.times for one in found.matches] == [2, 1]
    assert (found.total_matches, found.truncated) == (2, False)


@rows("R4.4", "R4.9")
def test_lines_around_matches_are_one_range_where_they_touch() -> None:
    apart = search_lines(NOTES, query="beta", context=1)
    assert [one.text for one in apart.ranges] == [
        "... 1: alpha\n> 2: Beta, beta\n... 3: x",
        "... 5: z\n> 6: 로그인 beta 12\n... 7: end",
    ]
    touching = search_lines(NOTES, query="beta", context=2)
    assert [(one.first, one.last) for one in touching.ranges] == [(1, 7)]
    assert search_lines(NOTES, query="beta", context=0).ranges[1].text == "> 6: 로그인 beta 12"


def test_a_limit_says_how_many_there_are_and_marks_what_is_beside() -> None:
    found = search_lines(scratchpad("hit\n" * 9), query="hit", limit=2, context=1)
    assert (len(found.matches), found.total_matches, found.truncated) == (2, 9, True)
    assert found.ranges[0].text == "> 1: hit\n> 2: hit\n> 3: hit"


def test_a_long_line_is_shown_around_the_match() -> None:
    found = search_lines(scratchpad("a" * 5000 + " here " + "b" * 5000), query="here")
    assert found.matches[0].char_position == 5002
    assert "here" in found.matches[0].snippet
    assert len(found.matches[0].snippet) == 150
    assert len(found.ranges[0].text) < 500


@pytest.mark.parametrize(
    ("regex", "expected"),
    [
        (r"[Bb]eta", [(2, 1, "Beta"), (6, 5, "beta")]),
        (r"beta", [(2, 7, "beta"), (6, 5, "beta")]),
        (r"\d+", [(6, 10, "12")]),
        (r"^(x|end)$", [(3, 1, "x"), (7, 1, "end")]),
        (r"(?i)BETA \d", [(6, 5, "beta 1")]),
        (r"x*", [(3, 1, "x")]),
        (r"q*", []),
        (r"[[x]", [(3, 1, "x")]),
    ],
)
def test_patterns_fit_lines(regex: str, expected: list[tuple[int, int, str]]) -> None:
    assert places(search_lines(NOTES, regex=regex)) == expected


@pytest.mark.parametrize(("regex", "at"), [("a(b", 2), ("[z-a]", 2), ("a**", 3), ("x\\", 2)])
def test_a_wrong_pattern_is_named_with_the_place(regex: str, at: int) -> None:
    with pytest.raises(BadQuery, match=rf"not valid.* at character {at}$") as refused:
        search_lines(NOTES, regex=regex)
    assert not isinstance(refused.value, QueryLimit)


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"query": "a", "regex": "a"},
        {"query": ""},
        {"query": "a\nb"},
        {"query": "a" * 2001},
        {"regex": "a" * 501},
        {"query": "a", "context": -1},
        {"query": "a", "context": 51},
        {"query": "a", "limit": 0},
        {"query": "a", "limit": 51},
    ],
)
def test_what_cannot_be_meant_is_refused(asked: dict[str, object]) -> None:
    with pytest.raises(BadQuery) as refused:
        search_lines(NOTES, **asked)  # type: ignore[arg-type]
    assert refused.value.hint


def test_patterns_that_never_end_are_ended_while_others_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "SECONDS", 0.5)
    bomb = scratchpad("a" * 40 + "!\n" + "b" * 100_000)

    def ended(regex: str) -> bool:
        with pytest.raises(QueryLimit):
            search_lines(bomb, regex=regex)
        return True

    with ending(), ThreadPoolExecutor(8) as threads:  # none of them takes the interpreter from the others
        running = [threads.submit(ended, regex) for regex in ("(a+)+$", "(a|aa)+$", ".*.*.*x", "(.*)*!!") * 2]
        assert places(search_lines(bomb, query="!")) == [(1, 41, "!")]
        assert all(one.result() for one in running)


@settings(max_examples=examples(200), deadline=None)
@given(
    text=st.text("aAbßİ \n컴", max_size=40),
    query=st.text("aAbßİ컴", min_size=1, max_size=3),
    context=st.integers(0, 3),
    limit=st.integers(1, 5),
)
def test_every_line_that_holds_the_text_is_found(text: str, query: str, context: int, limit: int) -> None:
    found = search_lines(scratchpad(text), query=query, context=context, limit=limit)
    lines = text.split("\n")
    holding = [n for n, line in enumerate(lines, 1) if folded(query) in folded(line)]
    assert found.total_matches == len(holding)
    assert [one.line_number for one in found.matches] == holding[:limit]
    for one in found.matches:
        start = one.char_position - 1
        assert lines[one.line_number - 1][start : start + len(query)] == one.match_text
        assert folded(one.match_text) == folded(query)
    marked = [
        int(m[1]) for part in found.ranges for line in part.text.split("\n") if (m := re.match(r"> (\d+): ", line))
    ]
    assert marked == [n for n in holding if any(part.first <= n <= part.last for part in found.ranges)]
    assert all(left.last + 1 < right.first for left, right in zip(found.ranges, found.ranges[1:], strict=False))


def folded(text: str) -> str:
    """In lower case, where that is one character."""
    return "".join(char.casefold() if len(char.casefold()) == 1 else char for char in text)
