"""Recall lab: what an agent would be given for a prompt, what was left out, and why; and past sessions replayed."""

from __future__ import annotations

from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from axiommind.errors import UsageError
from axiommind.home import Scope
from axiommind.memory import Memory
from axiommind.recall.disclosure import Disclosed, IndexItem
from axiommind.recall.recall import Silence
from axiommind.surfaces.render.recall import as_text
from axiommind.surfaces.web.jobs import Progress
from axiommind.surfaces.web.pages.home import HOOKS
from axiommind.surfaces.web.site import Form, MenuPlace, action, page, see_other, site_of
from axiommind.text.estimate import estimate_tokens

__all__ = ["PLACE", "ROUTES"]

PLACE = MenuPlace(90, "recall", "/recall", "Recall lab", "r")

_LOOKED_AT = 14
_REPLAYED = 12  # sessions
_EXAMPLES = 8
_SILENCE = {
    "nothing_to_ask": "The prompt asks for nothing that memory could know: an order, a thank-you, a yes.",
    "nothing_relevant": "Nothing is likely enough to help.",
    "nothing_new": "What is likely was given before in the session, or was withdrawn.",
    "no_room": "What is likely does not fit into the budget.",
}


class _LeftOut(NamedTuple):
    item: IndexItem
    why: str


def recall(request: Request) -> Response:
    site = site_of(request)
    prompt = request.query_params.get("prompt", "").strip()
    scope = site.scope(request)
    values: dict[str, Any] = {"prompt": prompt, "told": None, "silence": None, "text": "", "left": [], "tokens": 0}
    if prompt:
        values |= _asked(site.memory, prompt, scope)
    job = site.jobs.last
    replayed = job.result if job is not None and job.name == "replay" and job.state == "done" else None
    hooks = site.memory.config.hooks
    return page(request, "recall.html", **values, settings=hooks, job=job, replayed=replayed, hooks=HOOKS)


def say(request: Request, form: Form) -> Response:
    """A person's word on one thing that would be given for a prompt."""
    site = site_of(request)
    verdict, prompt = form.get("verdict", ""), form.get("prompt", "")
    if verdict not in ("yes", "no", "clear"):
        raise UsageError("useful or not?", hint="yes, no or clear")
    site.memory.feedback.say(form.get("id", ""), verdict, prompt=prompt or None, caller=site.caller)
    return see_other(f"/recall?{urlencode({'prompt': prompt, 'project': request.query_params.get('project', '')})}")


def replay(request: Request, _form: Form) -> Response:
    site = site_of(request)
    scope = site.scope(request)
    site.jobs.start("replay", lambda progress: _replay(site.memory, scope, progress))
    project = request.query_params.get("project", "")
    return see_other(f"/recall?project={quote(project)}#replay" if project else "/recall#replay")


def _asked(memory: Memory, prompt: str, scope: Scope) -> dict[str, Any]:
    told = memory.recall.answer(prompt, scope)
    looked = memory.recall.select(prompt, scope, plain=True, min_score=0.0, top_k=_LOOKED_AT, mode="lexical")
    budget = memory.config.hooks.prompt_tokens
    if isinstance(told, Silence):
        said = _SILENCE.get(told.why, told.why)
        return {"silence": told, "why": said, "left": _left(looked.items, (), memory, told.why)}
    text = as_text(told, budget)
    left = _left(looked.items, {item.id for item in told.matches}, memory, "")
    return {"told": told, "text": text, "tokens": estimate_tokens(text), "left": left, "why": _why(told)}


def _left(items: Any, given: Any, memory: Memory, silence: str) -> list[_LeftOut]:
    """What was looked at and not given, with the reason."""
    floor = memory.config.hooks.prompt_chance
    found = []
    for item in items:
        if item.id in given:
            continue
        if silence == "nothing_to_ask":
            why = "nothing was asked for"
        elif item.type in ("tool", "prompt"):
            why = "what was asked or called is no answer: what came of it was looked at"
        elif item.score < floor:
            why = f"{item.score:.0%} likely to be meant; {floor:.0%} is needed"
        elif item.changed:
            why = item.changed
        else:
            why = "another answer says it, or there was no room"
        found.append(_LeftOut(item, why))
    return found


def _why(told: Disclosed) -> str:
    return f"{told.meta.total_matches} answered, by {told.meta.search_method or 'words'}"


def _replay(memory: Memory, scope: Scope, progress: Progress) -> tuple[str, Any]:
    """Past sessions, as if hooks had been there: nothing is written, and no model is asked."""
    from axiommind.surfaces.replay.run import EVENTS
    from axiommind.surfaces.replay.run import replay as replay_sessions

    found = replay_sessions(memory, scope, limit=_REPLAYED, progress=progress)
    rows = []
    for event in EVENTS:
        moments = [one for one in found.moments if one.moment.event == event]
        answered = [one for one in moments if one.answer.items]
        judged = sum(item.is_judged for one in answered for item in one.given)
        used = sum(len(one.used) for one in answered)
        tokens = sum(one.answer.tokens for one in answered)
        rows.append((event, len(moments), len(answered), judged, used, tokens))
    answered = [one for one in found.moments if one.answer.items]
    step = max(len(answered) // _EXAMPLES, 1)
    examples = [
        (one.moment.event, one.moment.about[:300], one.moment.at, one.moment.session_id, one.answer.text, len(one.used))
        for one in answered[::step][:_EXAMPLES]
    ]
    return f"{found.sessions} sessions, {len(found.moments)} moments", (rows, examples, found.known)


ROUTES = [
    Route("/recall", recall),
    Route("/recall", action(say), methods=["POST"]),
    Route("/recall/replay", action(replay), methods=["POST"]),
]
