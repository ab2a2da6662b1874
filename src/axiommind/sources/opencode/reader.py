"""What the lines of an OpenCode session say.

A fork copies messages with new ids and keeps their times, so a message of a session that a person began is known by its
times; one of a subagent, several of which may begin in the same moment, by its id.
"""

from __future__ import annotations

import re
from typing import Any

from axiommind.sources.line_reader import LineReader, Tokens, entries
from axiommind.sources.opencode.tool_names import TOOLS
from axiommind.sources.patches import read_patch
from axiommind.sources.values import whole_number
from axiommind.text.pointers import under

__all__ = ["blocks", "decode"]

_PARTS = ("text", "reasoning", "tool", "step-finish", "patch", "file", "agent", "subtask", "compaction", "retry")
# `opencode run "a prompt"` puts quotes around what it was given.
_QUOTED = re.compile(r'\s*"(?:[^"\\]|\\.)*"\s*', re.DOTALL)
_ESCAPED = re.compile(r'\\(?=")')
_BY_THE_PERSON = "The following tool was executed by the user"


class _Reader(LineReader):
    AGENT = "opencode"
    TOOLS = TOOLS

    def take(self, record: dict[str, Any]) -> None:
        kind = record.get("type")
        if not isinstance(kind, str):
            self.problem("a record without a type")
            return
        self.count(kind, known=kind in ("session", "title", "message"))
        if kind == "session":
            self._session(record)
        elif kind == "title":
            self.title("task" if self.context.get("is_child") else "ai", record.get("title"))
        elif kind == "message":
            if record.get("unreadable") is True:
                self.problem("a message that is no JSON: not read")
                return
            self._message(record)

    def _session(self, record: dict[str, Any]) -> None:
        directory, version = record.get("directory"), record.get("version")
        self.out.cwd = self.context["cwd"] = directory if isinstance(directory, str) and directory else None
        self.out.version = version if isinstance(version, str) and version else None
        parent = record.get("parentID")
        if isinstance(parent, str):
            self.out.parent_session = parent
            self.context["is_child"] = True
        created = whole_number(record["time"].get("created"))
        if created:
            self.context["created"] = created

    def _message(self, record: dict[str, Any]) -> None:
        role, time = record.get("role"), record.get("time")
        if not isinstance(time, dict):
            time = {}
        when = self.time(time.get("created"))
        child = record.get("ofSubagent") is True
        name = f"{record.get('id')}" if child or when is None else f"{role}@{when}-{time.get('completed') or ''}"
        copied = when is not None and when < self.context.get("created", 0)
        uuid = self.record(name, when, forked=copied)
        if uuid is None:
            return
        given = record.get("parts")
        parts = enumerate(given if isinstance(given, list) else ())
        known = [(f"/parts/{i}", part) for i, part in parts if self._known(part)]
        if role == "user":
            self._asked(record, known, when, uuid)
        elif role == "assistant":
            self._answered(record, known, name, when, uuid)
        else:
            self.count(f"message {role}", known=False)

    def _known(self, part: Any) -> bool:
        if not isinstance(part, dict) or part.get("unreadable") is True:
            self.problem("a part of a message that is no JSON: not read")
            return False
        kind = part.get("type")
        if kind not in _PARTS:
            self.count(f"part {kind}", known=False)
        return kind in _PARTS

    # --- people ------------------------------------------------------------------------------------------

    def _asked(
        self, record: dict[str, Any], parts: list[tuple[str, dict[str, Any]]], when: int | None, uuid: str
    ) -> None:
        for place, part in parts:
            kind, text = part["type"], part.get("text")
            if kind == "text" and isinstance(text, str):
                if part.get("synthetic") is True or part.get("ignored") is True:
                    if text.startswith(_BY_THE_PERSON):
                        self.context["shell"] = record.get("id")
                elif record.get("ofSubagent") is not True:  # there the parent agent asks
                    self.prompt(f"{place}/text", text, when, uuid, around=_client_quotes(text))
            elif kind == "compaction":
                self.compaction(when, "auto" if part.get("auto") is True else "manual")
            elif kind == "subtask" and isinstance(part.get("command"), str):
                self.command(f"/{part['command']}", "", when, uuid)

    # --- the model ---------------------------------------------------------------------------------------

    def _answered(
        self,
        record: dict[str, Any],
        parts: list[tuple[str, dict[str, Any]]],
        name: str,
        when: int | None,
        uuid: str,
    ) -> None:
        error = record.get("error")
        broken_off = isinstance(error, dict) and error.get("name") == "MessageAbortedError"
        self.answer(
            name,
            when,
            uuid,
            model=record.get("modelID"),
            stop=record.get("finish") or ("aborted" if broken_off else None),
            tokens=_spent(record, [part for _, part in parts]),
            sidechain=record.get("ofSubagent") is True,
            failed=isinstance(error, dict) and not broken_off,
        )
        is_summary = record.get("summary") is True
        typed = record.get("parentID") is not None and record.get("parentID") == self.context.get("shell")
        for place, part in parts:
            kind, text = part["type"], part.get("text")
            if kind == "text" and isinstance(text, str) and part.get("synthetic") is not True:
                if is_summary:
                    self.summary(f"{place}/text", text, when, uuid)
                else:
                    self.said(name, f"{place}/text", text, when, uuid)
            elif kind == "tool" and typed:
                given = part["state"].get("input")
                if isinstance(given, dict) and isinstance(given.get("command"), str):
                    self.command("!", given["command"], when, uuid, kind="bash")
            elif kind == "tool":
                self._tool(part, place, name, when, uuid)

    def _tool(self, part: dict[str, Any], place: str, name: str, when: int | None, uuid: str) -> None:
        state = part["state"]
        time = state.get("time")
        begun = self.time(time.get("start")) if isinstance(time, dict) else None
        tool, given, use_id = part.get("tool"), state.get("input"), part.get("callID")
        use_id = use_id if isinstance(use_id, str) and use_id else None
        where = f"{place}/state/input"
        text = given.get("patchText") if isinstance(given, dict) else None
        if isinstance(text, str):
            patch = read_patch(text, str(self.context.get("cwd") or ""))
            made: dict[str, Any] = {"files": patch.files, "written": patch.fields}
            self.call(tool, text, f"{where}/patchText", begun or when, uuid, use_id=use_id, message=name, **made)
        else:
            self.call(tool, given, where, begun or when, uuid, use_id=use_id, message=name)
        status = state.get("status")
        if use_id is None or status not in ("completed", "error"):
            return
        more = state.get("metadata")
        code = more.get("exit") if isinstance(more, dict) else None
        texts = [
            (under(f"{place}/state", key), state[key])
            for key in ("output", "error")
            if isinstance(state.get(key), str) and state[key]
        ]
        ended = self.time(time.get("end")) if isinstance(time, dict) else None
        self.result(
            use_id, texts, ended or when, uuid, failed=status == "error", exit_code=code if type(code) is int else None
        )


def _client_quotes(text: str) -> list[tuple[int, int]]:
    """The quotes that the client put around a prompt, and what it put before quotes inside."""
    if not _QUOTED.fullmatch(text):
        return []
    first, last = text.index('"'), text.rindex('"')
    return [(first, first + 1), *(m.span() for m in _ESCAPED.finditer(text, first + 1, last)), (last, last + 1)]


def _spent(record: dict[str, Any], parts: list[dict[str, Any]]) -> Tokens | None:
    """The tokens of an answer: the sum of its steps, as the message itself only has those of its last one."""
    steps = [part["tokens"] for part in parts if part["type"] == "step-finish" and isinstance(part.get("tokens"), dict)]
    if not steps and isinstance(record.get("tokens"), dict):
        steps = [record["tokens"]]
    if not steps:
        return None
    read = [_tokens(one) for one in steps]
    return sum(t[0] for t in read), sum(t[1] for t in read), sum(t[2] for t in read), sum(t[3] for t in read)


def _tokens(usage: dict[str, Any]) -> Tokens:
    cache = usage.get("cache")
    inner = cache if isinstance(cache, dict) else {}
    numbers = (usage.get("input"), usage.get("output"), usage.get("reasoning"), inner.get("write"), inner.get("read"))
    fresh, said, thought, written, known = (whole_number(value) or 0 for value in numbers)
    return fresh, said + thought, written, known


decode, blocks = entries(_Reader)
