"""Memory: what was learned, by how far it can be trusted; each claim with its evidence, and a person's word on it."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote, urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from axiommind.approval.requests import cannot_be_undone, in_words
from axiommind.errors import AxmError, UsageError
from axiommind.memory import Memory
from axiommind.projections.entry_rows import ENTRY_STATUSES, STAGES
from axiommind.surfaces.web.site import Form, MenuPlace, action, page, see_other, site_of

__all__ = ["PLACE", "ROUTES"]

PLACE = MenuPlace(40, "memory", "/memory", "Memory", "m", has_gap=True)

_SHOWN = 60
_MOST = 2_000
_KINDS = ("decision", "convention", "preference", "gotcha", "fact", "open", "record")
_RULINGS = ("contested", "superseded", "deprecated", "restored")


def memory(request: Request) -> Response:
    site = site_of(request)
    scope, params = site.scope(request), request.query_params
    given = {name: params.get(name, "") for name in ("stage", "status", "kind", "provenance")}
    wanted: dict[str, Any] = {
        "stages": _one(given["stage"]),
        "statuses": _one(given["status"]) or ("active", "contested"),
        "kinds": _one(given["kind"]),
        "provenances": _one(given["provenance"]),
    }
    limit = min(int(params["limit"]), _MOST) if params.get("limit", "").isdecimal() else _SHOWN
    entries = site.memory.entries.list(scope, **wanted, limit=limit)
    by_stage = {name: site.memory.entries.count(scope, **{**wanted, "stages": (name,)}) for name in reversed(STAGES)}
    total = by_stage[given["stage"]] if given["stage"] in by_stage else sum(by_stage.values())
    return page(
        request,
        "memory.html",
        entries=entries,
        total=total,
        by_stage=by_stage,
        given=given,
        kinds=_KINDS,
        statuses=ENTRY_STATUSES,
        more=f"/memory?{urlencode({**params, 'limit': limit + 4 * _SHOWN})}" if total > limit < _MOST else "",
        conflicts=len(site.memory.conflicts.list(scope)),
        proposals=site.memory.proposals.count(scope),
    )


def entry(request: Request) -> Response:
    memory = site_of(request).memory
    shown = memory.entries.show(request.path_params["id"])
    if shown.entry.entry_id != request.path_params["id"]:
        return RedirectResponse(f"/memory/{quote(shown.entry.entry_id)}", 307)
    names = {other: _title(memory, other) for _, other, _ in shown.conflicts}
    if shown.entry.superseded_by:
        names[shown.entry.superseded_by] = _title(memory, shown.entry.superseded_by)
    following = STAGES[STAGES.index(shown.entry.stage) + 1 :]
    return page(request, "entry.html", shown=shown, entry=shown.entry, names=names, following=following)


def events(request: Request) -> Response:
    """Everything that made an entry what it is, for whoever unfolds it."""
    _, told = site_of(request).memory.entries.why(request.path_params["id"])
    return page(request, "entry_events.html", events=told)


def change_entry(request: Request, form: Form) -> Response:
    """A person's word on a claim. The library checks whether it makes sense, and it is an event of the log."""
    site = site_of(request)
    entries, name = site.memory.entries, request.path_params["id"]
    act, reason = form.get("act", ""), form.get("reason", "").strip()
    if not reason:
        raise UsageError("say why: it is kept with the change", hint="go back, and fill in the reason")
    if act == "promote":
        entries.promote(name, reason, form.get("to") or None, caller=site.caller)
    elif act == "undo-promotion":
        entries.undo_promotion(name, reason, caller=site.caller)
    elif act in _RULINGS:
        entries.rule(name, act, reason, form.get("other", "").strip() or None, caller=site.caller)
    else:
        raise UsageError(f"there is no act {act!r}", hint="load the page again")
    return see_other(f"/memory/{quote(name)}")


def conflicts(request: Request) -> Response:
    site = site_of(request)
    is_all = "all" in request.query_params
    found = site.memory.conflicts.list(site.scope(request), every=is_all)
    return page(request, "conflicts.html", conflicts=found, is_all=is_all)


def settle(request: Request, form: Form) -> Response:
    site = site_of(request)
    reason = form.get("reason", "").strip() or "a person decided"
    site.memory.conflicts.settle(request.path_params["id"], form.get("keep", ""), reason, caller=site.caller)
    return see_other("/memory/conflicts")


def proposals(request: Request) -> Response:
    site = site_of(request)
    is_all = "all" in request.query_params
    found = [
        (one, in_words(one.act, one.args), _about(site.memory, one.about), cannot_be_undone(one.act, one.args))
        for one in site.memory.proposals.list(site.scope(request), every=is_all)
    ]
    return page(request, "proposals.html", proposals=found, is_all=is_all)


def decide(request: Request, form: Form) -> Response:
    site = site_of(request)
    name = request.path_params["id"]
    if form.get("act") == "confirm":
        site.memory.proposals.confirm(name, caller=site.caller)
    elif form.get("act") == "decline":
        site.memory.proposals.decline(name, form.get("reason", "").strip(), caller=site.caller)
    else:
        raise UsageError("confirm or decline", hint="load the page again")
    return see_other("/memory/proposals")


def _one(value: str) -> tuple[str, ...]:
    return (value,) if value else ()


def _title(memory: Memory, name: str) -> str:
    """What an entry says, or its id where it is gone."""
    try:
        return memory.entries.show(name).entry.title
    except AxmError:
        return name


def _about(memory: Memory, name: str) -> str:
    return _title(memory, name) if name.startswith("ent_") else name


ROUTES = [
    Route("/memory", memory),
    Route("/memory/conflicts", conflicts),
    Route("/memory/conflicts/{id}", action(settle), methods=["POST"]),
    Route("/memory/proposals", proposals),
    Route("/memory/proposals/{id}", action(decide), methods=["POST"]),
    Route("/memory/{id}", entry),
    Route("/memory/{id}", action(change_entry), methods=["POST"]),
    Route("/memory/{id}/events", events),
]
