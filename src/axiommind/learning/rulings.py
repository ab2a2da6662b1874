"""A person's word about what was learned: vouching, contesting, replacing, rejecting, deciding. Each is an event."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from axiommind.errors import BadQuery
from axiommind.home import Scope, now
from axiommind.ids import one_of
from axiommind.learning.entries import Learning, apply_policy, write_changes

if TYPE_CHECKING:
    from axiommind.learning.drafts import Emit
    from axiommind.learning.event_writer import Writer
    from axiommind.learning.policies import Change
    from axiommind.log.sqlite import SqliteLog
    from axiommind.projections.entry_rows import EntryRow
    from axiommind.projections.runner import Index

__all__ = ["DecisionShown", "Judging"]


class DecisionShown(NamedTuple):
    decision_id: str
    action: str
    reason: str
    at: int
    actor: str
    project: str | None
    evidence: tuple[tuple[str, str, str, str], ...]  # (entry, its title, the stage it had then, role)


class Judging(Learning):
    """What `axm promote`, `contest`, `supersede`, `deprecate`, `conflicts settle` and `decide` can ask for."""

    def promote(self, name: str, reason: str, to: str | None = None) -> EntryRow:
        """Raise an entry by a person's word: to the next stage, or to the one asked for."""
        from axiommind.learning.policies import PERSON, Change
        from axiommind.projections.entry_rows import STAGE_ORDER, find_entry

        with self._memory() as (_log, writer, index):
            entry = find_entry(index.db, name)
            if entry.status != "active":
                raise BadQuery(
                    f"{entry.entry_id} is {entry.status}, and is not promoted",
                    hint=f"axm entry show {entry.entry_id} says why; axm conflicts settle ends a conflict",
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
            write_changes(writer, PERSON.name, PERSON.version, [change], actor="user", entry=entry, said=reason)
        return self.entry(entry.entry_id).entry

    def unpromote(self, name: str, reason: str) -> EntryRow:
        """Take back the last raise by a person's word, if nothing has changed the stage since."""
        from axiommind.learning.policies import PERSON, Change
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
            write_changes(writer, PERSON.name, PERSON.version, [change], actor="user", entry=entry, said=reason)
        return self.entry(entry.entry_id).entry

    def run_policy(
        self, names: Sequence[str] = (), *, dry_run: bool = False, at: int | None = None
    ) -> list[tuple[str, Change]]:
        """Run the policies over all entries: `graduation` raises, `half-life` lets sink."""
        from axiommind.learning.audit import POLICIES

        unknown = [name for name in names if name not in POLICIES]
        if unknown:
            raise BadQuery(f"there is no policy {unknown[0]!r}", hint=f"one of: {', '.join(POLICIES)}")
        with self._memory() as (log, writer, index):
            return [
                (name, change)
                for name in names or POLICIES
                for change in apply_policy(log, writer, index, name, at=at or now(), dry_run=dry_run)
            ]

    def rule(self, name: str, act: str, reason: str, other: str | None = None, undoes: str | None = None) -> EntryRow:
        """Contest, supersede, deprecate or restore a claim: the entry, and those of other sessions that say the same.
        `undoes`: the ruling that restoring is meant to take back."""
        from axiommind.learning.ledgers import rule_on
        from axiommind.projections.entry_rows import find_entry

        with self._memory() as (_log, writer, index):
            entry = find_entry(index.db, name)
            by = None if other is None else find_entry(index.db, other)
            _may_rule(index, entry, act, by, undoes)
            for one in _same_claim(index, entry):
                _write(writer, rule_on(one, act, reason, now(), by), one)
                if act in ("superseded", "deprecated"):
                    for conflict in _conflicts_of(index, one.entry_id, is_open=True):
                        _write(writer, _settled(conflict, f"{one.entry_id} was {act}"), one)
                elif act == "restored":  # what it was in conflict with still stands
                    for conflict in _conflicts_of(index, one.entry_id, is_open=False):
                        _write(writer, _reopened(conflict), one)
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
        self,
        action: str,
        evidence: Sequence[str],
        scope: Scope,
        *,
        reason: str = "",
        at: int | None = None,
        actor: str = "user",
    ) -> str:
        """Write a decision down, on evidence that is verified or better, stands, and was there before it."""
        from axiommind.ids import canonical_json, ulid
        from axiommind.learning.drafts import Emit
        from axiommind.learning.ledgers import check_causality
        from axiommind.projections.entry_rows import find_entry

        if not action.strip():
            raise BadQuery("there is no decision in this", hint='axm decide "what was decided" --evidence ID')
        if not evidence:
            hint = "--evidence ID; axm entries --stage verified lists what can be evidence"
            raise BadQuery("a decision rests on evidence", hint=hint)
        at_once = now()
        with self._memory() as (log, writer, index):
            found = [find_entry(index.db, name) for name in evidence]
            rests_on = list({entry.entry_id: entry for entry in found}.values())
            check_causality(rests_on, at_once if at is None else at)
            decision = "dec_" + ulid(at_once).lower()
            payload = {
                "confidence": min((entry.confidence for entry in rests_on), default=1.0),
                "evidence": [
                    {"kind": "entry", "id": entry.entry_id, "stage": entry.stage, "role": "supports"}
                    for entry in rests_on
                ],
            }
            text = canonical_json({"action": action.strip(), "outcome": {"reason": reason}})
            emit = Emit("decision_made", payload, (decision,), text=text, happened_at=at)
            writer.append(emit, session=decision, project=scope.project, actor=actor)
            if rests_on:
                self._note_use(log, writer, [entry.entry_id for entry in rests_on], "decision")
        return decision

    def decision(self, name: str) -> DecisionShown:
        """A decision that was made by hand, and what it rests on."""
        with self._reading(Scope(None), None) as db:
            known = {row[0] for row in db.execute("select decision_id from decisions")}
            chosen = one_of(name.strip(), known, "decision", "axm decisions lists them")
            row = db.execute(
                """
                select action, coalesce(json_extract(outcome_json, '$.reason'), ''), ts, actor, project
                from decisions where decision_id = ?
                """,
                (chosen,),
            ).fetchone()
            evidence = db.execute(
                """
                select v.evidence_id, coalesce(e.title, '(forgotten)'), v.evidence_stage, v.role
                from decision_evidence v left join entries e on e.entry_id = v.evidence_id
                where v.decision_id = ? order by v.id
                """,
                (chosen,),
            ).fetchall()
        return DecisionShown._make((chosen, *row, tuple(evidence)))

    def use(self, entries: Sequence[str], how: str) -> None:
        """Remember that entries were looked at or given to an agent: what is used does not sink."""
        if entries:
            with self._memory() as (log, writer, _index):
                self._note_use(log, writer, entries, how)

    def _note_use(self, log: SqliteLog, writer: Writer, entries: Sequence[str], how: str) -> None:
        from axiommind.learning.drafts import Emit

        session = self.environ.get("CLAUDE_CODE_SESSION_ID") or None
        if session is not None and log.is_forgotten(session, None):
            session = None
        emit = Emit("entry_used", {"entries": list(entries), "how": how}, (how, now(), *entries))
        writer.append(emit, session=session, project=None, actor="agent" if session else "user")


def _may_rule(index: Index, entry: EntryRow, act: str, by: EntryRow | None, undoes: str | None) -> None:
    """Whether a ruling makes sense as things are."""
    name = entry.entry_id
    if by is not None and by.value_key == entry.value_key:
        raise BadQuery("a claim does not supersede itself", hint="--by names the one that takes its place")
    if by is not None and by.superseded_by == name:
        raise BadQuery(
            f"{by.entry_id} is itself superseded by {name}", hint=f"first: axm supersede {by.entry_id} --undo"
        )
    if act == "restored":
        last = index.db.execute(
            "select act from rulings where entry_id = ? order by position desc limit 1", (name,)
        ).fetchone()
        if entry.status == "active" or last is None or last[0] == "restored":
            hint = "axm conflicts settle ends a conflict" if entry.status == "contested" else ""
            raise BadQuery(f"{name} is {entry.status}: there is nothing to undo", hint=hint)
        if undoes is not None and last[0] != undoes:
            raise BadQuery(f"{name} is {entry.status}, not {undoes}", hint=f"axm entry show {name} shows what was said")
    elif (
        entry.status == act
        or (act == "contested" and entry.status != "active")
        or (act == "superseded" and entry.status == "deprecated")
    ):
        raise BadQuery(f"{name} is {entry.status} already", hint=f"axm entry show {name} shows why")


def _same_claim(index: Index, entry: EntryRow) -> list[EntryRow]:
    """The entry, and those of other sessions that say the same and stand as it does."""
    from axiommind.projections.entry_rows import one_entry

    rows = index.db.execute(
        "select entry_id from entries where value_key = ? and status = ? order by entry_id = ? desc, entry_id",
        (entry.value_key, entry.status, entry.entry_id),
    )
    return [one for row in rows.fetchall() if (one := one_entry(index.db, row[0])) is not None]


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
    from axiommind.learning.drafts import Emit

    payload = {"conflict_id": conflict, "resolution": resolution, "resolved_by": "user"}
    return Emit("conflict_resolved", payload, (conflict, "user", now()))


def _reopened(conflict: str) -> Emit:
    from axiommind.learning.drafts import Emit

    payload = {"conflict_id": conflict, "resolution": None, "resolved_by": None}
    return Emit("conflict_reopened", payload, (conflict, now()))
