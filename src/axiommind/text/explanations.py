"""Explanations: the sentences in which an agent says why something failed and what gets round it, in four languages.

A plain statement says something that holds. What the agent is about to do, what it only supposes, what it asks and how
well things stand is none.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from axiommind.text.patterns import lazy
from axiommind.text.summary import sentences

__all__ = ["Explanation", "explanation", "fact_about", "naming_words", "stated_in"]

_SHORTEST, _LONGEST = 25, 200  # characters of a sentence
_LONG = 400  # of one that is told again as it is
_LOOKED_AT = 1_500  # characters of an answer
_WIDE = lazy(r"[぀-ヿ㐀-鿿가-힣]")
_SHORTEST_WIDE = 12
_INTENDED = lazy(
    r"^(?:(?:ok|okay|good|great|right|now|so|hmm|ah|yes|perfect|alright|next|first|then|instead|also|and|but)\b"
    r"[,.!:]?\s*){0,3}(?:let(?:[’']s| me| us)\b"
    r"|i(?:[’']ll| will|[’']m going to| am going to| need to| should| want to| have to| can| could)\b"
    r"|we (?:need to|should|can|could)\b|need to\b|going to\b|trying\b|checking\b|fixing\b|running\b|retrying\b|now\b"
    r"|try(?:ing)?\b|please\b|would you|shall|do you|here(?:[’']s| is| are)\b|everything\b|done\b)"
    r"|(?:ます|ましょう|みます|ください|でしょうか)[。．:：]?$(?<!ています。)(?<!れます。)(?<!ります。)(?<!ています)(?<!れます)(?<!ります)"
    r"|(?:겠습니다|할게요|볼게요|하겠습|할까요|주세요|합시다)[.:]?$"
    r"|^(?:让我|我来|我将|我会|现在|接下来|先|请|我需要|我们来|尝试)",
    re.IGNORECASE,
)
_SUPPOSED = lazy(
    r"\b(?:might|maybe|perhaps|probably|possibly|likely|seems?|appears?|looks? like|could be|may be|i think|i guess"
    r"|not sure|presumably|suspect|apparently|let me)\b|\?\s*$"
    r"|かもしれ|ようです|みたい|おそらく|たぶん|と思われ|はずです|でしょう|と思い|可能性"
    r"|것 같|듯합|듯해|아마|수도 있|보입니다|추정|가능성"
    r"|可能|也许|大概|似乎|好像|应该是|估计|？\s*$",
    re.IGNORECASE,
)
_FINE = lazy(
    r"\b(?:all|both|every)\b.{0,40}\b(?:pass|passe[sd]|passing|green|clean|succeed)"
    r"|\b(?:tests?|build|lint|typecheck|it) (?:now )?(?:pass(?:es|ed)?|succeed(?:s|ed)?|works?)\b|successfully"
    r"|unrelated|not caused by|pre-?existing|no (?:errors|issues)\b"
    r"|^(?:done|pushed|committed|created|fixed)\b|成功し|完了し|問題なし|通過し|무관|성공|완료|통과|通过了|成功|完成",
    re.IGNORECASE,
)
_REASON = lazy(
    r"\b(?:because|due to|caused? by|the cause|root cause|since|requires?|needs?|must|only works?|isn[’']t supported"
    r"|(?:is|are|does|do) not support|comes? from|not installed|is set|triggers?)\b"
    r"|ため|ので|原因|必要|せいで|때문|원인|필요|설정되어|因为|由于|原因|需要|导致",
    re.IGNORECASE,
)
_WORD = lazy(r"[a-z][a-z0-9_]{3,}")
_NAMES = lazy(r"[a-z0-9][a-z0-9_.+-]*")
_COMMON_LIST = """
error errors failed fails failing fail found cannot could missing with this that from file files command test tests code
into have does when what which name line should would will invalid unknown fatal path exit status user users home main
"""
_COMMON = frozenset(_COMMON_LIST.split())
_MARKUP = lazy(r"^(?:[-*+>#|]|\d+[.)])\s")
# Where something is to be found, or that it is not there.
_PLACED = lazy(
    r"\b(?:runs?|running|hosted|lives?|installed|available|reachable|accessible|provided|mounted) (?:only )?"
    r"(?:on|in|at|from|by|via|under|inside|outside|through)\b"
    r"|\bnot (?:on|in|installed|available|locally|localhost|here)\b"
    r"|\b(?:isn[’']t|aren[’']t|is not|are not|no) (?:installed|available|running|on|in)\b"
    r"|\binstead of\b|\buse \S{2,40} instead\b|\b\d{1,3}(?:\.\d{1,3}){3}\b"
    r"|에서 (?:실행|동작)|설치(?:되어|돼)|없(?:습니다|어서|으므로)|上で(?:動|稼働|実行)|インストールされて"
    r"|存在し(?:ない|ません)|ありません|没有安装|未安装|不可用|运行在|安装在|在.{1,20}上运行",
    re.IGNORECASE,
)
# What only announces that it will look says nothing, whatever it names.
_LOOKS = lazy(
    r"\b(?:let me|i[’']ll|i will|let[’']s|need to) (?:\w+ )?"
    r"(?:check|look|see|read|find|verify|inspect|investigate|debug|view|try)\b"
    r"|확인(?:하겠|해 ?보|할게)|살펴|確認し(?:ます|ましょう)|見て(?:み)?ましょう|調べ|检查一下|看看|查看",
    re.IGNORECASE,
)
_BULLET = lazy(r"^\s*(?:[-*+>|]|\d+[.)])\s+")
_FACTS_IN = 30_000  # characters of a text
_CODE = lazy(r"`[^`\n]{2,120}`|(?<!\S)--[a-z][\w-]+")


class Explanation(NamedTuple):
    """A few sentences of an answer, as they stand there, and how much they explain."""

    strength: int
    text: str


def naming_words(about: str) -> frozenset[str]:
    """The words of an error that a sentence about it would use, without those of every error."""
    return frozenset(word for word in _WORD.findall(about.lower()) if word not in _COMMON)


def stated_in(text: str, words: frozenset[str]) -> str:
    """The first plain statement of a text that gives a reason, or is about these words; empty when there is none."""
    for line in _lines(text):
        for start, end in sentences(line):
            one = line[start:end].strip()
            if _is_plain(one) and (_REASON.search(one) or _shares(one, words)):
                return one
    return ""


def explanation(text: str, words: frozenset[str], room: int, *, is_first: bool) -> Explanation | None:
    """What a text explains best, with the sentences around it that belong to it, in at most `room` characters.

    `words` are those of the failure; `is_first`: it is the first thing said after it, so nothing else is meant.
    """
    best: Explanation | None = None
    for line in _lines(text):
        parts = [line[start:end].strip() for start, end in sentences(line)]
        weights = [_weight(part, words, is_first=is_first) for part in parts]
        top = max(weights, default=0)
        if top and (best is None or top > best.strength):
            best = Explanation(top, _around(parts, weights, weights.index(top), room))
    return best


def fact_about(text: str, name: str, room: int) -> Explanation | None:
    """The last sentence of a text that says where something is to be found, or that it is not there."""
    found: Explanation | None = None
    for line in text[:_FACTS_IN].split("\n"):
        if name not in line.lower():
            continue
        line = _BULLET.sub("", line)
        for start, end in sentences(line):
            one = line[start:end].strip()
            places = len(_PLACED.findall(one)) if name in _NAMES.findall(one.lower()) else 0
            if not places or len(one) > room or _SUPPOSED.search(one) or _INTENDED.search(one):
                continue
            if found is None or places >= found.strength:
                found = Explanation(places, one)
    return found


def _is_plain(sentence: str, longest: int = _LONGEST) -> bool:
    """Whether a sentence states something."""
    shortest = _SHORTEST_WIDE if _WIDE.search(sentence) else _SHORTEST
    if not shortest <= len(sentence) <= longest or sentence.endswith((":", "：")):
        return False
    return not any(pattern.search(sentence) for pattern in (_INTENDED, _SUPPOSED, _FINE))


def _lines(text: str) -> list[str]:
    return [line for line in text[:_LOOKED_AT].split("\n") if "```" not in line and not _MARKUP.match(line.strip())]


def _shares(sentence: str, words: frozenset[str]) -> int:
    return len(words.intersection(_WORD.findall(sentence.lower())))


def _weight(sentence: str, words: frozenset[str], *, is_first: bool) -> int:
    """How much a sentence explains. What is said later has to speak of the failure; a reason alone may be another's."""
    shared = _shares(sentence, words)
    gives_reason = _REASON.search(sentence) is not None and (shared > 0 or is_first)
    if _is_plain(sentence, _LONG):
        return 3 * gives_reason + min(2, shared) or int(is_first)
    if len(sentence) > _LONG or sentence.endswith(("?", "？", ":", "：")):
        return 0
    if gives_reason and shared and not _SUPPOSED.search(sentence):
        return 2  # what it is about to do gets round it, or is no fault of the code at hand
    return int(_CODE.search(sentence) is not None and shared > 1)


def _around(parts: list[str], weights: list[int], at: int, room: int) -> str:
    """A sentence with those after it, and the one before, that say something too."""
    kept = parts[at][:room]
    for part, weight in zip(parts[at + 1 :], weights[at + 1 :], strict=True):
        if not (weight or _CODE.search(part)) or _LOOKS.search(part) or len(kept) + 1 + len(part) > room:
            break
        kept = f"{kept} {part}"
    if at and weights[at - 1] and len(kept) + 1 + len(parts[at - 1]) <= room:
        kept = f"{parts[at - 1]} {kept}"
    return kept
