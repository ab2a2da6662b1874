"""What a decoded segment holds, the same for every agent format: rows in file order, without ids or session.

The row's place in its list, together with the position of its segment in the log, makes its id, so a list never
loses an element on the way. All times are epoch milliseconds.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

__all__ = [
    "Block",
    "CallBlocks",
    "Compaction",
    "CompactionSummary",
    "Decoded",
    "PullRequest",
    "Record",
    "Response",
    "ToolResult",
    "ToolUse",
    "UserCommand",
    "UserPrompt",
]


class Record(NamedTuple):
    """A message line with an identity: forks copy it with the same uuid."""

    uuid: str
    timestamp: int | None
    forked: int
    line: int


class UserPrompt(NamedTuple):
    """What a person asked. `origin` says how: as the agent calls it, or `queued` (typed while the agent was at work)
    or `refusal` (written when refusing a call) or `headless` (HEADLESS). A queued prompt without a uuid counts only
    where no other line of the session repeats it, before or after."""

    uuid: str | None
    timestamp: int | None
    text: str
    line: int
    origin: str
    keywords: tuple[str, ...]


class UserCommand(NamedTuple):
    """What a person ran: a slash command or a shell line typed with `!`."""

    uuid: str | None
    timestamp: int | None
    kind: str
    name: str
    args: str
    line: int


class Response(NamedTuple):
    """One answer of the model, its streamed lines put together again."""

    uuid: str | None
    message_id: str
    request_id: str
    model: str | None
    timestamp: int | None
    text: str
    stop_reason: str | None
    input_tokens: int
    output_tokens: int
    cache_creation_tokens: int
    cache_read_tokens: int
    is_sidechain: int
    is_error: int
    line_start: int
    line_end: int
    cache_1h_tokens: int = 0  # of cache_creation_tokens, those kept for an hour, which cost more
    service_tier: str | None = None  # where it was not the standard one: fast, priority, flex, batch


class ToolResult(NamedTuple):
    """How a tool use ended; of what it returned, the part that is worth searching."""

    tool_use_id: str
    is_error: int
    error: str | None
    output: str | None
    chars: int
    line: int


class ToolUse(NamedTuple):
    uuid: str | None
    timestamp: int | None
    tool_name: str
    classified_name: str
    input_json: str
    tool_use_id: str | None
    message_id: str | None
    line: int
    file_path: str | None
    result: ToolResult | None
    more_files: tuple[str, ...] = ()  # that the same call changed
    subagent: str | None = None  # the session of the subagent that made the call, where its parent's file tells of it


class Compaction(NamedTuple):
    timestamp: int | None
    trigger: str | None
    pre_tokens: int | None
    post_tokens: int | None
    line: int


class CompactionSummary(NamedTuple):
    """What the client wrote down of the conversation so far when it ran out of room: nobody's own words."""

    uuid: str | None
    timestamp: int | None
    text: str
    line: int


class PullRequest(NamedTuple):
    url: str
    number: int | None
    repository: str | None
    timestamp: int | None


@dataclass(slots=True)
class Decoded:
    lines: int = 0
    records: list[Record] = field(default_factory=list)
    relayed: dict[str, str] = field(default_factory=dict)  # records that a subagent's own file has: its session
    prompts: list[UserPrompt] = field(default_factory=list)
    commands: list[UserCommand] = field(default_factory=list)
    responses: list[Response] = field(default_factory=list)
    tool_uses: list[ToolUse] = field(default_factory=list)
    results: list[ToolResult] = field(default_factory=list)  # of tool uses in an earlier segment
    compactions: list[Compaction] = field(default_factory=list)
    compaction_summaries: list[CompactionSummary] = field(default_factory=list)
    pull_requests: list[PullRequest] = field(default_factory=list)
    summaries: list[tuple[str, str]] = field(default_factory=list)  # (uuid of a leaf, summary)
    taken_back: list[tuple[int | None, str]] = field(default_factory=list)  # queued, and withdrawn at that time
    not_typed: list[str] = field(
        default_factory=list
    )  # in lines like a person's; what repeats them nobody typed either
    problems: list[tuple[int, str]] = field(default_factory=list)  # (line, why)
    counts: dict[str, int] = field(default_factory=dict)  # lines by record type
    unknown: dict[str, int] = field(default_factory=dict)  # those of no type that we know
    titles: dict[str, str] = field(default_factory=dict)  # the last of each kind
    cwd: str | None = None
    git_branch: str | None = None
    version: str | None = None
    model: str | None = None
    parent_session: str | None = None
    relocated: bool = False  # cwd is where the session was moved to
    moves: list[str] = field(default_factory=list)  # every folder that it was moved to, in order
    first_ts: int | None = None
    last_ts: int | None = None
    context: dict[str, Any] = field(default_factory=dict)  # what the next lines need to know: names and numbers


class Block(NamedTuple):
    """One text as it stands in a record: what a claim can quote. `pointer` is its place there, a JSON pointer, so
    the decoded string at (line, pointer) is this text. `role` is who it is from:

    person     what somebody typed              assistant  what the model said
    call       a text in the input of a tool    result     what the tool returned (`failed`: whether it is an error)
    summary    what the client wrote down of the conversation so far, when it ran out of room
    queued     what somebody typed while the agent was at work: a person's words where no other line repeats them
    """

    line: int
    pointer: str
    role: str
    text: str
    timestamp: int | None
    uuid: str | None
    use_id: str | None = None
    failed: bool = False
    provenance: str = ""  # of PROVENANCES, where the source knows; otherwise it follows from the role


class CallBlocks(NamedTuple):
    """One use of a tool and the blocks of its input. `leaves` says which block (its place in the list of blocks) holds
    the text at a pointer relative to the input, such as `/todos/0/content`."""

    line: int
    name: str
    classified_name: str
    given: dict[str, Any]
    timestamp: int | None
    uuid: str | None
    use_id: str | None
    leaves: dict[str, int]
