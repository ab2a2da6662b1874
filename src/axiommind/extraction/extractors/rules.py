"""The offline extractor: what transcripts already hold as structure, and what people state plainly. No model.

Each rule reads a transcript and gives drafts; none of them guesses. Precision comes before recall: a rule stays
only while its measured precision is 0.85 or better, and that measurement is the confidence of what it gives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from axiommind.extraction.contract import Extraction
from axiommind.extraction.rules import MOST_DRAFTS, declared, modules
from axiommind.ids import dedupe_key

if TYPE_CHECKING:
    from axiommind.config import Config
    from axiommind.extraction.drafts import Draft
    from axiommind.llm.budget import Spending
    from axiommind.projections.transcript import Transcript

__all__ = ["RulesExtractor", "make"]

VERSION = 2  # of the rules together: a build says which made it


class RulesExtractor:
    name = "rules"
    is_measured = True

    def extract(self, transcript: Transcript) -> Extraction:
        drafts: list[Draft] = []
        notes: list[str] = []
        rules = declared()
        for name, module in modules().items():
            found = module.find(transcript)
            drafts += [
                draft._replace(confidence=rules[draft.rule].precision)
                for draft in found[:MOST_DRAFTS]
                if _is_own(transcript, draft)
            ]
            if len(found) >= MOST_DRAFTS:
                notes.append(f"{name}: {MOST_DRAFTS} and perhaps more; the rest was left out")
        return Extraction(tuple(drafts), self.name, dedupe_key("rules", VERSION)[:16], tuple(notes))


def _is_own(transcript: Transcript, draft: Draft) -> bool:
    """Whether any of it was said in this session, and not only in the one that it was forked from."""
    return any(not transcript.messages[quote.message].copied for quote in draft.quotes)


def make(config: Config, spending: Spending) -> RulesExtractor:  # noqa: ARG001 (the rules need neither)
    return RulesExtractor()
