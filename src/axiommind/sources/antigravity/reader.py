"""What the steps of an Antigravity session say.

Steps have numbers and no ids, and the result of a call is a step of its own that does not name the call: results come
in the order of the calls, under the tool's name. In most versions each input of a tool is a text that is JSON itself.
"""

from __future__ import annotations

import hashlib
import re
from typing import Any

from axiommind.sources.antigravity.bulk import SILENT
from axiommind.sources.antigravity.tool_names import TOOLS
from axiommind.sources.line_reader import LineReader, Tokens, entries
from axiommind.sources.values import whole_number
from axiommind.text import jsonlines
from axiommind.text.pointers import INSIDE

__all__ = ["blocks", "decode"]

_UNDER_WAY = ("PENDING", "RUNNING", "WAITING", "GENERATING", "IN_PROGRESS")
_OF_THE_CLIENT = ("CHECKPOINT", "ERROR_MESSAGE", *SILENT)
_COMMAND = re.compile(r"(/[A-Za-z][\w:-]*)(?:\s+(.*))?\Z", re.DOTALL)
_MOST_CALLS = 64  # of one answer


class _Reader(LineReader):
    AGENT = "antigravity"
    TOOLS = TOOLS
    NOT_TYPED = (
        re.compile(r"</?USER_REQUEST>\n?"),
        re.compile(r"<(ADDITIONAL_METADATA|USER_SETTINGS_CHANGE|USER_RULES)>.*?(?:</\1>|\Z)", re.DOTALL),
    )

    def take(self, record: dict[str, Any]) -> None:
        kind = record.get("type")
        if not isinstance(kind, str):
            self.problem("a record without a type")
            return
        is_model = record.get("source") in ("MODEL", "agent", "tool")
        known = kind in ("USER_INPUT", "PLANNER_RESPONSE", *_OF_THE_CLIENT) or is_model
        self.count(kind, known=known)
        if kind in SILENT or not known:
            return
        when = self.time(record.get("created_at"))
        name = _name(record)
        if kind == "USER_INPUT":
            self._user(record, name, when)
        elif kind == "PLANNER_RESPONSE":
            self._answer(record, name, when)
        elif kind == "CHECKPOINT":
            uuid = self.record(name, when)
            if uuid is not None:
                self.compaction(when)
                self.summary("/content", _text(record, "content"), when, uuid)
        elif is_model and record.get("status") not in _UNDER_WAY:
            self._result(record, kind, name, when)

    def _user(self, record: dict[str, Any], name: str, when: int | None) -> None:
        text = _text(record, "content")
        uuid = self.record(name, when)
        if uuid is None or record.get("source") == "SYSTEM":
            return
        asked = text.partition("<USER_REQUEST>")[2].partition("</USER_REQUEST>")[0].strip() or text.strip()
        command = _COMMAND.match(asked)
        if command is not None:
            self.command(command[1], (command[2] or "").strip(), when, uuid)
        else:
            self.prompt("/content", text, when, uuid)

    def _answer(self, record: dict[str, Any], name: str, when: int | None) -> None:
        uuid = self.record(name, when)
        if uuid is None:
            return
        self.answer(name, when, uuid, model=record.get("model"), tokens=_tokens(record))
        self.said(name, "/content", _text(record, "content"), when, uuid)
        waiting = []
        calls = record.get("tool_calls")
        for i, call in enumerate(calls[:_MOST_CALLS] if isinstance(calls, list) else ()):
            field = "arguments" if "arguments" in call else "args"
            pointer = f"/tool_calls/{i}/{field}"
            given, is_encoded = _decoded(call.get(field))
            if self.out.cwd is None and isinstance(given, dict) and isinstance(given.get("Cwd"), str):
                self.out.cwd = self.context["cwd"] = given["Cwd"]
            use_id = f"{name}/{i}"

            def inside(place: str, at: str = pointer, encoded: bool = is_encoded) -> str:
                first, _, rest = place[1:].partition("/")
                return f"{at}/{first}{INSIDE}{'/' + rest if rest else ''}" if encoded else at + place

            self.call(call.get("name"), given, pointer, when, uuid, use_id=use_id, message=name, inside=inside)
            waiting.append([use_id, str(call.get("name")).upper()])
        self.context["waiting"] = waiting

    def _result(self, record: dict[str, Any], kind: str, name: str, when: int | None) -> None:
        waiting = list(self.context.get("waiting", []))
        uuid = self.record(name, when)
        if uuid is None or not waiting:
            return
        mine = next((one for one in waiting if one[1] == kind), waiting[0])
        self.context["waiting"] = [one for one in waiting if one is not mine]
        texts = [(f"/{field}", text) for field in ("content", "error") if (text := _text(record, field))]
        failed = record.get("status") not in ("DONE", "SUCCESS", "OK") or bool(_text(record, "error"))
        self.result(mine[0], texts, when, uuid, failed=failed)


def _name(record: dict[str, Any]) -> str:
    """What a step is called: sessions count their steps from 0, and several may have one at the same second."""
    said = hashlib.blake2b(jsonlines.encode(record), digest_size=8).hexdigest()
    return f"{record.get('step_index')}@{record.get('created_at')}:{said}"


def _text(record: dict[str, Any], field: str) -> str:
    value = record.get(field)
    return value if isinstance(value, str) else ""


def _decoded(given: Any) -> tuple[Any, bool]:
    """The input of a tool, and whether each of its texts was JSON itself."""
    if not isinstance(given, dict):
        return given, False
    texts = {name: value for name, value in given.items() if isinstance(value, str)}
    try:
        values = {name: jsonlines.parse(value.encode()) for name, value in texts.items()}
    except (ValueError, RecursionError):
        return given, False
    return {**given, **values}, bool(values)


def _tokens(record: dict[str, Any]) -> Tokens | None:
    """What an answer cost, in the versions that write it; what was cached is not in the input."""
    names = ("input_tokens", "output_tokens", "cache_write_tokens", "cache_read_tokens")
    if not any(name in record for name in names):
        return None
    first, second, third, fourth = (whole_number(record.get(name)) or 0 for name in names)
    return first, second, third, fourth


decode, blocks = entries(_Reader)
