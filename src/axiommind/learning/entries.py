"""What was learned: running the pipeline, looking at entries, and a person's word about them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from axiommind.home import Scope, now
from axiommind.ids import one_of
from axiommind.search.searching import Searching

if TYPE_CHECKING:
    from axiommind.learning.audit import Audit
    from axiommind.learning.budget import Day
    from axiommind.learning.entry_view import EntryShown
    from axiommind.learning.event_writer import Writer
    from axiommind.learning.policies import Change
    from axiommind.learning.run_report import Report
    from axiommind.log.sqlite import SqliteLog
    from axiommind.model import Event
    from axiommind.projections.entry_rows import EntryRow, Listed
    from axiommind.projections.runner import Index

__all__ = ["Learning", "Metrics", "Spent", "apply_policy", "write_changes"]

_CONFLICT_COLUMNS = (
    "conflict_id, older_id, newer_id, conflict_type, reason, detected_at, resolved_at, resolution, resolved_by"
)


# A session that failed so often as it is, is learned again only when it grows, or is asked for.
TRIES = 3


class Metrics(NamedTuple):
    steps: list[dict[str, Any]]
    builds: list[dict[str, Any]]
    failed: list[dict[str, Any]]
    audit: Audit


class Spent(NamedTuple):
    days: list[Day]
    caps: dict[str, float]


class Learning(Searching):
    """What `axm learn` and the commands about entries can ask for. Tasks are in `api.tasks`."""

    @contextlib.contextmanager
    def _memory(self) -> Iterator[tuple[SqliteLog, Writer, Index]]:
        """The log, what writes memory's events into it, and the index brought up to it; and again at the end."""
        from axiommind.learning.event_writer import Writer
        from axiommind.projections.runner import Segments

        with self._writing([]) as (log, key, index):
            yield log, Writer(log, key), index
            index.catch_up(log, Segments(log))

    def learn(
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
    ) -> Report:
        """Learn the sessions that were not learned yet, or have changed since."""
        from axiommind.learning.event_writer import Writer
        from axiommind.learning.run_report import Report

        asked = [extractor] if extractor is not None else list(dict.fromkeys(("rules", self.config.extract_extractor)))
        report = Report(dry_run=dry_run)
        with self._writing(report.notes) as (log, key, index):
            for name in asked:
                which = _to_learn(index, name, session=session, project=project, since=since, again=again)
                part = self._learn_by(name, log, key, index, which[:limit], dry_run=dry_run, progress=progress)
                part.left += max(len(which) - len(which[:limit]), 0)
                report.add(part)
            if report.entries and not dry_run:
                risen = apply_policy(log, Writer(log, key), index, "graduation", at=now())
                report.certified = sum(change.target == "certified" for change in risen)
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
    ) -> Report:
        """What one extractor learns of these sessions."""
        from axiommind.learning.budget import spending
        from axiommind.learning.checks import find_idris
        from axiommind.learning.event_writer import Writer
        from axiommind.learning.extractors import load
        from axiommind.learning.pipeline import Pipeline
        from axiommind.learning.run_report import Report
        from axiommind.projections.runner import Segments

        spend = spending(self.config, Writer(log, key), index.db, name, lambda: index.catch_up(log, Segments(log)))
        chosen = load(name, self.config, spend)
        if dry_run and not chosen.is_measured:
            report = Report(dry_run=True, sessions=len(sessions), extractors=[name])
            report.notes.append(f"{name} would be asked about {len(sessions)} sessions; a dry run asks nobody")
            return report
        pipeline = Pipeline(
            log, key, index, chosen, find_idris(self.environ), together=chosen.is_measured, near=self.tasks_near()
        )
        report = pipeline.run(sessions, dry_run=dry_run, progress=progress)
        report.extractors = [name]
        return report

    # --- looking ---------------------------------------------------------------------------------------

    def learned(self) -> int:
        """How many sessions something was learned of, or remembered; none where there is no index yet."""
        if not self.config.index_path.exists():
            return 0
        with self._reading(Scope(None), None) as db:
            (count,) = db.execute(
                """
                select count(*) from (
                    select session_id from learned where status <> 'failed' union select session_id from entries)
                """
            ).fetchone()
            return int(count)

    def entries(
        self,
        scope: Scope,
        *,
        types: Sequence[str] = (),
        stages: Sequence[str] = (),
        statuses: Sequence[str] = (),
        session: str | None = None,
        every: bool = False,
        limit: int = 50,
    ) -> list[Listed]:
        from axiommind.projections.entry_rows import list_entries

        with self._reading(Scope(None), None) as db:
            if session is not None:
                session = one_of(session, {row[0] for row in db.execute("select id from sessions")}, "session")
            return list_entries(
                db,
                types=types,
                stages=stages,
                statuses=statuses,
                project=scope.project,
                session=session,
                every=every,
                limit=limit,
            )

    def entry(self, name: str) -> EntryShown:
        """One entry with its history and its quotes in their place."""
        from axiommind.learning.entry_view import show
        from axiommind.projections.entry_rows import find_entry

        with self._reading(Scope(None), None) as db, self._log_to_read() as (log, _key):
            return show(db, log.blob, find_entry(db, name))

    def why(self, name: str) -> tuple[EntryRow, list[Event]]:
        """Every event that made an entry what it is."""
        from axiommind.learning.entry_view import events_of
        from axiommind.projections.entry_rows import find_entry

        with self._reading(Scope(None), None) as db, self._log_to_read() as (log, _key):
            entry = find_entry(db, name)
            return entry, list(events_of(log, entry))

    def conflicts(self, scope: Scope, *, every: bool = False) -> list[dict[str, Any]]:
        """Claims that cannot both hold; with `every` also those that are settled."""
        with self._reading(Scope(None), None) as db:
            cursor = db.execute(
                f"""
                select {_CONFLICT_COLUMNS}, o.title as title, o.text as older, n.text as newer
                from conflicts c
                join entries o on o.entry_id = c.older_id
                join entries n on n.entry_id = c.newer_id
                where (:every or c.resolved_at is null) and (:project is null or n.project = :project)
                order by c.resolved_at is not null, c.detected_at desc, c.conflict_id
                """,
                {"every": every, "project": scope.project},
            )
            return _dicts(cursor)

    def decisions(self, scope: Scope, *, limit: int = 50) -> list[dict[str, Any]]:
        """What was decided by hand and what sessions decided, newest first."""
        with self._reading(Scope(None), None) as db:
            cursor = db.execute(
                """
                select decision_id as id, ts as at, actor as made_by, action as decision,
                       json_extract(outcome_json, '$.reason') as rationale,
                       case actor when 'agent' then 'working' else 'certified' end as stage, 'active' as status,
                       (select count(*) from decision_evidence v where v.decision_id = d.decision_id) as evidence,
                       project
                from decisions d where :project is null or project = :project
                union all
                select entry_id, coalesce(happened_at, created_ts), rule,
                       case when instr(lower(text), lower(title)) then title else title || ' → ' || text end,
                       json_extract(content_json, '$.rationale'), stage, status, json_array_length(evidence_json),
                       project
                from entries
                where entry_type = 'decision' and status in ('active', 'contested')
                  and (:project is null or project = :project)
                order by 2 desc, 1 limit :limit
                """,
                {"project": scope.project, "limit": limit},
            )
            return _dicts(cursor)

    def metrics(self, scope: Scope) -> Metrics:
        """How long the steps took and how often they failed, the builds, and the audit of the store."""
        from axiommind.learning.audit import audit

        with self._reading(Scope(None), None) as db:
            steps = db.execute(
                """
                with ranked as (
                    select stage, latency_ms, success,
                           cume_dist() over (partition by stage order by latency_ms) as place
                    from pipeline_metrics where :project is null or project = :project)
                select stage as step, count(*) as runs, sum(not success) as failed,
                       round(min(case when place >= 0.5 then latency_ms end), 2) as p50_ms,
                       round(min(case when place >= 0.95 then latency_ms end), 2) as p95_ms,
                       round(sum(latency_ms) / 1000, 3) as total_s
                from ranked group by stage order by sum(latency_ms) desc
                """,
                {"project": scope.project},
            )
            builds = db.execute(
                """
                select extractor, extractor_model as model, idris_version as idris, status, count(*) as builds,
                       max(started_at) as last
                from build_runs where :project is null or project = :project
                group by 1, 2, 3, 4 order by builds desc
                """,
                {"project": scope.project},
            )
            failed = db.execute(
                """
                select session_id, extractor, error, at from learned
                where status = 'failed' and (:project is null or project = :project) order by at desc limit 20
                """,
                {"project": scope.project},
            )
            return Metrics(_dicts(steps), _dicts(builds), _dicts(failed), audit(db, now(), scope.project))

    def budget(self) -> Spent:
        """What models cost, day by day, and the caps."""
        from axiommind.learning.budget import days

        config = self.config
        caps = {"calls": config.budget_calls, "tokens": config.budget_tokens, "usd": config.budget_usd}
        if not config.index_path.exists():
            return Spent([], caps)
        with self._reading(Scope(None), None) as db:
            return Spent(days(db), caps)


def apply_policy(
    log: SqliteLog,
    writer: Writer,
    index: Index,
    name: str,
    *,
    at: int,
    dry_run: bool = False,
) -> list[Change]:
    """What a policy changes now, as one event; worked out where nobody else appends."""
    from axiommind.learning.audit import POLICIES, facts_of
    from axiommind.projections.runner import Segments

    version, decide = POLICIES[name]
    with log.atomic():
        index.catch_up(log, Segments(log))
        changes = decide(facts_of(index.db, at))
        if changes and not dry_run:
            write_changes(writer, name, version, changes, actor="memory")
    index.catch_up(log, Segments(log))
    return changes


def write_changes(
    writer: Writer,
    policy: str,
    version: str,
    changes: Sequence[Change],
    *,
    actor: str,
    entry: EntryRow | None = None,
    said: str = "",
) -> None:
    """Changes of stage, by a policy or by a person's word."""
    from axiommind.ids import canonical_json
    from axiommind.learning.drafts import Emit

    payload = {"policy": policy, "version": version, "changes": [change.payload() for change in changes]}
    unique: tuple[str | int, ...] = (policy, version, now(), *(change.entry_id for change in changes))
    emit = Emit("promoted", payload, unique, text=canonical_json({"reason": said}) if said else None)
    writer.append(
        emit,
        session=None if entry is None else entry.session_id,
        project=None if entry is None else entry.project,
        actor=actor,
    )


def _to_learn(
    index: Index, extractor: str, *, session: str | None, project: str | None, since: int | None, again: bool
) -> list[str]:
    """The sessions to learn, oldest first, so that a task is created before it is done; parents before subagents."""
    rows = index.db.execute(
        """
        select s.id
        from sessions s
        join (select session_id, max(position) || '.' || count(*) as head from segments where live group by session_id)
            h on h.session_id = s.id
        left join learned l on l.session_id = s.id and l.extractor = :extractor
        where (:again or l.head is null or l.head <> h.head or (l.status = 'failed' and l.failures < :tries))
          and (:project is null or s.project = :project)
          and (:since is null or coalesce(s.ended_at, s.last_ts, s.file_mtime) >= :since)
        order by coalesce(s.started_at, s.first_ts, s.file_mtime), s.parent_session is not null, s.id
        """,
        {"extractor": extractor, "project": project, "since": since, "again": again, "tries": TRIES},
    )
    found = [row[0] for row in rows]
    if session is None:
        return found
    known = {row[0] for row in index.db.execute("select id from sessions")}
    chosen = one_of(session, known, "session")
    return [one for one in found if one == chosen]


def _dicts(cursor: Any) -> list[dict[str, Any]]:
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor]
