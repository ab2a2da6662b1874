"""Sayings: what kind of prompt something is, which sentences say the same, and which contradict each other.

By words alone, in English, Korean, Chinese and Japanese. What can be read either way is `general` or `directive`, and
two sentences contradict each other only when they differ in nothing but a negation.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from axiommind.reports.analysers.evidence import Sentence

__all__ = ["alike", "bare", "contradictions", "goes_on", "kind_of"]

_LEAST_SAID = 5  # characters besides the negation
ALIKE = 0.7  # of the character pairs of two sentences

_CORRECTION = re.compile(
    r"^(?:no+|nope|wait|stop|hmm+,? no)\b[,.! ]|\bnot what i\b"
    r"|\b(?:that|this)(?:'?s| is|s) (?:wrong|not (?:what|right|the))"
    r"|(?<!am )\bi (?:meant|said|told you|asked (?:you )?(?:to|for|not))\b|\b(?:undo|revert|roll ?back)\b"
    r"|\bi(?:'ve| have) reverted\b"
    r"|\bwhy (?:did|are|is|do) (?:you|the agent)\b|\byou (?:forgot|missed|broke|should(?:n't| not) have)\b"
    r"|^아니(?:요|야|,| )|틀렸|잘못|되돌려|그게 아니라|말한 건"
    r"|^不对|^不是|错了|撤销|我说的是|回退|^違う|^いや|間違|戻して|じゃなくて",
    re.IGNORECASE,
)
_CONVENTION = re.compile(
    r"\b(?:always|never|every time|from now on|make sure|must(?: not|n't)?|do not|don'?t)\b"
    r"|\buse \S+(?: \S+){0,3},? (?:not|instead of) \S"
    r"|항상|절대|반드시|앞으로|하지 ?마|지 ?마(?:세요|라)|总是|總是|必须|必須|不要|永远|以后|いつも|必ず|絶対|しないで",
    re.IGNORECASE,
)
_PREFERENCE = re.compile(
    r"\bi(?:'d| would)? (?:prefer|rather|like)\b|\bbetter (?:to|not|if)\b|\bplease keep\b"
    r"|좋겠|선호|我喜欢|我希望|最好|好みは|ほうがいい|方がいい",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"^(?:please |ok(?:ay)?,? )?(?:continue|resume|go on|go ahead|proceed|next|retry|try again"
    r"|yes|yeah|y|ok(?:ay)?|sure|thanks?|thank you)(?: please)?[.! ]*$"
    r"|^(?:계속(?:해줘|해)?|네|응|继续|好的?|続けて|はい)[.! ]*$|^\W*\d*\W*$",
    re.IGNORECASE,
)


def kind_of(text: str) -> str:
    """What a prompt is: correction, convention, preference, directive, or general."""
    said = " ".join(text.split())
    if _CORRECTION.search(said):
        return "correction"
    if _CONVENTION.search(said):
        return "convention"
    if _PREFERENCE.search(said):
        return "preference"
    asks = said.endswith(("?", "？")) or len(said) > 160
    return "general" if asks or _GOES_ON.match(said) else "directive"


def goes_on(text: str) -> bool:
    """Whether a prompt only says yes, or go on."""
    return _GOES_ON.match(" ".join(text.split())) is not None


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
