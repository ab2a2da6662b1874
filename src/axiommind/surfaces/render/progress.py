"""Progress on stderr: only on a terminal, only for long work, and removed when it is done. A bar where it is known how
much there is, else how long it has taken.
"""

from __future__ import annotations

import sys
import threading
import time
from typing import Self, TextIO

__all__ = ["Bar", "LongWork"]

_PATIENCE = 0.4
_WIDTH = 30
_TICK_S = 0.5


class Bar:
    """Call it with (done, total); `close` removes it."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._started = time.monotonic()
        self._last = 0.0
        self._shown = False
        self._active = sys.stderr.isatty()

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if not self._active or total <= 0 or now - self._started < _PATIENCE or now - self._last < 0.1:
            return
        self._last = now
        self._shown = True
        share = min(done / total, 1.0)
        filled = int(share * _WIDTH)
        bar = "█" * filled + "░" * (_WIDTH - filled)
        left = (now - self._started) * (1 - share) / share if share > 0.02 else 0
        eta = f"  {left:.0f} s left" if left >= 1 else ""
        sys.stderr.write(f"\r\x1b[K{self._label} {bar} {share:4.0%}{eta}")
        sys.stderr.flush()

    def close(self) -> None:
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._shown = False


class LongWork:
    """`with LongWork("Checking"):` says after a second what is done, and for how long already."""

    def __init__(self, label: str, stream: TextIO | None = None, *, after_s: float = 1.0) -> None:
        self._label = label
        self._stream = stream or sys.stderr
        self._after_s = after_s
        self._done = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        if self._stream.isatty():
            self._thread = threading.Thread(target=self._say, daemon=True)
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        if self._thread is not None:
            self._thread.join()

    def _say(self) -> None:
        if self._done.wait(self._after_s):
            return
        started = time.monotonic() - self._after_s
        while True:
            self._stream.write(f"\r\x1b[K{self._label} … {time.monotonic() - started:.0f} s")
            self._stream.flush()
            if self._done.wait(_TICK_S):
                break
        self._stream.write("\r\x1b[K")
        self._stream.flush()
