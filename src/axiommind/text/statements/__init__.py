"""What a sentence plainly states: a rule (always, never), something to know, a decision. One table for each language.

English, Korean, Chinese and Japanese. Precision comes before recall: what may be an order for this once, somebody
else's, or about nothing of the work, states nothing here.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from axiommind.text.patterns import lazy
from axiommind.text.statements._phrases import (
    MOMENT,
    ONLY_A_REASON,
    PHRASES,
    REASONS,
    STATE,
    UNLESS,
    VAGUE,
    WORK,
    Phrase,
)
from axiommind.text.statements._prohibitions import PROHIBITIONS

__all__ = ["Statement", "reason_in", "stated"]

_INLINE = lazy(r"`[^`\n]{1,200}`|\"[^\"\n]{1,200}\"|“[^”\n]{1,200}”|「[^」\n]{1,200}」|『[^』\n]{1,200}』")
_OF_THE_DAY = lazy(r"\bthe (?:PR|pull request|issue|ticket|bug)\b", re.IGNORECASE)  # nobody decides a way by it
_HANGUL = lazy(r"[가-힣]")
_KANA = lazy(r"[ぁ-んァ-ヴ]")
_HAN = lazy(r"[一-鿿]")
_HOLE = "\N{WHITE SQUARE}"  # stands where a quotation was, so that nothing in it is read as said
_A_ROW = "わさかたなまらがば"  # Japanese: the last sound of a verb before ない


class Statement(NamedTuple):
    kind: str  # always, never, known, decided
    language: str
    title: str
    why: str


def stated(sentence: str) -> Statement | None:
    """What a sentence states, if it plainly does."""
    language = _language(sentence)
    masked = _INLINE.sub(lambda quotation: _HOLE * len(quotation[0]), sentence)
    for phrase in PHRASES[language]:
        match = phrase.pattern.match(masked)
        if match is not None:
            return _statement(phrase, match, sentence, language)
    prohibition = PROHIBITIONS[language]
    match = prohibition.order.match(masked)
    if match is None or prohibition.at_hand.search(masked):
        return None
    said = _statement(Phrase("never", prohibition.order), match, sentence, language)
    standing = prohibition.standing.search(said.title) if said is not None else None
    place = standing.groupdict().get("place") if standing is not None else None
    return said if standing is not None and (place is None or WORK[language].search(place)) else None


def reason_in(sentence: str, language: str) -> str:
    """The reason, of a sentence that gives one and says nothing else; otherwise empty."""
    match = ONLY_A_REASON[language].match(sentence)
    return next((text for text in match.groups() if text), "") if match else ""


def _statement(phrase: Phrase, match: re.Match[str], sentence: str, language: str) -> Statement | None:
    """What a phrase found, unless its claim is of the moment, somebody else's, or about nothing of the work."""
    names = match.groupdict()
    start, end = match.span(next(name for name in ("claim", "other", "third") if names.get(name)))
    claim, why = sentence[start:end].strip(), names.get("why") or ""
    rest = match.string
    if language in REASONS and (reason := REASONS[language].search(match.string[start:end])):
        claim = sentence[start : start + reason.start()].strip()
        why = sentence[start + reason.start("why") : end].strip()
        rest = match.string[: start + reason.start()] + match.string[end:]
    elif why:  # it stands first; of it, only the words that open the sentence are said of the whole
        why = sentence[match.start("why") : match.end("why")].strip()
        if MOMENT[language].match(rest):
            return None
        rest = rest[match.end("why") :]
    if phrase.kind == "decided" and _OF_THE_DAY.search(rest):
        return None
    if UNLESS[language].search(rest) or MOMENT[language].search(rest):
        return None
    if phrase.kind == "known" and STATE[language].search(rest):
        return None
    if names.get("about"):
        about = sentence[match.start("about") : match.end("about")]
        claim = f"{about}{claim}" if language in ("zh", "ja") and about[-1] > "z" < claim[:1] else f"{about} {claim}"
    claim = _bare(" ".join(claim.split()), language, phrase.kind)
    if len(claim) < (6 if language == "en" else 3) or VAGUE.match(claim) or not WORK[language].search(claim):
        return None
    return Statement(phrase.kind, language, claim, why)


def _language(sentence: str) -> str:
    if _HANGUL.search(sentence):
        return "ko"
    if _KANA.search(sentence):
        return "ja"
    return "zh" if _HAN.search(sentence) else "en"


def _bare(claim: str, language: str, kind: str) -> str:
    """The claim without what its polarity left of a verb, so that always and never have one title."""
    claim = claim.strip(" \t,，、;:")
    if language == "ko" and kind in ("always", "never"):
        claim = re.sub(r"(?<=\S)써$", "쓰", claim)
        claim = re.sub(r"\s?[해하]$", "", claim)
    if language == "ja" and kind == "never" and claim[-1:] in _A_ROW and len(claim) > 2:
        claim = claim[:-1]
    if language == "en":
        claim = re.sub(r"[,\s]+(?:please|pls|thanks|ok(?:ay)?)$", "", claim, flags=re.IGNORECASE)
    return claim
