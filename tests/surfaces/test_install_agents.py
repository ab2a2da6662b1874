"""Wiring into every agent but Claude Code: the same promises for each, by its presence in the folder."""

from __future__ import annotations

import json
import re
import shlex
import time
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from axiommind.config import Config
from axiommind.errors import AxmError
from axiommind.surfaces import cli, install
from axiommind.surfaces.hooks.dialects import all_dialects, find
from axiommind.surfaces.install import Machine, Wishes, _program
from axiommind.surfaces.install._client import Client
from axiommind.surfaces.install._pieces import FilePiece, OwnFile, TextBlock
from axiommind.surfaces.install._wiring import by_file

CLIENTS = [name for name in install.agents() if name != "claude-code"]
OF_MACHINE = [name for name in CLIENTS if name != "agents-md"]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    user, cwd = tmp_path / "user", tmp_path / "project"
    for made in (user, cwd):
        made.mkdir(exist_ok=True)
    env = {"AXM_HOME": str(tmp_path / "axm"), "PATH": "/nowhere"}
    return Machine(Config.load(env), env, user, cwd)


def client(name: str) -> Client:
    found: Client = import_module(f"axiommind.surfaces.install.{name.replace('-', '_')}").CLIENT
    return found


def files(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def folders(folder: Path) -> set[str]:
    return {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_dir() and "axm" not in p.parts}


def put(name: str, machine: Machine, **wishes: Any) -> int:
    return install.load(name).install(machine, Wishes(**wishes))


def take(name: str, machine: Machine, **wishes: Any) -> int:
    return install.load(name).uninstall(machine, Wishes(**wishes))


def is_whole(piece: FilePiece) -> bool:
    """Whether its file is ours alone."""
    return isinstance(piece, OwnFile)


THEIRS = {"type": "command", "command": "their own", "timeout": 3}
# What a user has in each kind of file before us.
OWN_JSON = {
    "theme": "dark",
    "hooks": {
        "SessionStart": [{"matcher": "startup", "hooks": [THEIRS]}],
        "Stop": [{"hooks": [THEIRS]}],
        "stop": [{"command": "their own"}],
    },
    "mcpServers": {"other": {"command": "other", "args": []}},
    "mcp": {"other": {"type": "local", "command": ["other"]}, "servers": {"other": {"command": "other"}}},
    "plugins": {"load": {"paths": ["/their/own"]}, "entries": {"other": {"enabled": True}}},
}
OWN_TEXT = b'# mine\nmodel = "x"  # why\n\n[mcp_servers.other]\ncommand = "other"'


def fill(name: str, machine: Machine) -> None:
    """Put what a user may have into each file that is not ours alone."""
    for path, pieces in by_file(client(name).pieces(machine)).items():
        if any(map(is_whole, pieces)):
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(json.dumps(OWN_JSON, indent=4).encode() if path.suffix == ".json" else OWN_TEXT)


# --- promises ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CLIENTS)
@pytest.mark.parametrize("is_filled", [False, True], ids=["nothing", "filled"])
def test_uninstall_gives_back_the_bytes_and_installing_twice_is_once(
    name: str, is_filled: bool, machine: Machine
) -> None:
    if is_filled:
        fill(name, machine)
    root = machine.user.parent
    before, around = files(root), folders(root)
    assert put(name, machine) == 0
    once = files(root)
    assert once != before
    assert put(name, machine) == 0
    assert files(root) == once
    assert take(name, machine) == 0
    assert files(root) == before and folders(root) == around
    assert take(name, machine) == 0


@pytest.mark.parametrize("name", CLIENTS)
def test_what_the_user_has_stays_and_what_others_write_afterwards(name: str, machine: Machine) -> None:
    fill(name, machine)
    put(name, machine)
    edited = {}
    for path, pieces in by_file(client(name).pieces(machine)).items():
        if any(map(is_whole, pieces)):
            continue
        if path.suffix == ".json":
            data = json.loads(path.read_bytes())
            assert data["theme"] == "dark" and data["mcpServers"]["other"] == OWN_JSON["mcpServers"]["other"]  # type: ignore[index]
            data["theme"] = "light"
            path.write_text(json.dumps(data))
            edited[path] = {**OWN_JSON, "theme": "light"}
        else:
            path.write_bytes(path.read_bytes().replace(b"# mine", b"# still mine"))
    take(name, machine)
    for path, wanted in edited.items():
        assert json.loads(path.read_bytes()) == wanted
    for path in by_file(client(name).pieces(machine)):
        if path not in edited and path.exists():
            assert path.read_bytes().rstrip() == OWN_TEXT.replace(b"# mine", b"# still mine")


@pytest.mark.parametrize("name", CLIENTS)
def test_print_shows_it_and_writes_nothing(name: str, machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    fill(name, machine)
    before = files(machine.user.parent)
    assert put(name, machine, only_print=True) == 0
    shown = json.loads(capsys.readouterr().out)
    assert set(shown) == {str(path) for path in by_file(client(name).pieces(machine))}
    assert files(machine.user.parent) == before
    put(name, machine)
    now = files(machine.user.parent)
    take(name, machine, only_print=True)
    assert files(machine.user.parent) == now


@pytest.mark.parametrize("name", CLIENTS)
def test_what_cannot_be_understood_is_left_alone_and_so_is_the_rest(name: str, machine: Machine) -> None:
    for path, pieces in by_file(client(name).pieces(machine)).items():
        if all(isinstance(piece, TextBlock) for piece in pieces):
            broken = b"\xff"
        elif any(map(is_whole, pieces)):
            broken = b"somebody else wrote this\n"
        else:
            broken = b'{"a": 1, // mine\n' if path.suffix == ".json" else b"[a\n"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(broken)
        before = files(machine.user.parent)
        with pytest.raises(AxmError, match=re.escape(str(path))):
            put(name, machine)
        assert files(machine.user.parent) == before
        path.unlink()


def test_settings_with_comments_are_left_and_it_is_said_what_to_add(machine: Machine) -> None:
    path = machine.user / ".gemini" / "settings.json"
    path.parent.mkdir()
    path.write_text('{"theme": "dark"} // mine\n')
    with pytest.raises(AxmError, match="is not valid JSON: line 1") as refused:
        put("gemini", machine)
    said, _, shown = (refused.value.hint or "").partition("by hand:\n")
    assert "nothing was written" in said
    assert (
        json.loads(shown)["mcpServers"]["axiommind"]["args"][-1] == "mcp" and "AfterTool" in json.loads(shown)["hooks"]
    )


@pytest.mark.parametrize("name", OF_MACHINE)
def test_without_the_server_the_rest_is_wired(name: str, machine: Machine) -> None:
    put(name, machine, mcp=False)
    assert b"mcp" not in b"".join(raw for file, raw in files(machine.user).items() if "plugin" not in file)
    (check,) = install.load(name).checks(machine.config, machine.environ, machine.user)
    assert "MCP" not in check.text


@pytest.mark.parametrize("name", OF_MACHINE)
def test_doctor_says_whether_it_is_wired(name: str, machine: Machine) -> None:
    look = install.load(name).checks
    assert look(machine.config, machine.environ, machine.user) == []  # it is not on this machine
    client(name).folder(machine).mkdir(parents=True)
    (check,) = look(machine.config, machine.environ, machine.user)
    assert check.status == "note" and f"axm install {name}" in check.text
    put(name, machine)
    (check,) = look(machine.config, machine.environ, machine.user)
    assert "in " in check.text and "no hook was called yet" in check.details
    line = {"at": 0, "hook": "SessionStart", "ms": 7, "outcome": "late", "why": "busy", "agent": name}
    log = machine.config.home / "hooks" / "hooks.log"
    log.parent.mkdir(parents=True)
    log.write_text(json.dumps(line) + "\n" + json.dumps({**line, "agent": "another", "outcome": "error"}) + "\n")
    (check,) = look(machine.config, machine.environ, machine.user)
    assert check.status == "warn" and any("SessionStart was late" in detail for detail in check.details)
    assert not any("failed" in detail for detail in check.details)


@pytest.mark.parametrize("name", CLIENTS)
def test_an_agent_that_is_gone_breaks_nothing(name: str, machine: Machine) -> None:
    import shutil

    put(name, machine)
    folder = client(name).folder(machine)
    if folder != machine.cwd:
        shutil.rmtree(folder, ignore_errors=True)
    for check in install.load(name).checks(machine.config, machine.environ, machine.user):
        assert check.status in ("ok", "note", "warn")
    assert take(name, machine) == 0


@pytest.mark.parametrize("name", CLIENTS)
def test_doctor_warns_of_what_is_out_of_date_and_of_broken_files(name: str, machine: Machine) -> None:
    put(name, machine)
    for path, pieces in by_file(client(name).pieces(machine)).items():
        raw = path.read_bytes()
        old = raw.replace(str(Path(_program.hook()[0]).parent).encode(), b"/old/bin")
        if old != raw:
            path.write_bytes(old)
            (check,) = install.load(name).checks(machine.config, machine.environ, machine.user)
            assert check.status == "warn" and any("out of date" in detail for detail in check.details)
            put(name, machine)
            assert path.read_bytes() == raw
        if path.suffix == ".json" and not any(map(is_whole, pieces)):
            path.write_bytes(b"{")
            for check in install.load(name).checks(machine.config, machine.environ, machine.user):
                assert check.status in ("warn", "note") and any(str(path) in detail for detail in check.details)
            path.write_bytes(raw)


def test_one_agent_s_uninstall_leaves_the_others(machine: Machine) -> None:
    for name in install.agents():
        put(name, machine)
    everything = files(machine.user.parent)
    for name in install.agents():
        take(name, machine)
        put(name, machine)
        now = files(machine.user.parent)
        assert {k: v for k, v in now.items() if "/backups/" not in k} == {
            k: v for k, v in everything.items() if "/backups/" not in k
        }
    for name in install.agents():
        take(name, machine)
    assert not files(machine.user) and not files(machine.cwd)


# --- what is written ---------------------------------------------------------------------------------------


def commands_in(raw: bytes) -> list[list[str]]:
    """Every command of ours that a file names, as words."""
    found = re.findall(rb'"((?:[^"\\]|\\.)*axm-hook(?:[^"\\]|\\.)*)"', raw)
    return [shlex.split(json.loads(b'"' + line + b'"')) for line in found]


@pytest.mark.parametrize("name", sorted(set(CLIENTS) & set(all_dialects())))
def test_every_hook_names_its_program_its_agent_and_an_event_of_its_dialect(name: str, machine: Machine) -> None:
    put(name, machine)
    dialect = find(name)
    assert dialect is not None
    called = [words for raw in files(machine.user).values() for words in commands_in(raw)]
    assert called
    for words in called:
        assert Path(words[0]).is_absolute() and Path(words[0]).exists()
        if words[1:]:
            assert words[1:3] == ["--agent", name]
            assert words[3:] == [] or words[3] in dialect.NAMES


def test_every_dialect_has_an_installer() -> None:
    assert set(all_dialects()) <= set(CLIENTS)


def test_codex_is_told_what_to_trust_and_doctor_sees_it(machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    fill("codex", machine)
    put("codex", machine)
    assert "type /hooks" in capsys.readouterr().err
    (check,) = install.load("codex").checks(machine.config, machine.environ, machine.user)
    assert any("have not trusted" in detail for detail in check.details)
    # As Codex writes it down: below our table, in which nothing else may end up.
    from axiommind.surfaces.install.codex import _hash

    folder = machine.user / ".codex"
    config, hooks = folder / "config.toml", json.loads((folder / "hooks.json").read_bytes())["hooks"]
    for event, groups in hooks.items():
        for at, group in enumerate(groups):
            for number, handler in enumerate(group.get("hooks", [])):
                snake = re.sub(r"(?<!^)([A-Z])", r"_\1", event).lower()
                key = json.dumps(f"{folder / 'hooks.json'}:{snake}:{at}:{number}")
                with config.open("a") as file:
                    file.write(f'\n[hooks.state.{key}]\ntrusted_hash = "{_hash(event, group, handler)}"\n')
    (check,) = install.load("codex").checks(machine.config, machine.environ, machine.user)
    assert check.status == "ok"
    put("codex", machine)
    assert "type /hooks" not in capsys.readouterr().err
    # Of another version, which hashes otherwise: it is believed when it calls them.
    config.write_text(re.sub(r"sha256:\w+", "sha512:0", config.read_text()))
    (check,) = install.load("codex").checks(machine.config, machine.environ, machine.user)
    assert check.status == "warn"
    log = machine.config.home / "hooks" / "hooks.log"
    log.parent.mkdir(parents=True)
    call = {"at": (time.time() + 60) * 1000, "hook": "Stop", "ms": 7, "outcome": "silent", "why": "", "agent": "codex"}
    log.write_text(json.dumps(call) + "\n")
    (check,) = install.load("codex").checks(machine.config, machine.environ, machine.user)
    assert check.status == "ok"
    take("codex", machine)
    left = tomllib.loads(config.read_text())
    assert left["mcp_servers"] == {"other": {"command": "other"}} and left["hooks"]["state"]


def test_a_server_of_the_same_name_in_toml_is_left(machine: Machine) -> None:
    folder = machine.user / ".codex"
    folder.mkdir()
    for text in ('[mcp_servers.axiommind]\nurl = "x"\n', 'mcp_servers = { axiommind = { url = "x" } }\n'):
        (folder / "config.toml").write_text(text)
        with pytest.raises(AxmError, match="is there already"):
            put("codex", machine)
    (folder / "config.toml").write_text('mcp_servers = { other = { url = "x" } }\n')
    with pytest.raises(AxmError, match="cannot be added at its end") as refused:
        put("codex", machine)
    assert "add it by hand" in (refused.value.hint or "")
    assert put("codex", machine, mcp=False) == 0


def test_a_table_that_somebody_added_to_is_not_torn(machine: Machine) -> None:
    put("codex", machine)
    config = machine.user / ".codex" / "config.toml"
    with config.open("a") as file:
        file.write("enabled = false\n")
    with pytest.raises(AxmError, match="somebody has added to our table"):
        take("codex", machine)
    assert "enabled = false" in config.read_text()


VARIABLES = {
    "codex": ("CODEX_HOME", "."),
    "copilot": ("COPILOT_HOME", "."),
    "gemini": ("GEMINI_CLI_HOME", ".gemini"),
    "qwen": ("QWEN_HOME", "."),
    "droid": ("FACTORY_HOME_OVERRIDE", ".factory"),
    "opencode": ("XDG_CONFIG_HOME", "opencode"),
    "pi": ("PI_CODING_AGENT_DIR", "."),
    "openclaw": ("OPENCLAW_STATE_DIR", "."),
}


@pytest.mark.parametrize("name", sorted(VARIABLES))
def test_the_client_s_own_folder_is_used_and_found_again_without_its_variable(
    name: str, machine: Machine, tmp_path: Path
) -> None:
    variable, below = VARIABLES[name]
    own = tmp_path / "own"
    own.mkdir()
    elsewhere = machine._replace(environ={**machine.environ, variable: str(own)})
    put(name, elsewhere)
    assert files(own / below) and not files(machine.user)
    take(name, machine)
    assert not files(own)


def test_pi_s_server_is_added_where_pi_has_servers(machine: Machine) -> None:
    path = machine.user / ".pi" / "agent" / "mcp.json"
    path.parent.mkdir(parents=True)
    path.write_text("{}")
    put("pi", machine)
    assert json.loads(path.read_bytes())["mcpServers"]["axiommind"]["args"][-1] == "mcp"
    take("pi", machine)
    assert path.read_text() == "{}" and not (path.parent / "extensions").exists()


def test_a_home_elsewhere_is_named_to_the_servers(machine: Machine) -> None:
    """This machine's home is in no usual place."""
    put("codex", machine)
    server = tomllib.loads((machine.user / ".codex" / "config.toml").read_text())["mcp_servers"]["axiommind"]
    assert server["env"] == {"AXM_HOME": str(machine.config.home)}
    usual = machine._replace(config=Config.load({"AXM_HOME": str(machine.user / ".axiommind")}))
    put("copilot", usual)
    written = json.loads((machine.user / ".copilot" / "mcp-config.json").read_bytes())["mcpServers"]["axiommind"]
    assert "env" not in written and written["tools"] == ["*"] and written["type"] == "local"


def test_the_block_of_agents_md_is_replaced_in_its_place(machine: Machine) -> None:
    (machine.cwd / ".git").mkdir()
    path = machine.cwd / "AGENTS.md"
    path.write_bytes(b"# Mine\r\n\r\nBe kind.\r\n")
    put("agents-md", machine)
    first = path.read_bytes()
    assert first.startswith(b"# Mine\r\n\r\nBe kind.\r\n\r\n<!-- axiommind: begin") and b"\n" not in first.replace(
        b"\r\n", b""
    )
    path.write_bytes(first.replace(b"axm recall", b"axm old-recall") + b"More of mine.\r\n")
    put("agents-md", machine._replace(cwd=machine.cwd / ".git"))
    assert path.read_bytes() == first + b"More of mine.\r\n"
    take("agents-md", machine)
    assert path.read_bytes() == b"# Mine\r\n\r\nBe kind.\r\nMore of mine.\r\n"
    path.write_bytes(first.replace(b"<!-- axiommind: end -->", b""))
    with pytest.raises(AxmError, match="our block begins in line 5 and has no end"):
        put("agents-md", machine)


# --- the command -------------------------------------------------------------------------------------------


def test_all_that_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    home = Path.home()
    assert cli.main(["install", "--all"]) == 1
    assert "no agent was found" in capsys.readouterr().err
    assert cli.main(["install"]) == 2 and cli.main(["install", "--all", "codex"]) == 2
    for folder in (".codex", ".gemini"):
        (home / folder).mkdir()
    (home / ".gemini" / "settings.json").write_text("{")
    assert cli.main(["install", "--all", "--no-mcp"]) == 1  # one is broken, the other is wired
    said = capsys.readouterr().err
    assert "Found: Codex, Gemini CLI" in said and "settings.json is not valid JSON" in said
    assert (home / ".codex" / "hooks.json").exists()
    (home / ".gemini" / "settings.json").write_text("{}")
    assert cli.main(["install", "codex", "gemini"]) == 0
    assert cli.main(["doctor"]) == 0
    assert "codex" in capsys.readouterr().out
    assert cli.main(["uninstall", "--all"]) == 0
    assert not (home / ".codex" / "hooks.json").exists()
    assert (home / ".gemini" / "settings.json").read_text() == "{}"
    assert cli.main(["install", "codex", "--scope", "project"]) == 2
