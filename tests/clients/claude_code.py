"""A person at the real Claude Code: a home and a project of their own, a scripted model, and nothing of this machine.

The client is looked for where `make test-clients` puts it.
"""

from __future__ import annotations

import copy
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, Self

from axiommind.callers.tokens import PersonTokens
from tests.clients.model import Given, Model
from tests.scratch import CLIENTS

__all__ = ["REPOSITORY", "Person", "Turn", "client"]

Json = dict[str, Any]
REPOSITORY = Path(__file__).parents[2]
_CACHE = CLIENTS / "axm-claude"
_KEY = "sk-ant-not-a-key-at-all"
_TOOLS = "Bash Read Write Edit Agent"
_SECONDS = 90
# `1. [ID] …`, `- 2026-01-05 [SESSION ID] …` or, below a title that names the session, `- [ID] …`.
_ID = re.compile(r"^(?:\d+\.|-(?: \d{4}-\d\d-\d\d)?) \[(?:[0-9a-f]{8} )?(\w+)\]", re.MULTILINE)
_TOOK = re.compile(r"Hooks: (\w+)\S* \[[^\]\n]*axm-hook[^\]\n]*\].*? finished with status \d+ \((\d+)ms\)")


def client() -> Path | None:
    """The program of the real client; None where it is not installed."""
    found = sorted((_CACHE / "node_modules" / "@anthropic-ai").glob("claude-code-*/claude"))
    return next((path for path in found if os.access(path, os.X_OK)), None)


class Turn(NamedTuple):
    """What became of a prompt: whose session it was, what the model was given for it, and what it said."""

    session: str
    given: tuple[Given, ...]
    result: str

    def recalled(self, event: str | None = None) -> list[str]:
        """What our hooks gave the model in the last request, with all that the session was given before."""
        return self.given[-1].recalled(event)


class Person:
    def __init__(self, folder: Path, model: Model, **environ: str) -> None:
        self.model = model
        self.home, self.project, self.axm_home = folder / "home", folder / "ledger", folder / "axm"
        self._debug, self._runs = folder / "debug", 0
        for made in (self.home, self.project, self._debug):
            made.mkdir(parents=True)
        program = client()
        assert program is not None
        # Not the folder of this environment: the hooks are to find their program without the PATH.
        self.environ = {
            "PATH": f"{program.parent}:/usr/local/bin:/usr/bin:/bin",
            "HOME": str(self.home),
            "AXM_HOME": str(self.axm_home),
            "AXM_LEARN": "1",
            # What is told does not depend on how busy this machine is; the client itself waits five seconds.
            "AXM_HOOK_SECONDS": "4",
            "TERM": "xterm",
            "LANG": "C.UTF-8",
            "ANTHROPIC_BASE_URL": model.url,
            "ANTHROPIC_API_KEY": _KEY,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            **environ,
        }

    def elsewhere(self, name: str) -> Self:
        """The same person in another project."""
        other = copy.copy(self)
        other.project = self.project.with_name(name)
        other.project.mkdir()
        return other

    # --- the client --------------------------------------------------------------------------------------

    def claude(self, *args: str, stdin: str = "", **environ: str) -> str:
        """Run the client; it has to end well."""
        return self._run(["claude", *args], stdin, environ)

    def says(self, prompt: str, *args: str, resume: str | None = None, **environ: str) -> Turn:
        """One turn without a terminal, in a new session or an old one; what goes on in the background is waited for."""
        before = len(self.model.given)
        more = ["--resume", resume] if resume else []
        how = [*self.permissions, *self.debugging(), "--output-format", "json"]
        done = json.loads(self.claude("-p", prompt, *how, *more, *args, **environ))
        assert not done["is_error"], done
        self.settle()
        return Turn(done["session_id"], tuple(self.model.given[before:]), done.get("result") or "")

    @property
    def permissions(self) -> tuple[str, ...]:
        return ("--permission-mode", "acceptEdits", "--allowedTools", _TOOLS)

    def debugging(self) -> tuple[str, str]:
        """Where the client says how long hooks took: its transcripts tell that of some of them only."""
        self._runs += 1
        return ("--debug-file", str(self._debug / f"{self._runs}.txt"))

    def trust(self) -> None:
        """Answer beforehand what the client asks in a terminal the first time."""
        path = self.home / ".claude.json"
        known = json.loads(path.read_bytes()) if path.exists() else {}
        known |= {"hasCompletedOnboarding": True, "theme": "dark", "lastOnboardingVersion": "2.1.325"}
        known["customApiKeyResponses"] = {"approved": [_KEY[-20:]], "rejected": []}
        known.setdefault("projects", {}).setdefault(str(self.project), {})["hasTrustDialogAccepted"] = True
        path.write_text(json.dumps(known), encoding="utf-8")

    def settle(self, seconds: float = 60) -> None:
        """Wait until the background is done: no process of this home is left."""
        until = time.monotonic() + seconds
        while left := self.processes():
            assert time.monotonic() < until, f"still running: {left}"
            time.sleep(0.05)

    def processes(self) -> list[str]:
        """The commands of all processes that were started with this home."""
        mark = f"HOME={self.home}".encode()
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if mark in (folder / "environ").read_bytes().split(b"\0"):
                    found.append((folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace"))
            except OSError:  # it is gone, or not ours
                continue
        return [command for command in found if command]

    def _run(self, command: list[str], stdin: str, environ: dict[str, str]) -> str:
        env = {**self.environ, **environ}
        done = subprocess.run(
            command,
            cwd=self.project,
            env=env,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
        assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    # --- the memory --------------------------------------------------------------------------------------

    def axm(self, *args: str) -> str:
        """In the person's own shell."""
        return self._run([sys.executable, "-m", "axiommind", *args], "", {"AXM_PERSON_TOKEN": self._token()})

    def _token(self) -> str:
        home = Path(self.environ["AXM_HOME"])
        return PersonTokens(home).make()[0] if home.is_dir() else ""

    def entries(self, *args: str) -> list[Json]:
        found: list[Json] = json.loads(self.axm("entries", "--json", *args))["entries"]
        return found

    def query(self, sql: str) -> list[Json]:
        found: list[Json] = json.loads(self.axm("query", "--sql", sql, "--json"))
        return found

    def calls(self, event: str | None = None, session: str | None = None) -> list[Json]:
        """What our log says of the calls of a hook."""
        return [
            call
            for call in _lines(self.axm_home / "hooks" / "hooks.log")
            if event in (None, call["hook"]) and session in (None, call["session"])
        ]

    def served(self, session: str) -> list[str]:
        """The memories that a session was given, in order."""
        lines = _lines(self.axm_home / "hooks" / "served" / f"{session}.jsonl")
        return [item["id"] for line in lines for item in line["items"]]

    # --- transcripts -------------------------------------------------------------------------------------

    def transcript(self, session: str) -> Path:
        (found,) = (self.home / ".claude" / "projects").glob(f"*/{session}.jsonl")
        return found

    def durations(self) -> Iterator[tuple[str, int]]:
        """(hook, milliseconds) of each call of ours, as the client measured it; of SessionEnd it does not say."""
        for path in self._debug.iterdir() if self._debug.is_dir() else ():
            for name, ms in _TOOK.findall(path.read_text(encoding="utf-8", errors="replace")):
                yield name, int(ms)

    def cited(self, text: str) -> list[str]:
        """The lines of transcripts that the ids in a text lead to."""
        found = []
        for name in _ID.findall(text):
            shown = json.loads(self.axm("show", name, "--json"))
            assert Path(shown["citation"]["path"]).is_file()
            found += [line["text"] for line in shown["lines"]]
        return found


def _lines(path: Path) -> list[Json]:
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
