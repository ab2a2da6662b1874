"""The straight line through weekly counts."""

from __future__ import annotations

from statistics import correlation, linear_regression

import pytest
from hypothesis import given
from hypothesis import strategies as st

from axiommind.reports.analysers.trends import WEEK_MS, ToolEvent, Trend, fit, weekly


@given(st.lists(st.integers(0, 60), min_size=2, max_size=30))
def test_the_line_is_that_of_the_textbook(counts: list[int]) -> None:
    trend = fit({week: n for week, n in enumerate(counts) if n}, len(counts))
    if len(set(counts)) == 1:
        assert trend == Trend(0.0, 0.0)
        return
    weeks = list(range(len(counts)))
    r_squared = correlation(weeks, counts) ** 2
    assert trend.r_squared == pytest.approx(r_squared, abs=1e-9)
    slope = linear_regression(weeks, counts).slope
    if abs(r_squared - 0.3) > 1e-6:
        assert trend.slope == pytest.approx(slope if r_squared >= 0.3 else 0.0, abs=1e-9)


def test_one_week_has_no_trend() -> None:
    assert fit({0: 5}, 1) == Trend(0.0, 0.0)


def test_a_week_without_any_work_is_no_point_of_the_line() -> None:
    times = [week for week, uses in ((1, 1), (2, 2), (9, 3)) for _ in range(uses)]
    found = weekly(ToolEvent(week * WEEK_MS, "s", "Edit") for week in times)
    assert [week.tools["Edit"] for week in found.weeks.values()] == [1, 2, 3]
    assert found.trends["Edit"] == pytest.approx((1.0, 1.0))
