"""Sayings: which sentences say the same, and which contradict each other.

By words alone, in English, Korean, Chinese and Japanese. Two sentences contradict each other only when they differ in
nothing but a negation.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from axiommind.reports.analysers.evidence import Sentence

__all__ = ["alike", "bare", "contradictions"]

_LEAST_SAID = 5  # characters besides the negation
ALIKE = 0.7  # of the character pairs of two sentences


def bare(text: str) -> str:
    """A text as it is compared: without its case, spacing, quotes and emphasis."""
    return " ".join(re.sub(r"[`*_\"'“”]", "", text).casefold().split())


def alike(said: Sequence[Sentence]) -> list[list[Sentence]]:
    """Sentences that say the same in nearly the same words."""
    found: list[tuple[bool, set[str], list[Sentence]]] = []
    for one in said:
        text = bare(one.text)
        is_negated = _is_negated(one.text)
        pairs = {text[i : i + 2] for i in range(len(text) - 1)}
        for negated, known, members in found:
            if negated == is_negated and pairs and len(pairs & known) >= ALIKE * len(pairs | known):
                members.append(one)
                break
        else:
            found.append((is_negated, pairs, [one]))
    return [members for _, _, members in found]


_NOT = r"\b(?:do not|don'?t|never|no longer|not)\b|절대|하?지 ?마(?:세요|라)?|不要|别|しないで"
_NEGATED = re.compile(_NOT, re.IGNORECASE)
_FILLING = re.compile(
    rf"{_NOT}|\b(?:always|please|do)\b|항상|해(?:줘|주세요)?$|总是|いつも|して$|[^\w\s]", re.IGNORECASE
)


def _is_negated(text: str) -> bool:
    return _NEGATED.search(text.replace("’", "'")) is not None


def contradictions(said: Sequence[Sentence]) -> list[tuple[Sentence, Sentence]]:
    """Pairs of sentences that differ in nothing but a negation: each with the first that says otherwise."""
    same: dict[str, list[tuple[Sentence, bool]]] = {}
    for one in sorted(said, key=lambda s: (s.witness.at or 0, s.witness.ref)):
        rest = " ".join(_FILLING.sub(" ", one.text.casefold().replace("’", "'")).split())
        if len(rest) > _LEAST_SAID:
            same.setdefault(rest, []).append((one, _is_negated(one.text)))
    found = []
    for those in same.values():
        for at, (one, is_negated) in enumerate(those):
            other = next((later for later, negated in those[at + 1 :] if negated != is_negated), None)
            if other is not None:
                found.append((one, other))
    return found
