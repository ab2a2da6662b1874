"""Health: what needs attention, what waits, what it costs; and work that is started here, with its progress."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from axiommind.errors import UsageError
from axiommind.memory import Memory
from axiommind.surfaces.web.jobs import Progress
from axiommind.surfaces.web.pages.home import HOOKS
from axiommind.surfaces.web.site import Form, MenuPlace, Site, action, page, see_other, site_of

__all__ = ["PLACE", "ROUTES"]

PLACE = MenuPlace(100, "health", "/health", "Health", "d")

_EVERY = 1.0  # seconds between two looks of whoever watches
_DAYS = 14


def health(request: Request) -> Response:
    return page(request, "health.html", job=site_of(request).jobs.last, works=_WORKS)


def checks(request: Request) -> Response:
    """What doctor says: it looks at files too, so the page does not wait for it."""
    found = site_of(request).memory.doctor()
    absent = [one for one in found if one.status == "note" and one.text == "not there"]
    return page(request, "health_checks.html", checks=[one for one in found if one not in absent], absent=absent)


def figures(request: Request) -> Response:
    """What waits, what models cost, and what became of what agents were given."""
    site = site_of(request)
    memory = site.memory
    embedded = memory.embeddings.status()
    return page(
        request,
        "health_figures.html",
        waiting=memory.learning.waiting(),
        embedded=embedded,
        spent=memory.learning.budget(),
        days=_DAYS,
        grounding=memory.reports.grounding(site.scope(request)),
        sources=[one for one in memory.sources() if one.sessions or one.problems],
        hooks=HOOKS,
    )


def work(request: Request, form: Form) -> Response:
    site = site_of(request)
    name = form.get("work", "")
    if name not in _WORKS:
        raise UsageError(f"there is no work {name!r}", hint=", ".join(_WORKS))
    site.jobs.start(name, lambda progress: _WORKS[name][1](site.memory, progress))
    return see_other("/health")


async def live(request: Request) -> Response:
    """Server-sent events: the work that goes on, and that the index has changed."""
    return StreamingResponse(_events(request, site_of(request)), media_type="text/event-stream")


async def _events(request: Request, site: Site) -> AsyncIterator[str]:
    told: dict[str, Any] = {}
    state = _state(site.memory)
    yield "retry: 3000\n\n"
    quiet = 0
    while not await request.is_disconnected():
        job = site.jobs.last
        row = {} if job is None else job.as_row()
        if row != told:
            told = row
            yield f"event: job\ndata: {json.dumps(row, ensure_ascii=False)}\n\n"
        if (now := _state(site.memory)) != state:
            state = now
            yield "event: index\ndata: {}\n\n"
        quiet += 1
        if quiet % 15 == 0:  # so that a connection that is gone is noticed
            yield ": still here\n\n"
        await asyncio.sleep(_EVERY)


def _state(memory: Memory) -> tuple[int, ...]:
    """What changes when somebody writes the index; nothing is opened for it."""
    found: list[int] = []
    for path in (memory.config.index_path, memory.config.index_path.with_name("index.db-wal")):
        try:
            known = path.stat()
        except OSError:
            continue
        found += (known.st_mtime_ns, known.st_size)
    return tuple(found)


def _index(memory: Memory, progress: Progress) -> tuple[str, Any]:
    done = memory.index(progress=progress)
    return f"{done.new} new, {done.updated} updated, {done.unchanged} unchanged", None


def _learn(memory: Memory, progress: Progress) -> tuple[str, Any]:
    done = memory.learning.run(extractor="rules", progress=progress)
    return f"{done.sessions} sessions, {sum(done.entries.values())} claims", None


def _verify(memory: Memory, _progress: Progress) -> tuple[str, Any]:
    wrong = memory.verify()
    if not wrong:
        return "every checksum and every row is right", None
    where, what = wrong[0]
    return f"{len(wrong)} wrong, the first: {where}: {what}", None


_WORKS: dict[str, tuple[str, Callable[[Memory, Progress], tuple[str, Any]]]] = {
    "index": ("Read what is new", _index),
    "learn": ("Learn from it", _learn),
    "verify": ("Verify everything", _verify),
}

ROUTES = [
    Route("/health", health),
    Route("/health", action(work), methods=["POST"]),
    Route("/health/checks", checks),
    Route("/health/figures", figures),
    Route("/live", live),
]
