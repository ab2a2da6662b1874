"""Outliers, loops and runs."""

from __future__ import annotations

from fractions import Fraction
from statistics import NormalDist, fmean, pstdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from axiommind.reports.analysers.repetition import (
    Run,
    ToolLoop,
    discoveries,
    longest_run,
    loops,
    outliers,
    tail,
    unusual,
)
from axiommind.reports.analysers.units import ToolStep


def of(letters: str, counted: range | None = None) -> list[ToolStep]:
    return [ToolStep(c, None, counted is None or i in counted) for i, c in enumerate(letters)]


@given(st.lists(st.floats(0, 1), max_size=12).map(sorted), st.floats(0, 1))
def test_benjamini_hochberg_as_written(ascending: list[float], alpha: float) -> None:
    def largest(alpha: Fraction) -> int:
        total = len(ascending)
        ranks = [rank for rank in range(1, total + 1) if Fraction(ascending[rank - 1]) * total <= alpha * rank]
        return max(ranks, default=0)

    # A p-value of exactly the rate counts, however the floating point numbers round.
    assert (
        largest(Fraction(alpha)) <= discoveries(ascending, alpha) <= largest(Fraction(alpha) * (1 + Fraction(1, 10**6)))
    )


@pytest.mark.parametrize("z", [-1.0, 0.0, 0.5, 1.96, 2.0, 5.0])
def test_tail_is_that_of_the_normal_distribution(z: float) -> None:
    assert tail(z) == pytest.approx(1 - NormalDist().cdf(z), abs=1e-12)


def test_a_file_edited_far_more_often_stands_out() -> None:
    edits = {("s", f"f{i}"): 1 for i in range(9)} | {("t", "hot"): 20}
    [found] = outliers(edits, 2.0)
    assert (found.session, found.file, found.edits) == ("t", "hot", 20)
    assert found.mean == pytest.approx(fmean(edits.values()))
    assert found.z == pytest.approx((20 - found.mean) / pstdev(edits.values()))


@given(
    st.dictionaries(st.tuples(st.sampled_from("st"), st.sampled_from("abcdef")), st.integers(1, 40), max_size=12),
    st.floats(0, 3),
)
def test_what_is_unusual_is_all_from_the_threshold_on(edits: dict[tuple[str, str], int], z: float) -> None:
    found = {(one.session, one.file) for one in unusual(edits, z)}
    deviation = pstdev(edits.values()) if edits else 0.0
    for key, count in edits.items():
        score = (count - fmean(edits.values())) / deviation if deviation else 0.0
        if abs(score - z) > 1e-6:
            assert (key in found) == (score > max(z, 0))
    assert {(one.session, one.file) for one in outliers(edits, z)} <= found


def test_equal_counts_have_no_outlier() -> None:
    assert outliers({("s", "a"): 3, ("s", "b"): 3}, 0.0) == []
    assert outliers({}, 2.0) == []


@given(
    st.dictionaries(st.tuples(st.sampled_from("st"), st.sampled_from("abcdef")), st.integers(1, 40), max_size=12),
    st.floats(0, 3),
)
def test_a_higher_threshold_finds_no_more(edits: dict[tuple[str, str], int], z: float) -> None:
    few, more = outliers(edits, z + 0.5), outliers(edits, z)
    assert few == more[: len(few)]
    assert all(found.z >= z - 1e-9 for found in more[:1])


def test_loops_by_hand() -> None:
    assert loops(of("ABABAB")) == [ToolLoop(("A", "B"), 3, 1)]
    assert loops(of("ABCABC")) == [ToolLoop(("A", "B", "C"), 2, 1)]
    assert loops(of("ABABXABAB")) == [ToolLoop(("A", "B"), 2, 2)]
    assert loops(of("AAAA")) == [], "one tool on end is a run, not a loop"
    assert loops(of("ABC")) == []


def test_a_loop_counts_up_to_the_last_use_that_counts() -> None:
    assert loops(of("ABABAB", range(4))) == [ToolLoop(("A", "B"), 2, 1)]
    assert loops(of("ABABAB", range(4, 6))) == [ToolLoop(("A", "B"), 3, 1)]
    assert loops(of("ABABAB", range(3))) == []


def naive_loops(letters: str) -> dict[str, tuple[int, int]]:
    found: dict[str, tuple[int, int]] = {}
    for length in (2, 3):
        i = 0
        while i < len(letters):
            piece = letters[i : i + length]
            repeats = 0
            while letters[i + repeats * length :].startswith(piece) and len(piece) == length:
                repeats += 1
            if repeats >= 2 and len(set(piece)) > 1:
                best, times = found.get(piece, (0, 0))
                found[piece] = (max(best, repeats), times + 1)
                i += repeats * length
            else:
                i += 1
    return found


@given(st.text("AB", max_size=24) | st.text("ABC", max_size=24))
def test_loops_equal_the_obvious_scan(letters: str) -> None:
    assert {"".join(loop.tools): (loop.repeats, loop.times) for loop in loops(of(letters))} == naive_loops(letters)


def test_longest_run() -> None:
    assert longest_run(of("ABBBAA")) == Run("B", 3)
    assert longest_run(of("AABB")) == Run("A", 2), "the first of equals"
    assert longest_run(of("BBBA", range(2))) == Run("B", 2)
    assert longest_run([]) == Run("", 0)
