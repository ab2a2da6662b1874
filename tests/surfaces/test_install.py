"""Wiring into an agent: what others wrote stays, what we wrote goes, byte for byte; and the plugin that brings it."""

from __future__ import annotations

import json
import os
import re
import shlex
import stat
import subprocess
import sys
import tempfile
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from axiommind import __version__
from axiommind.config import Config
from axiommind.errors import AxmError, Locked
from axiommind.surfaces import cli, install
from axiommind.surfaces.hooks.events import all_events
from axiommind.surfaces.install import Machine, Wishes, _files, _program, claude_code
from axiommind.surfaces.install.claude_code.entries import our_hooks, without_ours
from axiommind.surfaces.install.claude_code.places import places
from axiommind.surfaces.install.claude_code.plugin import hooks_json, marketplace
from tests.counting import PATIENCE_S
from tests.examples import examples
from tests.rows import rows

ROOT = Path(__file__).parents[2]
PLUGIN = ROOT / "plugin"
HOOK = _program.hook()


def machine_in(folder: Path, **environ: str) -> Machine:
    user, cwd = folder / "user", folder / "project"
    for made in (user, cwd):
        made.mkdir(exist_ok=True)
    env = {"AXM_HOME": str(folder / "axm"), "PATH": "/nowhere", **environ}
    return Machine(Config.load(env), env, user, cwd)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return machine_in(tmp_path)


def settings_of(machine: Machine, text: str | bytes | None = None) -> Path:
    path = machine.user / ".claude" / "settings.json"
    path.parent.mkdir(exist_ok=True)
    if text is not None:
        path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def files(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def put(machine: Machine, **wishes: Any) -> int:
    return claude_code.install(machine, Wishes(**wishes))


def take(machine: Machine, **wishes: Any) -> int:
    return claude_code.uninstall(machine, Wishes(**wishes))


def loaded(path: Path) -> Any:
    return json.loads(path.read_bytes().decode("utf-8-sig"))


# --- laws --------------------------------------------------------------------------------------------------

NAMES = st.one_of(
    st.text(max_size=6),
    st.sampled_from(["hooks", "matcher", "env", "Stop", "PreToolUse", "PostToolUse", "mcpServers", "command"]),
)
VALUES = st.recursive(
    st.sampled_from([None, "\ud83d"])
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)
HANDLERS = st.fixed_dictionaries({"type": st.just("command"), "command": st.sampled_from(["lint", "/x/axm-hooked"])})
GROUPS = st.fixed_dictionaries({"hooks": st.lists(HANDLERS, max_size=2)}, optional={"matcher": st.just("Bash")})
HOOKS = st.dictionaries(
    st.sampled_from(["Stop", "PreToolUse", "Notification"]), st.lists(GROUPS | VALUES, max_size=2), max_size=3
)
FOREIGN = st.builds(
    lambda more, hooks: {**{k: v for k, v in more.items() if k not in ("hooks", "mcpServers")}, **hooks},
    st.dictionaries(NAMES, VALUES, max_size=4),
    st.just({}) | st.builds(lambda hooks: {"hooks": hooks}, HOOKS),
)


@st.composite
def written(draw: st.DrawFn) -> tuple[dict[str, Any], bytes | None]:
    """Settings, and a file that says them: in any layout, or no file at all."""
    data = draw(FOREIGN)
    if not data and draw(st.booleans()):
        return {}, draw(st.sampled_from([None, b"", b"\n", b"{}", b"{ }\n"]))
    text = json.dumps(data, indent=draw(st.sampled_from([None, 2, 4, "\t"])), ensure_ascii=draw(st.booleans()))
    text = (text + draw(st.sampled_from(["", "\n", "\n\n"]))).replace("\n", draw(st.sampled_from(["\n", "\r\n"])))
    return data, draw(st.sampled_from([b"", b"\xef\xbb\xbf"])) + text.encode("utf-8", "backslashreplace")


@settings(max_examples=examples(60))
@given(written(), st.sampled_from(["user", "project"]))
def test_uninstall_gives_back_the_bytes_and_installing_twice_is_once(
    file: tuple[dict[str, Any], bytes | None], scope: str
) -> None:
    data, raw = file
    with tempfile.TemporaryDirectory() as name:
        machine = machine_in(Path(name))
        path = places(machine, scope).settings
        if raw is not None:
            path.parent.mkdir()
            path.write_bytes(raw)
        before = files(Path(name))
        put(machine, scope=scope)
        once = files(Path(name))
        assert without_ours(loaded(path), data) == data
        put(machine, scope=scope)
        assert files(Path(name)) == once
        take(machine)
        assert files(Path(name)) == before
        assert path.parent.exists() == (raw is not None)


@settings(max_examples=examples(40))
@given(written(), st.text(max_size=5), VALUES)
def test_what_others_write_afterwards_stays(
    file: tuple[dict[str, Any], bytes | None], name: str, value: object
) -> None:
    data, raw = file
    with tempfile.TemporaryDirectory() as folder:
        machine = machine_in(Path(folder))
        path = settings_of(machine)
        if raw is not None:
            path.write_bytes(raw)
        put(machine)
        theirs = {"type": "command", "command": "their own"}
        edited = loaded(path)
        edited[f"new {name}"] = value
        edited["hooks"]["Stop"].append({"hooks": [theirs]})
        edited["hooks"]["UserPromptSubmit"][-1]["hooks"].append(theirs)  # into a group of ours
        path.write_text(json.dumps(edited))
        put(machine)
        assert loaded(path) == edited
        take(machine)
        expected = {**data, f"new {name}": value, "hooks": {**data.get("hooks", {})}}
        expected["hooks"]["Stop"] = [*expected["hooks"].get("Stop", []), {"hooks": [theirs]}]
        expected["hooks"]["UserPromptSubmit"] = [{"hooks": [theirs]}]
        assert loaded(path) == expected


# --- what is written ---------------------------------------------------------------------------------------


def test_a_hook_names_its_program_and_needs_no_shell(machine: Machine) -> None:
    assert put(machine) == 0
    hooks = loaded(settings_of(machine))["hooks"]
    assert list(hooks) == [event.name for event in all_events()]
    for event in all_events():
        ((handler,),) = (group["hooks"] for group in hooks[event.name])
        assert Path(handler["command"]).is_absolute() and Path(handler["command"]).exists()
        assert handler["args"][-1] == event.name and handler["timeout"] == event.seconds
    server = loaded(machine.user / ".claude.json")["mcpServers"]["axiommind"]
    assert server == {"command": _program.axm()[0], "args": [*_program.axm()[1:], "mcp"]}
    assert (machine.config.home / "hooks" / "program").read_text() == HOOK[0] + "\n"


def test_the_script_beside_python_is_named_else_the_module_and_never_a_shim(tmp_path: Path) -> None:
    python = tmp_path / "my venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    assert _program.hook(str(python)) == (str(python), "-P", "-m", "axiommind.surfaces.hooks")
    script = python.with_name("axm-hook")
    script.touch(0o755)
    assert _program.hook(str(python)) == (str(script),)
    assert "shims" not in Path(_program.hook(str(tmp_path / "shims" / "python"))[0]).parts


def test_the_client_s_own_folder_is_used(tmp_path: Path) -> None:
    own = tmp_path / "own"
    machine = machine_in(tmp_path, CLAUDE_CONFIG_DIR=str(own))
    put(machine)
    assert sorted(files(own)) == [".claude.json", "settings.json"] and not files(machine.user)
    take(machine)
    assert not files(own)


def test_older_entries_are_made_new_in_their_place(machine: Machine) -> None:
    def group(*commands: str) -> dict[str, Any]:
        return {"hooks": [{"type": "command", "command": command} for command in commands]}

    old = {
        "Stop": [group("a"), group("/old/axm-hook Stop", "b"), group("c"), group("'/o p/axm-hook' Stop")],
        "PreToolUse": [{"matcher": "Edit", **group("AXM_HOME=/x /old/python -m axiommind.surfaces.hooks PreToolUse")}],
        "PostToolUse": [group("/old/axm-hook PostToolUse")],
        "Notification": [group("echo axm-hook")],
    }
    old["PreToolUse"][0]["hooks"][0]["timeout"] = 2
    path = settings_of(machine, json.dumps({"hooks": old}))
    put(machine)
    hooks = loaded(path)["hooks"]
    new = {"type": "command", "command": HOOK[0], "args": [*HOOK[1:], "Stop"]}
    assert hooks["Stop"] == [group("a"), {"hooks": [new, group("b")["hooks"][0]]}, group("c")]
    (edit,) = hooks["PreToolUse"]
    assert edit["matcher"] == "Edit|Write|MultiEdit|NotebookEdit" and edit["hooks"][0]["timeout"] == 2
    assert "PostToolUse" not in hooks and hooks["Notification"] == old["Notification"]
    take(machine)
    rest = {"Stop": [group("a"), group("b"), group("c")], "Notification": old["Notification"]}
    assert loaded(path) == {"hooks": rest}


def test_a_link_is_followed_and_the_mode_is_kept(machine: Machine, tmp_path: Path) -> None:
    target = tmp_path / "dotfiles" / "claude.json"
    target.parent.mkdir()
    target.write_text('{"model": "opus"}')
    target.chmod(0o640)
    link = settings_of(machine)
    link.symlink_to(target)
    put(machine)
    assert link.is_symlink() and "hooks" in loaded(target) and stat.S_IMODE(target.stat().st_mode) == 0o640
    (backup,) = machine.config.home.glob("backups/*-claude.json")
    assert backup.read_text() == '{"model": "opus"}' and stat.S_IMODE(backup.stat().st_mode) == 0o600
    take(machine)
    assert link.is_symlink() and target.read_text() == '{"model": "opus"}'
    assert os.listdir(target.parent) == ["claude.json"]


def test_print_shows_it_and_writes_nothing(machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    path = settings_of(machine, '{"hooks": {"Stop": [{"hooks": []}]}, "env": {"SECRET": "s"}}')
    (machine.user / ".claude.json").write_text('{"mcpServers": {"other": {"env": {"SECRET": "s"}}}}')
    before = files(machine.user.parent)
    assert put(machine, only_print=True) == 0
    shown = capsys.readouterr().out
    assert json.loads(shown)[str(path)]["hooks"]["Stop"][0] == {"hooks": []} and "SECRET" not in shown
    put(machine, scope="project")
    now = files(machine.user.parent)
    take(machine, only_print=True)
    assert files(machine.user.parent) == now
    take(machine)
    assert files(machine.user.parent) == before


def test_uninstall_finds_every_folder_that_was_written_to(machine: Machine, tmp_path: Path) -> None:
    other = machine._replace(cwd=tmp_path / "other")
    other.cwd.mkdir()
    for where in (machine, other):
        put(where, scope="project")
    take(machine, scope="project")
    assert not files(machine.cwd) and files(other.cwd)
    take(machine)
    assert not files(other.cwd) and not files(machine.config.home)


def test_a_project_is_the_repository_and_never_the_user_s_folder(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    inside, notes = machine.cwd / "src" / "deep", machine.user / "notes"
    for folder in (inside, notes, machine.cwd / ".git", machine.user / ".git"):
        folder.mkdir(parents=True)
    below = machine._replace(cwd=inside)
    put(below, scope="project")
    assert sorted(files(machine.cwd)) == [".claude/settings.json", ".mcp.json"]
    assert str(machine.cwd / ".claude" / "settings.json") in capsys.readouterr().err
    take(below, scope="project")
    assert not files(machine.cwd)
    put(machine._replace(cwd=notes), scope="project")
    assert sorted(files(machine.user)) == ["notes/.claude/settings.json", "notes/.mcp.json"]


def test_several_at_once_are_one_after_the_other(machine: Machine) -> None:
    path = settings_of(machine, '{"model": "opus"}')
    before = files(machine.user)
    with ThreadPoolExecutor(6) as several:
        assert list(several.map(lambda _: put(machine), range(6))) == [0] * 6
    assert len(our_hooks(loaded(path))) == len(all_events())
    assert sorted(p.name for p in (machine.config.home / "backups").iterdir())[1:] == ["installed.json"]
    with ThreadPoolExecutor(3) as several:
        assert list(several.map(lambda _: take(machine), range(3))) == [0] * 3
    assert files(machine.user) == before and not files(machine.config.home)
    with _files.alone(machine.config.home), pytest.raises(Locked), _files.alone(machine.config.home, 0.01):
        pass


def test_without_a_server_the_hooks_are_wired_alone(machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    put(machine, mcp=False)
    assert capsys.readouterr().err.count("MCP") == 0
    assert not (machine.user / ".claude.json").exists()


# --- what is refused ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b'{\n  "a": 1,\n  "b" 2\n}', "line 3, column 7"),
        (b'{"a": 1} // mine', "line 1, column 10"),
        (b'{\n"a": "\xff"}', "not UTF-8: line 2"),
        (b"[]", "not an object but a list"),
        (b"null", "not an object but null"),
        (b'{"hooks": []}', '"hooks" is not an object'),
        (b'{"hooks": {"Stop": {}}}', '"hooks.Stop" is not a list'),
        (b'{"a": 1e999}', "too large"),
        (b'{"a": NaN}', "NaN is not a value"),
        (b'{"hooks": {}, "hooks": {}}', '"hooks" is there twice'),
        (b'{"a":' * 100_000, "cannot be read as JSON"),
    ],
)
def test_what_cannot_be_understood_is_left_alone(machine: Machine, text: bytes, why: str) -> None:
    settings_of(machine, text)
    before = files(machine.user.parent)
    with pytest.raises(AxmError, match=re.escape(why)) as refused:
        put(machine)
    assert refused.value.exit_code == 1 and str(settings_of(machine)) in refused.value.message
    assert files(machine.user.parent) == before


def test_nothing_is_written_when_the_second_file_is_broken(machine: Machine) -> None:
    for broken, why in (("{", "line 1"), ('{"mcpServers": {"axiommind": {"url": "x"}}}', "another server")):
        (machine.user / ".claude.json").write_text(broken)
        with pytest.raises(AxmError, match=why):
            put(machine)
    assert sorted(files(machine.user.parent)) == ["user/.claude.json"]


def test_a_file_that_is_read_only_or_has_no_folder_is_left(machine: Machine, tmp_path: Path) -> None:
    path = settings_of(machine, "{}")
    path.chmod(0o444)
    with pytest.raises(AxmError, match="read-only"):
        put(machine)
    lost = machine_in(tmp_path, CLAUDE_CONFIG_DIR=str(tmp_path / "not" / "there"))
    with pytest.raises(AxmError, match="there is no folder"):
        put(lost)
    assert not machine.config.home.exists()


# --- the plugin --------------------------------------------------------------------------------------------


@pytest.fixture
def client(tmp_path: Path) -> Machine:
    """A machine with a client that does with its settings what the real one does."""
    folder = tmp_path / "bin"
    folder.mkdir()
    claude = folder / "claude"
    claude.write_text(f"""#!{sys.executable}
import json, os, pathlib, sys
pathlib.Path({str(tmp_path / "ran")!r}).open("a").write(" ".join(sys.argv[1:]) + "\\n")
path = pathlib.Path({str(tmp_path / "user" / ".claude" / "settings.json")!r})
data = json.loads(path.read_text()) if path.exists() else {{}}
if "marketplace" in sys.argv:
    data["extraKnownMarketplaces"] = {{}} if "remove" in sys.argv else {{
        "axiommind": {{"source": {{"source": "directory", "path": sys.argv[-1]}}}}}}
else:
    data["enabledPlugins"] = {{}} if "uninstall" in sys.argv else {{"axiommind@axiommind": True}}
path.parent.mkdir(exist_ok=True)
path.write_text(json.dumps(data))
sys.exit(os.path.exists({str(tmp_path / "broken")!r}) and print("no such marketplace") is None)
""")
    claude.chmod(0o755)
    return machine_in(tmp_path, PATH=str(folder))


def test_the_plugin_takes_the_place_of_the_settings(client: Machine, tmp_path: Path) -> None:
    path = settings_of(client, '{"model": "opus"}')
    put(client)
    assert put(client, plugin=True) == 0
    assert (tmp_path / "ran").read_text().splitlines() == [
        f"plugin marketplace add {ROOT}",
        "plugin install axiommind@axiommind --scope user",
    ]
    assert "hooks" not in loaded(path) and loaded(path)["model"] == "opus"
    assert not (client.user / ".claude.json").exists()
    with pytest.raises(AxmError, match="everything would come twice"):
        put(client)
    assert take(client) == 0
    assert loaded(path) == {"model": "opus", "enabledPlugins": {}, "extraKnownMarketplaces": {}}
    assert not (client.config.home / "hooks" / "program").exists()
    assert put(client) == 0


def test_a_client_that_fails_is_quoted_and_the_settings_stay(client: Machine, tmp_path: Path) -> None:
    put(client)
    (tmp_path / "broken").touch()
    with pytest.raises(AxmError, match=r"claude plugin marketplace add .*: no such marketplace"):
        put(client, plugin=True)
    assert "hooks" in loaded(settings_of(client))


def test_without_a_client_the_commands_are_printed(machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    put(machine)
    assert put(machine, plugin=True) == 1
    out = capsys.readouterr().out.splitlines()
    assert [line.split()[:3] for line in out] == [["claude", "plugin", "marketplace"], ["claude", "plugin", "install"]]
    assert "hooks" in loaded(settings_of(machine))


def test_the_plugin_has_the_same_hooks_and_the_same_version() -> None:
    assert (PLUGIN / "hooks" / "hooks.json").read_text() == hooks_json(), "run: make docs"
    assert loaded(PLUGIN / ".claude-plugin" / "plugin.json")["version"] == __version__
    (listed,) = loaded(ROOT / ".claude-plugin" / "marketplace.json")["plugins"]
    assert (ROOT / listed["source"]).samefile(PLUGIN) and marketplace() is not None
    shipped = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert shipped["force-include"]["plugin"] == f"axiommind/marketplace/{listed['source'].removeprefix('./')}"


@rows("R0.74", "R0.75")
def test_what_the_plugin_tells_the_agent_to_run_exists() -> None:
    agent = (PLUGIN / "agents" / "workflow-insight.md").read_text()
    (block,) = re.findall(r"```sh\n(.*?)```", agent, re.DOTALL)
    for line in block.splitlines():
        argv = shlex.split(line.replace("SINCE", "2026-01-01"))[1:]
        assert cli.parse(argv)
    for page in (*PLUGIN.glob("commands/*.md"), *PLUGIN.glob("skills/*/SKILL.md")):
        named = set(re.findall(r"\baxm ([a-z]+)", page.read_text()))
        assert named and named <= set(cli.commands()), page


@pytest.mark.skipif(os.name == "nt", reason="needs sh")
def test_the_plugin_s_scripts_find_the_program_or_are_silent(tmp_path: Path) -> None:
    home, elsewhere = tmp_path / "a home", tmp_path / "on path"
    for folder in (home / "hooks", elsewhere):
        folder.mkdir(parents=True)

    def script(path: Path) -> Path:
        path.write_text(f'#!/bin/sh\nread line; echo "{path.parent.name}/{path.name}" "$@" "$line"\n')
        path.chmod(0o755)
        return path

    def run(name: str, *args: str) -> tuple[int, str]:
        path = f"{PLUGIN / 'bin'}:{elsewhere}:/usr/bin:/bin"
        done = subprocess.run(
            [PLUGIN / "bin" / name, *args],
            env={"AXM_HOME": str(home), "PATH": path},
            input="in\n",
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )
        return done.returncode, done.stdout

    program = home / "hooks" / "program"
    assert run("axm-hook", "Stop") == (0, "") and run("axm", "mcp") == (127, "")
    for name in ("axm-hook", "axm"):
        script(elsewhere / name)
        assert run(name, "a b") == (0, f"on path/{name} a b in\n")
    (tmp_path / "venv").mkdir()
    program.write_text(f"{script(tmp_path / 'venv' / 'axm-hook')}\n")
    script(tmp_path / "venv" / "axm")
    assert run("axm-hook", "Stop") == (0, "venv/axm-hook Stop in\n") and run("axm", "mcp") == (0, "venv/axm mcp in\n")
    program.write_text(f"{script(tmp_path / 'venv' / 'python')}\n")
    assert run("axm-hook", "Stop") == (0, "venv/python -m axiommind.surfaces.hooks Stop in\n")
    assert run("axm", "mcp") == (0, "venv/python -m axiommind mcp in\n")
    program.write_text("/gone/axm-hook\n")
    assert run("axm-hook", "Stop") == (0, "on path/axm-hook Stop in\n")


# --- doctor ------------------------------------------------------------------------------------------------


def look(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(machine.cwd)
    (check,) = claude_code.checks(machine.config, machine.environ, machine.user)
    return check


def test_doctor_says_what_is_wired_and_how_it_answered(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    assert look(machine, monkeypatch).status == "note"
    put(machine)
    check = look(machine, monkeypatch)
    assert check.status == "ok" and "7 hooks" in check.text and "MCP server" in check.text
    assert check.details == ("no hook was called yet",)
    log = machine.config.home / "hooks" / "hooks.log"
    at = time.time() * 1000 - 3 * 3_600_000
    call = {"at": at, "hook": "Stop", "session": "s", "ms": 12.4, "outcome": "late", "why": "deadline"}
    log.write_text("torn\n" + json.dumps(call) + "\n" + json.dumps({**call, "outcome": "served", "why": ""}) + "\n{")
    check = look(machine, monkeypatch)
    assert check.status == "ok" and check.details == ("Stop: served in 12 ms, 3 hours ago",)
    log.write_text(json.dumps(call) + "\n")
    check = look(machine, monkeypatch)
    assert check.status == "warn" and check.details[0] == "Stop was late last time: deadline"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda data: data.update(disableAllHooks=True), "disableAllHooks"),
        (lambda data: data.update(enabledPlugins={"axiommind@axiommind": True}), "everything comes twice"),
        (lambda data: data["hooks"].pop("Stop"), "no hook for Stop"),
        (lambda data: data["hooks"]["Stop"][0]["hooks"][0].update(command="/gone/axm-hook"), "is not there"),
        (lambda data: data["hooks"]["Stop"][0]["hooks"][0].update(command="/bin/sh"), "another installation"),
    ],
)
def test_doctor_warns(machine: Machine, monkeypatch: pytest.MonkeyPatch, change: Any, why: str) -> None:
    put(machine)
    path = settings_of(machine)
    data = loaded(path)
    data["hooks"]["Stop"][0]["hooks"][0]["args"] = ["-m", "axiommind.surfaces.hooks", "Stop"]
    change(data)
    path.write_text(json.dumps(data))
    check = look(machine, monkeypatch)
    assert check.status == "warn" and any(why in detail for detail in check.details), check


# --- the command -------------------------------------------------------------------------------------------


def test_the_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert "claude-code" in install.agents()
    monkeypatch.chdir(tmp_path)
    path = Path.home() / ".claude" / "settings.json"
    assert cli.main(["install", "claude-code", "--no-mcp"]) == 0 and path.exists()
    assert cli.main(["doctor", "--json"]) == 0
    named = {check["name"]: check for check in json.loads(capsys.readouterr().out)["checks"]}
    assert named["claude code"]["data"]["programs"] == [HOOK[0]]
    assert cli.main(["uninstall", "claude-code"]) == 0 and not path.exists()
    path.parent.mkdir()
    path.write_text("{")
    assert cli.main(["install", "claude-code"]) == 1
    assert "settings.json is not valid JSON: line 1" in capsys.readouterr().err
