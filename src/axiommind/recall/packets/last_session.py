"""The last session: what was asked, how it ended, and what still failed then.

Words in which something was claimed that was withdrawn since are not quoted, and nothing takes their place: what was
asked before would not be what was asked last.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from axiommind.ids import number_of
from axiommind.recall.packet import Note
from axiommind.recall.packets.closing_words import HEAD, TAIL, closing, tells_outcome
from axiommind.recall.packets.held import content_terms
from axiommind.recall.packets.notes import gist, has_words, passage_note
from axiommind.recall.packets.still_failing import failing
from axiommind.text.patterns import lazy
from axiommind.text.summary import preview

__all__ = [
    "AskedPrompt",
    "LastWords",
    "NewestSession",
    "first_prompt",
    "last_prompt",
    "last_words",
    "newest_sessions",
    "outcome",
    "says_any",
    "session_notes",
    "withdrawn_claims",
    "without_withdrawn",
]

_SESSIONS = 20  # of which copies of one session may be some
_RESPONSES = 40
_PROMPTS_READ = 10
_MUCH = 0.6  # of a withdrawn claim: better a line too few than one that revives it
_MOST = 0.75  # of the terms of a shorter text: a text with so many of them says it
_ASKED = 160  # characters of a prompt
_ENDINGS = 5  # of the last answers, of which one says how it ended
_TURNS = 6  # of the last ones, where the last answer only says that what was done is put away
_PUT_AWAY = 100  # characters of that
_REMARK = 300  # characters of a prompt that objects to an answer
_TITLE = lazy(r"(?:<<-?\s*['\"]?\w+['\"]?\s*\n|(?:-[a-zA-Z]*m|--message)[ =]['\"](?!\$\())\s*([^\n\"']{3,200})")


class NewestSession(NamedTuple):
    id: str
    began: int
    ended: int
    title: str | None


class AskedPrompt(NamedTuple):
    id: int
    text: str
    timestamp: int
    line: int


class LastWords(NamedTuple):
    """The last thing that the agent said in a session."""

    response: int
    text: str
    timestamp: int | None
    line: int
    plan: str  # the plan that the session ended with; empty where it ended otherwise
    went_on: bool  # tools were called after it, without a word
    was_committed: bool  # and the last of them committed
    commit: str  # its title, where the call says it


_SESSION_ROWS = """
    select id, coalesce(started_at, first_ts, 0), coalesce(last_ts, ended_at, 0), title
    from sessions
    where project = :project
      and parent_session is null
      and prompt_count > 0
    order by coalesce(last_ts, ended_at, 0) desc, id
    limit :limit
"""
_WITHDRAWN = "select title, text from entries where session_id = ? and status <> 'active'"
_PROMPTS = "select id, text, timestamp, line from prompts where session_id = ? order by id {order} limit {limit}"
_WORDS = f"""
    select id, text, timestamp, line_start from responses
    where id in (select id from responses where session_id = :session order by id desc limit {_RESPONSES})
      and text <> ''
      and not is_error
    order by id desc
    limit {_ENDINGS}
"""
_CLOSINGS = f"""
    select r.id, r.text, r.timestamp, p.text
    from (select text, line from prompts where session_id = :session order by line desc limit {_TURNS}) p
    join responses r on r.id = (
        select max(id) from responses
        where session_id = :session and line_start < p.line and text <> '' and not is_error
      )
    order by p.line desc
"""
_LAST_CALL = """
    select line, input_json, is_error
    from tool_uses
    where session_id = ? and subagent is null
    order by seq_order desc
    limit 1
"""


def newest_sessions(db: sqlite3.Connection, project: str) -> list[NewestSession]:
    """The newest sessions of a project, the last one first; none of subagents."""
    return [NewestSession._make(row) for row in db.execute(_SESSION_ROWS, {"project": project, "limit": _SESSIONS})]


def session_notes(db: sqlite3.Connection, session: NewestSession) -> list[Note]:
    """What a session was about: asked, asked last, how it ended, and what failed to the end."""
    from axiommind.recall.question import question_of

    withdrawn = withdrawn_claims(db, session.id)
    notes = []
    first, last, ended = first_prompt(db, session.id), last_prompt(db, session.id), last_words(db, session.id)
    if first is not None:
        is_titled = session.title is not None and has_words(session.title) and not says_any(session.title, withdrawn)
        about = session.title if is_titled and session.title else first[1]
        notes.append(passage_note(db, "prompt", first.id, f"asked: {gist(about, _ASKED)}", first.timestamp))
    if ended is not None and (found := outcome(db, session.id, ended)) is not None:
        response, at, how = found
        if response != ended.response and last is not None and last.line <= ended.line:
            last = None if question_of(last.text) is None else last  # to put it away is all that was asked
        notes.append(passage_note(db, "response", response, how, at, limit=HEAD + TAIL + _PUT_AWAY))
    if last is not None and last != first and not _repeats(last.text, about):
        is_open = ended is None or last.line > ended.line
        asked = f"{'asked last, and not answered' if is_open else 'asked last'}: {gist(last.text, _ASKED)}"
        notes.insert(len(notes) if is_open else 1, passage_note(db, "prompt", last.id, asked, last.timestamp))
    return [*without_withdrawn(db, notes, withdrawn), *failing(db, session.id, "still failed: ")]


def _repeats(text: str, said: str) -> bool:
    """Whether a prompt says again what was said."""
    terms = content_terms(text[:2_000])
    return len(terms & content_terms(said[:2_000])) >= _MOST * len(terms)


def first_prompt(db: sqlite3.Connection, session: str) -> AskedPrompt | None:
    """The first prompt that says something by itself."""
    return _telling(db, session, "asc")


def last_prompt(db: sqlite3.Connection, session: str) -> AskedPrompt | None:
    """The last prompt that says something by itself."""
    return _telling(db, session, "desc")


def _telling(db: sqlite3.Connection, session: str, order: str) -> AskedPrompt | None:
    rows = db.execute(_PROMPTS.format(order=order, limit=_PROMPTS_READ), (session,))
    return next((one for one in map(AskedPrompt._make, rows) if has_words(one.text)), None)


# --- how it ended ----------------------------------------------------------------------------------------


def last_words(db: sqlite3.Connection, session: str) -> LastWords | None:
    """The last answer that says something by itself; of a session without any, its last one."""
    from axiommind.tools.past_call import fields_of, programs_of

    rows = db.execute(_WORDS, {"session": session}).fetchall()
    if not rows:
        return None
    response, text, at, line = next((row for row in rows if closing(row[1])), rows[0])
    called, given, failed = db.execute(_LAST_CALL, (session,)).fetchone() or (-1, None, 1)
    if called < line:
        return LastWords(response, text, at, line, "", went_on=False, was_committed=False, commit="")
    fields = fields_of(given)
    is_commit = failed == 0 and ("git", "commit") in programs_of(fields)
    titled = _TITLE.search(str(fields.get("command"))) if is_commit else None
    title = titled[1].strip() if titled is not None else ""
    return LastWords(response, text, at, line, _plan(fields), went_on=True, was_committed=is_commit, commit=title)


def outcome(db: sqlite3.Connection, session: str, words: LastWords) -> tuple[int, int | None, str] | None:
    """How a session ended: the answer that says so, when, and in which words. None where nobody said."""
    how = _ending(words)
    return (_put_away(db, session, words) or (words.response, words.timestamp, how)) if how else None


def _plan(given: Mapping[str, Any]) -> str:
    """The title of the plan that a call proposes, whatever the agent calls it; empty where it proposes none."""
    plan = given.get("plan")
    return gist(plan.strip().partition("\n")[0]) if isinstance(plan, str) and "\n" in plan.strip() else ""


def _ending(words: LastWords) -> str:
    """How a session ended; empty where nobody said."""
    if words.plan:
        return f"ended with a plan: {words.plan}"
    said = closing(words.text)
    if not said:
        return f"ended with a commit: {gist(words.commit, _ASKED)}" if words.commit else ""
    then = " Then it was committed." if words.was_committed else ""
    return f"{'last said' if words.went_on else 'ended'}: {said}{then}"


def _put_away(db: sqlite3.Connection, session: str, ended: LastWords) -> tuple[int, int | None, str] | None:
    """How a session ended whose last words are only that what was done is committed, pushed or checked: what came of it
    is said by the last turn before that tells something and was not objected to. None where nothing has to be added."""
    from axiommind.text.requests.prompt_kinds import kind_of

    if ended.plan or tells_outcome(ended.text):
        return None
    for response, text, at, answer in db.execute(_CLOSINGS, {"session": session}).fetchall():
        if len(answer) <= _REMARK and kind_of(answer) == "correction":
            return None
        if response != ended.response and tells_outcome(text) and (said := closing(text)):
            then = preview(closing(ended.text), _PUT_AWAY)
            return response, at, f"ended: {said} Then: {then}{' It was committed.' if ended.was_committed else ''}"
    return None


# --- what was withdrawn ----------------------------------------------------------------------------------


def without_withdrawn(db: sqlite3.Connection, notes: Iterable[Note], withdrawn: list[set[str]]) -> list[Note]:
    from axiommind.recall.withdrawn import withdrawn_among

    numbers = {note.id: number_of(note.id) or 0 for note in notes}
    gone = withdrawn_among(db, numbers.values()) if numbers else set()
    return [n for n in notes if numbers[n.id] not in gone and not says_any(n.text.partition(": ")[2], withdrawn)]


def withdrawn_claims(db: sqlite3.Connection, session: str) -> list[set[str]]:
    """What a session claimed that was withdrawn since, each as its terms."""
    rows = db.execute(_WITHDRAWN, (session,)).fetchall()
    return [terms for title, text in rows if (terms := content_terms(title) or content_terms(text))]


def says_any(text: str, claims: list[set[str]]) -> bool:
    """Whether a title or a line says one of these claims. Either may leave out words of the other."""
    said = content_terms(text) if claims else set()
    return bool(said) and any(len(said & claim) >= _MUCH * min(len(said), len(claim)) for claim in claims)
