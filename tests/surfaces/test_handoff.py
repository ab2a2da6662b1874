"""`axm handoff`: printed, as JSON, into the clipboard, or as the first prompt of an agent that is started."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from axiommind.surfaces.cli import _starting_agent as starting
from tests.learning.sessions import Session
from tests.shell import Done, axm
from tests.transcripts import AS_AGENT, Lines, World

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the programs that stand for others are shell scripts")

# Nothing of this machine is found: no clipboard, no agent, no terminal.
BARE = {"DISPLAY": "", "WAYLAND_DISPLAY": "", "TERM": "dumb"}


def session(world: World, name: str = "s1") -> Lines:
    project = world.base / "weather"
    project.mkdir(exist_ok=True)
    lines = Session(name, str(project))
    lines.prompt("Please make the forecast load faster.")
    lines.use("Edit", file_path=f"{project}/forecast.py", old_string="a", new_string="b")
    lines.answer("It loads from a cache now.")
    return lines


def write(world: World, lines: Lines) -> None:
    world.write(lines, folder=str(lines.cwd).replace("/", "-").replace(".", "-").replace("_", "-"))


@pytest.fixture
def here(world: World) -> World:
    write(world, session(world))
    world.memory().index()
    return world


def program(world: World, name: str, script: str) -> dict[str, str]:
    """A program of this name that runs a script, and the environment in which it is the only one to be found."""
    folder = world.base / "bin"
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return {**BARE, "PATH": str(folder)}


def handoff(world: World, *args: str, **environ: str) -> Done:
    empty = world.base / "empty"
    empty.mkdir(exist_ok=True)
    return axm(world, "handoff", *args, cwd=world.base / "weather", **{**BARE, "PATH": str(empty), **environ})


def test_the_newest_session_of_this_folder_is_printed(here: World) -> None:
    done = handoff(here)
    assert done.returncode == 0 and done.stderr == ""
    assert "You take over the work of an earlier session (Claude Code, s1)" in done.stdout
    assert "Please make the forecast load faster." in done.stdout and "forecast.py" in done.stdout


def test_what_is_not_read_yet_is_read_first(world: World) -> None:
    write(world, session(world))
    assert "loads from a cache" in handoff(world).stdout  # before anything was indexed
    lines = session(world)
    lines.prompt("And the radar?")
    write(world, lines)
    assert "last, not answered: And the radar?" in handoff(world).stdout  # it goes on
    write(world, session(world, "s2"))
    assert "session s2" in handoff(world, "s2").stdout  # by a name that was not known


def test_what_was_decided_is_learned_first(world: World) -> None:
    lines = Session("s1", str(world.base / "weather"))
    (world.base / "weather").mkdir()
    lines.prompt("Set it up.")
    lines.ask("Which port does it listen on?", "8080")
    lines.answer("Done: it listens.")
    write(world, lines)
    assert "Which port does it listen on? → 8080" not in handoff(world).stdout  # it is off in tests
    assert "Which port does it listen on? → 8080" in handoff(world, AXM_LEARN="on").stdout


def test_as_json(here: World) -> None:
    done = handoff(here, "--json", "--budget", "900")
    record = json.loads(done.stdout)
    assert (record["schema"], record["to"], record["budget"]) == ("axm.handoff.v1", "claude-code", 900)
    assert record["session"]["id"] == "s1" and record["session"]["resume"] == ["claude", "--resume", "s1"]
    assert record["tokens"] <= 900 and record["text"].startswith("You take over")
    sections = {section["title"]: section["notes"] for section in record["sections"]}
    (asked,) = sections["Asked"]
    assert asked["text"] == "Please make the forecast load faster." and asked["citation"]["line_start"] == 1


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (("zzz",), 1, "there is no session 'zzz'"),
        (("s",), 1, "'s' fits 2 sessions: s1 ("),
        (("--to", "nobody"), 2, "invalid choice: 'nobody'"),
        (("--budget", "5"), 2, "'5' is not a number from 400 to 100000"),
        (("--run", "--copy"), 2, "not allowed with"),
        (("--run", "--json"), 2, "nothing to print as JSON"),
    ],
)
def test_mistakes_are_named(here: World, args: tuple[str, ...], code: int, said: str) -> None:
    write(here, session(here, "s2"))
    done = handoff(here, *args)
    assert (done.returncode, done.stdout) == (code, "") and said in done.stderr


def test_without_any_session_it_says_so(world: World) -> None:
    (world.base / "weather").mkdir()
    done = handoff(world)
    assert done.returncode == 1 and "there is no session" in done.stderr


def test_a_home_whose_log_is_lost_still_hands_over(here: World) -> None:
    log = here.home / "log.db"
    log.rename(here.home / "log.away")
    done = handoff(here)
    assert "not brought up to date" in done.stderr
    assert done.returncode == 0 and "Please make the forecast load faster." in done.stdout


# --- into the clipboard ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "needs"), [("pbcopy", ""), ("wl-copy", "WAYLAND_DISPLAY"), ("xclip", "DISPLAY"), ("xsel", "DISPLAY")]
)
def test_the_program_of_the_platform_copies(here: World, name: str, needs: str) -> None:
    environ = program(here, name, f"exec /bin/cat > {here.base}/copied")
    if needs:
        assert handoff(here, "--copy", **environ).returncode == 3  # there is no display that it could copy to
        environ[needs] = ":0"
    done = handoff(here, "--copy", **environ)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.startswith(f"Copied with {name}: the packet of session s1, ")
    assert (here.base / "copied").read_text() == handoff(here).stdout.rstrip("\n")


def test_windows_clipboard_takes_its_own_encoding(here: World) -> None:
    environ = program(here, "clip.exe", f"exec /bin/cat > {here.base}/copied")
    assert handoff(here, "--copy", **environ).returncode == 0
    assert (here.base / "copied").read_bytes().decode("utf-16").startswith("You take over")


@pytest.mark.parametrize("script", [None, "exit 1"])
def test_without_a_clipboard_it_is_printed_and_said(here: World, script: str | None) -> None:
    done = handoff(here, "--copy", **(program(here, "pbcopy", script) if script else {}))
    assert done.returncode == 3
    assert done.stdout.startswith("You take over") and "not copied: there is no clipboard here" in done.stderr


# --- starting the next agent -------------------------------------------------------------------------------------


def agent(world: World, exit_code: int = 0) -> dict[str, str]:
    """Claude Code, which writes down what it was started with."""
    out = world.base / "started"
    script = f"""
        printf '%s\\n' "$#" "$PWD" "${{AXM_PERSON_TOKEN:-no token}}" > {out}
        printf '%s' "$1" > {out}.prompt
        file="${{1##*in the file }}"
        case "$1" in *packet-*) /bin/cat "${{file%%: read all*}}" > {out}.file ;; esac
        exit {exit_code}"""
    return program(world, "claude", script)


def test_a_person_starts_an_agent_in_the_folder_of_the_project(here: World) -> None:
    done = handoff(here, "--to", "claude", "--run", **agent(here))
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert f"Starting Claude Code in {here.base / 'weather'} with the packet of session s1" in done.stderr
    started = (here.base / "started").read_text().splitlines()
    assert started == ["1", os.path.realpath(here.base / "weather"), "no token"]
    assert (here.base / "started.prompt").read_text() == handoff(here).stdout.rstrip("\n")


def test_an_agent_is_not_started_by_an_agent(here: World) -> None:
    done = handoff(here, "--run", **agent(here), **AS_AGENT)
    assert done.returncode == 1 and "only a person can start an agent" in done.stderr
    assert not (here.base / "started").exists()


def test_a_packet_too_long_for_an_argument_goes_through_a_file(here: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starting, "_MOST_ARGUMENT", 500)
    assert handoff(here, "--run", **agent(here)).returncode == 0
    prompt = (here.base / "started.prompt").read_text()
    assert len(prompt) < 500 and "in the file" in prompt
    assert (here.base / "started.file").read_text() == handoff(here).stdout.rstrip("\n")
    assert list((here.home / "handoffs").iterdir()) == []  # it is gone with the agent


def test_what_hinders_a_start_is_said(here: World) -> None:
    missing = handoff(here, "--run")
    assert missing.returncode == 1 and "Claude Code is not installed: there is no program 'claude'" in missing.stderr
    failed = handoff(here, "--run", **agent(here, exit_code=7))
    assert failed.returncode == 1 and "Claude Code ended with exit code 7" in failed.stderr
    (here.base / "weather").rename(here.base / "elsewhere")
    (here.base / "weather2").mkdir()
    gone = axm(here, "handoff", "s1", "--run", cwd=here.base / "weather2", **agent(here))
    assert gone.returncode == 1 and "is not on this machine" in gone.stderr


def test_a_worktree_is_where_it_goes_on(tmp_path: Path) -> None:
    project, inside, worktree = tmp_path / "app", tmp_path / "app" / "src", tmp_path / "trees" / "one"
    for folder in (inside, worktree):
        folder.mkdir(parents=True)
    assert starting.folder_of(str(project), str(inside)) == str(project)
    assert starting.folder_of(str(project), str(worktree)) == str(worktree)
    assert starting.folder_of(str(project), str(tmp_path / "gone")) == str(project)


def test_an_agent_whose_start_nobody_knows_is_said(here: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starting, "start_command", lambda *_: None)
    done = handoff(here, "--run", **agent(here))
    assert done.returncode == 1 and "not known how Claude Code is started with a prompt" in done.stderr


def test_forgetting_reaches_a_packet_that_a_crash_left(here: World) -> None:
    folder = here.home / "handoffs"
    folder.mkdir()
    (folder / "packet-x.md").write_text(handoff(here).stdout)
    assert axm(here, "forget", "--session", "s1", "--yes").returncode == 0
    assert list(folder.iterdir()) == []
    assert here.memory().verify() == []
