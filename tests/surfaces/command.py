"""The command line in the tests' process, on one world: `axm("entries", "--json").json`."""

from __future__ import annotations

import json
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

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *args: str) -> Said:
        self._capsys.readouterr()
        try:
            code = main(list(args))
        except SystemExit as error:
            code = int(error.code or 0)
        return Said(code, *self._capsys.readouterr())

    def ids(self, *args: str) -> list[str]:
        (rows,) = [value for value in self(*args, "--json").json.values() if isinstance(value, list)]
        return [row["id"] for row in rows]
