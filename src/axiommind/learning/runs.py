"""Learning: running the pipeline over sessions, how that went, and what models cost."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from axiommind.callers import Caller
from axiommind.db import dicts
from axiommind.errors import AxmError
from axiommind.home import Home, Scope, now
from axiommind.ids import one_of
from axiommind.learning import distilling
from axiommind.learning.distilling import DistillingPass, DistillingState
from axiommind.learning.learner import Learner
from axiommind.learning.session_queue import drop_old_marks, ended_marks, is_finished, to_learn
from axiommind.learning.turns import is_wanted, note_run, turn

if TYPE_CHECKING:
    from axiommind.learning.audit import Audit
    from axiommind.learning.run_report import LearningReport
    from axiommind.llm.budget import SpendingDay
    from axiommind.log.sqlite import SqliteLog
    from axiommind.projections.runner import Index
    from axiommind.search.search import Search

__all__ = ["Learning", "Metrics", "Spent"]

_ANCHORING_SECONDS = 5.0  # of looking at files and git; the next run goes on
_SESSION_COUNT = """
    select count(*)
    from (
        select session_id from learned where status <> 'failed'
        union
        select session_id from entries)
"""
_LEARNED = "select head from learned where session_id = ? and extractor = 'rules'"
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


class Metrics(NamedTuple):
    steps: list[dict[str, Any]]
    builds: list[dict[str, Any]]
    failed: list[dict[str, Any]]
    audit: Audit


class Spent(NamedTuple):
    days: list[SpendingDay]
    caps: dict[str, float]


class _Pass(NamedTuple):
    """One extractor over the sessions that ended since a time, or over all; only the finished ones where it says so."""

    name: str
    since: int | None = None
    finished: bool = False
    by_itself: bool = False  # nobody asked for it now: if it cannot be, the rest goes on


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
        backfill: int | None = None,
        again: bool = False,
        dry_run: bool = False,
        progress: Callable[[int, int], None] | None = None,
        waiting: Callable[[], None] | None = None,
        at: int | None = None,
    ) -> LearningReport:
        """Learn the sessions that were not learned yet or have changed since. Where another process learns, this waits
        for it (`waiting` is called then) and continues. `backfill`: a model is asked about so many finished sessions,
        newest first, whenever they ended. `at`: as of another time than now, for a replay of the past, which the code
        of today has nothing to do with."""
        from axiommind.learning.run_report import LearningReport

        report = LearningReport(dry_run=dry_run)
        limit = limit if backfill is None else backfill
        with self.home.writing(report.notes) as (log, key, index):
            chosen = None if session is None else one_of(session, _sessions(index), "session")
            for one in self._passes(extractor, is_backfill=backfill is not None):
                learner = Learner(self.home, self.search, log, key, index, one.name)
                began = one.since if since is None else max(since, one.since or since)
                with nullcontext() if dry_run or learner.is_model else turn(self.home.config.home, waiting=waiting):
                    which = learner.queue(
                        project=project, since=began, again=again, finished=one.finished, named=chosen is not None
                    )
                    names = [queued.session for queued in which if chosen in (None, queued.session)]
                    part = _learned(one, learner, names[:limit], again=again, dry_run=dry_run, progress=progress)
                    part.left += max(len(names) - len(names[:limit]), 0)
                    report.add(part)
            if not dry_run:
                _after_learning(report, log, key, index, at)
        return report

    def catch_up(self, session: str) -> None:
        """Learn one session by the rules, if it is not learned as far as it was read: unless that is switched off, or
        another process is learning."""
        from axiommind.learning.turns import is_learning
        from axiommind.projections.transcript import head_of

        if not self.home.config.learn_auto or is_learning(self.home.config.home):
            return
        with self.home.reading(Scope(None), None) as db:
            row = db.execute(_LEARNED, (session,)).fetchone()
            if row is not None and row[0] == head_of(db, session):
                return
        self.run(session=session, extractor="rules")

    def _passes(self, extractor: str | None, *, is_backfill: bool = False) -> list[_Pass]:
        """Who learns, one after the other. Rules come first, so that a model is told what they found."""
        config = self.home.config
        if is_backfill:
            return [_Pass(extractor or distilling.usual_model(config), finished=True)]
        if extractor is not None:
            return [_Pass(extractor)]
        found = [_Pass("rules")]
        if config.extract_extractor != "rules":
            found.append(_Pass(config.extract_extractor))
        model = distilling.distilling_pass(config)
        if model is not None and model.model != config.extract_extractor:
            found.append(_Pass(model.model, model.since, finished=True, by_itself=True))
        return found

    def run_in_background(self, *, finished: bool = False) -> LearningReport:
        """What happens by itself, for `learn.seconds` at most: the rules learn what is new, unless another process
        does, and the model that was switched on is asked about what has ended. `finished`: the rules too leave alone
        what goes on."""
        from axiommind.learning.run_report import LearningReport

        home, began = self.home.config.home, now()
        report = LearningReport()
        stop = _limit(home, self.home.config.learn_seconds)
        with self.home.writing(report.notes) as (log, key, index):
            with turn(home, wait=False) as ours:
                if ours:
                    rules = Learner(self.home, self.search, log, key, index, "rules")
                    report.add(_in_rounds(rules, stop, finished=finished))
            model = distilling.distilling_pass(self.home.config)
            if model is not None and not report.stopped:
                report.add(self._distil(Learner(self.home, self.search, log, key, index, model.model), model, stop))
            if report.sessions:
                _after_learning(report, log, key, index)
        drop_old_marks(home, began)
        if ours or report.sessions:
            note_run(home, report.figures(began, now()))
        return report

    def _distil(self, learner: Learner, model: DistillingPass, stop: Callable[[], str]) -> LearningReport:
        from axiommind.learning.run_report import LearningReport

        which = [one.session for one in learner.queue(since=model.since, finished=True)]
        return _learned(_Pass(model.model, by_itself=True), learner, which, stop=stop) if which else LearningReport()

    def distilling(self) -> DistillingState:
        """Whether a model is asked by itself, whether it could be, and how much waits for it."""
        return distilling.state_of(self.home)

    def switch_model(self, model: str | None, *, on: bool = True, caller: Caller | None = None) -> DistillingState:
        """Switch the model on (None: the user's own agent) or off, in `config.toml`. Only a person switches it on."""
        self.home.config = (
            distilling.switch_on(self.home, model, caller=caller) if on else distilling.switch_off(self.home)
        )
        return distilling.state_of(self.home)

    def waiting(self, *, finished: bool = False) -> int:
        """How many sessions the rules have not learned yet."""
        if not self.home.config.index_path.exists():
            return 0
        with self.home.reading(Scope(None), None) as db:
            found = to_learn(db, "rules")
            marks = ended_marks(self.home.config.home) if finished else {}
            return sum(not finished or is_finished(one, marks, now()) for one in found)

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


def _learned(one: _Pass, learner: Learner, sessions: list[str], **how: Any) -> LearningReport:
    from axiommind.learning.run_report import LearningReport

    try:
        return learner.learn(sessions, **how)
    except AxmError as error:
        if not one.by_itself:
            raise
        return LearningReport(stopped=error.message, left=len(sessions))  # what the rules learned stays


def _in_rounds(learner: Learner, stop: Callable[[], str], *, finished: bool) -> LearningReport:
    """What there is to learn, and then what was indexed meanwhile, each session once."""
    from axiommind.learning.run_report import LearningReport

    report = LearningReport()
    sessions = 0
    tried: set[str] = set()
    while not report.stopped:
        new = [one.session for one in learner.queue(finished=finished) if one.session not in tried]
        if not new:
            break
        tried.update(new)
        report.add(part := learner.learn(new, stop=stop))
        sessions += part.sessions
    report.sessions = sessions
    return report


def _limit(home: Path, seconds: float) -> Callable[[], str]:
    """Why a run in the background should end now; empty while it should not."""
    until = time.monotonic() + seconds

    def reason() -> str:
        if is_wanted(home):
            return "another process continues"
        return f"{seconds:g} seconds are over" if time.monotonic() > until else ""

    return reason


def _after_learning(report: LearningReport, log: SqliteLog, key: bytes, index: Index, at: int | None = None) -> None:
    """What follows from new entries: they are settled, and tied to the code that they name."""
    from axiommind.learning.anchoring import anchor_entries
    from axiommind.learning.event_writer import EventWriter
    from axiommind.learning.settling import settle, unsettled
    from axiommind.projections.runner import Segments

    writer = EventWriter(log, key)
    # Of a run that was cut off; and of all of them where it is another time than now.
    left = {*unsettled(index.db), *(() if at is None else report.projects)}
    settle(log, writer, index, left, at=now() if at is None else at)
    if at is None:
        anchor_entries(index.db, writer, seconds=_ANCHORING_SECONDS)
    index.catch_up(log, Segments(log))


def _sessions(index: Index) -> set[str]:
    return {row[0] for row in index.db.execute("select id from sessions")}
