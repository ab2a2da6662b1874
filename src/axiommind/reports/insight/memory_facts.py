"""What memory knows of the work: linked sessions, open conflicts, corrections, open tasks."""

from __future__ import annotations

from axiommind.projections.task_rows import get_task_detail, list_tasks
from axiommind.reports.analysers.sayings import contradictions
from axiommind.reports.insight.reader import MOST_SHOWN, TITLE_CHARS, FactReader, heading
from axiommind.reports.insight.rows import PersonPrompt, one_line
from axiommind.reports.insight.values import Correction, OpenConflict, ReportedTask, SessionLink
from axiommind.text.requests.prompt_kinds import kind_of

__all__ = ["conflicts", "corrections", "links", "tasks"]

_CORRECTION_CHARS = 240


def links(facts: FactReader) -> list[SessionLink]:
    rows = facts.perspective("session-links", top=200, min_count=2)
    begins = dict(
        facts.db.execute(
            "select id, coalesce(started_at, first_ts, 0) from sessions where parent_session is null"
        ).fetchall()
    )
    found = []
    for row in rows:
        ends = (row["session_a"], row["session_b"])
        if all(end in begins for end in ends):
            earlier, later = sorted(ends, key=lambda end: (begins[end], end))
            found.append((row, earlier, later))
    found.sort(key=lambda one: (-one[0]["shared_files"] * one[0]["overlap_ratio"], one[1], one[2]))
    return [
        SessionLink(
            earlier,
            facts.title(earlier),
            later,
            facts.title(later),
            row["shared_files"],
            row["overlap_ratio"],
            row["time_gap_minutes"],
        )
        for row, earlier, later in found[:MOST_SHOWN]
    ]


def conflicts(facts: FactReader) -> tuple[OpenConflict, ...]:
    rows = facts.db.execute(
        """
        select c.conflict_id, o.id, o.text, n.id, n.text
        from conflicts c join entries o on o.entry_id = c.older_id join entries n on n.entry_id = c.newer_id
        where c.resolved_at is null
        order by c.detected_at desc, c.conflict_id limit ?
        """,
        (MOST_SHOWN,),
    ).fetchall()
    found = [
        OpenConflict(
            name, one_line(old_text), one_line(new_text), facts.cite("insight", old), facts.cite("insight", new)
        )
        for name, old, old_text, new, new_text in rows
    ]
    told = {(c.older, c.newer) for c in found}
    for older, newer in contradictions(facts.statements)[: MOST_SHOWN - len(found)]:
        ends = (older.witness, newer.witness)
        if (ends[0].quote, ends[1].quote) not in told:
            citations = [facts.cite(end.kind, end.ref) for end in ends]
            found.append(OpenConflict(None, ends[0].quote, ends[1].quote, *citations))
    return tuple(found)


def corrections(facts: FactReader) -> tuple[tuple[Correction, ...], int]:
    """The latest of them, and how many there are."""
    found: list[tuple[PersonPrompt, str]] = []
    before: dict[str, str] = {}
    for asked in facts.prompts:
        earlier = before.get(asked.session)
        before[asked.session] = asked.text
        if earlier is not None and len(asked.text) <= _CORRECTION_CHARS and kind_of(asked.text) == "correction":
            found.append((asked, earlier))
    shown = []
    for asked, earlier in reversed(found[-MOST_SHOWN:]):
        if (said := facts.quoted(asked.witness())) is not None:
            shown.append(Correction(said, one_line(heading(earlier), TITLE_CHARS)))
    return tuple(shown), len(found)


def tasks(facts: FactReader) -> tuple[tuple[ReportedTask, ...], int]:
    rows = list_tasks(facts.db, ("blocked", "in_progress", "pending"), limit=10_000)
    rows.sort(key=lambda row: row.status != "blocked")
    found = []
    for row in rows[:MOST_SHOWN]:
        detail = get_task_detail(facts.db, row.task_id)
        history = detail.history if detail is not None else ()
        waits = tuple(one.title for one in detail.blocked_by) if detail is not None else ()
        cited = next((one.citation for one in reversed(history) if one.citation is not None), None)
        found.append(ReportedTask(row.task_id, one_line(row.title), row.status, waits, cited))
    return tuple(found), len(rows)
