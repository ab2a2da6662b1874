"""What was changed: commits, pull requests, and files, first those that were edited after the last commit."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from axiommind.recall.handoff.values import HandoffNote, passage_id
from axiommind.text.patterns import lazy
from axiommind.text.whole_sentences import whole

if TYPE_CHECKING:
    import re

    from axiommind.projections.transcript import Transcript

__all__ = ["Commit", "changed_files", "commit_notes", "commits_of"]

_SUBJECT = 160
_UP = 2  # folders: what lies further away is told by its whole path
_EDITED = """
    select f.file_path, count(*), max(f.tool_use_id), max(coalesce(f.timestamp, 0)),
           max(case when f.session_id = :session then t.line else 0 end),
           min(f.session_id <> :session or t.subagent is not null)
    from file_edits f join tool_uses t on t.id = f.tool_use_id
    where f.session_id in (select value from json_each(:family)) and t.is_error is not 1
    group by f.file_path
"""
_RAN = """
    select id, session_id, line, input_json, timestamp, coalesce(output, '') from tool_uses
    where session_id in (select value from json_each(?)) and is_error = 0 and input_json like '%git%'
    order by coalesce(timestamp, 0), id
"""
_PULL_REQUESTS = "select url, number, coalesce(timestamp, 0) from pull_requests where session_id = ? order by 3, 2"
# What git says that it committed: `[branch 1a2b3c4] subject`.
_DONE = lazy(r"(?m)^[ \t]*\[([^\]\n]{1,200}?)[ \t]([0-9a-f]{7,40})\][ \t](.{1,300})$")
_CHANGED = lazy(r"\d files? changed|create mode \d")
_TITLE = lazy(r"(?:<<-?\s*['\"]?\w+['\"]?\s*\n|(?:-[a-zA-Z]*m|--message)[ =]['\"](?!\$\())\s*([^\n\"']{3,200})")


class Commit(NamedTuple):
    """A commit of a session or its subagents, as the record has it."""

    use: int
    session: str
    line: int
    at: int | None
    hash: str
    subject: str
    is_pushed: bool = False


def commits_of(
    db: sqlite3.Connection, family: Sequence[str], transcripts: Mapping[str, Transcript | None]
) -> list[Commit]:
    """In order of time. One that was amended, or made again with the same subject, gives way to what it became."""
    from axiommind.tools.past_call import fields_of, programs_of

    found: list[Commit] = []
    later: dict[str, str] = {}  # what git printed somewhere: a call in the background is answered elsewhere
    for transcript in filter(None, transcripts.values()):
        said = (message.text for message in transcript.messages if message.role == "result" and "] " in message.text)
        later |= {match[3].strip(): match[2] for text in said for match in _DONE.finditer(text)}
    for ref, session, line, given, at, output in db.execute(_RAN, (json.dumps(list(family)),)):
        fields = fields_of(given)
        ran = programs_of(fields)
        command = str(fields.get("command", ""))
        if ("git", "commit") in ran:
            made = _made(command, f"{output}\n{_result(transcripts.get(session), line)}".strip(), later)
            if made and "--amend" in command and found:
                found.pop()
            found = [one for one in found if one.subject not in {subject for _, subject in made}]
            found += [Commit(ref, session, line, at, *one) for one in made]
        if ("git", "push") in ran and "--dry-run" not in command:
            found = [one._replace(is_pushed=True) for one in found]
    return found


def _made(command: str, said: str, later: Mapping[str, str]) -> list[tuple[str, str]]:
    """Hash and subject of what git said that it committed, there or later; of a quiet call, or where the record of it
    is short, the subject that the call gives."""
    done: dict[str, re.Match[str]] = {match[2]: match for match in _DONE.finditer(said)}
    if done:
        return [(one[2], one[3].strip()) for one in done.values()]
    title = _TITLE.search(command)
    if title is None:
        return []
    subject = title[1].strip()
    return [(later.get(subject, ""), subject)] if not said or subject in later or _CHANGED.search(said) else []


def _result(transcript: Transcript | None, line: int) -> str:
    """What came back from a call in full: the index keeps what is worth searching."""
    if transcript is None:
        return ""
    return "\n".join(
        transcript.messages[place].text for use in transcript.uses if use.line == line for place in use.results
    )


def commit_notes(db: sqlite3.Connection, session: str, commits: Sequence[Commit]) -> Iterator[HandoffNote]:
    """The last commit is told first."""
    for n, one in enumerate(commits):
        back = len(commits) - 1 - n
        pushed = ", pushed" if one.is_pushed else ""
        text = f"{one.hash[:8]} {whole(one.subject, _SUBJECT)}".strip() + pushed
        yield HandoffNote(text, 1.3 + 0.8 * back, passage_id("tool", one.use), one.session, timestamp=one.at)
    requests = db.execute(_PULL_REQUESTS, (session,)).fetchall()
    for n, (url, _, at) in enumerate(requests):
        yield HandoffNote(url, 2 + 1.2 * (len(requests) - 1 - n), "", session, "pull request", timestamp=at or None)


def changed_files(
    db: sqlite3.Connection, session: str, family: Sequence[str], root: str, commits: Sequence[Commit]
) -> Iterator[HandoffNote]:
    """Those edited after the last commit first, then those edited most; what lies outside of the project last."""
    last = max((one.line for one in commits if one.session == session), default=0)
    values = {"session": session, "family": json.dumps(list(family))}
    rows = [(_from(root, path), *row) for path, *row in db.execute(_EDITED, values)]

    def order(row: tuple[str, int, int, int, int, int]) -> tuple[bool, bool, int, int]:
        shown, times, use, _, line, _ = row
        return shown.startswith(("/", "..", "~")) or ":" in shown[:3], line <= last, -times, -use

    for n, (shown, times, use, at, line, by_others) in enumerate(sorted(rows, key=order)):
        about = [f"{times} edits"] if times > 1 else []
        about += ["by a subagent"] if by_others else []
        about += ["edited after the last commit"] if commits and line > last else []
        text = f"{shown} ({', '.join(about)})" if about else shown
        yield HandoffNote(text, 1.4 + 0.45 * n, passage_id("tool", use), session, timestamp=at or None)


def _from(root: str, path: str) -> str:
    """A path as it is called from a folder; one that has nothing to do with it as it is."""
    here, there = (part.replace("\\", "/").rstrip("/").split("/") for part in (root, path))
    common = 0
    while common < min(len(here), len(there)) and here[common] == there[common]:
        common += 1
    if common == len(here):
        return "/".join(there[common:])
    up = len(here) - common
    return "/".join([*[".."] * up, *there[common:]]) if common > 3 and up <= _UP else path
