"""Completion: scripts that know the commands, and values that are asked for."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from axiommind.projects import slug
from axiommind.reports.completing import KINDS
from tests.learning.sessions import Session
from tests.shell import axm
from tests.transcripts import AS_AGENT, World


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    world = World(tmp_path_factory.mktemp("completion"))
    for n, project in enumerate(("weather", "a harbour")):
        folder = world.base / project
        folder.mkdir()
        lines = Session(f"{n}a3f1111-aaaa", cwd=str(folder))
        lines.start(n * 100)
        lines.prompt(f"Measure the wind 바람 in station {n}")
        lines.ask(f"Which database does station {n} use?", "SQLite")
        lines.task(f"Ship release {n}")
        world.write(lines, folder=slug(str(folder)))
    world.memory().index()
    world.memory().learning.run(extractor="rules")
    axm(world, "workflow", "create", "Spring cleaning")
    axm(world, "pad", "create", "Notes of the day", "--text", "x")
    entry = values(world, "entries")[0]
    axm(world, "deprecate", entry, "--reason", "wrong", **AS_AGENT)
    return world


def values(world: World, kind: str, start: str = "", cwd: Path | None = None) -> list[str]:
    done = axm(world, "completion", "--values", kind, "--starting", start, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return [line.split("\t")[0] for line in done.stdout.splitlines()]


@pytest.mark.parametrize("kind", sorted({*KINDS} - {"pads", "conflicts", "decisions", "conditions"}))
def test_every_kind_has_values_that_begin_so(world: World, kind: str) -> None:
    found = values(world, kind)
    assert found
    start = found[0][:5]
    assert values(world, kind, start) == [one for one in found if one.startswith(start)]
    assert values(world, kind, "nothing begins so") == []


def test_the_project_of_this_folder_comes_first(world: World) -> None:
    for project, session in (("weather", "0a3f1111"), ("a harbour", "1a3f1111")):
        here = world.base / project
        assert values(world, "projects", cwd=here)[0] == str(here)
        assert values(world, "sessions", cwd=here)[0] == session


def test_what_is_completed_is_taken(world: World) -> None:
    for kind, words in (
        ("sessions", ("handoff",)),
        ("entries", ("entry", "show")),
        ("tasks", ("task", "show")),
        ("proposals", ("proposal", "show")),
        ("workflows", ("workflow", "show")),
        ("ids", ("show",)),
    ):
        assert axm(world, *words, values(world, kind)[0]).returncode == 0, kind
    assert axm(world, "search", "--project", values(world, "projects")[0], "wind").returncode == 0


def test_where_there_is_nothing_it_is_quiet(tmp_path: Path) -> None:
    done = axm(World(tmp_path), "completion", "--values", "sessions")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert axm(World(tmp_path), "completion", "--values", "planets").returncode == 2
    assert axm(World(tmp_path), "completion").returncode == 2


BIN = Path(sys.executable).parent
SHELLS = {
    "bash": 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _axm; printf "%s\\n" "${COMPREPLY[@]}"',
    "fish": 'source $argv[1]; complete -C (string join -- " " $argv[2..-1]) | string replace -r "\\t.*" ""; true',
}


def completed(world: World, shell: str, *words: str) -> list[str]:
    if shutil.which(shell) is None:
        pytest.skip(f"needs {shell}")
    script = world.base / f"axm.{shell}"
    script.write_text(axm(world, "completion", shell).stdout)
    first = [SHELLS[shell], "--", str(script)] if shell == "fish" else [SHELLS[shell], shell, str(script)]
    environ = world.environ | {"PATH": f"{BIN}:{world.environ['PATH']}"}
    done = subprocess.run(
        [shell, "-c", *first, *words],
        env=environ,
        cwd=world.base / "weather",
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split("\n")[:-1]


@pytest.mark.parametrize("shell", SHELLS)
def test_shells_complete_values(world: World, shell: str) -> None:
    assert "0a3f1111" in completed(world, shell, "axm", "resume", "0a")
    assert "0a3f1111" in completed(world, shell, "axm", "search", "--session", "0a")
    (task, *_) = values(world, "tasks", cwd=world.base / "weather")
    assert task in completed(world, shell, "axm", "task", "show", "tsk_")
    assert "show" in completed(world, shell, "axm", "entry", "sh")


def test_in_bash_a_folder_with_a_blank_is_one_word(world: World) -> None:
    start = str(world.base / "a")
    assert f"{world.base}/a\\ harbour" in completed(world, "bash", "axm", "search", "--project", start)


def test_options_are_still_completed_where_an_id_may_stand(world: World) -> None:
    assert "--session" in completed(world, "bash", "axm", "show", "--sess")
