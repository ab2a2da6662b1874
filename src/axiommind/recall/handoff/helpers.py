"""What helped: the scratchpads of the work, and the subagents that were sent out."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence

from axiommind.recall.handoff.values import HandoffNote, in_parts, passage_id
from axiommind.recall.packets.last_session import first_prompt, last_words
from axiommind.sources import tool_names
from axiommind.text.whole_sentences import whole
from axiommind.tools.kinds import DELEGATE

__all__ = ["scratchpads", "subagents"]

_PADS = 12
_HEADINGS = 8
_TITLE, _ASKED, _PART = 120, 160, 260  # characters
# The workflows of the project that were worked in since the session began; else the one that was worked in last.
_WORKFLOWS = """
    select id, name, is_active, updated_at >= :since from workflows
    where project = :project and is_active
    order by updated_at desc, id
"""
_OF = """
    select id, title, lines, updated_at >= :since from pads
    where workflow_id = :workflow
    order by updated_at desc, id limit 12
"""
_SENT = """
    select t.id, t.tool_name, t.input_json, coalesce(t.output, ''), t.timestamp from tool_uses t
    where t.session_id = ? and t.subagent is null and t.tool_name in (select value from json_each(?))
      and not exists (select 1 from sessions s where s.parent_session = t.session_id
                        and s.parent_tool_use_id = t.tool_use_id)
    order by t.seq_order desc
    limit 20
"""
_SUBAGENT = """
    select coalesce(s.agent_type, ''), coalesce(s.started_at, s.first_ts, 0), t.id, t.session_id, t.input_json
    from sessions s
    left join tool_uses t on t.session_id = s.parent_session and t.tool_use_id = s.parent_tool_use_id
    where s.id = ?
    limit 1
"""


def scratchpads(db: sqlite3.Connection, project: str, began: int | None) -> Iterator[HandoffNote]:
    from axiommind.projections.scratchpad_rows import text_of
    from axiommind.projections.session_rows import iso
    from axiommind.text.edits import outline

    since = iso(began) if began else ""
    flows = db.execute(_WORKFLOWS, {"project": project, "since": since}).fetchall()
    told = 0
    for flow, name, _, is_recent in [one for one in flows if one[3]] or flows[:1]:
        for pad, title, lines, was_written in db.execute(_OF, {"workflow": flow, "since": since}):
            if told >= _PADS:
                return
            headings = [whole(one.title, _TITLE) for one in outline(text_of(db, pad))[:_HEADINGS]]
            about = f": {' · '.join(headings)}" if headings else ""
            text = f"{whole(title, _TITLE)} ({lines} line{'s' * (lines != 1)}, of {whole(name, _TITLE)}){about}"
            yield HandoffNote(text, (1.9 if is_recent and was_written else 5) + 1.1 * told, pad)
            told += 1


def subagents(db: sqlite3.Connection, session: str, children: Sequence[str]) -> Iterator[HandoffNote]:
    """What each was asked, and what it said last; the last one first. Of those without a session of their own, what
    the call says."""
    from axiommind.tools.past_call import fields_of

    yield from _sent_out(db, session)

    rows = [(child, *db.execute(_SUBAGENT, (child,)).fetchone()) for child in children]
    rows.sort(key=lambda row: (row[2], row[0]))
    for n, (child, kind, _, call, caller, given) in enumerate(rows):
        back = len(rows) - 1 - n
        prompt, words = first_prompt(db, child), last_words(db, child)
        lead = kind or "subagent"
        rank = 4.5 + 1.3 * back
        sent = fields_of(given)
        if call is not None and (task := str(sent.get("prompt") or sent.get("description") or "")):
            yield HandoffNote(whole(task, _ASKED), rank, passage_id("tool", call), caller, f"{lead} asked")
        elif prompt is not None:
            text, at = whole(prompt.text, _ASKED), prompt.timestamp
            yield HandoffNote(text, rank, passage_id("prompt", prompt.id), child, f"{lead} asked", timestamp=at)
        if words is not None:
            note = HandoffNote(
                "",
                0,
                passage_id("response", words.response),
                child,
                f"{lead} said last",
                provenance="agent",
                timestamp=words.timestamp,
            )
            yield from in_parts(words.text, note, (rank + 0.4, rank + 6), _PART)


def _sent_out(db: sqlite3.Connection, session: str) -> Iterator[HandoffNote]:
    from axiommind.tools.past_call import fields_of

    rows = db.execute(_SENT, (session, json.dumps(sorted(tool_names(DELEGATE))))).fetchall()
    for back, (ref, tool, given, output, at) in reversed(list(enumerate(rows))):
        sent = fields_of(given)
        task = str(sent.get("prompt") or sent.get("description") or sent.get("message") or "")
        came = f" → {whole(output, _PART)}" if output else ""
        if task:
            text = f"{whole(task, _ASKED)}{came}"
            yield HandoffNote(text, 4.5 + 1.3 * back, passage_id("tool", ref), session, f"{tool} asked", timestamp=at)
