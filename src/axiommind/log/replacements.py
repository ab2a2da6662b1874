"""Blobs that were redacted again: what is read under the old name is the new blob.

An event names its blob for ever, and events are never changed. So the old name leads to the blob that took its place
(`replaced_blobs`), in the transaction of the `redacted_again` event that says so; references are moved, and the old
bytes are deleted. Refuses: appending events, which is the log's.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping

from axiommind.db import has_table
from axiommind.log.blobs import Sealed, unseal

__all__ = ["Replacements"]

_IN_USE = """
    select b.hash, b.codec, b.data, json_group_array(json_array(e.position, e.event_type, e.session_id))
    from blobs b
    join blob_refs r on r.hash = b.hash
    join events e on e.position = r.position
    where b.id = ?
    group by b.id
"""

_REPLACED = """
    select b.codec, b.data
    from replaced_blobs r
    join blobs b on b.hash = r.replaced_by
    where r.hash = ?
"""


class Replacements:
    """The table `replaced_blobs` of an open log, and the blobs that may get one in their place."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._known = False

    def stored(self, name: str) -> list[tuple[str, bytes]]:
        """Codec and bytes of the blob that took the place of this one; nothing where none did."""
        if not self._known:  # a log that an older version wrote, and that is only read
            self._known = has_table(self._db, "replaced_blobs")
        return self._db.execute(_REPLACED, (name,)).fetchall() if self._known else []

    def in_use(self) -> Iterator[tuple[str, bytes, list[tuple[int, str, str | None]]]]:
        """Every blob: its name, what it says, and the events that refer to it, as (position, type, session)."""
        import json

        for (number,) in self._db.execute("select id from blobs order by id").fetchall():
            row = self._db.execute(_IN_USE, (number,)).fetchone()
            if row is not None:
                yield row[0], unseal(row[1], row[2]), [tuple(one) for one in json.loads(row[3])]

    def put(self, position: int, replaced: Mapping[str, Sealed]) -> None:
        """Inside the transaction of the event at this position: put blobs in the place of others, which are deleted."""
        for old, new in replaced.items():
            self._db.execute(
                "insert into blobs(hash, codec, size, data) values (?, ?, ?, ?) on conflict do nothing",
                (new.hash, new.codec, new.size, new.data),
            )
            self._db.execute("update or ignore blob_refs set hash = ? where hash = ?", (new.hash, old))
            self._db.execute("delete from blob_refs where hash = ?", (old,))  # of an event that had both
            self._db.execute("update replaced_blobs set replaced_by = ? where replaced_by = ?", (new.hash, old))
            self._db.execute(
                """
                insert into replaced_blobs(hash, replaced_by, position)
                values (?, ?, ?)
                on conflict do update set replaced_by = excluded.replaced_by, position = excluded.position
                """,
                (old, new.hash, position),
            )

    def drop(self, names: Mapping[str, Sealed]) -> None:
        """Delete the bytes of what was replaced, once it is noted what to look for."""
        self._db.executemany("delete from blobs where hash = ?", [(name,) for name in names])
