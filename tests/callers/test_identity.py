"""Who is calling: a terminal that no agent runs, a token, or an agent."""

from __future__ import annotations

import json
import os
import stat
import sys
from pathlib import Path

import pytest

from axiommind.callers.agents import VARIABLES, agent_in_process
from axiommind.callers.identity import identify
from axiommind.callers.processes import UNKNOWN, ancestors
from axiommind.callers.tokens import PersonTokens
from axiommind.errors import NotFound, StoreError, UsageError
from axiommind.sources import names, start_command
from tests.shell import any_terminal, axm, axm_process, in_terminal, own_terminal
from tests.transcripts import AS_AGENT, World

SHELL = [["-zsh"], ["/usr/bin/tmux"], ["/sbin/init"]]


def kind(tmp_path: Path, environ: dict[str, str] | None = None, *, tty: bool = True, above: object = SHELL) -> str:
    found = identify(environ or {}, tmp_path, is_terminal=lambda: tty, running=lambda: above)  # type: ignore[arg-type,return-value]
    return "person" if found.is_person else "agent"


def test_a_terminal_that_no_agent_runs_is_a_persons(tmp_path: Path) -> None:
    assert kind(tmp_path) == "person"


def test_whoever_is_not_known_is_an_agent(tmp_path: Path) -> None:
    assert kind(tmp_path, tty=False) == "agent"
    assert kind(tmp_path, above=UNKNOWN) == ("person" if os.name == "nt" else "agent")


@pytest.mark.parametrize("name", [*VARIABLES, "AI_AGENT", "AGENT"])
def test_the_variables_of_agents_make_an_agent(tmp_path: Path, name: str) -> None:
    assert kind(tmp_path, {name: "1"}) == "agent"
    assert kind(tmp_path, {name: ""}) == kind(tmp_path, {name: "0"}) == "person"


@pytest.mark.parametrize(
    "environ",
    [
        {"TERM_PROGRAM": "vscode", "VSCODE_PID": "17", "CURSOR_TRACE_ID": "x"},
        {"CLAUDE_CODE_SSE_PORT": "1234", "ENABLE_IDE_INTEGRATION": "true"},
        {"CODEX_HOME": "/home/dev/.codex", "COPILOT_MODEL": "gpt", "GEMINI_API_KEY": "x", "CLAUDE_CONFIG_DIR": "/x"},
        {"CURSOR_EXTENSION_HOST_ROLE": "user"},
    ],
)
def test_what_editors_and_people_set_makes_nobody_an_agent(tmp_path: Path, environ: dict[str, str]) -> None:
    assert kind(tmp_path, environ) == "person"


@pytest.mark.parametrize(
    "command",
    [
        "/usr/local/bin/claude --resume",
        "node /home/dev/lib/node_modules/@earendil-works/pi-coding-agent/dist/cli.js",
        "claude.exe",
        "node /usr/lib/node_modules/@anthropic-ai/claude-code/cli.js",
        "node --no-warnings /opt/node/bin/gemini",
        "node /usr/lib/node_modules/@google/gemini-cli/dist/index.js",
        "/x/vendor/x86_64-unknown-linux-musl/bin/codex exec",
        "codex-x86_64-unknown-linux-musl",
        "codex-linux-sandbox -- bash",
        "/home/dev/.local/bin/cursor-agent",
        "/home/dev/.local/share/cursor-agent/versions/1/node index.js",
        "opencode run",
        "python3 -m aider",
        "/home/dev/venv/bin/python /home/dev/venv/bin/aider --model x",
        "sh /usr/local/bin/droid",
        "qwen",
        "C:\\Tools\\copilot.exe",
    ],
)
def test_an_agent_among_the_ancestors_makes_an_agent_even_in_a_terminal(tmp_path: Path, command: str) -> None:
    assert kind(tmp_path, above=[["-bash"], command.split(), ["/sbin/init"]]) == "agent"


@pytest.mark.parametrize("agent", [name for name in names() if start_command(name, "") is not None])
def test_every_agent_that_we_start_is_known_by_its_program(agent: str) -> None:
    assert agent_in_process(start_command(agent, "") or ()) is not None


@pytest.mark.parametrize(
    "command",
    [
        "/usr/share/cursor/cursor --type=renderer",
        "/usr/share/code/code --ms-enable-electron-run-as-node",
        "/opt/idea/bin/idea",
        "-zsh",
        "vim claude.md",
        "ssh codex@example.com",
        "node /srv/app/server.js --agent claude",
        "python manage.py gemini",
        "/home/dev/aider/.venv/bin/python build.py",
    ],
)
def test_an_editor_and_a_file_of_that_name_are_no_agents(command: str) -> None:
    assert agent_in_process(command.split()) is None


def test_the_ancestors_of_this_process_are_read() -> None:
    found = ancestors()
    assert any("python" in command[0] or "pytest" in " ".join(command) for command in found) or len(found) > 1


# --- tokens --------------------------------------------------------------------------------------------------


def test_a_token_makes_a_person_anywhere_and_only_its_hash_is_kept(tmp_path: Path) -> None:
    tokens = PersonTokens(tmp_path)
    token, made = tokens.make("nightly")
    assert token not in tokens.path.read_text(encoding="utf-8") and made.name == "nightly"
    assert os.name == "nt" or stat.S_IMODE(tokens.path.stat().st_mode) == 0o600
    assert kind(tmp_path, {"AXM_PERSON_TOKEN": token, "CLAUDECODE": "1"}, tty=False) == "person"
    for wrong in (token[:-1], token.upper(), "axmp_", made.hash, f"{token}x"):
        assert kind(tmp_path, {"AXM_PERSON_TOKEN": wrong}, tty=False) == "agent"


def test_who_holds_a_token_may_sit_at_a_terminal_too(tmp_path: Path) -> None:
    environ = {"AXM_PERSON_TOKEN": PersonTokens(tmp_path).make()[0]}
    for tty in (True, False):
        found = identify(environ, tmp_path, is_terminal=lambda tty=tty: tty, running=lambda: SHELL)  # type: ignore[misc]
        assert (found.is_person, found.at_terminal) == (True, tty)


def test_a_revoked_an_expired_and_a_foreign_token_are_nobodys(tmp_path: Path) -> None:
    tokens = PersonTokens(tmp_path)
    token, _ = tokens.make("a")
    old, _ = tokens.make("b", expires_at=1)
    assert tokens.find(token) is not None and tokens.find(old) is None
    assert PersonTokens(tmp_path / "other").find(token) is None
    tokens.revoke(["a"])
    assert tokens.find(token) is None and [one.name for one in tokens.list()] == ["b"]
    with pytest.raises(NotFound, match="no token 'a'"):
        tokens.revoke(["a"])
    with pytest.raises(UsageError, match="already"):
        tokens.make("b")


def test_a_damaged_file_of_tokens_makes_nobody_a_person(tmp_path: Path) -> None:
    tokens = PersonTokens(tmp_path)
    token, _ = tokens.make()
    tokens.path.write_text("[]", encoding="utf-8")
    assert tokens.find(token) is None
    with pytest.raises(StoreError, match="cannot be read"):
        tokens.list()


@pytest.fixture
def world(world: World) -> World:
    """One that has a home, and so a token."""
    world.home.mkdir(mode=0o700)
    return world


def test_a_token_cannot_make_a_token_and_neither_can_an_agent(world: World) -> None:
    said = axm(world, "person", "token")
    assert said.returncode == 1 and "a token does not make tokens" in said.stderr
    assert axm(world, "person", "token", **AS_AGENT).returncode == 1
    assert axm(world, "person", "revoke", "token-1", **AS_AGENT).returncode == 1
    assert [one.name for one in PersonTokens(world.home).list()] == ["token-1"]


def test_tokens_are_listed_and_revoked(world: World) -> None:
    token = world.person_token
    assert json.loads(axm(world, "person", "status", "--json").stdout)["caller"] == "person"
    listed = json.loads(axm(world, "person", "list", "--json").stdout)["tokens"]
    assert [one["name"] for one in listed] == ["token-1"] and "hash" not in str(listed)
    assert axm(world, "person", "revoke", "--all").returncode == 0
    status = axm(world, "person", "status", AXM_PERSON_TOKEN=token)
    assert status.returncode == 1 and "no valid token" in status.stdout
    assert axm(world, "person", "list", **AS_AGENT).returncode == 0, "this world has made another one by now"


def test_an_agent_that_holds_a_token_is_pointed_out(world: World) -> None:
    said = axm(world, "person", "status", CLAUDECODE="1")
    assert said.returncode == 0 and "Claude Code runs this and holds a person's token" in said.stderr
    assert "counts as yours" in axm(world, "doctor", CLAUDECODE="1").stdout
    assert "counts as yours" not in axm(world, "doctor").stdout


# --- processes, as they are ----------------------------------------------------------------------------------


def test_a_process_without_a_terminal_is_an_agent(world: World) -> None:
    said = axm_process(world, "person", "status", AXM_PERSON_TOKEN="")
    assert (said.returncode, said.stdout) == (1, "agent: standard input and output are not a terminal\n")


@any_terminal
def test_an_agents_program_above_a_terminal_makes_an_agent(world: World, tmp_path: Path) -> None:
    runner = tmp_path / "codex"  # an agent's command runner with a terminal, and a clean environment
    runner.write_text(f"#!/bin/sh\n{sys.executable} -m axiommind person status\n", encoding="utf-8")
    runner.chmod(0o755)
    assert "agent: Codex runs this terminal" in in_terminal(world, [str(runner)], AXM_PERSON_TOKEN="")


@own_terminal
def test_a_person_at_a_terminal_makes_a_token_that_works_without_one(world: World) -> None:
    said = in_terminal(
        world, [sys.executable, "-m", "axiommind", "person", "token", "--name", "script"], AXM_PERSON_TOKEN=""
    )
    (token,) = [word for word in said.split() if word.startswith("axmp_")]
    status = axm_process(world, "person", "status", AXM_PERSON_TOKEN=token)
    assert (status.returncode, status.stdout) == (0, "person: AXM_PERSON_TOKEN holds the token 'script'\n")
