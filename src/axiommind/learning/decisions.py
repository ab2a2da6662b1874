"""Decisions: what was decided by hand and in sessions, and making one on evidence."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from axiommind.approval.requests import PersonRequest
from axiommind.callers import Caller
from axiommind.db import dicts
from axiommind.errors import BadQuery
from axiommind.home import Home, Scope, now
from axiommind.ids import one_of
from axiommind.learning.event_writer import note_use, writing

if TYPE_CHECKING:
    from axiommind.projections.entry_rows import EntryRow

__all__ = ["DecisionShown", "Decisions"]


# What was decided by hand, and what sessions decided.
_LIST = """
    select decision_id as id, ts as at, actor as made_by, action as decision,
           json_extract(outcome_json, '$.reason') as rationale,
           case actor when 'agent' then 'working' when 'teammate' then 'candidate' else 'certified' end as stage,
           'active' as status,
           (select count(*) from decision_evidence v where v.decision_id = d.decision_id) as evidence,
           project, case when actor in ('agent', 'teammate') then actor else 'person' end as provenance
    from decisions d
    where :project is null or project = :project
    union all
    select entry_id, coalesce(happened_at, created_ts), rule,
           case when instr(lower(text), lower(title)) then title else title || ' → ' || text end,
           json_extract(content_json, '$.rationale'), stage, status, json_array_length(evidence_json),
           project, provenance
    from entries
    where entry_type = 'decision'
      and status in ('active', 'contested')
      and (:project is null or project = :project)
    order by 2 desc, 1
    limit :limit
"""
_DECISION = """
    select action, coalesce(json_extract(outcome_json, '$.reason'), ''), ts, actor, project
    from decisions
    where decision_id = :decision
"""
_EVIDENCE = """
    select v.evidence_id, coalesce(e.title, '(forgotten)'), v.evidence_stage, v.role
    from decision_evidence v
    left join entries e on e.entry_id = v.evidence_id
    where v.decision_id = :decision
    order by v.id
"""


class DecisionShown(NamedTuple):
    decision_id: str
    action: str
    reason: str
    at: int
    actor: str
    project: str | None
    evidence: tuple[tuple[str, str, str, str], ...]  # (entry, its title, the stage it had then, role)


class Decisions:
    """Lists, shows and makes decisions."""

    def __init__(self, home: Home) -> None:
        self.home = home

    def list(self, scope: Scope, *, limit: int = 50) -> builtins.list[dict[str, Any]]:
        """What was decided by hand and what sessions decided, newest first."""
        with self.home.reading(Scope(None), None) as db:
            cursor = db.execute(_LIST, {"project": scope.project, "limit": limit})
            return dicts(cursor)

    def show(self, name: str) -> DecisionShown:
        """A decision that was made by hand, and what it rests on."""
        with self.home.reading(Scope(None), None) as db:
            known = {row[0] for row in db.execute("select decision_id from decisions")}
            chosen = one_of(name.strip(), known, "decision", "axm decision list shows them")
            row = db.execute(_DECISION, {"decision": chosen}).fetchone()
            evidence = db.execute(_EVIDENCE, {"decision": chosen}).fetchall()
        return DecisionShown._make((chosen, *row, tuple(evidence)))

    def decide(
        self,
        action: str,
        evidence: Sequence[str],
        scope: Scope,
        *,
        reason: str = "",
        at: int | None = None,
        caller: Caller | None = None,
    ) -> str:
        """Record a decision, on evidence that is at least verified, still holds, and came before it. An agent's makes
        a proposal (`NeedsPerson`)."""
        from axiommind.ids import canonical_json, ulid
        from axiommind.learning.new_event import NewEvent
        from axiommind.projections.entry_rows import find_entry

        if not action.strip():
            raise BadQuery("there is no decision in this", hint='axm decision make "what was decided" --evidence ID')
        if not evidence:
            hint = "--evidence ID; axm entry list --stage verified lists what can be evidence"
            raise BadQuery("a decision rests on evidence", hint=hint)
        at_once = now()
        with writing(self.home) as (log, writer, index):
            found = [find_entry(index.db, name) for name in evidence]
            rests_on = list({entry.entry_id: entry for entry in found}.values())
            _check_evidence(rests_on, at_once if at is None else at)
            names = [entry.entry_id for entry in rests_on]
            asked = {"action": action.strip(), "evidence": names, "reason": reason, "at": at, "project": scope.project}
            request = PersonRequest("decide", asked, names[0], None, scope.project)
            who = caller or self.home.caller
            writer.require_person(index, who, request)
            decision = "dec_" + ulid(at_once).lower()
            payload = {
                "confidence": min((entry.confidence for entry in rests_on), default=1.0),
                "evidence": [
                    {"kind": "entry", "id": entry.entry_id, "stage": entry.stage, "role": "supports"}
                    for entry in rests_on
                ],
            }
            text = canonical_json({"action": action.strip(), "outcome": {"reason": reason}})
            event = NewEvent("decision_made", payload, (decision,), text=text, happened_at=at)
            writer.append(event, session=decision, project=scope.project, actor=who.actor)
            if rests_on:
                note_use(self.home, log, writer, [entry.entry_id for entry in rests_on], "decision")
        return decision


def _check_evidence(evidence: Sequence[EntryRow], at: int) -> None:
    """A decision rests on entries that are verified, still hold, and came before it."""
    for entry in evidence:
        name = entry.entry_id
        if entry.stage not in ("verified", "certified"):
            raise BadQuery(
                f"{name} is only {entry.stage}: a decision rests on verified entries",
                hint=f"axm entry why {name} shows what it lacks; axm entry promote {name} --reason … vouches for it",
            )
        if entry.status != "active":
            raise BadQuery(
                f"{name} is {entry.status}: a decision rests on active entries",
                hint=f"axm entry show {name} shows why",
            )
        if (entry.happened_at or entry.created_ts) > at:
            raise BadQuery(f"{name} is later than the decision", hint="the evidence comes before the decision")
