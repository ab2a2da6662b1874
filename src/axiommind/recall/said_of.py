"""What is said of what was given: useful, not useful, or taken back. Each is one event, `feedback_given`.

It is said of a thing at a kind of moment: the hook that gave it last and, of a prompt, the words that told what was
asked. Saying the same twice is saying it once. It changes no stage and withdraws nothing: that is `axm entry`.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from axiommind.callers import Caller
from axiommind.errors import BadQuery, NotFound
from axiommind.home import Home, Scope, now
from axiommind.ids import canonical_json, dedupe_key, number_of, one_of, short_id
from axiommind.projections.passages import KIND_BITS, KINDS
from axiommind.recall.feedback import PROMPT_HOOK

if TYPE_CHECKING:
    from axiommind.log.sqlite import SqliteLog

__all__ = ["VERDICTS", "Feedback", "FeedbackSaid", "GivenMoment"]

VERDICTS = ("no", "yes", "clear")
_EVENT = "feedback_given"
_SLACK_MS = 5_000  # the prompt that a hook answered may be written a moment after it was asked


class FeedbackSaid(NamedTuple):
    """What was said of one thing, and where it counts."""

    id: str
    kind: str  # of an entry its kind (decision, gotcha …), else prompt, response, tool, doc, task …
    verdict: str
    hook: str  # empty where everything that was said of it was taken back
    about: str  # the prompt that it was given for, if it was one
    said_in: str  # empty: everywhere; else the session of the agent that said it
    is_new: bool  # False: that is what was said before, or nothing was said that could be taken back


class GivenMoment(NamedTuple):
    """One thing that an agent was given, for a person to look at."""

    id: str
    kind: str
    hook: str
    at: int
    session_id: str
    project: str | None
    about: str  # the prompt, where it was given for one
    text: str
    verdict: str | None  # what was said of it, at such a moment


class _Item(NamedTuple):
    names: tuple[str, ...]  # the id it is known by, and others that mean the same
    kind: str
    owner: str | None


class _Moment(NamedTuple):
    hook: str
    session: str | None
    project: str | None
    prompt: str


_ENTRY = "select entry_id, id, kind, session_id from entries where {where} limit 2"
_PASSAGE = "select kind, coalesce(session_id, doc_id) from passages where id = ?"
_GIVEN_AS = "select item_id, kind, owner from served_items where item_id = ? limit 1"
_LAST_GIVEN = """
    select s.hook, s.session_id, s.project, s.at
    from served_items i
    join served s on s.id = i.served_id
    where i.item_id in ({names})
      and (:session is null or s.session_id = :session)
    order by s.at desc, s.id desc
    limit 1
"""
_PROMPT = """
    select text from prompts
    where session_id = :session and timestamp <= :at
    order by timestamp desc, id desc
    limit 1
"""
_GIVEN = """
    select i.item_id, i.kind, s.hook, s.at, s.session_id, s.project
    from served s
    join served_items i on i.served_id = s.id
    where (:project is null or s.project = :project)
      and (:session is null or s.session_id = :session)
    order by s.at desc, s.id desc, i.score desc, i.item_id
    limit :limit
"""
_SAID = "select verdict from feedback where name = ? and hook = ? and words_json = ? and said_in = ?"
_CLEARED = "select max(at) from feedback where name = ? and hook = '' and verdict = 'clear' and said_in in ('', ?)"
_NOT_CLEARED = """
    select count(*)
    from feedback f
    where f.name = :name
      and f.verdict <> 'clear'
      and :said_in in ('', f.said_in)
      and not exists (
          select 1 from feedback c
          where c.name = f.name and c.hook = '' and c.verdict = 'clear'
            and c.said_in in ('', f.said_in) and c.at >= f.at)
"""
_SAID_AT = "select at from feedback where name = ? and hook = ? and words_json = ? and said_in = ?"
_TEXT = "select coalesce(nullif(title, '') || ' · ', '') || coalesce(text, '') from passage_texts where id = ?"


class Feedback:
    """Says what was useful and what was not, and lists what was given."""

    def __init__(self, home: Home, read_new: Callable[[str | None], object], read_given: Callable[[], object]) -> None:
        self.home = home
        self._read_new = read_new  # what is new in a project, into the index
        self._read_given = read_given  # what hooks have given a moment ago

    def say(
        self,
        name: str,
        verdict: str,
        *,
        session: str | None = None,
        prompt: str | None = None,
        caller: Caller | None = None,
    ) -> FeedbackSaid:
        """Say of an item (the id of a passage or entry, or an entry's beginning) that it was useful (`yes`), was not
        (`no`), or take back what was said (`clear`). It counts for the moment that gave it last, in `session` where one
        is named, or for prompts such as `prompt`; without either, `clear` takes everything back. An agent's word counts
        in its session."""
        if verdict not in VERDICTS:
            raise BadQuery(f"there is no verdict {verdict!r}", hint=f"one of: {', '.join(VERDICTS)}")
        who = (caller or self.home.caller).actor
        own = self.home.environ.get("CLAUDE_CODE_SESSION_ID") or None if who == "agent" else None
        takes_all_back = verdict == "clear" and session is None and prompt is None
        if not takes_all_back and prompt is None:
            self._read_given()
            if not self._is_known(name, session or own):
                self._read_new(None)  # a session that is still going on
        with self.home.writing([]) as (log, key, index):
            item = _find(index.db, name.strip())
            wanted = own if session is None else one_of(session, _sessions(index.db), "session")
            said_in = ""
            moment = _Moment("", None, None, "") if takes_all_back else _moment(index.db, item, wanted, prompt, verdict)
            if who == "agent":
                said_in = own or moment.session or wanted or ""
                if not said_in:
                    raise BadQuery("which session says so is not known", hint="name the session that was given it")
            said = _Saying(log, key, index.db).append(item, verdict, moment, said_in, who)
            from axiommind.projections.runner import Segments

            index.catch_up(log, Segments(log))
        return said

    def given(self, scope: Scope, *, session: str | None = None, limit: int = 50) -> list[GivenMoment]:
        """What agents were given, the latest first."""
        self._read_given()
        with self.home.reading(Scope(None), None) as db:
            asked = {"project": scope.project, "session": session, "limit": limit}
            return [_given(db, *row) for row in db.execute(_GIVEN, asked).fetchall()]

    def _is_known(self, name: str, session: str | None) -> bool:
        with self.home.reading(Scope(None), None) as db:
            try:
                item = _find(db, name.strip())
                wanted = None if session is None else one_of(session, _sessions(db), "session")
            except NotFound:
                return False
            return _last_given(db, item, wanted) is not None


class _Saying:
    """Appends one saying, unless it is what was said before."""

    def __init__(self, log: SqliteLog, key: bytes, db: sqlite3.Connection) -> None:
        self._log, self._key, self._db = log, key, db

    def append(self, item: _Item, verdict: str, moment: _Moment, said_in: str, actor: str) -> FeedbackSaid:
        from axiommind.recall.prompt_kind import telling_words
        from axiommind.recall.question import question_of

        words: list[str] = []
        if moment.hook == PROMPT_HOOK:
            words = sorted(telling_words(question_of(moment.prompt) or moment.prompt))
        said = FeedbackSaid(item.names[0], item.kind, verdict, moment.hook, moment.prompt, said_in, True)
        if verdict == "clear":
            is_new = _is_said(self._db, item.names[0], moment.hook, words, said_in)
        else:
            is_new = _holds(self._db, item.names[0], moment.hook, words, said_in) != verdict
        if not is_new:
            return said._replace(is_new=False)
        (last,) = self._db.execute("select max(at) from feedback where name = ?", (item.names[0],)).fetchone()
        payload = {
            "names": list(item.names),
            "kind": item.kind,
            "hook": moment.hook,
            "verdict": verdict,
            "said_in": said_in,
            "owner": item.owner,
        }
        key = dedupe_key(_EVENT, item.names[0], moment.hook, canonical_json(words), said_in, verdict, last or 0)
        self._append(payload, words, key, moment, item, actor, max(now(), (last or 0) + 1))
        return said

    def _append(
        self,
        payload: dict[str, Any],
        words: list[str],
        key: str,
        moment: _Moment,
        item: _Item,
        actor: str,
        at: int,
    ) -> None:
        from axiommind.log import seal_lines
        from axiommind.text.redaction import Redactor

        blobs = []
        if words:
            sealed, _ = seal_lines(Redactor(self._key), self._key, [canonical_json({"words": words}).encode()])
            payload, blobs = {**payload, "blob": sealed.hash}, [sealed]
        self._log.append_dedup(
            _EVENT,
            actor=actor,
            payload=payload,
            dedupe_key=key,
            session_id=moment.session or item.owner,
            project=moment.project,
            happened_at=at,
            blobs=blobs,
        )


def _holds(db: sqlite3.Connection, name: str, hook: str, words: list[str], said_in: str) -> str | None:
    """What holds of a thing at a kind of moment; None where nothing was said, or it was taken back."""
    key = (name, hook, json.dumps(words, ensure_ascii=False), said_in)
    row = db.execute(_SAID, key).fetchone()
    if row is None:
        return None
    (cleared,) = db.execute(_CLEARED, (name, said_in)).fetchone()
    (at,) = db.execute(_SAID_AT, key).fetchone()
    return None if cleared is not None and cleared >= at else str(row[0])


def _is_said(db: sqlite3.Connection, name: str, hook: str, words: list[str], said_in: str) -> bool:
    """Whether there is anything to take back: at a kind of moment, or without one of all that was said; an agent takes
    back its own word."""
    if hook:
        return _holds(db, name, hook, words, said_in) in ("no", "yes")
    (count,) = db.execute(_NOT_CLEARED, {"name": name, "said_in": said_in}).fetchone()
    return bool(count)


def _find(db: sqlite3.Connection, name: str) -> _Item:
    """The thing that an id means."""
    if name.startswith("ent_"):
        rows = db.execute(_ENTRY.format(where="entry_id >= ? and entry_id < ?"), (name, f"{name}\U0010ffff")).fetchall()
        if len(rows) == 1 or (rows and rows[0][0] == name):
            return _entry(*rows[0])
    elif (row := db.execute(_GIVEN_AS, (name,)).fetchone()) is not None and number_of(name) is None:
        return _Item((row[0],), row[1], row[2])  # a task or a decision
    elif (number := number_of(name)) is not None:
        passage = db.execute(_PASSAGE, (number,)).fetchone()
        if passage is not None and passage[0] == "insight":
            entry = db.execute(_ENTRY.format(where="id = ?"), (number >> KIND_BITS,)).fetchone()
            if entry is not None:
                return _entry(*entry)
        if passage is not None:
            return _Item((short_id(number),), passage[0], passage[1])
    raise NotFound(f"there is no passage or entry {name!r}", hint="axm grounding --items lists what agents were given")


def _entry(entry_id: str, row: int, kind: str, session: str) -> _Item:
    return _Item((entry_id, short_id(row << KIND_BITS | KINDS["insight"])), kind, session)


def _moment(db: sqlite3.Connection, item: _Item, session: str | None, prompt: str | None, verdict: str) -> _Moment:
    """The moment that a saying is about. Only a no has to know the prompt: a yes counts as used where it was
    given."""
    if prompt is not None:
        return _Moment(PROMPT_HOOK, session, _project(db, session), prompt)
    row = _last_given(db, item, session)
    if row is not None:
        hook, gave, project, at = row
        asked = db.execute(_PROMPT, {"session": gave, "at": at + _SLACK_MS}).fetchone() if hook == PROMPT_HOOK else None
        if hook != PROMPT_HOOK or asked is not None or verdict != "no":
            return _Moment(hook, gave, project, asked[0] if asked else "")
    elif session is not None:  # it asked for it itself, while it worked on its last prompt
        asked = db.execute(_PROMPT, {"session": session, "at": 1 << 62}).fetchone()
        if asked is not None:
            return _Moment(PROMPT_HOOK, session, _project(db, session), asked[0])
    missing = "no agent was given it" if row is None else f"there is no transcript of session {row[1]}"
    raise BadQuery(
        f"for which prompt {item.names[0]} was given is not known: {missing}",
        hint=f'say it: axm feedback {item.names[0]} {verdict} --prompt "what was asked"',
    )


def _project(db: sqlite3.Connection, session: str | None) -> str | None:
    row = db.execute("select project from sessions where id = ?", (session,)).fetchone()
    return None if row is None else str(row[0])


def _sessions(db: sqlite3.Connection) -> set[str]:
    return {row[0] for row in db.execute("select id from sessions union select session_id from served")}


def _last_given(db: sqlite3.Connection, item: _Item, session: str | None) -> tuple[str, str, str | None, int] | None:
    names = {f"n{at}": name for at, name in enumerate(item.names)}
    sql = _LAST_GIVEN.format(names=", ".join(f":{key}" for key in names))
    row: tuple[str, str, str | None, int] | None = db.execute(sql, {**names, "session": session}).fetchone()
    return row


def _given(
    db: sqlite3.Connection, name: str, kind: str, hook: str, at: int, session: str, project: str | None
) -> GivenMoment:
    from axiommind.recall.prompt_kind import telling_words
    from axiommind.recall.question import question_of

    about = ""
    words: list[str] = []
    if hook == PROMPT_HOOK:
        asked = db.execute(_PROMPT, {"session": session, "at": at + _SLACK_MS}).fetchone()
        about = asked[0] if asked else ""
        words = sorted(telling_words(question_of(about) or about))
    try:
        item = _find(db, name)
    except NotFound:
        return GivenMoment(name, kind, hook, at, session, project, about, "", None)
    number = number_of(item.names[-1])
    row = db.execute(_TEXT, (number,)).fetchone() if number is not None else None
    verdict = _holds(db, item.names[0], hook, words, "")
    verdict = None if verdict == "clear" else verdict
    return GivenMoment(item.names[0], item.kind, hook, at, session, project, about, row[0] if row else "", verdict)
