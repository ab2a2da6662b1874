"""What a checker is given of an entry: the claim, and the spans that its quotes were found at."""

from __future__ import annotations

from typing import NamedTuple

from axiommind.model import Span

__all__ = ["Candidate"]


class Candidate(NamedTuple):
    entry_id: str
    type: str
    title: str
    text: str
    rationale: str = ""
    target: str = ""
    spans: tuple[Span, ...] = ()
    status: str = ""  # of a task, as this entry leaves it
    priority: str = ""
    blockers: tuple[str, ...] = ()  # ids of what it waits for, as this entry leaves it
