"""Rows of passages: what every part of search reads of them, each text once."""

from __future__ import annotations

import sqlite3
from zlib import crc32

from axiommind.errors import IndexCorrupt
from axiommind.projections.passages import VERSION
from axiommind.search.rank import Passage
from axiommind.text.tokens import FTS_TOKENIZE

__all__ = ["PASSAGES", "Texts", "index_version", "passages_where"]

PASSAGES = """
    select p.id, p.kind, p.ref, p.session_id, p.doc_id, p.timestamp, coalesce(s.parent_session, p.session_id, p.doc_id),
           p.provenance
    from passages p
    left join sessions s on s.id = p.session_id
"""
# Joined only where a filter asks for them: each costs a lookup for every candidate.
_MORE = {
    "d.": " left join documents d on d.id = p.doc_id",
    "w.": """
        left join pad_chunks c on p.kind = 'pad' and c.id = p.ref left join workflows w on w.id = c.workflow_id
    """,
    "t.": " left join tool_uses t on p.kind = 'tool' and t.id = p.ref",
}
_TEXT = {
    "prompt": "select '', text from prompts where id = ?",
    "response": "select '', text from responses where id = ?",
    "tool": "select '', axm_tool_text(tool_name, input_json, error, output) from tool_uses where id = ?",
    "insight": "select title, text from entries where id = ?",
    "doc": "select heading, text from chunks where id = ?",
    "pad": """
        select coalesce(q.title, w.name), c.text from pad_chunks c
        join workflows w on w.id = c.workflow_id left join pads q on q.id = c.pad_id
        where c.id = ?
    """,
    "summary": "select '', text from compaction_summaries where id = ?",
}


def passages_where(condition: str) -> str:
    """The select of the passages that meet a condition on p, s, d, w and t."""
    joins = "".join(join for name, join in _MORE.items() if name in condition)
    return f"{PASSAGES}{joins} where {condition}"


class Texts:
    """Title and text of passages, each read once."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._known: dict[int, tuple[str, str]] = {}

    def __call__(self, passage: Passage) -> tuple[str, str]:
        found = self._known.get(passage.id)
        if found is None:
            row = self._db.execute(_TEXT[passage.kind], (passage.ref,)).fetchone()
            found = self._known[passage.id] = (row[0], row[1] or "") if row else ("", "")
        return found


def index_version(db: sqlite3.Connection) -> str:
    """The shape of the index: its schema's version, and a hash of how texts become terms."""
    (schema,) = db.execute("select max(value) from meta where key = 'schema_version'").fetchone()
    versions = db.execute(
        "select projector_name, version from projection_offsets where projector_name in ('passages', 'documents')"
    ).fetchall()
    if ("passages", VERSION) not in versions:
        raise IndexCorrupt("the index was made by another version of this program", hint="run: axm index")
    made = crc32(repr((FTS_TOKENIZE, sorted(versions))).encode())
    return f"{schema}-{made:08x}"
