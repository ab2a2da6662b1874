"""A proposal, and what it would have saved: counted from the sessions that speak for it, after the first of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from axiommind.reports.analysers.activity import DAY_MS
from axiommind.reports.analysers.evidence import Witness

__all__ = ["Proposal", "Saving", "after_first"]

# What one of each is worth beside the others. Only the order of the list depends on it.
_CALL = 1.0
_PROMPT = 3.0  # somebody had to say it again, and something had gone wrong before
_REPLACED = 0.3
_TYPED = 0.01
_REMINDED = 0.5
_MINUTE_MS = 60_000
_LEAST_TYPED = 100


class Saving(NamedTuple):
    """Figures of the sessions after the first one: before that nobody could have known."""

    calls: int = 0  # that failed
    repairs: int = 0  # calls that repaired what had failed
    ms: int = 0  # from those that failed to the next ones
    prompts: int = 0  # that say it again
    replaced: int = 0  # prompts that become a command
    typed: int = 0  # characters that those have more than the command
    reminded: int = 0  # sessions that ended without it
    relearned: int = 0  # sessions that found it out again

    @property
    def worth(self) -> float:
        return (
            (self.calls + self.repairs) * _CALL
            + self.prompts * _PROMPT
            + self.replaced * _REPLACED
            + self.typed * _TYPED
            + (self.reminded + self.relearned) * _REMINDED
        )

    @property
    def text(self) -> str:
        """What it comes to, in sentences; empty when nothing can be counted."""
        saved = [
            _counted(self.calls, "failed call", "failed calls"),
            _counted(self.repairs, "call that repaired them", "calls that repaired them"),
            f"about {_counted(minutes, 'minute', 'minutes')}" if (minutes := round(self.ms / _MINUTE_MS)) else "",
            _counted(self.prompts, "prompt that says it again", "prompts that say it again"),
        ]
        said = [f"It would have saved {_joined([one for one in saved if one])}." if any(saved) else ""]
        if self.replaced:
            less = f", {self.typed:,} characters less to type" if self.typed >= _LEAST_TYPED else ""
            said.append(f"It stands for {_counted(self.replaced, 'prompt', 'prompts')}{less}.")
        if self.reminded:
            said.append(
                f"It would have reminded {_counted(self.reminded, 'session', 'sessions')} that ended without it."
            )
        if self.relearned:
            said.append(f"It was found out again in {_counted(self.relearned, 'session', 'sessions')}.")
        return " ".join(filter(None, said))


@dataclass(frozen=True, slots=True)
class Proposal:
    """Text to paste into `target`. `marks`: CLAUDE.md says it already when it holds all of them."""

    kind: str  # claude-md, command or hook
    target: str
    title: str
    why: str
    text: str
    language: str
    marks: tuple[str, ...]
    witnesses: tuple[Witness, ...]
    saves: Saving

    @property
    def sessions(self) -> int:
        return len({w.session for w in self.witnesses})

    @property
    def days(self) -> int:
        return len({w.at // DAY_MS for w in self.witnesses if w.at})


def after_first(witnesses: Sequence[Witness]) -> list[Witness]:
    """Those of all sessions but the first, which nobody could have spared."""
    first = min(witnesses, key=lambda w: (w.at or 0, w.session, w.ref), default=None)
    return [] if first is None else [w for w in witnesses if w.session != first.session]


def _counted(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}" if count else ""


def _joined(parts: Sequence[str]) -> str:
    return f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else "".join(parts)
