"""Insight: how work is done in a project, as facts with evidence, and what could be written down or automated.

Everything comes from the index in one state of it, and its time is that of the last event that was folded: the same
log gives the same report. Nothing is rendered here; each quote carries the citation that opens it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from axiommind.home import Home, Scope

if TYPE_CHECKING:
    from axiommind.reports.insight.prose import Prose
    from axiommind.reports.insight.values import InsightReport, Proposed

__all__ = ["InsightReports"]

# Of all projects together: no more of them are looked at for proposals, and no more proposals are made.
_MOST_PROJECTS = 20
_MOST_PROPOSALS = 10


class InsightReports:
    """Reports about how work is done."""

    def __init__(self, home: Home) -> None:
        self.home = home

    def make(
        self, scope: Scope, *, since: int | None = None, until: int | None = None, prose: bool | None = None
    ) -> InsightReport:
        """The report; with `prose` a model writes what is in short, by default where one is configured."""
        from axiommind.prices.dollars import Pricing
        from axiommind.reports.insight.facts import report_of
        from axiommind.reports.insight.reader import FactReader
        from axiommind.reports.insight.rows import Window
        from axiommind.reports.insight.suggestions import proposals_of
        from axiommind.reports.insight.summary import in_short

        window = Window(since, until)
        with self.home.reading(scope, None) as db:
            if self.home.config.usage_dollars:
                Pricing().register(db)
            db.execute("begin")
            report = report_of(FactReader(db, scope.project, window))
        projects = [] if scope.project is not None or not report.sessions else self._projects(since, until)
        if len(projects) > 1:
            proposals: list[Proposed] = []
            for project in projects:
                with self.home.reading(Scope(project), None) as db:
                    db.execute("begin")
                    proposals += [p._replace(project=project) for p in proposals_of(FactReader(db, project, window))]
            proposals.sort(key=lambda p: (-p.saves.worth, -p.sessions, -p.days, p.kind, p.title, p.project))
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

    def _written(self, report: InsightReport) -> Prose:
        from functools import partial

        from axiommind.llm.budget import within_budget
        from axiommind.projections.runner import Segments
        from axiommind.reports.insight.prose import unwritten, write
        from axiommind.reports.insight.summary import figures

        name = self.home.config.extract_extractor
        if name == "rules":
            return unwritten("no model is configured (extract.extractor), so the sentences are those of the rules")
        with self.home.writing([]) as (log, _key, index):
            catch_up = partial(index.catch_up, log, Segments(log))
            spending = within_budget(self.home.config, log, index.db, name, catch_up)
            written = write(name, self.home.config, spending, [*report.short, *figures(report)])
            catch_up()
            return written
