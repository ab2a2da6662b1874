"""What team mates shared is searched like one's own, and told to no agent unless a person wants it.

Views of the connection's own hide it: they have the tables' names, so nothing that asks has to know. A home that has
no team mate's session pays for one question.
"""

from __future__ import annotations

import sqlite3

__all__ = ["hide_teammates"]

_SESSION = "(session_id is null or session_id not in (select session_id from main.teammate_sessions))"
# Ids of what a team mate's home made end in the person's name (`log/origins.py`).
_HIDDEN = {
    "sessions": "id not in (select session_id from main.teammate_sessions)",
    "prompts": _SESSION,
    "responses": _SESSION,
    "tool_uses": _SESSION,
    "file_edits": _SESSION,
    "entries": _SESSION,
    "passages": f"{_SESSION} and instr(coalesce(doc_id, ''), '@') = 0",
    "documents": "instr(id, '@') = 0",
    "entities": "instr(entity_id, '@') = 0",
    "workflows": "instr(id, '@') = 0",
    "pads": "instr(id, '@') = 0",
}


def hide_teammates(db: sqlite3.Connection) -> None:
    """Let this connection see nothing of team mates. Before it is made read-only."""
    if db.execute("select 1 from teammate_sessions limit 1").fetchone() is not None:
        for table, condition in _HIDDEN.items():
            db.execute(f"create temp view {table} as select * from main.{table} where {condition}")
