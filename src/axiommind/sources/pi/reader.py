"""What the lines of a Pi session say.

The ids of entries are eight characters, which repeat among many sessions: with the time they do not, and a fork keeps
both.
"""

from __future__ import annotations

from typing import Any, ClassVar

from axiommind.sources.line_reader import LineReader, Tokens, entries, texts_of
from axiommind.sources.pi.tool_names import TOOLS
from axiommind.sources.values import whole_number

__all__ = ["PiReader", "blocks", "decode"]


class PiReader(LineReader):
    """Pi's entries, and those of agents that are built on it."""

    AGENT = "pi"
    TOOLS = TOOLS
    # Types of entries that say nothing of what was said.
    SILENT: ClassVar[tuple[str, ...]] = (
        "thinking_level_change",
        "label",
        "custom",
        "custom_message",
        "branch_summary",
        "session_info",
        "usage",
    )

    def take(self, record: dict[str, Any]) -> None:
        kind = record.get("type")
        if not isinstance(kind, str):
            self.problem("a record without a type")
            return
        known = kind in ("session", "message", "model_change", "compaction", *self.SILENT)
        self.count(kind, known=known)
        when = self.time(record.get("timestamp"))
        if kind == "session":
            self.out.cwd = record["cwd"] if isinstance(record.get("cwd"), str) else self.out.cwd
            version = record.get("version")
            self.out.version = str(version) if version is not None else None
        elif kind == "session_info":
            self.title("custom", record.get("name"))
        elif kind == "model_change" and isinstance(record.get("modelId"), str):
            self.context["model"] = record["modelId"]
        elif kind in ("message", "compaction"):
            uuid = self.record(f"{record.get('id')}@{when}", when)
            if uuid is None:
                return
            if kind == "message":
                self._message(record["message"], f"{record.get('id')}@{when}", when, uuid)
            else:
                self.compaction(when, before=whole_number(record.get("tokensBefore")))
                if isinstance(record.get("summary"), str):
                    self.summary("/summary", record["summary"], when, uuid)
                self._spent(record, f"{record.get('id')}@{when}", when, uuid)

    def _message(self, message: dict[str, Any], name: str, when: int | None, uuid: str) -> None:
        role, content = message.get("role"), message.get("content")
        if role == "user":
            for place, text in texts_of(content, "/message/content"):
                self.asked(message, place, text, when, uuid)
        elif role == "assistant":
            self._spent(message, name, when, uuid)
            for i, part in enumerate(content if isinstance(content, list) else ()):
                place = f"/message/content/{i}"
                if part.get("type") == "text" and isinstance(part.get("text"), str):
                    self.said(name, f"{place}/text", part["text"], when, uuid)
                elif part.get("type") == "toolCall":
                    given = part.get("arguments")
                    self.call(
                        part.get("name"),
                        given,
                        f"{place}/arguments",
                        when,
                        uuid,
                        use_id=part.get("id"),
                        message=name,
                    )
        elif role == "toolResult":
            failed = message.get("isError") is True
            found = texts_of(content, "/message/content")
            details = message.get("details")
            code = details.get("exitCode") if isinstance(details, dict) else None
            code = code if type(code) is int else None
            self.result(message.get("toolCallId"), found, when, uuid, failed=failed, exit_code=code)
        elif role == "bashExecution" and isinstance(message.get("command"), str):  # typed by the person
            self.command("!", message["command"], when, uuid, kind="bash")

    def asked(self, message: dict[str, Any], place: str, text: str, when: int | None, uuid: str) -> None:  # noqa: ARG002
        """A text of a message that a person wrote, or that stands where one would."""
        self.prompt(place, text, when, uuid)

    def _spent(self, message: dict[str, Any], name: str, when: int | None, uuid: str) -> None:
        usage = message.get("usage")
        stop = message.get("stopReason")
        tokens = _tokens(usage) if isinstance(usage, dict) else None
        failed = stop == "error"
        self.answer(name, when, uuid, model=message.get("model"), stop=stop, tokens=tokens, failed=failed)


def _tokens(usage: dict[str, Any]) -> Tokens:
    names = ("input", "output", "cacheWrite", "cacheRead")
    first, second, third, fourth = (whole_number(usage.get(name)) or 0 for name in names)
    return first, second, third, fourth


decode, blocks = entries(PiReader)
