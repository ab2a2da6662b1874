"""The offline extractor: what transcripts already hold as structure, and what people and agents state. No model.

Each rule reads a transcript and gives drafts, and its measured precision is the confidence of what it gives. Of the
drafts of all rules, the selection keeps the few that are worth an entry.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from axiommind.extraction.contract import Extraction
from axiommind.extraction.rules import MOST_DRAFTS, declared, modules
from axiommind.extraction.selection import select
from axiommind.ids import dedupe_key

if TYPE_CHECKING:
    from axiommind.config import Config
    from axiommind.extraction.drafts import Draft
    from axiommind.llm.budget import Spending
    from axiommind.projections.transcript import Transcript

__all__ = ["RulesExtractor", "make"]

VERSION = 5  # of the rules together: a build says which made it, and sessions learned by another are learned again
READS_AGAIN = dedupe_key("rules", VERSION)[:16]


class RulesExtractor:
    name = "rules"
    is_measured = True

    def extract(self, transcript: Transcript) -> Extraction:
        drafts, notes = self.find(transcript)
        kept, refuted, merged, left_out = select(transcript, drafts)
        return Extraction(kept, self.name, READS_AGAIN, tuple(notes), refuted=refuted, merged=merged, left_out=left_out)

    def find(self, transcript: Transcript) -> tuple[list[Draft], list[str]]:
        """All that the rules give, before anything is chosen, and what has to be said about it."""
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
        return drafts, notes


def _is_own(transcript: Transcript, draft: Draft) -> bool:
    """Whether any of it was said in this session, and not only in the one that it was forked from."""
    return any(not transcript.messages[quote.message].copied for quote in draft.quotes)


def make(config: Config, spending: Spending) -> RulesExtractor:  # noqa: ARG001 (the rules need neither)
    return RulesExtractor()
