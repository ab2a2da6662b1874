"""Searching workflows. Reads only.

A workflow is found by its own words and by those of its scratchpads, one keyword at a time, and gets points for every
place where one occurs: 5 in its name, 3 in its description or the title of a scratchpad, 1 in the text of one. The
places are FTS5's own postings, so no text is read to count them.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from axiommind.errors import BadQuery
from axiommind.projections.passages import KIND_BITS, KINDS
from axiommind.projections.scratchpad_rows import one_scratchpad, one_workflow
from axiommind.scratchpads.values import MatchingScratchpad, WorkflowHit, WorkflowPage
from axiommind.search.lexical import prepare
from axiommind.search.snippets import cut
from axiommind.text.edits import clean
from axiommind.text.patterns import lazy
from axiommind.text.query_terms import Clause, keyword_clauses, search_method
from axiommind.text.summary import on_one_line

__all__ = ["checked_query", "no_workflows", "search_workflows"]

MOST_A_PAGE = 20
_SNIPPET_CHARS = 150
_QUERY_CHARS = 2_000
_SCRATCHPAD = KINDS["pad"]
_MOST_SELECTS = 400  # in one statement: SQLite takes 500
_MOST_SIGNS = 96  # as many as there may be keywords
_KIND = (1 << KIND_BITS) - 1
# A word that is one by its signs: C# is not C++, and neither is C.
_SIGNED = lazy(r"(?<![\w#+])\w+(?:#|\+\+)(?![\w#+])")
_WORDS = "give a word of a workflow's name or description, or of its scratchpads"


def search_workflows(
    db: sqlite3.Connection, query: str, *, project_scope: str | None = None, page: int = 1, limit: int = 5
) -> WorkflowPage:
    """Workflows with the most points first, then the latest updated."""
    asked = _checked(query, page, limit)
    signed = _SIGNED.findall(asked)
    keywords = keyword_clauses(_SIGNED.sub(" ", asked))
    found = _Found(
        _Places(db, keywords) if keywords else None,
        _Literals(db, signed or asked.split()) if signed or not keywords else None,
    )
    method = search_method(asked) if keywords else "like"
    points = found.points()
    rows = db.execute(
        "select number, id, position from workflows where :scope is null or project_scope = :scope",
        {"scope": project_scope},
    )
    order = sorted((-points[number], -position, flow, number) for number, flow, position in rows if points.get(number))
    start = (page - 1) * limit
    shown = order[start : start + limit]
    chunks = found.chunks([number for *_, number in shown])
    results = []
    for rank, (score, _, flow, number) in enumerate(shown, start + 1):
        row = one_workflow(db, flow)
        if row is not None:
            scratchpads = _matching(db, flow, [one for one in chunks if one.workflow == number], found)
            results.append(WorkflowHit(row, -score, rank, scratchpads))
    return _page(asked, method, tuple(results), page, limit, len(order))


def no_workflows(query: str, *, page: int = 1, limit: int = 5) -> WorkflowPage:
    """The page of a home without any."""
    asked = _checked(query, page, limit)
    has_words = keyword_clauses(_SIGNED.sub(" ", asked))
    return _page(asked, search_method(asked) if has_words else "like", (), page, limit, 0)


def _checked(query: str, page: int, limit: int) -> str:
    if page < 1:
        raise BadQuery(f"there is no page {page}", hint="pages are counted from 1")
    if not 1 <= limit <= MOST_A_PAGE:
        raise BadQuery(f"a page cannot have {limit} workflows", hint=f"give a limit of 1 to {MOST_A_PAGE}")
    return checked_query(query)


def checked_query(query: str) -> str:
    """The words to search for, cleaned."""
    asked = clean(query).strip()
    if not asked:
        raise BadQuery("there is nothing to search for", hint=_WORDS)
    if len(asked) > _QUERY_CHARS:
        raise BadQuery(
            f"the query has {len(asked):,} characters", hint=f"{_QUERY_CHARS:,} are the most: name what you look for"
        )
    return asked


def _page(query: str, method: str, results: tuple[WorkflowHit, ...], page: int, limit: int, total: int) -> WorkflowPage:
    pages = -(-total // limit)
    if not total:
        message = "No workflow holds any of these words, nor does a scratchpad of one."
    elif page > pages:
        message = f"There is no page {page}: {_counted(total, 'workflow')} matched, on {_counted(pages, 'page')}."
    else:
        message = f"{_counted(total, 'workflow')} matched; this is page {page} of {pages}."
    return WorkflowPage(query, method, results, page, limit, total, page < pages, message)


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _matching(
    db: sqlite3.Connection, flow: str, chunks: Sequence[_Chunk], found: _Found
) -> tuple[MatchingScratchpad, ...]:
    """The scratchpads of a workflow that have points, most first, each shown by the chunk that gave most."""
    scores: dict[int, int] = {}
    best: dict[int, _Chunk] = {}
    for one in chunks:
        if one.scratchpad and one.points:
            scores[one.scratchpad] = scores.get(one.scratchpad, 0) + one.points
            if one.scratchpad not in best or (one.in_text, -one.id) > (
                best[one.scratchpad].in_text,
                -best[one.scratchpad].id,
            ):
                best[one.scratchpad] = one
    made = db.execute("select ordinal, id, number from pads where workflow_id = ?", (flow,)).fetchall()
    order = sorted(
        (-scores[number], ordinal, scratchpad, number) for ordinal, scratchpad, number in made if number in scores
    )
    rows = [(one_scratchpad(db, scratchpad), -score, best[number].id) for score, _, scratchpad, number in order]
    return tuple(MatchingScratchpad(row, score, found.snippet(chunk)) for row, score, chunk in rows if row is not None)


class _Chunk(NamedTuple):
    """A chunk of a workflow, and the points it gives: for its title, which counts once per scratchpad, and its text.
    Workflow and scratchpad are numbers; scratchpad 0 is the workflow's own name and description."""

    id: int
    workflow: int
    scratchpad: int
    in_title: int
    in_text: int

    @property
    def points(self) -> int:
        return self.in_title + self.in_text


class _Found:
    """What words found by their postings, and signs by reading."""

    def __init__(self, words: _Places | None, signs: _Literals | None) -> None:
        self._ways: list[_Places | _Literals] = [way for way in (words, signs) if way is not None]

    def points(self) -> dict[int, int]:
        total: dict[int, int] = {}
        for way in self._ways:
            for flow, points in way.points().items():
                total[flow] = total.get(flow, 0) + points
        return total

    def chunks(self, flows: Sequence[int]) -> list[_Chunk]:
        return [one for way in self._ways for one in way.chunks(flows)]

    def snippet(self, chunk: int) -> str:
        return self._ways[0].snippet(chunk)


# --- by postings ----------------------------------------------------------------------------------------

_OWNERS = f"pad_owners c on c.id = v.doc >> {KIND_BITS}"
_POINTS = """
    case
        when v.offset >= c.title_terms then iif(c.pad, 1, 3)
        when c.is_first and v.offset + :terms <= c.title_terms then iif(c.pad, 3, 5)
        else 0
    end
"""


class _Places:
    """Where keywords occur, by the postings of their terms."""

    def __init__(self, db: sqlite3.Connection, keywords: Sequence[Clause]) -> None:
        prepare(db)
        self._db = db
        self._keywords = keywords

    def points(self) -> dict[int, int]:
        """The points of every workflow that has any."""
        total: dict[int, int] = {}
        for keyword in self._keywords:
            places, values = _places(keyword, f"doc & {_KIND} = {_SCRATCHPAD}")
            sql = f"select c.workflow, sum({_POINTS}) from ({places}) v join {_OWNERS} group by c.workflow"
            for flow, points in self._db.execute(sql, values):
                total[flow] = total.get(flow, 0) + points
        return total

    def chunks(self, flows: Sequence[int]) -> list[_Chunk]:
        """The chunks of these workflows that hold a keyword. Their places are read again: 3 ms for 20,000, where
        counting by scratchpad for all workflows would take 11."""
        marks = ", ".join("?" * len(flows))
        sql = f"select id, workflow, pad, is_first, title_terms from pad_owners where workflow in ({marks})"
        owners = {row[0]: row[1:] for row in self._db.execute(sql, flows)}
        given: dict[int, list[int]] = {}
        docs = ", ".join(str(chunk << KIND_BITS | _SCRATCHPAD) for chunk in owners)  # our numbers, not user input
        for keyword in self._keywords if owners else ():
            places, values = _places(keyword, f"doc in ({docs})")
            for doc, offset in self._db.execute(places, values):
                chunk = doc >> KIND_BITS
                _, scratchpad, is_first, title_terms = owners[chunk]
                points = given.setdefault(chunk, [0, 0])
                if offset >= title_terms:
                    points[1] += 1 if scratchpad else 3
                elif is_first and offset + len(keyword.terms) <= title_terms:
                    points[0] += 3 if scratchpad else 5
        return [_Chunk(chunk, *owners[chunk][:2], *points) for chunk, points in given.items()]

    def snippet(self, chunk: int) -> str:
        (text,) = self._db.execute("select text from pad_chunks where id = ?", (chunk,)).fetchone()
        return cut(text, self._keywords, _SNIPPET_CHARS).text


def _places(keyword: Clause, condition: str) -> tuple[str, dict[str, str | int]]:
    """A select of where a keyword begins, as doc and offset, and its values. A single character matches at the
    beginning of a term."""
    first, *others = keyword.terms
    values: dict[str, str | int] = {"terms": len(keyword.terms), "t0": first}
    source = "from temp.passage_places where term"
    if keyword.prefix:
        values["end"] = first + "\U0010ffff"
        return f"select doc, offset {source} >= :t0 and term < :end and {condition}", values
    if not others:
        return f"select doc, offset {source} = :t0 and {condition}", values
    if len(keyword.terms) <= _MOST_SELECTS:
        each = []
        for n, term in enumerate(keyword.terms):
            values[f"t{n}"] = term
            each.append(f"select doc, offset - {n} as offset {source} = :t{n} and {condition}")
        places = " union all ".join(each)
    else:
        values["each"] = json.dumps(keyword.terms)
        places = f"""
            select doc, offset - key as offset from json_each(:each) cross join temp.passage_places
            where term = value and {condition}
        """
    return f"select doc, offset from ({places}) group by doc, offset having count(*) = :terms", values


# --- by scanning ------------------------------------------------------------------------------------------

_LITERALLY = """
    select c.id, w.number, coalesce(q.number, 0), c.seq, coalesce(q.title, w.name), c.text
    from pad_chunks c
    join workflows w on w.id = c.workflow_id
    left join pads q on q.id = c.pad_id
    where {condition}
    order by c.id
"""


class _Literals:
    """Where signs that are not indexed occur (`->`, an emoji, `C#`): every text is read."""

    def __init__(self, db: sqlite3.Connection, signs: Iterable[str]) -> None:
        self._db = db
        self._signs = list(dict.fromkeys(sign.casefold() for sign in signs))[:_MOST_SIGNS]
        self._found: list[_Chunk] = []

    def points(self) -> dict[int, int]:
        likes = " or ".join(
            f"c.text like :s{n} escape '\\' or coalesce(q.title, w.name) like :s{n} escape '\\'"
            for n in range(len(self._signs))
        )
        values = {f"s{n}": f"%{_escaped(sign)}%" for n, sign in enumerate(self._signs)}
        total: dict[int, int] = {}
        for chunk, flow, scratchpad, seq, title, text in self._db.execute(_LITERALLY.format(condition=likes), values):
            in_title = self._times(title) * (3 if scratchpad else 5) if seq == 0 else 0
            one = _Chunk(chunk, flow, scratchpad, in_title, self._times(text) * (1 if scratchpad else 3))
            self._found.append(one)
            total[flow] = total.get(flow, 0) + one.points
        return total

    def _times(self, text: str) -> int:
        folded = text.casefold()
        signed = _SIGNED.findall(folded)
        return sum(signed.count(one) if _SIGNED.fullmatch(one) else folded.count(one) for one in self._signs)

    def chunks(self, flows: Iterable[int]) -> list[_Chunk]:
        wanted = set(flows)
        return [one for one in self._found if one.workflow in wanted]

    def snippet(self, chunk: int) -> str:
        (text,) = self._db.execute("select text from pad_chunks where id = ?", (chunk,)).fetchone()
        folded = text.casefold()
        first = min((at for at in map(folded.find, self._signs) if at >= 0), default=0)
        start = max(first - _SNIPPET_CHARS // 3, 0)
        shown = on_one_line(text[start : start + _SNIPPET_CHARS - 2])
        return f"{'…' if start else ''}{shown}{'…' if start + _SNIPPET_CHARS - 2 < len(text) else ''}"


def _escaped(sign: str) -> str:
    return sign.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
