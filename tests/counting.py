"""Work that is counted, not timed: what a test asserts here holds on a busy machine too.

`steps` counts the lines of Python that a call runs, `statements` the SQL of every connection opened meanwhile.
`grows_linearly` compares the steps of two sizes. What only a clock could tell (a regular expression that backtracks)
runs under `ending`, which aborts after minutes of CPU what usually takes milliseconds; it measures nothing.
Waiting is for something to happen: `wait_for` gives up only when nobody would wait any longer.
"""

from __future__ import annotations

import gc
import signal
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import pytest

__all__ = ["PATIENCE_S", "ending", "grows_linearly", "statements", "steps", "wait_for"]

PATIENCE_S = 120  # nobody who runs the tests waits longer for one of them


def steps(call: Callable[[], object]) -> int:
    """How many lines of Python a call runs, in every function that it calls."""
    count = 0

    def trace(_frame: FrameType, event: str, _arg: object) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    gc.disable()  # others have callbacks in the collector, whose lines would count
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)
        gc.enable()
    return count


def grows_linearly(work: Callable[[int], object], size: int = 2_000, times: int = 4) -> None:
    """Assert that the steps of `work(size)` grow no faster than its size; quadratic work would take `times` squared."""
    work(size // 2)  # what is compiled or imported the first time
    few, many = steps(lambda: work(size)), steps(lambda: work(size * times))
    assert many <= 1.5 * times * few + 500, f"{few} steps for {size}, {many} for {times} times as much"


@contextmanager
def ending(cpu_seconds: int = 60) -> Iterator[None]:
    """Abort what does not end. The limit is on the CPU of this process, which other processes do not use up."""
    if not hasattr(signal, "ITIMER_PROF") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(_signal: int, _frame: FrameType | None) -> None:
        pytest.fail(f"still at it after {cpu_seconds} s of CPU")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, cpu_seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@contextmanager
def statements(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The SQL that is run on every connection opened while this lasts, in order."""
    seen: list[str] = []
    connect = sqlite3.connect

    def traced(*args: Any, **options: Any) -> sqlite3.Connection:
        db = connect(*args, **options)
        db.set_trace_callback(seen.append)
        return db

    with monkeypatch.context() as patched:
        patched.setattr(sqlite3, "connect", traced)
        yield seen


def wait_for(happened: Callable[[], object], what: str = "it", poll_s: float = 0.02) -> None:
    """Wait until something has happened; fail only when it evidently never will."""
    until = time.monotonic() + PATIENCE_S
    while not happened():
        if time.monotonic() > until:
            pytest.fail(f"{what} did not happen")
        time.sleep(poll_s)
