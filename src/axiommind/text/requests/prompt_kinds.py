"""What kind of prompt something is, by its words: a correction, a rule, a preference, an order, or none of these.

English, Korean, Chinese and Japanese. Wide, for counting and showing: what can be read either way is `general` or
`directive`. What is worth keeping of a prompt is asked sentence by sentence (`request_in`).
"""

from __future__ import annotations

import re

from axiommind.text.patterns import lazy

__all__ = ["goes_on", "kind_of"]

_CORRECTION = lazy(
    r"^(?:no+|nope|wait|stop|hmm+,? no)\b[,.! ]|\bnot what i\b"
    r"|\b(?:that|this)(?:[’']?s| is|s) (?:wrong|not (?:what|right|the))"
    r"|(?<!am )\bi (?:meant|said|told you|asked (?:you )?(?:to|for|not))\b|\b(?:undo|revert|roll ?back)\b"
    r"|\bi(?:[’']ve| have) reverted\b"
    r"|\bwhy (?:did|are|is|do) (?:you|the agent)\b|\byou (?:forgot|missed|broke|should(?:n[’']t| not) have)\b"
    r"|^아니(?:요|야|,| )|틀렸|잘못|되돌려|그게 아니라|말한 건"
    r"|^不对|^不是|错了|撤销|我说的是|回退|^違う|^いや|間違|戻して|じゃなくて",
    re.IGNORECASE,
)
_CONVENTION = lazy(
    r"\b(?:always|never|every time|from now on|make sure|must(?: not|n[’']t)?|do not|don[’']?t)\b"
    r"|\buse \S+(?: \S+){0,3},? (?:not|instead of) \S"
    r"|항상|절대|반드시|앞으로|하지 ?마|지 ?마(?:세요|라)|总是|總是|必须|必須|不要|永远|以后|いつも|必ず|絶対|しないで",
    re.IGNORECASE,
)
_PREFERENCE = lazy(
    r"\bi(?:[’']d| would)? (?:prefer|rather|like)\b|\bbetter (?:to|not|if)\b|\bplease keep\b"
    r"|좋겠|선호|我喜欢|我希望|最好|好みは|ほうがいい|方がいい",
    re.IGNORECASE,
)
_GOES_ON = lazy(
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
