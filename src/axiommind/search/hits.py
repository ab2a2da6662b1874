"""Hits: what is shown of a passage or a session, and why it matched."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from axiommind.ids import short_id
from axiommind.model import Citation
from axiommind.search import rank
from axiommind.search.citations import locate
from axiommind.search.rows import Texts
from axiommind.search.snippets import Snippet, cut
from axiommind.text.summary import summary

if TYPE_CHECKING:
    from axiommind.search.relevance import Judged

__all__ = ["Found", "Hit", "grouped", "hits_of", "owner", "score_kind", "single"]


class Learned(NamedTuple):
    """The entry behind a passage: its type, stage and status."""

    entry_id: str
    type: str
    stage: str
    status: str


class Hit(NamedTuple):
    """A passage, or with `passages` a session or document shown by its best one."""

    id: str
    doc_id: str | None
    chunk_id: int | None  # of a document: the row of `chunks` that has the text
    kind: str
    score: float
    score_kind: str
    summary: str
    snippet: Snippet
    session_id: str | None
    project: str | None
    timestamp: int | None
    citation: Citation | None
    heading: str
    title: str | None  # of the session or document
    tool: str | None
    entry: Learned | None
    agent: str | None
    provenance: str  # of PROVENANCES
    same: int  # others that say the same and were folded into this one
    passages: int  # of a session or document, those that matched
    index_version: str  # of the index that it was found in, see `rows.index_version`
    why: dict[str, Any]


# What a score measures, where it is not words alone: a cosine, or both.
_SCORE_KINDS = {"semantic": "cosine", "hybrid": "hybrid"}
Found = tuple[rank.Scored, int, "rank.Group | None"]


def score_kind(method: str, *, is_group: bool, is_calibrated: bool) -> str:
    """What a score says of a hit that was found by this method."""
    if is_group:
        return "session"
    return "calibrated" if is_calibrated else _SCORE_KINDS.get(method, "bm25")


def single(
    scored: Sequence[rank.Scored],
    wanted: int,
    texts: Texts,
    alike: rank.Alike | None = None,
) -> list[Found]:
    return [(one, same, None) for one, same in rank.fold(scored, wanted, lambda passage: texts(passage)[1], alike)]


def grouped(asked: rank.Asked, scored: Sequence[rank.Scored]) -> list[Found]:
    return [(_to_read(group), 0, group) for group in rank.pool(asked, scored)]


def _to_read(group: rank.Group) -> rank.Scored:
    """The passage of a session that tells a reader most, which need not be the best evidence."""
    return max(
        group.best, key=lambda one: (one.score * rank.PASSAGE_WEIGHT[one.passage.kind] / one.kind, -one.passage.id)
    )


def hits_of(
    db: sqlite3.Connection,
    asked: rank.Asked,
    page: Sequence[Found],
    texts: Texts,
    method: str,
    version: str,
    chances: Mapping[int, Judged] | None = None,
) -> tuple[Hit, ...]:
    """The hits of a page; where the chance of its passages is known, that is their score."""
    wanted = [w.clause for w in asked.weighed]
    where = locate(db, [(one.passage.id, one.passage.kind, one.passage.ref) for one, _, _ in page])
    hits = []
    for one, same, group in page:
        passage = one.passage
        heading, text = texts(passage)
        project, title, agent = owner(db, passage)
        worth = group.score if group else one.score
        score = _score(asked, worth, method, group is not None)
        why = _why(asked, one, group)
        if chances is not None:
            judged = chances[passage.id]
            score = round(judged.chance, 6)
            why["relevance"] = {name: round(sign, 4) for name, sign in judged.signs._asdict().items()}
        hits.append(
            Hit(
                id=short_id(passage.id),
                doc_id=passage.doc_id,
                chunk_id=passage.ref if passage.kind == "doc" else None,
                kind=passage.kind,
                score=score,
                score_kind=score_kind(method, is_group=group is not None, is_calibrated=chances is not None),
                summary=summary(text),
                snippet=cut(text, wanted),
                session_id=passage.group if group and passage.session_id else passage.session_id,
                project=project,
                timestamp=passage.timestamp,
                citation=where.get(passage.id),
                heading=heading,
                title=title,
                tool=_tool(db, passage),
                entry=_entry(db, passage),
                agent=agent,
                provenance=passage.provenance,
                same=same,
                passages=len(group.best) if group else 1,
                index_version=version,
                why=why,
            )
        )
    return tuple(hits)


def _score(asked: rank.Asked, worth: float, method: str, is_group: bool) -> float:
    """A worth as a score: a cosine as it is, words and meaning as the chance that the hit is right. By words alone, no
    more than the share of the question that some passage holds: a rare word of many says little."""
    if method == "semantic":
        return round(worth, 6)
    if method == "hybrid":
        from axiommind.search.calibrate import chance

        return round(chance(worth, asked, is_group=is_group), 6)
    share = 1.0 if asked.found is None else asked.found
    return round(share * worth / (1 + abs(worth)), 6)


def _tool(db: sqlite3.Connection, passage: rank.Passage) -> str | None:
    if passage.kind != "tool":
        return None
    row = db.execute("select classified_name from tool_uses where id = ?", (passage.ref,)).fetchone()
    return str(row[0]) if row else None


def _entry(db: sqlite3.Connection, passage: rank.Passage) -> Learned | None:
    if passage.kind != "insight":
        return None
    row = db.execute("select entry_id, entry_type, stage, status from entries where id = ?", (passage.ref,)).fetchone()
    return Learned(*row) if row else None


def owner(db: sqlite3.Connection, passage: rank.Passage) -> tuple[str | None, str | None, str | None]:
    """The project of a passage, and the title and agent of its session or document."""
    if passage.kind == "pad":
        row = db.execute(
            """
            select nullif(w.project, ''), w.name, null from pad_chunks c join workflows w on w.id = c.workflow_id
            where c.id = ?
            """,
            (passage.ref,),
        ).fetchone()
    elif passage.doc_id is not None:
        row = db.execute("select project, title, null from documents where id = ?", (passage.doc_id,)).fetchone()
    else:
        # The session that a person would open, or where that is not in the index the subagent's own.
        row = db.execute(
            "select project, title, agent from sessions where id in (:group, :own) order by id = :group desc",
            {"group": passage.group, "own": passage.session_id},
        ).fetchone()
    return row or (None, None, None)


def _why(asked: rank.Asked, one: rank.Scored, group: rank.Group | None) -> dict[str, Any]:
    """Which clauses matched where, and what each part of the score gave."""
    matched = [
        {
            "clause": " ".join(w.clause.terms) + ("*" if w.clause.prefix else ""),
            "in_passages": w.passages,
            "worth": round(w.worth, 3),
            "gave": round(gave, 3),
        }
        for w, gave in zip(asked.weighed, one.words, strict=True)
        if gave
    ]
    why: dict[str, Any] = {
        "matched": matched,
        "nowhere": [" ".join(clause.terms) for clause in asked.unknown],
        "missing": [" ".join(w.clause.terms) for w, gave in zip(asked.weighed, one.words, strict=True) if not gave],
        "words": round(sum(one.words), 3),
        "near": round(one.near, 3),
        "kind_weight": one.kind,
        "date": round(one.date, 3),
        "recency": round(one.recency, 4),
        "passage": round(one.score, 3),
    }
    if one.similarity is not None:
        why |= {"similarity": round(one.similarity, 4), "meaning": round(one.meaning, 3)}
    if asked.found is not None:
        why |= {"question": round(asked.whole, 3), "found": round(asked.found, 4)}
    if group:
        why |= {
            "passages": [round(s.score, 3) for s in group.best[: rank.POOLED]],
            "covered": round(group.covered, 3),
            "session_date": round(group.date, 3),
            **({"session_meaning": round(group.meaning, 3)} if group.meaning else {}),
            "session": round(group.score, 3),
        }
    return why
