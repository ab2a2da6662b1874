"""Homes to back up: sessions on disk, and what is nowhere else."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from axiommind.log import unseal
from tests.transcripts import Lines, World, session

__all__ = ["PLAN", "bytes_under", "make_home", "pads", "tables", "without"]

PLAN = "the last copy of the quetzalcoatl plan"
# What a rebuild may make differently.
_OPERATIONAL = {"meta", "vector_outbox", "common_terms"}


def make_home(world: World, sessions: int = 3) -> str:
    """Some sessions and a scratchpad; returns its workflow."""
    for n in range(sessions):
        world.write(session(f"session-{n}"))
    secret = Lines("secretive")
    secret.prompt("the codename is xylophonist, keep it between us")
    world.write(secret)
    memory = world.memory()
    memory.index()
    flow = memory.workflows.create("migrate the billing", description="in three steps")
    pad = memory.scratchpads.create(flow.id, "plan", PLAN)
    memory.scratchpads.append(pad.row.id, "\nand its second line")
    return flow.id


def pads(world: World) -> list[tuple[Any, ...]]:
    return world.rows("select id, title, version, content from pads join scratchpads using (id, title) order by id")


def tables(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of an index, except what is operational and the terms of the full-text index."""
    db = sqlite3.connect(path)
    try:
        names = [row[0] for row in db.execute("select name from sqlite_master where type = 'table'")]
        wanted = [
            name for name in names if name not in _OPERATIONAL and not name.startswith(("passages_fts", "sqlite_"))
        ]
        return {name: sorted(db.execute(f"select * from {name}").fetchall(), key=repr) for name in wanted}
    finally:
        db.close()


def without(world: World, *names: str) -> None:
    for name in names:
        for suffix in ("", "-wal", "-shm"):
            (world.home / f"{name}{suffix}").unlink(missing_ok=True)


def bytes_under(folder: Path, text: str) -> list[Path]:
    """The files in which this text is: as bytes, or compressed in a blob."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [path for path in files if text.encode() in path.read_bytes() or _is_in_blobs(path, text)]


def _is_in_blobs(path: Path, text: str) -> bool:
    if not path.read_bytes().startswith(b"SQLite format 3"):
        return False
    db = sqlite3.connect(path)
    try:
        return any(text.encode() in unseal(*row) for row in db.execute("select codec, data from blobs"))
    except sqlite3.Error:  # an index
        return False
    finally:
        db.close()
