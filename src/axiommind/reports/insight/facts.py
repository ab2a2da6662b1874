"""The facts of a report about work, gathered from one scope of the index, each with the rows that show it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from axiommind.reports.analysers import activity
from axiommind.reports.analysers.evidence import Habit
from axiommind.reports.insight import memory_facts, tool_facts, work_time
from axiommind.reports.insight.reader import FactReader
from axiommind.reports.insight.rows import file_name, one_line
from axiommind.reports.insight.suggestions import proposals_of
from axiommind.reports.insight.values import HabitShown, InsightReport

__all__ = ["report_of"]


def report_of(facts: FactReader) -> InsightReport:
    (as_of,) = facts.db.execute("select max(last_ts) from projection_offsets").fetchone()
    times = work_time.times(facts)
    active = activity.together(activity.stretches(some) for some in times.values())
    moments = [at for some in times.values() for at in some]
    corrections, corrected = memory_facts.corrections(facts)
    trends, weeks = tool_facts.trends(facts)
    tasks, open_tasks = memory_facts.tasks(facts)
    conflicts = memory_facts.conflicts(facts)
    (projects,) = facts.db.execute("select count(distinct project) from sessions").fetchone()
    return InsightReport(
        project=facts.project,
        as_of=as_of or None,
        since=facts.window.since,
        until=facts.window.until,
        first_at=min(moments, default=None),
        last_at=max(moments, default=None),
        sessions=len(times),
        projects=projects,
        prompts=len(facts.prompts),
        tool_uses=len(facts.counted),
        active_ms=activity.total(active),
        proposals=tuple(proposals_of(facts)) if facts.project is not None or projects < 2 else (),
        habits=tuple(_habit(facts, habit) for habit in facts.habits),
        days=tuple(work_time.days(facts, times, active)),
        longest=tuple(work_time.longest(facts, times)),
        tokens=tuple(tool_facts.tokens(facts)),
        tools=tuple(tool_facts.tools(facts)),
        edited=tuple(tool_facts.edited(facts)),
        failed=tuple(tool_facts.failed(facts)),
        loops=tuple(tool_facts.loops(facts)),
        refused=tool_facts.refused(facts),
        together=tuple(tool_facts.together(facts)),
        trends=tuple(trends),
        weeks=tuple(weeks),
        links=tuple(memory_facts.links(facts)),
        conflicts=conflicts,
        corrections=corrections,
        corrected=corrected,
        open_tasks=open_tasks,
        tasks=tasks,
        learned=facts.db.execute("select 1 from learned limit 1").fetchone() is not None,
        names=_names(facts),
        notes=tuple(_notes(facts, len(times))),
    )


def _notes(facts: FactReader, sessions: int) -> Iterable[str]:
    if sessions == 1:
        yield "One session shows no habits: proposals need at least two."
    if sessions and not facts.prompts:
        yield "Nobody's prompts are in these sessions, so nothing is said about habits."


def _names(facts: FactReader) -> dict[str, str]:
    """Each transcript by its file's name, where no other file of the index ends so."""
    paths = [row[0] for row in facts.db.execute("select path from main.files union select path from main.documents")]
    ends = Counter(file_name(path) for path in paths)
    return {path: file_name(path) for path in paths if ends[file_name(path)] == 1}


def _habit(facts: FactReader, habit: Habit) -> HabitShown:
    return HabitShown(
        one_line(habit.text),
        habit.kind,
        habit.count,
        habit.sessions,
        habit.last_at,
        facts.last(habit.witnesses),
    )
