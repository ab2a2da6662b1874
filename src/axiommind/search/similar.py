"""What is nearest in meaning to something known: passages to a passage or an entry, sessions to a session, tasks to a
task.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import NamedTuple

from axiommind.errors import NotFound
from axiommind.home import now
from axiommind.ids import number_of, one_of
from axiommind.projections.passages import KIND_BITS, KINDS
from axiommind.search import candidates, hits, lexical, rank
from axiommind.search.hits import Hit
from axiommind.search.query import Query
from axiommind.search.reading.passage_ids import evidence_of
from axiommind.search.rows import Texts, index_version
from axiommind.search.semantic import Meaning
from axiommind.text.summary import summary
from axiommind.vectors.contract import PASSAGES, SESSIONS, TASK_TITLES, Vector

__all__ = ["Like", "Similar", "nearest_to"]


class Like(NamedTuple):
    """A session or a task that is similar to another one."""

    id: str
    similarity: float
    title: str
    project: str | None
    timestamp: int | None
    status: str | None  # of a task


class Similar(NamedTuple):
    """What is most similar: passages (`hits`), or sessions or tasks (`others`)."""

    id: str
    kind: str  # passage, session, task
    title: str
    hits: tuple[Hit, ...] = ()
    others: tuple[Like, ...] = ()


def nearest_to(db: sqlite3.Connection, meaning: Meaning, name: str, k: int) -> Similar:
    """The `k` nearest to what a name means."""
    kind, key, title = _meant(db, name)
    if kind == "passage":
        return Similar(name.strip(), kind, title, hits=_passages_like(db, meaning, int(key), k))
    return Similar(key, kind, title, others=_others_like(db, meaning, kind, key, title, k))


def _meant(db: sqlite3.Connection, name: str) -> tuple[str, str, str]:
    """What a name means: its kind, its key among the vectors, and its title."""
    wanted = name.strip()
    if wanted.startswith("ent_"):
        entries = {entry: (row, title) for entry, row, title in db.execute("select entry_id, id, title from entries")}
        row, title = entries[one_of(wanted, set(entries), "entry", "axm entry list shows them")]
        return "passage", str(row << KIND_BITS | KINDS["insight"]), title
    if wanted.startswith("tsk_"):
        tasks = dict(db.execute("select entity_id, title from entities where entity_type = 'task'"))
        task = one_of(wanted, set(tasks), "task", "axm task list shows them")
        return "task", task, tasks[task]
    number = number_of(wanted.lower())
    if number is not None:
        row = db.execute("select title, text from passage_texts where id = ?", (number,)).fetchone()
        if row:
            return "passage", str(number), row[0] or summary(row[1] or "")
    sessions = dict(db.execute("select id, coalesce(title, '') from sessions"))
    if not any(session.startswith(wanted) for session in sessions):
        raise NotFound(
            f"there is no passage, entry, task or session {name!r}", hint="axm search prints the ids of its hits"
        )
    session = one_of(wanted, set(sessions), "session")
    return "session", session, sessions[session]


def _passages_like(db: sqlite3.Connection, meaning: Meaning, row: int, k: int) -> tuple[Hit, ...]:
    near = _nearest(meaning, PASSAGES, str(row), lambda: _text_of(db, row), k * 4)
    near = {key: similarity for key, similarity in near.items() if not _is_same(db, row, int(key))}
    texts = Texts(db)
    query = Query.parse("", now=now())
    asked = rank.Asked((), lexical.statistics(db), 0.0)
    passages = candidates.passing(db, query, [int(key) for key in near], texts, k * 4)
    weights = candidates.entry_weights(db, passages)
    scored = [
        rank.by_meaning(asked, rank.score(asked, p, (), 0, 0, weights.get(p.id, 1.0)), near[str(p.id)])
        for p in passages
    ]
    scored.sort(key=lambda one: (-one.score, one.passage.id))
    found = hits.single(scored, k, texts)[:k]
    return hits.hits_of(db, asked, found, texts, "semantic", index_version(db))


def _is_same(db: sqlite3.Connection, one: int, other: int) -> bool:
    """Whether two passages are one, or one is an entry and the other the words that it was learned from."""
    if one == other:
        return True
    return any(
        entry & (1 << KIND_BITS) - 1 == KINDS["insight"] and words in evidence_of(db, entry >> KIND_BITS)
        for entry, words in ((one, other), (other, one))
    )


def _text_of(db: sqlite3.Connection, row: int) -> str:
    title, text = db.execute("select title, text from passage_texts where id = ?", (row,)).fetchone() or ("", "")
    return f"{title}\n{text}" if title else text or ""


def _others_like(db: sqlite3.Connection, meaning: Meaning, kind: str, key: str, title: str, k: int) -> tuple[Like, ...]:
    near = _nearest(meaning, SESSIONS if kind == "session" else TASK_TITLES, key, lambda: title, k + 1)
    near.pop(key, None)
    sql = {
        "session": "select coalesce(title, ''), project, started_at, null from sessions where id = ?",
        "task": "select title, project, null, json_extract(current_json, '$.status') from entities where entity_id = ?",
    }[kind]
    found = []
    for other, similarity in near.items():
        row = db.execute(sql, (other,)).fetchone()
        if row:
            found.append(Like(other, round(similarity, 4), *row))
    return tuple(found[:k])


def _nearest(meaning: Meaning, collection: str, key: str, text: Callable[[], str], k: int) -> dict[str, float]:
    """The keys nearest to a key by any of its parts, best first; of one without a vector, by its text."""
    vectors: list[Vector] = meaning.store.vectors(collection, meaning.version, [key]).get(key, [])
    if not vectors:
        vector = meaning.embedder.embed_query(text())
        vectors = [vector] if any(vector) else []
    near: dict[str, float] = {}
    for vector in vectors:
        for one in meaning.store.near(collection, meaning.version, vector, k):
            near[one.key] = max(near.get(one.key, -1.0), one.similarity)
    return dict(sorted(near.items(), key=lambda item: (-item[1], item[0])))
