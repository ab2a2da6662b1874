"""What a report about work says: facts with their evidence. Nothing is rendered here; each quote carries the citation
that opens it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from axiommind.model import Citation
    from axiommind.reports.proposals.proposal import Saving

__all__ = [
    "CitedQuote",
    "Correction",
    "EditedOften",
    "FailedOften",
    "HabitShown",
    "InsightReport",
    "LoopShown",
    "ModelTokens",
    "OpenConflict",
    "Proposed",
    "ReportedTask",
    "SessionLink",
    "SessionTime",
    "Together",
    "ToolUsage",
    "Trending",
    "WorkDay",
]


class CitedQuote(NamedTuple):
    """Words that were said or printed, and where they stand."""

    quote: str
    citation: Citation
    session: str
    at: int | None


class Proposed(NamedTuple):
    """A proposal with its evidence; `project` where the report is about several."""

    kind: str
    project: str | None
    target: str
    title: str
    why: str
    text: str
    language: str
    sessions: int
    days: int
    saves: Saving  # what it would have saved; the list is ordered by its worth
    evidence: tuple[CitedQuote, ...]


class HabitShown(NamedTuple):
    text: str
    kind: str
    times: int
    sessions: int
    last_at: int
    example: CitedQuote | None


class WorkDay(NamedTuple):
    """A day (UTC) on which something happened."""

    day: str
    active_ms: int
    sessions: int
    prompts: int


class SessionTime(NamedTuple):
    session: str
    title: str
    active_ms: int
    prompts: int
    tool_uses: int
    citation: Citation | None


class ModelTokens(NamedTuple):
    model: str
    messages: int
    output: int
    total: int
    dollars: float | None = None  # at list prices, where they are known and dollars are not turned off


class ToolUsage(NamedTuple):
    tool: str
    uses: int
    sessions: int
    failed: int


class EditedOften(NamedTuple):
    file: str
    session: str
    title: str
    edits: int
    mean: float
    citation: Citation | None


class FailedOften(NamedTuple):
    """`then`: the command that usually came next and passed; `remedy`: what the error itself says to run."""

    what: str
    complaint: str
    times: int
    sessions: int
    most: int
    never_worked: bool
    then: str
    passed: int
    remedy: str
    example: CitedQuote | None


class LoopShown(NamedTuple):
    tools: str
    sessions: int
    longest: int


class Together(NamedTuple):
    files: tuple[str, ...]
    sessions: int
    either: int  # sessions that changed one of the first two, or both
    example: CitedQuote | None


class Trending(NamedTuple):
    """`slope`: percentage points of all uses a week; `weeks`: uses, week by week."""

    tool: str
    slope: float
    r_squared: float
    weeks: tuple[int, ...]


class SessionLink(NamedTuple):
    earlier: str
    earlier_title: str
    later: str
    later_title: str
    shared_files: int
    overlap: float
    gap_minutes: int | None


class OpenConflict(NamedTuple):
    """Two things that cannot both hold: of memory (`id`), or said by the person."""

    id: str | None
    older: str
    newer: str
    older_at: Citation | None
    newer_at: Citation | None


class Correction(NamedTuple):
    """A prompt that takes back or repairs, and what was asked before it."""

    said: CitedQuote
    before: str


class ReportedTask(NamedTuple):
    id: str
    title: str
    status: str
    waits_for: tuple[str, ...]
    citation: Citation | None


class InsightReport(NamedTuple):
    """All of it. An empty field means that there is nothing to tell."""

    project: str | None
    as_of: int | None
    since: int | None
    until: int | None
    first_at: int | None
    last_at: int | None
    sessions: int
    projects: int
    prompts: int
    tool_uses: int
    active_ms: int
    short: tuple[str, ...] = ()
    proposals: tuple[Proposed, ...] = ()
    habits: tuple[HabitShown, ...] = ()
    days: tuple[WorkDay, ...] = ()
    longest: tuple[SessionTime, ...] = ()
    tokens: tuple[ModelTokens, ...] = ()
    tools: tuple[ToolUsage, ...] = ()
    edited: tuple[EditedOften, ...] = ()
    failed: tuple[FailedOften, ...] = ()
    loops: tuple[LoopShown, ...] = ()
    refused: int = 0
    together: tuple[Together, ...] = ()
    trends: tuple[Trending, ...] = ()
    links: tuple[SessionLink, ...] = ()
    conflicts: tuple[OpenConflict, ...] = ()
    corrections: tuple[Correction, ...] = ()
    corrected: int = 0
    open_tasks: int = 0
    tasks: tuple[ReportedTask, ...] = ()
    learned: bool = False
    weeks: tuple[str, ...] = ()  # Mondays of the weeks that the trends are about
    names: Mapping[str, str] = MappingProxyType({})  # paths of citations, as short as they still open
    prose: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
