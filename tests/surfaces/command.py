"""The command line in the tests' process, on one world: `axm("entries", "--json").json`."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from axiommind.surfaces.cli import main


class Said(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.out)
        return found


class Axm:
    """The command line in this process, on one world."""

    def __init__(self, capsys: pytest.CaptureFixture[str], be_person: Callable[[], None] = lambda: None) -> None:
        self._capsys = capsys
        self._be_person = be_person  # there is no token before there is a home

    def __call__(self, *args: str) -> Said:
        self._capsys.readouterr()
        self._be_person()
        try:
            code = main(list(args))
        except SystemExit as error:
            code = int(error.code or 0)
        return Said(code, *self._capsys.readouterr())

    def as_agent(self, *args: str) -> Said:
        """The same as an agent runs it."""
        person, self._be_person = self._be_person, lambda: os.environ.update(AXM_PERSON_TOKEN="")
        try:
            return self(*args)
        finally:
            self._be_person = person

    def ids(self, *args: str) -> list[str]:
        (rows,) = [value for value in self(*args, "--json").json.values() if isinstance(value, list)]
        return [row["id"] for row in rows]
