"""Passages: the one full-text index. A passage refers to the row that has its text; the text is not copied.

FTS5 keeps terms only (contentless), made by our tokeniser, in step with the table by triggers that use FTS5's own
'delete' form. A passage goes before the row it refers to, so that the trigger can still read the text.
"""

from __future__ import annotations

import sqlite3

from axiommind.projections import Batch
from axiommind.text.tokens import FTS_TOKENIZE, fts_text

NAME = "passages"
VERSION = 1
AFTER = ("sessions",)
EVENT_TYPES: tuple[str, ...] = ()  # reads what the sessions projection touched
TABLES = ("passages", "passages_fts")

# An id is its row's id and the kind's number; the numbers are for good.
KINDS = {"prompt": 0, "response": 1, "tool": 2, "insight": 3, "doc": 4, "pad": 5}
_KIND_BITS = 3

_DDL = (
    """
    create table passages (
        id integer primary key,
        kind text not null,
        ref integer not null,
        session_id text not null
    )
    """,
    "create index idx_passages_session on passages(session_id)",
    f"""create virtual table passages_fts using fts5(terms, content='', tokenize="{FTS_TOKENIZE}")""",
    """
    create view passage_texts as
    select p.id, p.kind, p.session_id, r.text
    from passages p join prompts r on p.kind = 'prompt' and r.id = p.ref
    """,
    """
    create trigger passages_in after insert on passages begin
        insert into passages_fts(rowid, terms)
        values (new.id, axm_terms((select text from passage_texts where id = new.id)));
    end
    """,
    # `before`: afterwards the view no longer has the row.
    """
    create trigger passages_out before delete on passages begin
        insert into passages_fts(passages_fts, rowid, terms)
        values ('delete', old.id, axm_terms((select text from passage_texts where id = old.id)));
    end
    """,
    f"""
    create trigger passages_of_prompts before delete on prompts begin
        delete from passages where id = old.id << {_KIND_BITS} | {KINDS["prompt"]};
    end
    """,
)

_FILL = f"""
    insert into passages(id, kind, ref, session_id)
    select p.id << {_KIND_BITS} | {KINDS["prompt"]}, 'prompt', p.id, p.session_id
    from prompts p
    where p.session_id = ?
    order by p.id
    on conflict do nothing
"""


def connect(db: sqlite3.Connection) -> None:
    """The function that the triggers call: every connection that writes the index needs it."""
    db.create_function("axm_terms", 1, lambda text: fts_text(text or ""), deterministic=True)


def create(db: sqlite3.Connection) -> None:
    for statement in _DDL:
        db.execute(statement)


def apply(db: sqlite3.Connection, batch: Batch) -> None:
    db.executemany(_FILL, [(s,) for s in sorted(batch.sessions)])
