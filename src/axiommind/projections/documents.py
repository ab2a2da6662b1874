"""Documents: the Markdown that a user has added, in chunks that know their lines. Folds document events.

A document that changed is cut anew: its old chunks leave and the new ones have the new event's ids.
"""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from axiommind.model import Event, Problem
from axiommind.projections import Batch, Table, forgotten_projects
from axiommind.projections.session_rows import iso, row_id
from axiommind.sources.markdown import decode

NAME = "documents"
VERSION = 4
AFTER = ("projects",)
EVENT_TYPES = ("folder_added", "folder_removed", "document_saved", "document_removed", "forgotten")
TABLES = (
    Table(
        "folders",
        "The folders added with `axm kb add`, with their globs, one per line; and those of an agent's own notes, with "
        "its name.",
    ),
    # A folder of notes belongs to everybody, unless it lies in another project.
    Table(
        "documents",
        "One row per document in them; `root` is its folder, `blob` its text in the log, `encoding` that of its file "
        "(null: it could not be told).",
        scope="project = :project or project not in (select project from main.sessions)",
        forgotten_by="id",
    ),
    Table(
        "document_tags",
        "The tags in the front matter of a document.",
        scope="doc_id in (select id from documents)",
    ),
    Table(
        "document_problems",
        "Problems in a document, by line (0: the document as a whole).",
        scope="doc_id in (select id from documents)",
    ),
    Table(
        "chunks",
        "The chunks of a document: `text` is its lines `line_start` to `line_end`, `heading` the headings above.",
        scope="doc_id in (select id from documents)",
    ),
)

_DDL = (
    """
    create table folders (
        root text primary key,
        include text not null,
        exclude text not null,
        added_at text not null,
        agent text
    ) without rowid
    """,
    """
    create table documents (
        id text primary key,
        path text not null unique,
        root text not null,
        project text not null,
        project_path text not null,
        title text not null,
        lang text not null,
        size integer not null,
        mtime integer not null,
        lines integer not null,
        chunk_count integer not null,
        indexed_at text not null,
        position integer not null,
        blob text not null,
        encoding text
    )
    """,
    """
    create table document_tags (
        doc_id text not null references documents(id) on delete cascade,
        tag text not null,
        primary key (doc_id, tag)
    ) without rowid
    """,
    """
    create table document_problems (
        doc_id text not null references documents(id) on delete cascade,
        line integer not null,
        why text not null,
        primary key (doc_id, line, why)
    ) without rowid
    """,
    """
    create table chunks (
        id integer primary key,
        doc_id text not null references documents(id) on delete cascade,
        seq_order integer not null,
        line_start integer not null,
        line_end integer not null,
        heading text not null,
        text text not null
    )
    """,
    "create index idx_chunks_doc on chunks(doc_id, seq_order)",
)
HEADING_SEPARATOR = " > "


def create(db: sqlite3.Connection) -> None:
    for statement in _DDL:
        db.execute(statement)


def apply(db: sqlite3.Connection, batch: Batch) -> None:
    for event in batch.events:
        if event.event_type == "document_saved":
            _save(db, event, batch)
        elif event.event_type == "document_removed":
            _remove(db, str(event.session_id))
        elif event.event_type == "folder_added":
            _add_folder(db, event)
        elif event.event_type == "folder_removed":
            db.execute("delete from folders where root = ?", (event.payload["root"],))
        else:
            _forget(db, event)


def _add_folder(db: sqlite3.Connection, event: Event) -> None:
    payload = event.payload
    db.execute(
        """
        insert into folders(root, include, exclude, added_at, agent) values (?, ?, ?, ?, ?)
        on conflict(root) do update set
            include = excluded.include, exclude = excluded.exclude, added_at = excluded.added_at, agent = excluded.agent
        """,
        (
            payload["root"],
            "\n".join(payload["include"]),
            "\n".join(payload["exclude"]),
            iso(event.ts),
            payload.get("agent"),
        ),
    )


def _save(db: sqlite3.Connection, event: Event, batch: Batch) -> None:
    payload = event.payload
    doc = str(event.session_id)
    _remove(db, doc)
    content = batch.blob(payload["blob"])
    if content is None:  # forgotten later in the log
        return
    path = payload["path"]
    document = decode(content, path.replace("\\", "/").rpartition("/")[2])
    db.execute(
        """
        insert into documents(id, path, root, project, project_path, title, lang, size, mtime, lines, chunk_count,
                              indexed_at, position, blob, encoding)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        (
            doc,
            path,
            payload["root"],
            *batch.placed(event, "").values(),
            document.title,
            document.lang,
            payload["size"],
            payload["mtime_ms"],
            payload["lines"],
            len(document.chunks),
            iso(event.ts),
            event.position,
            payload["blob"],
            payload["encoding"] if "encoding" in payload else None if payload["problems"] else "utf-8",
        ),
    )
    db.executemany("insert into document_tags(doc_id, tag) values (?, ?)", [(doc, tag) for tag in set(document.tags)])
    db.executemany(
        "insert or ignore into document_problems(doc_id, line, why) values (?, ?, ?)",
        [(doc, line, why) for line, why in (*payload["problems"], *document.problems)],
    )
    db.executemany(
        """
        insert into chunks(id, doc_id, seq_order, line_start, line_end, heading, text) values (?, ?, ?, ?, ?, ?, ?)
        """,
        [
            (row_id(event.position, i), doc, i, c.line_start, c.line_end, _heading(document.title, c.heading), c.text)
            for i, c in enumerate(document.chunks)
        ],
    )


def _heading(title: str, path: tuple[str, ...]) -> str:
    """The way to a chunk: the document's title, then its headings."""
    return HEADING_SEPARATOR.join(path if path and path[0] == title else (title, *path))


def _forget(db: sqlite3.Connection, event: Event) -> None:
    gone = set(event.payload["sessions"])
    for path in forgotten_projects(event):
        gone |= {row[0] for row in db.execute("select id from documents where project_path = ?", (path,))}
    for forgotten in sorted(gone):
        _remove(db, forgotten)


def _remove(db: sqlite3.Connection, doc: str) -> None:
    # Chunks before their document, so that the full-text index can still read what it takes out.
    db.execute("delete from chunks where doc_id = ?", (doc,))
    db.execute("delete from documents where id = ?", (doc,))


# --- reading -----------------------------------------------------------------------------------------------


class FolderRow(NamedTuple):
    """An added folder and what the index has of it."""

    root: str
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    added_at: str
    documents: int
    chunks: int
    bytes: int
    agent: str | None  # whose notes they are; None for a folder that was added


class DocumentRow(NamedTuple):
    id: str
    title: str
    path: str
    root: str
    project: str
    lang: str
    chunks: int
    lines: int
    bytes: int
    modified: int
    encoding: str | None  # None: it could not be told
    tags: tuple[str, ...]


def folders(db: sqlite3.Connection) -> list[FolderRow]:
    rows = db.execute(
        """
        select f.root, f.include, f.exclude, f.added_at, count(d.id), coalesce(sum(d.chunk_count), 0),
               coalesce(sum(d.size), 0), f.agent
        from folders f left join documents d on d.root = f.root
        group by f.root order by f.root
        """
    )
    return [FolderRow(root, _split(include), _split(exclude), *rest) for root, include, exclude, *rest in rows]


def documents(db: sqlite3.Connection) -> list[DocumentRow]:
    rows = db.execute(
        """
        select id, title, path, root, project, lang, chunk_count, lines, size, mtime, encoding,
               (select group_concat(tag, char(10)) from document_tags t where t.doc_id = d.id)
        from documents d order by path
        """
    )
    return [DocumentRow._make((*rest, tuple(sorted(_split(tags))))) for *rest, tags in rows]


def _split(text: str | None) -> tuple[str, ...]:
    return tuple(text.split("\n")) if text else ()


def below(db: sqlite3.Connection, path: str) -> int:
    """How many documents a path has: itself, or those in the folder that it names."""
    top = path.rstrip("/\\")
    rows = db.execute(
        """
        select count(*) from documents
        where path = :path or substr(path, 1, length(:top) + 1) in (:top || '/', :top || '\\')
        """,
        {"path": path, "top": top},
    )
    return int(rows.fetchone()[0])


def root_of(db: sqlite3.Connection, path: str) -> str | None:
    """The added folder that a document came from, which it need not lie in: a link may lead to it."""
    row = db.execute("select root from documents where path = ?", (path,)).fetchone()
    return str(row[0]) if row else None


def made_since(db: sqlite3.Connection, position: int) -> tuple[int, list[Problem]]:
    """Of the documents saved after a position: how many chunks they have, and what was odd in them."""
    (chunks,) = db.execute(
        "select coalesce(sum(chunk_count), 0) from documents where position > ?", (position,)
    ).fetchone()
    flaws = db.execute(
        """
        select d.path, p.line, p.why from document_problems p join documents d on d.id = p.doc_id
        where d.position > ? order by d.path, p.line, p.why
        """,
        (position,),
    )
    return chunks, [Problem(*row) for row in flaws]
