"""What a digest says. Each thing carries the id that `axm show` opens, or the session it was said in."""

from __future__ import annotations

from typing import NamedTuple

__all__ = [
    "Digest",
    "DigestCommit",
    "DigestSession",
    "DigestTask",
    "Effort",
    "MadeDecision",
    "ProjectDigest",
]


class Effort(NamedTuple):
    """What was spent: sessions of subagents are counted apart, and what they spent is in the rest. Time without a
    pause of more than five minutes is active; sessions side by side count once."""

    sessions: int
    subagents: int
    active_ms: int
    prompts: int
    tool_uses: int
    output_tokens: int
    total_tokens: int
    dollars: float | None  # at list prices; None where nothing has one, or dollars are turned off


class DigestSession(NamedTuple):
    """A session, and what it did in this time."""

    id: str
    agent: str
    began: int  # the first and the last that happened in it, within the time that is told of
    ended: int
    active_ms: int
    title: str
    outcome: str  # how it ended, in the words of its agent; empty where nobody said, or it went on later
    outcome_id: str
    is_answered: bool  # False: what was asked last has no answer


class DigestCommit(NamedTuple):
    id: str
    session_id: str
    at: int
    hash: str  # empty where the record does not have it
    subject: str
    is_pushed: bool


class MadeDecision(NamedTuple):
    """`provenance` is whose word it was: person, picked, or who else; `id` is that of an entry, or of a decision."""

    id: str
    session_id: str | None
    at: int
    text: str
    provenance: str


class DigestTask(NamedTuple):
    id: str
    title: str
    status: str
    at: int  # when it changed last, within the time that is told of
    waits_for: str = ""  # of a blocked one


class ProjectDigest(NamedTuple):
    project: str
    effort: Effort
    sessions: tuple[DigestSession, ...]  # in order of time
    commits: tuple[DigestCommit, ...]
    pull_requests: tuple[str, ...]
    finished: tuple[DigestTask, ...]
    decided: tuple[MadeDecision, ...]  # what persons said first, then the newest
    open: tuple[DigestTask, ...]  # that were spoken of in this time and are not done
    learned: int  # entries


class Digest(NamedTuple):
    """`projects`: the ones that took most time first."""

    since: int
    until: int
    effort: Effort
    projects: tuple[ProjectDigest, ...]
    proposals: int  # of agents, that wait for a person
    conflicts: int  # claims that cannot both hold
