"""A known error: it was met in another session, and this is what fixed it.

Where it was met is decided here, by the telling lines of the error; `fix` tells what was done until it worked. A fix
that somebody ruled out is not told.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from axiommind.extraction.rules import FIX, form_of
from axiommind.ids import short_id
from axiommind.projections.passages import KIND_BITS, KINDS
from axiommind.recall.disclosure import Note, Packet
from axiommind.recall.packets.fix import FailedCall, fix_note
from axiommind.recall.packets.notes import day, entry_note, packet
from axiommind.search import lexical
from axiommind.text.patterns import lazy
from axiommind.tools.error_signature import Signature, is_same, signatures
from axiommind.tools.kinds import is_run
from axiommind.tools.past_call import fields_of, programs_of

__all__ = ["known_error"]

_LOOKED_AT = 60  # candidates that are read
_TRIED = 12  # of those with the same error
_SEARCHED = 3  # telling lines by which it is looked for
_WORDS_SEARCHED = 16
_TERMS = 4  # of a line, the rarest
_KIND = (1 << KIND_BITS) - 1  # what of a passage's id says its kind


def known_error(
    db: sqlite3.Connection,
    tool: str,
    tool_input: Mapping[str, Any] | None,
    error: str | None,
    project: str | None,
    *,
    session: str | None,
    skip: frozenset[str] = frozenset(),
) -> Packet | None:
    """How the same error was fixed before; None when it tells nothing, was never met, or was never fixed."""
    told = signatures(error or "")
    if not told:
        return None
    given = dict(tool_input) if isinstance(tool_input, Mapping) else {}
    stats = lexical.statistics(db)
    searched = [_weighed(db, one, stats) for one in told[:_SEARCHED]]
    is_rare = any(one.passages <= max(3, stats.passages // 200) for weighed in searched for one in weighed)
    rows = _candidates(db, searched)
    known = _entries(db, rows, told, session)
    ruled_out = {row.session for row in known if not row.stands}
    failures = _failures(db, rows, told, tool, given, session)
    own = [one for one, where, _ in failures if where == project and one.session not in ruled_out]
    others = [
        one
        for one, where, equal in failures
        if where != project and equal is not None and (equal.has_code or is_rare) and one.session not in ruled_out
    ]
    if any(short_id(one.id << KIND_BITS | KINDS["tool"]) in skip for one in (*own, *others)):
        return None  # told already, by another of its failures
    note = _newest_fix(db, own, "", len({one.session for one in own}))
    if note is None:
        standing = (one for one in known if one.stands and one.project == project)
        note = next((_learned(db, one) for one in standing), None)
    if note is None:
        note = _newest_fix(db, others, "in another project ", 1)
    return None if note is None else packet([("This error was met before", [note])], skip)


def _newest_fix(db: sqlite3.Connection, failures: Iterable[FailedCall], place: str, times: int) -> Note | None:
    for one in sorted(failures, key=lambda one: -(one.timestamp or 0))[:_TRIED]:
        note = fix_note(db, one, place, times)
        if note is not None:
            return note
    return None


# --- where it was met ------------------------------------------------------------------------------------

_FAILED = f"""
    select t.id, t.session_id, t.seq_order, t.tool_name, t.classified_name, t.error, t.input_json, t.timestamp,
           s.project, s.parent_session
    from tool_uses t join sessions s on s.id = t.session_id
    where t.id in (select value >> {KIND_BITS} from json_each(?) where value & {_KIND} = {KINDS["tool"]})
      and t.is_error = 1
"""
_LEARNED = f"""
    select id, entry_id, session_id, project, status = 'active' and stage <> 'raw', rule, text, happened_at
    from entries
    where id in (select value >> {KIND_BITS} from json_each(?) where value & {_KIND} = {KINDS["insight"]})
    order by id desc
"""
# FTS5 leaps through an AND, so this costs no more than the rarest of the words.
_HAVING = f"""
    select rowid from passages_fts
    where passages_fts match ? and rowid & {_KIND} in ({KINDS["tool"]}, {KINDS["insight"]})
    order by rowid desc
    limit {_LOOKED_AT}
"""
_FIXED = lazy(r"failed with: (.+?)\. It (?:passed|worked) (?:after|as)\b", re.DOTALL)


class _LearnedFix(NamedTuple):
    id: int
    entry_id: str
    session: str
    project: str
    stands: bool
    rule: str
    text: str
    timestamp: int | None


def _weighed(db: sqlite3.Connection, one: Signature, stats: lexical.Statistics) -> list[lexical.Weighed]:
    """The rarest words of a telling line, each by itself: phrases would have to be counted."""
    from axiommind.text.query_terms import Clause
    from axiommind.text.stop_words import STOP_WORDS
    from axiommind.text.tokens import fts_text

    text = " ".join((*sorted(one.names), *sorted(one.words)))
    wanted = [Clause((term,)) for term in dict.fromkeys(fts_text(text).split()) if term not in STOP_WORDS]
    return sorted(lexical.weigh(db, wanted[:_WORDS_SEARCHED], stats), key=lambda one: one.places)[:_TERMS]


def _candidates(db: sqlite3.Connection, searched: Iterable[list[lexical.Weighed]]) -> list[int]:
    """The newest passages of tools and of entries that have all these words of a line."""
    found: dict[int, None] = {}
    for weighed in searched:
        if weighed:
            together = " AND ".join(one.clause.match for one in weighed)
            found |= dict.fromkeys(row[0] for row in db.execute(_HAVING, (together,)))
    return list(found)


def _failures(
    db: sqlite3.Connection,
    rows: list[int],
    told: list[Signature],
    tool: str,
    given: dict[str, Any],
    session: str | None,
) -> list[tuple[FailedCall, str, Signature | None]]:
    """The calls that failed in the same way, with their project and, where it is equal to the letter, the line."""
    from axiommind.tools.shell import classify

    kind = classify(given.get("command"))
    programs = programs_of(given)
    known: dict[str, Signature | None] = {}
    found = []
    for use, owner, seq, name, classified, error, said, at, project, parent in db.execute(
        _FAILED, (json.dumps(rows),)
    ).fetchall():
        if name != tool or not error or (session is not None and session in (owner, parent)):
            continue
        if error not in known:
            known[error] = _told_by_both(told, error)
        other = known[error]
        if other is None:
            continue
        before = fields_of(said)
        if not is_run(classified) or classified == kind or programs & programs_of(before):
            equal = next((one for one in told if one.key == other.key), None)
            found.append((FailedCall(use, owner, seq, name, classified, before, error, other, at), project, equal))
    return found


def _told_by_both(told: list[Signature], error: str) -> Signature | None:
    """The line of an error that is one of those asked for."""
    text = error.lower()
    near = [
        one
        for one in told
        if all(name in text for name in one.names) and 4 * sum(word in text for word in one.words) >= 3 * len(one.words)
    ]  # most candidates only have some of the words, and that is seen at once
    if not near:
        return None
    return next((other for other in signatures(error) for one in near if is_same(one, other)), None)


def _entries(db: sqlite3.Connection, rows: list[int], told: list[Signature], session: str | None) -> list[_LearnedFix]:
    """What was learned about fixing the same error, the newest first; including withdrawn ones."""
    found = []
    for entry in map(_LearnedFix._make, db.execute(_LEARNED, (json.dumps(rows),))):
        said = _FIXED.search(entry.text) if form_of(entry.rule) == FIX else None
        if said is None or entry.session == session:
            continue
        if any(is_same(one, other) for one in told for other in signatures(said[1])):
            found.append(entry)
    return found


def _learned(db: sqlite3.Connection, entry: _LearnedFix) -> Note:
    text = f"met on {day(entry.timestamp)}: {entry.text}"
    return entry_note(db, entry.id, entry.entry_id, "insight", text, entry.timestamp)
