"""What several machines record, and a home to which it comes in pieces, in any order of the pieces.

`Machine` is a home that writes; `hear` gives it what another one has written. `Pieces` are the chains of all machines,
cut into segments; `arrive` makes a home of them in one order, and `tables` says what its index holds, in words that do
not depend on the numbers which only that home gives.
"""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from axiommind.log.foreign import Outgoing, append_foreign, join, line_of, outgoing, read_lines
from axiommind.model import OriginHome
from axiommind.projections.runner import Index, Segments
from axiommind.projections.runner import tables as all_tables
from tests.transcripts import World

__all__ = ["Machine", "Pieces", "arrive", "tables"]

Texts = dict[str, tuple[str, bytes] | None]
# Where a row of the index is, by numbers of this home only: positions in the log, and ids made of them.
POSITIONS = frozenset(("position", "read_to"))
ROW_IDS = {
    "prompts": ("id",),
    "prompt_keywords": ("id", "prompt_id"),
    "commands": ("id",),
    "responses": ("id",),
    "tool_uses": ("id",),
    "file_edits": ("id", "tool_use_id"),
    "compactions": ("id",),
    "compaction_summaries": ("id",),
    "entries": ("id",),
    "promotions": ("id",),
    "entry_uses": ("id",),
    "decision_evidence": ("id",),
    "chunks": ("id",),
    "entry_anchors": ("id",),
}
# What says how this home came to its rows: when it changed them, how far it read, what it has to do.
LOCAL = {
    "workflows": ("number", "position"),
    "pads": ("number", "position"),
    "pad_chunks": ("id", "timestamp"),
    "pad_owners": ("id", "workflow", "pad"),
    "pad_edits": ("machine", "number"),
    "pad_conflicts": ("machine",),
    "passages": ("id", "ref"),
}
# How far this home has read, what it has to do, and what it notes so as to fold again.
WITHOUT = (
    "meta",
    "projection_offsets",
    "passages_fts",
    "passages_pending",
    "vector_outbox",
    "common_terms",
    "pad_owners",
    "entry_events",
    "entry_awaits",
    "session_events",
)


class Machine:
    """A home of somebody's, which writes."""

    def __init__(self, base: Path, name: str, who: str = "me") -> None:
        self.world = World(base / name)
        self.name, self.who = name, who
        self.world.memory().index()

    def chain(self) -> tuple[list[Outgoing], Texts]:
        """What it wrote, as it travels."""
        with self.world.memory().home.read_log() as (log, _key):
            found = outgoing(log)  # type: ignore[arg-type]
            texts: Texts = {name: log.raw_blob(name) for one in found for name in one.texts}
        body = b"".join(line_of(one) + b"\n" for one in found)
        return read_lines(body), texts

    def hear(self, other: Machine) -> None:
        """Take in everything that another machine has written."""
        events, texts = other.chain()
        with self.world.memory().home.open_log() as (log, _key):
            join(log, other.origin(self.who))
            append_foreign(log, other.name, events, texts)
        self.world.memory().index()

    def origin(self, whose: str) -> OriginHome:
        return OriginHome(0, self.name, self.who, self.name, "own" if self.who == whose else "teammate")


class Pieces(NamedTuple):
    """The chains of some machines, with their texts."""

    homes: list[OriginHome]
    chains: dict[str, list[Outgoing]]
    texts: Texts

    @classmethod
    def of(cls, *machines: Machine) -> Pieces:
        chains, texts = {}, {}
        for one in machines:
            chains[one.name], more = one.chain()
            texts |= {name: stored for name, stored in more.items() if name not in texts or stored is not None}
        return cls([one.origin("me") for one in machines], chains, texts)


def arrive(base: Path, pieces: Pieces, seed: int) -> World:
    """A home to which the pieces come: each chain in its order, chains in any, in segments of any length. Its index
    follows as it likes."""
    world = World(base / f"home-{seed}")
    world.memory().index()
    chance = random.Random(seed)
    left = {name: list(chain) for name, chain in pieces.chains.items()}
    with world.memory().home.open_log() as (log, _key):
        for home in pieces.homes:  # numbers of homes are local too: here they are the same
            join(log, home)
        while left := {name: chain for name, chain in left.items() if chain}:
            name = chance.choice(sorted(left))
            size = chance.choice((1, 3, 10, 1000))
            some, left[name] = left[name][:size], left[name][size:]
            append_foreign(log, name, some, {one: pieces.texts[one] for event in some for one in event.texts})
            if chance.random() < 0.5:
                _catch_up(world, log)
        _catch_up(world, log)
    return world


def _catch_up(world: World, log: Any) -> None:
    index = Index(world.home / "index.db")
    index.catch_up(log, Segments(log))
    index.close()


def tables(world: World) -> dict[str, list[tuple[Any, ...]]]:
    """The rows of every table, without what is only this home's."""
    log = sqlite3.connect(world.home / "log.db")
    places = {
        row[0]: f"{row[1]}:{row[2]}" for row in log.execute("select position, origin, coalesce(seq, 0) from events")
    }
    log.close()
    db = sqlite3.connect(world.home / "index.db")
    found = {}
    for table in all_tables():
        if table.name in WITHOUT or table.is_view or table.is_cache:
            continue
        cursor = db.execute(f"select * from {table.name}")
        columns = [one[0] for one in cursor.description]
        rows = [_told(table.name, columns, row, places) for row in cursor]
        found[table.name] = sorted(rows, key=repr)
    db.close()
    return found


def _told(table: str, columns: Sequence[str], row: tuple[Any, ...], places: dict[int, str]) -> tuple[Any, ...]:
    made = []
    for column, value in zip(columns, row, strict=True):
        if column in LOCAL.get(table, ()) or (table, column, row[1]) == ("passages", "timestamp", "pad"):
            continue
        if column in ROW_IDS.get(table, ()) and isinstance(value, int):
            value = f"{places.get(value >> 24)}+{value & 0xFFFFFF}"
        elif column in POSITIONS and isinstance(value, int):
            value = places.get(value, value)
        elif column.endswith("_json") and isinstance(value, str):
            value = json.dumps(_within(json.loads(value), places), sort_keys=True)
        elif column == "body" and isinstance(value, str):
            value = json.dumps(json.loads(value), sort_keys=True)
        made.append((column, value))
    return tuple(made)


def _within(value: Any, places: dict[int, str]) -> Any:
    if isinstance(value, dict):
        return {k: places.get(v, v) if k == "position" else _within(v, places) for k, v in value.items()}
    return [_within(one, places) for one in value] if isinstance(value, list) else value
