"""Very many files: 50,000 with `make torture`. All are indexed; then nothing new opens none, and one that grew one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.torture.figures import note
from tests.torture.options import option
from tests.transcripts import Lines, World

FILES = option("FILES", 300)
_opened: list[str] | None = None


@contextmanager
def opened() -> Iterator[list[str]]:
    """The transcripts that are opened while this lasts."""
    global _opened
    _opened = []
    try:
        yield _opened
    finally:
        _opened = None


def _watch(event: str, args: tuple[object, ...]) -> None:
    if event == "open" and _opened is not None and str(args[0]).endswith(".jsonl"):
        _opened.append(os.fsdecode(args[0]) if isinstance(args[0], (str, bytes)) else str(args[0]))


@pytest.fixture(scope="module", autouse=True)
def _audited() -> None:
    import sys

    sys.addaudithook(_watch)


def test_many_files(world: World) -> None:
    for n in range(FILES):
        lines = Lines(f"session-{n:05}", cwd=f"/p/{n % 500}")
        lines.prompt(f"please look at station {n}")
        lines.answer("Done.")
        world.write(lines, folder=f"-p-{n % 500}")
    world.memory().index()
    assert world.one("select count(*) from sessions") == FILES
    with opened() as files:
        report = world.memory().index()
    assert (files, report.new, report.updated) == ([], 0, 0)
    more = Lines("session-00007", cwd="/p/7")
    more.prompt("and at station seven", uuid="more")
    grown = world.path("session-00007", "-p-7")
    world.append(more.data(), "session-00007", "-p-7")
    with opened() as files:
        report = world.memory().index()
    assert set(files) == {str(grown)} and report.updated == 1
    assert world.memory().verify() == []
    note("files", f"{FILES:,} files; nothing new: 0 opened, one grew: 1 opened")
