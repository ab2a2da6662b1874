"""Search as one types: hits, and of each what was around it and all of it, with what that costs an agent to read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from axiommind.errors import AxmError
from axiommind.model import PROVENANCES
from axiommind.search.find import Page
from axiommind.search.hits import Hit
from axiommind.sources import resume_command
from axiommind.surfaces.web.site import MenuPlace, page, site_of
from axiommind.text.estimate import estimate_tokens

__all__ = ["PLACE", "ROUTES", "where_of"]

PLACE = MenuPlace(20, "search", "/search", "Search", "/")

_HITS = 20
_AROUND = 3
_KINDS = ("prompt", "response", "tool", "insight", "doc", "pad", "summary")
_SINCE = {"": "any time", "1d": "since yesterday", "7d": "7 days", "30d": "30 days", "90d": "90 days", "365d": "a year"}
_MODES = {"auto": "words, and meaning where it helps", "lexical": "words", "semantic": "meaning", "hybrid": "both"}


class _Found(NamedTuple):
    """A hit, where it leads, and what it costs to be told of it."""

    hit: Hit
    snippet: Markup
    where: str
    tokens: int
    resume: tuple[str, ...] | None
    why: tuple[tuple[str, str], ...]


def search(request: Request) -> Response:
    params = request.query_params
    query = params.get("q", "").strip()
    given = {name: params.get(name, "") for name in ("kind", "provenance", "since", "mode", "group", "file", "agent")}
    found, problem, hint = None, "", ""
    if query:
        try:
            found = _found(request, query, given)
        except AxmError as error:  # what is half typed is no failure of the page
            problem, hint = error.message, error.hint
    hits = [] if found is None else [_with_place(hit, query) for hit in found.hits]
    template = "search_hits.html" if "x-part" in request.headers else "search.html"
    return page(
        request,
        template,
        q=query,
        given=given,
        found=found,
        hits=hits,
        problem=problem,
        hint=hint,
        kinds=_KINDS,
        provenances=PROVENANCES,
        times=_SINCE,
        modes=_MODES,
        next=_next(found, request.query_params),
    )


def around(request: Request) -> Response:
    """Layer 2: what was said before and after a hit."""
    told = site_of(request).memory.recall.timeline([request.path_params["id"]], window=_AROUND)
    tokens = sum(estimate_tokens(item.preview) for item in told)
    return page(request, "search_around.html", told=told, tokens=tokens)


def full(request: Request) -> Response:
    """Layer 3: a hit in full."""
    shown = site_of(request).memory.passages.show(request.path_params["id"], context=0)
    return page(request, "search_full.html", shown=shown, tokens=estimate_tokens(shown.text))


def where_of(hit: Hit, query: str = "") -> str:
    """The page that shows a hit in its place."""
    if hit.entry is not None:
        return f"/memory/{quote(hit.entry.entry_id)}"
    if hit.citation is None:
        return f"/session/{quote(hit.session_id)}" if hit.session_id else "/search"
    line = {"file": hit.citation.path, "line": hit.citation.line_start}
    if hit.citation.path.startswith("axm://"):
        name = hit.citation.path.rpartition("/")[2]
        lines = f"#L{hit.citation.line_start}"
        is_pad = hit.citation.path.startswith("axm://pad/")
        return f"/scratchpads/{quote(name)}{lines}" if is_pad else f"/scratchpads?workflow={quote(name)}"
    if hit.doc_id is not None:
        last = hit.citation.line_end
        return f"/knowledge/{quote(hit.doc_id)}?{urlencode({'line': hit.citation.line_start, 'to': last})}"
    return f"/session/{quote(str(hit.session_id))}?{urlencode(line | ({'found': query} if query else {}))}"


def _found(request: Request, query: str, given: Mapping[str, str]) -> Page:
    site = site_of(request)
    flags: dict[str, Any] = {name: given[name] for name in ("kind", "provenance", "since", "file") if given[name]}
    return site.memory.search(
        query,
        site.scope(request),
        k=_HITS,
        group=given["group"] == "session",
        mode=given["mode"] or "auto",
        cursor=request.query_params.get("cursor") or None,
        **flags,
    )


def _with_place(hit: Hit, query: str) -> _Found:
    resume = None
    if hit.session_id and hit.agent and hit.citation is not None:
        resume = resume_command(hit.agent, hit.session_id, hit.citation.path)
    return _Found(hit, _marked(hit), where_of(hit, query), estimate_tokens(hit.summary), resume, _why(hit.why))


def _marked(hit: Hit) -> Markup:
    """The snippet with the words that were found."""
    shown, last = Markup(), 0
    for start, end in hit.snippet.marks:
        shown += Markup("{}<mark>{}</mark>").format(hit.snippet.text[last:start], hit.snippet.text[start:end])
        last = end
    return shown + hit.snippet.text[last:]


def _why(why: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """What a score is made of, a line each, the words first."""
    rows = []
    for one in why.get("matched", ()):
        rows.append((f"“{one['clause']}”", f"+{one['gave']} (in {one['in_passages']:,} passages)"))
    for name in ("missing", "nowhere"):
        if why.get(name):
            rows.append(("not here" if name == "missing" else "nowhere in the index", ", ".join(why[name])))
    for name, value in why.items():
        if name not in ("matched", "missing", "nowhere") and isinstance(value, int | float) and value:
            rows.append((name.replace("_", " "), f"{value:g}"))
    for name, value in why.get("relevance", {}).items():
        rows.append((f"likely: {name.replace('_', ' ')}", f"{value:g}"))
    return tuple(rows)


def _next(found: Page | None, params: Any) -> str:
    if found is None or not found.next_cursor:
        return ""
    kept: Sequence[tuple[str, str]] = [(name, value) for name, value in params.items() if value and name != "cursor"]
    return f"/search?{urlencode([*kept, ('cursor', found.next_cursor)])}"


ROUTES = [
    Route("/search", search),
    Route("/search/around/{id}", around),
    Route("/search/full/{id}", full),
]
