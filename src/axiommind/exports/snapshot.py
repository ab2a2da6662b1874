"""One view of a home: the tables of its index, and the events and texts of its log up to where the index has read it.

Both files are open in one read transaction, so whoever writes meanwhile is not seen. Rows come in the order of their
keys, one at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from axiommind import db as sqlite
from axiommind.exports.columns import Column, columns_of
from axiommind.log import unseal
from axiommind.projections import Table
from axiommind.projections.runner import tables as index_tables
from axiommind.projections.scope import open_scoped

__all__ = ["BLOBS", "EVENTS", "LEFT_OUT", "REFS", "REMOVERS", "ExportedTable", "Snapshot"]

EVENTS = "events"
BLOBS = "blobs"
REFS = "blob_refs"
# What is not exported, and why.
LEFT_OUT = {
    "meta": "settings of this index",
    "common_terms": "a cache of search",
    "passages_fts": "the full-text index; the texts are in the tables that `passages` refers to",
    "passages_pending": "work of the index that is not done yet",
    "passage_texts": "the texts of other tables once more",
    "vector_outbox": "work of this machine that is not done yet",
}
# Events after which text is gone that was there before.
REMOVERS = ("forgotten", "redacted_again")
_ABOUT = {
    EVENTS: "Everything that happened, in the order in which it was recorded. `payload` names texts and holds none.",
    BLOBS: "The redacted texts that events name, by their hash: lines of transcripts, and documents. `bytes` instead "
    "of `text` where it is no UTF-8.",
    REFS: "Which event names which text.",
}
_EVENT_COLUMNS = (
    Column("position", "integer", 1, True, "integer"),
    Column("event_id", "text", 0, True),
    Column("ts", "time", 0, True, "integer"),
    Column("event_type", "text", 0, True),
    Column("actor", "text", 0, True),
    Column("session_id", "text"),
    Column("project", "text"),
    Column("payload", "json", 0, True),
    Column("checksum", "text", 0, True),
    Column("happened_at", "time", 0, False, "integer"),
    Column("build_id", "text"),
    Column("sensitivity", "text", 0, True),
    # Of an event of another home: which home it is here, and its position, time and vocabulary there.
    Column("origin", "integer", 0, True, "integer"),
    Column("seq", "integer", 0, False, "integer"),
    Column("origin_ts", "time", 0, False, "integer"),
    Column("schema", "integer", 0, False, "integer"),
)
_BLOB_COLUMNS = (
    Column("id", "integer", 1, True, "integer"),
    Column("hash", "text", 0, True),
    Column("size", "integer", 0, True, "integer"),
    Column("text", "text"),
    Column("bytes", "bytes", 0, False, "blob"),
)
_REF_COLUMNS = (Column("position", "integer", 1, True, "integer"), Column("hash", "text", 2, True))
_EVENTS_SQL = """
    select e.position, e.event_id, e.ts, e.event_type, e.actor, e.session_id, e.project, e.payload_json, e.checksum,
      e.happened_at, e.build_id, e.sensitivity, {of_others}
    from log.events e
    where e.position > {after} and e.position <= {last} and {scope}
    order by e.position
"""
_REFS_SQL = """
    select r.position, r.hash
    from log.blob_refs r
    join log.events e on e.position = r.position
    where e.position <= {last} and {scope}
    order by r.position, r.hash
"""
_BLOBS_SQL = """
    select id, hash, size
    from log.blobs
    where hash in (
      select r.hash
      from log.blob_refs r
      join log.events e on e.position = r.position
      where e.position <= {last} and {scope}
    )
    order by id
"""


class ExportedTable(NamedTuple):
    name: str
    about: str
    columns: tuple[Column, ...]
    over_all: str = ""  # the query that shows it over all projects, where that is not its rows
    shown: str = ""  # and what that shows

    @property
    def keys(self) -> tuple[int, ...]:
        """The places of the key's columns; empty where rows have none."""
        placed = sorted((column.key, place) for place, column in enumerate(self.columns) if column.key)
        return tuple(place for _, place in placed)


class Snapshot:
    """An open view. To be closed."""

    def __init__(self, index: Path, log: Path, project: str | None, since: int | None) -> None:
        self._db = open_scoped(index, None)
        for (name,) in self._db.execute("select name from temp.sqlite_master where type = 'view'").fetchall():
            self._db.execute(f"drop view temp.[{name}]")  # they show derived tables summed over all projects
        self._db.execute(f"attach database '{sqlite.as_uri(log).replace(chr(39), chr(39) * 2)}?mode=ro' as log")
        self._db.text_factory = lambda data: data.decode("utf-8", "replace")
        self._db.execute("begin")
        (self.position,) = self._db.execute("select coalesce(min(position), 0) from main.projection_offsets").fetchone()
        self.versions = dict(self._db.execute("select projector_name, version from main.projection_offsets").fetchall())
        self.offsets = dict(self._db.execute("select projector_name, position from main.projection_offsets").fetchall())
        self.last_event = self._event_id(self.position)
        self._project, self._since = project, since
        self._scope = "1"
        self.is_narrow = project is not None or since is not None
        if self.is_narrow:
            self._narrow()

    def _event_id(self, position: int) -> str:
        row = self._db.execute("select event_id from log.events where position = ?", (position,)).fetchone()
        return row[0] if row else ""

    @property
    def log_name(self) -> str:
        found = self._db.execute("select value from log.identity where name = 'log'").fetchone()
        return found[0] if found else ""

    @property
    def origin(self) -> str:
        """What this home is called by others: as it is where it syncs, else as its log is."""
        if not self._knows_others:
            return self.log_name
        found = self._db.execute("select origin from log.origins where id = 0").fetchone()
        return found[0] if found else self.log_name

    @property
    def _knows_others(self) -> bool:
        """A log that an older version wrote, and that is only read, knows no other homes."""
        found = "select 1 from pragma_table_info('events', 'log') where name = 'origin'"
        return self._db.execute(found).fetchone() is not None

    @property
    def _of_others(self) -> str:
        return "e.origin, e.seq, e.origin_ts, e.schema" if self._knows_others else "0, null, null, null"

    def follows(self, position: int, event_id: str) -> bool:
        """Whether an export that ended at this event is of the log that is here."""
        return position == 0 or self._event_id(position) == event_id

    def removed_since(self, position: int) -> bool:
        """Whether anything was forgotten or redacted again after this position."""
        marks = ", ".join("?" * len(REMOVERS))
        sql = f"select 1 from log.events where position > ? and event_type in ({marks}) limit 1"
        return self._db.execute(sql, (position, *REMOVERS)).fetchone() is not None

    # --- which tables ------------------------------------------------------------------------------------

    def tables(self, *, blobs: bool) -> list[ExportedTable]:
        """What is exported: the log's tables, then those of the index."""
        found = [ExportedTable(EVENTS, _ABOUT[EVENTS], _EVENT_COLUMNS)]
        if blobs:
            found.append(ExportedTable(BLOBS, _ABOUT[BLOBS], _BLOB_COLUMNS))
            found.append(ExportedTable(REFS, _ABOUT[REFS], _REF_COLUMNS))
        for table in _index_tables():
            columns = columns_of(self._db, "main", table.name)
            found.append(ExportedTable(table.name, table.about, columns, table.over_all, table.columns))
        return found

    # --- rows --------------------------------------------------------------------------------------------

    def rows(self, table: ExportedTable, after: int = 0) -> Iterator[tuple[Any, ...]]:
        """The rows of a table, ordered by its key; `after` holds for events. Of a text only who it is: `filled`."""
        yield from self._db.execute(self._sql(table, after))

    def count(self, table: ExportedTable, after: int = 0) -> int:
        (found,) = self._db.execute(f"select count(*) from ({self._sql(table, after)})").fetchone()
        return int(found)

    def _sql(self, table: ExportedTable, after: int) -> str:
        log = {EVENTS: _EVENTS_SQL, BLOBS: _BLOBS_SQL, REFS: _REFS_SQL}.get(table.name)
        if log is not None:
            return log.format(after=after, last=self.position, scope=self._scope, of_others=self._of_others)
        order = [table.columns[place].name for place in table.keys] or [column.name for column in table.columns]
        names = ", ".join(f"[{column.name}]" for column in table.columns)
        return f"select {names} from [{table.name}] order by {', '.join(f'[{name}]' for name in order)}"

    def filled(self, table: ExportedTable, rows: Sequence[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
        """The same rows with everything that is in them."""
        if table.name != BLOBS:
            yield from rows
            return
        for number, name, size in rows:
            codec, data = self._db.execute("select codec, data from log.blobs where id = ?", (number,)).fetchone()
            content = unseal(codec, data)
            try:
                yield (number, name, size, content.decode(), None)
            except UnicodeDecodeError:
                yield (number, name, size, None, content)

    # --- scope -------------------------------------------------------------------------------------------

    def _narrow(self) -> None:
        """Views with the tables' own names that show the asked project, and sessions that were active since then."""
        self._db.execute("create temp table export_scope(project text, since integer)")
        self._db.execute("insert into export_scope values (?, ?)", (self._project, self._since))
        for table in _index_tables():
            where = self._condition(table)
            self._db.execute(f"create temp view [{table.name}] as select * from main.[{table.name}] where {where}")
        owned = "e.session_id in (select id from temp.sessions)"
        if self._project is not None:
            owned += " or (e.session_id is null and e.project = (select project from export_scope))"
        else:
            owned += " or (e.session_id is null and e.ts >= (select since from export_scope))"
        self._scope = f"({owned})"

    def _condition(self, table: Table) -> str:
        conditions = ["1"]
        depends = table.scope and ":project" not in table.scope
        if table.scope and (self._project is not None or depends):
            conditions.append(f"({table.scope.replace(':project', '(select project from export_scope)')})")
        if self._since is not None:
            names = {column.name for column in columns_of(self._db, "main", table.name)}
            if table.name == "sessions":
                conditions.append("coalesce(ended_at, last_ts) >= (select since from export_scope)")
            elif "session_id" in names:
                conditions.append("(session_id is null or session_id in (select id from sessions))")
        return " and ".join(conditions)

    def close(self) -> None:
        self._db.close()


def _index_tables() -> list[Table]:
    return [table for table in index_tables() if table.name not in LEFT_OUT and not table.is_cache]
