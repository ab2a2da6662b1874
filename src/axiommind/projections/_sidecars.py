"""What the small files beside a transcript say of its session: a title, a subagent's type and model, and of some agents
the tokens of the whole session, which its lines do not have.

Those are a row of `responses` without a text and without a line, so that every sum has them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

from axiommind.model import Event
from axiommind.projections import PLACE_BITS, Batch
from axiommind.sources import load as load_source

__all__ = ["fold", "settle"]

_TOKENS = ("input_tokens", "output_tokens", "cache_creation_tokens", "cache_read_tokens")
_FOLD = """
    insert into sidecars(path, session_id, kind, title, agent_type, parent_tool_use_id, model, input_tokens,
                         output_tokens, cache_creation_tokens, cache_read_tokens, position)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    on conflict(path) do update set
        title = excluded.title, agent_type = excluded.agent_type, parent_tool_use_id = excluded.parent_tool_use_id,
        model = excluded.model, input_tokens = excluded.input_tokens, output_tokens = excluded.output_tokens,
        cache_creation_tokens = excluded.cache_creation_tokens, cache_read_tokens = excluded.cache_read_tokens
"""
_MODEL = """
    update {table} set model = (select max(model) from sidecars where session_id = :session)
    where {id} = :session and model is null
      and exists (select 1 from sidecars where session_id = :session and model is not null)
"""
# The id is made of where the file was first read, so that a replay makes the same.
_TOTAL = f"""
    insert into responses(id, session_id, message_id, request_id, model, timestamp, text, char_count, input_tokens,
                          output_tokens, cache_creation_tokens, cache_read_tokens, is_sidechain, is_error, line_start,
                          line_end)
    select c.position << {PLACE_BITS}, s.id, s.agent || ':total:' || s.id, '', coalesce(s.model, c.model), s.ended_at,
           '', 0, c.input_tokens, c.output_tokens, c.cache_creation_tokens, c.cache_read_tokens, 0, 0, 0, 0
    from sidecars c join sessions s on s.id = c.session_id
    where c.session_id = ? and c.input_tokens is not null
    order by c.path limit 1
    on conflict(message_id, request_id, session_id) do update set
        model = excluded.model, timestamp = excluded.timestamp, input_tokens = excluded.input_tokens,
        output_tokens = excluded.output_tokens, cache_creation_tokens = excluded.cache_creation_tokens,
        cache_read_tokens = excluded.cache_read_tokens
"""


def fold(db: sqlite3.Connection, event: Event, batch: Batch) -> None:
    """The facts of a small file, as it is now."""
    payload = event.payload
    content = batch.blob(payload["blob"])
    facts = {} if content is None else load_source(payload["source"]).sidecar(payload["kind"], content)
    names = ("title", "agent_type", "parent_tool_use_id", "model")
    db.execute(
        _FOLD,
        (
            payload["stream"],
            event.session_id,
            payload["kind"],
            *(facts.get(name) for name in names),
            *(_count(facts, name) for name in _TOKENS),
            event.position,
        ),
    )
    batch.sessions.add(str(event.session_id))


def settle(db: sqlite3.Connection, session: str) -> None:
    """Bring a session's rows up to what is said beside its lines."""
    if db.execute("select 1 from sidecars where session_id = ? limit 1", (session,)).fetchone() is None:
        return
    for table, column in (("sessions", "id"), ("responses", "session_id")):
        db.execute(_MODEL.format(table=table, id=column), {"session": session})
    db.execute(_TOTAL, (session,))


def _count(facts: Mapping[str, str], name: str) -> int | None:
    """A count, of a file that has any: the ones it leaves out are none."""
    if not any(one in facts for one in _TOKENS):
        return None
    text = facts.get(name, "0")
    return int(text) if text.isdecimal() and len(text) < 16 else 0
