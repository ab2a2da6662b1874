"""What the lines of a Qwen session say.

Lines in a person's name are theirs where their provenance says so; older versions have none, and mark only what is not.
A branch copies lines with their ids.
"""

from __future__ import annotations

import re
from typing import Any

from axiommind.sources.line_reader import LineReader, Tokens, entries, texts_of
from axiommind.sources.qwen.bulk import SILENT
from axiommind.sources.qwen.tool_names import TOOLS
from axiommind.sources.values import whole_number

__all__ = ["blocks", "decode"]

_MID_TURN = "mid_turn_user_message"
_SAID = ("user", "assistant", "tool_result", "system")
_TOLD = ("chat_compression", "custom_title", "session_model", "slash_command", _MID_TURN)
_PASSED_OVER = (
    "at_command",
    "cron",
    "notification",
    "parent_session",
    "realtime_message",
    "rewind",
    "session_approval_mode",
    "session_source",
)
_COMMAND = re.compile(r"(/[A-Za-z][\w:-]*)(?:\s+(.*))?\Z", re.DOTALL)


class _Reader(LineReader):
    AGENT = "qwen"
    TOOLS = TOOLS
    NOT_TYPED = (
        re.compile(r"<qwen:user-prompt-submit-context>.*?(?:</qwen:user-prompt-submit-context>|\Z)", re.DOTALL),
        re.compile(r"<system-reminder>.*?(?:</system-reminder>|\Z)", re.DOTALL),
        re.compile(r"--- Content from referenced files ---.*?(?:--- End of content ---|\Z)", re.DOTALL),
        re.compile(r"\A\n?\[User message received during tool execution\]: "),
    )

    def take(self, record: dict[str, Any]) -> None:
        kind, subtype = record.get("type"), record.get("subtype")
        if not isinstance(kind, str):
            self.problem("a record without a type")
            return
        subtype = subtype if isinstance(subtype, str) else ""
        self.count(subtype or kind, known=kind in _SAID and subtype in ("", *_TOLD, *_PASSED_OVER, *SILENT))
        when = self.time(record.get("timestamp"))
        self._place(record)
        if kind == "user" and subtype in ("", _MID_TURN):
            self._user(record, when, is_queued=subtype == _MID_TURN)
        elif kind == "assistant":
            self._assistant(record, when)
        elif kind == "tool_result":
            self._result(record, when)
        elif subtype in _TOLD:
            self._system(subtype, record, when)

    def _place(self, record: dict[str, Any]) -> None:
        out = self.out
        for name, known in (("cwd", out.cwd), ("gitBranch", out.git_branch), ("version", out.version)):
            value = record.get(name)
            if isinstance(value, str) and value != known:
                if name == "cwd":
                    out.cwd = known or value
                elif name == "gitBranch":
                    out.git_branch = value
                else:
                    out.version = value

    # --- people ------------------------------------------------------------------------------------------

    def _user(self, record: dict[str, Any], when: int | None, *, is_queued: bool) -> None:
        payload = record.get("systemPayload")
        shown = payload.get("displayText") if isinstance(payload, dict) else None
        texts = [("/systemPayload/displayText", shown)] if isinstance(shown, str) and shown.strip() else _texts(record)
        if record.get("isSidechain") is True:  # from the agent that called it
            if texts and not self.context.get("has_task"):
                self.title("task", texts[0][1])
                self.context["has_task"] = 1
            return
        if record.get("provenance", "real_user") != "real_user":
            return
        uuid = self.record(record.get("uuid"), when)
        if uuid is None:
            return
        command = _COMMAND.match("".join(text for _, text in texts).strip())
        if command is None:
            for place, text in texts:
                self.prompt(place, text, when, uuid, "queued" if is_queued else "typed")
        elif self.context.get("command") != command[1]:
            self.command(command[1], (command[2] or "").strip(), when, uuid)
        self.context.pop("command", None)

    def _system(self, subtype: str, record: dict[str, Any], when: int | None) -> None:
        payload = record.get("systemPayload")
        if not isinstance(payload, dict):
            return
        if subtype == "custom_title":
            self.title("ai" if payload.get("titleSource") == "auto" else "custom", payload.get("customTitle"))
        elif subtype == "session_model" and isinstance(payload.get("modelId"), str):
            self.context["model"] = payload["modelId"]
        elif subtype == "slash_command" and payload.get("phase") == "invocation":
            command = _COMMAND.match(str(payload.get("rawCommand")).strip())
            uuid = self.record(record.get("uuid"), when)
            if command is not None and uuid is not None and payload.get("hiddenInvocation") is not True:
                self.command(command[1], (command[2] or "").strip(), when, uuid)
                self.context["command"] = command[1]  # what it expands to may follow as a message
        elif subtype == "chat_compression":
            uuid = self.record(record.get("uuid"), when)
            if uuid is not None:
                self._compaction(payload, when, uuid)

    def _compaction(self, payload: dict[str, Any], when: int | None, uuid: str) -> None:
        info = payload.get("info")
        before = whole_number(info.get("originalTokenCount")) if isinstance(info, dict) else None
        self.compaction(when, before=before)
        history = payload.get("compressedHistory")
        for i, content in enumerate(history[:1] if isinstance(history, list) else ()):
            if isinstance(content, dict) and content.get("role") == "user":
                for place, text in texts_of(content.get("parts"), f"/systemPayload/compressedHistory/{i}/parts"):
                    self.summary(place, text, when, uuid)

    # --- the model and its tools -------------------------------------------------------------------------

    def _assistant(self, record: dict[str, Any], when: int | None) -> None:
        name = str(record.get("uuid"))
        uuid = self.record(name, when)
        if uuid is None:
            return
        usage, side = record.get("usageMetadata"), record.get("isSidechain") is True
        texts = _texts(record)
        if texts or isinstance(usage, dict):  # the calls of a subagent come on a line after its answer
            tokens = _tokens(usage) if isinstance(usage, dict) else None
            self.answer(name, when, uuid, model=record.get("model"), tokens=tokens, sidechain=side)
            self.context["answer"] = name
        for place, text in texts:
            self.said(name, place, text, when, uuid)
        for i, part in enumerate(_parts(record)):
            call = part.get("functionCall")
            if isinstance(call, dict):
                place = f"/message/parts/{i}/functionCall/args"
                given = call.get("args")
                message = self.context.get("answer")
                self.call(call.get("name"), given, place, when, uuid, use_id=call.get("id"), message=message)

    def _result(self, record: dict[str, Any], when: int | None) -> None:
        uuid = self.record(record.get("uuid"), when)
        if uuid is None:
            return
        about = record.get("toolCallResult")
        about = about if isinstance(about, dict) else {}
        display = about.get("resultDisplay")
        code = display.get("exitCode") if isinstance(display, dict) else None
        for i, part in enumerate(_parts(record)):
            returned = part.get("functionResponse")
            if not isinstance(returned, dict):
                continue
            response = returned.get("response")
            response = response if isinstance(response, dict) else {}
            place = f"/message/parts/{i}/functionResponse/response"
            texts = [
                (f"{place}/{one}", response[one]) for one in ("output", "error") if isinstance(response.get(one), str)
            ]
            failed = about.get("status") in ("error", "cancelled") or "error" in response
            self.result(
                returned.get("id"), texts, when, uuid, failed=failed, exit_code=code if type(code) is int else None
            )


def _parts(record: dict[str, Any]) -> list[dict[str, Any]]:
    message = record.get("message")
    found = message.get("parts") if isinstance(message, dict) else None
    return [one if isinstance(one, dict) else {} for one in found] if isinstance(found, list) else []


def _texts(record: dict[str, Any]) -> list[tuple[str, str]]:
    """What was said, without what was only thought."""
    return [
        (f"/message/parts/{i}/text", part["text"])
        for i, part in enumerate(_parts(record))
        if isinstance(part.get("text"), str) and part["text"].strip() and part.get("thought") is not True
    ]


def _tokens(usage: dict[str, Any]) -> Tokens:
    """What was cached is in the input. Whether thoughts are in the output depends on who serves the model: the total
    tells."""
    names = ("promptTokenCount", "candidatesTokenCount", "cachedContentTokenCount", "totalTokenCount")
    given, output, cached, total = (whole_number(usage.get(name)) or 0 for name in names)
    thoughts = whole_number(usage.get("thoughtsTokenCount")) or 0
    apart = thoughts if total >= given + output + thoughts else 0
    return max(given - cached, 0), output + apart, 0, cached


decode, blocks = entries(_Reader)
