"""About a file, before an agent edits it: which rules hold for it, and what went wrong with it. None if unsure.

An entry counts when it names this very file: by a name that no other file has, or with the folders before it. A failed
edit counts when its error says something, or when the same happened in another session.
"""

from __future__ import annotations

import posixpath
import re
import sqlite3
from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

from axiommind.extraction.rules import FIX, OWN_WORDS, PLAN, QUESTION, RECORD, form_of
from axiommind.projections.passages import KIND_BITS, KINDS
from axiommind.projects import fold_path
from axiommind.recall.disclosure import Note, Packet
from axiommind.recall.packets.notes import STAGE_RANK, claim, day, entry_note, packet, passage_note
from axiommind.search import lexical
from axiommind.text.patterns import lazy
from axiommind.text.summary import on_one_line, preview
from axiommind.tools.refusals import refusal_in

__all__ = ["about_file", "is_distinctive", "names_file"]

_NOTES = 3
_POSTINGS = 4_000  # a word at more places than this says nothing about a file
_ENTRIES_READ = 200  # from the newest
_EDITS = 400  # of a file, from the newest
_COMMON_LIST = """
__init__ __main__ api app apps base build changelog claude agents cli client common component components config conftest
constants core data db default defs docker-compose dockerfile env error errors exceptions form global globals handler
handlers helper helpers hooks index init item layout lib license list login main makefile manifest middleware mod model
models notes package package-lock page pages plan provider query readme requirements route router routes run schema
server service services settings setup state store style styles table task tasks test tests todo tsconfig type types
user users util utils version view views
"""
_COMMON = frozenset(_COMMON_LIST.split())
_COMPOUND = lazy(r"[a-z][A-Z]|[A-Z][a-z]+[A-Z]|\w[_.-]\w|[A-Za-z]\d|\d[A-Za-z]")


def about_file(
    db: sqlite3.Connection,
    path: str,
    project: str | None,
    *,
    session: str | None,
    skip: frozenset[str] = frozenset(),
) -> Packet | None:
    """What an agent should know before it edits the file at `path`."""
    path = path.replace("\\", "/")
    root = (project or "").replace("\\", "/").rstrip("/")
    if root and not path.startswith("/") and ":" not in path[:3]:
        path = f"{root}/{path}"
    path = fold_path(posixpath.normpath(path))
    own = path.removeprefix(f"{root}/") if root and path.startswith(f"{root}/") else ""
    bound = list(_binding(db, own, project, session)) if own and project is not None else []
    notes = [note for note in (*bound, *_failed_edits(db, path, session)) if note.id not in skip]
    return packet([(f"About {path.rpartition('/')[2]}", notes[:_NOTES])], skip)


# --- what binds it ---------------------------------------------------------------------------------------

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


def _binding(db: sqlite3.Connection, own: str, project: str, session: str | None) -> Iterable[Note]:
    """The entries that name the file: rules first, then the newest."""
    import json

    rows = _candidates(db, own)
    if not rows:
        return
    values = {"rows": json.dumps(rows), "project": project, "session": session}
    entries = [_Entry._make(row) for row in db.execute(_ENTRIES, values)]
    kept = [entry for entry in entries if _binds(entry) and _stands(entry) and _is_about(entry, own)]
    kept.sort(key=lambda entry: (-_worth(entry), -entry.at, entry.entry_id))
    said: set[str] = set()
    for entry in kept:
        if entry.value_key in said:
            continue
        said.add(entry.value_key)
        yield entry_note(db, entry.id, entry.entry_id, entry.type, _said(entry, own), entry.at)


def _candidates(db: sqlite3.Connection, own: str) -> list[int]:
    """Passages of entries with the rarest word of the file's name, where that is a common one also of its folder's."""
    from axiommind.text.query_terms import Clause
    from axiommind.text.tokens import fts_text

    base = own.rpartition("/")[2]
    name = base if not _is_common(base) else "/".join(own.split("/")[-2:])
    wanted = [Clause((term,)) for term in dict.fromkeys(fts_text(name).split())]
    weighed = lexical.weigh(db, wanted, lexical.statistics(db))
    if not weighed or len(weighed) < len(wanted):  # a word that is nowhere: nobody has named the file
        return []
    rarest = min(weighed, key=lambda one: one.places)
    if rarest.places > _POSTINGS:
        return []
    rows = [row for row in lexical.rows_with(db, rarest.clause) if row & (1 << KIND_BITS) - 1 == KINDS["insight"]]
    return sorted(rows, reverse=True)[:_ENTRIES_READ]


def is_distinctive(path: str) -> bool:
    """Whether a file's name alone says which file is meant: it has more than one word in it."""
    base = path.rpartition("/")[2]
    return not _is_common(base) and _COMPOUND.search(base.rpartition(".")[0] or base) is not None


def _is_common(base: str) -> bool:
    stem = base.partition(".")[0].lower()
    return len(stem) < 3 or stem in _COMMON or stem.strip("_") in _COMMON


def names_file(text: str, own: str, *, by_name: bool) -> bool:
    """Whether a text names this file and no other: its path as far as it is written, or, `by_name`, its name alone."""
    base = own.rpartition("/")[2]
    for match in re.finditer(rf"(?<![\w.@-])((?:[\w.@~-]*/)*){re.escape(base)}(?![\w-]|\.\w)", text):
        folders = match[1].removeprefix("./").lstrip("@")
        if not folders:
            if by_name:
                return True
        elif f"/{own}".endswith(f"/{folders}{base}") or folders.endswith(f"/{own}"[: -len(base)]):
            return True
    return False


def _binds(entry: _Entry) -> bool:
    return form_of(entry.rule) not in (RECORD, FIX)


def _stands(entry: _Entry) -> bool:
    least = "working" if entry.type == "decision" or form_of(entry.rule) == OWN_WORDS else "candidate"
    return STAGE_RANK.get(entry.stage, 0) >= STAGE_RANK[least]


def _worth(entry: _Entry) -> int:
    return {PLAN: 0, QUESTION: 1}.get(form_of(entry.rule), 2)


def _by_name(entry: _Entry, own: str) -> bool:
    """Whether the bare name is enough. A person who makes a rule for `schema.sql` knows which one is meant."""
    base = own.rpartition("/")[2]
    return is_distinctive(own) or (_worth(entry) > 1 and (base == own or not _is_common(base)))


def _is_about(entry: _Entry, own: str) -> bool:
    text = f"{entry.title}\n{entry.text}"
    if not names_file(text, own, by_name=_by_name(entry, own)):
        return False
    return bool(_worth(entry)) or re.search(_CHOICE, entry.title.lower()) is not None


def _said(entry: _Entry, own: str) -> str:
    """The entry, and of a long one the line in which it names the file."""
    whole = claim(entry.rule, entry.title, entry.text, entry.content)
    by_name = _by_name(entry, own)
    if not _worth(entry) or names_file(preview(whole), own, by_name=by_name):
        return whole
    line = next((line for line in entry.text.splitlines() if names_file(line, own, by_name=by_name)), "")
    return f"{preview(entry.title, 90)}: {on_one_line(line).lstrip('-* ')}" if line else whole


# --- what went wrong with it -----------------------------------------------------------------------------

_FAILED = f"""
    select t.id, t.session_id, t.error, t.timestamp, t.seq_order, t.is_error
    from file_edits f join tool_uses t on t.id = f.tool_use_id
    where f.id in (select id from file_edits where file_path = :path order by id desc limit {_EDITS})
      and t.session_id is not :session
      and t.session_id not in (select id from sessions where parent_session = :session)
    order by t.id desc
"""
# How the client complains about a call, in our words; None for what says nothing about the file.
_USAGE = (
    ("has not been read yet", None),
    ("ibling tool call", None),
    ("nterrupted", None),
    ("does not exist", None),
    ("modified since read", "it changed between reading and editing (a formatter or a person)"),
    ("unexpectedly modified", "it changed between reading and editing (a formatter or a person)"),
    ("tring to replace not found", "the text to replace was not found"),
    ("matches of the string to replace", "the text to replace stands in several places"),
)


def _failed_edits(db: sqlite3.Connection, path: str, session: str | None) -> Iterable[Note]:
    """Why edits of the file failed in sessions other than this one and its subagents: each reason once."""
    rows = db.execute(_FAILED, {"path": path, "session": session}).fetchall()
    uses = len({row[0] for row in rows})
    newest: dict[str, tuple[Any, ...]] = {}
    met: Counter[str] = Counter()
    sessions: set[tuple[str, str]] = set()
    for row in rows:
        _, owner, error, _, _, is_error = row
        if not is_error or not error:
            continue
        why, is_telling = _reason(error)
        if why and (why, owner) not in sessions:
            sessions.add((why, owner))
            met[why] += 2 if is_telling else 1
            newest.setdefault(why, row)
    for why, times in met.most_common():
        use, owner, _, at, seq, _ = newest[why]
        often = sum(reason == why for reason, _ in sessions)
        if times >= 2 and (times > often or often * 8 >= uses):
            count = f"edits failed in {often} sessions, last on" if often > 1 else "an edit failed on"
            text = f"{count} {day(at)}: {why}{_then(db, owner, seq, path)}"
            yield passage_note(db, "tool", use, text, at)


def _reason(error: str) -> tuple[str, bool]:
    """Why an edit failed, and whether that is worth knowing on its own."""
    if (refusal := refusal_in(error)) is not None:
        return (f"the user refused it: “{preview(refusal.reason, 120)}”", True) if refusal.reason else ("", False)
    for words, why in _USAGE:
        if words in error[:300]:
            return why or "", False
    line = next(
        (
            line
            for line in error.replace("<tool_use_error>", "").replace("</tool_use_error>", "").splitlines()
            if len(line.strip()) > 10
        ),
        "",
    )
    return preview(line, 140), True


_NEXT = """
    select exists (select 1 from file_edits e where e.tool_use_id = tool_uses.id), is_error,
           case when json_valid(input_json) then json_extract(input_json, '$.file_path') end
    from tool_uses
    where session_id = ? and seq_order > ?
    order by seq_order
    limit 12
"""


def _then(db: sqlite3.Connection, session: str, seq: int, path: str) -> str:
    """What made the next edit of the file work, where that is known."""
    was_read = False
    for is_edit, is_error, file in db.execute(_NEXT, (session, seq)):
        if file == path and is_error == 0:
            if is_edit:
                return "; it worked after reading the file again" if was_read else ""
            was_read = True
    return ""
