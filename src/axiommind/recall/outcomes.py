"""Outcomes: what earlier sessions have to say to a prompt, in pieces that can be read by themselves, best first.

Not what was asked then, but what came of it: the agent's answers in the sessions that are meant, and what was learned
from them. A piece counts by the words it shares with the prompt, by the prompt it answered, by its session, by how
recent that is among the project's sessions, and by what it is: a finding, or only what was going to be done. The
weights are what bench/judge.py fitted on labelled prompts; docs/benchmarks.md has the figures. Reads only.
"""

from __future__ import annotations

import re
import sqlite3
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import log
from typing import NamedTuple

from axiommind.recall.pieces import Piece, pieces_of
from axiommind.search import rank
from axiommind.search.evidence import Evidence, is_repetition
from axiommind.search.relevance import rarity
from axiommind.text.patterns import lazy
from axiommind.text.stop_words import STOP_WORDS
from axiommind.text.tokens import fts_text

__all__ = ["WEIGHTS", "PieceOutcome", "PieceSigns", "PromptWords", "outcomes", "worth"]

SESSIONS = 6  # that are meant, and
LATEST = 2  # that are the newest, whatever their words
OF_A_SESSION = 24  # answers that are read
CLOSINGS = 12  # of them, the last ones that ended a turn
_LISTED = 400  # sessions of a project by which recency is counted
_REMARK = 300  # characters of a prompt that rejects an answer; a longer one says more than that
# What an entry has to be to be an outcome: neither a plan, which tells how it was before, nor an order of that day.
_OUTCOME = "rule <> 'plans' and kind <> 'open' and (kind <> 'preference' or stage in ('verified', 'certified'))"
# What was asked for, and taken for a choice by the way in which it was said; "we decided" is another rule.
_ORDERED = "rule in ('said-choice', 'said-beside') and stage = 'candidate'"
_TERM = 3.5  # what a word that was not asked for is worth, about
_BLANK = 5.0
_REPEATED = 0.75  # of the words of a wish, in the prompt: it says nothing that the prompt does not
_PLAN = lazy(
    r"\b(?:let me|let[’']s|i[’']ll|i will|i need to|i should|i[’']m going to"
    r"|i[’']m (?:now |also |just |still )?(?!seeing|getting)[a-z]+ing)\b|^(?:now|next|first)\b"
    r"|겠습니다|할게요|볼게요|해보|ましょう|みます|(?:し|行い|進め|試し)ます[。.:]?$|让我|我(?:来|将|会|先|要)|接下来",
    re.IGNORECASE,
)


class PieceSigns(NamedTuple):
    """What speaks for a piece."""

    own: float  # share of the prompt, by worth, that is in it
    dense: float  # share of it that the prompt asks for
    turn: float  # share of the prompt that was in the prompt which it answers
    whole: float  # share of the prompt that its answer holds
    first: float  # its session is the one that is meant most
    second: float
    share: float  # its session's worth, as a share of the best
    ago: float  # how many sessions came after its session, as a logarithm
    latest: float  # none did
    late: float  # how far into its session it was said
    closing: float  # it ended a turn
    plan: float  # it says what was going to be done
    leads_on: float  # it ends in a colon
    length: float  # as a logarithm
    opens: float  # it begins its answer
    headed: float
    code: float  # it names something
    entry: float  # it was learned from the session


# Natural logarithms of odds.
WEIGHTS = PieceSigns(
    own=2.5, dense=10.41, turn=1.99, whole=-0.86, first=0.83, second=0.83, share=0.36, ago=-0.46, latest=0.71,
    late=1.17, closing=-0.32, plan=-0.4, leads_on=-0.79, length=1.41, opens=0.31, headed=0.28, code=0.52, entry=-0.84,
)  # fmt: skip


class PieceOutcome(NamedTuple):
    """A piece of an answer, or an entry."""

    passage: rank.Passage
    piece: Piece
    signs: PieceSigns
    worth: float


def worth(signs: PieceSigns) -> float:
    return sum(weight * sign for weight, sign in zip(WEIGHTS, signs, strict=True))


def outcomes(
    db: sqlite3.Connection, found: Evidence, project: str | None, without: frozenset[str] = frozenset()
) -> list[PieceOutcome]:
    """The pieces of the sessions that are meant, and of the newest ones, best first; none of those `without`."""
    ago = {session: since for session, since in _ago(db, project).items() if session not in without}
    question = PromptWords(found)
    places = _Places(db, found, question, ago)
    read: list[PieceOutcome] = []
    refuted = places.refuted(db)
    for passage, text in _texts(db, places.answers, question):
        if passage.id in refuted:
            continue
        terms = question.terms(text)
        if question.is_repeated(terms):  # `evidence` leaves those out that were found; how a session ended was not
            continue
        title = places.of(passage)._replace(whole=question.held(terms)[0] / question.whole)
        for piece in pieces_of(text) if passage.kind != "insight" else [Piece("", " ".join(text.split()), 0)]:
            signs = _signs(title, piece, question, passage.kind)
            read.append(PieceOutcome(passage, piece, signs, worth(signs)))
    read.sort(key=lambda one: (-one.worth, one.passage.id, one.piece.number))
    return read


def _signs(at: PieceSigns, piece: Piece, question: PromptWords, kind: str) -> PieceSigns:
    terms = question.terms(piece.said)
    held, matched = question.held(terms)
    return at._replace(
        own=held / question.whole,
        dense=held / (held + _TERM * max(len(terms) - matched, 0) + _BLANK),
        plan=float(_PLAN.search(piece.text) is not None),
        leads_on=float(piece.text.endswith((":", "："))),
        length=log(20 + len(piece.text)) - 5.0,
        opens=float(piece.number == 0),
        headed=float(bool(piece.heading)),
        code=float("`" in piece.text),
        entry=float(kind == "insight"),
    )


class PromptWords:
    """The prompt's words, to be found in texts, by what they tell in absolute terms."""

    def __init__(self, found: Evidence) -> None:
        self._told = [(one.clause.terms, rarity(found.asked.stats.passages, one)) for one in found.asked.weighed]
        known = [worth for _, worth in self._told]
        self.whole = (sum(known) + len(found.asked.unknown) * max(known, default=1.0)) or 1.0

    @staticmethod
    def terms(text: str) -> set[str]:
        return set(fts_text(text).split())

    def held(self, terms: set[str]) -> tuple[float, int]:
        """What some terms hold of the prompt, and how many of them that are."""
        total, matched = 0.0, set[str]()
        for wanted, worth in self._told:
            if terms.issuperset(wanted):
                total += worth
                matched.update(wanted)
        return total, len(matched)

    def is_repeated(self, terms: set[str]) -> bool:
        """Whether some terms hold most of a long text that was asked."""
        return is_repetition(len(self._told), sum(terms.issuperset(wanted) for wanted, _ in self._told))

    def repeats(self, text: str) -> bool:
        """Whether a text says nothing but what was asked."""
        terms = self.terms(text) - STOP_WORDS
        return self.held(terms)[1] >= _REPEATED * len(terms)

    def gave(self, one: rank.Scored) -> float:
        """What a passage that was found holds of the prompt."""
        return sum(worth for (_, worth), gave in zip(self._told, one.words, strict=True) if gave)


class _Places:
    """Which answers are read, and what is known of each before it is."""

    def __init__(self, db: sqlite3.Connection, found: Evidence, question: PromptWords, ago: dict[str, int]) -> None:
        groups = [group for group in found.groups if group.best[0].passage.doc_id is None]
        self.rank = {group.key: place for place, group in enumerate(groups)}
        self.share = {group.key: group.score / (groups[0].score or 1.0) for group in groups}
        self.ago = ago
        newest = sorted(ago, key=ago.__getitem__)[:LATEST]
        self.sessions = list(dict.fromkeys([*(group.key for group in groups[:SESSIONS]), *newest]))
        wanted = set(self.sessions)
        held = {
            one.passage.id: question.gave(one) / question.whole for one in found.scored if one.passage.group in wanted
        }
        self.turns = _turns(db, self.sessions)
        self.prompts = {one.passage.ref: held[one.passage.id] for one in found.scored
                        if one.passage.kind == "prompt" and one.passage.id in held}  # fmt: skip
        self.answers = self._chosen(found, held)

    def _chosen(self, found: Evidence, held: dict[int, float]) -> list[rank.Passage]:
        """Of each session the answers with the prompt's words, those that closed a turn which was asked in them, and
        how it ended."""
        chosen: dict[str, dict[int, rank.Passage]] = {session: {} for session in self.sessions}
        for one in found.scored:
            if one.passage.id in held and one.passage.kind in ("response", "insight"):
                chosen[one.passage.group][one.passage.id] = one.passage
        for session, turns in self.turns.items():
            mine = chosen.get(session, {})
            asked = sorted((turn for turn in turns.closings if turn in self.prompts), key=lambda t: -self.prompts[t])
            ends = [turns.closings[turn] for turn in asked[:4]] + turns.last(CLOSINGS)
            for passage in ends:
                mine.setdefault(passage.id, passage)
        return [p for mine in chosen.values() for p in list(mine.values())[:OF_A_SESSION]]

    def refuted(self, db: sqlite3.Connection) -> set[int]:
        """The answers that the person rejected with the next prompt ("no, that is wrong")."""
        from axiommind.text.requests.prompt_kinds import kind_of

        after: dict[int, list[int]] = {}
        for passage in self.answers:
            turns = self.turns.get(passage.group)
            if turns is not None and passage.kind == "response" and turns.closes(passage.ref):
                after.setdefault(turns.next.get(turns.prompt_of(passage.ref), 0), []).append(passage.id)
        rows = db.execute(
            f"select id, text from prompts where length(text) <= {_REMARK} and id in ({', '.join(map(str, after))})"
        )
        return {passage for row, text in rows if kind_of(text) == "correction" for passage in after[row]}

    def of(self, passage: rank.Passage) -> PieceSigns:
        session = passage.group
        turns = self.turns.get(session)
        place = self.rank.get(session, 99)
        since = self.ago.get(session, len(self.ago))
        return PieceSigns(
            own=0.0,
            dense=0.0,
            turn=self.prompts.get(turns.prompt_of(passage.ref), 0.0) if turns and passage.kind == "response" else 0.0,
            whole=0.0,
            first=float(place == 0),
            second=float(place == 1),
            share=self.share.get(session, 0.0),
            ago=log(1 + since),
            latest=float(since == 0),
            late=turns.late(passage.ref) if turns and passage.kind == "response" else 0.8,
            closing=float(turns is not None and turns.closes(passage.ref)),
            plan=0.0,
            leads_on=0.0,
            length=0.0,
            opens=0.0,
            headed=0.0,
            code=0.0,
            entry=0.0,
        )


class _Turns:
    """A session's prompts and answers in their order."""

    def __init__(
        self, session: str, prompts: list[tuple[int, int]], answers: list[tuple[int, int, int | None]]
    ) -> None:
        from axiommind.projections.passages import KIND_BITS, KINDS

        self.prompts = prompts  # (line, id)
        self.number = {ref: number for number, (ref, _, _) in enumerate(answers)}
        self.turn_of: dict[int, int] = {}
        self.next = {prompt: after for (_, prompt), (_, after) in pairwise(prompts)}
        self.closings: dict[int, rank.Passage] = {}
        lines = [line for line, _ in prompts]
        for ref, line, at in answers:
            place = bisect_right(lines, line) - 1
            prompt = prompts[place][1] if place >= 0 else 0
            self.turn_of[ref] = prompt
            number = ref << KIND_BITS | KINDS["response"]
            passage = rank.Passage(number, "response", ref, session, None, at, session, "agent")
            self.closings[prompt] = passage

    def prompt_of(self, ref: int) -> int:
        return self.turn_of.get(ref, 0)

    def closes(self, ref: int) -> bool:
        closing = self.closings.get(self.turn_of.get(ref, 0))
        return closing is not None and closing.ref == ref

    def late(self, ref: int) -> float:
        return self.number.get(ref, 0) / max(len(self.number), 1)

    def last(self, count: int) -> list[rank.Passage]:
        return list(self.closings.values())[-count:]


def _turns(db: sqlite3.Connection, sessions: Sequence[str]) -> dict[str, _Turns]:
    marks = ", ".join("?" * len(sessions))
    prompts: dict[str, list[tuple[int, int]]] = {}
    answers: dict[str, list[tuple[int, int, int | None]]] = {}
    for session, line, ref in db.execute(
        f"select session_id, line, id from prompts where session_id in ({marks}) order by line", sessions
    ):
        prompts.setdefault(session, []).append((line, ref))
    rows = db.execute(
        f"""
        select session_id, id, line_start, timestamp
        from responses
        where session_id in ({marks}) and text <> '' and not is_error
        order by line_start
        """,
        sessions,
    )
    for session, ref, line, at in rows:
        answers.setdefault(session, []).append((ref, line, at))
    return {session: _Turns(session, prompts.get(session, []), said) for session, said in answers.items()}


def _ago(db: sqlite3.Connection, project: str | None) -> dict[str, int]:
    """How many sessions of the project came after each; none of subagents."""
    rows = db.execute(
        f"""
        select id
        from sessions
        where project = ? and parent_session is null and prompt_count > 0
        order by coalesce(last_ts, ended_at, 0) desc, id
        limit {_LISTED}
        """,
        (project,),
    )
    return {session: place for place, (session,) in enumerate(rows)}


def _texts(
    db: sqlite3.Connection, passages: Iterable[rank.Passage], question: PromptWords
) -> Iterable[tuple[rank.Passage, str]]:
    wanted = {p.id: p for p in passages}
    answers = ", ".join(str(p.ref) for p in wanted.values() if p.kind == "response")
    entries = ", ".join(str(p.ref) for p in wanted.values() if p.kind == "insight")
    said = dict(db.execute(f"select id, text from responses where id in ({answers})").fetchall())
    rows = db.execute(
        f"""
        select id, rule, title, text, {_ORDERED}, rule like 'said-%'
        from entries
        where status = 'active' and stage <> 'raw' and {_OUTCOME} and id in ({entries})
        """
    )
    learned = {}
    for row, rule, title, text, is_ordered, is_wish in rows:
        claim = _claim(rule, title, text)
        if not (is_ordered and not _holds(title, text)) and not (is_wish and question.repeats(claim)):
            learned[row] = claim
    for passage in wanted.values():
        text = (said if passage.kind == "response" else learned).get(passage.ref)
        if text:
            yield passage, text


def _holds(title: str, text: str) -> bool:
    """Whether what was asked for is a choice that lasts: most is for that day, and the answer says what came of it."""
    from axiommind.text.requests.lasting import says_every_time

    return says_every_time(f"{title} {text}")


def _claim(rule: str, title: str, text: str) -> str:
    """All that an entry says; of a question that was answered, the answer too."""
    from axiommind.extraction.rules import QUESTION, form_of

    if form_of(rule) == QUESTION:
        return f"{title} → {text}"
    return title if len(title) > len(text) else text
