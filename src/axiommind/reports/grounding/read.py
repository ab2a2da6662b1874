"""Grounding, read from the index: which items hooks gave, what they say, and what was said and done afterwards.

Only sessions that were given something are read, each with its subagents, and of each so many characters at most.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

from axiommind.ids import number_of
from axiommind.model import Citation
from axiommind.projections.passages import KIND_BITS, KINDS
from axiommind.reports.grounding.judge import JudgedItem, LaterText, SuppliedAnswer, SuppliedItem, Tally, judge, tally
from axiommind.search.citations import locate
from axiommind.text.query_terms import phrase
from axiommind.tools.call_text import tool_text

__all__ = ["GivenItem", "Grounding", "ground", "served_sessions"]

_PROMPT_HOOK = "UserPromptSubmit"
_MOST_CHARS = 4_000_000  # of a session
_TEXT_CHARS = 20_000  # of one text in it
# The prompt that was answered first may be written a moment before its hook was asked.
_SLACK_MS = 5_000
# What more sessions than this have, and more than this share of them, is common. It keeps coincidence out: of 3,159
# passages of real sessions that nobody was given, 18 % of the hits for a prompt would look used without it and 8 % do
# with it, and of passages of another project 1 % and none.
_MANY = 5
_MANY_SHARE = 0.05


class GivenItem(NamedTuple):
    """One item that an agent was given, and what shows that it used it."""

    session_id: str
    hook: str
    at: int
    id: str
    kind: str
    score: float | None
    is_judged: bool
    reason: str | None  # id, file, identifier, phrase; None: no use was seen
    what: str | None
    used_at: int | None
    citation: Citation | None  # where it was used


class Grounding(NamedTuple):
    total: Tally
    tallies: tuple[Tally, ...]  # each hook, and after it each of its kinds
    prompts: int  # since the first answer
    answered: int
    given: tuple[GivenItem, ...]

    @property
    def silent(self) -> int:
        return self.prompts - self.answered


def served_sessions(db: sqlite3.Connection) -> set[str]:
    return {row[0] for row in db.execute("select distinct session_id from served")}


def ground(
    db: sqlite3.Connection, project: str | None, *, since: int | None = None, session: str | None = None
) -> Grounding:
    """How much of what was given was used. `db` sees every project; `project` says whose sessions count."""
    asked = {"project": project, "since": since or 0, "session": session}
    given: dict[str, list[tuple[SuppliedAnswer, list[SuppliedItem]]]] = {}
    rows = db.execute(
        """
        select id, session_id, hook, at, tokens from served
        where at >= :since
          and (:project is null or project = :project)
          and (:session is null or session_id = :session)
        order by at, id
        """,
        asked,
    )
    for row in rows.fetchall():
        answer = SuppliedAnswer(*row)
        given.setdefault(answer.session_id, []).append((answer, _items(db, answer.id)))
    common = _Common(db)
    judged = [one for name, answers in given.items() for one in judge(answers, _said(db, name), common)]
    total, *tallies = tally(judged)
    first = min((one.answer.at for one in judged), default=None)
    answered = sum(a.hook == _PROMPT_HOOK for answers in given.values() for a, _ in answers)
    prompts = 0 if first is None else _prompts(db, {**asked, "first": first - _SLACK_MS})
    return Grounding(
        total,
        tuple(tallies),
        max(prompts, answered),  # a session that is not indexed yet has its answers before its prompts
        answered,
        tuple(_given(db, one) for one in sorted(judged, key=lambda one: (one.answer.at, one.answer.id))),
    )


def _prompts(db: sqlite3.Connection, asked: dict[str, str | int | None]) -> int:
    (count,) = db.execute(
        """
        select count(*) from prompts p join sessions s on s.id = p.session_id
        where p.canonical and p.timestamp >= :first
          and (:project is null or s.project = :project)
          and (:session is null or s.id = :session)
        """,
        asked,
    ).fetchone()
    return int(count)


def _given(db: sqlite3.Connection, one: JudgedItem) -> GivenItem:
    answer, item, use = one.answer, one.item, one.use
    citation = None
    if use is not None and use.said.ref is not None:
        kind, row = use.said.ref
        passage = row << KIND_BITS | KINDS[kind]
        citation = locate(db, [(passage, kind, row)]).get(passage)
    return GivenItem(
        answer.session_id,
        answer.hook,
        answer.at,
        item.id,
        item.kind,
        item.score,
        one.is_judged,
        use.reason if use else None,
        use.what if use else None,
        use.said.at if use else None,
        citation,
    )


# --- what was given ----------------------------------------------------------------------------------------

_BY_NAME = (
    "select title || char(10) || text from entries where entry_id = ?",
    "select title from entities where entity_id = ?",
    "select action || char(10) || outcome_json from decisions where decision_id = ?",
)


def _items(db: sqlite3.Connection, answer: int) -> list[SuppliedItem]:
    rows = db.execute(
        "select item_id, kind, score from served_items where served_id = ? order by score desc, item_id", (answer,)
    )
    return [SuppliedItem(name, kind, score, *_told(db, name)) for name, kind, score in rows.fetchall()]


def _told(db: sqlite3.Connection, name: str) -> tuple[str | None, tuple[str, ...]]:
    """What an item says, and the files that it is about; None when it is gone."""
    number = number_of(name)
    if number is None:
        texts = (db.execute(sql, (name,)).fetchone() for sql in _BY_NAME)
        return next((row[0] for row in texts if row is not None), None), ()
    row = db.execute("select title, text, kind from passage_texts where id = ?", (number,)).fetchone()
    if row is None:
        return None, ()
    title, text, kind = row
    ref = number >> KIND_BITS
    files: list[str] = []
    if kind == "tool":
        files = _files(db, ref)
    elif kind == "doc":
        sql = "select d.path from chunks c join documents d on d.id = c.doc_id where c.id = ?"
        files = [path for (path,) in db.execute(sql, (ref,))]
    return f"{title}\n{text or ''}" if title else text or "", tuple(files)


def _files(db: sqlite3.Connection, tool_use: int) -> list[str]:
    rows = db.execute(
        f"""
        select {_FILE_PATH} from tool_uses t where t.id = ?1
        union
        select file_path from file_edits where tool_use_id = ?1
        """,
        (tool_use,),
    )
    return sorted(path for (path,) in rows if path)


class _Common:
    """Whether many sessions and documents have a name or a phrase: then the agent would know it anyway."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._known: dict[str, bool] = {}
        (sessions,) = db.execute("select count(*) from sessions where parent_session is null").fetchone()
        self._many = max(_MANY, int(sessions * _MANY_SHARE))

    def __call__(self, name: str) -> bool:
        found = self._known.get(name)
        if found is None:
            clause = phrase(name)
            found = self._known[name] = clause is not None and self._count(clause.match) > self._many
        return found

    def _count(self, match: str) -> int:
        """In how many of them it is, as far as that matters."""
        (count,) = self._db.execute(
            """
            select count(*) from (
                select distinct coalesce(s.parent_session, p.session_id, p.doc_id)
                from passages_fts f
                join passages p on p.id = f.rowid
                left join sessions s on s.id = p.session_id
                where f.passages_fts match ?
                limit ?)
            """,
            (match, self._many + 1),
        ).fetchone()
        return int(count)


# --- what came of it ---------------------------------------------------------------------------------------

# An input that was cut, or is no JSON, names no file.
_FILE_PATH = """
    case when json_valid(t.input_json) and json_type(t.input_json) = 'object' then cast(coalesce(
        json_extract(t.input_json, '$.file_path'), json_extract(t.input_json, '$.notebook_path')) as text) end
"""
_FAMILY = """
    with recursive family(id) as (
        values (:session)
        union
        select s.id from sessions s join family f on s.parent_session = f.id
    )
"""


def _said(db: sqlite3.Connection, session: str) -> list[LaterText]:
    room = _MOST_CHARS
    found = []
    for one in _everything(db, session):
        room -= len(one.text)
        if room < 0:
            break
        found.append(one)
    return found


def _everything(db: sqlite3.Connection, session: str) -> Iterator[LaterText]:
    """Prompts, then calls, then answers, each in order: should the session be too long, its last answers go first."""
    asked = {"session": session, "chars": _TEXT_CHARS}
    prompts = db.execute(
        f"""
        {_FAMILY}
        select p.id, p.timestamp, substr(p.text, 1, :chars) from prompts p
        where p.session_id in family order by p.timestamp, p.id
        """,
        asked,
    )
    for row, at, text in prompts:
        yield LaterText(at, text, False, (), ("prompt", row))
    calls = db.execute(
        f"""
        {_FAMILY}
        select t.id, coalesce(t.timestamp, 0), t.tool_name, t.input_json, coalesce(t.error, t.output), {_FILE_PATH}
        from tool_uses t where t.session_id in family order by t.timestamp, t.id
        """,
        asked,
    )
    for row, at, name, given, returned, path in calls:
        text = tool_text(name, given, None, None)[:_TEXT_CHARS]
        yield LaterText(at, text, True, (path,) if path else (), ("tool", row))
        if returned:
            yield LaterText(at, returned[:_TEXT_CHARS], False)
    answers = db.execute(
        f"""
        {_FAMILY}
        select r.id, coalesce(r.timestamp, 0), substr(r.text, 1, :chars) from responses r
        where r.session_id in family and r.text <> '' order by r.timestamp, r.id
        """,
        asked,
    )
    for row, at, text in answers:
        yield LaterText(at, text, True, (), ("response", row))
