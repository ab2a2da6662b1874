"""What the lines of a Gemini session say.

A message is written again when it has grown, with the same id: its text, each call and each result are pieces with ids
of their own, read where they first stand. A resume writes all of the history once more in a patch, which is not read
again; neither is what the person took back by rewinding taken out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from axiommind.sources.gemini.bulk import SNAPSHOT
from axiommind.sources.gemini.projects import CONTEXT, folder_of, workspaces_in
from axiommind.sources.gemini.tool_names import TOOLS
from axiommind.sources.line_reader import LineReader, Tokens, entries, texts_of
from axiommind.sources.values import whole_number

__all__ = ["blocks", "decode"]

_FILES = "--- Content from referenced files ---"
_END_OF_FILES = "--- End of content ---"
_COMMAND = re.compile(r"(/[A-Za-z][\w:-]*)(?:\s+(.*))?\Z", re.DOTALL)
_SHELL = re.compile(r"I ran the following shell command:\n```sh\n(.*?)\n```", re.DOTALL)
# What the client says to the model in a person's place.
_CLIENTS_OWN = ("Please continue.", "System: Please continue.")
_SUMMARIES = (SNAPSHOT, "<scratchpad>")  # how the client's summary of the conversation begins
_FINISHED = ("success", "error", "cancelled")
_TOLD = ("info", "warning", "error")  # by the client to the person


class _Reader(LineReader):
    AGENT = "gemini"
    TOOLS = TOOLS
    NOT_TYPED = (
        re.compile(r"<hook_context>.*?(?:</hook_context>|\Z)", re.DOTALL),
        re.compile(re.escape(_FILES) + rf".*?(?:{re.escape(_END_OF_FILES)}|\Z)", re.DOTALL),
        re.compile(r"</?untrusted_context>\n?"),
    )

    def take(self, record: dict[str, Any]) -> None:
        kind = record.get("type")
        if isinstance(kind, str):
            self.count(kind, known=kind in ("user", "gemini", *_TOLD))
            self._message(record, "")
        elif "$set" in record:
            self.count("$set")
            self._patch(record["$set"])
        elif "$rewindTo" in record:
            self.count("$rewindTo")
        elif "sessionId" in record:
            self.count("session")
            self.time(record.get("startTime"))
            if record.get("kind") == "subagent":
                self.context["subagent"] = 1
            if isinstance(record.get("projectHash"), str) and self.out.cwd is None:
                self.context["project_hash"] = record["projectHash"]
            self._works_in(record.get("directories"))
        else:
            self.problem("a record without a type")

    # --- where -------------------------------------------------------------------------------------------

    def _works_in(self, folders: Any) -> None:
        """The first of the folders of a session is the one that it was started in."""
        found = [one for one in folders if isinstance(one, str)] if isinstance(folders, list) else []
        if found and self.out.cwd is None:
            self._is_in(folder_of(str(self.context.get("project_hash")), found) or found[0])

    def _guess_folder(self, given: Any) -> None:
        """A path in the input of a tool may lie in the folder whose hash is known."""
        wanted = self.context.get("project_hash")
        if wanted and self.out.cwd is None and isinstance(given, dict):
            paths = [one for one in given.values() if isinstance(one, str) and len(one) < 1000 and "\n" not in one]
            self._is_in(folder_of(wanted, (one for one in paths if one.startswith("/") or one[1:3] == ":\\")))

    def _is_in(self, folder: str | None) -> None:
        if folder is not None:
            self.out.cwd = self.context["cwd"] = folder
            self.context.pop("project_hash", None)

    # --- patches -----------------------------------------------------------------------------------------

    def _patch(self, values: dict[str, Any]) -> None:
        self.title("ai", values.get("summary"))
        self.time(values.get("lastUpdated"))
        messages = values.get("messages")
        for i, message in enumerate(messages if isinstance(messages, list) else ()):
            if isinstance(message, dict) and message.get("type") == "user":
                for place, text in texts_of(message.get("content"), f"/$set/messages/{i}/content"):
                    if text.lstrip().startswith(CONTEXT):
                        self._works_in(workspaces_in(text))
                    elif text.lstrip().startswith(_SUMMARIES):
                        self._summary(message, place, text)
        self._works_in(values.get("directories"))

    def _summary(self, message: dict[str, Any], place: str, text: str) -> None:
        when = self.time(message.get("timestamp"))
        uuid = self.record(message.get("id"), when)
        if uuid is not None:
            self.compaction(when)
            self.summary(place, text, when, uuid)

    # --- messages ----------------------------------------------------------------------------------------

    def _message(self, record: dict[str, Any], at: str) -> None:
        if record["type"] == "user":
            self._user(record, f"{at}/content")
        elif record["type"] == "gemini":
            self._answer(record, at)

    def _user(self, record: dict[str, Any], at: str) -> None:
        # As it was typed, without the files that it names; older versions have only the whole.
        shown = texts_of(record.get("displayContent"), "/displayContent")
        texts = shown or list(_without_files(texts_of(record.get("content"), at)))
        whole = "".join(text for _, text in texts).strip()
        if not whole or whole in _CLIENTS_OWN:
            return
        if whole.startswith(CONTEXT):
            self._works_in(workspaces_in(whole))
            return
        if whole.startswith(_SUMMARIES):
            self._summary(record, *texts[0])
            return
        when = self.time(record.get("timestamp"))
        if self.context.get("subagent"):  # from the agent that called it
            if self.context["subagent"] == 1:
                self.title("task", whole)
                self.context["subagent"] = 2
            return
        uuid = self.record(record.get("id"), when)
        if uuid is None:
            return
        ran, command = _SHELL.match(whole), _COMMAND.match(whole)
        if ran is not None:
            self.command("!", ran[1], when, uuid, kind="bash")
        elif command is not None:
            self.command(command[1], (command[2] or "").strip(), when, uuid)
        else:
            for place, text in texts:
                self.prompt(place, text, when, uuid)

    def _answer(self, record: dict[str, Any], at: str) -> None:
        name = str(record.get("id"))
        when = self.time(record.get("timestamp"))
        uuid = self.record(name, when)
        usage = record.get("tokens")
        tokens = _tokens(usage) if isinstance(usage, dict) else None
        self.answer(name, when, uuid, model=record.get("model"), tokens=tokens)
        if uuid is not None:
            for place, text in texts_of(record.get("content"), f"{at}/content"):
                self.said(name, place, text, when, uuid)
        calls = record.get("toolCalls")
        for i, call in enumerate(calls if isinstance(calls, list) else ()):
            self._call(call, name, f"{at}/toolCalls/{i}", when)

    def _call(self, call: dict[str, Any], message: str, at: str, answered: int | None) -> None:
        use_id = call.get("id")
        when = self.time(call.get("timestamp")) or answered
        uuid = self.record(f"{message}/{use_id}", when)
        if uuid is not None:
            self._guess_folder(call.get("args"))
            self.call(call.get("name"), call.get("args"), f"{at}/args", when, uuid, use_id=use_id, message=message)
        failed = call.get("status") != "success"
        if call.get("status") in _FINISHED and (uuid := self.record(f"{message}/{use_id}/result", when)) is not None:
            self.result(use_id, _returned(call.get("result"), f"{at}/result"), when, uuid, failed=failed)


def _without_files(texts: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """The parts of a message that were typed: the contents of the files that it names come between two marks."""
    inside = False
    for place, text in texts:
        mark = text.strip()
        if mark == _FILES:
            inside = True
        if not inside:
            yield place, text
        if mark == _END_OF_FILES:
            inside = False


def _returned(result: Any, at: str) -> Iterator[tuple[str, str]]:
    for i, part in enumerate(result if isinstance(result, list) else ()):
        if isinstance(part, dict) and isinstance(part.get("functionResponse"), dict):
            response = part["functionResponse"].get("response")
            for name in ("output", "error"):
                if isinstance(response, dict) and isinstance(response.get(name), str):
                    yield f"{at}/{i}/functionResponse/response/{name}", response[name]
        elif isinstance(part, dict) and isinstance(part.get("text"), str):
            yield f"{at}/{i}/text", part["text"]
    if isinstance(result, str):
        yield at, result


def _tokens(usage: dict[str, Any]) -> Tokens:
    """The client counts what was cached into the input, and thoughts beside the output."""
    names = ("input", "output", "cached", "thoughts", "tool")
    given, output, cached, thoughts, tool = (whole_number(usage.get(name)) or 0 for name in names)
    return max(given - cached, 0) + tool, output + thoughts, 0, cached


decode, blocks = entries(_Reader)
