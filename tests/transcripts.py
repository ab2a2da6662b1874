"""Small transcripts, written the way Claude Code writes them. A test reads like the session it is about."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
from pathlib import Path
from typing import Any

from axiommind.callers import Caller
from axiommind.callers.tokens import PersonTokens
from axiommind.config import Config
from axiommind.errors import AxmError
from axiommind.memory import Memory, Scope
from axiommind.projections.runner import Index

START = 1_767_600_000_000  # 2026-01-05T08:00:00Z, a Monday
PROJECT = "/home/dev/weather"
PERSON = Caller.person("a test")
AS_AGENT = {"AXM_PERSON_TOKEN": "", "CLAUDECODE": "1"}


def stamp(minutes: float) -> str:
    from datetime import UTC, datetime

    moment = datetime.fromtimestamp((START + minutes * 60_000) / 1000, UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


class Lines:
    """Lines of one session: each call appends one and returns it."""

    def __init__(self, session: str = "s1", cwd: str | None = PROJECT, sidechain: bool = False) -> None:
        self.session = session
        self.cwd = cwd
        self.sidechain = sidechain
        self.lines: list[dict[str, Any]] = []
        self._clock = itertools.count()

    def start(self, at: int) -> None:
        """The next line is written so many minutes after the first session began."""
        self._clock = itertools.count(at)

    def add(self, type_: str, at: float | None = None, **fields: Any) -> dict[str, Any]:
        n = next(self._clock)
        line: dict[str, Any] = {
            "type": type_,
            "uuid": f"{self.session}-{n}",
            "timestamp": stamp(n if at is None else at),
            "sessionId": self.session,
            "isSidechain": self.sidechain,
            "version": "2.1.325",
            "gitBranch": "main",
        }
        if self.cwd is not None:
            line["cwd"] = self.cwd
        line.update(fields)
        self.lines.append(line)
        return line

    def prompt(self, text: str, **fields: Any) -> dict[str, Any]:
        return self.add("user", message={"role": "user", "content": text}, **fields)

    def answer(self, *blocks: Any, message_id: str | None = None, **fields: Any) -> dict[str, Any]:
        n = len(self.lines)
        content = [{"type": "text", "text": b} if isinstance(b, str) else b for b in blocks]
        usage = fields.pop("usage", {"input_tokens": 10, "output_tokens": 5})
        message = {
            "id": message_id or f"msg-{self.session}-{n}",
            "role": "assistant",
            "model": "claude-opus-5-5",
            "content": content,
            "usage": usage,
        }
        return self.add("assistant", message=message, requestId=fields.pop("request_id", f"req-{n}"), **fields)

    def tool(self, name: str, use_id: str | None = None, at: float | None = None, **given: Any) -> dict[str, Any]:
        use = use_id or f"toolu-{self.session}-{len(self.lines)}"
        return self.answer({"type": "tool_use", "id": use, "name": name, "input": given}, at=at)

    def result(self, use_id: str, text: str = "ok", error: bool = False, **fields: Any) -> dict[str, Any]:
        block = {"type": "tool_result", "tool_use_id": use_id, "content": text, "is_error": error}
        message = {"role": "user", "content": [block]}
        return self.add("user", message=message, toolUseResult={"stdout": text}, **fields)

    def relays(self, agent: str, line: dict[str, Any]) -> dict[str, Any]:
        """What a subagent did, told by an older client in its parent's file."""
        said = {name: line[name] for name in ("type", "uuid", "timestamp", "message")}
        data = {"type": "agent_progress", "agentId": agent, "message": said, "normalizedMessages": [], "prompt": "look"}
        return self.add("progress", parentToolUseID=f"{self.session}-task", data=data)

    def data(self) -> bytes:
        return b"".join(encode(line) for line in self.lines)


def session(name: str = "s1", cwd: str | None = PROJECT) -> Lines:
    lines = Lines(name, cwd)
    lines.prompt("please add a test for the parser")
    lines.tool("Read", f"{name}-t1", file_path=f"{PROJECT}/parser.py")
    lines.result(f"{name}-t1", "def parse(): ...")
    lines.tool("Edit", f"{name}-t2", file_path=f"{PROJECT}/parser.py", old_string="a", new_string="b")
    lines.result(f"{name}-t2", "not found", error=True)
    lines.tool("Bash", f"{name}-t3", command="cd x && pytest -q")
    lines.answer("Done: the parser has a test.")
    return lines


def encode(line: dict[str, Any]) -> bytes:
    return json.dumps(line, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"


class World:
    """A user's machine in a temporary folder: Claude's root, our home, and a `Memory` over both."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.claude = base / "claude"
        self.home = base / "axm"
        self._token = ""
        self.projects = self.claude / "projects"
        self.projects.mkdir(parents=True, exist_ok=True)

    @property
    def person_token(self) -> str:
        """A token of this home; none before there is one, or where it cannot be written."""
        tokens = PersonTokens(self.home)
        if self.home.is_dir() and tokens.find(self._token) is None:
            with contextlib.suppress(AxmError):
                self._token, _ = tokens.make()
        return self._token

    @property
    def environ(self) -> dict[str, str]:
        """Of the user's own shell: commands are a person's. With `AS_AGENT` they are an agent's."""
        return {
            "AXM_PERSON_TOKEN": self.person_token,
            "CLAUDE_CONFIG_DIR": str(self.claude),
            "AXM_HOME": str(self.home),
            "AXM_WORKERS": "0",
            "AXM_LEARN": "off",  # what goes on in the background would outlive the test
            "AXM_EMBED_BACKGROUND": "0",
            "AXM_HOOK_SECONDS": "20",  # a machine that runs tests may be busy
            "HOME": str(self.base),
            "PATH": os.environ["PATH"],
        }

    def memory(self) -> Memory:
        """What the person's own programs have."""
        return Memory(Config.load(self.environ), environ=self.environ, user=self.base, caller=PERSON)

    def path(self, session: str = "s1", folder: str = "-home-dev-weather") -> Path:
        path = self.projects / folder / f"{session}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def write(self, lines: Lines | bytes, session: str | None = None, folder: str = "-home-dev-weather") -> Path:
        name = session or (lines.session if isinstance(lines, Lines) else "s1")
        path = self.path(name, folder)
        path.write_bytes(lines.data() if isinstance(lines, Lines) else lines)
        return path

    def append(self, data: bytes, session: str = "s1", folder: str = "-home-dev-weather") -> None:
        with self.path(session, folder).open("ab") as file:
            file.write(data)

    def rows(self, sql: str, project: str | None = None) -> list[tuple[Any, ...]]:
        return list(self.memory().own_sql(sql, Scope(project)))

    def one(self, sql: str) -> Any:
        ((value,),) = self.rows(sql)
        return value

    def terms(self) -> list[tuple[Any, ...]]:
        """What the full-text index holds: each term, and where it stands."""
        index = Index(self.home / "index.db")
        try:
            index.db.execute("create virtual table temp.v using fts5vocab(main, passages_fts, 'instance')")
            return index.db.execute("select term, doc, col, offset from temp.v order by doc, offset, term").fetchall()
        finally:
            index.close()
