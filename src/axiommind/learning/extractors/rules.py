"""The offline extractor: what transcripts already hold as structure, and what people state plainly. No model.

Each rule reads a transcript and gives drafts; none of them guesses. Precision comes before recall: a rule stays
only while its measured precision is 0.85 or better, and that measurement is the confidence of what it gives.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from axiommind.ids import dedupe_key
from axiommind.learning.drafts import Draft
from axiommind.learning.extractors import Extraction
from axiommind.learning.extractors._commits import commits, pull_requests
from axiommind.learning.extractors._decisions import answers, plans
from axiommind.learning.extractors._fixes import fixes
from axiommind.learning.extractors._statements import statements
from axiommind.learning.extractors._tasks import MOST, tasks

if TYPE_CHECKING:
    from axiommind.config import Config
    from axiommind.learning.extractors import Spend
    from axiommind.projections.transcript import Transcript

__all__ = ["RULES", "Rules", "make"]

VERSION = 2  # of the rules together: a build says which made it

RULES: tuple[Callable[[Transcript], list[Draft]], ...] = (
    tasks,
    answers,
    plans,
    commits,
    pull_requests,
    fixes,
    statements,
)


class Rules:
    name = "rules"
    is_measured = True

    def extract(self, transcript: Transcript) -> Extraction:
        drafts: list[Draft] = []
        notes: list[str] = []
        for rule in RULES:
            given = rule(transcript)
            drafts += [draft for draft in given[:MOST] if _is_own(transcript, draft)]
            if len(given) >= MOST:
                notes.append(f"{rule.__name__}: {MOST} and perhaps more; the rest was left out")
        return Extraction(tuple(drafts), self.name, dedupe_key("rules", VERSION)[:16], tuple(notes))


def _is_own(transcript: Transcript, draft: Draft) -> bool:
    """Whether any of it was said in this session, and not only in the one that it was forked from."""
    return any(not transcript.messages[quote.message].copied for quote in draft.quotes)


def make(config: Config, spend: Spend) -> Rules:  # noqa: ARG001 (the rules need neither)
    return Rules()
