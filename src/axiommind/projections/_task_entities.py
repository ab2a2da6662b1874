"""The entities, aliases and edges of tasks, conditions and artifacts, recomputed from their events.

Everything is a function of `task_events` (and of the stages in `entries`), never of what the tables held before. An
edge needs both its ends. A blocked task whose every blocker was forgotten waits for the project's unknown blocker. The
prefix of an id says what it is: tsk_, cond_, art_.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from axiommind.ids import canonical_json
from axiommind.projections.entry_rows import STAGES
from axiommind.projections.session_rows import iso
from axiommind.projections.task_fold import (
    CREATING,
    UNKNOWN_BLOCKER,
    BlockedBy,
    FoldedTask,
    TaskChange,
    TaskEvent,
    TaskKey,
    entity_id,
    fold,
    printable,
    unknown_blocker,
)

__all__ = ["events_about", "events_of_entry", "is_created", "recompute"]

_UNKNOWN_CONFIDENCE = 0.5
_CREATING_ROWS = f"not withdrawn and event_type in ({', '.join(repr(name) for name in CREATING)})"
# The place of an event in the order of all machines.
_ORD = "coalesce((select ord from task_events where position = {position}), '')"
_IS_CREATED = f"select 1 from task_events where entity_id = ? and {_CREATING_ROWS} limit 1"


def is_created(db: sqlite3.Connection, entity: str) -> bool:
    """Whether an event creates it."""
    return db.execute(_IS_CREATED, (entity,)).fetchone() is not None


def recompute(db: sqlite3.Connection, touched: set[str], projects: Iterable[str] = ()) -> None:
    """Recompute everything about these entities, and what these projects' tasks wait for that nobody named."""
    _Recompute(db).run(touched, projects)


class _EntityLink(NamedTuple):
    """A link from an entity to another one: an edge, if both exist."""

    rel: str
    dst: str
    meta: dict[str, Any]
    at: int
    position: int


class _Entity(NamedTuple):
    entity_id: str
    entity_type: str
    title: str
    project: str
    current: dict[str, Any]
    keys: tuple[TaskKey, ...]
    words: tuple[str, ...]  # that its search text has beside title and key
    created_at: int
    updated_at: int


class _Recompute:
    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._there: dict[str, bool] = {}
        self._keys: set[tuple[str, str]] = set()

    def run(self, touched: set[str], about: Iterable[str]) -> None:
        projects = self._clear(touched) | set(about)
        for entity in sorted(touched):
            if not entity.startswith("tsk_"):
                self._put_condition_or_artifact(entity)
            elif task := fold(events_about(self._db, entity)):
                projects.add(task.project)
                self._put_task(task)
        for project in sorted(projects):
            self._put_unknown_blocker(project)
        for entity_type, key in sorted(self._keys):
            self._put_alias(entity_type, key)

    def _clear(self, touched: set[str]) -> set[str]:
        """Delete the rows of these entities, and return the projects they were in."""
        projects: set[str] = set()
        for entity in touched:
            row = self._db.execute("select project from entities where entity_id = ?", (entity,)).fetchone()
            if row is not None:
                projects.add(row[0])
                self._remove(entity)
        return projects

    def _remove(self, entity: str) -> None:
        db = self._db
        rows = db.execute("select entity_type, canonical_key from entity_keys where entity_id = ?", (entity,))
        self._keys |= {(row[0], row[1]) for row in rows}
        db.execute("delete from entities where entity_id = ?", (entity,))
        db.execute("delete from entity_keys where entity_id = ?", (entity,))
        db.execute("delete from task_links where src_id = ?", (entity,))
        db.execute("delete from edges where src_id = ?", (entity,))
        db.execute("delete from edges where dst_id = ? and rel_type = 'evidence_of'", (entity,))

    def _is_there(self, entity: str) -> bool:
        if entity not in self._there:
            self._there[entity] = is_created(self._db, entity)
        return self._there[entity]

    def _put_task(self, task: FoldedTask) -> None:
        unknown, _ = unknown_blocker(task.project)
        links = [_blocking("blocked_by", ref, unknown) for ref in task.blockers]
        links += [_blocking("blocked_by_suggested", ref, unknown) for ref in task.suggestions]
        kept = [link for link in links if link.dst == unknown or self._is_there(link.dst)]
        if task.status == "blocked" and not kept:
            last = task.history[-1].position
            lost = BlockedBy("condition", unknown, _UNKNOWN_CONFIDENCE, task.updated_at, last)
            kept = [_blocking("blocked_by", lost, unknown)]
        self._put_links(task.task_id, task.project, links, kept)
        self._put_evidence(task)
        self._put(
            _Entity(
                task.task_id,
                "task",
                task.title,
                task.project,
                {
                    "status": task.status,
                    "priority": task.priority,
                    "seen_at": task.seen_at,
                    "by_person": task.by_person,
                    "file": task.file,
                    "blockers": _listed(kept, "blocked_by"),
                    "blocker_suggestions": _listed(kept, "blocked_by_suggested"),
                    "history": [change._asdict() for change in task.history],
                },
                task.keys,
                (f"status:{task.status}", f"priority:{task.priority or 'none'}"),
                task.created_at,
                task.updated_at,
            )
        )

    def _put_condition_or_artifact(self, entity: str) -> None:
        """A condition or an artifact: declared by every entry that names it, so it stays while one of them does."""
        declared = list(
            _rows(
                self._db,
                f"""
                entity_id = :id and ord in (
                    select min(ord) from task_events where entity_id = :id and {_CREATING_ROWS}
                    union
                    select max(ord) from task_events where entity_id = :id and {_CREATING_ROWS})
                """,
                {"id": entity},
            )
        )
        if not declared:
            return
        first, last = declared[0], declared[-1]
        kind = CREATING[first.event_type]
        said = _rows(self._db, "entity_id = :id and event_type = 'condition_resolved_to'", {"id": entity})
        newest: dict[str, TaskEvent] = {}  # by target, the latest, in order
        for row in said:
            newest.pop(target := str(row.body["entity_id"]), None)
            newest[target] = row
        links = [
            _EntityLink("resolves_to", dst, {"by": row.body.get("by")}, row.at, row.position)
            for dst, row in newest.items()
            if dst != entity
        ]
        kept = [link for link in links if self._is_there(link.dst)]
        self._put_links(entity, first.project, links, kept)
        current: dict[str, Any] = {"text": printable(last.body.get("text"))}
        if kind == "condition":
            current |= {
                "status": "resolved" if kept else "open",
                "auto_placeholder": bool(last.body.get("auto_placeholder")),
                "candidates": last.body.get("candidates") or [],
                "resolved_to": kept[-1].dst if kept else None,
            }
        else:
            current["url"] = last.body.get("url")
        key = TaskKey(printable(last.body.get("canonical_key")), first.at, first.position)
        moved = max([last.at, *(link.at for link in kept)])
        self._put(_Entity(entity, kind, current["text"], first.project, current, (key,), (), first.at, moved))

    def _put_unknown_blocker(self, project: str) -> None:
        """Nobody declares the unknown blocker of tasks whose blockers were forgotten: it exists while needed."""
        entity, key = unknown_blocker(project)
        if self._is_there(entity):
            return
        self._remove(entity)
        first = self._db.execute(
            """
            select t.at, t.position from edges e join task_events t on t.position = e.position
            where e.dst_id = ? order by e.ord limit 1
            """,
            (entity,),
        ).fetchone()
        if first is None:
            return
        current = {
            "text": UNKNOWN_BLOCKER,
            "status": "open",
            "auto_placeholder": True,
            "candidates": [],
            "resolved_to": None,
        }
        keys = (TaskKey(key, *first),)
        self._put(_Entity(entity, "condition", UNKNOWN_BLOCKER, project, current, keys, (), first[0], first[0]))

    def _put(self, entity: _Entity) -> None:
        key = entity.keys[-1].text
        norm = _title_norm(entity.title, key, entity.project)
        self._db.execute(
            """
            insert into entities(entity_id, entity_type, canonical_key, title, stage, status, current_json, title_norm,
                                 search_text, created_at, updated_at, project)
            values (:id, :type, :key, :title, :stage, 'active', :current, :norm, :search, :created, :updated, :project)
            """,
            {
                "id": entity.entity_id,
                "type": entity.entity_type,
                "key": key,
                "title": entity.title,
                "stage": self._stage(entity.entity_id),
                "current": json.dumps(entity.current),
                "norm": norm,
                "search": " | ".join((entity.title, norm, key, *entity.words)),
                "created": iso(entity.created_at),
                "updated": iso(entity.updated_at),
                "project": entity.project,
            },
        )
        self._db.executemany(
            f"insert into entity_keys select ?1, ?2, ?3, ?4, ?5, ?6, {_ORD.format(position='?6')}",
            [
                (entity.entity_id, entity.entity_type, k.text, int(k.text == key), iso(k.at), k.position)
                for k in entity.keys
            ],
        )
        self._keys |= {(entity.entity_type, k.text) for k in entity.keys}

    def _stage(self, entity: str) -> str:
        """The highest stage of the entries that mention it, at least `working`."""
        rows = self._db.execute(
            """
            select stage from entries
            where entry_id in (
                select entry_id from task_events where entity_id = ? and entry_id is not null and not withdrawn)
            """,
            (entity,),
        )
        stages = ["working", *(str(row[0]) for row in rows if row[0] in STAGES)]
        return max(stages, key=STAGES.index)

    def _put_evidence(self, task: FoldedTask) -> None:
        first: dict[str, TaskChange] = {}
        for change in task.history:
            if change.entry_id is not None:
                first.setdefault(change.entry_id, change)
        self._put_edges(
            ("entry", entry, "evidence_of", task.task_id, {}, change.at, task.project, change.position)
            for entry, change in first.items()
        )

    def _put_links(self, entity: str, project: str, links: Iterable[_EntityLink], kept: Iterable[_EntityLink]) -> None:
        self._db.executemany(
            "insert into task_links values (?, ?) on conflict do nothing", [(entity, link.dst) for link in links]
        )
        self._put_edges(
            ("entity", entity, link.rel, link.dst, link.meta, link.at, project, link.position) for link in kept
        )

    def _put_edges(self, edges: Iterable[tuple[str, str, str, str, dict[str, Any], int, str, int]]) -> None:
        self._db.executemany(
            f"insert into edges select ?1, ?2, ?3, ?4, 'entity', ?5, ?6, ?7, ?8, ?9, {_ORD.format(position='?9')}",
            [
                (entity_id("edg", src, rel, dst), kind, src, rel, dst, canonical_json(meta), iso(at), project, position)
                for kind, src, rel, dst, meta, at, project, position in edges
            ],
        )

    def _put_alias(self, entity_type: str, key: str) -> None:
        """The alias of a key belongs to whoever got the key last."""
        self._db.execute("delete from entity_aliases where entity_type = ? and canonical_key = ?", (entity_type, key))
        self._db.execute(
            """
            insert into entity_aliases(entity_type, canonical_key, entity_id, is_primary, created_at)
            select entity_type, canonical_key, entity_id, is_primary, created_at
            from entity_keys
            where entity_type = ? and canonical_key = ?
            order by ord desc limit 1
            """,
            (entity_type, key),
        )


def _blocking(rel: str, ref: BlockedBy, unknown: str) -> _EntityLink:
    meta: dict[str, Any] = {"confidence": ref.confidence, "kind": ref.kind}
    if ref.entity_id == unknown:
        meta["auto_placeholder"] = True
    return _EntityLink(rel, ref.entity_id, meta, ref.at, ref.position)


def _listed(links: Iterable[_EntityLink], rel: str) -> list[dict[str, Any]]:
    return [{"entity_id": link.dst, **link.meta} for link in links if link.rel == rel]


def _title_norm(title: str, key: str, project: str) -> str:
    """The normalised title is what the key ends in."""
    _, _, rest = key.partition(":")
    prefix = f"{project or 'default'}:"
    return rest[len(prefix) :] if rest.startswith(prefix) else title.casefold()


# --- reading its own rows ----------------------------------------------------------------------------------


def _rows(
    db: sqlite3.Connection, where: str, values: dict[str, Any], gone: Iterable[str] = (), back: Iterable[str] = ()
) -> Iterator[TaskEvent]:
    for *rest, body, order in db.execute(
        f"""
        select position, event_type, entity_id, entry_id, project, actor, at, body, ord
        from task_events
        where {where}
          and (not withdrawn or entry_id in (select value from json_each(:back)))
          and (entry_id is null or entry_id not in (select value from json_each(:gone)))
        order by ord
        """,
        {**values, "gone": json.dumps(list(gone)), "back": json.dumps(list(back))},
    ):
        yield TaskEvent._make((*rest, json.loads(body), order))


def events_about(
    db: sqlite3.Connection, entity: str, gone: Iterable[str] = (), back: Iterable[str] = ()
) -> Iterator[TaskEvent]:
    """Every event about an entity, in order; as if these entries were withdrawn, and those not."""
    return _rows(db, "entity_id = :id", {"id": entity}, gone, back)


def events_of_entry(
    db: sqlite3.Connection, entry: str, gone: Iterable[str] = (), back: Iterable[str] = ()
) -> list[TaskEvent]:
    """Every event that an entry gave rise to, in order."""
    return list(_rows(db, "entry_id = :id", {"id": entry}, gone, back))
