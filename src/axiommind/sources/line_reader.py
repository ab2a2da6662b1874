"""Lines of JSON into rows and texts, for any agent: what every reader of a transcript has to get right, once.

A source has a reader of its own that says what a record means (`take`) by calling `prompt`, `answer`, `call`, `result`
and the rest. From these come both the rows of the index and the texts where they stand, so the two cannot disagree. A
reader sees one segment; what later lines need from earlier ones (the model, the open calls) is in `context`, which
ingest hands on from segment to segment: names and numbers, no text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, Self

from axiommind.sources.contract import NOTHING
from axiommind.sources.records import (
    Block,
    CallBlocks,
    Compaction,
    CompactionSummary,
    Decoded,
    Record,
    Response,
    ToolResult,
    ToolUse,
    UserCommand,
    UserPrompt,
)
from axiommind.sources.values import milliseconds, short_json
from axiommind.text import jsonlines
from axiommind.text.keywords import keywords
from axiommind.text.pointers import leaves
from axiommind.text.recalled import RECALLED
from axiommind.tools.call_text import ERROR_CHARS, excerpt
from axiommind.tools.exit_codes import exit_code_in
from axiommind.tools.kinds import RUN, UNKNOWN_TOOL, KnownTool
from axiommind.tools.results import has_output
from axiommind.tools.shell import classify

__all__ = ["LineReader", "Tokens", "entries", "texts_of"]

_PROBLEMS = 100  # of one segment; the rest is counted
_OPEN_CALLS = 64  # that a later segment may bring the results of
_TITLE_CHARS = 200

Tokens = tuple[int, int, int, int]  # input that was not cached, output, written to the cache, read from it


class LineReader:
    """Reads the lines of one segment. Ids of records get the agent's name, so that those of two agents never meet."""

    AGENT: ClassVar[str]
    TOOLS: ClassVar[Mapping[str, KnownTool]]
    # What the client or a hook put into a person's message.
    NOT_TYPED: ClassVar[tuple[re.Pattern[str], ...]] = ()

    def __init__(
        self, first_line: int = 1, skip: frozenset[str] = frozenset(), context: Mapping[str, Any] = NOTHING
    ) -> None:
        self.out = Decoded()
        self.blocks: list[Block] = []
        self.calls: list[CallBlocks] = []
        self.context: dict[str, Any] = dict(context)
        self.out.cwd = self.context.get("cwd")  # what is known of it from beside the file
        self.number = first_line - 1
        self._skip = skip
        self._seen: set[str] = set()
        self._answers: dict[str, int] = {}
        self._texts: dict[int, list[str]] = {}
        self._uses: dict[str, int] = {}
        self._unsaid = 0

    def take(self, record: dict[str, Any]) -> None:
        """What one record says. Whatever it raises of the usual kinds is a problem of its line."""
        raise NotImplementedError

    def run(self, content: bytes) -> Self:
        lines = content.split(b"\n")
        if lines and not lines[-1]:
            lines.pop()
        for raw in lines:
            self.number += 1
            if raw.strip():
                self._line(raw)
        for index, parts in self._texts.items():
            self.out.responses[index] = self.out.responses[index]._replace(text="\n\n".join(parts))
        self.out.lines = len(lines)
        self.out.context = self.context
        if self._unsaid:
            self.out.problems.append((self.number, f"… and {self._unsaid} more lines before this one"))
        return self

    def _line(self, raw: bytes) -> None:
        try:
            record = jsonlines.parse(raw)
        except UnicodeDecodeError:
            self.problem("not UTF-8")
            return
        except ValueError as error:
            self.problem(f"not JSON: {str(error)[:100]}")
            return
        if not isinstance(record, dict):
            self.problem("not a JSON object")
            return
        dropped = record.get("axm")
        if isinstance(dropped, dict) and "dropped" in dropped and "type" not in record:
            self.problem(f"{dropped['dropped']} ({dropped.get('bytes')} bytes): not read")
            return
        try:
            self.take(record)
        except (TypeError, AttributeError, KeyError, IndexError, ValueError, OverflowError, RecursionError) as error:
            self.problem(f"cannot be understood: {type(error).__name__}: {str(error)[:100]}")

    # --- what a line is ----------------------------------------------------------------------------------

    def problem(self, why: str) -> None:
        if len(self.out.problems) < _PROBLEMS:
            self.out.problems.append((self.number, why))
        else:
            self._unsaid += 1

    def count(self, kind: str, *, known: bool = True) -> None:
        """Count a record by its type; one that the reader does not know is counted as that, and nothing else."""
        self.out.counts[kind] = self.out.counts.get(kind, 0) + 1
        if not known:
            self.out.unknown[kind] = self.out.unknown.get(kind, 0) + 1

    def time(self, value: Any) -> int | None:
        """A time of the session, as milliseconds."""
        when = milliseconds(value)
        if when is None:
            if value is not None:
                self.problem(f"timestamp {str(value)[:40]!r} is not a time")
            return None
        out = self.out
        out.first_ts = when if out.first_ts is None else min(out.first_ts, when)
        out.last_ts = when if out.last_ts is None else max(out.last_ts, when)
        return when

    def record(self, name: object, when: int | None, *, forked: bool = False) -> str | None:
        """The id of a record that is new here; None where another line, segment or file of the session had it. Copies
        in other sessions have the same id: `name` holds whatever stays the same in a copy."""
        uuid = f"{self.AGENT}:{name}"
        if uuid in self._skip or uuid in self._seen:
            return None
        self._seen.add(uuid)
        self.out.records.append(Record(uuid, when, int(forked), self.number))
        return uuid

    def title(self, kind: str, text: Any) -> None:
        """`custom` (a person gave it), `ai`, or `task` (a subagent's)."""
        if isinstance(text, str) and text.strip():
            self.out.titles[kind] = text.strip()[:_TITLE_CHARS]

    # --- people ------------------------------------------------------------------------------------------

    def prompt(
        self,
        pointer: str,
        text: str,
        when: int | None,
        uuid: str | None,
        origin: str = "typed",
        around: Iterable[tuple[int, int]] = (),
    ) -> bool:
        """What a person typed, less what the client put in (`around` it, besides NOT_TYPED); False where nothing is
        left. Prompts of one record in several parts are several calls."""
        blank, typed = self._typed(text, around)
        if not typed:
            return False
        self.out.prompts.append(UserPrompt(uuid, when, typed, self.number, origin, tuple(keywords(typed))))
        self._block(pointer, "queued" if uuid is None else "person", blank, when, uuid)
        return True

    def command(self, name: str, args: str, when: int | None, uuid: str | None, kind: str = "slash") -> None:
        self.out.commands.append(UserCommand(uuid, when, kind, name, args, self.number))

    def _typed(self, text: str, around: Iterable[tuple[int, int]] = ()) -> tuple[str, str]:
        """A person's text with blanks, as many, for what nobody typed; and without it."""
        patterns = (*self.NOT_TYPED, RECALLED) if "recalled-history" in text else self.NOT_TYPED
        found = [match.span() for pattern in patterns for match in pattern.finditer(text)]
        spans = sorted((*found, *around))
        kept: list[str] = []
        at = 0
        for start, end in spans:
            if start >= at:
                kept += (text[at:start], "\0" * (end - start))
                at = end
            elif end > at:
                kept.append("\0" * (end - at))
                at = end
        joined = "".join((*kept, text[at:]))
        return joined.replace("\0", " "), joined.replace("\0", "").strip()

    # --- the model ---------------------------------------------------------------------------------------

    def answer(
        self,
        message: str,
        when: int | None,
        uuid: str | None,
        *,
        model: Any = None,
        stop: Any = None,
        tokens: Tokens | None = None,
        sidechain: bool = False,
        failed: bool = False,
    ) -> None:
        """An answer of the model, or more of one: its texts follow by `said`. Of tokens the larger output counts."""
        if isinstance(model, str) and model:
            self.out.model = model
            self.context["model"] = model
        model = self.context.get("model")
        stop = stop if isinstance(stop, str) else None
        index = self._answers.get(message)
        if index is None:
            index = self._answers[message] = len(self.out.responses)
            name = f"{self.AGENT}:{message}"
            row = (uuid, name, "", model, when, "", stop, *(tokens or (0, 0, 0, 0)))
            self.out.responses.append(Response(*row, int(sidechain), int(failed), self.number, self.number))
            return
        known = self.out.responses[index]
        if tokens is not None and tokens[1] >= known.output_tokens:
            known = known._replace(
                input_tokens=tokens[0],
                output_tokens=tokens[1],
                cache_creation_tokens=tokens[2],
                cache_read_tokens=tokens[3],
            )
        self.out.responses[index] = known._replace(
            stop_reason=stop or known.stop_reason, is_error=max(int(failed), known.is_error), line_end=self.number
        )

    def said(self, message: str, pointer: str, text: str, when: int | None, uuid: str | None) -> None:
        """A text of an answer that was begun with `answer`."""
        if text.strip():
            self._texts.setdefault(self._answers[message], []).append(text)
            self._block(pointer, "assistant", text, when, uuid)

    def summary(self, pointer: str, text: str, when: int | None, uuid: str | None) -> None:
        """What the client wrote down of the conversation when it ran out of room."""
        if text.strip():
            self.out.compaction_summaries.append(CompactionSummary(uuid, when, text.strip(), self.number))
            self._block(pointer, "summary", text, when, uuid)

    def compaction(self, when: int | None, trigger: str | None = None, before: int | None = None) -> None:
        self.out.compactions.append(Compaction(when, trigger, before, None, self.number))

    # --- tools -------------------------------------------------------------------------------------------

    def call(
        self,
        name: Any,
        given: Any,
        pointer: str,
        when: int | None,
        uuid: str | None,
        *,
        use_id: str | None = None,
        message: str | None = None,
        files: Iterable[str] = (),
        inside: Callable[[str], str | None] | None = None,
        written: Mapping[str, Any] | None = None,
    ) -> None:
        """A use of a tool. `pointer` is where its input stands; `inside` says where a text of the input stands that is
        not below it, or that it stands nowhere. `files` are the files that an edit changes, where they are no field of
        its input. `written` is what an input that is one text (a patch) says by the common fields."""
        if not isinstance(name, str) or not name:
            self.problem("a tool use without a name")
            return
        tool = self.TOOLS.get(name, UNKNOWN_TOOL)
        fields = dict(written) if written else tool.in_common(given) if isinstance(given, dict) else {}
        paths = [one for one in files if one]
        if not paths and tool.file_field and isinstance(fields.get(tool.file_field), str):
            paths = [fields[tool.file_field]]
        elif paths and tool.file_field:
            fields.setdefault(tool.file_field, paths[0])
        kind = classify(fields.get("command")) if tool.kind == RUN else tool.common or name
        if use_id is not None:
            self._uses[use_id] = len(self.out.tool_uses)
            self._open(use_id, name)
        first, *others = paths or [""]
        names = (name, kind, short_json(fields if written or isinstance(given, dict) else given), use_id)
        own = None if message is None else f"{self.AGENT}:{message}"
        self.out.tool_uses.append(
            ToolUse(uuid, when, *names, own, self.number, first or None, None, tuple(dict.fromkeys(others)))
        )
        places = dict(zip((p for p, _ in leaves(given)), (p for p, _ in leaves(fields)), strict=False))
        found: dict[str, int] = {}
        for place, text in leaves(given):
            where = inside(place) if inside is not None else pointer + place
            if where is not None:
                at = self._block(where, "call", text, when, uuid, use_id=use_id)
                found |= (
                    dict.fromkeys((p for p, _ in leaves(fields)), at) if written else {places.get(place, place): at}
                )
        self.calls.append(CallBlocks(self.number, name, kind, fields, when, uuid, use_id, found))

    def result(
        self,
        use_id: Any,
        texts: Iterable[tuple[str, str]],
        when: int | None,
        uuid: str | None,
        *,
        failed: bool = False,
        exit_code: int | None = None,
    ) -> None:
        """What a call returned: texts, each with its place. Of a shell command the exit code decides, by itself or in
        the text, and only then what the client says of it."""
        if not isinstance(use_id, str) or not use_id:
            self.problem("a tool result without the id of its call")
            return
        parts = [(place, *self._typed(text)) for place, text in texts]
        text = "\n".join(own for _, _, own in parts if own)
        index = self._uses.get(use_id)
        name = self._close(use_id)
        tool = self.TOOLS.get(name, UNKNOWN_TOOL)
        if tool.kind == RUN:
            code = exit_code_in(text) if exit_code is None else exit_code
            failed = failed if code is None else code != 0
        use = None if index is None else self.out.tool_uses[index]
        silent = use is not None and not has_output(tool, name, use.classified_name, use.input_json)
        error = excerpt(text, ERROR_CHARS) if failed else None
        output = None if failed or silent else excerpt(text) or None
        row = ToolResult(use_id, int(failed), error, output, len(text), self.number)
        for place, blank, own in parts:
            if own or not text:  # who printed nothing came to an end all the same
                self._block(place, "result", blank, when, uuid, use_id=use_id, failed=failed)
        if use is None or index is None:
            self.out.results.append(row)
        elif use.result is None:
            self.out.tool_uses[index] = use._replace(result=row)

    def printed(self, use_id: str, texts: Iterable[tuple[str, str]], when: int | None, uuid: str | None) -> None:
        """What a call returned so far: `result` tells later how it ended."""
        for place, blank, own in ((place, *self._typed(text)) for place, text in texts):
            if own:
                self._block(place, "result", blank, when, uuid, use_id=use_id)

    def _open(self, use_id: str, name: str) -> None:
        waiting: dict[str, str] = dict(self.context.get("calls", {}))
        waiting[use_id] = name
        while len(waiting) > _OPEN_CALLS:
            del waiting[next(iter(waiting))]
        self.context["calls"] = waiting

    def _close(self, use_id: str) -> str:
        waiting = dict(self.context.get("calls", {}))
        name = waiting.pop(use_id, "")
        if waiting:
            self.context["calls"] = waiting
        else:
            self.context.pop("calls", None)
        return str(name)

    def _block(self, pointer: str, role: str, text: str, when: int | None, uuid: str | None, **more: Any) -> int:
        self.blocks.append(Block(self.number, pointer, role, text, when, uuid, **more))
        return len(self.blocks) - 1


def entries(
    reader: type[LineReader],
) -> tuple[Callable[..., Decoded], Callable[..., tuple[list[Block], list[CallBlocks]]]]:
    """`decode` and `blocks` of a source whose lines this reads."""

    def decode(
        content: bytes, first_line: int, skip: frozenset[str] = frozenset(), context: Mapping[str, Any] = NOTHING
    ) -> Decoded:
        return reader(first_line, skip, context).run(content).out

    def blocks(
        content: bytes, first_line: int, skip: frozenset[str] = frozenset(), context: Mapping[str, Any] = NOTHING
    ) -> tuple[list[Block], list[CallBlocks]]:
        read = reader(first_line, skip, context).run(content)
        return read.blocks, read.calls

    return decode, blocks


def texts_of(content: Any, pointer: str) -> list[tuple[str, str]]:
    """The texts of a message's content, which is one text or a list of parts, each with its place."""
    if isinstance(content, str):
        return [(pointer, content)]
    parts = content if isinstance(content, list) else []
    return [
        (f"{pointer}/{i}/text", part["text"])
        for i, part in enumerate(parts)
        if isinstance(part, dict) and isinstance(part.get("text"), str)
    ]
