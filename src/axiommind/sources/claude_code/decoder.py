"""What the lines of a Claude Code transcript say: prompts, answers, tool uses and how they ended.

Everything is defensive: an unknown type is counted, a wrong type in a known field is a problem of that line, and
neither stops the file.
"""

from __future__ import annotations

from typing import Any

from axiommind.sources.claude_code.bookkeeping import compaction_of, pull_request_of
from axiommind.sources.claude_code.lines import BULK_TYPES, KNOWN_TYPES, Line, parse_line, text_of
from axiommind.sources.claude_code.prompt_history import TYPE as TYPED
from axiommind.sources.claude_code.relayed import relayed
from axiommind.sources.claude_code.token_counts import token_counts
from axiommind.sources.claude_code.tool_names import TOOLS
from axiommind.sources.claude_code.user_text import (
    CONTINUED,
    NOT_A_PROMPT,
    OF_ANOTHER_AGENT,
    QUEUED,
    REAL_SOURCES,
    REFUSAL,
    is_program_text,
    origin_of_prompt,
    slash_command,
    tagged,
    without_injected,
)
from axiommind.sources.records import (
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
from axiommind.text.keywords import keywords
from axiommind.tools.call_text import ERROR_CHARS, excerpt
from axiommind.tools.kinds import RUN, UNKNOWN_TOOL
from axiommind.tools.refusals import refusal_in
from axiommind.tools.results import has_output
from axiommind.tools.shell import classify

__all__ = ["Decoder", "decode"]

_PROBLEMS = 100  # of one segment; the rest is counted
# Lines whose uuid says which record they are, wherever it was copied.
_WITH_IDENTITY = {"user", "assistant", "attachment", "system", "tool_use"}
_TITLE_CHARS = 200
_TIMED = {"user", "assistant", "system", "attachment", "tool_use", TYPED}  # lines of something that happened


def decode(content: bytes, first_line: int, skip: frozenset[str] = frozenset()) -> Decoded:
    """The rows of some lines; those whose uuid is in `skip` (another file of the session had them) are passed over."""
    return Decoder(first_line, skip).run(content)


class Decoder:
    """Holds what has to be put together from several lines of one segment: answers, and results with their uses."""

    def __init__(self, first_line: int, skip: frozenset[str]) -> None:
        self.out = Decoded()
        self.skip = skip
        self.number = first_line - 1
        self.answers: dict[tuple[str, str], int] = {}
        self.texts: dict[int, list[str]] = {}
        self.uses: dict[str, int] = {}
        self.silent: set[str] = set()  # those whose output nobody will look for
        self.seen: set[str] = set()
        self.unsaid = 0

    def run(self, content: bytes) -> Decoded:
        lines = content.split(b"\n")
        if lines and not lines[-1]:
            lines.pop()
        for raw in lines:
            self.number += 1
            if not raw.strip():
                continue
            try:
                self.take(parse_line(raw))
            except ValueError as error:
                self.problem(str(error))
            except (TypeError, AttributeError, KeyError, OverflowError, RecursionError) as error:
                # A shape that nobody thought of is a problem of its line; it must never stop the others.
                self.problem(f"cannot be understood: {type(error).__name__}: {str(error)[:100]}")
        for index, parts in self.texts.items():
            self.out.responses[index] = self.out.responses[index]._replace(text="\n\n".join(parts))
        self.out.lines = len(lines)
        if self.unsaid:
            self.out.problems.append((self.number, f"… and {self.unsaid} more lines before this one"))
        return self.out

    def problem(self, why: str) -> None:
        if len(self.out.problems) < _PROBLEMS:
            self.out.problems.append((self.number, why))
        else:
            self.unsaid += 1

    def take(self, line: Line) -> None:
        out = self.out
        if isinstance(line.axm, dict) and "dropped" in line.axm and line.type is None:
            self.problem(f"{line.axm['dropped']} ({line.axm.get('bytes')} bytes): not read")
            return
        if not isinstance(line.type, str):
            self.problem("a record without a type")
            return
        uuid = line.uuid if isinstance(line.uuid, str) else None
        if uuid in self.skip:
            return
        out.counts[line.type] = out.counts.get(line.type, 0) + 1
        if line.type not in KNOWN_TYPES:
            out.unknown[line.type] = out.unknown.get(line.type, 0) + 1
            return
        if line.type in BULK_TYPES:
            self.relay(line)
            return
        if uuid is not None and line.type in _WITH_IDENTITY:
            if uuid in self.seen:
                return
            self.seen.add(uuid)
        when = self.time_of(line.timestamp)
        self.note_session(line, when)
        if line.type == "user":
            self.user(line, uuid, when)
        elif line.type == "assistant":
            self.assistant(line, uuid, when)
        elif line.type == "attachment":
            self.attachment(line, uuid, when)
        elif line.type == "queue-operation":
            self.queue(line, when)
        elif line.type == TYPED:
            self.typed(line.content, when)
        elif line.type == "tool_use":  # [OLD] a line of its own
            self.record(line, uuid, when)
            self.tool_use(
                {"name": line.name, "input": line.input, "id": line.id}, uuid=uuid, when=when, message_id=None
            )
        else:
            self.bookkeeping(line, when)

    # --- the session -----------------------------------------------------------------------------------

    def time_of(self, value: Any) -> int | None:
        when = milliseconds(value)
        if when is None and value is not None:
            self.problem(f"timestamp {str(value)[:40]!r} is not a time")
        return when

    def note_session(self, line: Line, when: int | None) -> None:
        out = self.out
        if when is not None and line.type in _TIMED:
            out.first_ts = when if out.first_ts is None else min(out.first_ts, when)
            out.last_ts = when if out.last_ts is None else max(out.last_ts, when)
        if isinstance(line.relocatedCwd, str) and line.relocatedCwd:  # moved, perhaps again
            out.cwd, out.relocated = line.relocatedCwd, True
            out.moves.append(line.relocatedCwd)
        elif out.cwd is None and isinstance(line.cwd, str) and line.cwd:
            out.cwd = line.cwd
        if isinstance(line.gitBranch, str) and line.gitBranch:
            out.git_branch = line.gitBranch
        if isinstance(line.version, str) and line.version:
            out.version = line.version
        if line.isSidechain is True and isinstance(line.sessionId, str):
            out.parent_session = out.parent_session or line.sessionId

    def bookkeeping(self, line: Line, when: int | None) -> None:
        out = self.out
        for kind, value in (("custom", line.customTitle), ("ai", line.aiTitle), ("last-prompt", line.lastPrompt)):
            if isinstance(value, str) and value.strip():
                out.titles[kind] = value.strip()[:_TITLE_CHARS]
        if line.type == "summary" and isinstance(line.summary, str) and isinstance(line.leafUuid, str):
            out.summaries.append((line.leafUuid, line.summary[:_TITLE_CHARS]))
        elif line.type == "pr-link" and isinstance(line.prUrl, str):
            out.pull_requests.append(pull_request_of(line, line.prUrl, when))
        elif line.type == "system" and line.subtype == "compact_boundary":
            self.record(line, line.uuid if isinstance(line.uuid, str) else None, when)
            out.compactions.append(compaction_of(line, when, self.number))

    def record(self, line: Line, uuid: str | None, when: int | None) -> None:
        if uuid is not None:
            self.out.records.append(Record(uuid, when, int(line.forkedFrom is not None), self.number))

    # --- people ----------------------------------------------------------------------------------------

    def user(self, line: Line, uuid: str | None, when: int | None) -> None:
        content = line.message.get("content") if isinstance(line.message, dict) else line.message
        if not isinstance(content, (str, list)):
            self.problem("a user record without content")
            return
        self.record(line, uuid, when)
        blocks = [b for b in content if isinstance(b, dict)] if isinstance(content, list) else []
        results = [b for b in blocks if b.get("type") == "tool_result"]
        for block in results:
            self.tool_result(block, uuid, when)
        text = text_of(content)
        if line.isSidechain is True:
            if not results and "task" not in self.out.titles and text.strip():
                self.out.titles["task"] = text.strip()[:_TITLE_CHARS]
            return
        if line.isCompactSummary is True and not results:
            self.summary(text, uuid, when)
            return
        if results or line.isMeta is True or line.isVisibleInTranscriptOnly is True:
            if text and not results:
                self.out.not_typed.append(text)
            return
        if bytes(line.toolUseResult) not in (b"", b"null"):
            return
        self.said(line, text, uuid, when)

    def said(self, line: Line, text: str, uuid: str | None, when: int | None) -> None:
        """A text in a user line: a prompt, a command, or something that only looks like one."""
        kind = line.origin.get("kind") if isinstance(line.origin, dict) else None
        source = line.promptSource if isinstance(line.promptSource, str) else None
        stamped = kind == "human" or source in REAL_SOURCES
        if not stamped and (kind is not None or line.promptSource is not None):
            self.out.not_typed.append(text)
            return
        text = without_injected(text)
        if not text or text.startswith(OF_ANOTHER_AGENT):
            return
        if text.startswith(("<command-name>", "<command-message>")):
            name = tagged(text, "command-name") or "/" + tagged(text, "command-message")
            self.out.commands.append(
                UserCommand(uuid, when, "slash", name.strip(), tagged(text, "command-args").strip(), self.number)
            )
        elif text.startswith("<bash-input>"):
            typed = tagged(text, "bash-input").strip()
            self.out.commands.append(UserCommand(uuid, when, "bash", "!", typed, self.number))
        elif not stamped and text.startswith(CONTINUED):  # older files do not mark it
            self.summary(text, uuid, when)
        elif stamped or not text.startswith(NOT_A_PROMPT):
            self.prompt(text, uuid, when, origin_of_prompt(kind, source, line.entrypoint, uuid))

    def summary(self, text: str, uuid: str | None, when: int | None) -> None:
        if text.strip():
            self.out.compaction_summaries.append(CompactionSummary(uuid, when, text.strip(), self.number))

    def prompt(self, text: str, uuid: str | None, when: int | None, origin: str) -> None:
        self.out.prompts.append(UserPrompt(uuid, when, text, self.number, origin, tuple(keywords(text))))

    def attachment(self, line: Line, uuid: str | None, when: int | None) -> None:
        """A prompt typed while the agent was at work is an attachment, not a user line."""
        inner = line.attachment
        if not isinstance(inner, dict) or inner.get("type") != "queued_command":
            return
        origin = inner.get("origin")
        human = inner.get("humanTurn") is True or (isinstance(origin, dict) and origin.get("kind") == "human")
        prompt = inner.get("prompt")
        if not human or not isinstance(prompt, (str, list)):
            return
        self.record(line, uuid, when)
        text = without_injected(text_of(prompt))
        if text:
            self.prompt(text, uuid, when, QUEUED)

    def queue(self, line: Line, when: int | None) -> None:
        """What was typed while the agent was at work, before it was handed over. Mostly another line repeats it; only
        who has all lines of the session can tell, so it is a prompt without an identity until then."""
        if not isinstance(line.content, str):
            return
        if line.operation == "popAll":
            self.out.taken_back.append((when, line.content))
        elif line.operation == "enqueue":
            self.typed(line.content, when)

    def typed(self, text: Any, when: int | None) -> None:
        """What somebody typed, from a line that mostly another one repeats: it counts only where none does."""
        text = without_injected(text) if isinstance(text, str) else ""
        command: tuple[str, str] | None = slash_command(text)
        if text.startswith("!"):
            command = ("!", text[1:].strip())
        if command is not None:
            kind = "bash" if text.startswith("!") else "slash"
            self.out.commands.append(UserCommand(None, when, kind, command[0], command[1], self.number))
        elif text and not is_program_text(text):
            self.prompt(text, None, when, QUEUED)

    # --- the model -------------------------------------------------------------------------------------

    def assistant(self, line: Line, uuid: str | None, when: int | None) -> None:
        message = line.message
        if not isinstance(message, dict):
            self.problem("an assistant record without a message")
            return
        content = message.get("content")
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        if not isinstance(content, list):
            self.problem("an assistant record without content")
            content = []
        self.record(line, uuid, when)
        given = message.get("id")
        message_id = given if isinstance(given, str) and given else uuid or f"line-{self.number}"
        index = self.answer(line, message, message_id, uuid, when)
        for block in content:
            if not isinstance(block, dict):
                continue
            if block.get("type") == "text" and isinstance(block.get("text"), str):
                self.texts.setdefault(index, []).append(block["text"])
            elif block.get("type") == "tool_use":
                self.tool_use(block, uuid=uuid, when=when, message_id=message_id)

    def answer(self, line: Line, message: dict[str, Any], message_id: str, uuid: str | None, when: int | None) -> int:
        """Where this line's answer stands in `responses`: a new row, or the one of the same message."""
        request_id = line.requestId if isinstance(line.requestId, str) else ""
        usage = message.get("usage")
        tokens = token_counts(usage if isinstance(usage, dict) else {})
        stop = message.get("stop_reason")
        stop = stop if isinstance(stop, str) else None
        model = message.get("model")
        model = model if isinstance(model, str) else None
        failed = int(line.isApiErrorMessage is True)
        if model is not None and model != "<synthetic>":
            self.out.model = model
        index = self.answers.get((message_id, request_id))
        if index is None:
            self.answers[message_id, request_id] = len(self.out.responses)
            side = int(line.isSidechain is True)
            names = (uuid, message_id, request_id, model)
            place = (self.number, self.number)
            self.out.responses.append(Response(*names, when, "", stop, *tokens[:4], side, failed, *place, *tokens[4:]))
            return len(self.out.responses) - 1
        known = self.out.responses[index]
        if tokens.output_tokens > known.output_tokens:
            known = known._replace(**tokens._asdict())
        self.out.responses[index] = known._replace(
            stop_reason=stop or known.stop_reason, is_error=max(failed, known.is_error), line_end=self.number
        )
        return index

    def relay(self, line: Line) -> None:
        """A subagent's calls, where its parent's file tells of them."""
        said = relayed(line.data)
        if said is None or said.uuid in self.skip or said.uuid in self.seen:
            return
        self.seen.add(said.uuid)
        self.out.relayed[said.uuid] = said.subagent
        when = self.time_of(said.timestamp)
        if said.calls:
            self.out.records.append(Record(said.uuid, when, 1, self.number))
        for block in said.calls:
            self.tool_use(block, uuid=said.uuid, when=when, message_id=said.message_id, subagent=said.subagent)
        for block in said.results:
            self.outcome(block)

    def tool_use(
        self,
        block: dict[str, Any],
        *,
        uuid: str | None,
        when: int | None,
        message_id: str | None,
        subagent: str | None = None,
    ) -> None:
        name = block.get("name")
        if not isinstance(name, str) or not name:
            self.problem("a tool use without a name")
            return
        given = block.get("input")
        fields = given if isinstance(given, dict) else {}
        use_id = block.get("id")
        use_id = use_id if isinstance(use_id, str) else None
        tool = TOOLS.get(name, UNKNOWN_TOOL)
        path = fields.get(tool.file_field) if tool.file_field else None
        kind = classify(fields.get("command")) if tool.kind == RUN else name
        if use_id is not None:
            self.uses[use_id] = len(self.out.tool_uses)
            if not has_output(tool, name, kind, fields):
                self.silent.add(use_id)
        what = (name, kind, short_json(given), use_id, message_id, self.number)
        edited = path if isinstance(path, str) and path else None
        self.out.tool_uses.append(ToolUse(uuid, when, *what, edited, None, subagent=subagent))

    def tool_result(self, block: dict[str, Any], uuid: str | None, when: int | None) -> None:
        refusal = refusal_in(text_of(block.get("content"))) if block.get("is_error") is True else None
        if refusal is not None and refusal.reason and isinstance(block.get("tool_use_id"), str):
            self.prompt(refusal.reason, uuid, when, REFUSAL)
        self.outcome(block)

    def outcome(self, block: dict[str, Any]) -> None:
        use_id = block.get("tool_use_id")
        if not isinstance(use_id, str):
            self.problem("a tool result without a tool_use_id")
            return
        text = text_of(block.get("content"))
        failed = block.get("is_error") is True
        index = self.uses.get(use_id)
        error = excerpt(text.strip(), ERROR_CHARS) if failed else None
        output = None if failed or use_id in self.silent else excerpt(text.strip()) or None
        result = ToolResult(use_id, int(failed), error, output, len(text), self.number)
        if index is None:
            self.out.results.append(result)
        elif self.out.tool_uses[index].result is None:
            self.out.tool_uses[index] = self.out.tool_uses[index]._replace(result=result)
