"""What only a restore does to a log: it takes another's place, and gets texts back that a backup had left out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from axiommind.errors import Internal
from axiommind.log.blobs import Sealed, is_sealed
from axiommind.log.identity import rename, set_key
from axiommind.log.sqlite import SqliteLog

__all__ = ["put_back", "take_place"]


def take_place(log: SqliteLog, replaces: Iterable[str]) -> None:
    """Under a name of its own, take the place of other logs, and be written with the key that is here."""
    with log.atomic():
        rename(log._db, replaces)
        set_key(log._db, log._key)


def put_back(log: SqliteLog, blobs: Sequence[Sealed]) -> None:
    """Store texts again that events refer to and that a backup had left out."""
    if not all(is_sealed(log._key, blob) for blob in blobs):
        raise Internal("a text was not sealed for this home: refused")
    with log.atomic():
        log._db.executemany(
            """
            insert into blobs(hash, codec, size, data)
            select ?1, ?2, ?3, ?4 where exists (select 1 from blob_refs where hash = ?1)
            on conflict do nothing
            """,
            [(b.hash, b.codec, b.size, b.data) for b in blobs],
        )
