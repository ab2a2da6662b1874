"""Work units and sequences against a brute-force reading of their definition."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from axiommind.reports.analysers.sequences import frequent
from axiommind.reports.analysers.tuning import Tuning
from axiommind.reports.analysers.units import MINUTE_MS, ToolStep, Unit, split

PAUSE_MS = Tuning().time_window_minutes * MINUTE_MS

tools = st.sampled_from(["A", "B", "C"])
uses = st.lists(st.builds(ToolStep, tools, st.none() | st.integers(0, 4 * PAUSE_MS), st.booleans()), max_size=14)
units = st.lists(st.tuples(st.sampled_from(["s", "t"]), uses), max_size=6).map(
    lambda found: [Unit(session, list(run)) for session, run in sorted(found, key=lambda f: f[0])]
)


def of(letters: str, session: str = "s") -> Unit:
    return Unit(session, [ToolStep(letter) for letter in letters])


def test_a_pause_of_more_than_five_minutes_splits() -> None:
    run = [ToolStep("A", 0), ToolStep("B", PAUSE_MS), ToolStep("C", 2 * PAUSE_MS + 1)]
    assert [[use.tool for use in unit] for unit in split(run)] == [["A", "B"], ["C"]]


def test_a_missing_time_never_splits() -> None:
    run = [ToolStep("A", 0), ToolStep("B", None), ToolStep("C", 99 * PAUSE_MS)]
    assert len(split(run)) == 1


def test_no_uses_no_units() -> None:
    assert split([]) == []


@given(uses)
def test_splitting_loses_nothing_and_cuts_only_at_pauses(run: list[ToolStep]) -> None:
    parts = split(run)
    assert [use for part in parts for use in part] == run
    assert all(parts)
    at = 0
    for part in parts[:-1]:
        at += len(part)
        before, after = run[at - 1].at, run[at].at
        assert before is not None
        assert after is not None
        assert after - before > PAUSE_MS


def test_a_sequence_inside_an_equally_frequent_longer_one_is_dropped() -> None:
    found = frequent([of("ABC"), of("ABC"), of("ABC"), of("AB")], 3)
    assert [("".join(f.tools), f.count) for f in found] == [("AB", 4), ("ABC", 3)]


def test_sequences_do_not_cross_units_and_stop_at_five() -> None:
    assert frequent([of("A"), of("B")] * 3, 1) == []
    assert max(len(f.tools) for f in frequent([of("ABCABCABC")], 1)) == 5


def test_sessions_are_counted_once_each() -> None:
    [found] = frequent([of("AB", "s"), of("AB", "s"), of("AB", "t")], 1)
    assert (found.count, found.sessions) == (3, 2)


def naive(units: list[Unit], at_least: int) -> dict[tuple[str, ...], int]:
    counts: Counter[tuple[str, ...]] = Counter()
    for unit in units:
        for start in range(len(unit.uses)):
            for end in range(start + 2, min(start + 5, len(unit.uses)) + 1):
                if unit.uses[end - 1].counts:
                    counts[tuple(use.tool for use in unit.uses[start:end])] += 1
    often = {tools: n for tools, n in counts.items() if n >= at_least}

    def inside(short: tuple[str, ...], long: tuple[str, ...]) -> bool:
        return len(short) < len(long) and any(
            long[i : i + len(short)] == short for i in range(len(long) - len(short) + 1)
        )

    return {
        short: n for short, n in often.items() if not any(inside(short, long) and m >= n for long, m in often.items())
    }


@given(units, st.integers(1, 4))
def test_sequences_equal_the_definition(found: list[Unit], at_least: int) -> None:
    assert {f.tools: f.count for f in frequent(found, at_least)} == naive(found, at_least)


@given(units)
def test_asking_for_more_only_removes_sequences(found: list[Unit]) -> None:
    few = {f.tools for f in frequent(found, 3)}
    assert few <= {f.tools for f in frequent(found, 1)}
