"""What a run over transcripts and documents did, and the work it took."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from axiommind.model import Problem

__all__ = ["DocumentReport", "IndexReport"]


@dataclass(slots=True)
class DocumentReport:
    """What a run over the documents did. `problems` could not be read; `flaws` are in documents that were."""

    folders: int = 0
    files: int = 0
    opened: int = 0
    unchanged: int = 0
    new: int = 0
    updated: int = 0
    removed: int = 0
    forgotten: int = 0  # not read, because they are to stay forgotten
    chunks: int = 0  # of what is new or updated
    bytes_read: int = 0
    events: int = 0
    rows: int = 0
    seconds: float = 0.0
    problems: list[Problem] = field(default_factory=list)
    flaws: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        counters = (
            *("folders", "files", "opened", "unchanged", "new", "updated", "removed", "forgotten", "chunks"),
            *("bytes_read", "events", "rows"),
        )
        return {
            **{name: getattr(self, name) for name in counters},
            "problems": len(self.problems),
            "flaws": len(self.flaws),
            "seconds": round(self.seconds, 3),
            "problem_list": [p._asdict() for p in self.problems[:100]],
            "flaw_list": [p._asdict() for p in self.flaws[:100]],
            "notes": self.notes,
        }


@dataclass(slots=True)
class IndexReport:
    """What a run did: sessions by outcome, problems met, and the work it took."""

    new: int = 0
    updated: int = 0
    unchanged: int = 0
    missing: int = 0
    pruned: int = 0
    returned: int = 0  # files that were gone from disk and are back, pruned or not
    files_opened: int = 0
    bytes_read: int = 0
    bytes_checked: int = 0
    events: int = 0
    rows: int = 0
    seconds: float = 0.0
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    documents: DocumentReport | None = None  # None: only the sessions of one project were asked for

    def add(self, other: IndexReport) -> None:
        """What another run did, too."""
        for name in ("new", "updated", "unchanged", "missing", "pruned", "returned", "files_opened", "bytes_read"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in ("bytes_checked", "events", "rows"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.problems += other.problems
        self.notes += [note for note in other.notes if note not in self.notes]

    def as_json(self) -> dict[str, Any]:
        return {
            "schema": "axm.index.v1",
            "new": self.new,
            "updated": self.updated,
            "unchanged": self.unchanged,
            "missing": self.missing,
            "pruned": self.pruned,
            "returned": self.returned,
            "problems": len(self.problems),
            "files_opened": self.files_opened,
            "bytes_read": self.bytes_read,
            "bytes_checked": self.bytes_checked,
            "events": self.events,
            "rows": self.rows,
            "seconds": round(self.seconds, 3),
            "problem_list": [{"path": p.path, "line": p.line, "why": p.why} for p in self.problems[:100]],
            "notes": self.notes,
            "documents": None if self.documents is None else self.documents.as_json(),
        }
