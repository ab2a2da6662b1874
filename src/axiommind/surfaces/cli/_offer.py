"""The offer of `axm install`: the user's own agent distils finished sessions, once they say yes; and its undoing.

What `install` switched on, `uninstall` switches off: it restores `config.toml` byte for byte where nobody else changed
it, and otherwise takes out our two settings.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import NamedTuple

from axiommind.callers import Caller
from axiommind.callers.identity import identify
from axiommind.config_file import read_text, replace_text, with_values
from axiommind.errors import UsageError
from axiommind.home import Home
from axiommind.learning.distilling import MEDIAN_TOKENS, state_of, switch_off, switch_on
from axiommind.private import make_private
from axiommind.surfaces.install import AskedAgent, Machine, say
from axiommind.surfaces.render.distilling import offer_lines, state_lines

__all__ = ["offer", "plan_undoing", "undo"]


class _Undoing(NamedTuple):
    """`config.toml` as it will be; `exact`: as it was before us."""

    path: Path
    after: str
    exact: bool

    @property
    def what(self) -> str:
        return f"{self.path}: {'as it was before' if self.exact else 'without the model'}"


def offer(machine: Machine, agent: AskedAgent | None, wish: str | None) -> None:
    """Say what is learned by itself; then do as the user wishes (`on`, `off`), or ask, where somebody can answer."""
    config = machine.config
    path = config.home / "config.toml"
    if config.learn_auto:
        say("New sessions are learned from in the background, by rules, on this machine.")
        say(f"  To turn that off: auto = false under [learn] in {path}")
    if agent is None and wish is None:
        return
    home = Home(config, environ=machine.environ, user=machine.user)
    if wish == "off":
        switch_off(home)
        _ledger(config.home).unlink(missing_ok=True)
        say("Distilling by a model is off.")
        return
    if agent is None:
        raise UsageError("none of these agents can distil sessions", hint="axm learn --model on says what can")
    caller = identify(home.environ, home.config.home)
    state = state_of(home)
    if wish is None and state.model:
        say("\n".join(state_lines(state)))
        return
    if wish is None:
        say("\n".join(["", *offer_lines(config, MEDIAN_TOKENS, agent.PROGRAM)]))
        if state.problem:
            say(f"  Now it could not be asked: {state.problem}. Later: axm learn --model on")
            return
        if not _is_answered_yes(caller):
            say("Left off. To switch it on: axm learn --model on")
            return
    before = read_text(path)
    home.config = switch_on(home, agent.MODEL, caller=caller)
    after = read_text(path)
    if after is not None and after != before:
        _keep(config.home, before, after)
    say("\n".join(state_lines(state_of(home))))


def _is_answered_yes(caller: Caller) -> bool:
    """Whether a person at a terminal says yes. Nobody else is waited for."""
    if not caller.at_terminal:
        return False
    sys.stderr.write("Switch it on? [y/N] ")
    sys.stderr.flush()
    try:
        return sys.stdin.readline().strip().lower() in ("y", "yes")
    except KeyboardInterrupt:
        sys.stderr.write("\n")
        return False


def plan_undoing(machine: Machine) -> _Undoing | None:
    """What `uninstall` changes in `config.toml`; None where `install` switched nothing on, or somebody did it since."""
    path = machine.config.home / "config.toml"
    found = read_text(path)
    try:
        kept = json.loads(_ledger(machine.config.home).read_bytes())
        digest, before = kept["digest"], kept["before"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if found is None:
        return None
    if _digest(found) == digest:
        return _Undoing(path, before or "", exact=True)
    after = with_values(found, {"learn.model": None, "learn.model_since": None})
    return None if after == found else _Undoing(path, after, exact=False)


def undo(machine: Machine) -> None:
    change = plan_undoing(machine)
    if change is not None:
        replace_text(change.path, change.after)
        say(f"{change.what}: no model is asked any more")
    ledger = _ledger(machine.config.home)
    ledger.unlink(missing_ok=True)
    if ledger.parent.is_dir() and not any(ledger.parent.iterdir()):
        ledger.parent.rmdir()


def _keep(home: Path, before: str | None, after: str) -> None:
    ledger = _ledger(home)
    make_private(ledger.parent)
    ledger.write_text(json.dumps({"v": 1, "digest": _digest(after), "before": before}), encoding="utf-8")
    ledger.chmod(0o600)


def _ledger(home: Path) -> Path:
    return home / "backups" / "switched.json"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
