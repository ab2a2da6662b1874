"""Remarks about a file: what the agent said in earlier sessions that an agent should know before it edits these lines.

Around the edits that wrote the lines: right before, when the turn was closed, and where the session spoke of what is
edited; and wherever the file is named with a fault that was found in it. `remark_weights` weighs them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from axiommind.projections.passages import KIND_BITS, KINDS
from axiommind.recall.packets.file_entries import rarest_word
from axiommind.recall.packets.file_identity import FileMeant, is_distinctive
from axiommind.recall.packets.line_authors import Change, LineAuthor, symbols_in
from axiommind.recall.packets.remark_units import units_of, with_neighbours
from axiommind.recall.packets.remark_weights import (
    NEAR,
    SAYS,
    Edited,
    features_of,
    weight_of,
    words_of_lines,
)

__all__ = ["Remark", "choose", "remarks_about", "remarks_on_lines"]

# What a remark has to weigh to be told: one that is tied to the lines or names what is edited, and one that only names
# the file.
TOLD, TOLD_OF_FILE = 1.5, 2.2
_AGAIN = 0.4  # what a second remark of a session has to weigh more
_TURNS = 3  # whose words are read
_BEFORE, _CLOSING = 25, 2  # answers before the edit, and at the end of the turn
_NEARBY, _OTHERS = 40, 80  # lines of the transcript around other edits of the session, and answers there
_NAMING = 60  # answers that name the file, from the newest


class Remark(NamedTuple):
    """Something that was said, and how much it says about what is to be edited."""

    response: int
    session: str
    at: int | None
    text: str
    weight: float
    line: str = ""  # of those that are about to change, one that was written then


class _Said(NamedTuple):
    response: int
    session: str
    at: int | None
    text: str
    place: str = ""  # before, closing, session or nothing


# --- around the edits that wrote the lines ---------------------------------------------------------------

_TURN = """
    select (select max(line) from prompts where session_id = :session and line <= :line),
           (select min(line) from prompts where session_id = :session and line > :line)
"""
_ANSWERS = """
    select id, session_id, timestamp, text
    from responses
    where session_id = :session and line_start > :first and line_start <= :last and text <> '' and not is_error
    order by line_start desc
    limit :most
"""


def remarks_on_lines(
    db: sqlite3.Connection, file: FileMeant, change: Change, authors: Sequence[LineAuthor]
) -> Iterator[Remark]:
    """What was said in the turns in which these lines were written; the best of each answer."""
    seen: set[int] = set()
    for author in authors[:_TURNS]:
        lines = "\n".join(author.lines)
        edited = Edited(file, True, lines, symbols_in(f"{lines}\n{change.touched}"), words_of_lines(lines))
        for said in _around(db, author, seen):
            if said.place == "session" and not any(symbol in said.text for symbol in edited.symbols):
                continue
            for remark, found in _weighed(said, edited):
                if not found & SAYS or remark.weight < TOLD:
                    continue
                if said.place != "session" and found & NEAR:
                    yield remark._replace(line=max(author.lines, key=len))
                elif "symbol" in found and "underway" not in found:
                    yield remark


def _around(db: sqlite3.Connection, author: LineAuthor, seen: set[int]) -> Iterator[_Said]:
    """The answers of an edit's turn: those before it, and the last ones; then those around the session's other edits of
    the file. None that was `seen`."""
    start, end = db.execute(_TURN, {"session": author.session, "line": author.line}).fetchone()
    for place, first, last, most in (
        ("before", start or 0, author.line, _BEFORE),
        ("closing", author.line, (end or 1 << 60) - 1, _CLOSING),
        ("session", author.first - _NEARBY, author.last + _NEARBY, _OTHERS),
    ):
        values = {"session": author.session, "first": first, "last": last, "most": most}
        for n, row in enumerate(db.execute(_ANSWERS, values).fetchall()):
            if row[0] not in seen:
                seen.add(row[0])
                yield _Said._make((*row, place if n == 0 or place == "session" else ""))


# --- wherever the file is named --------------------------------------------------------------------------

_NAMED = f"""
    select r.id, r.session_id, r.timestamp, r.text
    from responses r join sessions s on s.id = r.session_id
    where r.id in (
        select rowid >> {KIND_BITS} from passages_fts
        where passages_fts match :phrase and rowid & {(1 << KIND_BITS) - 1} = {KINDS["response"]}
        order by rowid desc
        limit {_NAMING}
      )
      and r.canonical
      and s.project = :project
      and r.session_id is not :session
      and (:session is null or s.parent_session is not :session)
    order by r.id desc
"""


def remarks_about(
    db: sqlite3.Connection, file: FileMeant, change: Change, project: str, session: str | None
) -> Iterator[Remark]:
    """What was said of the file by its name."""
    terms = _name_terms(file)
    if not terms or rarest_word(db, terms) is None:
        return
    phrase = f'"{" ".join(terms)}"'
    symbols = symbols_in(change.touched) - {file.stem}
    edited = Edited(file, is_distinctive(file.own), f"{change.old}\n{change.new}", symbols, frozenset())
    for row in db.execute(_NAMED, {"phrase": phrase, "project": project, "session": session}).fetchall():
        for remark, found in _weighed(_Said._make((*row, "")), edited):
            least = TOLD if "symbol" in found else TOLD_OF_FILE
            is_stated = found & SAYS and "underway" not in found
            if "file" in found and is_stated and remark.weight >= least:
                yield remark


def _name_terms(file: FileMeant) -> list[str]:
    """What FTS5 is asked for: a name that no other file has, or a common one with the folder before it."""
    from axiommind.text.tokens import terms_of, words_of

    if is_distinctive(file.stem):
        name = file.stem
    else:
        name = file.base if is_distinctive(file.own) else "/".join(file.own.split("/")[-2:])
    return " ".join(terms_of(word) for word in words_of(name)).split()


def _weighed(said: _Said, edited: Edited) -> Iterator[tuple[Remark, frozenset[str]]]:
    """The units of an answer as remarks, each with what is true of it."""
    units = units_of(said.text)
    for n, unit in enumerate(units):
        found = features_of(unit, said.place, edited)
        weight = weight_of(found)
        if weight >= TOLD and "moment" not in found:
            text = with_neighbours(units, n, edited.file.own)
            yield Remark(said.response, said.session, said.at, text, weight), found


def choose(remarks: Iterable[Remark], most: int) -> list[Remark]:
    """The weightiest, of each answer one, of a session a second one only if it weighs more; the newest of equals."""
    best: dict[int, Remark] = {}
    for remark in remarks:
        if remark.response not in best or best[remark.response].weight < remark.weight:
            best[remark.response] = remark
    chosen: list[Remark] = []
    left = list(best.values())
    while left and len(chosen) < most:
        told = {one.session for one in chosen}
        left.sort(key=lambda one: (one.weight - _AGAIN * (one.session in told), one.at or 0), reverse=True)
        chosen.append(left.pop(0))
    return chosen
