"""What the lines of a Cursor session say. Those of the command line have neither ids nor times: a line is known by its
place in its session, and its time is that of the file when it was read. Those of the editor are rendered by `rows`."""

from __future__ import annotations

import re
from typing import Any

from axiommind.sources.cursor.folder_names import folder_called
from axiommind.sources.cursor.tool_names import TOOLS
from axiommind.sources.line_reader import LineReader, entries, texts_of
from axiommind.text import jsonlines
from axiommind.text.pointers import INSIDE, leaves

__all__ = ["blocks", "decode", "record_id"]

# What the client puts around what was typed, and beside it.
_NOT_TYPED = (
    re.compile(r"</?user_query>"),
    re.compile(
        r"<(additional_data|attached_files|current_file|system_reminder|user_info|git_status|project_layout|"
        r"open_and_recently_viewed_files|cursor_commands|manually_attached_skills|timestamp|image_files)>.*?</\1>",
        re.DOTALL,
    ),
)
_ENDED = ("turn_ended",)
_QUIET_PARTS = ("thinking", "redacted_thinking", "tool_result", "image")
# Where results of the editor's tools, which are JSON, say what was printed or why it failed.
_SAYING = re.compile(r"/(?:output|contents?|error|message|stdout|stderr|result|modelVisibleErrorMessage)$")


class _Reader(LineReader):
    AGENT = "cursor"
    TOOLS = TOOLS
    NOT_TYPED = _NOT_TYPED

    def take(self, record: dict[str, Any]) -> None:
        kind = record.get("type")
        if isinstance(record.get("role"), str):
            self._line_of_the_command_line(record)
        elif kind in (1, 2):
            self.count("bubble")
            self._bubble(record, typed=kind == 1)
        elif kind == "session":
            self.count("session")
            self.out.git_branch = record["branch"] if isinstance(record.get("branch"), str) else None
            self.context["model"] = _model(record.get("model"))
            self.context["at"] = self.time(record.get("createdAt"))
        elif kind == "title":
            self.count("title")
            self.title("ai", record.get("title"))
        elif kind == "unreadable":
            self.problem(f"the value of {str(record.get('id'))[:40]} is no JSON: not read")
        else:
            self.count(str(kind), known=kind in _ENDED)

    # --- the command line --------------------------------------------------------------------------------

    def _line_of_the_command_line(self, record: dict[str, Any]) -> None:
        role, message = record["role"], record.get("message")
        self.count(role, known=role in ("user", "assistant"))
        content = message.get("content") if isinstance(message, dict) else None
        when = self.time(record.get("timestamp") or self.context.get("at"))
        name = f"{self.context.get('session', '')}:{self.number}"
        uuid = self.record(name, when)
        if uuid is None or role not in ("user", "assistant"):
            return
        is_child = "parent" in self.context
        if role == "user":
            for place, text in texts_of(content, "/message/content"):
                if is_child:  # the parent agent asks
                    self.title("task", _NOT_TYPED[0].sub("", text))
                else:
                    self.prompt(place, text, when, uuid)
            return
        self.answer(name, when, uuid, model=_model(record.get("model")), sidechain=is_child)
        for place, text in texts_of(content, "/message/content") if isinstance(content, str) else ():
            self.said(name, place, text, when, uuid)
        for i, part in enumerate(content if isinstance(content, list) else ()):
            place, kind = f"/message/content/{i}", part.get("type")
            if kind == "text" and isinstance(part.get("text"), str):
                self.said(name, f"{place}/text", part["text"], when, uuid)
            elif kind == "tool_use":
                use_id = part["id"] if isinstance(part.get("id"), str) else None
                given = part.get("input")
                self._guess_folder(given)
                self.call(part.get("name"), given, f"{place}/input", when, uuid, use_id=use_id, message=name)
            elif kind not in _QUIET_PARTS:
                self.count(f"part {kind}", known=False)

    def _guess_folder(self, given: Any) -> None:
        """The folder of a project that is not on this machine is told by a path in it."""
        if self.out.cwd is None and isinstance(given, dict):
            found = folder_called(str(self.context.get("folder", "")), given)
            if found is not None:
                self.out.cwd = self.context["cwd"] = found

    # --- the editor --------------------------------------------------------------------------------------

    def _bubble(self, record: dict[str, Any], *, typed: bool) -> None:
        when = self.time(record.get("createdAt") or self.context.get("at"))
        name = str(record.get("id"))
        uuid = self.record(name, when)
        if uuid is None:
            return
        folder, text = record.get("folder"), record.get("text")
        if isinstance(folder, str) and not self.context.get("cwd"):
            self.out.cwd = self.context["cwd"] = folder
        if typed:
            self.context["model"] = _model(record.get("model")) or self.context.get("model")
            self.prompt("/text", text, when, uuid) if isinstance(text, str) else None
            return
        tool = record.get("tool")
        self.answer(name, when, uuid, model=_model(record.get("model")))
        if isinstance(text, str):
            self.said(name, "/text", text, when, uuid)
        if isinstance(tool, dict):
            self._tool(tool, name, when, uuid)

    def _tool(self, tool: dict[str, Any], name: str, when: int | None, uuid: str) -> None:
        use_id = tool["toolCallId"] if isinstance(tool.get("toolCallId"), str) and tool["toolCallId"] else name
        field = "rawArgs" if _inside(tool.get("rawArgs")) else "params"
        given = _inside(tool.get(field)) or {}
        self.call(tool.get("name"), given, f"/tool/{field}{INSIDE}", when, uuid, use_id=use_id, message=name)
        status, result = tool.get("status"), tool.get("result")
        if status not in ("completed", "error", "cancelled"):
            return
        inner = _inside(result)
        found = [("/tool/result", result)] if isinstance(result, str) and result and inner is None else []
        for place, text in leaves(inner) if inner is not None else ():
            if _SAYING.search(place):
                found.append((f"/tool/result{INSIDE}{place}", text))
        if isinstance(tool.get("error"), str):
            found.append(("/tool/error", tool["error"]))
        code = None if inner is None else inner.get("exitCode", inner.get("exitCodeV2"))
        failed = status != "completed"
        self.result(use_id, found, when, uuid, failed=failed, exit_code=code if type(code) is int else None)


def _inside(text: Any) -> dict[str, Any] | None:
    """An object that is held as a text."""
    try:
        value = jsonlines.parse(text.encode("utf-8", "replace")) if isinstance(text, str) and text else None
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _model(name: Any) -> str | None:
    return name if isinstance(name, str) and name not in ("", "default", "auto") else None


decode, blocks = entries(_Reader)


def record_id(line: bytes) -> str | None:
    """The id of a bubble; lines of the command line have none of their own."""
    try:
        record = jsonlines.parse(line)
    except ValueError:
        return None
    known = isinstance(record, dict) and record.get("type") in (1, 2) and isinstance(record.get("id"), str)
    return f"cursor:{record['id']}" if known else None
