"""The texts of a Claude Code transcript where they stand: what memory quotes from.

Which lines are a person's own words is decided by the decoder of the lines, once, for the index and for this.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from axiommind.sources.claude_code.decoder import Decoder
from axiommind.sources.claude_code.lines import Line
from axiommind.sources.claude_code.prompt_history import TYPE as TYPED
from axiommind.sources.claude_code.user_text import INJECTED, REMINDER
from axiommind.sources.records import Block, CallBlocks, ToolUse
from axiommind.text.pointers import leaves
from axiommind.tools.refusals import refusal_in

__all__ = ["blocks"]


def blocks(content: bytes, first_line: int, skip: frozenset[str] = frozenset()) -> tuple[list[Block], list[CallBlocks]]:
    """The texts of some lines in order, and the uses of tools among them."""
    reader = _Reader(first_line, skip)
    reader.run(content)
    return reader.found, reader.calls


class _Reader(Decoder):
    """Lets the decoder judge a line, and then takes its texts from where they stand."""

    def __init__(self, first_line: int, skip: frozenset[str]) -> None:
        super().__init__(first_line, skip)
        self.found: list[Block] = []
        self.calls: list[CallBlocks] = []

    def take(self, line: Line) -> None:
        prompts, uses, records = len(self.out.prompts), len(self.out.tool_uses), len(self.out.records)
        summaries = len(self.out.compaction_summaries)
        super().take(line)
        uuid = line.uuid if isinstance(line.uuid, str) else None
        if uuid is not None and len(self.out.records) == records:
            return  # a copy, or nothing that was said
        when = self.time_of(line.timestamp)
        if line.type in ("queue-operation", TYPED) and len(self.out.prompts) > prompts:
            self.texts_of(line.content, "/content", "queued", when, None)
        elif line.type == "attachment" and len(self.out.prompts) > prompts:
            self.texts_of(line.attachment["prompt"], "/attachment/prompt", "person", when, uuid)
        elif line.type == "user":
            content = line.message.get("content") if isinstance(line.message, dict) else line.message
            pointer = "/message/content" if isinstance(line.message, dict) else "/message"
            if isinstance(content, list) and _has_result(content):
                self.results(content, pointer, when, uuid)
            elif len(self.out.prompts) > prompts:
                self.texts_of(content, pointer, "person", when, uuid)
            elif len(self.out.compaction_summaries) > summaries:
                self.texts_of(content, pointer, "summary", when, uuid)
        elif line.type == "assistant" and isinstance(line.message, dict):
            self.answer_blocks(line.message.get("content"), self.out.tool_uses[uses:], when, uuid)
        elif line.type == "tool_use" and len(self.out.tool_uses) > uses:
            self.call(self.out.tool_uses[-1], line.input, "", when, uuid)

    def add(self, pointer: str, role: str, text: str, when: int | None, uuid: str | None, **more: Any) -> int:
        self.found.append(Block(self.number, pointer, role, text, when, uuid, **more))
        return len(self.found) - 1

    def texts_of(self, content: Any, pointer: str, role: str, when: int | None, uuid: str | None) -> None:
        for where, text in _texts(content, pointer):
            own = _own_words(text) if role in ("person", "queued") else text
            if own.strip():
                self.add(where, role, own, when, uuid)

    def answer_blocks(self, content: Any, uses: list[ToolUse], when: int | None, uuid: str | None) -> None:
        rest = iter(uses)  # as the decoder found them, in the same order
        if isinstance(content, str):
            self.texts_of(content, "/message/content", "assistant", when, uuid)
            return
        for i, block in enumerate(content if isinstance(content, list) else ()):
            if not isinstance(block, dict):
                continue
            where = f"/message/content/{i}"
            if block.get("type") == "text" and isinstance(block.get("text"), str) and block["text"].strip():
                self.add(f"{where}/text", "assistant", block["text"], when, uuid)
            elif block.get("type") == "tool_use" and isinstance(block.get("name"), str) and block["name"]:
                self.call(next(rest), block.get("input"), where, when, uuid)

    def call(self, use: ToolUse, given: Any, where: str, when: int | None, uuid: str | None) -> None:
        use_id = use.tool_use_id
        own = {
            pointer: self.add(f"{where}/input{pointer}", "call", text, when, uuid, use_id=use_id)
            for pointer, text in leaves(given)
        }
        fields = given if isinstance(given, dict) else {}
        names = (use.tool_name, use.classified_name)
        self.calls.append(CallBlocks(self.number, *names, fields, when, uuid, use_id, own))

    def results(self, content: list[Any], pointer: str, when: int | None, uuid: str | None) -> None:
        for i, block in enumerate(content):
            if (
                isinstance(block, dict)
                and block.get("type") == "tool_result"
                and isinstance(block.get("tool_use_id"), str)
            ):
                failed = block.get("is_error") is True
                for where, text in _texts(block.get("content"), f"{pointer}/{i}/content"):
                    self.add(where, "result", text, when, uuid, use_id=block["tool_use_id"], failed=failed)
                    refusal = refusal_in(text) if failed else None
                    if refusal is not None and refusal.reason:
                        after = " " * (len(text) - refusal.end)
                        self.add(where, "person", " " * refusal.start + refusal.reason + after, when, uuid)


def _has_result(content: list[Any]) -> bool:
    return any(isinstance(block, dict) and block.get("type") == "tool_result" for block in content)


def _texts(content: Any, pointer: str) -> Iterator[tuple[str, str]]:
    """The texts of a message's content, which is one text or a list of blocks."""
    if isinstance(content, str):
        yield pointer, content
    for i, block in enumerate(content if isinstance(content, list) else ()):
        if isinstance(block, dict) and isinstance(block.get("text"), str):
            yield f"{pointer}/{i}/text", block["text"]


def _own_words(text: str) -> str:
    """The text with blanks, as many, where the editor or the client put something in: places stay what they are."""
    at = 0
    while match := INJECTED.match(text, at):
        at = match.end()
    if at:
        text = " " * at + text[at:]
    return REMINDER.sub(lambda found: " " * len(found.group()), text)
