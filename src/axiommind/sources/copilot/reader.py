"""What the events of a Copilot session say.

Every event has an id of its own, which a copy keeps. What a subagent does is among the events with its `agentId`: its
answers are marked as a side chain, and what it was asked is no person's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from axiommind.sources.copilot.event_types import KNOWN
from axiommind.sources.copilot.tool_names import PATCH, TASKS, TOOLS
from axiommind.sources.line_reader import LineReader, Tokens, entries, texts_of
from axiommind.sources.patches import read_patch
from axiommind.sources.values import whole_number
from axiommind.text import jsonlines
from axiommind.text.pointers import INSIDE

__all__ = ["blocks", "decode"]

# At the end of what a shell printed.
_EXIT = re.compile(r"\n?<(?:shellId: [^<>\n]{1,80} )?(?:completed|exited) with exit code (-?\d+)>\s*\Z")
# What a hook was allowed to add to a prompt, and the client's own notes there.
_ADDED = re.compile(
    r"\A\s*<current_datetime>[^<]*</current_datetime>\s*|<system_reminder>.*?(?:</system_reminder>|\Z)", re.DOTALL
)
_TASK = re.compile(r"[ \t]*[-*+][ \t]+\[([ xX~>/-])\][ \t]+(\S.*)")
_STATUS = {" ": "pending", "x": "completed", "X": "completed"}
_GLOBAL = 20  # characters of an id that a provider made up for everybody
_OWN = 16  # calls that a person asked for and that are not over


class _Reader(LineReader):
    AGENT = "copilot"
    TOOLS = TOOLS
    NOT_TYPED = (_ADDED, _EXIT)

    def take(self, record: dict[str, Any]) -> None:
        kind, data = record.get("type"), record.get("data")
        if not isinstance(kind, str):
            self.problem("an event without a type")
            return
        self.count(kind, known=kind in KNOWN)
        when = self.time(record.get("timestamp"))
        handle = _HANDLERS.get(kind)
        if handle is None or not isinstance(data, dict):
            return
        self._side = isinstance(record.get("agentId"), str)
        own = record.get("id")
        uuid = self.record(
            own if isinstance(own, str) and own else f"{self.context.get('session')}#{self.number}", when
        )
        if uuid is not None:
            handle(self, data, when, uuid)

    # --- the session -------------------------------------------------------------------------------------

    def session(self, data: dict[str, Any], when: int | None, uuid: str) -> None:
        if isinstance(data.get("sessionId"), str):
            self.context["session"] = data["sessionId"]
        if isinstance(data.get("copilotVersion"), str):
            self.out.version = data["copilotVersion"]
        self._model(data.get("selectedModel"))
        self.place(_inside(data, "context") or data, when, uuid)

    def place(self, data: dict[str, Any], when: int | None, uuid: str) -> None:  # noqa: ARG002
        if isinstance(data.get("cwd"), str) and data["cwd"]:
            self.out.cwd = self.out.cwd or data["cwd"]
            self.context["cwd"] = data["cwd"]
        if isinstance(data.get("branch"), str) and data["branch"]:
            self.out.git_branch = data["branch"]

    def changed(self, data: dict[str, Any], when: int | None, uuid: str) -> None:  # noqa: ARG002
        if not self._side:
            self._model(data.get("newModel"))

    def _model(self, name: Any) -> None:
        if isinstance(name, str) and name:
            self.context["model"] = name

    def titled(self, data: dict[str, Any], when: int | None, uuid: str) -> None:  # noqa: ARG002
        self.title("ai", data.get("title"))

    def compacted(self, data: dict[str, Any], when: int | None, uuid: str) -> None:
        if data.get("success") is False or self._side:
            return
        self.compaction(when, before=whole_number(data.get("preCompactionTokens")))
        if isinstance(data.get("summaryContent"), str):
            self.summary("/data/summaryContent", data["summaryContent"], when, uuid)

    # --- messages ----------------------------------------------------------------------------------------

    def asked(self, data: dict[str, Any], when: int | None, uuid: str) -> None:
        source = data.get("source")
        if self._side or (isinstance(source, str) and source not in ("", "user")):  # an agent, a skill, the client
            return
        if isinstance(data.get("content"), str):
            waited = data.get("delivery") not in (None, "idle")
            self.prompt("/data/content", data["content"], when, uuid, "queued" if waited else "typed")

    def said_by_model(self, data: dict[str, Any], when: int | None, uuid: str) -> None:
        message = self._message(data, uuid)
        output = whole_number(data.get("outputTokens")) or 0
        if output and message != self.context.get("paid"):
            self._count(self._name_of_model(data), (0, output, 0, 0))
            self._answer(message, data, when, uuid, (0, output, 0, 0))
        else:
            self._answer(message, data, when, uuid, None)
        if isinstance(data.get("content"), str):
            self.said(message, "/data/content", data["content"], when, uuid)
        requests = data.get("toolRequests")
        for i, request in enumerate(requests if isinstance(requests, list) else ()):
            if isinstance(request, dict):
                place = f"/data/toolRequests/{i}/arguments"
                self._call(request.get("name"), request, place, when, uuid, message)

    def _answer(self, message: str, data: dict[str, Any], when: int | None, uuid: str, tokens: Tokens | None) -> None:
        model = self._name_of_model(data)
        if not self._side:
            self.answer(message, when, uuid, model=model, tokens=tokens)
            return
        own = self.out.model, self.context.get("model")  # a subagent's model is not the session's
        self.answer(message, when, uuid, model=model, tokens=tokens, sidechain=True)
        self.out.model, self.context["model"] = own

    def _message(self, data: Mapping[str, Any], uuid: str) -> str:
        """The name of an answer: that of the request that brought it. A local server may give many the same."""
        found = data.get("apiCallId") or data.get("messageId") or uuid
        return str(found) if len(str(found)) >= _GLOBAL else f"{self.context.get('session')}:{found}"

    def _name_of_model(self, data: Mapping[str, Any]) -> str | None:
        model = data.get("model")
        return model if isinstance(model, str) and model else self.context.get("model")

    # --- tools -------------------------------------------------------------------------------------------

    def _call(
        self, name: Any, data: dict[str, Any], place: str, when: int | None, uuid: str, message: str | None
    ) -> None:
        use, given = data.get("toolCallId"), data.get("arguments")
        use_id = use if isinstance(use, str) and use else None
        if isinstance(given, str):
            try:
                parsed = jsonlines.parse(given.encode())
            except ValueError:
                parsed = None
            given, place = (parsed, place + INSIDE) if isinstance(parsed, dict) else (given, place)
        text, where, written = given, place, None
        if name in (PATCH, TASKS) and isinstance(given, dict):
            field = next((f for f in ("input", "patch", "patchText", "todos") if isinstance(given.get(f), str)), None)
            text, where = (given[field], f"{place}/{field}") if field else (None, place)
        files: tuple[str, ...] = ()
        if name == PATCH and isinstance(text, str):
            patch = read_patch(text, str(self.context.get("cwd") or ""))
            files, written = patch.files, patch.fields
        elif name == TASKS and isinstance(text, str):
            written = {"todos": _tasks(text)}
        if written:
            self.call(name, text, where, when, uuid, use_id=use_id, message=message, files=files, written=written)
        else:
            given, place = (
                (given, place) if isinstance(given, dict) else ({"arguments": given}, place.rpartition("/")[0])
            )
            self.call(name, given, place, when, uuid, use_id=use_id, message=message)

    def requested(self, data: dict[str, Any], when: int | None, uuid: str) -> None:
        """A person ran a command with `!`."""
        command = _inside(data, "arguments").get("command")
        if isinstance(command, str):
            self.command("!", command, when, uuid, kind="bash")
        self.context["own"] = [*self.context.get("own", ()), data.get("toolCallId")][-_OWN:]

    def started(self, data: dict[str, Any], when: int | None, uuid: str) -> None:
        """Most calls are in the message that asked for them."""
        use = data.get("toolCallId")
        if use not in self.context.get("calls", {}) and use not in self.context.get("own", ()):
            self._call(data.get("toolName"), data, "/data/arguments", when, uuid, None)

    def completed(self, data: dict[str, Any], when: int | None, uuid: str) -> None:
        use = data.get("toolCallId")
        own = self.context.get("own", ())
        if use in own:
            self.context["own"] = [one for one in own if one != use]
            return
        code = whole_number(_inside(data, "shellExecution").get("exitCode"))
        texts = texts_of(_inside(data, "result").get("content"), "/data/result/content")
        error = data.get("error")
        if not texts and isinstance(error, dict):
            texts = texts_of(error.get("message"), "/data/error/message")
        elif not texts and isinstance(error, str):
            texts = [("/data/error", error)]
        if code is None and texts and (ended := _EXIT.search(texts[-1][1])):
            code = int(ended[1])
        self.result(use, texts, when, uuid, failed=data.get("success") is False, exit_code=code)

    # --- what it cost ------------------------------------------------------------------------------------

    def used(self, data: dict[str, Any], when: int | None, uuid: str) -> None:
        """What one answer cost; the answer itself comes after it."""
        usage = _inside(data, "usage")
        message = self.context["paid"] = self._message(usage, uuid)
        tokens = _tokens(usage)
        self._count(self._name_of_model(usage), tokens)
        self._answer(message, usage, when, uuid, tokens)

    def ended(self, data: dict[str, Any], when: int | None, uuid: str) -> None:
        """What the session cost so far, by model: older versions tell it only here."""
        metrics = _inside(data, "modelMetrics") or _inside(_inside(data, "accountingSnapshot"), "modelMetrics")
        for model in metrics:
            counted = self.context.get("counted", {}).get(model, (0, 0, 0, 0))
            told = _tokens(_inside(_inside(metrics, model), "usage"))
            first, second, third, fourth = (max(a - b, 0) for a, b in zip(told, counted, strict=True))
            left = (first, second, third, fourth)
            if any(left):
                self._count(model, left)
                self.answer(f"{uuid}:{model}", when, uuid, model=model, tokens=left)

    def _count(self, model: str | None, tokens: Tokens) -> None:
        counted = dict(self.context.get("counted", {}))
        before = counted.get(model or "", (0, 0, 0, 0))
        counted[model or ""] = [a + b for a, b in zip(before, tokens, strict=True)]
        self.context["counted"] = counted


def _tasks(text: str) -> list[dict[str, str]]:
    """A list of tasks in Markdown."""
    found = (match for line in text.split("\n") if (match := _TASK.match(line)))
    return [{"content": one[2].strip(), "status": _STATUS.get(one[1], "in_progress")} for one in found]


def _inside(value: Mapping[str, Any], field: str) -> dict[str, Any]:
    found = value.get(field)
    return found if isinstance(found, dict) else {}


def _tokens(usage: Mapping[str, Any]) -> Tokens:
    names = ("inputTokens", "outputTokens", "cacheWriteTokens", "cacheReadTokens")
    given, output, written, read = (whole_number(usage.get(name)) or 0 for name in names)
    return max(given - written - read, 0), output, written, read


_Handler = Callable[[_Reader, dict[str, Any], "int | None", str], None]
_HANDLERS: dict[str, _Handler] = {
    "session.start": _Reader.session,
    "session.resume": _Reader.session,
    "session.context_changed": _Reader.place,
    "session.model_change": _Reader.changed,
    "session.title_changed": _Reader.titled,
    "session.compaction_complete": _Reader.compacted,
    "session.usage_record": _Reader.used,
    "session.shutdown": _Reader.ended,
    "user.message": _Reader.asked,
    "assistant.message": _Reader.said_by_model,
    "tool.user_requested": _Reader.requested,
    "tool.execution_start": _Reader.started,
    "tool.execution_complete": _Reader.completed,
}


decode, blocks = entries(_Reader)
