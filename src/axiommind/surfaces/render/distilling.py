"""Whether a model distils finished sessions, which one, what that sends and takes, and how to change it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from axiommind.surfaces.render.table_layout import wrap
from axiommind.surfaces.render.tables import counted

if TYPE_CHECKING:
    from axiommind.config import Config
    from axiommind.learning.distilling import DistillingState

__all__ = ["offer_lines", "state_json", "state_lines"]

_WIDTH = 80


def state_json(state: DistillingState) -> dict[str, Any]:
    return {"on": bool(state.model), **state._asdict()}


def state_lines(state: DistillingState) -> list[str]:
    """The state, as `axm learn --model` and `axm budget` show it."""
    if not state.model:
        lines = ["Distilling by a model: off; sessions are learned from by rules, on this machine"]
        if state.problem:
            lines += _wrapped(f"it could not be asked now: {state.problem}")
        return [*lines, f"  to switch it on: axm learn --model on (about {state.median_tokens:,} tokens a session)"]
    since = "" if state.since is None else f" since {_day(state.since)}"
    lines = [f"Distilling by a model: on{since}, by {state.model}"]
    if state.problem:
        lines += _wrapped(f"it cannot be asked now: {state.problem}")
    lines.append(f"  sent to {state.model}: the redacted text of finished sessions, only what is new in them")
    lines.append(f"  about {state.median_tokens:,} tokens a session (median of real sessions), capped by axm budget")
    older = f"; {counted(state.backlog, 'older one')}: axm learn --backfill N" if state.backlog else ""
    lines.append(f"  waiting: {counted(state.waiting, 'finished session')}{older}")
    return [*lines, "  to switch it off: axm learn --model off"]


def offer_lines(config: Config, median_tokens: int, program: str) -> list[str]:
    """What `axm install` offers, before anybody has said yes."""
    caps = [
        f"{cap:,.0f} {what}" if cap == int(cap) else f"{cap:,.2f} {what}"
        for cap, what in ((config.budget_calls, "calls"), (config.budget_tokens, "tokens"), (config.budget_usd, "USD"))
        if cap >= 0
    ]
    most = f"at most {', '.join(caps[:-1])}{' and ' if caps[:-1] else ''}{caps[-1]} a day" if caps else "without a cap"
    return [
        "Your own agent can learn far more than the rules. In the background, after a session has ended,",
        f"  `{program}` reads it and writes down what is worth remembering, with quotes that are checked here.",
        "  sent:  the redacted text of finished sessions, to your own agent and under your own account",
        f"  takes: about {median_tokens:,} tokens a session (median of real sessions), {most}",
        "  It is off until you say yes. axm learn --model off switches it off again, axm budget shows what it took.",
    ]


def _wrapped(text: str) -> list[str]:
    first, *more = wrap(text, _WIDTH - 4)
    return [f"  {first}", *(f"    {line}" for line in more)]


def _day(milliseconds: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.gmtime(milliseconds / 1000)) + " UTC"
