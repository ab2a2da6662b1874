"""Diagnoses: the sentence in which an agent says why something failed, in four languages.

It is a plain statement next to the failure. What the agent is about to do, what it only supposes, what it asks and
how well things stand is no diagnosis.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from axiommind.extraction.drafts import Quote
from axiommind.extraction.quoting import LONGEST, SHORTEST
from axiommind.text.patterns import lazy
from axiommind.text.summary import sentences

if TYPE_CHECKING:
    from axiommind.projections.transcript import ToolCall, Transcript

__all__ = ["diagnosis", "is_plain"]

_LOOKED_AT = 1_500  # characters of an answer
_NEXT = 12  # messages after a failure in which it is explained
_WIDE = lazy(r"[぀-ヿ㐀-鿿가-힣]")
_SHORTEST_WIDE = 12
_INTENDED = lazy(
    r"^(?:(?:ok|okay|good|great|right|now|so|hmm|ah|yes|perfect|alright|next|first|then|instead|also|and|but)\b"
    r"[,.!:]?\s*){0,3}(?:let(?:'s| me| us)\b"
    r"|i(?:'ll| will|'m going to| am going to| need to| should| want to| have to| can| could)\b"
    r"|we (?:need to|should|can|could)\b|need to\b|going to\b|trying\b|checking\b|fixing\b|running\b|retrying\b|now\b"
    r"|try(?:ing)?\b|please\b|would you|shall|do you|here(?:'s| is| are)\b|everything\b|done\b)"
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
    r"\b(?:because|due to|caused? by|the cause|root cause|since|requires?|needs?|must|only works?|isn't supported"
    r"|(?:is|are|does|do) not support|comes? from|not installed|is set|triggers?)\b"
    r"|ため|ので|原因|必要|せいで|때문|원인|필요|설정되어|因为|由于|原因|需要|导致",
    re.IGNORECASE,
)
_WORD = lazy(r"[a-z][a-z0-9_]{3,}")
_COMMON_LIST = """
error errors failed fails failing fail found cannot could missing with this that from file files command test tests code
into have does when what which name line should would will invalid unknown fatal path exit status user users home main
"""
_COMMON = frozenset(_COMMON_LIST.split())
_MARKUP = lazy(r"^(?:[-*+>#|]|\d+[.)])\s")


def diagnosis(transcript: Transcript, failed: ToolCall, about: str) -> Quote | None:
    """What the agent says about a failure before it goes on to something else; None when it says nothing plain of it.

    `about` is what failed and how: a diagnosis gives a reason, or speaks of something that is named there.
    """
    words = {word for word in _WORD.findall(about.lower()) if word not in _COMMON}
    after = failed.results[-1]
    for at in range(after + 1, min(len(transcript.messages), after + 1 + _NEXT)):
        one = transcript.messages[at]
        if one.role in ("person", "call"):
            return None
        if one.role == "assistant":
            said = _stated_in(one.text[:_LOOKED_AT], words)
            return Quote(at, said) if said else None
    return None


def _stated_in(text: str, words: set[str]) -> str:
    """The first plain statement of a text that is about these words."""
    for line in text.split("\n"):
        if _MARKUP.match(line.strip()) or "```" in line:
            continue
        for start, end in sentences(line):
            one = line[start:end].strip()
            if is_plain(one) and (_REASON.search(one) or words & set(_WORD.findall(one.lower()))):
                return one
    return ""


def is_plain(sentence: str) -> bool:
    """Whether a sentence states something."""
    shortest = _SHORTEST_WIDE if _WIDE.search(sentence) else SHORTEST - 5
    if not shortest <= len(sentence) <= LONGEST or sentence.endswith((":", "：")):
        return False
    return not any(pattern.search(sentence) for pattern in (_INTENDED, _SUPPOSED, _FINE))
