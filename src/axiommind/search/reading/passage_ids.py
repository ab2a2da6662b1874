"""Which passages an id means: a passage's own, or that of an entry and the passages it was learned from."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from axiommind.ids import number_of
from axiommind.projections import PLACE_BITS
from axiommind.projections.passages import KIND_BITS, KINDS

__all__ = ["evidence_of", "numbers", "sessions_of", "unknown", "words_of"]

_ENTRY = "ent_"
_MOST_EVIDENCE = 20
# The passages that hold the words of an entry.
_EVIDENCE = f"""
    select distinct coalesce(
        (select p.id << {KIND_BITS} | {KINDS["prompt"]} from prompts p
         where p.id >= v.position << {PLACE_BITS} and p.id < (v.position + 1) << {PLACE_BITS} and p.line = v.line),
        (select r.id << {KIND_BITS} | {KINDS["response"]} from responses r
         where r.id >= v.position << {PLACE_BITS} and r.id < (v.position + 1) << {PLACE_BITS}
           and v.line between r.line_start and r.line_end and r.text <> ''),
        (select t.id << {KIND_BITS} | {KINDS["tool"]} from tool_uses t
         where t.id >= v.position << {PLACE_BITS} and t.id < (v.position + 1) << {PLACE_BITS}
           and v.line in (t.line, t.result_line))
    )
    from entries e
    join entry_evidence v on v.entry_id = e.entry_id and v.is_live
    where e.id = :entry
    order by v.seq_order
"""


def numbers(db: sqlite3.Connection, names: Iterable[str]) -> list[int]:
    """The passages that are meant, by their ids or those of entries (whose beginning will do), each once."""
    found: dict[int, None] = {}
    for name in names:
        wanted = name.strip().lower()
        if wanted.startswith(_ENTRY):
            rows = db.execute(
                "select id, entry_id from entries where entry_id >= ? and entry_id < ? order by entry_id limit 2",
                (wanted, wanted + "\U0010ffff"),
            ).fetchall()
            if len(rows) == 1 or (rows and rows[0][1] == wanted):
                found[rows[0][0] << KIND_BITS | KINDS["insight"]] = None
        elif (number := number_of(wanted)) is not None:
            found[number] = None
    return list(found)


def unknown(db: sqlite3.Connection, names: Iterable[str]) -> list[str]:
    """The names that mean no passage, each once: misspelt, or of something that was forgotten since."""
    found = {name: numbers(db, [name]) for name in names}
    places = ", ".join(str(number) for ids in found.values() for number in ids)
    known = {number for (number,) in db.execute(f"select id from passages where id in ({places})")}
    return [name for name, ids in found.items() if known.isdisjoint(ids)]


def sessions_of(db: sqlite3.Connection, names: Iterable[str]) -> dict[str, int]:
    """How many of some passages (or entries) each session has."""
    wanted = ", ".join(map(str, numbers(db, names)))
    rows = db.execute(
        f"select session_id, count(*) from passages where session_id is not null and id in ({wanted}) group by 1"
    )
    return dict(rows.fetchall())


def evidence_of(db: sqlite3.Connection, entry: int) -> list[int]:
    """The passages that hold the words of an entry."""
    rows = db.execute(_EVIDENCE, {"entry": entry}).fetchall()
    return [number for (number,) in rows[:_MOST_EVIDENCE] if number is not None]


def words_of(db: sqlite3.Connection, name: str) -> list[int]:
    """The passages that hold the words of a passage: itself, or of an entry those that it was learned from."""
    number = number_of(name) or 0
    if number & (1 << KIND_BITS) - 1 == KINDS["insight"]:
        return evidence_of(db, number >> KIND_BITS)
    return [number]
