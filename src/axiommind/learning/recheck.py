"""Rechecking: asking again whoever could not answer when an entry was learned.

Idris may have been missing or have failed, and then nothing of a batch was passed; the second question to a model,
whether the quoted words bear a claim out, may have met an empty budget. What they say now is recorded like the first
time, and the projects of these entries are settled. Nothing is learned anew. What the built-in checker refuses for what
it says is not asked about again: it would be refused again.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from axiommind.errors import AxmError
from axiommind.home import Home, Scope, now
from axiommind.ids import dedupe_key
from axiommind.learning.event_writer import EventWriter, writing
from axiommind.learning.new_event import NewEvent
from axiommind.model import Span
from axiommind.projections.entry_rows import EntryRow, get_entry

if TYPE_CHECKING:
    from axiommind.extraction.support import SupportVerdict
    from axiommind.learning.checks import Idris
    from axiommind.learning.checks.candidate import Candidate
    from axiommind.log.sqlite import SqliteLog
    from axiommind.projections.runner import Index

__all__ = ["RecheckReport", "RefusedEntry", "recheck", "sessions_without_a_verdict"]

_TOGETHER = 200  # entries that the checkers are given at once
# Without a verdict; and, where Idris is there now, those that only the built-in checker has passed.
_UNCHECKED = """
    select entry_id
    from entries
    where aligned
      and status in ('active', 'contested')
      and (verified_by is null or (:with_idris and verified_by = 'builtin'))
      and (:project is null or project = :project)
    order by session_id, id
"""
_UNASKED = """
    select entry_id
    from entries
    where aligned
      and status in ('active', 'contested')
      and support = ''
      and extractor in (select value from json_each(:models))
      and (:project is null or project = :project)
    order by session_id, id
"""


class RefusedEntry(NamedTuple):
    """An entry that did not pass, and the obligations that it fails."""

    entry_id: str
    title: str
    reasons: tuple[str, ...]


class RecheckReport(NamedTuple):
    """How many entries waited for a checker and how many of them it passed; and the same for a model's second look."""

    unchecked: int = 0
    passed: int = 0
    unasked: int = 0
    supported: int = 0
    withdrawn: int = 0  # a later message undoes them, or their words do not bear them out
    changed: int = 0  # stages
    refused: tuple[RefusedEntry, ...] = ()  # by their content, now or before
    notes: tuple[str, ...] = ()
    dry_run: bool = False


def recheck(home: Home, scope: Scope, *, dry_run: bool = False) -> RecheckReport:
    """Ask the checkers about entries that have no verdict yet, and the model about its claims that nobody looked at
    twice, if one is chosen and the budget allows it."""
    from axiommind.learning.checks import find_idris
    from axiommind.learning.settling import settle

    notes: list[str] = []
    with writing(home) as (log, writer, index):
        idris = find_idris(home.environ)
        waiting = _entries(index.db, _UNCHECKED, {"project": scope.project, "with_idris": idris is not None})
        refused = _refused(waiting)
        unchecked = [entry for entry in waiting if entry.verified_by is not None or entry.entry_id not in refused]
        unasked = _entries(index.db, _UNASKED, {"project": scope.project, "models": _models()})
        if dry_run:
            named = tuple(refused.values())
            return RecheckReport(len(unchecked), unasked=len(unasked), refused=named, dry_run=True)
        passed = _check_again(log, writer, index, unchecked, idris, refused, notes)
        verdicts = _ask_again(home, log, writer, index, unasked, notes)
        projects = {entry.project for entry in (*unchecked, *unasked)}
        settled = settle(log, writer, index, projects, at=now())
    return RecheckReport(
        len(unchecked),
        passed,
        len(unasked),
        sum(verdict == "supported" for verdict in verdicts),
        sum(verdict == "withdrawn" for verdict in verdicts),
        len({change.entry_id for change in settled.changes}),
        tuple(refused.values()),
        tuple(notes),
    )


def sessions_without_a_verdict(db: sqlite3.Connection) -> set[str]:
    """Those that have entries which a checker might still pass, and none has answered about."""
    waiting = _entries(db, _UNCHECKED, {"project": None, "with_idris": False})
    refused = _refused(waiting)
    return {entry.session_id for entry in waiting if entry.session_id and entry.entry_id not in refused}


def _models() -> str:
    import json

    from axiommind import llm

    return json.dumps(llm.names())


def _entries(db: sqlite3.Connection, sql: str, values: dict[str, Any]) -> list[EntryRow]:
    names = [row[0] for row in db.execute(sql, values)]
    return [entry for name in names if (entry := get_entry(db, name)) is not None]


# --- the checkers ------------------------------------------------------------------------------------------


def _refused(entries: Sequence[EntryRow]) -> dict[str, RefusedEntry]:
    """Those that the built-in checker refuses. It says the same of the same entry every time, so that nobody else needs
    to be asked, and nothing to be recorded again."""
    from axiommind.learning.checks import builtin

    found = {}
    for entry in entries:
        reasons = builtin.failures(_candidate(entry))
        if reasons:
            found[entry.entry_id] = RefusedEntry(entry.entry_id, entry.title, tuple(reasons))
    return found


def _check_again(
    log: SqliteLog,
    writer: EventWriter,
    index: Index,
    entries: Sequence[EntryRow],
    idris: Idris | None,
    refused: dict[str, RefusedEntry],
    notes: list[str],
) -> int:
    """How many passed; the others are added to those that are refused."""
    from axiommind.learning.checks import check
    from axiommind.learning.claim_events import events_of_check
    from axiommind.projections.runner import Segments

    passed = 0
    for start in range(0, len(entries), _TOGETHER):
        batch = entries[start : start + _TOGETHER]
        checked = check([_candidate(entry) for entry in batch], idris=idris)
        for entry in batch:
            verdict = checked.verdicts.get(entry.entry_id)
            if verdict is not None and verdict.passed:
                passed += 1
            else:
                failed = verdict.failed if verdict is not None else ("no_verdict",)
                refused[entry.entry_id] = RefusedEntry(entry.entry_id, entry.title, failed)
        if not checked.agree:
            what = "the checkers disagree" if checked.is_answered else "Idris 2 gave no verdict"
            note = f"{what}, so nothing of this batch passed: axm doctor shows more"
            notes += [note] if note not in notes else []
        with log.atomic():
            for session, group in groupby(batch, key=lambda entry: entry.session_id):
                those = list(group)
                for event in events_of_check([entry.entry_id for entry in those], checked, (session, "again", now())):
                    writer.append(event, session=session, project=those[0].project)
        index.catch_up(log, Segments(log))
    return passed


def _candidate(entry: EntryRow) -> Candidate:
    from axiommind.learning.checks.candidate import Candidate

    content = entry.content
    is_task = entry.entry_type == "task_note"
    return Candidate(
        entry.entry_id,
        entry.entry_type,
        entry.title,
        entry.text,
        str(content.get("rationale") or ""),
        str(content.get("target") or ""),
        tuple(_spans(entry)),
        str(content.get("status") or "") if is_task else "",
        str(content.get("priority") or ""),
        tuple("cond_" + dedupe_key("blocker", text)[:16] for text in content.get("blockedBy") or ()),
    )


def _spans(entry: EntryRow) -> Iterator[Span]:
    for place in entry.evidence:
        if place.position is not None and place.line is not None and place.start is not None and place.end is not None:
            yield Span(place.position, place.line, place.block or "", place.start, place.end)


# --- a model's second look -----------------------------------------------------------------------------------


def _ask_again(
    home: Home, log: SqliteLog, writer: EventWriter, index: Index, entries: Sequence[EntryRow], notes: list[str]
) -> list[str]:
    """What became of each claim that was asked about: supported, unsupported or withdrawn."""
    from axiommind import llm
    from axiommind.extraction.support import ask_support
    from axiommind.learning.distilling import distilling_pass
    from axiommind.llm.asking import NoAnswer
    from axiommind.llm.budget import within_budget
    from axiommind.llm.contract import Unreachable
    from axiommind.projections.runner import Segments
    from axiommind.projections.transcript import read

    if not entries:
        return []
    chosen = distilling_pass(home.config)
    name = chosen.model if chosen is not None else home.config.extract_extractor
    if name not in llm.names():
        notes.append("no model is chosen, so none was asked: axm learn --model on, or extract.extractor")
        return []
    provider = llm.connect(name, home.config)
    spending = within_budget(home.config, log, index.db, name, lambda: index.catch_up(log, Segments(log)))
    found: list[str] = []
    for session, group in groupby(entries, key=lambda entry: entry.session_id):
        those = list(group)
        transcript = read(index.db, log.blob, session)
        if transcript is None:
            continue
        claims = _claims(transcript, those)
        try:
            verdicts = ask_support(provider, spending, transcript, claims, about=f"{session}.recheck")
        except (NoAnswer, Unreachable) as error:
            notes.append(f"{name} could not be asked: {error}")
            break
        except AxmError as error:
            if not getattr(error, "stops_quietly", False):
                raise
            notes.append(f"{name} was not asked further: {error.message}")
            break
        with log.atomic():
            for event in _events(those, verdicts, found):
                writer.append(event, session=session, project=those[0].project)
        index.catch_up(log, Segments(log))
    return found


def _claims(transcript: Any, entries: Sequence[EntryRow]) -> list[Any]:
    from axiommind.extraction.drafts import Quote
    from axiommind.extraction.support import CheckedClaim

    places = {(m.position, m.line, m.block): n for n, m in enumerate(transcript.messages)}
    claims = []
    for entry in entries:
        quotes = [
            Quote(place, transcript.messages[place].text[span.start : span.end])
            for span in _spans(entry)
            if (place := places.get((span.position, span.line, span.block))) is not None
        ]
        if quotes:
            claims.append(CheckedClaim(entry.entry_id, entry.title, entry.text, tuple(quotes)))
    return claims


def _events(entries: Sequence[EntryRow], verdicts: dict[str, SupportVerdict], found: list[str]) -> Iterator[NewEvent]:
    from axiommind.extraction.support import UNSUPPORTED_CONFIDENCE

    told = []
    for entry in entries:
        verdict = verdicts.get(entry.entry_id)
        if verdict is None:
            continue
        is_supported = verdict.support == "supported"
        most = 1.0 if is_supported else UNSUPPORTED_CONFIDENCE
        told.append({"entry_id": entry.entry_id, "support": verdict.support, "most": most})
        if verdict.undone_by is None and (is_supported or entry.provenance in ("person", "picked")):
            found.append(verdict.support)
            continue
        found.append("withdrawn")
        why = "a later message undoes it" if verdict.undone_by is not None else "its quotes do not bear it out"
        given = {"entry_id": entry.entry_id, "reason": why, "extractor": entry.extractor}
        yield NewEvent("entry_withdrawn", given, (entry.entry_id, "recheck", now()))
    if told:
        yield NewEvent("support_checked", {"entries": told}, (*(str(one["entry_id"]) for one in told), now()))
