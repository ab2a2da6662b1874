"""What the lines of a Droid session say.

A fork copies lines with their ids. Lines have no tokens: the client counts them for a session (`files.py: sidecar`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from axiommind.sources.droid.bulk import CONTEXT
from axiommind.sources.droid.tool_names import TOOLS
from axiommind.sources.line_reader import LineReader, entries, texts_of
from axiommind.sources.values import whole_number

__all__ = ["blocks", "decode"]

_SILENT = ("agent_turn_outcome", "todo_state", "session_end")
_OF_ANOTHER = ("user_only", "llm_only")  # between the client, its hooks and one of the two: nobody typed it
_COMMAND = re.compile(r"(/[A-Za-z][\w:-]*)(?:\s+(.*))?\Z", re.DOTALL)
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+?)\s*$", re.MULTILINE)


class _Reader(LineReader):
    AGENT = "droid"
    TOOLS = TOOLS
    NOT_TYPED = (re.compile(r"<system-reminder>.*?(?:</system-reminder>|\Z)", re.DOTALL),)

    def take(self, record: dict[str, Any]) -> None:
        kind = record.get("type")
        if not isinstance(kind, str):
            self.problem("a record without a type")
            return
        self.count(kind, known=kind in ("session_start", "message", "compaction_state", *_SILENT))
        if kind == "session_start":
            self._start(record)
        elif kind == "message":
            self._message(record)
        elif kind == "compaction_state":
            self._compaction(record)

    def _start(self, record: dict[str, Any]) -> None:
        calling = record.get("callingSessionId")
        if isinstance(calling, str) and calling:
            self.out.parent_session = calling
            self.context["subagent"] = 1
            self.title("task", record.get("title"))
        elif record.get("isSessionTitleManuallySet") is True:
            self.title("custom", record.get("title"))
        else:
            self.title("ai", record.get("title"))
        if isinstance(record.get("cwd"), str):
            self.out.cwd = record["cwd"]

    def _compaction(self, record: dict[str, Any]) -> None:
        when = self.time(record.get("timestamp"))
        uuid = self.record(record.get("id") or f"compaction@{when}", when)
        if uuid is not None:
            self.compaction(when, before=whole_number(record.get("tokensBefore")))
            if isinstance(record.get("summaryText"), str):
                self.summary("/summaryText", record["summaryText"], when, uuid)

    def _message(self, record: dict[str, Any]) -> None:
        name, message = str(record.get("id")), record.get("message")
        when = self.time(record.get("timestamp"))
        if name.startswith(CONTEXT) or not isinstance(message, dict):
            return
        if message.get("visibility") in _OF_ANOTHER or record.get("visibility") in _OF_ANOTHER:
            return
        uuid = self.record(name, when)
        if uuid is None:
            return
        content = message.get("content")
        texts = texts_of(content, "/message/content")
        if message.get("role") == "user":
            self._user(texts, when, uuid)
            self._results(content, when, uuid)
        elif message.get("role") == "assistant":
            self.answer(name, when, uuid, model=message.get("modelId"))
            for place, text in texts:
                self.said(name, place, text, when, uuid)
            self._calls(content, name, when, uuid)

    def _user(self, texts: list[tuple[str, str]], when: int | None, uuid: str) -> None:
        whole = "".join(text for _, text in texts).strip()
        command = _COMMAND.match(whole)
        if self.context.get("subagent"):  # from the agent that called it
            return
        if command is not None:
            self.command(command[1], (command[2] or "").strip(), when, uuid)
        else:
            for place, text in texts:
                self.prompt(place, text, when, uuid)

    def _calls(self, content: Any, name: str, when: int | None, uuid: str) -> None:
        for i, part in _blocks(content, "tool_use"):
            given = part.get("input")
            texts = given.values() if isinstance(given, dict) and part.get("name") == "ApplyPatch" else ()
            files = [path for text in texts if isinstance(text, str) for path in _PATCHED.findall(text)]
            place = f"/message/content/{i}/input"
            self.call(part.get("name"), given, place, when, uuid, use_id=part.get("id"), message=name, files=files)

    def _results(self, content: Any, when: int | None, uuid: str) -> None:
        for i, part in _blocks(content, "tool_result"):
            texts = texts_of(part.get("content"), f"/message/content/{i}/content")
            self.result(part.get("tool_use_id"), texts, when, uuid, failed=part.get("is_error") is True)


def _blocks(content: Any, kind: str) -> Iterator[tuple[int, dict[str, Any]]]:
    for i, part in enumerate(content if isinstance(content, list) else ()):
        if isinstance(part, dict) and part.get("type") == kind:
            yield i, part


decode, blocks = entries(_Reader)
