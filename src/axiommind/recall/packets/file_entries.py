"""Entries that bind a file: which decisions, rules and findings an agent should know before it edits it.

An entry counts when it names this very file, by a name that no other file has or with the folders before it; and where
it is a rule, a decision or a fact, when it names the folder, or a symbol in the lines that are edited.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from axiommind.extraction.rules import FIX, OWN_WORDS, PLAN, QUESTION, RECORD, form_of
from axiommind.projections.passages import KIND_BITS, KINDS
from axiommind.recall.packet import Note
from axiommind.recall.packets.file_identity import is_common, is_distinctive, names_file, names_folder
from axiommind.recall.packets.line_authors import symbols_in
from axiommind.recall.packets.notes import STAGE_RANK, EntryWords, claim, entry_notes
from axiommind.search import lexical
from axiommind.text.summary import on_one_line, preview

if TYPE_CHECKING:
    from axiommind.text.query_terms import Clause

__all__ = ["bound_entries", "rarest_word"]

_POSTINGS = 4_000  # a word at more places than this says nothing about a file
_ENTRIES_READ = 200  # from the newest
_SYMBOLS, _FOLDERS = 6, 3  # of the lines, and above the file
_ENTRIES = f"""
    select id, entry_id, entry_type, stage, rule, title, text, content_json, coalesce(happened_at, created_ts),
           value_key
    from entries
    where id in (select value >> {KIND_BITS} from json_each(:rows))
      and project = :project
      and status = 'active'
      and entry_type in ('decision', 'fact', 'insight')
      and session_id is not :session
      and session_id not in (select id from sessions where parent_session = :session)
"""
# What a person laid down binds. A plan says what was to be done, and the file has that by now: it counts when its title
# is of a choice. What was committed is in git, and how a check was fixed is told when it fails again (`known_error`).
_CHOICE = (
    r"\b(?:instead of|rather than|in favou?r of|no longer|drop support|switch(?:ed)? (?:from|to)\b"
    r"|(?:from|replace) .{2,60} (?:to|with|by) )"
)


class _Entry(NamedTuple):
    id: int
    entry_id: str
    type: str
    stage: str
    rule: str
    title: str
    text: str
    content: str
    at: int
    value_key: str


def bound_entries(db: sqlite3.Connection, own: str, lines: str, project: str, session: str | None) -> list[Note]:
    """The entries about the file, its folder or what is in the lines that are edited: rules first, then the newest."""
    symbols = _symbols(lines)
    rows = _candidates(db, own, symbols)
    if not rows:
        return []
    values = {"rows": json.dumps(rows), "project": project, "session": session}
    entries = [_Entry._make(row) for row in db.execute(_ENTRIES, values)]
    kept = [entry for entry in entries if _binds(entry) and _stands(entry) and _is_about(entry, own, symbols)]
    kept.sort(key=lambda entry: (-_worth(entry), -entry.at, entry.entry_id))
    once: dict[str, _Entry] = {}
    for entry in kept:
        once.setdefault(entry.value_key, entry)
    return entry_notes(
        db, [EntryWords(one.id, one.entry_id, one.type, _said(one, own), one.at) for one in once.values()]
    )


def _symbols(lines: str) -> frozenset[str]:
    """The longest names of the lines: they mean most."""
    return frozenset(sorted(symbols_in(lines), key=lambda name: (-len(name), name))[:_SYMBOLS])


def _candidates(db: sqlite3.Connection, own: str, symbols: Iterable[str]) -> list[int]:
    """Passages of entries with the rarest word of the file's name, where that is a common one also of its folder's;
    with a folder's; and with a symbol."""
    from axiommind.text.tokens import fts_text, terms_of, words_of

    parts = own.split("/")
    name = parts[-1] if not is_common(parts[-1]) else "/".join(parts[-2:])
    probes = [fts_text(text).split() for text in (name, *parts[-_FOLDERS - 1 : -1])]
    probes += [" ".join(map(terms_of, words_of(symbol))).split() for symbol in sorted(symbols)]
    rows: set[int] = set()
    for terms in probes:
        rarest = rarest_word(db, terms) if terms else None
        if rarest is not None:
            found = lexical.rows_with(db, rarest)
            rows.update(row for row in found if row & (1 << KIND_BITS) - 1 == KINDS["insight"])
    return sorted(rows, reverse=True)[:_ENTRIES_READ]


def rarest_word(db: sqlite3.Connection, terms: Iterable[str]) -> Clause | None:
    """The rarest of the words that a file's name is made of; None where one is nowhere, so that nobody has named the
    file, and where all of them are everywhere."""
    from axiommind.text.query_terms import Clause

    wanted = [Clause((term,)) for term in dict.fromkeys(terms)]
    weighed = lexical.weigh(db, wanted, lexical.statistics(db))
    if not weighed or len(weighed) < len(wanted):
        return None
    rarest = min(weighed, key=lambda one: one.places)
    return rarest.clause if rarest.places <= _POSTINGS else None


def _binds(entry: _Entry) -> bool:
    return form_of(entry.rule) not in (RECORD, FIX)


def _stands(entry: _Entry) -> bool:
    if (
        entry.rule == "findings"
    ):  # the agent's own word: weighed with all that it said (`file_remarks`), unless believed
        return STAGE_RANK.get(entry.stage, 0) >= STAGE_RANK["verified"]
    least = "working" if entry.type == "decision" or form_of(entry.rule) == OWN_WORDS else "candidate"
    return STAGE_RANK.get(entry.stage, 0) >= STAGE_RANK[least]


def _worth(entry: _Entry) -> int:
    return {PLAN: 0, QUESTION: 1}.get(form_of(entry.rule), 2)


def _by_name(entry: _Entry, own: str) -> bool:
    """Whether the bare name is enough. A person who makes a rule for `schema.sql` knows which one is meant."""
    base = own.rpartition("/")[2]
    return is_distinctive(own) or (_worth(entry) > 1 and (base == own or not is_common(base)))


def _is_about(entry: _Entry, own: str, symbols: frozenset[str]) -> bool:
    text = f"{entry.title}\n{entry.text}"
    if names_file(text, own, by_name=_by_name(entry, own)):
        return bool(_worth(entry)) or re.search(_CHOICE, entry.title.lower()) is not None
    if entry.type not in ("decision", "fact") or _worth(entry) < 2:
        return False
    return names_folder(text, own) or any(f"`{symbol}" in text for symbol in symbols)


def _said(entry: _Entry, own: str) -> str:
    """The entry, and of a long one the line in which it names the file."""
    whole = claim(entry.rule, entry.title, entry.text, entry.content)
    by_name = _by_name(entry, own)
    if not _worth(entry) or names_file(preview(whole), own, by_name=by_name):
        return whole
    line = next((line for line in entry.text.splitlines() if names_file(line, own, by_name=by_name)), "")
    return f"{preview(entry.title, 90)}: {on_one_line(line).lstrip('-* ')}" if line else whole
