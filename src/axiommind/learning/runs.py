"""Learning: running the pipeline over sessions, how that went, and what models cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from axiommind.db import dicts
from axiommind.home import Home, Scope, now
from axiommind.ids import one_of
from axiommind.learning.stage_changes import apply_policy

if TYPE_CHECKING:
    from axiommind.learning.audit import Audit
    from axiommind.learning.run_report import LearningReport
    from axiommind.llm.budget import SpendingDay
    from axiommind.log.sqlite import SqliteLog
    from axiommind.projections.runner import Index
    from axiommind.search.search import Search

__all__ = ["Learning", "Metrics", "Spent"]

# A session that failed so often is learned again only when it grows, or when it is asked for.
TRIES = 3
_ANCHORING_SECONDS = 5.0  # of looking at files and git; the next run goes on
_SESSION_COUNT = """
    select count(*)
    from (
        select session_id from learned where status <> 'failed'
        union
        select session_id from entries)
"""
_STEPS = """
    with ranked as (
        select stage, latency_ms, success,
               cume_dist() over (partition by stage order by latency_ms) as place
        from pipeline_metrics
        where :project is null or project = :project)
    select stage as step, count(*) as runs, sum(not success) as failed,
           round(min(case when place >= 0.5 then latency_ms end), 2) as p50_ms,
           round(min(case when place >= 0.95 then latency_ms end), 2) as p95_ms,
           round(sum(latency_ms) / 1000, 3) as total_s
    from ranked
    group by stage
    order by sum(latency_ms) desc
"""
_BUILDS = """
    select extractor, extractor_model as model, idris_version as idris, status, count(*) as builds,
           max(started_at) as last
    from build_runs
    where :project is null or project = :project
    group by 1, 2, 3, 4
    order by builds desc
"""
_FAILED = """
    select session_id, extractor, error, at
    from learned
    where status = 'failed'
      and (:project is null or project = :project)
    order by at desc
    limit 20
"""
_TO_LEARN = """
    select s.id
    from sessions s
    join (
        select session_id, max(position) || '.' || count(*) as head
        from segments
        where live
        group by session_id) h on h.session_id = s.id
    left join learned l on l.session_id = s.id and l.extractor = :extractor
    where (:again or l.head is null or l.head <> h.head or (l.status = 'failed' and l.failures < :tries))
      and (:project is null or s.project = :project)
      and (:since is null or coalesce(s.ended_at, s.last_ts, s.file_mtime) >= :since)
    order by coalesce(s.started_at, s.first_ts, s.file_mtime), s.parent_session is not null, s.id
"""


class Metrics(NamedTuple):
    steps: list[dict[str, Any]]
    builds: list[dict[str, Any]]
    failed: list[dict[str, Any]]
    audit: Audit


class Spent(NamedTuple):
    days: list[SpendingDay]
    caps: dict[str, float]


class Learning:
    """Extracts entries and tasks from sessions."""

    def __init__(self, home: Home, search: Search) -> None:
        self.home = home
        self.search = search

    def run(
        self,
        *,
        session: str | None = None,
        project: str | None = None,
        since: int | None = None,
        limit: int | None = None,
        extractor: str | None = None,
        again: bool = False,
        dry_run: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> LearningReport:
        """Learn the sessions that were not learned yet or have changed since."""
        from axiommind.learning.anchoring import anchor_entries
        from axiommind.learning.event_writer import EventWriter
        from axiommind.learning.run_report import LearningReport
        from axiommind.projections.runner import Segments

        asked = (
            [extractor] if extractor is not None else list(dict.fromkeys(("rules", self.home.config.extract_extractor)))
        )
        report = LearningReport(dry_run=dry_run)
        with self.home.writing(report.notes) as (log, key, index):
            for name in asked:
                which = _to_learn(index, name, session=session, project=project, since=since, again=again)
                part = self._learn_by(name, log, key, index, which[:limit], dry_run=dry_run, progress=progress)
                part.left += max(len(which) - len(which[:limit]), 0)
                report.add(part)
            if report.entries and not dry_run:
                risen = apply_policy(log, EventWriter(log, key), index, "graduation", at=now())
                report.certified = sum(change.target == "certified" for change in risen)
            if not dry_run:
                anchor_entries(index.db, EventWriter(log, key), seconds=_ANCHORING_SECONDS)
                index.catch_up(log, Segments(log))
        return report

    def _learn_by(
        self,
        name: str,
        log: SqliteLog,
        key: bytes,
        index: Index,
        sessions: Sequence[str],
        *,
        dry_run: bool,
        progress: Callable[[int, int], None] | None,
    ) -> LearningReport:
        """What one extractor learns of these sessions."""
        from axiommind.extraction import load
        from axiommind.learning.checks import find_idris
        from axiommind.learning.pipeline import Pipeline
        from axiommind.learning.run_report import LearningReport
        from axiommind.llm.budget import within_budget
        from axiommind.projections.runner import Segments

        spending = within_budget(self.home.config, log, index.db, name, lambda: index.catch_up(log, Segments(log)))
        chosen = load(name, self.home.config, spending)
        if dry_run and not chosen.is_measured:
            report = LearningReport(dry_run=True, sessions=len(sessions), extractors=[name])
            report.notes.append(f"{name} would be asked about {len(sessions)} sessions; a dry run does not ask")
            return report
        pipeline = Pipeline(
            log,
            key,
            index,
            chosen,
            find_idris(self.home.environ),
            together=chosen.is_measured,
            near=self.search.tasks_near(),
        )
        report = pipeline.run(sessions, dry_run=dry_run, progress=progress)
        report.extractors = [name]
        return report

    def session_count(self) -> int:
        """How many sessions something was learned from or remembered; none where there is no index yet."""
        if not self.home.config.index_path.exists():
            return 0
        with self.home.reading(Scope(None), None) as db:
            (count,) = db.execute(_SESSION_COUNT).fetchone()
            return int(count)

    def metrics(self, scope: Scope) -> Metrics:
        """How long the steps took and how often they failed, the builds, and the audit of the store."""
        from axiommind.learning.audit import audit

        with self.home.reading(Scope(None), None) as db:
            values = {"project": scope.project}
            steps, builds, failed = (dicts(db.execute(sql, values)) for sql in (_STEPS, _BUILDS, _FAILED))
            return Metrics(steps, builds, failed, audit(db, now(), scope.project))

    def budget(self) -> Spent:
        """What models cost, day by day, and the caps."""
        from axiommind.llm.budget import spending_by_day

        config = self.home.config
        caps = {"calls": config.budget_calls, "tokens": config.budget_tokens, "usd": config.budget_usd}
        if not config.index_path.exists():
            return Spent([], caps)
        with self.home.reading(Scope(None), None) as db:
            return Spent(spending_by_day(db), caps)


def _to_learn(
    index: Index, extractor: str, *, session: str | None, project: str | None, since: int | None, again: bool
) -> list[str]:
    """The sessions to learn, oldest first, so that a task is created before it is done; parents before subagents."""
    values = {"extractor": extractor, "project": project, "since": since, "again": again, "tries": TRIES}
    rows = index.db.execute(_TO_LEARN, values)
    found = [row[0] for row in rows]
    if session is None:
        return found
    known = {row[0] for row in index.db.execute("select id from sessions")}
    chosen = one_of(session, known, "session")
    return [one for one in found if one == chosen]
