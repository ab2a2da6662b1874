"""Learning that nobody waits for: started after `axm index`, and done by the worker that a hook started.

Whatever goes wrong there, the index is made. What the worker says goes to `learning/learn.log` in the home.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from axiommind.errors import AxmError
from axiommind.private import make_private
from axiommind.surfaces.hooks.background_index import detach
from axiommind.surfaces.render.tables import counted

if TYPE_CHECKING:
    from axiommind.learning.run_report import LearningReport
    from axiommind.memory import Memory

__all__ = ["WORKER", "learn_later", "learn_now", "say_learned"]

WORKER = "AXM_LEARN_WORKER"  # tells `axm learn` that it was started by us and that nobody waits


def learn_later(memory: Memory) -> None:
    """Start a process that learns what is new, if anything is, and say so."""
    if not memory.config.learn_auto:
        return
    waiting = memory.learning.waiting()
    if not waiting:
        return
    home = memory.config.home
    folder = home / "learning"
    try:
        make_private(folder)
        detach(["learn", "--no-index"], home, folder / "learn.log", {**os.environ, WORKER: "1"})
    except OSError as error:
        sys.stderr.write(f"Not learning in the background: {error.strerror or error}\n")
        return
    sys.stderr.write(
        f"Learning from {counted(waiting, 'session')} in the background (axm learn waits for it; "
        "learn.auto = false turns it off)\n"
    )


def learn_now(memory: Memory, *, finished: bool = False) -> None:
    """What happens by itself, in this process: what is new is learned, unless that is off."""
    if not memory.config.learn_auto:
        return
    try:
        report = memory.learning.run_in_background(finished=finished)
    except AxmError as error:
        sys.stderr.write(f"Not learned: {error.message}\n" + (f"  hint: {error.hint}\n" if error.hint else ""))
        return
    if report.sessions or report.stopped:
        say_learned(report)


def say_learned(report: LearningReport) -> None:
    failed = f", {report.failed:,} failed (axm learn)" if report.failed else ""
    made = sum(report.entries.values())
    entries = "1 new entry" if made == 1 else f"{made:,} new entries"
    sys.stderr.write(f"Learned: {counted(report.sessions, 'session')}, {entries}{failed}\n")
    if report.stopped:
        sys.stderr.write(f"Stopped: {report.stopped}\n")
