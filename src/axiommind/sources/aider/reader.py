"""What the lines of a run of Aider say. There is one time for all of them, that of the start, and no ids: a line is
called by its run and its number."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Any

from axiommind.sources.aider.tool_names import TOOLS
from axiommind.sources.line_reader import LineReader, entries

__all__ = ["blocks", "decode"]

_COMMAND = re.compile(r"(/[A-Za-z][\w-]*)(?:\s+(.*))?\Z", re.DOTALL)
_KINDS = ("run", "prompt", "shell", "answer", "edit", "output", "model", "version")


class _Reader(LineReader):
    AGENT = "aider"
    TOOLS = TOOLS

    def take(self, record: dict[str, Any]) -> None:
        kind = record.get("type")
        if not isinstance(kind, str):
            self.problem("a record without a type")
            return
        self.count(kind, known=kind in _KINDS)
        if kind == "run":
            when = self.time(record.get("started"))
            if when is not None:
                self.context["started"] = when
        elif kind == "model" and isinstance(record.get("model"), str):
            self.out.model = self.context["model"] = record["model"]
        elif kind == "version" and isinstance(record.get("version"), str):
            self.out.version = record["version"]
        elif kind in _KINDS:
            self._said(kind, record)

    def _said(self, kind: str, record: dict[str, Any]) -> None:
        when = self.context.get("started")
        name = f"{self.out.cwd}@{when}:{self.number}"
        uuid = self.record(name, when)
        text = record.get("text")
        if uuid is None:
            return
        if kind == "shell":
            command = record.get("command")
            self.command("!", str(command), when, uuid, kind="bash")
            self.call("run", {"command": command}, "", when, uuid, use_id=name)
            self.context["shell"] = name
        elif not isinstance(text, str):
            self.problem(f"a record of type {kind} without a text")
        elif kind == "prompt":
            command = _COMMAND.match(text)
            if command is not None:
                self.command(command[1], (command[2] or "").strip(), when, uuid)
            else:
                self.prompt("/text", text, when, uuid)
        elif kind == "answer":
            self.answer(name, when, uuid)
            self.said(name, "/text", text, when, uuid)
        elif kind == "edit":
            path = str(record.get("path"))
            whole = (str(PurePath(self.out.cwd or "", path)),)
            given = {"file_path": path}
            self.call("edit", given, "", when, uuid, use_id=name, files=whole, inside=lambda _place: "/path")
            self.result(name, [("/text", text)], when, uuid)
        elif kind == "output" and (shell := self.context.pop("shell", None)) is not None:
            failed = "Traceback (most recent call last)" in text or "Error:" in text
            self.result(shell, [("/text", text)], when, uuid, failed=failed)


decode, blocks = entries(_Reader)
