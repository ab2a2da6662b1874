"""The interactive client in a terminal of its own (pexpect, pyte): what is typed, and what is on the screen."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any, Self

import pytest

from tests.clients.claude_code import Person

__all__ = ["Terminal"]

_ROWS, _COLUMNS = 45, 130


class Terminal:
    """`with Terminal(person) as terminal:`; leaving it leaves the client as a person does."""

    def __init__(self, person: Person, *args: str) -> None:
        self._expect: Any = pytest.importorskip("pexpect", reason="needs pexpect: make test-clients")
        screens: Any = pytest.importorskip("pyte", reason="needs pyte: make test-clients")
        self.person = person
        self._args = [*person.permissions, *person.debugging(), *args]
        self._screen = screens.Screen(_COLUMNS, _ROWS)
        self._stream = screens.Stream(self._screen)

    def __enter__(self) -> Self:
        self.person.trust()
        self._child = self._expect.spawn(
            "claude",
            self._args,
            cwd=str(self.person.project),
            env=self.person.environ,
            dimensions=(_ROWS, _COLUMNS),
            encoding="utf-8",
        )
        self.wait(lambda: "❯" in self.text or ">" in self.text, "a prompt")
        self.look(1)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.type("/exit")
            self.wait(lambda: not self._child.isalive(), "the end")
        self._child.close(force=True)
        self.person.settle()

    @property
    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self._screen.display if line.strip())

    def type(self, text: str) -> None:
        self._child.send(text)
        self.look(0.5)  # what comes all at once is pasted, and its line end is no Enter
        self._child.send("\r")

    def wait(self, is_so: Callable[[], bool], what: str, seconds: float = 30) -> None:
        until = time.monotonic() + seconds
        while not is_so():
            assert time.monotonic() < until, f"{what} did not come:\n{self.text}\n{self._log()}"
            self.look(0.1)

    def look(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            try:
                self._stream.feed(self._child.read_nonblocking(65_536, timeout=left))
            except (self._expect.TIMEOUT, self._expect.EOF):
                return

    def _log(self) -> str:
        return json.dumps(self.person.calls()[-10:], indent=1)
