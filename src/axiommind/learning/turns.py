"""Whose turn it is to learn with the rules: one process at a time, because a second one would do the same work.

A run in the background ends where another one is at work; a person's waits for it, and the one in the background then
ends after the sessions at hand. What it leaves, the next one continues with. Models are not asked under this lock: each
session has a lease of its own for that.
"""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from axiommind.ids import dedupe_key
from axiommind.locks import alone, is_held, lease
from axiommind.private import make_private

__all__ = ["folder_of", "is_learning", "is_wanted", "last_run", "note_run", "session_lease", "turn"]

_ASK_AGAIN_S = 0.05


def folder_of(home: Path) -> Path:
    """Where learning keeps its locks, and what its last run in the background said."""
    return home / "learning"


@contextlib.contextmanager
def turn(home: Path, *, wait: bool = True, waiting: Callable[[], None] | None = None) -> Iterator[bool]:
    """Whether it is ours. With `wait` it always is, in the end; `waiting` is called once if that takes a while."""
    folder = folder_of(home)
    make_private(folder)
    with alone(folder / "turn") as ours:
        if ours or not wait:
            yield ours
            return
    if waiting is not None:
        waiting()
    with contextlib.ExitStack() as stack:
        with alone(folder / "next"):  # while this is held, a run in the background makes room
            while not _take(folder / "turn", stack):
                time.sleep(_ASK_AGAIN_S)
        yield True


def _take(path: Path, stack: contextlib.ExitStack) -> bool:
    with contextlib.ExitStack() as attempt:
        ours = attempt.enter_context(alone(path))
        if ours:
            stack.enter_context(attempt.pop_all())
        return ours


def is_wanted(home: Path) -> bool:
    """Whether somebody waits for the turn."""
    return is_held(folder_of(home) / "next")


def is_learning(home: Path) -> bool:
    return is_held(folder_of(home) / "turn")


def session_lease(home: Path, session: str) -> contextlib.AbstractContextManager[bool]:
    """Whether a model may be asked about this session by us: nobody else is asking now."""
    return lease(folder_of(home) / "sessions" / dedupe_key("lease", session)[:32])


def note_run(home: Path, figures: dict[str, Any]) -> None:
    """Keep the figures of a run in the background, for `axm doctor`."""
    path = folder_of(home) / "last.json"
    temporary = path.with_name(f"last.{time.monotonic_ns()}")
    with contextlib.suppress(OSError):
        temporary.write_text(json.dumps(figures), encoding="utf-8")
        temporary.replace(path)


def last_run(home: Path) -> dict[str, Any] | None:
    """The figures of the last run in the background; None where there was none."""
    try:
        found = json.loads((folder_of(home) / "last.json").read_bytes())
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None
