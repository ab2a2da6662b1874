"""`axm sources`, and reading the sessions of some agents only."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.sources.agents import AGENTS, AgentHome, expected
from tests.surfaces.command import Axm, Said

AxmIn = Callable[..., Said]


@pytest.fixture
def home(tmp_path: Path) -> AgentHome:
    return AgentHome(tmp_path, "pi")


@pytest.fixture
def axm_in(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> AxmIn:
    def run(environ: dict[str, str], *args: str) -> Said:
        for name, value in environ.items():
            monkeypatch.setenv(name, value)
        for name in ("CLAUDE_CONFIG_DIR", "XDG_CONFIG_HOME"):
            monkeypatch.delenv(name, raising=False)
        return Axm(capsys)(*args)

    return run


def test_an_agent_is_listed_with_what_was_found(home: AgentHome, axm_in: AxmIn) -> None:
    before = axm_in(home.environ, "sources")
    assert before.code == 0 and "not indexed yet; run: axm index" in before.err
    home.memory().index()
    done = axm_in(home.environ, "sources")
    (row,) = [line for line in done.out.splitlines() if line.startswith("pi")]
    assert row.split()[1] == str(len(expected("pi")["sessions"])) and "~/.pi/agent/sessions" in row
    assert "Not found:" in done.err and "Claude Code" in done.err


def test_all_shows_where_the_others_are_looked_for(home: AgentHome, axm_in: AxmIn) -> None:
    done = axm_in(home.environ, "sources", "--all")
    assert "not there: ~/.claude" in done.out and "Not found" not in done.err


def test_the_same_for_a_program(home: AgentHome, axm_in: AxmIn) -> None:
    home.memory().index()
    found = {one["name"]: one for one in json.loads(axm_in(home.environ, "sources", "--json").out)["sources"]}
    assert set(found) == {"claude-code", *AGENTS}
    assert found["pi"]["sessions"] == 2 and found["pi"]["newest"] > 0 and not found["pi"]["is_off"]


def test_where_there_is_no_agent_it_says_so(tmp_path: Path, axm_in: AxmIn) -> None:
    done = axm_in(AgentHome(tmp_path).environ, "sources")
    assert done.code == 1 and "Not found:" in done.err and not done.out


def test_records_that_nobody_knows_are_said(home: AgentHome, axm_in: AxmIn) -> None:
    file = next(home.user.rglob("*.jsonl"))
    with file.open("a") as out:
        out.write('{"type": "hologram"}\n')
    home.memory().index()
    assert (
        "Pi has records of types that are not known yet, and not read: hologram (1)"
        in axm_in(home.environ, "sources").err
    )


def test_only_one_agent_is_read(home: AgentHome, axm_in: AxmIn) -> None:
    done = axm_in(home.environ, "index", "--no-learn", "--source", "claude-code")
    assert done.code == 0 and home.rows("select count(*) from sessions") == [(0,)]
    axm_in(home.environ, "index", "--no-learn", "--source", "pi")
    assert home.rows("select count(*) from sessions") == [(2,)]


def test_an_agent_that_there_is_not_is_refused(home: AgentHome, axm_in: AxmIn) -> None:
    done = axm_in(home.environ, "index", "--source", "pie")
    assert done.code == 2 and "there is no source 'pie'" in done.err and "claude-code" in done.err


def test_an_agent_can_be_left_out_and_what_is_known_of_it_stays(home: AgentHome, axm_in: AxmIn) -> None:
    home.memory().index()
    environ = {**home.environ, "AXM_SOURCES_OFF": "pi"}
    report = home.memory(AXM_SOURCES_OFF="pi").index()
    assert (report.unchanged, report.missing) == (0, 0)
    assert "off (sources.off)" in axm_in(environ, "sources").out
    done = axm_in(environ, "index", "--source", "pi")
    assert done.code == 2 and "take its name out of sources.off" in done.err


def test_a_folder_elsewhere_is_read_too(home: AgentHome, tmp_path: Path) -> None:
    (home.user / ".pi").rename(tmp_path / "backup")
    home.memory(AXM_SOURCES_ROOTS=f"pi={tmp_path}/backup/agent/sessions").index()
    assert home.rows("select count(*) from sessions") == [(2,)]


def test_doctor_names_the_agents_that_are_not_there_in_one_line(home: AgentHome, axm_in: AxmIn) -> None:
    done = axm_in(home.environ, "doctor")
    (line,) = [line for line in done.out.splitlines() if "Claude Code" in line and "not found" in line]
    assert "axm sources --all" in line


@pytest.mark.parametrize("agent", AGENTS)
def test_what_was_found_is_found_in_every_list(agent: str, tmp_path: Path, axm_in: AxmIn) -> None:
    """Also of an agent that has no folder of its own: Aider's histories lie in repositories."""
    home = AgentHome(tmp_path, agent)
    home.memory().index()
    (row,) = [line for line in axm_in(home.environ, "sources").out.splitlines() if line.startswith(agent)]
    assert "~" in row and "not there" not in row
    lines = axm_in(home.environ, "doctor").out.splitlines()
    assert [line for line in lines if line.startswith(f"✓ {agent} ")]
    assert len([line for line in lines if line.startswith(f"· {agent}")]) <= 3, (
        "many places without anything are one line"
    )
