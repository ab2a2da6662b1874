"""A progress bar on stderr: only on a terminal, only for long work, and removed when it is done."""

from __future__ import annotations

import sys
import time

__all__ = ["Bar"]

_PATIENCE = 0.4
_WIDTH = 30


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
