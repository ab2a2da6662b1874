"""Insight: how work is done in a project, as facts with evidence, and what could be written down or automated.

Everything comes from the index in one state of it, and its time is that of the last event that was folded: the same
log gives the same report. Nothing is rendered here; each quote carries the citation that opens it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from axiommind.home import Home, Scope

if TYPE_CHECKING:
    from axiommind.model import Citation
    from axiommind.reports.insight.prose import Prose

__all__ = [
    "Conflict",
    "Correction",
    "Day",
    "EditedOften",
    "FailedOften",
    "HabitShown",
    "InsightReports",
    "Link",
    "Loop",
    "Proposed",
    "Quoted",
    "Report",
    "SessionTime",
    "TaskShown",
    "Together",
    "Tokens",
    "ToolUse",
    "Trending",
]

# Of all projects together: no more of them are looked at for proposals, and no more proposals are made.
_MOST_PROJECTS = 20
_MOST_PROPOSALS = 10


class Quoted(NamedTuple):
    """Words that were said or printed, and where they stand."""

    quote: str
    citation: Citation
    session: str
    at: int | None


class Proposed(NamedTuple):
    """A proposal with its evidence; `project` where the report is about several."""

    kind: str
    project: str | None
    target: str
    title: str
    why: str
    text: str
    language: str
    sessions: int
    days: int
    weight: float  # what the list is ordered by
    evidence: tuple[Quoted, ...]


class HabitShown(NamedTuple):
    text: str
    kind: str
    times: int
    sessions: int
    last_at: int
    example: Quoted | None


class Day(NamedTuple):
    """A day (UTC) on which something happened."""

    day: str
    active_ms: int
    sessions: int
    prompts: int


class SessionTime(NamedTuple):
    session: str
    title: str
    active_ms: int
    prompts: int
    tool_uses: int
    citation: Citation | None


class Tokens(NamedTuple):
    model: str
    messages: int
    output: int
    total: int


class ToolUse(NamedTuple):
    tool: str
    uses: int
    sessions: int
    failed: int


class EditedOften(NamedTuple):
    file: str
    session: str
    title: str
    edits: int
    mean: float
    citation: Citation | None


class FailedOften(NamedTuple):
    """`then`: the command that usually came next and passed."""

    what: str
    complaint: str
    times: int
    sessions: int
    most: int
    never_worked: bool
    then: str
    passed: int
    example: Quoted | None


class Loop(NamedTuple):
    tools: str
    sessions: int
    longest: int


class Together(NamedTuple):
    files: tuple[str, ...]
    sessions: int
    either: int  # sessions that changed one of the first two, or both
    example: Quoted | None


class Trending(NamedTuple):
    """`slope`: percentage points of all uses a week; `weeks`: uses, week by week."""

    tool: str
    slope: float
    r_squared: float
    weeks: tuple[int, ...]


class Link(NamedTuple):
    earlier: str
    earlier_title: str
    later: str
    later_title: str
    shared_files: int
    overlap: float
    gap_minutes: int | None


class Conflict(NamedTuple):
    """Two things that cannot both hold: of memory (`id`), or said by the person."""

    id: str | None
    older: str
    newer: str
    older_at: Citation | None
    newer_at: Citation | None


class Correction(NamedTuple):
    """A prompt that takes back or repairs, and what was asked before it."""

    said: Quoted
    before: str


class TaskShown(NamedTuple):
    id: str
    title: str
    status: str
    waits_for: tuple[str, ...]
    citation: Citation | None


class Report(NamedTuple):
    """All of it. An empty field means that there is nothing to tell."""

    project: str | None
    as_of: int | None
    since: int | None
    until: int | None
    first_at: int | None
    last_at: int | None
    sessions: int
    projects: int
    prompts: int
    tool_uses: int
    active_ms: int
    short: tuple[str, ...] = ()
    proposals: tuple[Proposed, ...] = ()
    habits: tuple[HabitShown, ...] = ()
    days: tuple[Day, ...] = ()
    longest: tuple[SessionTime, ...] = ()
    tokens: tuple[Tokens, ...] = ()
    tools: tuple[ToolUse, ...] = ()
    edited: tuple[EditedOften, ...] = ()
    failed: tuple[FailedOften, ...] = ()
    loops: tuple[Loop, ...] = ()
    refused: int = 0
    together: tuple[Together, ...] = ()
    trends: tuple[Trending, ...] = ()
    links: tuple[Link, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    corrections: tuple[Correction, ...] = ()
    corrected: int = 0
    open_tasks: int = 0
    tasks: tuple[TaskShown, ...] = ()
    learned: bool = False
    weeks: tuple[str, ...] = ()  # Mondays of the weeks that the trends are about
    names: Mapping[str, str] = MappingProxyType({})  # paths of citations, as short as they still open
    prose: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class InsightReports:
    """Reports about how work is done."""

    def __init__(self, home: Home) -> None:
        self.home = home

    def make(
        self, scope: Scope, *, since: int | None = None, until: int | None = None, prose: bool | None = None
    ) -> Report:
        """The report; with `prose` a model writes what is in short, by default where one is configured."""
        from axiommind.reports.insight.facts import Gathered
        from axiommind.reports.insight.rows import Window
        from axiommind.reports.insight.summary import in_short

        window = Window(since, until)
        with self.home.reading(scope, None) as db:
            db.execute("begin")
            report = Gathered(db, scope.project, window).report()
        projects = [] if scope.project is not None or not report.sessions else self._projects(since, until)
        if len(projects) > 1:
            proposals: list[Proposed] = []
            for project in projects:
                with self.home.reading(Scope(project), None) as db:
                    db.execute("begin")
                    proposals += [p._replace(project=project) for p in Gathered(db, project, window).proposals()]
            proposals.sort(key=lambda p: (-p.weight, -p.days, p.kind, p.title, p.project))
            report = report._replace(proposals=tuple(proposals[:_MOST_PROPOSALS]))
        report = report._replace(short=tuple(in_short(report)))
        is_configured = self.home.config.extract_extractor != "rules"
        if report.sessions and (is_configured if prose is None else prose):
            written = self._written(report)
            report = report._replace(prose=written.sentences, notes=(*report.notes, *written.notes))
        return report

    def _projects(self, since: int | None, until: int | None) -> list[str]:
        with self.home.reading(Scope(None), None) as db:
            rows = db.execute(
                """
                select s.project from sessions s
                where (:since is null or coalesce(s.ended_at, s.last_ts) >= :since)
                  and (:until is null or coalesce(s.started_at, s.first_ts) < :until)
                group by s.project order by count(*) desc, s.project limit :most
                """,
                {"since": since, "until": until, "most": _MOST_PROJECTS},
            )
            return [row[0] for row in rows]

    def _written(self, report: Report) -> Prose:
        from functools import partial

        from axiommind.learning.budget import spending
        from axiommind.learning.event_writer import Writer
        from axiommind.projections.runner import Segments
        from axiommind.reports.insight.prose import unwritten, write
        from axiommind.reports.insight.summary import figures

        name = self.home.config.extract_extractor
        if name == "rules":
            return unwritten("no model is configured (extract.extractor), so the sentences are those of the rules")
        with self.home.writing([]) as (log, key, index):
            catch_up = partial(index.catch_up, log, Segments(log))
            spend = spending(self.home.config, Writer(log, key), index.db, name, catch_up)
            written = write(name, self.home.config, spend, [*report.short, *figures(report)])
            catch_up()
            return written
