"""In short: what a report says, as a few sentences of fact, the most telling first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from axiommind.reports.insight.rows import file_name, one_line

if TYPE_CHECKING:
    from axiommind.reports.insight.values import FailedOften, InsightReport

__all__ = ["figures", "in_short"]

MOST = 6
LEAST = 3
MOST_SHOWN = 5
MOST_FAILURES = 3
LEAST_MET = 3
OFTEN_MET = 10


def in_short(report: InsightReport) -> list[str]:
    """Three to six sentences, the most telling first."""
    found: list[str] = []
    found += [_failed(report, one) for one in report.failed if one.sessions >= _often(report)][:MOST_FAILURES]
    said = [one for one in report.habits if one.sessions > 1]
    if said:
        habit = said[0]
        found.append(
            f"“{one_line(habit.text, 60)}”, or nearly that, was asked {_times(habit.times)}, "
            f"in {habit.sessions} of {_counted(report.sessions, 'session')}."
        )
    if report.edited:
        file = report.edited[0]
        found.append(
            f"`{file_name(file.file)}` was edited {_times(file.edits)} in one session; the mean is {file.mean:.1f}."
        )
    if report.together and report.together[0].sessions > 2:
        pair = report.together[0]
        found.append(
            f"{_listed(pair.files)} changed together in {pair.sessions} of the {pair.either} sessions that changed one "
            "of them."
        )
    if report.active_ms:
        busiest = max(report.days, key=lambda day: (day.active_ms, day.day))
        found.append(
            f"Work went on for {_hours(report.active_ms)} on {_counted(len(report.days), 'day')}, the most on "
            f"{busiest.day} ({_hours(busiest.active_ms)})."
            if len(report.days) > 1
            else f"Work went on for {_hours(report.active_ms)}."
        )
    if report.conflicts:
        found.append(f"{_counted(len(report.conflicts), 'contradiction')} still open.")
    elif report.open_tasks:
        found.append(f"{_counted(report.open_tasks, 'task')} still open.")
    if len(found) < LEAST and report.sessions:
        calls = f", {_counted(report.tool_uses, 'tool use')}" if report.tool_uses else ""
        found.append(f"{_counted(report.sessions, 'session')}, {_counted(report.prompts, 'prompt')}{calls}.")
    return found[:MOST]


def _often(report: InsightReport) -> float:
    """In how many sessions something has to fail to belong here: in ten whatever the project, in fewer where a fifth
    of its sessions met it."""
    return max(LEAST_MET, min(OFTEN_MET, report.sessions / 5))


def _failed(report: InsightReport, one: FailedOften) -> str:
    tools = {use.tool: use for use in report.tools}
    if one.what in tools:
        of = f"{one.times:,} of {_times(tools[one.what].uses)}"
        return f"`{one.what}` failed {of} with “{one_line(one.complaint, 80)}”, in {_counted(one.sessions, 'session')}."
    never = " and never passed" if one.never_worked else ""
    said = f"`{one.what}` failed {_times(one.times)} in {_counted(one.sessions, 'session')}{never}"
    if one.then:
        return f"{said}; `{one.then}` came next and passed {_times(one.passed)}."
    return (
        f"{said}; the error says to run `{one.remedy}`." if one.remedy else f"{said}: “{one_line(one.complaint, 80)}”."
    )


def figures(report: InsightReport) -> list[str]:
    """Further facts that prose may use."""
    found = [f"{_counted(report.sessions, 'session')}, {_counted(report.prompts, 'prompt')}."]
    found += [f"Tool {t.tool}: {t.uses} uses in {t.sessions} sessions, {t.failed} failed." for t in report.tools[:6]]
    found += [f"Proposal: {p.title}. {p.why} {p.saves.text}" for p in report.proposals[:MOST_SHOWN]]
    found += [f"`{f.what}` failed {f.times} times in {f.sessions} sessions." for f in report.failed]
    if report.corrected:
        found.append(f"The person corrected the agent {_times(report.corrected)}.")
    return found


def _listed(files: Sequence[str]) -> str:
    named = [f"`{file_name(file)}`" for file in files[:3]]
    return f"{', '.join(named[:-1])} and {named[-1]}"


def _hours(ms: int) -> str:
    return f"{ms / 3_600_000:.1f} hours" if ms >= 5_400_000 else f"{max(1, round(ms / 60_000))} minutes"


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count:,} times")


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
