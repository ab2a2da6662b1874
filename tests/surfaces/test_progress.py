"""Progress: on a terminal only, gone when it is done; and JSON of commands that change settings."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from axiommind.surfaces.render.progress import Bar, LongWork
from tests.counting import wait_for
from tests.shell import axm
from tests.transcripts import World


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_waiting_says_what_is_done_and_is_removed() -> None:
    screen = Terminal()
    with LongWork("Checking", screen, after_s=0):
        wait_for(lambda: "Checking …" in screen.getvalue(), "the line")
    assert screen.getvalue().endswith("\r\x1b[K")


def test_what_is_quick_says_nothing() -> None:
    screen = Terminal()
    with LongWork("Checking", screen, after_s=1_000):
        pass
    assert screen.getvalue() == ""


def test_it_is_removed_when_the_work_fails() -> None:
    screen = Terminal()
    with pytest.raises(ValueError), LongWork("Checking", screen, after_s=0):
        wait_for(lambda: "Checking …" in screen.getvalue(), "the line")
        raise ValueError
    assert screen.getvalue().endswith("\r\x1b[K")


def test_nothing_is_written_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    pipe = io.StringIO()
    with LongWork("Checking", pipe, after_s=0):
        pass
    bar = Bar("Indexing")
    for done in range(1_000):
        bar(done, 1_000)
    bar.close()
    assert pipe.getvalue() == capsys.readouterr().err == ""


def test_installing_is_told_as_json(tmp_path: Path) -> None:
    world = World(tmp_path)
    done = axm(world, "install", "claude-code", "--json", "--model", "off")
    told = json.loads(done.stdout)
    assert done.returncode == 0 and told["schema"] == "axm.install.v1"
    assert told["agents"] == [{"agent": "claude-code", "exit_code": 0, "error": None, "hint": None}]
    gone = json.loads(axm(world, "uninstall", "claude-code", "--json").stdout)
    assert gone["agents"][0]["exit_code"] == 0
    shown = json.loads(axm(world, "install", "claude-code", "--json", "--print").stdout)
    assert shown["changed"] is False
