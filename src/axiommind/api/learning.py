"""What was learned: running the pipeline, looking at entries, and a person's word about them."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from axiommind.api._names import one_of
from axiommind.api.home import Home, Scope
from axiommind.errors import BadQuery

if TYPE_CHECKING:
    from axiommind.log.sqlite import SqliteLog
    from axiommind.memory.budget import Day
    from axiommind.memory.policies import Change
    from axiommind.memory.report import Report
    from axiommind.memory.shown import EntryShown
    from axiommind.memory.standing import Audit
    from axiommind.memory.values import Emit
    from axiommind.memory.writing import Writer
    from axiommind.model import Event
    from axiommind.projections.entry_rows import EntryRow, Listed
    from axiommind.projections.runner import Index

__all__ = ["Learning", "Metrics", "Spent"]

_CONFLICT_COLUMNS = (
    "conflict_id, older_id, newer_id, conflict_type, reason, detected_at, resolved_at, resolution, resolved_by"
)


class Metrics(NamedTuple):
    steps: list[dict[str, Any]]
    builds: list[dict[str, Any]]
    failed: list[dict[str, Any]]
    audit: Audit


class Spent(NamedTuple):
    days: list[Day]
    caps: dict[str, float]


class Learning(Home):
    """What `axm learn` and the commands about entries can ask for. Tasks are in `api.tasks`."""

    @contextlib.contextmanager
    def _memory(self) -> Iterator[tuple[SqliteLog, Writer, Index]]:
        """The log, what writes memory's events into it, and the index brought up to it; and again at the end."""
        from axiommind.memory.writing import Writer
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
        from axiommind.memory.budget import spending
        from axiommind.memory.check import find_idris
        from axiommind.memory.extractors import load
        from axiommind.memory.pipeline import Pipeline
        from axiommind.memory.report import Report
        from axiommind.memory.writing import Writer
        from axiommind.projections.runner import Segments

        name = extractor or self.config.extract_extractor
        notes: list[str] = []
        with self._writing(notes) as (log, key, index):
            today = time.strftime("%Y-%m-%d", time.gmtime())
            spend = spending(
                self.config, Writer(log, key), index.db, name, lambda: index.catch_up(log, Segments(log)), today
            )
            chosen = load(name, self.config, spend)
            found = _to_learn(index, name, session=session, project=project, since=since, again=again)
            wanted = found[:limit] if limit is not None else found
            if dry_run and name != "rules":
                report = Report(dry_run=True, sessions=len(wanted))
                report.notes.append(f"{name} would be asked about {len(wanted)} sessions; a dry run asks nobody")
            else:
                pipeline = Pipeline(log, key, index, chosen, find_idris(self.environ), together=name == "rules")
                report = pipeline.run(wanted, dry_run=dry_run, progress=progress)
            report.left += len(found) - len(wanted)
        report.notes[:0] = notes
        return report

    # --- looking ---------------------------------------------------------------------------------------

    def learned(self) -> int:
        """How many sessions were learned; none where there is no index yet."""
        if not self.config.index_path.exists():
            return 0
        with self._reading(Scope(None), None) as db:
            (count,) = db.execute("select count(distinct session_id) from learned where status <> 'failed'").fetchone()
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
        from axiommind.memory.shown import show
        from axiommind.projections.entry_rows import find_entry

        with self._reading(Scope(None), None) as db, self._log_to_read() as (log, _key):
            return show(db, log.blob, find_entry(db, name))

    def why(self, name: str) -> tuple[EntryRow, list[Event]]:
        """Every event that made an entry what it is."""
        from axiommind.memory.shown import events_of
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
                       json_extract(outcome_json, '$.reason') as rationale, 'certified' as stage, 'active' as status,
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
        from axiommind.memory.standing import audit

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
            return Metrics(_dicts(steps), _dicts(builds), _dicts(failed), audit(db, _now(), scope.project))

    def budget(self) -> Spent:
        """What models cost, day by day, and the caps."""
        from axiommind.memory.budget import days

        config = self.config
        caps = {"calls": config.budget_calls, "tokens": config.budget_tokens, "usd": config.budget_usd}
        if not config.index_path.exists():
            return Spent([], caps)
        with self._reading(Scope(None), None) as db:
            return Spent(days(db), caps)

    # --- a person's word -------------------------------------------------------------------------------

    def promote(self, name: str, reason: str, to: str | None = None) -> EntryRow:
        """Raise an entry by a person's word: to the next stage, or to the one asked for."""
        from axiommind.memory.policies import PERSON, Change
        from axiommind.projections.entry_rows import STAGE_ORDER, find_entry

        with self._memory() as (_log, writer, index):
            entry = find_entry(index.db, name)
            if entry.status != "active":
                raise BadQuery(
                    f"{entry.entry_id} is {entry.status}, and is not promoted",
                    hint="axm conflicts and axm entry show say why; axm contest ID --undo puts it right again",
                )
            here = STAGE_ORDER.index(entry.stage)
            target = to or (STAGE_ORDER[here + 1] if here + 1 < len(STAGE_ORDER) else entry.stage)
            if STAGE_ORDER.index(target) <= here:
                raise BadQuery(f"{entry.entry_id} is {entry.stage} already", hint="a person's word only raises it")
            if STAGE_ORDER.index(target) >= STAGE_ORDER.index("verified") and not entry.aligned:
                raise BadQuery(
                    f"{entry.entry_id} has no evidence that was found, and cannot be {target}",
                    hint="say it in a session, or decide it: axm decide",
                )
            change = Change(entry.entry_id, entry.stage, target, "a person's word")
            _promoted(writer, PERSON.name, PERSON.version, [change], actor="user", entry=entry, said=reason)
        return self.entry(entry.entry_id).entry

    def unpromote(self, name: str, reason: str) -> EntryRow:
        """Take back the last raise by a person's word, if nothing has changed the stage since."""
        from axiommind.memory.policies import PERSON, Change
        from axiommind.projections.entry_rows import STAGE_ORDER, find_entry

        with self._memory() as (_log, writer, index):
            entry = find_entry(index.db, name)
            last = index.db.execute(
                "select from_stage, to_stage, actor from promotions where entry_id = ? order by id desc limit 1",
                (entry.entry_id,),
            ).fetchone()
            if last is None or last[2] != "user" or STAGE_ORDER.index(last[0]) > STAGE_ORDER.index(last[1]):
                raise BadQuery(
                    f"{entry.entry_id} was not raised last by a person's word: there is nothing to undo",
                    hint=f"axm why {entry.entry_id} shows how it came to be {entry.stage}",
                )
            change = Change(entry.entry_id, entry.stage, last[0], "taken back")
            _promoted(writer, PERSON.name, PERSON.version, [change], actor="user", entry=entry, said=reason)
        return self.entry(entry.entry_id).entry

    def run_policy(self, names: Sequence[str] = (), *, dry_run: bool = False) -> list[tuple[str, Change]]:
        """Run the policies over all entries: `graduation` raises, `half-life` lets sink."""
        from axiommind.memory.policies import GRADUATION, HALF_LIFE
        from axiommind.memory.standing import facts_of, graduate, half_life

        policies = {GRADUATION.name: (GRADUATION.version, graduate), HALF_LIFE.name: (HALF_LIFE.version, half_life)}
        unknown = [name for name in names if name not in policies]
        if unknown:
            raise BadQuery(f"there is no policy {unknown[0]!r}", hint=f"one of: {', '.join(policies)}")
        done: list[tuple[str, Change]] = []
        with self._memory() as (log, writer, index):
            for name in names or policies:
                version, decide = policies[name]
                with log.atomic():
                    from axiommind.projections.runner import Segments

                    index.catch_up(log, Segments(log))
                    changes = decide(facts_of(index.db, _now()))
                    if changes and not dry_run:
                        _promoted(writer, name, version, changes, actor="memory")
                done += [(name, change) for change in changes]
        return done

    def rule(self, name: str, act: str, reason: str, other: str | None = None) -> EntryRow:
        """Contest, supersede, deprecate or restore an entry."""
        from axiommind.memory.ledgers import rule_on
        from axiommind.projections.entry_rows import find_entry

        with self._memory() as (_log, writer, index):
            entry = find_entry(index.db, name)
            by = None if other is None else find_entry(index.db, other)
            if by is not None and by.entry_id == entry.entry_id:
                raise BadQuery("an entry does not supersede itself", hint="--by names the one that takes its place")
            if by is not None and by.superseded_by == entry.entry_id:
                raise BadQuery(
                    f"{by.entry_id} is itself superseded by {entry.entry_id}",
                    hint=f"first: axm supersede {by.entry_id} --undo",
                )
            if act == "restored" and entry.status == "active":
                raise BadQuery(f"{entry.entry_id} is active: there is nothing to undo")
            _write(writer, rule_on(entry, act, reason, _now(), by), entry)
            if act in ("superseded", "deprecated"):
                for conflict in _conflicts_of(index, entry.entry_id, is_open=True):
                    _write(writer, _settled(conflict, f"{entry.entry_id} was {act}"), entry)
            elif act == "restored":  # what it was in conflict with still stands
                for conflict in _conflicts_of(index, entry.entry_id, is_open=False):
                    _write(writer, _reopened(conflict), entry)
        return self.entry(entry.entry_id).entry

    def settle_conflict(self, conflict: str, keep: str, reason: str) -> EntryRow:
        """End a conflict: the entry to keep stands, the other one is superseded by it."""
        from axiommind.projections.entry_rows import find_entry

        with self._reading(Scope(None), None) as db:
            kept = find_entry(db, keep)
            rows = db.execute("select conflict_id, older_id, newer_id from conflicts where resolved_at is null")
            opened = {name: pair for name, *pair in rows}
        name = one_of(conflict.strip(), set(opened), "open conflict", "axm conflicts lists them")
        pair = opened[name]
        if kept.entry_id not in pair:
            raise BadQuery(f"{kept.entry_id} is not part of {name}", hint=f"it is between {' and '.join(pair)}")
        (other,) = set(pair) - {kept.entry_id}
        self.rule(other, "superseded", reason or "a person decided", kept.entry_id)
        return self.entry(kept.entry_id).entry

    def decide(
        self, action: str, evidence: Sequence[str], scope: Scope, *, reason: str = "", at: int | None = None
    ) -> str:
        """Write a decision down, on evidence that is verified or better, stands, and was there before it."""
        from axiommind.ids import canonical_json, ulid
        from axiommind.memory.ledgers import check_causality
        from axiommind.memory.values import Emit
        from axiommind.projections.entry_rows import find_entry

        if not action.strip():
            raise BadQuery("there is no decision in this", hint='axm decide "what was decided" --evidence ID')
        now = _now()
        with self._memory() as (_log, writer, index):
            found = [find_entry(index.db, name) for name in evidence]
            rests_on = list({entry.entry_id: entry for entry in found}.values())
            check_causality(rests_on, now if at is None else at)
            decision = "dec_" + ulid(now).lower()
            payload = {
                "confidence": min((entry.confidence for entry in rests_on), default=1.0),
                "evidence": [
                    {"kind": "entry", "id": entry.entry_id, "stage": entry.stage, "role": "supports"}
                    for entry in rests_on
                ],
            }
            text = canonical_json({"action": action.strip(), "outcome": {"reason": reason}})
            emit = Emit("decision_made", payload, (decision,), text=text, happened_at=at)
            writer.append(emit, session=decision, project=scope.project, actor="user")
            if rests_on:
                self._note_use(writer, [entry.entry_id for entry in rests_on], "decision")
        return decision

    def use(self, entries: Sequence[str], how: str) -> None:
        """Remember that entries were looked at or given to an agent: what is used does not sink."""
        if entries:
            with self._memory() as (_log, writer, _index):
                self._note_use(writer, entries, how)

    def _note_use(self, writer: Writer, entries: Sequence[str], how: str) -> None:
        from axiommind.memory.values import Emit

        session = self.environ.get("CLAUDE_CODE_SESSION_ID") or None
        emit = Emit("entry_used", {"entries": list(entries), "how": how}, (how, _now(), *entries))
        writer.append(emit, session=session, project=None, actor="agent" if session else "user")


def _promoted(
    writer: Writer,
    policy: str,
    version: str,
    changes: Sequence[Change],
    *,
    actor: str,
    entry: EntryRow | None = None,
    said: str = "",
) -> None:
    from axiommind.ids import canonical_json
    from axiommind.memory.values import Emit

    payload = {"policy": policy, "version": version, "changes": [change.payload() for change in changes]}
    unique: tuple[str | int, ...] = (policy, version, _now(), *(change.entry_id for change in changes))
    emit = Emit("promoted", payload, unique, text=canonical_json({"reason": said}) if said else None)
    writer.append(
        emit,
        session=None if entry is None else entry.session_id,
        project=None if entry is None else entry.project,
        actor=actor,
    )


def _write(writer: Writer, emit: Emit, entry: EntryRow) -> None:
    writer.append(emit, session=entry.session_id, project=entry.project, actor="user")


def _conflicts_of(index: Index, entry: str, *, is_open: bool) -> list[str]:
    """Its open conflicts; or those that ended, with what stands today."""
    rows = index.db.execute(
        """
        select c.conflict_id from conflicts c
        join entries o on o.entry_id = case when c.older_id = :entry then c.newer_id else c.older_id end
        where (c.older_id = :entry or c.newer_id = :entry) and (c.resolved_at is null) = :open
          and (:open or o.status in ('active', 'contested'))
        """,
        {"entry": entry, "open": is_open},
    )
    return [row[0] for row in rows]


def _settled(conflict: str, resolution: str) -> Emit:
    from axiommind.memory.values import Emit

    payload = {"conflict_id": conflict, "resolution": resolution, "resolved_by": "user"}
    return Emit("conflict_resolved", payload, (conflict, "user", _now()))


def _reopened(conflict: str) -> Emit:
    from axiommind.memory.values import Emit

    payload = {"conflict_id": conflict, "resolution": None, "resolved_by": None}
    return Emit("conflict_reopened", payload, (conflict, _now()))


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
        where (:again or l.head is null or l.head <> h.head or l.status = 'failed')
          and (:project is null or s.project = :project)
          and (:since is null or coalesce(s.ended_at, s.last_ts, s.file_mtime) >= :since)
        order by coalesce(s.started_at, s.first_ts, s.file_mtime), s.parent_session is not null, s.id
        """,
        {"extractor": extractor, "project": project, "since": since, "again": again},
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


def _now() -> int:
    return time.time_ns() // 1_000_000
