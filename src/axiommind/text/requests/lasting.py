"""Whether somebody's words can stand in a rules file as they are: a rule for every time, readable by itself.

Stricter than what is worth remembering. What speaks of the hour ("still failing", "once done"), points at something
else ("this"), or is an order for now belongs to its session.
"""

from __future__ import annotations

import re

from axiommind.text.patterns import lazy
from axiommind.text.requests import CHOICE, STANDING, request_in
from axiommind.text.statements import stated
from axiommind.text.summary import sentences

__all__ = ["is_of_the_hour", "points_elsewhere", "reads_as_rule", "says_every_time"]

_LEAST_CHARS = 10
_PLACES = "repo(?:sitory)?|project|code ?base|package|folder|directory|machine|file|team"
_OF_THE_HOUR = lazy(
    rf"\b(?:still|currently|once done|when (?:you(?:'re| are)|it'?s) done|again now|right now|just now|for now|today)\b"
    rf"|\b(?:this|that)\b(?! (?:{_PLACES})\b)(?=[\s.,!]|$)|^(?:ok|okay|and|so|also|then|now)\b"
    r"|\bi think\b|\bthere (?:are|is|was)\b"
    r"|아직도?|지금|이번|방금|이거|그거|이것|그것|まだ|今回|一旦|いったん|今は|これ|それ|还是|现在|目前|这次|这个|那个|刚才",
    re.IGNORECASE,
)

# How far it reaches is said in so many words; "once done" and "don't forget" are said of the work at hand as well.
_EVERY_TIME = lazy(
    r"\b(?:always|never|(?:do not|don[’']?t|dont) ever|every ?time|each time|whenever|from (?:now|here) on"
    r"|going forward|in (?:the )?future|as a rule|at all times|(?:before|after|with|for|on|in|per) (?:every|each|any)"
    r"|every (?:commit|pr|pull request|push|release|change|new|file|test|session|branch|task|feature)"
    r"|must(?:n[’']t)?)\b"
    r"|항상|앞으로|매번|언제나|때마다|마다\s|반드시|절대|무조건|원칙"
    r"|必ず|常に|いつも|今後|これからは|毎回|以後|原則|たびに|度に|絶対|決して(?=.{2,30}ない)"
    r"|以后(?!再)|以後(?!再)|今后|从现在(?:起|开始)|從現在起|每次|总是|總是|始终|始終|一律|永远|永遠|绝不|絕不|务必|務必|凡是",
    re.IGNORECASE,
)
# A name is missing that was said somewhere else: "these docs", "the above list".
_POINTING = lazy(
    rf"\b(?:these|those)\b(?! (?:are|were|should|must|can|will|need|have)\b)"
    rf"|\b(?:this|that)\b(?= (?:never|always|again|one|way)\b|[.,!]|$)"
    rf"|\b(?:this|that) (?!{_PLACES})(?:doc\w*|list|section|review|plan|ticket|issue|branch|pr|change|fix|error|table"
    rf"|todo|update)\b|\b(?:above|below|aforementioned)\b"
    r"|이거|그거|이것|그것|(?:이|그|위) (?:문서|목록|파일)"
    r"|これら|それら|この(?:文書|ドキュメント|リスト)|上記|下記|这些|那些|上述|以下",
    re.IGNORECASE,
)
_NOW = lazy(
    r"\b(?:still|currently|right now|just now|for now|today|once done|when (?:you(?:'re| are)|it'?s) done)\b"
    r"|아직|지금|이번|방금|일단|まだ|今回|一旦|いったん|今は|现在|目前|这次|刚才|暂时",
    re.IGNORECASE,
)


def says_every_time(text: str) -> bool:
    """Whether somebody's words say that they hold every time, and name what they are about."""
    return _EVERY_TIME.search(text) is not None and not points_elsewhere(text) and _NOW.search(text) is None


def points_elsewhere(text: str) -> bool:
    """Whether something is missing in a text that only its session has."""
    return _POINTING.search(text) is not None


def is_of_the_hour(text: str) -> bool:
    """Whether a text is tied to when it was said: "ok I think you need to …, for this"."""
    return _OF_THE_HOUR.search(text) is not None


def reads_as_rule(text: str) -> bool:
    """Whether each sentence of a text asks for a way of working that lasts, and one of them says for how long."""
    lasts = False
    said = " ".join(text.split())
    if len(said) < _LEAST_CHARS:
        return False
    for start, end in sentences(said):
        sentence = said[start:end].strip()
        asked = sentence.endswith(("?", "？"))
        bare = sentence.rstrip(".。!！?？")
        if not bare:
            continue
        statement, request = stated(bare), request_in(bare, asked)
        if statement is None and (request is None or request.points or request.form not in (STANDING, CHOICE)):
            return False
        if is_of_the_hour(bare):
            return False
        lasts = lasts or statement is not None or (request is not None and request.form == STANDING)
    return lasts
