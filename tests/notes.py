"""A folder of notes beside the sessions of a world."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import Any

from axiommind.ingest import DocumentReport
from tests.transcripts import World


class Notes:
    """A folder of notes beside the sessions of a world."""

    def __init__(self, world: World, name: str = "notes") -> None:
        self.world = world
        self.root = Path(os.path.realpath(world.base)) / name
        self.root.mkdir(parents=True, exist_ok=True)

    def write(self, name: str, text: str | bytes) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def add(self, **globs: Any) -> DocumentReport:
        return self.world.memory().documents.add([self.root], **globs)

    def index(self) -> DocumentReport:
        return self.world.memory().documents.index()

    def paths(self) -> list[str]:
        """The names of the documents in the index."""
        rows = self.world.rows("select path from documents order by path")
        return [os.path.relpath(path, self.root) for (path,) in rows]

    def found(self, word: str) -> int:
        """How many passages the full-text index has for a word."""
        db = sqlite3.connect(self.world.home / "index.db")
        try:
            (count,) = db.execute("select count(*) from passages_fts where passages_fts match ?", (word,)).fetchone()
            return int(count)
        finally:
            db.close()
