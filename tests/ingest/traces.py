"""What is left of a word in a home."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from tests.transcripts import World


def traces(home: Path, word: bytes) -> list[str]:
    """Files of the home in which a word occurs, compressed blobs unpacked."""
    import sqlite3

    import zstandard

    found = [p.name for p in home.rglob("*") if p.is_file() and word in p.read_bytes()]
    db = sqlite3.connect(home / "log.db")
    for (data,) in db.execute("select data from blobs where codec = 'zstd'"):
        if word in zstandard.ZstdDecompressor().decompress(data):
            found.append("a blob")
    db.close()
    return found


def events(world: World) -> list[tuple[str, str]]:
    db = sqlite3.connect(world.home / "log.db")
    found = db.execute("select event_type, payload_json from events").fetchall()
    db.close()
    return found


def nowhere(world: World, *words: str) -> None:
    for path in (one for one in world.home.rglob("*") if one.is_file()):
        content = path.read_bytes()
        for word in words:
            assert word.encode() not in content, (path.name, word)
            assert word.encode("utf-16-le") not in content, (path.name, word)
