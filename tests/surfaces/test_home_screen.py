"""`axm` alone on a terminal: one screen of where the work stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from axiommind.memory import Scope
from axiommind.projects import slug
from axiommind.surfaces.render.table_layout import width
from tests.learning.sessions import Session
from tests.screens import Screen
from tests.shell import axm, axm_process
from tests.transcripts import AS_AGENT, Lines, World

WORDS = (
    "Measure the wind over the harbour",
    "항구의 바람을 측정해 주세요",
    "请测量港口的风速并记录",
    "港の風速を測定してください",
)


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path)
    work = tmp_path / "weather"
    work.mkdir()
    for n, words in enumerate(WORDS):
        lines = Session(f"{n}{n}{n}{n}aaaa-bbbb", cwd=str(work))
        lines.start(n * 100)
        lines.prompt(f"{words} ({n})")
        lines.ask(f"Which database does station {n} use?", "SQLite")
        lines.task(f"Ship release {n}")
        lines.answer(f"All stations of harbour {n} are measured, and their tests pass.")
        world.write(lines, folder=slug(str(work)))
    world.memory().index()
    world.memory().learning.run(extractor="rules")
    return world


def test_what_is_open_here_what_was_last_and_how_to_go_on(world: World) -> None:
    with Screen(world, cwd=world.base / "weather", rows=40, columns=100) as screen:
        assert screen.ended() == 0
    assert screen.lines[0].startswith("weather") and "4 sessions" in screen.lines[0]
    for text in (WORDS[3], "harbour 3 are measured", "axm resume 3333aaaa", "Before that", WORDS[1], "Ship release 3"):
        assert text in screen.text, text
    assert "Which database does station 3 use? → SQLite" in screen.text


@pytest.mark.parametrize(("rows", "columns"), [(24, 80), (24, 60), (30, 100), (50, 140)])
def test_it_is_one_screen(world: World, rows: int, columns: int) -> None:
    """The prompt of the shell has a line of it, too."""
    with Screen(world, cwd=world.base / "weather", rows=rows, columns=columns) as screen:
        assert screen.ended() == 0
    assert screen.lines[0].startswith("weather"), "nothing was scrolled away"
    assert len(screen.lines) < rows and max(map(width, screen.lines)) <= columns


def test_elsewhere_it_is_about_all_projects(world: World) -> None:
    with Screen(world, rows=40) as screen:
        screen.shows("All projects")
        screen.shows(f"weather: {WORDS[3]}")


def test_a_session_that_cannot_be_resumed_is_handed_over(world: World) -> None:
    world.path("3333aaaa-bbbb", slug(str(world.base / "weather"))).unlink()
    with Screen(world, cwd=world.base / "weather", rows=40) as screen:
        screen.shows("axm handoff 3333aaaa --run")
        assert "axm resume 3333aaaa" not in screen.text


def test_what_waits_for_a_person_is_said(world: World) -> None:
    (entry,) = world.memory().entries.list(Scope(None), limit=1)
    axm(world, "entry", "deprecate", entry.entry.entry_id, "--reason", "wrong", **AS_AGENT)
    with Screen(world, cwd=world.base / "weather", rows=40) as screen:
        screen.shows("1 proposal of an agent waits for you: axm review")


def test_what_is_new_is_read_first(world: World) -> None:
    lines = Lines("9999aaaa-bbbb", cwd=str(world.base / "weather"))
    lines.prompt("Count the boats in the harbour of today", at=5_000)
    world.write(lines, folder=slug(str(world.base / "weather")))
    with Screen(world, cwd=world.base / "weather", rows=40) as screen:
        screen.shows("Count the boats")
        screen.shows("What was asked last has no answer.")


def test_where_nothing_is_known_it_says_how_to_begin(tmp_path: Path) -> None:
    with Screen(World(tmp_path)) as screen:
        screen.shows("axm start --sample")
    assert not (tmp_path / "home").exists() or not any((tmp_path / "home").iterdir()), "nothing was made"


def test_without_a_terminal_it_is_the_help_as_before(world: World) -> None:
    done = axm_process(world)
    assert done.returncode == 2 and "usage: axm COMMAND" in done.stderr and not done.stdout
