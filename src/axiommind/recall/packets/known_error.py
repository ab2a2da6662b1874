"""A known error: it was met in earlier sessions, and this fixed it; or it was never solved, and this is known of it.

`failed_calls` finds where it was met, `fix` what was done until it worked, `diagnosis` what the agent said of it. Here
it is decided what is worth telling: the best of them, from at most two sessions. A fix that somebody ruled out is not
told.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from axiommind.extraction.rules import FIX, form_of
from axiommind.ids import short_id
from axiommind.projections.crossing import ENTRY_CROSSES
from axiommind.projections.passages import KIND_BITS, KINDS
from axiommind.recall.packet import Note, Packet
from axiommind.recall.packets.diagnosis import Diagnosis, diagnosis_after, found_out
from axiommind.recall.packets.failed_calls import FailedCall, failed_before, search
from axiommind.recall.packets.fix import Aftermath, Fix, aftermath_of
from axiommind.recall.packets.notes import entry_note, packet
from axiommind.search.citations import locate
from axiommind.text.estimate import UNITS, chars_within, estimate_tokens
from axiommind.text.patterns import lazy
from axiommind.text.summary import preview
from axiommind.tools.error_signature import Signature, formatting, is_same, missing_program, signatures
from axiommind.tools.kinds import CHECKS
from axiommind.tools.past_call import programs_of
from axiommind.tools.shell_outcomes import bypasses

__all__ = ["known_error"]

_SESSIONS = 8  # of those that met it, the newest
_TOLD = 2  # sessions
_EXPLAINS = 2  # the least strength of a diagnosis that is told without a fix
_REASONED = 4  # of one that gives a reason and speaks of the error
_LINE_CHARS = 100
_LINE_TOKENS = 40
_FIX_TOKENS = 100
_NOTE_TOKENS = 180  # a hook has some three hundred, with the title and the fence
_KIND = (1 << KIND_BITS) - 1
_FOLDER = lazy(r"\bcd \S+ && | -C \S+")
_PLACE = lazy(r"^(?:\(eval\):\d+: |(?:at )?\S+?[:(]\d+(?:[:,]\d+)?\)?:?\s+)")


class _Met(NamedTuple):
    """A session that met the error, and what became of it there."""

    last: FailedCall
    fix: Fix | None
    diagnosis: Diagnosis | None

    @property
    def worth(self) -> int:
        said = self.diagnosis.strength if self.diagnosis is not None else 0
        return 3 * (self.fix is not None) + said - self.goes_past

    @property
    def goes_past(self) -> bool:
        """Whether it worked because a check was left out: it fails again the next time."""
        return self.fix is not None and bool(bypasses(self.fix.text.replace("`", " ")))


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
    """What is known of the same error; None when it tells nothing, was never met, or nobody found out anything."""
    told = signatures(error or "")
    if not told and (unformatted := formatting(error or "")) is not None:
        told = [unformatted]
    if not told:
        return None
    given = dict(tool_input) if isinstance(tool_input, Mapping) else {}
    rows = search(db, told)
    known = _entries(db, rows, told, programs_of(given), session)
    ruled_out = {row.session for row in known if not row.stands}
    failures = failed_before(db, rows, told, tool, given, project, session)
    own = [one for one in failures if one.session not in ruled_out]
    if any(short_id(one.id << KIND_BITS | KINDS["tool"]) in skip for one in own):
        return None  # told already, by another of its failures
    met = _told(_met(db, own))
    notes = [_note(db, one) for one in met]
    if not notes:
        seen = {one.session for one in own}  # nothing is to be said of these
        learned = (one for one in known if one.stands and one.project == project and one.session not in seen)
        notes = [_learned(db, one) for one in learned][:1]
    place = ""
    if not notes:
        # What another project's tools printed and its agents tried stays there, unless a person stands behind it.
        vouched = (one for one in known if one.stands and one.project != project and one.crosses)
        notes, place = [_learned(db, one) for one in vouched][:1], " in another project"
    if not notes:
        return None
    return packet([(_title(told, met, own, place), notes)], skip)


def _met(db: sqlite3.Connection, failures: Iterable[FailedCall]) -> list[_Met]:
    """What became of it in each session that met it, the newest first."""
    by_session: dict[str, list[FailedCall]] = {}
    for one in sorted(failures, key=lambda one: (one.timestamp or 0, one.seq), reverse=True):
        by_session.setdefault(one.session, []).append(one)
    found = []
    for calls in list(by_session.values())[:_SESSIONS]:
        last, first = calls[0], calls[-1]
        aftermath = aftermath_of(db, last)
        found.append(_Met(last, aftermath.fix, _said(db, first, aftermath)))
    return found


def _said(db: sqlite3.Connection, failed: FailedCall, aftermath: Aftermath) -> Diagnosis | None:
    if formatting(failed.error) is not None:
        return None  # how the code at hand was to be formatted
    program = missing_program(failed.error)
    return found_out(db, failed, program) if program else diagnosis_after(db, failed, aftermath)


def _told(met: list[_Met]) -> list[_Met]:
    """The sessions that say most about it; what was done in the same way only once. What mends it comes first, then
    what goes past it, then what is known where nobody solved it; of equals the newest."""
    best: list[_Met] = []
    for one in sorted(met, key=lambda one: -one.worth):
        is_worth_it = (one.fix is not None and not _is_own_code(one)) or _explains(one)
        if is_worth_it and not any(_adds_nothing(one, other) for other in best):
            best.append(one)
    told = [one for one in met if one in best[:_TOLD]]
    return sorted(told, key=lambda one: (one.fix is None, one.goes_past))


def _adds_nothing(one: _Met, other: _Met) -> bool:
    if one.fix is not None and other.fix is not None and _bare(one.fix) == _bare(other.fix):
        return one.diagnosis is None or other.diagnosis is not None
    return one.diagnosis is not None and other.diagnosis is not None and one.diagnosis.text == other.diagnosis.text


def _bare(fix: Fix) -> str:
    """A fix without the folder that it was done in."""
    return _FOLDER.sub("", fix.text)


def _is_own_code(met: _Met) -> bool:
    """Whether a check failed and the code at hand was edited: without a reason, that says nothing of the next time."""
    if met.last.kind not in CHECKS or met.fix is None or not met.fix.is_edit:
        return False
    return met.diagnosis is None or met.diagnosis.strength < _REASONED


def _explains(met: _Met) -> bool:
    """Whether a diagnosis alone is worth telling: not of a check that complains about the code at hand."""
    if met.diagnosis is None or met.diagnosis.strength < _EXPLAINS:
        return False
    return not (met.last.told.is_about_code and met.last.kind in CHECKS)


def _title(told: list[Signature], met: list[_Met], own: list[FailedCall], place: str) -> str:
    line = _PLACE.sub("", met[0].last.told.line if met else told[0].line)
    times = len({one.session for one in own})
    often = f" in {times} sessions" if times > 1 and not place else place
    unsolved = "" if not met or any(one.fix is not None for one in met) else " and not solved"
    return f"This error was met before{often}{unsolved}: {_within(preview(line, _LINE_CHARS), _LINE_TOKENS)}"


def _within(text: str, tokens: int) -> str:
    """As much of a text as that many tokens, so that the best note always fits into what a hook may say."""
    fits = chars_within(text, tokens * UNITS)
    return text if fits >= len(text) else f"{text[: fits - 1].rstrip()}…"


def _note(db: sqlite3.Connection, met: _Met) -> Note:
    parts = [_within(met.fix.text if met.fix is not None else "not solved there", _FIX_TOKENS)]
    if met.diagnosis is not None:
        said = f"the agent said: {' '.join(met.diagnosis.text.split())}"
        parts.append(_within(said, _NOTE_TOKENS - estimate_tokens(parts[0])))
    number = met.last.id << KIND_BITS | KINDS["tool"]
    citation = locate(db, [(number, "tool", met.last.id)]).get(number)
    return Note(
        short_id(number),
        "tool",
        "; ".join(parts),
        citation,
        met.last.timestamp or None,
        session_id=met.last.session,
    )


# --- what was learned of it ------------------------------------------------------------------------------

_LEARNED = f"""
    select e.id, e.entry_id, e.session_id, e.project, e.status = 'active' and e.stage <> 'raw', {ENTRY_CROSSES}, e.rule,
           e.text, e.happened_at
    from entries e
    where e.id in (select value >> {KIND_BITS} from json_each(?) where value & {_KIND} = {KINDS["insight"]})
    order by e.id desc
"""
_FIXED = lazy(r"(?:^`([^`]+)` )?failed with: (.+?)\. It ((?:passed|worked) (?:after|as)\b.+)", re.DOTALL)


class _LearnedFix(NamedTuple):
    id: int
    entry_id: str
    session: str
    project: str
    stands: bool
    crosses: bool  # a person stands behind it
    rule: str
    text: str
    timestamp: int | None


def _entries(
    db: sqlite3.Connection,
    rows: list[int],
    told: list[Signature],
    programs: frozenset[tuple[str, ...]],
    session: str | None,
) -> list[_LearnedFix]:
    """What was learned about fixing the same error, the newest first; including withdrawn ones."""
    found = []
    for entry in map(_LearnedFix._make, db.execute(_LEARNED, (json.dumps(rows),))):
        said = _FIXED.search(entry.text) if form_of(entry.rule) == FIX else None
        if said is None or entry.session == session:
            continue
        ran = programs_of({"command": said[1]})
        if ran and programs and not ran & programs:
            continue
        if any(is_same(one, other) for one in told for other in signatures(said[2])):
            found.append(entry)
    return found


def _learned(db: sqlite3.Connection, entry: _LearnedFix) -> Note:
    said = _FIXED.search(entry.text)
    return entry_note(
        db, entry.id, entry.entry_id, "insight", said[3] if said is not None else entry.text, entry.timestamp
    )
