"""What a report about work is made of, read from a scoped index: prompts, calls, checks, files and claims.

Over several sessions only canonical rows count, so what a fork copied counts where it happened. What a subagent was
told was written by an agent, and is no person's word; nor is the plan that the client hands from one session to the
next.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from axiommind.reports.analysers.evidence import (
    CheckCommand,
    FilePair,
    RepeatedClaim,
    Sentence,
    Witness,
)
from axiommind.reports.analysers.files import Touch, changed_together
from axiommind.reports.analysers.rework import CountedCall, shape
from axiommind.tools.kinds import CHECKS, EDIT, RUN_CLASS, is_run

__all__ = [
    "CallRow",
    "PersonPrompt",
    "Window",
    "calls_of",
    "checks_of",
    "claims_of",
    "day_of",
    "file_name",
    "one_line",
    "pairs_of",
    "prompts_of",
    "statements_of",
]

QUOTE_CHARS = 160
MOST_PAIRS = 500  # of files, before those are left out that say nothing
_HANDED_ON = ("implement the following plan:", "this session is being continued")
_CLAIM_CHARS = 240
_FILE_FIELDS = ("file_path", "path", "filePath", "notebook_path")
_NOT_SAID = frozenset("#|>")  # a heading, a table, a quotation
_STATEMENT_CHARS = 1_200  # what is longer was pasted, or is a document


class Window(NamedTuple):
    """The time that a report is about; `until` is exclusive."""

    since: int | None
    until: int | None

    def holds(self, at: int | None) -> bool:
        if self == (None, None):
            return True
        return bool(at) and (self.since is None or at >= self.since) and (self.until is None or at < self.until)  # type: ignore[operator]


class PersonPrompt(NamedTuple):
    """A prompt of a person."""

    ref: int
    session: str
    line: int
    at: int
    text: str

    def witness(self, quote: str = "") -> Witness:
        return Witness("prompt", self.ref, self.session, self.at or None, quote or one_line(self.text))

    @property
    def is_handed_on(self) -> bool:
        return self.text.lstrip()[:60].lower().startswith(_HANDED_ON)


class CallRow(NamedTuple):
    """A call, the line where it stands, and the file that it edited."""

    call: CountedCall
    line: int
    file: str


def one_line(text: str, chars: int = QUOTE_CHARS) -> str:
    """The beginning of a text as it stands, with its line ends and rows of blanks as one blank each."""
    said = " ".join(text[: chars * 4].split())
    return said if len(said) <= chars else said[: chars - 1].rstrip() + "…"


def day_of(at: int) -> str:
    """The day (UTC) of a moment."""
    return datetime.fromtimestamp(at / 1000, UTC).strftime("%Y-%m-%d")


def file_name(path: str) -> str:
    """The last part of a path, with the separators of either system."""
    return path.replace("\\", "/").rpartition("/")[2] or path


def prompts_of(db: sqlite3.Connection, window: Window) -> list[PersonPrompt]:
    rows = db.execute(
        """
        select p.id, p.session_id, p.line, p.timestamp, p.text
        from prompts p join sessions s on s.id = p.session_id
        where p.canonical = 1 and s.parent_session is null
        order by p.timestamp, p.id
        """
    )
    return [asked for asked in (PersonPrompt(*row) for row in rows) if window.holds(asked.at)]


def calls_of(db: sqlite3.Connection, window: Window) -> list[CallRow]:
    """Every use of a tool, by session and in order; those that do not count are there as neighbours."""
    rows = db.execute(
        f"""
        select id, session_id, classified_name,
               case when is_error or classified_name like '{RUN_CLASS}%' then input_json end,
               coalesce(is_error, 0), coalesce(error, ''), timestamp, canonical, line,
               coalesce((select file_path from file_edits e where e.tool_use_id = t.id), '')
        from tool_uses t
        order by session_id, seq_order
        """
    )
    return [
        CallRow(
            CountedCall(
                ref,
                session,
                tool,
                _field(given, "command") if is_run(tool) else "",
                bool(failed),
                error,
                at,
                counts=bool(mine) and window.holds(at),
                is_edit=bool(file),
                file=_field(given, *_FILE_FIELDS) if failed and not is_run(tool) else "",
            ),
            line,
            file,
        )
        for ref, session, tool, given, failed, error, at, mine, line, file in rows
    ]


def _field(given: str | None, *names: str) -> str:
    """The first of these fields of a call's input that is a text."""
    try:
        fields = json.loads(given or "{}")
    except ValueError:
        return ""
    values = (fields.get(name) for name in names) if isinstance(fields, dict) else ()
    return next((value for value in values if isinstance(value, str)), "")


def checks_of(used: Sequence[CallRow]) -> tuple[list[CheckCommand], int]:
    """The tests, linters and builds that were run after an edit of their session; and how many sessions edited."""
    from axiommind.tools.shell import classify

    places: dict[str, list[float]] = {}
    witnesses: dict[str, dict[str, Witness]] = {}
    tools: dict[str, str] = {}
    edited = 0
    for session, some in groupby((one.call for one in used), key=attrgetter("session")):
        calls = [call for call in some if call.counts]
        first = next((at for at, call in enumerate(calls) if call.is_edit), None)
        if first is None:
            continue
        edited += 1
        after = calls[first + 1 :]
        for at, call in enumerate(after):
            for part in shape(call.command).split(" && ") if call.command else ():
                kind = classify(part)
                if kind in CHECKS and session not in witnesses.get(part, ()):
                    tools[part] = kind
                    places.setdefault(part, []).append(at / len(after))
                    witness = Witness("tool", call.ref, session, call.at, part)
                    witnesses.setdefault(part, {})[session] = witness
    found = [
        CheckCommand(part, tools[part], sum(places[part]) / len(places[part]), tuple(those.values()))
        for part, those in witnesses.items()
    ]
    return sorted(found, key=lambda c: (-len(c.witnesses), c.command)), edited


def pairs_of(db: sqlite3.Connection, window: Window) -> list[FilePair]:
    """Files that were edited in the same sessions, in two at least, the most sessions first."""
    rows = db.execute(
        """
        select e.session_id, e.file_path, min(e.tool_use_id), min(e.timestamp)
        from file_edits e
        where e.canonical = 1 and (:since is null or e.timestamp >= :since) and (:until is null or e.timestamp < :until)
        group by e.session_id, e.file_path
        order by e.session_id, e.file_path
        """,
        window._asdict(),
    )
    edits = {(session, path): Witness("tool", ref, session, at, path) for session, path, ref, at in rows}
    sessions: dict[str, set[str]] = {}
    for session, path in edits:
        sessions.setdefault(path, set()).add(session)
    touches = [Touch(session, path, EDIT, True) for session, path in edits]
    found = []
    for (a, b), _ in changed_together(touches, top=MOST_PAIRS):
        both = sorted(sessions[a] & sessions[b])
        witnesses = tuple(edits[session, b] for session in both)
        found.append(FilePair(a, b, len(sessions[a]), len(sessions[b]), witnesses))
    return found


def statements_of(prompts: Sequence[PersonPrompt]) -> list[Sentence]:
    """Sentences in which a person says how things are always, or never, to be done."""
    from axiommind.text.pasted import pasted_spans, without
    from axiommind.text.statements import stated
    from axiommind.text.summary import sentences

    found = []
    for asked in prompts:
        if len(asked.text) > _STATEMENT_CHARS or asked.is_handed_on:
            continue
        typed = without(asked.text, pasted_spans(asked.text))
        for line in typed.splitlines():
            if line.lstrip()[:1] in _NOT_SAID:
                continue
            for start, end in sentences(line):
                sentence = line[start:end].strip().rstrip(".。!！")
                said = stated(sentence) if sentence and not line.rstrip().endswith(("?", "？")) else None
                if said is not None and said.kind in ("always", "never"):
                    found.append(Sentence(sentence, asked.witness(one_line(sentence))))
    return found


def claims_of(db: sqlite3.Connection) -> list[RepeatedClaim]:
    """Facts and decisions that hold, are verified, and were said in several sessions."""
    rows = db.execute(
        """
        select value_key, id, session_id, coalesce(happened_at, created_ts), kind, rule, stage, title, text
        from entries
        where entry_type in ('fact', 'decision') and stage in ('verified', 'certified') and status = 'active'
        order by value_key, happened_at, entry_id
        """
    )
    found = []
    for _, some in groupby(rows, key=lambda row: row[0]):
        same = list(some)
        if len({row[2] for row in same}) > 1:
            _, _, _, _, kind, rule, stage, title, text = same[-1]
            witnesses = tuple(Witness("insight", row[1], row[2], row[3], "") for row in same)
            # How something is run: the title is the command, and the text how often it worked in its session.
            said = title if rule == "runs" or len(text) > _CLAIM_CHARS else text
            found.append(RepeatedClaim(said, kind, stage, witnesses))
    return found
