"""The Claude Code that is installed here: `claude -p`, without tools, settings, servers or a transcript.

Our own hooks may run inside Claude Code, so a call that is made from within a call is refused (`AXM_INSIDE`).
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from axiommind.errors import NotFound
from axiommind.ids import canonical_json
from axiommind.llm.contract import Answered, Question, Unanswered, Unreachable, Usage
from axiommind.llm.providers._figures import count, money, time_limit
from axiommind.text.summary import preview

if TYPE_CHECKING:
    from axiommind.config import Config

__all__ = ["INSIDE", "ClaudeProvider", "connect"]

INSIDE = "AXM_INSIDE"
_MODEL = "haiku"
_INPUT_BYTES = 10_000_000  # what `claude -p` takes on stdin
_OUTPUT_BYTES = 20_000_000
_SHOWN_CHARS = 300
_LAST_SECONDS = 5.0  # for a killed process to be gone
# What says that a process was started by a session, and by which. Login, provider and limits stay as the user has them.
_SESSIONS_LIST = """
CLAUDECODE CLAUDE_CODE_SESSION_ID CLAUDE_CODE_ENTRYPOINT CLAUDE_CODE_SESSION_KIND CLAUDE_CODE_CHILD_SESSION
CLAUDE_CODE_SSE_PORT CLAUDE_CODE_SESSION_ORIGIN CLAUDE_CODE_SESSION_ATTENDED CLAUDE_CODE_REMOTE_SESSION_ID
CLAUDE_CODE_PLUGIN_DIRS CLAUDE_CODE_MESSAGING_SOCKET CLAUDE_CODE_MESSAGING_TOKEN CLAUDE_CODE_EFFORT_LEVEL
CLAUDE_CODE_SUBAGENT_MODEL CLAUDE_CODE_COORDINATOR_MODE CLAUDE_CODE_RESUME_PROMPT CLAUDE_CODE_RESUME_REASON
CLAUDE_CODE_RESUME_INTERRUPTED_TURN CLAUDE_PROJECT_DIR CLAUDE_PLUGIN_ROOT CLAUDE_PLUGIN_DATA CLAUDE_ENV_FILE
CLAUDE_SKILL_DIR CLAUDE_JOB_DIR CLAUDE_PID CLAUDE_EFFORT CLAUDE_AGENT_SDK_VERSION
"""
_SESSIONS = frozenset(_SESSIONS_LIST.split())


def connect(config: Config) -> ClaudeProvider:
    provider = ClaudeProvider(
        config.extract_claude or "claude", config.extract_model or _MODEL, time_limit(config), config.budget_usd
    )
    try:
        provider.check()  # said once, and not for every question
    except Unreachable as error:
        raise NotFound(str(error), hint="axm learn without --extractor claude needs no model") from None
    return provider


class ClaudeProvider:
    name = "claude"

    def __init__(self, program: str, model: str, seconds: float, usd: float) -> None:
        self.model = model
        self._program = program
        self._seconds = seconds
        self._usd = usd  # what all calls of a day may cost

    def check(self) -> None:
        self._path()

    def ask(self, question: Question) -> Answered | Unanswered:
        material = question.material.encode("utf-8", "replace")
        if len(material) > _INPUT_BYTES:
            return Unanswered("the question is too long for claude: see extract.chars", Usage(self.model))
        with (
            tempfile.TemporaryDirectory(prefix="axm-claude-", ignore_cleanup_errors=True) as folder,
            tempfile.TemporaryFile() as given,
            tempfile.TemporaryFile() as out,
            tempfile.TemporaryFile() as err,
        ):
            given.write(material)
            given.seek(0)
            # Files and no pipes: a grandchild that lives on cannot keep us waiting for the end of one.
            try:
                code = _run(self._arguments(question), folder, self._seconds, given, out, err)
            except Unreachable as error:
                return Unanswered(str(error), Usage(self.model))
            except OSError as error:
                return Unanswered(f"{self._program} cannot be run: {error.strerror or error}", Usage(self.model))
            if code is None:
                why = f"claude did not answer within {self._seconds:g} seconds (extract.seconds) and was stopped"
                return Unanswered(why, Usage(self.model))
            return self._read(code, _written(out), _written(err))

    def _path(self) -> str:
        if os.environ.get(INSIDE):
            raise Unreachable(
                f"this runs inside a call of claude that AxiomMind made ({INSIDE} is set), so it makes none itself"
            )
        found = shutil.which(str(Path(self._program).expanduser()))
        if found is None:
            raise Unreachable(
                f"there is no program {self._program!r}: install Claude Code, or set extract.claude to its path"
            )
        return str(Path(found).absolute())

    def _arguments(self, question: Question) -> list[str]:
        # Only the budget knows what is left of the day; one call can at least not take more than a whole one.
        budget = ["--max-budget-usd", f"{max(self._usd, 0.0001):.4f}"] if 0 < self._usd < math.inf else []
        return [
            *(self._path(), "-p", question.instruction),
            *("--output-format", "json", "--json-schema", canonical_json(question.schema), "--model", self.model),
            # No tools; no transcript of this call; none of the user's hooks, settings and servers.
            *("--tools", "", "--no-session-persistence", "--setting-sources", "", "--strict-mcp-config"),
            *("--max-turns", "3", *budget),
        ]

    def _read(self, code: int, out: bytes, err: bytes) -> Answered | Unanswered:
        result = _result(out)
        usage = self._usage(result)
        if result.get("is_error") is False and code == 0:
            structured = result.get("structured_output")
            if isinstance(structured, dict):
                return Answered(json.dumps(structured), usage)
            text = result.get("result")
            return Answered(text if isinstance(text, str) else "", usage)
        why = _complaint(result) or preview(err.decode("utf-8", "replace"), _SHOWN_CHARS)
        why = why or preview(out.decode("utf-8", "replace"), _SHOWN_CHARS) or "it said nothing"
        hint = "; start claude and log in once" if "/login" in why else ""
        return Unanswered(f"claude failed (exit {code}): {why}{hint}", usage)

    def _usage(self, result: dict[str, Any]) -> Usage:
        """By model first: `usage` is all zeros when a call ends at its budget."""
        models = result.get("modelUsage")
        by_model = {n: u for n, u in models.items() if isinstance(u, dict)} if isinstance(models, dict) else {}
        model = max(by_model, key=lambda name: count(by_model[name], "outputTokens"), default=self.model)
        given = sum(
            count(u, "inputTokens", "cacheCreationInputTokens", "cacheReadInputTokens") for u in by_model.values()
        )
        answered = sum(count(u, "outputTokens") for u in by_model.values())
        total = result.get("usage")
        return Usage(
            model,
            given or count(total, "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"),
            answered or count(total, "output_tokens"),
            money(result.get("total_cost_usd")),
        )


def _run(
    arguments: list[str], folder: str, seconds: float, given: IO[bytes], out: IO[bytes], err: IO[bytes]
) -> int | None:
    """The exit code; None when the time was up. Whatever ends the wait, no process of the group is left running."""
    environment = {name: value for name, value in os.environ.items() if name not in _SESSIONS} | {INSIDE: "1"}
    process = subprocess.Popen(
        arguments,
        stdin=given,
        stdout=out,
        stderr=err,
        cwd=folder,
        env=environment,
        start_new_session=os.name == "posix",
    )
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        return None
    finally:
        if process.returncode is None:
            _kill(process)


def _kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_LAST_SECONDS)


def _written(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read(_OUTPUT_BYTES)


def _result(out: bytes) -> dict[str, Any]:
    """The result object; with `--verbose` in some alias of the user it is the last of a list."""
    try:
        value = json.loads(out)
    except (ValueError, RecursionError):
        return {}
    if isinstance(value, list) and value:
        value = value[-1]
    return value if isinstance(value, dict) else {}


def _complaint(result: dict[str, Any]) -> str:
    errors = result.get("errors")
    said = [result.get("result"), *(errors if isinstance(errors, list) else []), result.get("subtype")]
    return next((preview(text, _SHOWN_CHARS) for text in said if isinstance(text, str) and text.strip()), "")
