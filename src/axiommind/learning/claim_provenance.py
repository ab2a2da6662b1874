"""Where a claim comes from: by the words that it quotes, and by whether those are what it says.

A claim is the person's when the person's words say it. What an extractor or an agent words itself and backs with an
"ok" of the person is not; neither is a sentence of the network that stands beside such words. Of several it is then as
trusted as the least of them. This is what promotion and recall act on: law 9.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from axiommind.extraction.rules import OWN_WORDS, declared
from axiommind.model import least_trusted
from axiommind.projections.entry_rows import BY_AGENT, BY_PERSON

if TYPE_CHECKING:
    from axiommind.extraction.drafts import Draft

__all__ = ["QuotedWords", "claim_provenance"]

# Of the words of a claim, those that have to be the person's own for it to be theirs: fewer where nobody else is
# quoted, since a paraphrase keeps a third of them and an "ok" none.
_SAID, _SAID_ALONE = 0.5, 0.3


class QuotedWords(NamedTuple):
    """Words that were found, and where they come from."""

    provenance: str  # of PROVENANCES
    text: str


def claim_provenance(draft: Draft, quoted: Sequence[QuotedWords]) -> str:
    """One of PROVENANCES. What the extractor says of its draft counts only where it is less."""
    if draft.rule == BY_PERSON:
        return "person"  # it is what a person wrote, whatever they point at
    if draft.rule == BY_AGENT:
        return least_trusted({"agent", *(one.provenance for one in quoted)})  # worded by it, whomever it quotes
    found = _of_words(draft, quoted)
    return least_trusted((found, draft.provenance)) if draft.provenance else found


def _of_words(draft: Draft, quoted: Sequence[QuotedWords]) -> str:
    origins = {one.provenance for one in quoted}
    rule = declared().get(draft.rule)
    if rule is not None and (origins == {"person"} or ("person" in origins and rule.form == OWN_WORDS)):
        return "person"  # such a rule takes its claims from those words
    for origin in ("person", "picked"):
        words = " ".join(one.text for one in quoted if one.provenance == origin)
        if words and _share(draft, words) >= (_SAID_ALONE if origins == {origin} else _SAID):
            return origin
    # What nobody but the person is quoted for, in words that are not theirs, is whose words they are.
    return least_trusted(origins if origins - {"person", "picked"} else {"agent", *origins})


def _share(draft: Draft, words: str) -> float:
    """How much of what a draft says some words say, as far as words can tell."""
    claim = _terms(f"{draft.title} {draft.text}")
    return len(claim & _terms(words)) / len(claim) if claim else 0.0


def _terms(text: str) -> set[str]:
    from axiommind.text.stop_words import STOP_WORDS
    from axiommind.text.tokens import fts_text

    return {term for term in fts_text(text).split() if term not in STOP_WORDS}
