"""Failed calls of earlier sessions that are the same failure: the same tool, program and telling line.

A shell line whose end a pipe hides failed too if it printed the telling line. They are looked for by the rarest words
of the telling lines, so an index leads to each of them; the newest come first.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from axiommind.projections.passages import KIND_BITS, KINDS
from axiommind.search import lexical
from axiommind.tools.error_signature import Signature, formatting, is_same, signatures
from axiommind.tools.kinds import is_run
from axiommind.tools.past_call import fields_of, programs_of
from axiommind.tools.shell_outcomes import hides_ending

__all__ = ["FailedCall", "failed_before", "search"]

_LOOKED_AT = 60  # candidates that are read
_LINES = 3  # telling lines by which it is looked for
_WORDS = 16
_TERMS = 4  # of a line, the rarest
_KIND = (1 << KIND_BITS) - 1  # what of a passage's id says its kind
_FAILED = f"""
    select t.id, t.session_id, t.seq_order, t.tool_name, t.classified_name, coalesce(t.error, t.output),
           t.is_error, t.input_json, t.timestamp, coalesce(t.result_line, t.line), s.parent_session
    from tool_uses t join sessions s on s.id = t.session_id
    where t.id in (select value >> {KIND_BITS} from json_each(?) where value & {_KIND} = {KINDS["tool"]})
      and s.project = ?
      and t.is_error is not null
"""
# FTS5 leaps through an AND, so this costs no more than the rarest of the words.
_HAVING = f"""
    select rowid from passages_fts
    where passages_fts match ? and rowid & {_KIND} in ({KINDS["tool"]}, {KINDS["insight"]})
    order by rowid desc
    limit {_LOOKED_AT}
"""


class FailedCall(NamedTuple):
    """A tool call that failed, and the line of its error that tells most."""

    id: int
    session: str
    seq: int
    tool: str
    kind: str
    given: dict[str, Any]
    error: str
    told: Signature
    timestamp: int | None
    line: int  # of the transcript: where its result stands


def search(db: sqlite3.Connection, told: Iterable[Signature]) -> list[int]:
    """The newest passages of tools and of entries that have the rarest words of a telling line."""
    stats = lexical.statistics(db)
    found: dict[int, None] = {}
    for weighed in filter(None, (_weighed(db, one, stats) for one in list(told)[:_LINES])):
        together = " AND ".join(one.clause.match for one in weighed)
        found |= dict.fromkeys(row[0] for row in db.execute(_HAVING, (together,)))
    return list(found)


def _weighed(db: sqlite3.Connection, one: Signature, stats: lexical.Statistics) -> list[lexical.Weighed]:
    """The rarest words of a telling line, each by itself: phrases would have to be counted."""
    from axiommind.text.query_terms import Clause
    from axiommind.text.stop_words import STOP_WORDS
    from axiommind.text.tokens import fts_text

    text = " ".join((*sorted(one.names), *sorted(one.words)))
    wanted = [Clause((term,)) for term in dict.fromkeys(fts_text(text).split()) if term not in STOP_WORDS]
    return sorted(lexical.weigh(db, wanted[:_WORDS], stats), key=lambda one: one.places)[:_TERMS]


def failed_before(
    db: sqlite3.Connection,
    rows: list[int],
    told: list[Signature],
    tool: str,
    given: Mapping[str, Any],
    project: str | None,
    session: str | None,
) -> list[FailedCall]:
    """The calls among these passages that failed in the same way, in other sessions of the project than this one. What
    tools printed elsewhere is not told."""
    from axiommind.tools.shell import classify

    kind = classify(given.get("command"))
    programs = programs_of(given)
    known: dict[str, Signature | None] = {}
    found = []
    for use, owner, seq, name, classified, error, is_error, said, at, line, parent in db.execute(
        _FAILED, (json.dumps(rows), project)
    ).fetchall():
        is_same_tool = name == tool or (is_run(classified) and "command" in given)  # whatever an agent calls its shell
        if not is_same_tool or not error or (session is not None and session in (owner, parent)):
            continue
        before = fields_of(said)
        if not is_error and not (is_run(classified) and hides_ending(str(before.get("command")))):
            continue
        if error not in known:
            known[error] = _told_by_both(told, error)
        other = known[error]
        if other is None:
            continue
        if not is_run(classified) or classified == kind or programs & programs_of(before):
            found.append(FailedCall(use, owner, seq, name, classified, before, error, other, at, line))
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
    others = signatures(error) or [one for one in [formatting(error)] if one is not None]
    return next((other for other in others for one in near if is_same(one, other)), None)
