"""What was asked: every request of a session in order, with what a short answer answers.

The first and the last come first; in between the newest do, since what was asked later changes what was asked before. A
request in which something was claimed that was withdrawn since is left out, unless it is the last.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

from axiommind.recall.handoff.values import OWN_WORDS, HandoffNote, in_parts, passage_id
from axiommind.recall.packets.last_session import says_any, withdrawn_claims
from axiommind.text.agent_cues import AGAINST
from axiommind.text.pasted import pasted_spans
from axiommind.text.patterns import lazy
from axiommind.text.summary import sentences
from axiommind.text.whole_sentences import LEFT_OUT, pieces, plain_lines, whole

__all__ = ["ANSWERED", "SessionRequest", "asked", "last_request", "requests"]

_PART = 450  # characters of a part
_PARTS = 24  # of a request that the agent did not come to an end with
_OUTCOME, _SAYS = 200, 15  # characters of an answer in short; less says nothing
ANSWERED = "→"  # leads what the agent answered to the request before
_COMPARED, _SAME = 400, 0.9
_SHORT = 40  # characters of a request that may be an answer
_ANSWERED = 200
_MOST = 200  # requests of a session, from its end
_PLAN = lazy(r"\s*(?:Implement the following plan:?|Please implement this plan:?)\s*", re.IGNORECASE)
# What only steers the client, whichever it is.
_STEERING_LIST = """
agents clear compact config context copy cost doctor exit export help hooks login logout mcp memory model permissions
quit rename resume settings status terminal-setup theme usage vim
"""
_STEERING = frozenset(_STEERING_LIST.split())
_IMAGE = lazy(r"!?\[[^\]\n]{0,80}\]\((?:data:|https?://)[^)\s]{40,}\)")
_CHOICE = lazy(r"\s*#?(\d{1,2})\b")
_ROWS = """
    select line, id, timestamp, text, '' from prompts where session_id = :session
    union all
    select line, null, timestamp, name, args from commands where session_id = :session and kind = 'slash'
    order by 1, 2
"""
_BEFORE = f"""
    select text, id, line_start, timestamp from responses
    where session_id = ? and line_start < ? and text <> '' and not is_error and {OWN_WORDS}
    order by line_start desc limit 1
"""
_WORKED = """
    select exists (select 1 from responses where session_id = :session and line_start > :start and line_start < :end)
        or exists (select 1 from tool_uses where session_id = :session and line > :start and line < :end)
"""


class SessionRequest(NamedTuple):
    line: int
    ref: int | None  # the row of the prompt; None for a command
    at: int | None
    text: str
    is_plan: bool = False


def requests(db: sqlite3.Connection, session: str) -> list[SessionRequest]:
    """What was asked, in order: prompts, and the commands of a client that led to work."""
    rows = db.execute(_ROWS, {"session": session}).fetchall()
    ends = [row[0] for row in rows[1:]] + [1 << 60]
    found: list[SessionRequest] = []
    for (line, ref, at, text, args), end in zip(rows, ends, strict=True):
        if ref is None:
            if text.lstrip("/").partition(":")[0] in _STEERING or not _worked(db, session, line, end):
                continue
            text = f"{text} {args}".strip()
        words = _own_words(text)
        if found and _is_again(db, session, found[-1], words, line):
            found.pop()
        if words:
            found.append(SessionRequest(line, ref, at or None, words, _PLAN.match(text) is not None))
    return found[-_MOST:]


def _is_again(db: sqlite3.Connection, session: str, before: SessionRequest, words: str, line: int) -> bool:
    """Whether a request is the one before it once more, perhaps in better words: nothing was done in between."""
    from difflib import SequenceMatcher

    one, two = before.text[:_COMPARED], words[:_COMPARED]
    is_same = one == two or two.startswith(one) or SequenceMatcher(None, one, two).quick_ratio() > _SAME
    return is_same and (one == two or not _worked(db, session, before.line, line))


def last_request(db: sqlite3.Connection, session: str) -> SessionRequest | None:
    return next(reversed(requests(db, session)), None)


def _worked(db: sqlite3.Connection, session: str, start: int, end: int) -> bool:
    return bool(db.execute(_WORKED, {"session": session, "start": start, "end": end}).fetchone()[0])


def _own_words(text: str) -> str:
    """A request without what was pasted into it, which is told by its size."""
    begun = _PLAN.match(text)
    if begun is not None:
        return text[begun.end() :]
    text = _IMAGE.sub("[image]", text)
    spans = pasted_spans(text)
    for start, end in reversed(spans):
        lines = text[start:end].strip("\n").count("\n") + 1
        first = next((line.strip() for line in text[start:end].splitlines() if line.strip()), "")[:80]
        text = f"{text[:start]}\n[{lines} pasted lines: {first}]\n{text[end:]}"
    return text.strip()


def asked(db: sqlite3.Connection, session: str, *, is_open: bool, is_done: bool) -> Iterator[HandoffNote]:
    """`is_open`: the last request was not answered; `is_done`: the agent came to an end with it."""
    found = requests(db, session)
    withdrawn = withdrawn_claims(db, session)
    first = next((n for n, one in enumerate(found) if one.ref is not None), 0)
    for n, one in enumerate(found):
        back = len(found) - 1 - n
        if back and says_any(one.text[:600], withdrawn):
            continue
        note = HandoffNote(
            "",
            0,
            passage_id("prompt", one.ref) if one.ref is not None else "",
            session,
            _lead(one, is_last=not back, is_open=is_open, is_only=len(found) == 1),
            timestamp=one.at,
        )
        yield from in_parts(
            one.text + _answering(db, session, one),
            note,
            _ranks(one, back, is_first=n == first, is_done=is_done),
            _PART,
        )
        if back:
            yield from _outcome(db, session, one, found[n + 1].line, 4.5 + 1.2 * back, withdrawn)


def _lead(one: SessionRequest, *, is_last: bool, is_open: bool, is_only: bool) -> str:
    open_ = "not answered" if is_last and is_open else ""
    plan = "approved plan" if one.is_plan else ""
    return ", ".join(filter(None, ("last" if is_last and not is_only else "", open_, plan)))


def _ranks(one: SessionRequest, back: int, *, is_first: bool, is_done: bool) -> tuple[float, ...]:
    """How soon the parts of a request are told. What was planned is done by the time that more was asked: then its
    beginning says what it was."""
    if not back and is_done:
        return (0.0, 6.0) if one.is_plan else (0.0, 3.0, 8.0)
    if not back:
        return (0.0, *(3.0 + 2 * n for n in range(_PARTS - 1)))
    if one.is_plan:
        return (1.0, 12.0 + back)
    return (1.0, 5.0, 9.0) if is_first else (3.5 + 0.5 * back,)


def _outcome(
    db: sqlite3.Connection, session: str, one: SessionRequest, end: int, rank: float, withdrawn: list[set[str]]
) -> Iterator[HandoffNote]:
    """How the agent answered it: the first sentences of its last words before the next request."""
    row = db.execute(_BEFORE, (session, end)).fetchone()
    if row is None or row[2] < one.line:
        return
    said = pieces(row[0], _OUTCOME)
    if not said or len(said[0].text) < _SAYS or says_any(said[0].text, withdrawn):
        return
    first = next(sentences(said[0].text))[1]
    is_underway = first > len(said[0].text) - _SAYS and AGAINST["plan"].search(said[0].text) is not None
    if is_underway or said[0].text.endswith((":", "：")):
        return  # it was broken off: what it says next was not done yet
    text = " ".join(said[0].text.split())
    yield HandoffNote(
        f"{text} {LEFT_OUT}" if len(said) > 1 else text,
        rank,
        passage_id("response", row[1]),
        session,
        ANSWERED,
        timestamp=row[3],
        provenance="agent",
    )


def _answering(db: sqlite3.Connection, session: str, one: SessionRequest) -> str:
    """What a short request answers: the choice that it names by its number, or the question before it."""
    if len(one.text) > _SHORT or one.ref is None:
        return ""
    row = db.execute(_BEFORE, (session, one.line)).fetchone()
    if row is None:
        return ""
    lines = plain_lines(row[0])
    chosen = _CHOICE.match(one.text)
    if chosen is not None:
        item = re.compile(rf"[-*\s]*(?:{chosen[1]}(?:[.)：:]|\s·)|\[{chosen[1]}\]|#{chosen[1]}\b)\s*(\S.*)")
        for line in reversed(lines):
            if named := item.match(line):
                return f" (to: {chosen[1]}. {whole(named[1], _ANSWERED)})"
    questions = [line for line in lines[-6:] if line.rstrip(" )）*_").endswith(("?", "？"))]
    return f" (to: {whole(questions[-1], _ANSWERED)})" if questions else ""
