"""The figures of a run of the pipeline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from axiommind.learning.candidates import AlignedDraft
from axiommind.projections.transcript import Transcript

__all__ = ["LearningReport"]


_FIGURES = (
    "failed",
    "left",
    "aligned",
    "not_aligned",
    "rejected_before",
    "refuted",
    "merged",
    "left_out",
    "withdrawn",
    "superseded",
    "tasks_created",
    "tasks_changed",
    "transitions_rejected",
    "conflicts",
    "errors",
    "notes",
    "planned",
    "extractors",
    "seconds",
    "certified",
)


@dataclass(slots=True)
class LearningReport:
    sessions: int = 0
    failed: int = 0
    left: int = 0  # sessions that it did not get to
    characters: int = 0
    entries: dict[str, int] = field(default_factory=dict)  # new, by type
    stages: dict[str, int] = field(default_factory=dict)  # new, by the stage they reached
    aligned: int = 0
    not_aligned: int = 0
    rejected_before: int = 0
    refuted: int = 0  # drafts that their session takes back later
    merged: int = 0  # that say what another one says
    left_out: int = 0  # that are less worth keeping than those kept
    withdrawn: int = 0  # entries that their sessions, read again, no longer say
    tasks_created: int = 0
    tasks_changed: int = 0
    transitions_rejected: int = 0
    superseded: int = 0  # entries that gave way to newer ones
    conflicts: int = 0
    waiting: int = 0  # jobs of the outbox
    steps: dict[str, float] = field(default_factory=dict)  # milliseconds
    errors: list[tuple[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0
    stopped: str | None = None
    certified: int = 0  # that the graduation policy raised so far afterwards
    extractors: list[str] = field(default_factory=list)
    dry_run: bool = False
    projects: set[str] = field(default_factory=set)  # in which something was learned
    planned: list[AlignedDraft] = field(default_factory=list)  # of a dry run

    def add(self, other: LearningReport) -> None:
        """Add what another extractor gave for the same sessions."""
        for name in _FIGURES:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in ("entries", "stages", "steps"):
            mine, theirs = getattr(self, name), getattr(other, name)
            mine.update({key: mine.get(key, 0) + value for key, value in theirs.items()})
        self.projects |= other.projects
        self.sessions = max(self.sessions, other.sessions)
        self.characters = max(self.characters, other.characters)
        self.waiting, self.stopped = other.waiting, self.stopped or other.stopped

    def figures(self, began: int, ended: int) -> dict[str, Any]:
        """What is kept of a run in the background."""
        return {
            "began": began,
            "ended": ended,
            "extractors": sorted(set(self.extractors)),
            "sessions": self.sessions,
            "entries": sum(self.entries.values()),
            "failed": self.failed,
            "left": self.left,
            "stopped": self.stopped,
        }

    def count(
        self,
        session: str,
        transcript: Transcript | None,
        error: str | None,
        new: Sequence[AlignedDraft],
        stages: Mapping[str, str],
    ) -> None:
        """Add what one session gave; `stages` are those that its new entries reached."""
        self.sessions += 1
        if transcript is not None:
            self.characters += transcript.size
        if error is not None:
            self.failed += 1
            self.errors.append((session, error))
        for one in new:
            self.entries[one.draft.type] = self.entries.get(one.draft.type, 0) + 1
            found = sum("reason" not in place for place in one.evidence)
            self.aligned += found
            self.not_aligned += len(one.evidence) - found
            stage = stages.get(one.entry_id)
            if stage is not None:
                self.stages[stage] = self.stages.get(stage, 0) + 1
