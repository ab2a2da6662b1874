"""Reading in the terminal: `axm show --session`, `axm open`, pagers and colours."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from axiommind.surfaces.render.terminal import GuardedStream, choose_colours, has_colours
from tests.learning.sessions import Session
from tests.screens import Screen
from tests.shell import axm
from tests.transcripts import World


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path)
    lines = Session("5f3a1111-aaaa")
    lines.prompt("Measure the wind 바람 over the harbour")  # line 1
    lines.use("Read", "def wind(): ...", file_path="/home/dev/weather/wind.py")  # 2, 3
    lines.use("Bash", "make: *** no rule to make target 'wind'", error=True, command="make wind")  # 4, 5
    lines.answer("There is no rule for it. I wrote one.\nIt works.")  # 6
    lines.prompt("Thank you, and now the tides")
    world.write(lines)
    world.memory().index()
    return world


def test_a_session_is_readable_from_start_to_end(world: World) -> None:
    text = axm(world, "show", "--session", "5f3a").stdout
    order = [
        "Measure the wind 바람",
        "✓ Read  wind.py",
        "✗ Bash  make wind",
        "no rule to make",
        "I wrote one.\nIt works.",
    ]
    places = [text.index(one, text.index("▌ You")) for one in order]
    assert places == sorted(places) and '{"' not in text
    assert "axm resume 5f3a1111" in text and "L4" in text


def test_with_tools_it_has_what_they_were_given_and_gave(world: World) -> None:
    assert "def wind(): ..." not in axm(world, "show", "--session", "5f3a").stdout
    text = axm(world, "show", "--session", "5f3a", "--tools").stdout
    assert "def wind(): ..." in text and '"command": "make wind"' in text


def test_it_is_json_too(world: World) -> None:
    told = json.loads(axm(world, "show", "--session", "5f3a", "--json", "--tools").stdout)
    assert told["schema"] == "axm.session.v1"
    assert [one["kind"] for one in told["items"]] == ["prompt", "tool", "tool", "answer", "prompt"]
    assert told["items"][1]["result"] == "def wind(): ..." and told["items"][2]["failed"] is True


def test_one_of_both_is_asked_for(world: World) -> None:
    for words in ((), ("abc", "--session", "5f3a"), ("abc", "--tools")):
        assert axm(world, "show", *words).returncode == 2
    assert axm(world, "show", "--session", "zzzz").returncode == 1


@pytest.mark.parametrize(
    ("line", "shown", "dim"),
    [(1, "Measure the wind", "✓ Read"), (3, "def wind(): ...", "✗ Bash"), (6, "I wrote one.", "✗ Bash")],
)
def test_a_citation_opens_what_was_said_or_came_back_there(world: World, line: int, shown: str, dim: str) -> None:
    text = axm(world, "open", f"5f3a:L{line}").stdout
    assert shown in text and dim in text and '"uuid"' not in text
    raw = axm(world, "open", f"5f3a:L{line}", "--raw").stdout
    assert f"▸ {line} │ {{" in raw and '"uuid"' in raw


def test_lines_without_words_are_shown_as_they_are(world: World) -> None:
    world.append(b'{"type":"summary","summary":"Wind","leafUuid":"x"}\n', "5f3a1111-aaaa")
    world.memory().index()
    assert '{"type":"summary"' in axm(world, "open", "5f3a:L8", "-C", "0").stdout


PAGER = """#!{python}
import sys
text = sys.stdin.read()
open({out!r}, "w").write(text)
"""


def pager(world: World) -> tuple[str, Path]:
    out, script = world.base / "paged", world.base / "pager"
    script.write_text(PAGER.format(python=sys.executable, out=str(out)))
    script.chmod(0o755)
    return str(script), out


def test_what_is_longer_than_the_screen_goes_to_the_pager(world: World) -> None:
    script, out = pager(world)
    with Screen(world, "show", "--session", "5f3a", rows=10, PAGER=script) as screen:
        assert screen.ended() == 0
        assert "wind" not in screen.text
    assert "\x1b[1mMeasure the wind" in out.read_text() and "▌ You" in out.read_text()


@pytest.mark.parametrize(
    ("rows", "words", "environ"),
    [
        (60, (), {}),
        (10, ("--no-pager",), {}),
        (10, (), {"PAGER": "cat"}),
        (10, (), {"PAGER": ""}),
        (10, ("--json",), {}),
    ],
)
def test_else_it_is_printed(world: World, rows: int, words: tuple[str, ...], environ: dict[str, str]) -> None:
    script, out = pager(world)
    with Screen(world, "show", "--session", "5f3a", *words, rows=rows, **({"PAGER": script} | environ)) as screen:
        assert screen.ended() == 0
        assert "tides" in screen.text
    assert not out.exists()


def test_less_is_left_with_q(world: World) -> None:
    with Screen(world, "show", "--session", "5f3a", rows=8, PAGER="less") as screen:
        screen.shows("Measure the wind")
        assert "tides" not in screen.text
        screen.press("q")
        assert screen.ended() == 0


@pytest.mark.parametrize(
    ("words", "environ", "coloured"),
    [
        ((), {}, True),
        (("--color", "never"), {}, False),
        ((), {"NO_COLOR": "1"}, False),
        (("--color", "always"), {"NO_COLOR": "1"}, True),
        ((), {"TERM": "dumb"}, False),
        ((), {"TERM": "dumb", "FORCE_COLOR": "1"}, True),
    ],
)
def test_colours_can_be_turned_off(
    world: World, words: tuple[str, ...], environ: dict[str, str], coloured: bool
) -> None:
    with Screen(world, "show", "--session", "5f3a", "--no-pager", *words, rows=60, **environ) as screen:
        assert screen.ended() == 0
    assert (b"\x1b[" in screen.sent) == coloured


def test_a_pipe_is_coloured_only_when_asked(world: World) -> None:
    assert "\x1b" not in axm(world, "show", "--session", "5f3a").stdout
    assert "\x1b[1mMeasure" in axm(world, "show", "--session", "5f3a", "--color", "always").stdout
    assert "\x1b" not in axm(world, "show", "--session", "5f3a", "--json", "--color", "always").stdout


def test_a_wish_replaces_what_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    choose_colours("auto")
    assert not has_colours(sys.stdout)
    choose_colours("always")
    assert has_colours(sys.stdout)
    choose_colours("never")
    assert not has_colours(sys.stdout)


def test_words_of_others_are_not_coloured_by_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even where colours are forced, only our few marks pass."""
    import io

    monkeypatch.setenv("FORCE_COLOR", "1")
    out = io.StringIO()
    GuardedStream(out).write("\x1b[1mours\x1b[0m \x1b[2J\x1b]0;evil\x07")
    assert out.getvalue() == "\x1b[1mours\x1b[0m \\u001b[2J\\u001b]0;evil\\u0007"
