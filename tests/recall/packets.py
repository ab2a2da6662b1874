"""What packets say of sessions that were learned from, for the tests of each kind of packet."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from axiommind.projections.scope import open_scoped
from axiommind.recall.packet import Packet
from axiommind.recall.packets.session_start import left_off
from axiommind.search.find import connect
from tests.transcripts import PROJECT, START, Lines, World

NOW = START + 86_400_000  # a day after the first session


def learned(world: World, *sessions: Lines) -> World:
    for lines in sessions:
        world.write(lines, folder=(lines.cwd or PROJECT).replace("/", "-"))
    world.memory().index()
    world.memory().learning.run()
    return world


@contextmanager
def reading(world: World) -> Iterator[sqlite3.Connection]:
    db = open_scoped(world.home / "index.db", None)
    connect(db)
    try:
        yield db
    finally:
        db.close()


def told(packet: Packet | None) -> dict[str, list[str]]:
    return {section.title: [note.text for note in section.notes] for section in packet.sections} if packet else {}


def start(
    world: World, *, source: str = "startup", now: int = NOW, skip: frozenset[str] = frozenset()
) -> Packet | None:
    with reading(world) as db:
        return left_off(db, PROJECT, session="new", source=source, now=now, skip=skip)
