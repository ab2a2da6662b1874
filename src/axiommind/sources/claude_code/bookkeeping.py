"""What the client writes down for itself between the messages: pull requests, and where a session was compacted."""

from __future__ import annotations

from axiommind.sources.claude_code.lines import Line
from axiommind.sources.records import Compaction, PullRequest
from axiommind.sources.values import whole_number

__all__ = ["compaction_of", "pull_request_of"]


def compaction_of(line: Line, when: int | None, number: int) -> Compaction:
    meta = line.compactMetadata if isinstance(line.compactMetadata, dict) else {}
    trigger = meta.get("trigger")
    before, after = whole_number(meta.get("preTokens")), whole_number(meta.get("postTokens"))
    return Compaction(when, trigger if isinstance(trigger, str) else None, before, after, number)


def pull_request_of(line: Line, url: str, when: int | None) -> PullRequest:
    repository = line.prRepository if isinstance(line.prRepository, str) else None
    return PullRequest(url, whole_number(line.prNumber), repository, when)
