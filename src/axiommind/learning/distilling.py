"""Distilling: a model, by default the user's own agent, reads finished sessions in the background.

It is off until a person says yes. This module says whether it is on, what it sends and what that takes, and switches
it in `config.toml`. Asking itself is the learner's.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from axiommind.callers import Caller
from axiommind.errors import AxmError, PersonOnly, UsageError
from axiommind.home import Home, Scope, now
from axiommind.learning.session_queue import ended_marks, is_finished, to_ask

if TYPE_CHECKING:
    from axiommind.config import Config

__all__ = [
    "MEDIAN_TOKENS",
    "DistillingPass",
    "DistillingState",
    "distilling_pass",
    "providers",
    "state_of",
    "switch_off",
    "switch_on",
    "usual_model",
]

# Of one session. The questions about 157 real sessions have 5,400 (median; a quarter of them over 7,900); the rest is
# for the answer and for the second question about it.
MEDIAN_TOKENS = 9_000
_USUAL = "claude"


class DistillingPass(NamedTuple):
    """Which model is asked, and about sessions that ended since when (epoch milliseconds)."""

    model: str
    since: int | None


class DistillingState(NamedTuple):
    """`model` is empty while it is off. `problem`: why it could not be asked now. `waiting` are finished sessions that
    it will be asked about by itself, `backlog` the older ones."""

    model: str
    since: int | None
    problem: str
    waiting: int
    backlog: int
    median_tokens: int = MEDIAN_TOKENS


def providers() -> list[str]:
    """Who can be asked."""
    from axiommind import llm

    return [name for name in llm.names() if name != llm.RECORDED]


def distilling_pass(config: Config) -> DistillingPass | None:
    """What the settings say; None while it is off."""
    if not config.learn_model:
        return None
    if config.learn_model not in providers():
        raise UsageError(
            f"learn.model = {config.learn_model!r} is no model that can be asked",
            hint=f"one of: {', '.join(providers())}; or axm learn --model off",
        )
    return DistillingPass(config.learn_model, _milliseconds(config.learn_model_since))


def state_of(home: Home) -> DistillingState:
    """Whether it is on, whether it could be asked, and how much waits for it."""
    found = distilling_pass(home.config)
    model = found.model if found is not None else usual_model(home.config)
    since = found.since if found is not None else None
    problem = _problem(home.config, model)
    waiting = backlog = 0
    if home.config.index_path.exists():
        marks, at = ended_marks(home.config.home), now()
        with home.reading(Scope(None), None) as db:
            finished = [one for one in to_ask(db, model) if is_finished(one, marks, at)]
        waiting = sum(found is not None and (since is None or one.active >= since) for one in finished)
        backlog = len(finished) - waiting
    return DistillingState(found.model if found is not None else "", since, problem, waiting, backlog)


def switch_on(home: Home, model: str | None = None, *, caller: Caller | None = None) -> Config:
    """Write it into `config.toml`: from now on this model is asked about what ends. Returns the settings as they are
    then."""
    who = caller or home.caller
    if not who.is_person:  # an agent's word is nobody's consent
        raise PersonOnly("only a person can switch on a model", who.why)
    chosen = model or usual_model(home.config)
    if chosen not in providers():
        raise UsageError(f"there is no model {chosen!r} to ask", hint=f"one of: {', '.join(providers())}")
    is_on = home.config.learn_model == chosen and home.config.learn_model_since
    since = home.config.learn_model_since if is_on else time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    return _write(home, {"learn.model": chosen, "learn.model_since": since})


def switch_off(home: Home) -> Config:
    return _write(home, {"learn.model": None, "learn.model_since": None})


def _write(home: Home, values: dict[str, str | None]) -> Config:
    from axiommind.config import Config
    from axiommind.config_file import read_text, replace_text, with_values

    path = home.config.home / "config.toml"
    before = read_text(path) or ""
    after = with_values(before, values)
    if after != before:
        replace_text(path, after)
    return Config.load(home.environ, home.config.home)


def usual_model(config: Config) -> str:
    """The model that is switched on, or that the settings name for `axm learn`; else the user's own agent."""
    if config.learn_model in providers():
        return config.learn_model
    return config.extract_extractor if config.extract_extractor in providers() else _USUAL


def _problem(config: Config, model: str) -> str:
    from axiommind import llm

    try:
        llm.connect(model, config)
    except AxmError as error:
        return error.message
    return ""


def _milliseconds(text: str) -> int | None:
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(
            f"learn.model_since = {text!r} is no time",
            hint="such as 2026-01-31T12:00:00Z; axm learn --model on sets it",
        ) from None
    return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)
