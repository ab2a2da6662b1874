"""Searching workflows and their pads. Reads only.

A workflow is found by its own words and by those of its pads, one keyword at a time, and gets points for every place
where one stands: 5 in its name, 3 in its description or the title of a pad, 1 in the text of a pad. The places are
FTS5's own postings, so no text is read to count them. A pad is found as anything else is (`find`), one hit a pad.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from axiommind.errors import BadQuery
from axiommind.projections.passages import KIND_BITS, KINDS
from axiommind.projections.scratchpad_rows import PadRow, WorkflowRow, one_pad, one_workflow
from axiommind.search.lexical import prepare
from axiommind.search.snippets import cut
from axiommind.text.edits import clean
from axiommind.text.summary import on_one_line
from axiommind.text.tokens import Clause, keyword_clauses, search_method

if TYPE_CHECKING:
    from axiommind.model import Citation

__all__ = [
    "MatchedPad",
    "PadHit",
    "PadPage",
    "WorkflowHit",
    "WorkflowPage",
    "no_pads",
    "no_workflows",
    "search_pads",
    "search_workflows",
]

MOST_A_PAGE = 20
MOST_PADS = 50
_SNIPPET_CHARS = 150
_QUERY_CHARS = 2_000
# Passages that are looked at to find the best pads: several of them may be of one.
_SCORED = 600
_PAD = KINDS["pad"]
_MOST_SELECTS = 400  # in one statement: SQLite takes 500
_MOST_SIGNS = 96  # as many as there may be keywords
_KIND = (1 << KIND_BITS) - 1
_WORDS = "give a word of a workflow's name or description, or of its scratchpads"


class MatchedPad(NamedTuple):
    pad: PadRow
    score: int
    snippet: str


class WorkflowHit(NamedTuple):
    workflow: WorkflowRow
    score: int
    rank: int  # from 1, over all pages
    matching_scratchpads: tuple[MatchedPad, ...]  # only those that matched, most points first
    score_kind: str = "points"


class WorkflowPage(NamedTuple):
    query: str
    search_method: str
    results: tuple[WorkflowHit, ...]
    page: int
    per_page: int
    total_results: int
    has_more: bool
    message: str


class PadHit(NamedTuple):
    """A pad, and the lines of it that answer best."""

    pad: PadRow
    workflow_name: str
    score: float
    score_kind: str
    snippet: str
    line_start: int
    line_end: int
    citation: Citation


class PadPage(NamedTuple):
    query: str
    search_method: str
    hits: tuple[PadHit, ...]
    total: int
    next_cursor: str | None


# --- workflows -------------------------------------------------------------------------------------------


def search_workflows(
    db: sqlite3.Connection, query: str, *, project_scope: str | None = None, page: int = 1, limit: int = 5
) -> WorkflowPage:
    """Workflows with the most points first, then the latest updated."""
    asked = _checked(query, page, limit)
    keywords = keyword_clauses(asked)
    found: _Places | _Literals
    if keywords:
        method, found = search_method(asked), _Places(db, keywords)
    else:
        method, found = "like", _Literals(db, asked)
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
            pads = _matching(db, flow, [one for one in chunks if one.workflow == number], found)
            results.append(WorkflowHit(row, -score, rank, pads))
    return _page(asked, method, tuple(results), page, limit, len(order))


def no_workflows(query: str, *, page: int = 1, limit: int = 5) -> WorkflowPage:
    """What a home without any finds."""
    asked = _checked(query, page, limit)
    return _page(asked, search_method(asked) if keyword_clauses(asked) else "like", (), page, limit, 0)


def _checked(query: str, page: int, limit: int) -> str:
    if page < 1:
        raise BadQuery(f"there is no page {page}", hint="pages are counted from 1")
    if not 1 <= limit <= MOST_A_PAGE:
        raise BadQuery(f"a page cannot have {limit} workflows", hint=f"give a limit of 1 to {MOST_A_PAGE}")
    return _text(query)


def _text(query: str) -> str:
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
    db: sqlite3.Connection, flow: str, chunks: Sequence[_Chunk], found: _Places | _Literals
) -> tuple[MatchedPad, ...]:
    """The pads of a workflow that have points, most first; shown by the chunk that gave most."""
    scores: dict[int, int] = {}
    best: dict[int, _Chunk] = {}
    for one in chunks:
        if one.pad and one.points:
            scores[one.pad] = scores.get(one.pad, 0) + one.points
            if one.pad not in best or (one.in_text, -one.id) > (best[one.pad].in_text, -best[one.pad].id):
                best[one.pad] = one
    made = db.execute("select ordinal, id, number from pads where workflow_id = ?", (flow,)).fetchall()
    order = sorted((-scores[number], ordinal, pad, number) for ordinal, pad, number in made if number in scores)
    rows = [(one_pad(db, pad), -score, best[number].id) for score, _, pad, number in order]
    return tuple(MatchedPad(row, score, found.snippet(chunk)) for row, score, chunk in rows if row is not None)


class _Chunk(NamedTuple):
    """A chunk of a workflow, and the points it gives: for its title, which counts once a pad, and for its text.
    Workflow and pad are numbers; 0 is no pad, but the workflow's own words."""

    id: int
    workflow: int
    pad: int
    in_title: int
    in_text: int

    @property
    def points(self) -> int:
        return self.in_title + self.in_text


# --- by the places of words ------------------------------------------------------------------------------

_OWNERS = f"pad_owners c on c.id = v.doc >> {KIND_BITS}"
_POINTS = """
    case
        when v.offset >= c.title_terms then iif(c.pad, 1, 3)
        when c.is_first and v.offset + :terms <= c.title_terms then iif(c.pad, 3, 5)
        else 0
    end
"""


class _Places:
    """Where keywords stand, by the postings of their terms."""

    def __init__(self, db: sqlite3.Connection, keywords: Sequence[Clause]) -> None:
        prepare(db)
        self._db = db
        self._keywords = keywords

    def points(self) -> dict[int, int]:
        """Of every workflow that has any."""
        total: dict[int, int] = {}
        for keyword in self._keywords:
            places, values = _places(keyword, f"doc & {_KIND} = {_PAD}")
            sql = f"select c.workflow, sum({_POINTS}) from ({places}) v join {_OWNERS} group by c.workflow"
            for flow, points in self._db.execute(sql, values):
                total[flow] = total.get(flow, 0) + points
        return total

    def chunks(self, flows: Sequence[int]) -> list[_Chunk]:
        """The chunks of these workflows that hold a keyword. Their places are read again: 3 ms for 20,000, where
        keeping apart the pads of all workflows would take 11."""
        marks = ", ".join("?" * len(flows))
        sql = f"select id, workflow, pad, is_first, title_terms from pad_owners where workflow in ({marks})"
        owners = {row[0]: row[1:] for row in self._db.execute(sql, flows)}
        given: dict[int, list[int]] = {}
        docs = ", ".join(str(chunk << KIND_BITS | _PAD) for chunk in owners)  # numbers of ours, not words of a user
        for keyword in self._keywords if owners else ():
            places, values = _places(keyword, f"doc in ({docs})")
            for doc, offset in self._db.execute(places, values):
                chunk = doc >> KIND_BITS
                _, pad, is_first, title_terms = owners[chunk]
                points = given.setdefault(chunk, [0, 0])
                if offset >= title_terms:
                    points[1] += 1 if pad else 3
                elif is_first and offset + len(keyword.terms) <= title_terms:
                    points[0] += 3 if pad else 5
        return [_Chunk(chunk, *owners[chunk][:2], *points) for chunk, points in given.items()]

    def snippet(self, chunk: int) -> str:
        (text,) = self._db.execute("select text from pad_chunks where id = ?", (chunk,)).fetchone()
        return cut(text, self._keywords, _SNIPPET_CHARS).text


def _places(keyword: Clause, condition: str) -> tuple[str, dict[str, str | int]]:
    """The select of where a keyword begins, as doc and offset, and its values. A character alone is found at the
    beginning of a term: each place of it begins one."""
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


# --- literally -------------------------------------------------------------------------------------------

_LITERALLY = """
    select c.id, w.number, coalesce(q.number, 0), c.seq, coalesce(q.title, w.name), c.text
    from pad_chunks c
    join workflows w on w.id = c.workflow_id
    left join pads q on q.id = c.pad_id
    where {condition}
    order by c.id
"""


class _Literals:
    """Where signs stand of which no index is kept (`->`, an emoji): every text is read."""

    def __init__(self, db: sqlite3.Connection, query: str) -> None:
        self._db = db
        self._signs = list(dict.fromkeys(query.casefold().split()))[:_MOST_SIGNS]
        self._found: list[_Chunk] = []

    def points(self) -> dict[int, int]:
        likes = " or ".join(
            f"c.text like :s{n} escape '\\' or coalesce(q.title, w.name) like :s{n} escape '\\'"
            for n in range(len(self._signs))
        )
        values = {f"s{n}": f"%{_escaped(sign)}%" for n, sign in enumerate(self._signs)}
        total: dict[int, int] = {}
        for chunk, flow, pad, seq, title, text in self._db.execute(_LITERALLY.format(condition=likes), values):
            in_title = self._times(title) * (3 if pad else 5) if seq == 0 else 0
            one = _Chunk(chunk, flow, pad, in_title, self._times(text) * (1 if pad else 3))
            self._found.append(one)
            total[flow] = total.get(flow, 0) + one.points
        return total

    def _times(self, text: str) -> int:
        folded = text.casefold()
        return sum(map(folded.count, self._signs))

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


# --- pads ------------------------------------------------------------------------------------------------


def search_pads(
    db: sqlite3.Connection,
    query: str,
    *,
    workflow: str | None = None,
    project_scope: str | None = None,
    limit: int = 20,
    cursor: str | None = None,
    now: int | None = None,
) -> PadPage:
    """The pads that answer best, as of `now` (epoch ms)."""
    from axiommind.search.find import Options, asked_at, connect, find
    from axiommind.search.query import OfPads, Query

    asked = _pads_asked(query, limit)
    connect(db)
    now = asked_at(cursor) or now or time.time_ns() // 1_000_000
    parsed = Query.parse(asked, now=now)
    pads = OfPads(workflow, project_scope)
    parsed = parsed._replace(filters=parsed.filters._replace(pads=pads))
    page = find(db, parsed, Options(k=limit, group=True, cursor=cursor, scored=_SCORED), now)
    hits = []
    for hit in page.hits:
        row = one_pad(db, hit.doc_id or "")
        if row is None or hit.citation is None:
            continue
        where = hit.citation
        hits.append(
            PadHit(
                row,
                hit.title or "",
                hit.score,
                hit.score_kind,
                hit.snippet.text,
                where.line_start,
                where.line_end,
                where,
            )
        )
    return PadPage(asked, page.search_method, tuple(hits), page.total, page.next_cursor)


def no_pads(query: str, *, limit: int = 20) -> PadPage:
    """What a home without any finds."""
    asked = _pads_asked(query, limit)
    return PadPage(asked, search_method(asked) if keyword_clauses(asked) else "like", (), 0, None)


def _pads_asked(query: str, limit: int) -> str:
    if not 1 <= limit <= MOST_PADS:
        raise BadQuery(f"a page cannot have {limit} scratchpads", hint=f"give a limit of 1 to {MOST_PADS}")
    return _text(query)
