"""Home: what happened lately, what is open, what was learned, and what agents were given."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from axiommind.surfaces.web.site import MenuPlace, page, site_of

__all__ = ["HOOKS", "PLACE", "ROUTES"]

PLACE = MenuPlace(10, "home", "/", "Home", "h")

_SHOWN = 7
_OPEN = ("in_progress", "blocked", "pending")
# What an agent was doing when a hook gave it something.
HOOKS = {
    "SessionStart": "the start of a session",
    "UserPromptSubmit": "a prompt",
    "PreToolUse": "an edit",
    "PostToolUseFailure": "an error",
}


def home(request: Request) -> Response:
    site = site_of(request)
    memory = site.memory
    if not memory.config.index_path.exists():
        return page(request, "start.html")
    scope = site.scope(request)
    waiting = [
        (memory.proposals.count(scope), "waiting for you", "/memory/proposals"),
        (len(memory.conflicts.list(scope)), "claims in conflict", "/memory/conflicts"),
    ]
    return page(
        request,
        "home.html",
        recent=memory.reports.recent(scope, limit=_SHOWN),
        tasks=memory.tasks.list(scope, statuses=_OPEN, limit=_SHOWN),
        waiting=waiting,
        hooks=HOOKS,
    )


ROUTES = [Route("/", home)]
