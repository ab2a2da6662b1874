"""What was decided and learned: the claims of a session that stand, in whole sentences.

First what a person said or chose, then plans, then what the agent found out. What was superseded, withdrawn or
deprecated is left out, and so is what speaks of files that are gone. Open work and records of what was done have
sections of their own.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from axiommind.extraction.rules import PLAN, QUESTION, form_of
from axiommind.extraction.rules.errors import UNSOLVED
from axiommind.recall.handoff.values import HandoffNote, passage_id
from axiommind.recall.packets.held import content_terms
from axiommind.text.whole_sentences import plain_lines, whole

__all__ = ["decided"]

_CLAIM, _ANSWER = 320, 160  # characters
_READ = 2_000
_SAME = 0.75
_PERSONS = ("person", "picked")
_ENTRIES = """
    select id, entry_id, kind, rule, title, text, content_json, provenance, coalesce(happened_at, created_ts), value_key
    from entries
    where session_id = ?
      and status = 'active'
      and stage <> 'raw'
      and kind not in ('open', 'record')
      and entry_type <> 'task_note'
      and not (rule = 'errors' and instr(text, ?))
    order by 9 desc, id desc
"""
_BY_HAND = """
    select decision_id, action, coalesce(json_extract(outcome_json, '$.reason'), ''), ts, actor
    from decisions
    where project = :project and ts between :began and :ended
    order by ts desc
"""


class _Claim(NamedTuple):
    ref: int
    entry_id: str
    kind: str
    rule: str
    title: str
    text: str
    content: str
    provenance: str
    at: int
    value_key: str

    @property
    def order(self) -> tuple[int, int]:
        """The lower, the sooner it is told; the newest of equals."""
        if self.provenance in _PERSONS:
            return (0 if self.kind in ("decision", "preference", "convention") else 1), -self.at
        return (2 if self.kind == "decision" else 3), -self.at


def decided(
    db: sqlite3.Connection, session: str, project: str, began: int | None, ended: int | None, told: Iterable[str] = ()
) -> Iterator[HandoffNote]:
    """`told`: what is told of the session anyway."""
    from axiommind.freshness.state import GONE, freshness_of

    by_hand = db.execute(_BY_HAND, {"project": project, "began": began or 0, "ended": ended or 0}).fetchall()
    for n, (name, action, reason, at, actor) in enumerate(by_hand):
        text = whole(f"{action} ({reason})" if reason else action, _CLAIM)
        yield HandoffNote(text, 1.5 + 0.5 * n, name, session, "decision", provenance=_who(actor), timestamp=at)
    heard = [terms for text in told if (terms := content_terms(text[:_READ]))]
    claims = _once(
        heard, sorted(map(_Claim._make, db.execute(_ENTRIES, (session, UNSOLVED))), key=lambda claim: claim.order)
    )
    states = freshness_of(db, [claim.entry_id for claim in claims])
    for n, claim in enumerate(claims):
        found = states.get(claim.entry_id)
        if found is not None and found.state == GONE:
            continue
        changed = f" ({found.label})" if found is not None and found.label else ""
        yield HandoffNote(
            f"{_said(claim)}{changed}",
            1.6 + 0.75 * n + (1.5 if claim.order[0] > 2 else 0),
            passage_id("insight", claim.ref),
            session,
            claim.kind,
            provenance=claim.provenance,
            timestamp=claim.at,
        )


def _who(actor: str) -> str:
    return actor if actor in ("agent", "teammate") else "person"


def _once(told: list[set[str]], claims: list[_Claim]) -> list[_Claim]:
    """Each thing once, by whoever is told first; nothing that a request says in as many words."""
    kept: list[_Claim] = []
    heard: list[set[str]] = []
    for claim in claims:
        terms = content_terms(f"{claim.title} {claim.text}"[:800])
        is_known = any(len(terms & one) >= _SAME * min(len(terms), len(one)) for one in heard if one)
        is_known |= any(len(terms & one) >= _SAME * max(len(terms), 1) for one in told)
        if terms and (is_known or any(claim.value_key == one.value_key for one in kept)):
            continue
        kept.append(claim)
        heard.append(terms)
    return kept


def _said(claim: _Claim) -> str:
    """A claim in words: a question with its answer, a plan with its reason, anything else as it was said."""
    form = form_of(claim.rule)
    if form == QUESTION:
        return f"{whole(claim.title, _CLAIM)} → {whole(claim.text, _ANSWER)}"
    text = claim.text if claim.title.endswith("…") or len(claim.text) > len(claim.title) else claim.title
    if form == PLAN:
        why = json.loads(claim.content).get("rationale")
        head = plain_lines(claim.title)[0].rstrip(":") if plain_lines(claim.title) else claim.title
        return f"{head}: {whole(why, _CLAIM)}" if isinstance(why, str) and why else head
    head, _, rest = text.partition("\n")
    if rest.strip() and head == claim.title and head[-1:] not in ".!?:。！？：":
        text = f"{head}: {rest.strip()}"
    return whole(text, _CLAIM)
