"""Answers: what an agent is given of its project for a prompt, or nothing.

The way through: what the prompt's words found (`search.evidence`), the pieces of earlier sessions that may answer it
(`outcomes`), whether to say anything at all (`judgement`), and of each passage its pieces as one excerpt. Reads only.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from math import exp
from typing import TYPE_CHECKING

from axiommind.ids import short_id
from axiommind.recall.disclosure import IndexItem
from axiommind.recall.permission import allowed, weighed
from axiommind.recall.request import IndexRequest, Selection

if TYPE_CHECKING:
    from axiommind.recall.outcomes import PieceOutcome
    from axiommind.search.hits import Learned
    from axiommind.search.lexical import KnownWords

__all__ = ["answers"]

# Passages of one answer, pieces of one passage, and passages of one session.
_MOST = 8
_PIECES = 3
_OF_A_SESSION = 4
# A piece so much less likely than the best one, in natural logarithms of odds, is not given beside it.
_BEHIND = 3.2
# What a passage's nearness in meaning is worth to its pieces, in the same unit for a cosine of 1; of so many passages.
# Of the 56 labelled prompts that have an answer 25 got it without this, 27 with 4, 8 and 12.
_NEAR = 8.0
_NEAR_PASSAGES = 60
# A piece that is shorter and has nothing to do with the prompt's words says nothing to it.
_ALONE = 80
# The share of a piece's words in another one that says as much, and from how many words on; shorter ones are often the
# same but for the one word that matters.
_SAME = 0.8
_ALIKE = 12
# How fast the relevance of a passage falls behind that of the best one.
_FALL = 4.0


def answers(db: sqlite3.Connection, request: IndexRequest, known: dict[str, KnownWords]) -> Selection:
    """What answers a prompt, best first; its `best` is the chance that any of it helps, given or not."""
    from axiommind.recall.judgement import likelihood
    from axiommind.recall.outcomes import outcomes
    from axiommind.search.evidence import evidence
    from axiommind.search.lexical import FOLLOWING_FOR_A_CHANCE, KnownWords

    without = frozenset((request.not_session,)) if request.not_session is not None else frozenset()
    query = request.query
    words = known.setdefault(query.text, KnownWords(FOLLOWING_FOR_A_CHANCE))
    found = evidence(db, query, request.now, without, words)
    if found is None:
        return Selection()
    read = outcomes(db, found, query.filters.project, without)
    best = likelihood(query.text, found, read) if read else None
    if best is None or best < request.min_score:
        return Selection((), best, found.method)
    nearer = _by_meaning(db, query.text, read)
    items = weighed(db, request, _items(db, nearer or read, best, query.filters.project))
    method = "hybrid" if nearer else found.method
    if items and items[0].score < request.min_score:  # its kind is seldom used
        return Selection((), items[0].score, method)
    left = allowed(db, request, items)
    if request.skip and left and left[0].score < request.min_score:  # this session was told what is likely
        return Selection((), best, method)
    return Selection(tuple(_quoting(item) for item in left[: min(_MOST, request.top_k)]), best, method)


def _quoting(item: IndexItem) -> IndexItem:
    """What took the place of a claim that was superseded says it in its line."""
    return item if item.excerpt else item._replace(excerpt=item.summary)


def _by_meaning(db: sqlite3.Connection, question: str, read: Sequence[PieceOutcome]) -> list[PieceOutcome] | None:
    """The same pieces, those of passages that are near to the question before others; None where words have to do.
    Whether to speak was decided by words: some passage is always the nearest."""
    from axiommind.search.likeness import likeness

    looked_at = list(dict.fromkeys(one.passage.id for one in read))[:_NEAR_PASSAGES]
    near = likeness(db, question, looked_at)
    if not near:
        return None
    usual = sum(near.values()) / len(near)
    told = [one._replace(worth=one.worth + _NEAR * (near.get(one.passage.id, usual) - usual)) for one in read]
    return sorted(told, key=lambda one: (-one.worth, one.passage.id, one.piece.number))


def _items(db: sqlite3.Connection, read: Sequence[PieceOutcome], best: float, project: str | None) -> list[IndexItem]:
    """The passages of the best pieces, each with its pieces in their order."""
    from axiommind.search.citations import locate
    from axiommind.text.summary import preview

    chosen: dict[int, list[PieceOutcome]] = {}
    of_session: dict[str, int] = {}
    told = _Told()
    for one in read:
        if one.worth < read[0].worth - _BEHIND:
            break
        mine = chosen.get(one.passage.id, [])
        if not mine and (len(chosen) == 2 * _MOST or of_session.get(one.passage.group, 0) == _OF_A_SESSION):
            continue
        if len(mine) == _PIECES or _says_nothing(one) or told.says(one):
            continue
        if not mine:
            chosen[one.passage.id] = mine
            of_session[one.passage.group] = of_session.get(one.passage.group, 0) + 1
        mine.append(one)
    first = [pieces[0] for pieces in chosen.values()]
    where = locate(db, [(one.passage.id, one.passage.kind, one.passage.ref) for one in first])
    learned = _learned(db, [one.passage.ref for one in first if one.passage.kind == "insight"])
    items = []
    for one in first:
        excerpt = _excerpt(chosen[one.passage.id])
        items.append(
            IndexItem(
                short_id(one.passage.id),
                preview(excerpt, 100),
                round(best * exp((one.worth - read[0].worth) / _FALL), 4),
                one.passage.kind,
                one.passage.timestamp,
                one.passage.session_id,
                where.get(one.passage.id),
                project,
                learned.get(one.passage.ref) if one.passage.kind == "insight" else None,
                excerpt=excerpt,
                provenance=one.passage.provenance,
            )
        )
    return items


def _says_nothing(one: PieceOutcome) -> bool:
    """Whether a piece is short and has nothing to do with the prompt, or only leads on to what was going to be done
    ("Now update the table:")."""
    is_beside = not one.signs.own and not one.signs.turn and len(one.piece.text) < _ALONE
    return is_beside or bool(one.signs.plan and one.signs.leads_on)


class _Told:
    """What was chosen: a list that one session after the other prints is told once, as the best of them says it."""

    def __init__(self) -> None:
        self._terms: list[tuple[int, set[str]]] = []

    def says(self, one: PieceOutcome) -> bool:
        """Whether another passage says it, or as good as; if not, it is told now."""
        from axiommind.text.tokens import fts_text

        terms = set(fts_text(one.piece.text).split())
        enough = len(terms) * (_SAME if len(terms) >= _ALIKE else 1.0)
        if any(of != one.passage.id and len(terms & said) >= enough for of, said in self._terms):
            return True
        self._terms.append((one.passage.id, terms))
        return False


def _excerpt(pieces: Sequence[PieceOutcome]) -> str:
    """Pieces of one passage in their order; what was left out between them is marked."""
    text, heading, last = "", "", -1
    for one in sorted(pieces, key=lambda one: one.piece.number):
        said = one.piece.said if one.piece.heading != heading else one.piece.text
        gap = "" if last < 0 else " " if one.piece.number == last + 1 else " … "
        text, heading, last = f"{text}{gap}{said}", one.piece.heading, one.piece.number
    return text


def _learned(db: sqlite3.Connection, rows: Sequence[int]) -> dict[int, Learned]:
    from axiommind.search.hits import Learned

    places = ", ".join(map(str, rows))
    found = db.execute(f"select id, entry_id, entry_type, stage, status from entries where id in ({places})")
    return {row: Learned(entry, kind, stage, status) for row, entry, kind, stage, status in found}
