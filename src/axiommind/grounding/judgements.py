"""Judgements into the log: one event `context_judged` per answer, counts only, once its session is over.

A judgement depends on everything that was said, so it is written down when it is made: a rebuild has the same figures.
Of the latest answers those are looked at that were not judged yet, and of those a few sessions at a time.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Any

from axiommind.grounding.judge import JudgedItem, SuppliedAnswer, SuppliedItem
from axiommind.grounding.read import SessionJudge, items_of
from axiommind.ids import dedupe_key
from axiommind.log import EventLog

__all__ = ["append_judged"]

ACTOR = "memory"
_EVENT = "context_judged"
_QUIET_MS = 6 * 3_600_000  # a session that nobody went on with for so long is over
_LATEST = 500  # answers that are looked at
_SESSIONS = 8  # that are judged in one run: each is read whole
_WAITING = """
    select s.id, s.session_id, s.hook, s.at, s.tokens, s.project
    from (select * from served order by id desc limit :latest) s
    join sessions x on x.id = s.session_id
    where coalesce(x.last_ts, x.ended_at, 0) < :over
      and s.at < :over
      and not exists (
          select 1 from judged_context j where j.session_id = s.session_id and j.hook = s.hook and j.at = s.at)
    order by s.id
"""


def append_judged(log: EventLog, db: sqlite3.Connection, now: int) -> int:
    """Judge what waits for it; returns how many events there are more. `db` is the index, brought up to the log."""
    asked = {"latest": _LATEST, "over": now - _QUIET_MS}
    waiting: dict[str, list[tuple[SuppliedAnswer, list[SuppliedItem]]]] = {}
    projects: dict[str, str | None] = {}
    for *row, project in db.execute(_WAITING, asked).fetchall():
        answer = SuppliedAnswer(*row)
        if answer.session_id in waiting or len(waiting) < _SESSIONS:
            waiting.setdefault(answer.session_id, []).append((answer, items_of(db, answer.id)))
            projects[answer.session_id] = project
    if not waiting:
        return 0
    judge = SessionJudge(db, log.blob)
    judged = {session: judge(session, answers) for session, answers in waiting.items()}
    appended = 0
    with log.atomic():
        for session, answers in waiting.items():
            if log.is_forgotten(session, projects[session]):
                continue
            given, controls = judged[session]
            for answer, _ in answers:
                appended += _append(log, answer, projects[session], _counts(answer.id, given, controls))
    return appended


def _append(log: EventLog, answer: SuppliedAnswer, project: str | None, kinds: list[dict[str, Any]]) -> bool:
    event = log.append_dedup(
        _EVENT,
        actor=ACTOR,
        payload={"hook": answer.hook, "kinds": kinds},
        dedupe_key=dedupe_key(_EVENT, answer.session_id, answer.hook, answer.at),
        session_id=answer.session_id,
        project=project,
        happened_at=answer.at,
    )
    return event is not None


def _counts(answer: int, given: Iterable[JudgedItem], controls: Iterable[JudgedItem]) -> list[dict[str, Any]]:
    """By kind, how many could be judged and were used, and the same of the controls."""
    found: dict[str, dict[str, Any]] = {}
    for names, judged in ((("given", "used"), given), (("controls", "by_chance"), controls)):
        for one in judged:
            if one.answer.id == answer and one.is_judged:
                kind = one.item.kind
                counts = found.setdefault(kind, {"kind": kind, "given": 0, "used": 0, "controls": 0, "by_chance": 0})
                counts[names[0]] += 1
                counts[names[1]] += one.use is not None
    return [found[kind] for kind in sorted(found)]
