"""What the lines of a Codex rollout say.

What was said and done is in the `response_item` records of every version; most events say it a second time and are
only counted. What stays the same in the copies that forks begin with: the ids of items where they have any, else the
turn and the place in it. The times do not: a copy is written with the time of the copying.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import Any, Self

from axiommind.model import HEADLESS
from axiommind.sources.codex.fields import as_dict, inside, of_first_versions, tokens_of
from axiommind.sources.codex.harness import (
    COMMAND,
    HEADER,
    NOT_TYPED,
    SUMMARY_HEAD,
    exit_code_of,
    is_failure,
    is_typed,
    running_in,
)
from axiommind.sources.codex.record_types import KNOWN
from axiommind.sources.codex.tool_names import PATCH, SHELLS, TOOLS, WAITING
from axiommind.sources.line_reader import LineReader, entries, texts_of
from axiommind.sources.patches import patch_in, read_patch
from axiommind.sources.values import whole_number
from axiommind.text import jsonlines
from axiommind.text.pointers import INSIDE

__all__ = ["blocks", "decode"]

_GLOBAL = 20  # characters of an id that a provider made up for everybody; a shorter one is only of its turn
_KEPT = 32  # commands that still run
_FAILED = 32  # calls of which an event said that they failed before their result came


class _Reader(LineReader):
    AGENT = "codex"
    TOOLS = TOOLS
    NOT_TYPED = (NOT_TYPED, HEADER)

    def run(self, content: bytes) -> Self:
        parent = self.context.get("parent")
        self.out.parent_session = parent if isinstance(parent, str) else None
        return super().run(content)

    def take(self, record: dict[str, Any]) -> None:
        kind, item, self._place = record.get("type"), record.get("payload"), "/payload"
        if not isinstance(item, dict) and (of_first := of_first_versions(record)):
            kind, item, self._place = of_first, record, ""
        if not isinstance(kind, str):
            self.problem("a record without a type")
            return
        inner = item.get("type") if isinstance(item, dict) else None
        name = f"{kind}.{inner}" if kind in ("response_item", "event_msg") and isinstance(inner, str) else kind
        self.count(name, known=name in KNOWN)
        when = self.time(record.get("timestamp"))
        if isinstance(item, dict):  # of one that was dropped, what is left in its stub
            handle = _HANDLERS.get(name)
            if handle is not None:
                handle(self, item, when, record)

    # --- the session -------------------------------------------------------------------------------------

    def session(self, meta: dict[str, Any], when: int | None, record: dict[str, Any]) -> None:  # noqa: ARG002
        if "thread" in self.context:  # a fork copies that of its parent too
            return
        self.context["thread"] = str(meta.get("id"))
        self._folder(meta.get("cwd"))
        self.out.version = meta["cli_version"] if isinstance(meta.get("cli_version"), str) else None
        git = meta.get("git")
        if isinstance(git, dict) and isinstance(git.get("branch"), str):
            self.out.git_branch = git["branch"]
        source = meta.get("source")
        if source in ("exec", "mcp"):
            self.context["headless"] = 1
        spawned = source.get("subagent") if isinstance(source, dict) else None
        if spawned is None and meta.get("thread_source") != "subagent":
            return
        self.context["subagent"] = 1
        inner = spawned.get("thread_spawn") if isinstance(spawned, dict) else None
        parent = meta.get("parent_thread_id") or (inner or {}).get("parent_thread_id")
        if isinstance(parent, str):
            self.out.parent_session = self.context["parent"] = parent

    def turn(self, turn: dict[str, Any], when: int | None, record: dict[str, Any]) -> None:  # noqa: ARG002
        """A turn begins, or its settings are told, again after each compaction."""
        name = turn.get("turn_id")
        if isinstance(name, str) and name != self.context.get("turn"):
            self.context |= {"turn": name, "nameless": 0}
        if isinstance(turn.get("model"), str):
            self.context["model"] = turn["model"]
        self._folder(turn.get("cwd"))

    def _folder(self, cwd: Any) -> None:
        if isinstance(cwd, str) and cwd:
            self.context["cwd"] = cwd
            self.out.cwd = self.out.cwd or cwd

    def renamed(self, event: dict[str, Any], when: int | None, record: dict[str, Any]) -> None:  # noqa: ARG002
        self.title("custom", event.get("thread_name"))

    def compacted(self, item: dict[str, Any], when: int | None, record: dict[str, Any]) -> None:  # noqa: ARG002
        uuid = self.record(self._name(item, "-"), when)
        if uuid is None:
            return
        self.compaction(when)
        if isinstance(text := item.get("message"), str):
            head = SUMMARY_HEAD.match(text)
            self.summary(f"{self._place}/message", " " * head.end() + text[head.end() :] if head else text, when, uuid)

    # --- messages ----------------------------------------------------------------------------------------

    def message(self, item: dict[str, Any], when: int | None, record: dict[str, Any]) -> None:
        role = item.get("role")
        texts = texts_of(item.get("content"), f"{self._place}/content")
        if role == "user":
            self._asked(item, texts, when)
        elif role == "assistant":
            meta = record.get("metadata")
            if isinstance(meta, dict) and meta.get("compaction_output") is True:  # `compacted` says it
                return
            own = self._name(item)
            uuid = self.record(own, when)
            if uuid is not None:
                message = self._answering(own, when, uuid)
                for place, text in texts:
                    self.said(message, place, text, when, uuid)

    def _asked(self, item: dict[str, Any], texts: list[tuple[str, str]], when: int | None) -> None:
        told = inside(item, "internal_chat_message_metadata_passthrough").get("content_item_kinds")
        kinds = told if isinstance(told, list) and len(told) == len(item.get("content") or ()) else []
        typed = [
            (place, text)
            for place, text in texts
            if is_typed(text) and (not kinds or kinds[int(place.split("/")[-2])] in ("user.text", "unknown", ""))
        ]
        shell = next((found for _, text in texts if (found := COMMAND.match(text))), None)
        if not typed and shell is None:
            return
        uuid = self.record(self._name(item), when)
        if uuid is None:
            return
        if shell is not None:
            self.command("!", shell[1].strip(), when, uuid, kind="bash")
        for place, text in typed:
            if self.context.get("subagent"):  # another agent asked
                if not self.context.get("titled"):
                    self.context["titled"] = 1
                    self.title("task", text)
            else:
                self.prompt(place, text, when, uuid, HEADLESS if self.context.get("headless") else "typed")

    # --- tools -------------------------------------------------------------------------------------------

    def function(self, item: dict[str, Any], when: int | None, record: dict[str, Any]) -> None:  # noqa: ARG002
        name, text = item.get("name"), item.get("arguments")
        space = item.get("namespace")
        if isinstance(space, str) and space.startswith("mcp__") and isinstance(name, str):
            name = f"{space}{'' if name.startswith('_') or space.endswith('_') else '__'}{name}"
        given = text
        if isinstance(text, str):
            try:
                given = jsonlines.parse(text.encode())
            except ValueError:
                given = None
        if isinstance(given, dict):
            self._called(item, name, given, f"{self._place}/arguments{INSIDE if given is not text else ''}", when)
        else:
            self._called(item, name, {"arguments": text}, self._place, when)

    def custom(self, item: dict[str, Any], when: int | None, record: dict[str, Any]) -> None:  # noqa: ARG002
        text = item.get("input")
        if item.get("name") == PATCH and isinstance(text, str):
            self._patched(item, text, text, f"{self._place}/input", when)
        else:
            self._called(item, item.get("name"), {"input": text}, self._place, when)

    def shell(self, item: dict[str, Any], when: int | None, record: dict[str, Any]) -> None:  # noqa: ARG002
        self._called(item, "local_shell", inside(item, "action"), f"{self._place}/action", when)

    def searched(self, item: dict[str, Any], when: int | None, record: dict[str, Any]) -> None:  # noqa: ARG002
        action = dict(inside(item, "action"))
        kind = action.pop("type", None)
        name = kind if kind in ("open_page", "find_in_page") else "web_search"
        self._called(item, name, action, f"{self._place}/action", when)

    def looked(self, item: dict[str, Any], when: int | None, record: dict[str, Any]) -> None:  # noqa: ARG002
        self._called(item, "tool_search", inside(item, "arguments"), f"{self._place}/arguments", when)

    def _called(self, item: dict[str, Any], name: Any, given: dict[str, Any], pointer: str, when: int | None) -> None:
        placed: Callable[[str], str | None] | None = None
        command = given.get("cmd", given.get("command"))
        if name in SHELLS and isinstance(command, list) and all(isinstance(word, str) for word in command):
            if command[:1] == [PATCH] and len(command) > 1:
                self._patched(item, command[1], command[1], f"{pointer}/command/1", when, given.get("workdir"))
                return
            # `bash -lc SCRIPT`: the script is the command.
            script = command[2] if len(command) == 3 and command[1] in ("-c", "-lc") else None
            given = {**given, "command": shlex.join(command) if script is None else script}
            whole = None if script is None else f"{pointer}/command/2"

            def placed(place: str) -> str | None:
                return whole if place == "/command" else pointer + place

            command = given["command"]
        if name in SHELLS and isinstance(command, str) and (patch := patch_in(command)) is not None:
            field = "cmd" if "cmd" in given else "command"
            where = placed("/command") if placed is not None else f"{pointer}/{field}"
            folder = self._joined(self._joined(self.context.get("cwd"), given.get("workdir")), patch[1])
            self._patched(item, command, patch[0], where, when, folder)
            return
        self._used(item, name, given, pointer, when, inside=placed)

    def _patched(
        self, item: dict[str, Any], text: str, patch: str, pointer: str | None, when: int | None, folder: Any = None
    ) -> None:
        """`text` is what stands in the record, and `patch` what of it is the patch."""
        found = read_patch(patch, self._joined(self.context.get("cwd"), folder))
        self._used(
            item, PATCH, text, "", when, inside=lambda _: pointer, files=found.files, written=found.fields or None
        )

    def _used(self, item: dict[str, Any], name: Any, given: Any, pointer: str, when: int | None, **more: Any) -> None:
        own = self._name(item, "call_id" if item.get("call_id") else "id")
        uuid = self.record(own, when)
        if uuid is not None:
            use = item.get("call_id")
            message = self._answering(own, when, uuid)
            use_id = use if isinstance(use, str) and use else None
            shell = given.get("session_id") if name == WAITING and isinstance(given, dict) else None
            if use_id is not None and (command := self.context.get("running", {}).get(str(shell))) is not None:
                self._keep("waiting", use_id, command)
            self.call(name, given, pointer, when, uuid, use_id=use_id, message=message, **more)

    @staticmethod
    def _joined(folder: Any, more: Any) -> str:
        folder, more = (one if isinstance(one, str) else "" for one in (folder, more))
        return more if not folder or more.startswith("/") else f"{folder}/{more}" if more else folder

    def returned(self, item: dict[str, Any], when: int | None, record: dict[str, Any]) -> None:  # noqa: ARG002
        use = item.get("call_id")
        uuid = self.record(f"{self._name(item, 'call_id')}/out", when)
        if uuid is None:
            return
        place, output = f"{self._place}/output", item.get("output")
        failed = use in self.context.get("failed", ())
        if isinstance(output, dict):  # versions of 2025
            failed = failed or output.get("success") is False
            place, output = f"{place}/content", output.get("content")
        texts, code = texts_of(output, place), None
        if isinstance(output, str) and output.startswith('{"output":') and (inner := as_dict(output)):
            code = whole_number(inside(inner, "metadata").get("exit_code"))
            texts = texts_of(inner.get("output"), f"{place}{INSIDE}/output")
        elif texts:
            code = exit_code_of(texts[0][1])
        shell = running_in(texts[0][1]) if texts else None
        asked = self._asking(use)
        if asked is not None:  # what the command printed that still ran
            self.result(use, (), when, uuid)
            use = asked
        if shell is not None and isinstance(use, str):
            self._keep("running", shell, use)
            self.printed(use, texts, when, uuid)
            return
        self.context["running"] = {name: one for name, one in self.context.get("running", {}).items() if one != use}
        failed = failed or bool(code) or (code is None and bool(texts) and is_failure(texts[0][1]))
        self.result(use, texts, when, uuid, failed=failed, exit_code=code)

    def _keep(self, what: str, name: str, value: str) -> None:
        """Remember something by its name, and of those of its kind the last ones."""
        kept = {**self.context.get(what, {}), name: value}
        self.context[what] = dict(list(kept.items())[-_KEPT:])

    def _asking(self, use: Any) -> str | None:
        """The command that a call was to wait for or to write to, if this was such a call."""
        waiting = dict(self.context.get("waiting", {}))
        found = waiting.pop(use, None) if isinstance(use, str) else None
        if found is not None:
            self.context["waiting"] = waiting
        return found

    def ended(self, event: dict[str, Any], when: int | None, record: dict[str, Any]) -> None:  # noqa: ARG002
        """An event that knows better than the text of the result whether a call failed."""
        item = event.get("item") if isinstance(event.get("item"), dict) else event
        assert isinstance(item, dict)
        result = item.get("result")
        failed = (
            item.get("success") is False
            or item.get("status") in ("failed", "declined")
            or (isinstance(result, dict) and ("Err" in result or inside(result, "Ok").get("isError") is True))
        )
        use = event.get("call_id") or item.get("id")
        if failed and isinstance(use, str):
            self.context["failed"] = [*self.context.get("failed", ()), use][-_FAILED:]

    # --- what it cost ------------------------------------------------------------------------------------

    def used(self, record_of_use: dict[str, Any], when: int | None, record: dict[str, Any]) -> None:  # noqa: ARG002
        """What one answer cost. The `token_count` after it says so again, with the same total."""
        self.context["total"] = inside(record_of_use, "thread_token_usage").get("total_tokens")
        self._cost(str(record_of_use.get("response_id")), inside(record_of_use, "usage"), when)

    def counted(self, event: dict[str, Any], when: int | None, record: dict[str, Any]) -> None:  # noqa: ARG002
        """What the last answer cost, told whenever anything changed: only a new total is a new answer."""
        info = inside(event, "info")
        total = inside(info, "total_token_usage").get("total_tokens")
        if total is not None and total != self.context.get("total"):
            self.context["total"] = total
            of = self.context.get("turn") or self.context.get("thread")
            self._cost(f"{of}:tokens:{total}", inside(info, "last_token_usage"), when)

    def _cost(self, name: str, usage: dict[str, Any], when: int | None) -> None:
        message = self.context.pop("answer", None)
        tokens = tokens_of(usage)
        if any(tokens):
            uuid = self.record(name, when)
            if uuid is not None:
                self.answer(message or name, when, uuid, model=self.context.get("model"), tokens=tokens)

    def finished(self, event: dict[str, Any], when: int | None, record: dict[str, Any]) -> None:  # noqa: ARG002
        if not isinstance(event.get("error"), dict):
            return
        name = f"{event.get('turn_id')}:error"
        uuid = self.record(name, when)
        if uuid is not None:
            self.answer(name, when, uuid, model=self.context.get("model"), failed=True)

    # --- names -------------------------------------------------------------------------------------------

    def _answering(self, own: str, when: int | None, uuid: str) -> str:
        """The answer that this belongs to: all that came since the last one was paid for."""
        message = str(self.context.setdefault("answer", own))
        self.answer(message, when, uuid, model=self.context.get("model"))
        return message

    def _name(self, item: dict[str, Any], field: str = "id") -> str:
        """What an item is called in every copy of it."""
        own = item.get(field)
        turn = inside(item, "internal_chat_message_metadata_passthrough").get("turn_id")
        turn = turn or inside(item, "metadata").get("turn_id") or self.context.get("turn")
        if isinstance(own, str) and own:
            return own if len(own) >= _GLOBAL else f"{turn or self.context.get('thread')}:{own}"
        if turn is None:
            return f"{self.context.get('thread')}#{self.number}"
        self.context["nameless"] = number = self.context.get("nameless", 0) + 1
        return f"{turn}#{number}"


_Handler = Callable[[_Reader, dict[str, Any], "int | None", dict[str, Any]], None]
_HANDLERS: dict[str, _Handler] = {
    "session_meta": _Reader.session,
    "turn_context": _Reader.turn,
    "compacted": _Reader.compacted,
    "token_usage_record": _Reader.used,
    "event_msg.task_started": _Reader.turn,
    "event_msg.turn_started": _Reader.turn,
    "event_msg.task_complete": _Reader.finished,
    "event_msg.turn_complete": _Reader.finished,
    "event_msg.token_count": _Reader.counted,
    "event_msg.thread_name_updated": _Reader.renamed,
    "event_msg.item_completed": _Reader.ended,
    "event_msg.patch_apply_end": _Reader.ended,
    "event_msg.mcp_tool_call_end": _Reader.ended,
    "response_item.message": _Reader.message,
    "response_item.function_call": _Reader.function,
    "response_item.custom_tool_call": _Reader.custom,
    "response_item.local_shell_call": _Reader.shell,
    "response_item.web_search_call": _Reader.searched,
    "response_item.tool_search_call": _Reader.looked,
    "response_item.function_call_output": _Reader.returned,
    "response_item.custom_tool_call_output": _Reader.returned,
    "response_item.tool_search_output": _Reader.returned,
}


decode, blocks = entries(_Reader)
