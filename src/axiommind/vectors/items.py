"""Items: what has vectors, by the kind of its job. Where the text of each is, and its key in the store.

Prompts, answers, tool calls, chunks of documents and of pads, and entries are passages; sessions have a vector of what
they are about, tasks one of their title.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import NamedTuple

from axiommind.projections import PLACE_BITS
from axiommind.projections.passages import KIND_BITS
from axiommind.projections.passages import KINDS as PASSAGE_KINDS
from axiommind.vectors.contract import PASSAGES, SESSIONS, TASK_TITLES
from axiommind.vectors.parts import VERSION as CUT

__all__ = ["FIRST", "LATER", "EmbedItem", "collection_of", "gone", "read", "words_of"]

# A version is searched when these are done; answers and tool calls follow.
FIRST = ("entry", "task_title", "summary", "doc", "pad", "prompt")
LATER = ("response", "tool")

_WORDS = {
    "entry": "entries",
    "task_title": "tasks",
    "summary": "sessions",
    "doc": "documents",
    "pad": "scratchpads",
    "prompt": "prompts",
    "response": "answers",
    "tool": "tool calls",
}
_TEXTS = {
    "entry": "select entry_id, id, title, text from entries where entry_id in (select value from json_each(?))",
    "task_title": """
        select entity_id, entity_id, '', title from entities
        where entity_type = 'task' and entity_id in (select value from json_each(?))
    """,
    "passage": "select id, id, title, text from passage_texts where id in (select value from json_each(?))",
}
# The last of a session's rows is of the summary that names its latest message.
_SESSIONS = "select id, coalesce(title, '') from sessions where id in (select value from json_each(?))"
_SUMMARIES = """
    select r.session_id, s.summary
    from summaries s
    cross join records r on r.uuid = s.leaf_uuid
    where r.session_id in (select value from json_each(?))
    order by r.timestamp, r.line, r.uuid, s.session_id
"""
_GONE = """
    select j.value from json_each(?) j
    where not exists (select 1 from passages where id = cast(j.value as integer) and cast(id as text) = j.value)
"""
_TOGETHER = 5_000


class EmbedItem(NamedTuple):
    """Something with a text of its own."""

    kind: str
    id: int | str
    key: str
    place: int
    title: str
    text: str

    @property
    def text_hash(self) -> str:
        """Of the whole text and the way it is cut: with the same hash there is nothing to embed."""
        whole = f"{CUT}\0{self.title}\0{self.text}"
        return hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def words_of(kind: str) -> str:
    """What items of a kind are called, for people."""
    return _WORDS[kind]


def collection_of(kind: str) -> str:
    return {"summary": SESSIONS, "task_title": TASK_TITLES}.get(kind, PASSAGES)


def read(db: sqlite3.Connection, kind: str, ids: Sequence[int | str]) -> list[EmbedItem]:
    """Those of these items that exist."""
    wanted = json.dumps(list(ids))
    if kind == "summary":
        return _sessions(db, wanted)
    rows = db.execute(_TEXTS.get(kind, _TEXTS["passage"]), (wanted,))
    return [_item(kind, *row) for row in rows]


def _item(kind: str, name: int | str, row: int | str, title: str | None, text: str | None) -> EmbedItem:
    if not isinstance(row, int):
        return EmbedItem(kind, name, str(name), 0, title or "", text or "")
    passage = row << KIND_BITS | PASSAGE_KINDS["insight"] if kind == "entry" else row
    return EmbedItem(kind, name, str(passage), passage >> KIND_BITS + PLACE_BITS, title or "", text or "")


def _sessions(db: sqlite3.Connection, wanted: str) -> list[EmbedItem]:
    summaries = dict(db.execute(_SUMMARIES, (wanted,)).fetchall())
    found = []
    for session, title in db.execute(_SESSIONS, (wanted,)):
        summary = summaries.get(session, "")
        text = summary if title in summary else f"{title}\n{summary}".strip()
        found.append(EmbedItem("summary", session, session, 0, "", text))
    return found


def gone(db: sqlite3.Connection, keys: Iterable[str]) -> list[str]:
    """The keys among these whose passage is no longer there."""
    found: list[str] = []
    rest = iter(keys)
    while some := list(islice(rest, _TOGETHER)):
        found += [row[0] for row in db.execute(_GONE, (json.dumps(some),))]
    return found
