"""`axm resume`: picking a session by typing, and going on with it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from axiommind.memory import Scope
from axiommind.reports.resuming import ResumableSession, matching
from tests.screens import DOWN, ENTER, ESCAPE, TAB, Screen
from tests.shell import axm
from tests.transcripts import AS_AGENT, Lines, World

AGENT = """#!/bin/sh
printf '%s\\n' "$PWD" "$@" > "$AGENT_SAYS"
exit ${AGENT_CODE:-0}
"""
SESSIONS = {
    "5f3a1111-aaaa": ("Measure the wind over the harbour", "The wind is measured."),
    "6b2c2222-bbbb": ("항구의 바람을 측정해 주세요", "측정했습니다. The anemometer was broken."),
    "7d4e3333-cccc": ("请测量港口的风速 and write it down", "写好了。"),
    "8e5f4444-dddd": ("Build the landing page of the website", "Built."),
}


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Four sessions in a folder that is there, and an agent that says how it was started."""
    world = World(tmp_path)
    work = tmp_path / "weather"
    work.mkdir()
    for n, (session, (asked, said)) in enumerate(SESSIONS.items()):
        lines = Lines(session, cwd=str(work))
        lines.prompt(asked, at=n * 100)
        lines.answer(said, at=n * 100 + 1)
        world.write(lines)
    bin_ = tmp_path / "bin"
    bin_.mkdir()
    (bin_ / "claude").write_text(AGENT)
    (bin_ / "claude").chmod(0o755)
    return world


def started(world: World) -> dict[str, str]:
    """The environment in which the agent is found, and says what it was given."""
    path = f"{world.base / 'bin'}:{world.environ['PATH']}"
    return {"PATH": path, "AGENT_SAYS": str(world.base / "said")}


def told(world: World) -> list[str]:
    return (world.base / "said").read_text().splitlines()


def sessions(world: World) -> list[ResumableSession]:
    memory = world.memory()
    memory.index()
    return memory.reports.resuming.sessions(Scope(None))


def test_the_newest_session_comes_first(world: World) -> None:
    assert [one.id for one in sessions(world)] == list(SESSIONS)[::-1]


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("wind", "5f3a1111-aaaa"),
        ("WIND harbour", "5f3a1111-aaaa"),
        ("바람", "6b2c2222-bbbb"),
        ("风速", "7d4e3333-cccc"),
        ("lndg", "8e5f4444-dddd"),
        ("7d4e", "7d4e3333-cccc"),
        ("claude landing", "8e5f4444-dddd"),
    ],
)
def test_words_mean_a_session(world: World, words: str, meant: str) -> None:
    assert [one.id for one in matching(sessions(world), words)] == [meant]


def test_words_that_mean_none_find_none_and_none_at_all_finds_all(world: World) -> None:
    known = sessions(world)
    assert matching(known, "submarine") == [] and matching(known, "  ") == known


def test_without_a_terminal_the_commands_are_printed(world: World) -> None:
    done = axm(world, "resume", "wind")
    assert done.returncode == 0
    assert done.stdout == f"cd {world.base / 'weather'} && claude --resume 5f3a1111-aaaa\n"
    assert "Measure the wind" in done.stderr
    (one,) = json.loads(axm(world, "resume", "wind", "--json").stdout)["sessions"]
    assert one["resume"] == ["claude", "--resume", "5f3a1111-aaaa"] and one["where"] == str(world.base / "weather")


def test_what_was_said_in_a_session_finds_it_where_no_title_does(world: World) -> None:
    assert "6b2c2222-bbbb" in axm(world, "resume", "anemometer", "--print").stdout
    done = axm(world, "resume", "submarine")
    assert done.returncode == 1 and not done.stdout and "submarine" in done.stderr


def test_a_transcript_that_is_gone_is_said_and_no_dead_command_is_printed(world: World) -> None:
    axm(world, "index")
    world.path("5f3a1111-aaaa").unlink()
    done = axm(world, "resume", "5f3a", "--print")
    assert done.returncode == 1 and not done.stdout
    assert "gone from disk" in done.stderr and "axm handoff 5f3a1111" in done.stderr


def test_an_agent_starts_no_agent(world: World) -> None:
    axm(world, "index")
    with Screen(world, "resume", "5f3a1111", **AS_AGENT, **started(world)) as screen:
        screen.shows("only a person can start an agent")
    assert not (world.base / "said").exists()


def test_a_session_is_picked_by_typing_and_goes_on_in_its_folder(world: World) -> None:
    with Screen(world, "resume", **started(world)) as screen:
        screen.shows("4 found")
        screen.shows("Built.")  # the glance of the newest
        screen.press("wind")
        screen.shows("The wind is measured.", gone="landing page")
        screen.press(ENTER)
        assert screen.ended() == 0
        assert "&& claude --resume 5f3a1111-aaaa" in screen.text.replace("\n", "")  # a long path wraps
    assert told(world) == [str(world.base / "weather"), "--resume", "5f3a1111-aaaa"]


def test_arrows_choose_and_words_of_the_command_line_are_typed_already(world: World) -> None:
    with Screen(world, "resume", "claude", **started(world)) as screen:
        screen.shows("4 found")
        screen.press(DOWN)
        screen.shows("写好了")
        screen.press(ENTER)
    assert told(world)[-1] == "7d4e3333-cccc"


def test_escape_starts_nothing_and_leaves_the_screen_as_it_was(world: World) -> None:
    with Screen(world, "resume", **started(world)) as screen:
        screen.shows("4 found")
        screen.press(ESCAPE)
        assert screen.ended() == 1
        assert b"\x1b[?1049l" in screen.sent, "the other screen is left"
    assert not (world.base / "said").exists()


def test_what_was_said_is_found_after_a_moment(world: World) -> None:
    with Screen(world, "resume", **started(world)) as screen:
        screen.shows("4 found")
        screen.press("anemometer")
        screen.shows("said in it:")
        screen.press(ENTER)
    assert told(world)[-1] == "6b2c2222-bbbb"


def test_tab_hands_over_instead(world: World) -> None:
    with Screen(world, "resume", "landing", **started(world)) as screen:
        screen.shows("1 found")
        screen.press(TAB)
        screen.shows("Starting Claude Code")
    assert "landing page" in "\n".join(told(world)) and "--resume" not in told(world)


@pytest.mark.parametrize("answer", ["y", "n"])
def test_of_a_session_that_is_gone_a_handoff_is_offered(world: World, answer: str) -> None:
    axm(world, "index")
    world.path("8e5f4444-dddd").unlink()
    with Screen(world, "resume", "landing", **started(world)) as screen:
        screen.shows("† ")
        screen.press(ENTER)
        screen.shows("with a handoff of it instead?")
        screen.press(f"{answer}{ENTER}")
        assert screen.ended() == (0 if answer == "y" else 1)
    assert (world.base / "said").exists() == (answer == "y")


def test_an_agent_that_is_not_installed_or_fails_is_said(world: World) -> None:
    axm(world, "index")
    (world.base / "bin" / "claude").unlink()
    with Screen(world, "resume", "5f3a1111", **started(world) | {"PATH": "/nowhere"}) as screen:
        screen.shows("Claude Code is not installed")
    (world.base / "bin" / "claude").write_text(AGENT)
    (world.base / "bin" / "claude").chmod(0o755)
    with Screen(world, "resume", "5f3a1111", AGENT_CODE="3", **started(world)) as screen:
        screen.shows("ended with exit code 3")


def test_a_folder_that_is_not_here_is_said(world: World) -> None:
    axm(world, "index")
    (world.base / "weather").rmdir()
    with Screen(world, "resume", "5f3a1111", **started(world)) as screen:
        screen.shows("is not on this machine")


@pytest.mark.parametrize("columns", [40, 84, 130])
def test_every_width_shows_the_list_and_the_glance(world: World, columns: int) -> None:
    with Screen(world, "resume", columns=columns, rows=24, **started(world)) as screen:
        screen.shows("Built.")
        assert "landing" in screen.text and ("│" in screen.text) == (columns > 110)
        screen.press(ESCAPE)


def test_nothing_that_was_said_steers_the_terminal(tmp_path: Path) -> None:
    world = World(tmp_path)
    lines = Lines("5f3a1111", cwd=str(tmp_path))
    lines.prompt("Look at \x1b[2J\x1b]0;evil\x07 this \u202e text, please")
    lines.answer("I looked \x9b2J at it.")
    world.write(lines)
    with Screen(world, "resume") as screen:
        screen.shows("1 found")
        screen.shows("I looked")
        screen.press(ESCAPE)
    assert b"\x1b]0;evil" not in screen.sent and "\u202e".encode() not in screen.sent and b"\xc2\x9b" not in screen.sent


def test_the_library_of_the_picker_is_loaded_on_a_terminal_only(world: World) -> None:
    code = """if 1:
        import sys
        from axiommind.surfaces.cli import main
        main(["resume", "wind"])
        print(*(name for name in sys.modules if "prompt_toolkit" in name or "wcwidth" in name), file=sys.stderr)
    """
    done = subprocess.run([sys.executable, "-c", code], env=world.environ, capture_output=True, text=True, check=True)
    assert "claude --resume" in done.stdout and "prompt_toolkit" not in done.stderr
