"""Every passage of a world with what its citation opens."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from functools import cache

from axiommind import db as sqlite
from axiommind.log.sqlite import SqliteLog
from axiommind.search import find
from axiommind.search.citations import locate, parse
from axiommind.search.reading.lines import Opened, open_lines
from tests.transcripts import World

__all__ = ["Passages"]


class Passages:
    """Every passage of a world, each with its text and the lines that its citation opens."""

    def __init__(self, world: World) -> None:
        self.db = sqlite.open_read(world.home / "index.db")
        find.connect(self.db)
        self.log = SqliteLog(world.home / "log.db", (world.home / "redaction.key").read_bytes(), read_only=True)
        self.blob = cache(self.log.blob)

    def __iter__(self) -> Iterator[tuple[str, str, Opened, sqlite3.Row]]:
        rows = self.db.cursor()
        rows.row_factory = sqlite3.Row
        for row in rows.execute(
            """
            select p.id, p.kind, p.ref, x.text, r.message_id
            from passages p join passage_texts x using (id)
            left join responses r on p.kind = 'response' and r.id = p.ref
            order by p.id
            """
        ):
            citation = locate(self.db, [(row["id"], row["kind"], row["ref"])])[row["id"]]
            opened = open_lines(self.db, self.blob, citation)
            assert opened.citation == citation, "all of its lines are there"
            assert opened.first == citation.line_start
            assert len(opened.lines) == citation.line_end - citation.line_start + 1
            assert parse(citation.text) == citation == parse(citation.uri)
            yield row["kind"], row["text"], opened, row

    def close(self) -> None:
        self.db.close()
        self.log.close()
