"""A session as a conversation. The whole of it is an outline; texts come in stretches, as one scrolls to them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from axiommind.errors import NotFound, UsageError
from axiommind.home import Scope, now
from axiommind.model import Citation
from axiommind.reports import perspectives
from axiommind.search.reading.conversation import Outline, Said, ToolCalled
from axiommind.search.reading.session_margin import MarginEntry, SessionMargin
from axiommind.sources import resume_command
from axiommind.surfaces.render.session_page import as_html, as_markdown
from axiommind.surfaces.web import prose
from axiommind.surfaces.web.pages.home import HOOKS
from axiommind.surfaces.web.site import Form, action, page, site_of

__all__ = ["ROUTES", "STRETCH"]

STRETCH = 60  # things of a session that are fetched at once
# One letter a thing, for the minimap: prompt, answer, tool, compaction, summary, command.
_LETTERS = "patcsm"
_LINE_CHARS = 95
_FORMATS = {"html": ("text/html", as_html), "md": ("text/markdown", as_markdown)}


class _Note(NamedTuple):
    """A claim beside what it rests on, and its exact words there."""

    entry: MarginEntry
    quotes: tuple[str, ...]


class _Item(NamedTuple):
    """One thing of a session as it is shown, with the claims that rest on it and what was given just before it."""

    thing: Said | ToolCalled
    is_tool: bool
    changes: Markup | None
    questions: tuple[tuple[str, tuple[str, ...]], ...]  # to the person: what was asked, and what could be chosen
    notes: tuple[_Note, ...]
    given: tuple[Any, ...]

    @property
    def quotes(self) -> str:
        """For the script that lights them."""
        return json.dumps([[note.entry.entry_id, quote] for note in self.notes for quote in note.quotes])


def session(request: Request) -> Response:
    site = site_of(request)
    memory = site.memory
    of = memory.sessions.outline(request.path_params["id"])
    head = of.head
    if head.session_id != request.path_params["id"]:
        return RedirectResponse(f"/session/{quote(head.session_id)}", 307)
    margin = memory.sessions.margin(head.session_id)
    target = _target(request, of, margin)
    first = (target or 0) // STRETCH * STRETCH
    places = _places(of, margin)
    usage = perspectives.load("usage")
    spent = memory.query(usage, usage.read({"by": "session", "session": head.session_id}, now()), Scope(None))
    return page(
        request,
        "session.html",
        head=head,
        of=of,
        margin=margin,
        claims=_claims(margin, places),
        stretches=_stretches(of),
        first=first,
        items=_items(request, of, margin, first, STRETCH),
        target=target,
        found=request.query_params.get("found", ""),
        outline="".join(_letter(one) for one in of.lines),
        marks=json.dumps(sorted({place for place in places.values() if place is not None})),
        resume=None if head.is_missing else resume_command(head.agent, head.session_id, head.file),
        dollars=_sum(row.get("dollars") for row in spent),
        hooks=HOOKS,
        stretch=STRETCH,
    )


def stretch(request: Request) -> Response:
    """Some things of a session, for a page that is there already; or the beginning of a subagent's."""
    site = site_of(request)
    of = site.memory.sessions.outline(request.path_params["id"])
    margin = site.memory.sessions.margin(of.head.session_id)
    first = request.path_params["first"]
    items = _items(request, of, margin, first, STRETCH)
    is_nested = "nested" in request.query_params
    more = len(of.lines) > first + STRETCH if is_nested else False
    return page(request, "session_items.html", items=items, head=of.head, hooks=HOOKS, is_nested=is_nested, more=more)


def call(request: Request) -> Response:
    """All of a tool use."""
    told = site_of(request).memory.sessions.call(request.path_params["number"])
    return page(request, "session_call.html", told=told)


def given(request: Request) -> Response:
    """What was given by this id: an entry, or a passage in its session."""
    memory, name = site_of(request).memory, request.path_params["id"]
    if name.startswith("ent_"):
        return RedirectResponse(f"/memory/{quote(name)}")
    shown = memory.passages.show(memory.recall.passage_id(name) or name, context=0)
    if shown.session_id is None or shown.citation is None:
        return RedirectResponse(f"/search?{urlencode({'q': shown.heading or shown.text[:80]})}")
    line = {"file": shown.citation.path, "line": shown.citation.line_start}
    return RedirectResponse(f"/session/{quote(shown.session_id)}?{urlencode(line)}")


def given_here(request: Request) -> Response:
    """What the agent was given in a session, and what shows that it used it."""
    site = site_of(request)
    told = site.memory.reports.grounding(Scope(None), session=request.path_params["id"])
    return page(request, "session_given.html", told=told.given, session=request.path_params["id"], hooks=HOOKS)


def export(request: Request) -> Response:
    """The session as one file to share, redacted again."""
    if request.path_params["format"] not in _FORMATS:
        raise NotFound(f"there is no format {request.path_params['format']!r}", hint="html or md")
    kind, render = _FORMATS[request.path_params["format"]]
    told = site_of(request).memory.exports.session(request.path_params["id"])
    name = f"session-{told.session_id[:8]}.{request.path_params['format']}"
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(render(told), media_type=f"{kind}; charset=utf-8", headers=headers)


def _sum(values: Iterable[float | None]) -> float | None:
    """Nothing where nothing is known: what has no price is not free."""
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def ask_to_forget(request: Request) -> Response:
    """What forgetting a session takes with it; nothing is done."""
    site = site_of(request)
    site.require_person()
    head = site.memory.sessions.outline(request.path_params["id"]).head
    found = site.memory.forget(session=head.session_id, dry_run=True, caller=site.caller)
    return page(request, "forget.html", head=head, found=found)


def forget(request: Request, form: Form) -> Response:
    """Purge a session everywhere, with a certificate of what was proven."""
    site = site_of(request)
    name = request.path_params["id"]
    if form.get("sure") != "yes":
        raise UsageError("nothing was forgotten: it was not confirmed", hint="tick the box, if it is meant")
    done = site.memory.forget(session=name, reason=form.get("reason", "").strip(), caller=site.caller)
    return page(request, "forgotten.html", done=done)


def _items(request: Request, of: Outline, margin: SessionMargin, first: int, count: int) -> list[_Item]:
    sessions = site_of(request).memory.sessions
    notes = _notes(request, of, margin, range(first, first + count))
    given = _given(of, margin)
    shown = []
    for thing in sessions.stretch(of, first, count):
        is_tool = isinstance(thing, ToolCalled)
        changes = prose.changes_of(thing.given) if isinstance(thing, ToolCalled) and thing.tool.kind == "edit" else None
        number = thing.number
        asked = _questions(thing.given) if isinstance(thing, ToolCalled) and thing.tool.kind == "ask" else ()
        shown.append(_Item(thing, is_tool, changes, asked, notes.get(number, ()), tuple(given.get(number, ()))))
    return shown


def _questions(given: Mapping[str, Any]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """What a person was asked. Whatever has another form is shown as it was given."""
    asked = given.get("questions")
    found = []
    for one in asked if isinstance(asked, list) else ():
        if isinstance(one, dict) and isinstance(text := one.get("question"), str):
            options = one.get("options")
            labels = [
                each.get("label") if isinstance(each, dict) else each
                for each in (options if isinstance(options, list) else ())
            ]
            found.append((text, tuple(str(label) for label in labels if label)))
    return tuple(found)


def _notes(request: Request, of: Outline, margin: SessionMargin, numbers: range) -> dict[int, tuple[_Note, ...]]:
    """The claims that rest on some things, with their words."""
    here: list[tuple[int, MarginEntry]] = []
    for entry in margin.entries:
        if entry.span is not None and (number := of.at(*entry.span[:3])) in numbers:
            here.append((number, entry))
    words = site_of(request).memory.sessions.words([entry.span for _, entry in here if entry.span is not None])
    found: dict[int, dict[str, _Note]] = {}
    for (number, entry), quoted in zip(here, words, strict=True):
        known = found.setdefault(number, {})
        before = known.get(entry.entry_id, _Note(entry, ()))
        known[entry.entry_id] = before._replace(quotes=(*before.quotes, quoted))
    return {number: tuple(notes.values()) for number, notes in found.items()}


def _given(of: Outline, margin: SessionMargin) -> Mapping[int, list[Any]]:
    """What hooks gave, by the number of the first thing that came afterwards."""
    found: dict[int, list[Any]] = {}
    for moment in margin.given:
        after = (at for at, one in enumerate(of.lines) if (one.timestamp or 0) >= moment.at)
        found.setdefault(next(after, max(len(of.lines) - 1, 0)), []).append(moment)
    return found


def _places(of: Outline, margin: SessionMargin) -> dict[str, int | None]:
    """Where each claim first rests on something, by its id."""
    found: dict[str, int | None] = {}
    for entry in margin.entries:
        place = None if entry.span is None else of.at(*entry.span[:3])
        if found.get(entry.entry_id) is None:
            found[entry.entry_id] = place
    return found


def _claims(margin: SessionMargin, places: Mapping[str, int | None]) -> Iterable[tuple[MarginEntry, int | None]]:
    once = {entry.entry_id: entry for entry in reversed(margin.entries)}
    return [(once[name], place) for name, place in places.items()]


def _stretches(of: Outline) -> list[tuple[int, int]]:
    """Where each stretch begins, and how tall it will be, about, so that the scroll bar is right from the start."""
    found = []
    for first in range(0, len(of.lines), STRETCH):
        tall = 0
        for one in of.lines[first : first + STRETCH]:
            lines = one.size // _LINE_CHARS + 1
            tall += 40 if one.kind == 2 else 56 + 25 * min(lines, 200)
        found.append((first, tall))
    return found


def _letter(one: Any) -> str:
    if one.kind == 2 and one.failed:
        return "x"
    return _LETTERS[one.kind]


def _target(request: Request, of: Outline, margin: SessionMargin) -> int | None:
    """What the address asks to see: a number, a line of a file, a claim, or what was given at a time."""
    params = request.query_params
    if (at := params.get("at", "")).isdecimal():
        return min(int(at[:9]), max(len(of.lines) - 1, 0))
    if (line := params.get("line", "")).isdecimal():
        citation = Citation(params.get("file", of.head.file), int(line[:9]), int(line[:9]))
        found = site_of(request).memory.sessions.place_of(of, citation)
        if found is None:
            raise NotFound(f"this session has no line {line} of that file", hint="its file may have been rewritten")
        return found
    if entry := params.get("entry", ""):
        return _places(of, margin).get(entry)
    if (given := params.get("given", "")).isdecimal():
        at_or_after = [place for place, one in enumerate(of.lines) if (one.timestamp or 0) >= int(given[:15])]
        return at_or_after[0] if at_or_after else None
    return None


ROUTES = [
    Route("/session/{id}", session),
    Route("/session/{id}/given", given_here),
    Route("/session/{id}/forget", ask_to_forget),
    Route("/session/{id}/forget", action(forget), methods=["POST"]),
    Route("/session/{id}/from/{first:int}", stretch),
    Route("/session/{id}/export.{format:str}", export),
    Route("/call/{number:int}", call),
    Route("/given/{id}", given),
]
