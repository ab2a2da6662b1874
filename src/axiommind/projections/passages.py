"""Passages: the one full-text index. A passage refers to the row that has its text; the text is not copied.

A row that has a text (`_SOURCES`) and comes or changes is noted in `passages_pending` by a trigger, and `apply` turns
the notes of a batch into passages in the order of their ids: FTS5 writes a segment of its own for every id that is not
larger than the one before. FTS5 keeps terms only (contentless), made by our tokeniser, in step with `passages` by
triggers that use FTS5's own 'delete' form. A passage goes before the row it refers to changes or goes, so that the
trigger can still read the text.
"""

from __future__ import annotations

import sqlite3

from axiommind.model import PROVENANCES
from axiommind.projections import Batch, Table
from axiommind.text.tokens import FTS_TOKENIZE, fts_text
from axiommind.tools.call_text import tool_text

NAME = "passages"
VERSION = 10
AFTER = ("sessions", "teammates", "documents", "entries", "pads")
EVENT_TYPES: tuple[str, ...] = ()  # follows the rows of the projections before it
TABLES = (
    Table(
        "passages",
        "What full-text search can find. `ref` is the id of the row that has the text: in `prompts`, "
        "`responses`, `tool_uses`, `entries`, `chunks`, `pad_chunks` or `compaction_summaries` by `kind` (`prompt`, "
        "`response`, `tool`, `insight`, `doc`, `pad`, `summary`). It belongs to a session, or to a document, "
        "scratchpad or workflow (`doc_id`); `timestamp` is when it was said or written, or when the document was "
        "last modified, and `provenance` who it is from: " + ", ".join(f"`{name}`" for name in PROVENANCES) + ".",
        scope="""
        session_id in (select id from main.sessions where project = :project)
            or doc_id in (select id from documents) or doc_id in (select id from pads)
            or doc_id in (select id from workflows)
        """,
    ),
    Table(
        "passages_pending",
        "Rows added or changed while a batch is projected; always empty between runs.",
    ),
    Table(
        "passages_fts",
        "The terms of the passages (FTS5, contentless), made by our own tokeniser: see ADR 0005.",
    ),
    Table(
        "passage_texts",
        "A view: the text of each passage.",
        scope="id in (select id from passages)",
        is_view=True,
    ),
)

# An id is its row's id and the kind's number; the numbers are for good.
KINDS = {"prompt": 0, "response": 1, "tool": 2, "insight": 3, "doc": 4, "pad": 5, "summary": 6}
KIND_BITS = 3

# kind: its table, the columns whose change makes another text, and which rows have a text at all
_SOURCES = {
    "prompt": ("prompts", "text", "true"),
    "response": ("responses", "text", "new.text <> ''"),
    # What only a parent's file tells of a subagent is counted and not searched: ADR 50 says why.
    "tool": ("tool_uses", "error, output", "new.subagent is null"),
    "insight": ("entries", "title, text, happened_at, provenance", "true"),
    "doc": ("chunks", "text", "true"),
    "pad": ("pad_chunks", "text", "true"),
    "summary": ("compaction_summaries", "text", "true"),
}


def _id(kind: str, row: str) -> str:
    return f"{row}.id << {KIND_BITS} | {KINDS[kind]}"


def _follow(kind: str, table: str, columns: str, condition: str) -> tuple[str, ...]:
    """The triggers that keep the passages of a kind in step with the rows of its table."""
    # No `or ignore`: an upsert that fires the trigger would put its own conflict policy in the place of that one.
    new = _id(kind, "new")
    note = f"insert into passages_pending select {new} where {new} not in (select id from passages_pending);"
    drop = f"delete from passages where id = {_id(kind, 'old')};"
    return (
        f"create trigger passages_{table}_in after insert on {table} when {condition} begin {note} end",
        f"create trigger passages_{table}_old before update of {columns} on {table} begin {drop} end",
        f"create trigger passages_{table}_new after update of {columns} on {table} when {condition} begin {note} end",
        f"create trigger passages_{table}_out before delete on {table} begin {drop} end",
        f"""
        create trigger passages_{table}_gone after delete on {table} begin
            delete from passages_pending where id = {_id(kind, "old")};
        end
        """,
    )


_FULL_TEXT = f"""create virtual table passages_fts using fts5(terms, content='', tokenize="{FTS_TOKENIZE}")"""
_DDL = (
    """
    create table passages (
        id integer primary key,
        kind text not null,
        ref integer not null,
        session_id text,
        doc_id text,
        timestamp integer,
        provenance text not null
    )
    """,
    "create index idx_passages_session on passages(session_id) where session_id is not null",
    "create table passages_pending (id integer primary key)",
    _FULL_TEXT,
    """
    create view passage_texts as
    select
        p.id,
        p.kind,
        p.session_id,
        p.doc_id,
        p.timestamp,
        case p.kind
            when 'doc' then (select c.heading from chunks c where c.id = p.ref)
            when 'insight' then (select e.title from entries e where e.id = p.ref)
            when 'pad' then (select coalesce(q.title, w.name) from pad_chunks c join workflows w on w.id = c.workflow_id
                             left join pads q on q.id = c.pad_id where c.id = p.ref)
            else ''
        end as title,
        case p.kind
            when 'prompt' then (select r.text from prompts r where r.id = p.ref)
            when 'response' then (select r.text from responses r where r.id = p.ref)
            when 'tool' then
                (select axm_tool_text(t.tool_name, t.input_json, t.error, t.output) from tool_uses t where t.id = p.ref)
            when 'insight' then (select e.text from entries e where e.id = p.ref)
            when 'doc' then (select c.text from chunks c where c.id = p.ref)
            when 'pad' then (select c.text from pad_chunks c where c.id = p.ref)
            when 'summary' then (select s.text from compaction_summaries s where s.id = p.ref)
        end as text
    from passages p
    """,
    """
    create trigger passages_in after insert on passages begin
        insert into passages_fts(rowid, terms)
        select new.id, axm_terms(title, text, kind) from passage_texts where id = new.id;
    end
    """,
    # `before`: afterwards the view no longer has the row.
    """
    create trigger passages_out before delete on passages begin
        insert into passages_fts(passages_fts, rowid, terms)
        select 'delete', old.id, axm_terms(title, text, kind) from passage_texts where id = old.id;
    end
    """,
    *(statement for kind, source in _SOURCES.items() for statement in _follow(kind, *source)),
)

_IS_TEAMMATES = "exists (select 1 from teammate_sessions m where m.session_id = r.session_id)"
_FILL = f"""
    insert into passages(id, kind, ref, session_id, doc_id, timestamp, provenance)
    select n.id, 'prompt', r.id, r.session_id, null, nullif(r.timestamp, 0),
           axm_prompt_provenance(r.text, {_IS_TEAMMATES})
    from passages_pending n join prompts r on r.id = n.id >> {KIND_BITS}
    where n.id & 7 = {KINDS["prompt"]}
    union all
    select n.id, 'response', r.id, r.session_id, null, r.timestamp, 'agent'
    from passages_pending n join responses r on r.id = n.id >> {KIND_BITS}
    where n.id & 7 = {KINDS["response"]}
    union all
    select n.id, 'tool', r.id, r.session_id, null, r.timestamp,
           axm_tool_provenance(s.agent, r.tool_name, r.input_json, r.output, {_IS_TEAMMATES})
    from passages_pending n join tool_uses r on r.id = n.id >> {KIND_BITS} join sessions s on s.id = r.session_id
    where n.id & 7 = {KINDS["tool"]}
    union all
    select n.id, 'insight', r.id, r.session_id, null, r.happened_at, r.provenance
    from passages_pending n join entries r on r.id = n.id >> {KIND_BITS}
    where n.id & 7 = {KINDS["insight"]}
    union all
    select n.id, 'doc', r.id, null, r.doc_id, d.mtime,
           case when instr(r.doc_id, '@') then 'teammate'
                when f.agent is null then axm_file_provenance(d.path) else 'agent' end
    from passages_pending n join chunks r on r.id = n.id >> {KIND_BITS} join documents d on d.id = r.doc_id
    left join folders f on f.root = d.root
    where n.id & 7 = {KINDS["doc"]}
    union all
    select n.id, 'pad', r.id, null, coalesce(r.pad_id, r.workflow_id), r.timestamp, 'elsewhere'
    from passages_pending n join pad_chunks r on r.id = n.id >> {KIND_BITS}
    where n.id & 7 = {KINDS["pad"]}
    union all
    select n.id, 'summary', r.id, r.session_id, null, r.timestamp, 'elsewhere'
    from passages_pending n join compaction_summaries r on r.id = n.id >> {KIND_BITS}
    where n.id & 7 = {KINDS["summary"]}
    order by 1
"""


def connect(db: sqlite3.Connection) -> None:
    """The functions that the triggers call: every connection that writes the index needs them."""
    from axiommind.projections import _passage_provenance  # a hook, which only reads, does not load what it needs

    db.create_function("axm_terms", 3, indexed_terms, deterministic=True)
    db.create_function("axm_tool_text", 4, tool_text, deterministic=True)
    db.create_function("axm_prompt_provenance", 2, _passage_provenance.of_prompt, deterministic=True)
    db.create_function("axm_tool_provenance", 5, _passage_provenance.of_call, deterministic=True)
    db.create_function("axm_file_provenance", 1, _passage_provenance.of_file, deterministic=True)


def indexed_terms(title: str | None, text: str | None, kind: str) -> str:
    """What FTS5 is given for a passage: the terms of its title, then those of its text. In workflows and scratchpads
    every occurrence counts, so each has the parts of its identifiers."""
    each = kind == "pad"
    said = fts_text(text or "", each=each)
    return f"{fts_text(title, each=each)} {said}" if title else said


def create(db: sqlite3.Connection) -> None:
    for statement in _DDL:
        db.execute(statement)


def apply(db: sqlite3.Connection, batch: Batch) -> None:  # noqa: ARG001 - it follows rows, not events
    db.execute(_FILL)
    db.execute("delete from passages_pending")


def create_full_text(db: sqlite3.Connection) -> None:
    db.execute(_FULL_TEXT)


def refill(db: sqlite3.Connection) -> int:
    """Give FTS5 the terms of every passage anew, in the order of their ids; returns how many there are."""
    db.execute("insert into passages_fts(passages_fts) values ('delete-all')")
    db.execute(
        """
        insert into passages_fts(rowid, terms)
        select id, axm_terms(title, text, kind) from passage_texts order by id
        """
    )
    return int(db.execute("select count(*) from passages").fetchone()[0])
