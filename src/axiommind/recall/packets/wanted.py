"""What of a packet is wanted: nothing that was called not useful at such a moment, and last what is seldom used.

Every packet goes through here once, just before it is put into words. A few statements, whatever it holds.
"""

from __future__ import annotations

import sqlite3

from axiommind.grounding.usefulness import LEAST, weights
from axiommind.recall.feedback import refused
from axiommind.recall.packet import Note, Packet

__all__ = ["wanted"]


def wanted(
    db: sqlite3.Connection, event: str, packet: Packet, *, session: str | None, project: str | None = None
) -> Packet | None:
    """The packet that a hook gives; None where nothing of it is left. Within a section what is used less comes later,
    and what is as good as never used is left out."""
    unwanted = refused(db, event, "", (note.id for note in packet.notes), session=session)
    worth = _worth(db, event, packet.notes, project)
    if not unwanted and not worth:
        return packet
    sections = []
    for section in packet.sections:
        kept = [note for note in section.notes if note.id not in unwanted and worth.get(note.id, 1.0) > LEAST]
        if kept:
            kept.sort(key=lambda note: -worth.get(note.id, 1.0))
            sections.append(section._replace(notes=tuple(kept)))
    return Packet(tuple(sections)) if sections else None


def _worth(db: sqlite3.Connection, event: str, notes: tuple[Note, ...], project: str | None) -> dict[str, float]:
    """The weights of notes, by their ids, where they have one."""
    by_kind = weights(db, event, project)
    if not by_kind:
        return {}
    from axiommind.projections.item_kinds import item_kinds

    kinds = item_kinds(db, {note.id: note.kind for note in notes})
    return {name: by_kind[kind] for name, kind in kinds.items() if kind in by_kind}
