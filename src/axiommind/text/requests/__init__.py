"""What a sentence of a person asks for, and how: a way of working, what the product shall be, or only this one act.

English, Korean, Chinese and Japanese, one table of patterns each. Not a list of verbs: what counts is the type of the
sentence (order, polite question, wish, duty), what it is about, how far it reaches (always, before every commit), and
whether it says one way and not another. Approvals, plain questions, reports and acts of the hour ask for nothing here.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from axiommind.text.patterns import lazy
from axiommind.text.requests._tongue import Tongue

__all__ = ["BESIDE", "CHOICE", "FACT", "STANDING", "Request", "explains", "language_of", "request_in"]

STANDING = "standing"  # how it is to be done, whenever it is done
CHOICE = "choice"  # one way and not another; how a thing shall be
BESIDE = "beside"  # what is to be written down or put off, beside the work itself
FACT = "fact"  # how it is, against what was assumed

_QUOTED = lazy(r"`[^`\n]{1,200}`|\"[^\"\n]{1,200}\"|“[^”\n]{1,200}”|「[^」\n]{1,200}」|『[^』\n]{1,200}』")
_NAMES_ITSELF = 2  # times the least that a sentence says, of one that points and is clear all the same
_MASK = "\N{WHITE SQUARE}"
_MASKED = lazy("□+")
_TASK = lazy(r"\bto-?dos?\b|\btickets?\b|\bissues?\b|할 ?일|이슈|課題|待办|待辦", re.IGNORECASE)
_HANGUL = lazy(r"[가-힣]")
_KANA = lazy(r"[ぁ-んァ-ヴ]")
_HAN = lazy(r"[一-鿿]")


class Request(NamedTuple):
    form: str
    language: str
    about_work: bool  # how the work is done; otherwise what is made
    denies: bool  # it begins by saying no to what came before
    old: str  # what it says not to have, where that is named
    why: str
    weight: int  # how many signs speak for it
    postponed: bool  # it is put off
    points: bool  # little is left of it without the words that point at something else


def language_of(sentence: str) -> str:
    if _HANGUL.search(sentence):
        return "ko"
    if _KANA.search(sentence):
        return "ja"
    return "zh" if _HAN.search(sentence) else "en"


@lru_cache(maxsize=1)
def _tongues() -> dict[str, Tongue]:
    from axiommind.text.requests._chinese import CHINESE
    from axiommind.text.requests._english import ENGLISH
    from axiommind.text.requests._japanese import JAPANESE
    from axiommind.text.requests._korean import KOREAN

    return {"en": ENGLISH, "ko": KOREAN, "ja": JAPANESE, "zh": CHINESE}


def request_in(sentence: str, asked: bool = False) -> Request | None:
    """What a sentence asks for; `asked`: it ended in a question mark."""
    language = language_of(sentence)
    tongue = _tongues()[language]
    masked = _QUOTED.sub(lambda quotation: _MASK * len(quotation[0]), sentence.strip())
    if tongue.nothing.match(masked):
        return None
    denies = tongue.denial.search(masked) is not None
    opening = tongue.opening.match(masked)
    said = masked[opening.end() :] if opening else masked
    if len(tongue.filling.sub("", said)) < tongue.least:
        return None
    form = _form(tongue, said, asked, denies)
    if form is None:
        return None
    offset = len(masked) - len(said)
    replaced, reason = tongue.replaced.search(said), tongue.reason.search(said)
    whole = sentence.strip()
    return Request(
        form,
        language,
        tongue.work.search(said) is not None,
        denies,
        _old(tongue, _group(whole, replaced, "old", offset)),
        _group(whole, reason, "why", offset),
        _weight(tongue, said, denies),
        tongue.postponed.search(said) is not None,
        _points(tongue, said) and (form != BESIDE or _TASK.search(said) is not None),
    )


def explains(sentence: str, asked: bool = False) -> bool:
    """Whether a sentence asks for nothing and still says something: a reason, a symptom, an example."""
    tongue = _tongues()[language_of(sentence)]
    masked = _QUOTED.sub(lambda quotation: _MASK * len(quotation[0]), sentence.strip())
    opening = tongue.opening.match(masked)
    said = masked[opening.end() :] if opening else masked
    if asked or tongue.nothing.match(masked) or tongue.act.search(said) or tongue.asking.search(said):
        return False
    return len(tongue.filling.sub("", said)) >= tongue.least


def _form(tongue: Tongue, said: str, asked: bool, denies: bool) -> str | None:
    order, duty = tongue.order.search(said), tongue.duty.search(said)
    standing, beside = tongue.standing.search(said), tongue.beside.search(said)
    contrast, manner = tongue.contrast.search(said), tongue.manner.search(said)
    acts = tongue.act.search(said) is not None
    if tongue.asking.search(said) and not (beside and asked):
        return None
    if asked and standing and not tongue.polite.search(said):
        return None
    if standing and (order or duty or acts):
        return STANDING
    if tongue.postponed.search(said) or (beside and (order or duty or acts or asked)):
        return BESIDE
    if acts and not (contrast and manner):
        return None
    if order or duty:
        if tongue.report.search(said) and not order:
            return None
        wish = asked and tongue.polite.search(said) is not None and tongue.together.search(said) is not None
        return CHOICE if duty or contrast or manner or denies or wish or tongue.reason.search(said) else None
    if tongue.fact.search(said) and not asked and not tongue.report.search(said):
        return FACT
    return None


def _points(tongue: Tongue, said: str) -> bool:
    if not tongue.pointing.search(said):
        return False
    rest = _MASKED.sub(_MASK * 3, tongue.filling.sub("", tongue.pointing.sub(" ", said)))
    return len(rest) < tongue.least * _NAMES_ITSELF


def _old(tongue: Tongue, words: str) -> str:
    """What is replaced, where it is a name and not a word that points at one."""
    words = words.strip(" \"'“”「」`")
    return words if len(tongue.pointing.sub("", words).strip()) >= 2 else ""


def _weight(tongue: Tongue, said: str, denies: bool) -> int:
    signs = (tongue.standing, tongue.beside, tongue.contrast, tongue.manner, tongue.reason, tongue.duty)
    return sum(sign.search(said) is not None for sign in signs) + denies


def _group(sentence: str, match: re.Match[str] | None, name: str, offset: int) -> str:
    """The text of the first group of this name (old, old2, …) that took part, as it was written."""
    if match is None:
        return ""
    for group, text in match.groupdict().items():
        if text and group.startswith(name):
            start, end = match.span(group)
            return sentence[start + offset : end + offset].strip()
    return ""
