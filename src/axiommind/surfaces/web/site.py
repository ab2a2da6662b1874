"""What every page needs: the memory, who started the server, and how a page is made of a template."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from axiommind.callers import Caller
from axiommind.errors import PersonOnly, UsageError
from axiommind.home import Scope
from axiommind.memory import Memory
from axiommind.surfaces.web import templating
from axiommind.surfaces.web.entrance import Entrance
from axiommind.surfaces.web.jobs import Jobs

__all__ = ["Form", "MenuPlace", "Site", "action", "page", "see_other", "site_of"]

_MOST_BYTES = 4_000_000  # of a form: the text of a scratchpad has room in it

Form = Mapping[str, str]


class MenuPlace(NamedTuple):
    """A page in the menu: its icon's name, its address, what it is called, the key after `g` that leads there, and
    whether a gap stands before it."""

    order: int
    name: str
    address: str
    label: str
    key: str
    has_gap: bool = False

    def is_at(self, path: str) -> bool:
        return path == self.address or (self.address != "/" and path.startswith(f"{self.address}/"))


@dataclass(frozen=True)
class Site:
    memory: Memory
    caller: Caller
    places: tuple[MenuPlace, ...] = ()
    entrance: Entrance = field(default_factory=Entrance)
    jobs: Jobs = field(default_factory=Jobs)

    def scope(self, request: Request) -> Scope:
        """The project that the page is about, as its address says; else all."""
        named = request.query_params.get("project", "")
        return self.memory.scope(project=named) if named else Scope(None)

    def require_person(self) -> None:
        if not self.caller.is_person:
            raise PersonOnly("only a person changes memory in the web app", self.caller.why)


def site_of(request: Request) -> Site:
    found = request.app.state.site
    assert isinstance(found, Site)
    return found


def page(request: Request, template: str, *, status: int = 200, **values: Any) -> HTMLResponse:
    """A page of this template, or a part of one."""
    site = site_of(request)
    project = request.query_params.get("project", "")

    def link(path: str, **params: Any) -> str:
        """An address of this site, in the project that is looked at."""
        given = {name: value for name, value in {"project": project, **params}.items() if value not in (None, "", ())}
        return f"{path}?{urlencode(given, doseq=True)}" if given else path

    common = {
        "link": link,
        "path": request.url.path,
        "places": site.places,
        "project": project,
        "projects": functools.partial(templating.projects, site.memory),
        "form_token": site.entrance.form_token,
        "may_write": site.caller.is_person,
        "why_not": site.caller.why,
        "is_sample": site.memory.home.is_sample,
    }
    return HTMLResponse(templating.environment().get_template(template).render(common | values), status)


def see_other(where: str) -> Response:
    """After a write: the page that shows what came of it, so that reloading does not write again."""
    return RedirectResponse(where, 303)


def action(write: Callable[[Request, Form], Response]) -> Callable[[Request], Any]:
    """A page that writes: from a form of ours, by a person, and in a thread."""

    async def answer(request: Request) -> Response:
        site = site_of(request)
        form = await _form(request)
        if not site.entrance.knows_form(form.get("form_token", "")):
            raise UsageError("this form is not of the running server", hint="load the page again")
        site.require_person()
        return await run_in_threadpool(write, request, form)

    return functools.wraps(write)(answer)


async def _form(request: Request) -> Form:
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > _MOST_BYTES:
            raise UsageError("that is too much for one form", hint=f"at most {_MOST_BYTES:,} bytes")
    pairs = parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=200)
    return {name: value.replace("\r\n", "\n") for name, value in pairs}
