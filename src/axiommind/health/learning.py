"""Learning in the background: whether it is on, when it last ran and how that went, and whether a model is asked."""

from __future__ import annotations

import time

from axiommind.config import Config
from axiommind.errors import AxmError
from axiommind.health.check import Check
from axiommind.health.index import sessions_to_learn
from axiommind.learning.distilling import distilling_pass
from axiommind.learning.turns import is_learning, last_run

__all__ = ["check_learning"]


def check_learning(config: Config) -> list[Check]:
    return [_background(config), _model(config)]


def _background(config: Config) -> Check:
    last, is_running = last_run(config.home), is_learning(config.home)
    data = {"auto": config.learn_auto, "running": is_running, "last": last}
    if not config.learn_auto:
        return Check("learning", "note", "off in the background (learn.auto = false); axm learn does it", data=data)
    if last is None:
        return Check("learning", "ok", f"in the background; {'runs now' if is_running else 'not yet run'}", data=data)
    at = time.strftime("%Y-%m-%d %H:%M", time.gmtime(last["ended"] / 1000))
    took = f"{_sessions(last['sessions'])}, {last['entries']} new {'entry' if last['entries'] == 1 else 'entries'}"
    text = f"in the background; {'runs now; ' if is_running else ''}last {at} UTC: {took}"
    details = []
    if last["failed"]:
        details.append(f"{_sessions(last['failed'])} failed; axm learn tries again")
    # By hand they may have been learned since; what a model was not asked about only its own run knows.
    if last["stopped"] and (sessions_to_learn(config) or (config.learn_model and last["left"])):
        left = "was" if last["left"] == 1 else "were"
        details.append(f"it ended early: {last['stopped']}; {_sessions(last['left'])} {left} left to the next run")
    return Check("learning", "warn" if last["failed"] else "ok", text, tuple(details), data)


def _sessions(count: int) -> str:
    return f"{count:,} session{'' if count == 1 else 's'}"


def _model(config: Config) -> Check:
    """Which model is asked: by itself, or by `axm learn`."""
    from axiommind import llm

    data = {"extractor": config.extract_extractor, "distilling": config.learn_model}
    names = [name for name in (config.extract_extractor, config.learn_model) if name not in ("", "rules")]
    if not names:
        return Check("model", "ok", "none: the rules need none (axm learn --model on)", data=data)
    text = f"{names[-1]} distils finished sessions" if config.learn_model else f"{names[0]}, by axm learn"
    try:
        distilling_pass(config)
        llm.connect(names[-1], config)
    except AxmError as error:
        return Check("model", "warn", f"{text}, and cannot be asked: {error.message}", data=data)
    return Check("model", "ok", text, data=data)
