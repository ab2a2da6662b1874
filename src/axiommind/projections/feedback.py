"""Feedback: what people and agents said of what was given: useful, not useful, or taken back. Folds `feedback_given`.

Of what was said about one thing at one kind of moment the latest counts, whatever order the events arrive in. A row
goes with the session that was given it, and with the session or document that it is of (`owner`).
"""

from __future__ import annotations

import json
import sqlite3

from axiommind.model import Event
from axiommind.projections import OF_PROJECT, Batch, Table, forgotten_projects

NAME = "feedback"
VERSION = 2
AFTER = ("sessions",)
EVENT_TYPES = ("feedback_given", "forgotten")
TABLES = (
    Table(
        "feedback",
        "What was said of items that hooks gave: `verdict` no (not useful), yes, or clear (taken back), for moments of "
        "one hook and, of prompts, with words like these. `said_in` is empty for a person, whose word holds "
        "everywhere, and the session of an agent, whose word holds there.",
        scope=OF_PROJECT,
        forgotten_by="session_id",
    ),
)
# Said at the same instant, the one that takes more back counts.
_RANK = {"yes": 0, "no": 1, "clear": 2}
_DDL = (
    """
    create table feedback (
        name text not null,
        hook text not null,
        words_json text not null check (json_valid(words_json)),
        said_in text not null,
        verdict text not null check (verdict in ('no', 'yes', 'clear')),
        at integer not null,
        kind text not null,
        session_id text,
        project text,
        project_path text,
        owner text,
        primary key (name, hook, words_json, said_in)
    ) without rowid
    """,
    "create index idx_feedback_owner on feedback(owner) where owner is not null",
    "create index idx_feedback_kind on feedback(hook, kind)",
)
_SAY = """
    insert into feedback(name, hook, words_json, said_in, verdict, at, kind, session_id, project, project_path,
                         owner)
    values (:name, :hook, :words, :said_in, :verdict, :at, :kind, :session, :project, :project_path, :owner)
    on conflict do update
    set verdict = excluded.verdict, at = excluded.at, kind = excluded.kind, session_id = excluded.session_id,
        project = excluded.project, project_path = excluded.project_path, owner = excluded.owner
    where excluded.at > at
       or (excluded.at = at and :rank > case verdict when 'clear' then 2 when 'no' then 1 else 0 end)
"""


def create(db: sqlite3.Connection) -> None:
    for statement in _DDL:
        db.execute(statement)


def apply(db: sqlite3.Connection, batch: Batch) -> None:
    for event in batch.events:
        if event.event_type == "feedback_given":
            _said(db, event, batch)
        else:
            _forget(db, event)


def _said(db: sqlite3.Connection, event: Event, batch: Batch) -> None:
    given = event.payload
    words: list[str] = []
    if "blob" in given:
        content = batch.blob(given["blob"])
        if content is None:  # the prompt was forgotten, and nobody knows any more what this was said about
            return
        words = sorted(set(json.loads(content)["words"]))
    for place, name in enumerate(given["names"]):
        db.execute(
            _SAY,
            {
                "name": name,
                "hook": given["hook"],
                "words": json.dumps(words, ensure_ascii=False),
                "said_in": given["said_in"],
                "verdict": given["verdict"],
                "at": event.happened_at or event.ts,
                "kind": "" if place else given["kind"],  # counted once, by its first name
                "session": event.session_id,
                **batch.placed(event),
                "owner": given["owner"],
                "rank": _RANK[given["verdict"]],
            },
        )


def _forget(db: sqlite3.Connection, event: Event) -> None:
    gone = [(name,) for name in event.payload["sessions"]]
    db.executemany("delete from feedback where owner = ?", gone)
    db.executemany("delete from feedback where session_id = ?", gone)
    db.executemany("delete from feedback where said_in = ?", gone)
    db.executemany("delete from feedback where project_path = ?", [(path,) for path in forgotten_projects(event)])
