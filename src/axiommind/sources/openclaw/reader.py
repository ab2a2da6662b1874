"""What the lines of an OpenClaw session say: Pi's entries, whose prompts come by way of channels."""

from __future__ import annotations

import re
from typing import Any

from axiommind.sources.line_reader import entries
from axiommind.sources.openclaw.tool_names import TOOLS
from axiommind.sources.patches import read_patch
from axiommind.sources.pi.reader import PiReader

__all__ = ["blocks", "decode"]

# What the gateway puts before and behind what somebody wrote.
_NOT_TYPED = (
    re.compile(r"^[A-Z][\w ]{2,60} \(untrusted[^)\n]*\):\s*\n```\w*\n.*?\n```\s*", re.DOTALL | re.MULTILINE),
    re.compile(r"^System: \[[^\]\n]+\][^\n]*\n*", re.MULTILINE),
    re.compile(r"\A\s*\[(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d{4}-\d\d-\d\d \d\d:\d\d[^\]\n]*\] ?"),
    re.compile(r"\s*^\[message_id: [^\]\n]+\]\s*$", re.MULTILINE),
)
# What nobody wrote: the clock wakes the agent, or another agent hands it work.
_OF_NOBODY = re.compile(r"\s*(?:Read HEARTBEAT\.md if it exists|\[cron:|\[Subagent (?:Task|Context)\])")


class _Reader(PiReader):
    AGENT = "openclaw"
    TOOLS = TOOLS
    NOT_TYPED = _NOT_TYPED
    SILENT = (*PiReader.SILENT, "reset", "leaf", "link", "ignored", "checkpoint")

    def take(self, record: dict[str, Any]) -> None:
        kind = record.get("type")
        if kind == "window":
            self.count(kind)
            if record.get("parentKey") or record.get("begunBy") == "nobody":
                self.context["is_child"] = True
        elif kind == "unreadable":
            self.problem("an entry that cannot be unpacked: not read")
        else:
            super().take(record)
            if kind == "session" and self.out.cwd:
                self.context["cwd"] = self.out.cwd

    def call(self, name: Any, given: Any, pointer: str, *where: Any, **more: Any) -> None:
        text = given.get("input") if name == "apply_patch" and isinstance(given, dict) else None
        if isinstance(text, str):
            patch = read_patch(text, str(self.context.get("cwd") or ""))
            given, pointer = text, f"{pointer}/input"
            more |= {"files": patch.files, "written": patch.fields}
        super().call(name, given, pointer, *where, **more)

    def asked(self, message: dict[str, Any], place: str, text: str, when: int | None, uuid: str) -> None:
        if not self.context.get("is_child") and not _OF_NOBODY.match(text):
            super().asked(message, place, text, when, uuid)
        elif "task" not in self.out.titles and not self.context.get("has_task"):
            self.context["has_task"] = True
            self.title("task", text)


decode, blocks = entries(_Reader)
