"""What the lines of a Cline session say, as `lines.py` makes them of its documents."""

from __future__ import annotations

import re
from typing import Any

from axiommind.sources.cline.lines import SAYING
from axiommind.sources.cline.tool_names import TOOLS
from axiommind.sources.line_reader import LineReader, entries, texts_of
from axiommind.sources.patches import read_patch
from axiommind.sources.values import whole_number
from axiommind.text.pointers import leaves
from axiommind.tools.kinds import EDIT, UNKNOWN_TOOL

__all__ = ["blocks", "decode"]

_WHOLE = re.compile(r"[/~\\]|[A-Za-z]:")
_COMMAND = re.compile(r"(/[A-Za-z][\w:-]*)(?:\s+(.*))?\Z", re.DOTALL)
_FAILED = ("The tool execution failed", "Error:", "[ERROR]", "The user denied this operation")


class _Reader(LineReader):
    AGENT = "cline"
    TOOLS = TOOLS
    NOT_TYPED = (
        re.compile(r"</?user_input[^>]*>\n?"),
        re.compile(r"<(environment_details|file_content|explicit_instructions)\b[^>]*>.*?(?:</\1>|\Z)", re.DOTALL),
    )

    def take(self, record: dict[str, Any]) -> None:
        kind = record.get("type")
        if not isinstance(kind, str):
            self.problem("a record without a type")
            return
        self.count(kind, known=kind in ("session", "message", "request"))
        if kind == "session":
            self._session(record)
        elif kind == "message":
            self._message(record)
        elif kind == "request":
            self._request(record)

    def _session(self, record: dict[str, Any]) -> None:
        self.time(record.get("started"))
        if isinstance(record.get("cwd"), str):
            self.out.cwd = self.context["cwd"] = record["cwd"]
        if isinstance(record.get("model"), str):
            self.context["model"] = record["model"]
        self.title("ai", record.get("title"))
        if record.get("agent") in ("subagent", "teammate"):
            self.context["subagent"] = 1

    def _message(self, record: dict[str, Any]) -> None:
        name, when = str(record.get("id")), self.time(record.get("ts"))
        uuid = self.record(name, when)
        content = record.get("content")
        if uuid is None or not isinstance(content, list):
            return
        if record.get("role") == "user":
            self._typed_texts(content, when, uuid)
            self._results(content, when, uuid)
        elif record.get("role") == "assistant":
            self._answer(record, name, when, uuid)
            for i, part in enumerate(content):
                if isinstance(part, dict):
                    self._said_or_called(part, f"/content/{i}", name, when, uuid)

    def _typed_texts(self, content: list[Any], when: int | None, uuid: str) -> None:
        for place, text in texts_of(content, "/content"):
            command = _COMMAND.match(text.strip())
            if self.context.get("subagent"):  # from the agent that called it
                if self.context["subagent"] == 1:
                    self.title("task", text)
                    self.context["subagent"] = 2
            elif command is not None:
                self.command(command[1], (command[2] or "").strip(), when, uuid)
            else:
                self.prompt(place, text, when, uuid)

    def _answer(self, record: dict[str, Any], name: str, when: int | None, uuid: str) -> None:
        about, metrics = record.get("modelInfo"), record.get("metrics")
        model = about.get("id") or about.get("modelId") if isinstance(about, dict) else None
        tokens = None
        if isinstance(metrics, dict) and "inputTokens" in metrics:  # with what was cached, in this version
            names = ("inputTokens", "outputTokens", "cacheWriteTokens", "cacheReadTokens")
            given, output, written, cached = (whole_number(metrics.get(one)) or 0 for one in names)
            tokens = (max(given - written - cached, 0), output, written, cached)
        self.answer(name, when, uuid, model=model, tokens=tokens)

    def _said_or_called(self, part: dict[str, Any], at: str, name: str, when: int | None, uuid: str) -> None:
        given, tool = part.get("input"), part.get("name")
        if part.get("type") == "text" and isinstance(part.get("text"), str):
            self.said(name, f"{at}/text", part["text"], when, uuid)
        elif part.get("type") == "tool_use" and tool in SAYING and isinstance(given, dict):
            said = given.get(SAYING[tool])
            if isinstance(said, str):
                self.said(name, f"{at}/input/{SAYING[tool]}", said, when, uuid)
        elif part.get("type") == "tool_use":
            use_id, files = part.get("id"), self._edited(tool, given)
            self.call(tool, given, f"{at}/input", when, uuid, use_id=use_id, message=name, files=files)

    def _edited(self, tool: Any, given: Any) -> tuple[str, ...]:
        """The files that a call changes, by their whole paths."""
        if not isinstance(tool, str) or not isinstance(given, dict) or TOOLS.get(tool, UNKNOWN_TOOL).kind != EDIT:
            return ()
        folder, patch, path = self.out.cwd or "", given.get("input"), given.get("path")
        if tool == "apply_patch":
            return read_patch(patch, folder).files if isinstance(patch, str) else ()
        if not isinstance(path, str) or not folder or _WHOLE.match(path):
            return ()
        return (f"{folder.rstrip('/')}/{path.removeprefix('./')}",)

    def _results(self, content: list[Any], when: int | None, uuid: str) -> None:
        for i, part in enumerate(content):
            if isinstance(part, dict) and part.get("type") == "tool_result":
                texts = [(f"/content/{i}/content{place}", text) for place, text in leaves(part.get("content"))]
                texts = [(place, text) for place, text in texts if not place.endswith(("/type", "/data", "/query"))]
                failed = part.get("is_error") is True or any(text.startswith(_FAILED) for _, text in texts[:1])
                self.result(part.get("tool_use_id"), texts, when, uuid, failed=failed)

    def _request(self, record: dict[str, Any]) -> None:
        name, when = str(record.get("id")), self.time(record.get("ts"))
        uuid = self.record(name, when)
        if uuid is not None:
            names = ("tokensIn", "tokensOut", "cacheWrites", "cacheReads")
            first, second, third, fourth = (whole_number(record.get(one)) or 0 for one in names)
            self.answer(name, when, uuid, tokens=(first, second, third, fourth))


decode, blocks = entries(_Reader)
