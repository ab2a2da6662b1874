"""The sessions, the latest first, page by page."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from axiommind.home import Scope
from axiommind.surfaces.web.site import MenuPlace, page, site_of

__all__ = ["PLACE", "ROUTES"]

PLACE = MenuPlace(30, "sessions", "/sessions", "Sessions", "s")

_SHOWN = 40


def sessions(request: Request) -> Response:
    site = site_of(request)
    params = request.query_params
    words, agent = params.get("words", ""), params.get("agent", "")
    after = params.get("after", "") or _end_of(params.get("day", ""))
    found = site.memory.reports.sessions(site.scope(request), key=after, words=words, agent=agent, limit=_SHOWN)
    every = site.memory.own_sql("select agent from sessions group by agent order by count(*) desc", Scope(None))
    agents = [str(row[0]) for row in every]
    return page(
        request,
        "sessions.html",
        found=found,
        words=words,
        agent=agent,
        agents=agents,
        is_first=not after,
    )


def _end_of(day: str) -> str:
    """The key of the sessions that ended on a day, and before."""
    try:
        moment = datetime.fromisoformat(day).replace(tzinfo=UTC) + timedelta(days=1)
    except ValueError:
        return ""
    return f"{int(moment.timestamp() * 1000)}."


ROUTES = [Route("/sessions", sessions)]
