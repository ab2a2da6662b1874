"""A command in a terminal of its own (pexpect), and what a person sees there (pyte)."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any, Self

import pytest

from tests.counting import PATIENCE_S
from tests.transcripts import World

__all__ = ["DOWN", "ENTER", "ESCAPE", "TAB", "Screen"]

ENTER, ESCAPE, DOWN, TAB = "\r", "\x1b", "\x1b[B", "\t"


class Screen:
    """`with Screen(world, "resume") as screen:`; leaving it waits for the end of the command."""

    def __init__(
        self,
        world: World,
        *args: str,
        cwd: Path | None = None,
        rows: int = 30,
        columns: int = 100,
        **environ: str,
    ) -> None:
        self._expect: Any = pytest.importorskip("pexpect", reason="needs pexpect")
        screens: Any = pytest.importorskip("pyte", reason="needs pyte")
        if not hasattr(self._expect, "spawn"):
            pytest.skip("there are no such terminals on Windows")
        self._screen = screens.Screen(columns, rows)
        self._stream = screens.ByteStream(self._screen)
        self.sent = b""  # everything that the command wrote
        self._child = self._expect.spawn(
            sys.executable,
            ["-m", "axiommind", *args],
            cwd=str(cwd or world.base),
            env={"TERM": "xterm-256color", "LANG": "C.UTF-8", **world.environ, **environ},
            dimensions=(rows, columns),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.ended()
        self._child.close(force=True)

    @property
    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self._screen.display).rstrip()

    @property
    def lines(self) -> list[str]:
        return self.text.split("\n")

    def press(self, keys: str) -> None:
        self._child.send(keys)

    def shows(self, text: str, *, gone: str = "") -> None:
        """Wait until it is there, and the other not any more."""
        self._wait(lambda: text in self.text and (not gone or gone not in self.text), f"{text!r}")

    def ended(self) -> int:
        """Wait for the end; returns the exit code."""
        if not self._child.closed:
            self._wait(lambda: self._look() is False, "the end")
            self._child.close()
        return int(self._child.exitstatus if self._child.exitstatus is not None else -1)

    def _wait(self, is_so: Any, what: str) -> None:
        """Gives up after a while, and asserts nothing about time."""
        for _ in range(PATIENCE_S * 20):
            if is_so():
                return
            self._look()
        pytest.fail(f"{what} did not come:\n{self.text}")

    def _look(self) -> bool:
        """Take in what came; False when there will be no more."""
        try:
            came = self._child.read_nonblocking(65_536, timeout=0.05)
        except self._expect.TIMEOUT:
            time.sleep(0.01)
            return True
        except self._expect.EOF:
            return False
        self.sent += came
        self._stream.feed(came)
        return True
