"""Grounding, read from the index: which items hooks gave, what they say, and what was said and done afterwards.

Only sessions that were given something are read, each with its subagents, and of each so many characters at most.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from axiommind.db import has_table
from axiommind.grounding.controls import controls_for
from axiommind.grounding.judge import JudgedItem, LaterText, SuppliedAnswer, SuppliedItem, judge
from axiommind.grounding.session_texts import FILE_PATH, said_in
from axiommind.grounding.tallies import Tally, tally
from axiommind.grounding.usefulness import weights
from axiommind.ids import number_of
from axiommind.model import Citation
from axiommind.projections.item_kinds import item_kinds
from axiommind.projections.passages import KIND_BITS, KINDS
from axiommind.projections.transcript import Blob
from axiommind.search.citations import locate
from axiommind.text.query_terms import phrase

__all__ = ["GivenItem", "Grounding", "SessionJudge", "ground", "items_of", "served_sessions"]

_PROMPT_HOOK = "UserPromptSubmit"
# The prompt that was answered first may be written a moment before its hook was asked.
_SLACK_MS = 5_000
# What more sessions than this have, and more than this share of them, is common.
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
    verdict: str | None = None  # no or yes: what a person said of it


class Grounding(NamedTuple):
    total: Tally
    tallies: tuple[Tally, ...]  # each hook, and after it each of its kinds
    prompts: int  # since the first answer
    answered: int
    given: tuple[GivenItem, ...]
    weights: Mapping[tuple[str, str], float] = {}  # of (hook, kind), where it is not 1: how recall weighs them

    @property
    def silent(self) -> int:
        return self.prompts - self.answered


def served_sessions(db: sqlite3.Connection) -> set[str]:
    return {row[0] for row in db.execute("select distinct session_id from served")}


def ground(
    db: sqlite3.Connection,
    blob: Blob,
    project: str | None,
    *,
    since: int | None = None,
    session: str | None = None,
    is_replay: bool = False,
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
        given.setdefault(answer.session_id, []).append((answer, items_of(db, answer.id)))
    judge_session = SessionJudge(db, blob, is_replay=is_replay)
    is_said = has_table(db, "feedback")
    judged: list[JudgedItem] = []
    controls: list[JudgedItem] = []
    for name, answers in given.items():
        those, others = judge_session(name, answers)
        judged += [one._replace(verdict=_verdict(db, one)) for one in those] if is_said else those
        controls += others
    total, *tallies = tally(judged, controls)
    first = min((one.answer.at for one in judged), default=None)
    answered = sum(a.hook == _PROMPT_HOOK for answers in given.values() for a, _ in answers)
    prompts = 0 if first is None else _prompts(db, {**asked, "first": first - _SLACK_MS})
    return Grounding(
        total,
        tuple(tallies),
        max(prompts, answered),  # a session that is not indexed yet has its answers before its prompts
        answered,
        tuple(_given(db, one) for one in sorted(judged, key=lambda one: (one.answer.at, one.answer.id))),
        {
            (hook, kind): weight
            for hook in sorted({one.answer.hook for one in judged})
            for kind, weight in weights(db, hook, project).items()
        },
    )


class SessionJudge:
    """Judges what sessions were given, and beside it controls. In a replay nobody was given anything, and whatever an
    agent came to afterwards counts, by reading too (`is_replay`): that is what a memory would have saved it."""

    def __init__(self, db: sqlite3.Connection, blob: Blob, *, is_replay: bool = False) -> None:
        self._db = db
        self._blob = blob
        self._is_replay = is_replay
        self._is_common = _Common(db)

    def __call__(
        self, session: str, answers: Sequence[tuple[SuppliedAnswer, Sequence[SuppliedItem]]]
    ) -> tuple[list[JudgedItem], list[JudgedItem]]:
        """What a session was given, and the controls."""
        if self._is_replay:
            said = said_in(self._db, self._blob, session)
            return [one for each in answers for one in judge([each], _told_by(said, each[0].at), self._is_common)], []
        given = {item.id for _, items in answers for item in items}
        controls = [(answer, self._controls(answer, items, given)) for answer, items in answers]
        said = said_in(self._db, self._blob, session)
        return judge(answers, said, self._is_common), judge(controls, said, self._is_common)

    def _controls(
        self, answer: SuppliedAnswer, items: Sequence[SuppliedItem], given: set[str]
    ) -> Sequence[SuppliedItem]:
        found: dict[str, SuppliedItem] = {}
        for item in items:
            if item.text is not None:
                for name in controls_for(self._db, item.id, answer.session_id, answer.at, given):
                    found.setdefault(name, SuppliedItem(name, item.kind, None, *_told(self._db, name)))
        return list(found.values())


def _told_by(said: Sequence[LaterText], at: int) -> list[LaterText]:
    """A session without what tools returned after a time."""
    return [one for one in said if one.by_agent or one.ref is not None or one.at <= at]


def _verdict(db: sqlite3.Connection, one: JudgedItem) -> str | None:
    """What a person said of an item, as that session was given it."""
    row = db.execute(_SAID, (one.item.id, one.answer.hook, one.answer.session_id)).fetchone()
    return None if row is None or row[0] == "clear" else str(row[0])


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
        one.verdict,
    )


# --- what was given ----------------------------------------------------------------------------------------

# Said of one thing, at such a moment, in that session; what was taken back altogether is taken back here too.
_SAID = """
    select verdict
    from feedback
    where name = ?1
      and (hook = '' or (hook = ?2 and session_id = ?3))
      and said_in = ''
    order by at desc
    limit 1
"""
_BY_NAME = (
    "select title || char(10) || text from entries where entry_id = ?",
    "select title from entities where entity_id = ?",
    "select action || char(10) || outcome_json from decisions where decision_id = ?",
)


def items_of(db: sqlite3.Connection, answer: int) -> list[SuppliedItem]:
    """What an answer gave, each by the kind of thing that it is."""
    rows = db.execute(
        "select item_id, kind, score from served_items where served_id = ? order by score desc, item_id", (answer,)
    )
    given = rows.fetchall()
    kinds = item_kinds(db, {name: kind for name, kind, _ in given})
    return [SuppliedItem(name, kinds[name], score, *_told(db, name)) for name, _, score in given]


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
        select {FILE_PATH} from tool_uses t where t.id = ?1
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
