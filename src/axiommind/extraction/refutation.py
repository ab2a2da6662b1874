"""Refutation: which claims of a session the session itself takes back later.

The person objects, the agent admits it or takes its own words back, a change is undone, or a later claim says what it
replaces. Only what shares its subject with the words that take it back is out: the same names, or the same words.
What a person said is taken back by a person only.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from axiommind.extraction.likeness import names_in, overlap, words_in
from axiommind.extraction.rules import PLAN, form_of
from axiommind.text.patterns import lazy

if TYPE_CHECKING:
    from axiommind.extraction.drafts import Draft
    from axiommind.projections.transcript import Transcript

__all__ = ["refuted"]

# The agent says that it was wrong, or that it undoes what it did.
_ADMITS = lazy(
    r"\byou(?:[’']re| are) (?:absolutely |completely |quite )?right\b|\bi was (?:wrong|mistaken|parroting)\b"
    r"|\bmy (?:mistake|bad|error)\b"
    r"|\bi (?:misread|misunderstood|misspoke|overlooked|stand corrected)\b|\bgood (?:catch|point)\b"
    r"|\bi apologi[sz]e\b|\bapologies\b|\bsorry\b"
    r"|\bfair point\b|\bdoesn[’']t hold up\b|\bi (?:take|took) (?:it|that) back\b"
    r"|맞습니다|맞아요|맞네요|말씀하신 대로|죄송|제가 (?:잘못|틀렸|착각|오해)|되돌리|되돌려|잘못 (?:판단|이해|봤)"
    r"|おっしゃる通り|その通り|そうですね|すみません|申し訳|失礼しました|間違(?:い|って)(?:でした|いました)|不要でした|撤回|勘違い|戻し(?:て|ます)"
    r"|(?:你|您)说得对|抱歉|对不起|我(?:错|搞错|理解错|弄错)了?|确实(?:是|不)|收回",
    re.IGNORECASE,
)
# The person objects to what was said or done last.
_OBJECTS = lazy(
    r"\s*(?:no|nope|nah|wrong|not (?:quite|really|right|what)|that(?:[’']s| is)(?: not|n[’']t| wrong)|actually,? no"
    r"|wait|hmm,? no|but)\b"
    r"|.{0,200}\b(?:(?:does|did|is|are|was|do)(?:n[’']t| not) (?:really )?(?:work|make|right|correct|help|true"
    r"|needed|what)|is wrong|isn[’']t (?:right|true)"
    r"|still (?:fail\w*|broken|not|the same|does|get\w*|see\w*|happen\w*)|i (?:would |[’']d )?(?:prefer|rather)"
    r"|(?:is|are|makes? \w+|looks?|seems?) (?:all |completely |totally )?(?:bugged|buggy|broken)"
    r"|revert|undo|roll ?back|instead of)\b"
    r"|\s*(?:아니|아냐|틀렸|근데|그게 아니라|말고)|.{0,200}(?:인데\?|아니라|아닌데|안 ?(?:돼|되|됨|맞)"
    r"|여전히|아직도|이상한데|달라\b|되돌려|롤백|바꿔|틀린|맞지 않)"
    r"|\s*(?:いや|いえ|違|ちが|そうじゃ|でも)|.{0,200}(?:違い?(?:ます|う)|じゃない|ではない|まだ(?:直|動|だめ|失敗|エラー)"
    r"|戻して|なくても|って言って|不要|(?:ように|に)したい)"
    r"|\s*(?:不对|不是|错了?|不行|别)|.{0,200}(?:不对|错了|还是(?:不|报|有|失败)|没有(?:用|效果|解决)|撤销|回滚|改回)",
    re.IGNORECASE | re.DOTALL,
)
# The agent corrects itself in the middle of its work.
_RETRACTS = lazy(
    r"(?:^|[.!?\n]\s*)(?:wait|hold on|hmm|actually|no,|oh)\b|\bi was wrong\b|\bturns out\b"
    r"|\bnot (?:actually )?the (?:cause|problem|issue|culprit)\b|\bthe real (?:cause|issue|problem|culprit)\b"
    r"|\brevert(?:ing|ed)? (?:the|my|that|this)\b|\bthat(?:[’']s| is) not (?:it|right|the)\b"
    r"|(?:^|[.!?\n]\s*)(?:잠깐|아, |아니)|사실은|알고 ?보니|원인이 아니|진짜 원인|실제 원인|여기가 원인|제가 틀"
    r"|(?:^|[。\n]\s*)(?:いや|あ、|待って)|実は|ではありませんでした|原因ではな|本当の原因|勘違い"
    r"|(?:^|[。\n]\s*)(?:等等|不对)|其实|原来|真正的原因|不是.{0,10}原因",
    re.IGNORECASE,
)
_OWN = frozenset({"person", "rules"})  # whose words an agent cannot take back
_HEAD = 400  # characters of a reply in which it is admitted
_PROMPT = 600
_REPLY = 1_500
_CLAIM = 2_000
_SUBJECT = 0.5  # of the words of a plan's title
_SHARED_WORDS = 2
_SHORT = 120  # a short objection has few words to share


class _Turn(NamedTuple):
    prompt: int  # message
    replies: tuple[int, ...]  # the agent's messages until the next prompt


class _Undoing(NamedTuple):
    """Words that take back what the agent said from one message on until another."""

    first: int
    until: int
    names: frozenset[str]
    words: frozenset[str]
    shared: int  # words that have to be, where no name is
    prompt: frozenset[str] = frozenset()  # the words of the person who objected


def refuted(transcript: Transcript, drafts: Sequence[Draft]) -> frozenset[int]:
    """The places of the drafts that do not stand at the end of the session."""
    undoings = [*_by_prompts(transcript), *_by_the_agent(transcript)]
    return frozenset(
        n
        for n, draft in enumerate(drafts)
        if draft.type != "task_note" and (_is_undone(transcript, draft, undoings) or _is_replaced(draft, drafts))
    )


def _by_prompts(transcript: Transcript) -> list[_Undoing]:
    found = []
    turns = _turns(transcript)
    for before, after in pairwise(turns):
        prompt = transcript.messages[after.prompt].text[:_PROMPT]
        reply = "\n".join(transcript.messages[n].text[:_REPLY] for n in after.replies[:2])[:_REPLY]
        admitted = _ADMITS.search(reply[:_HEAD])
        if admitted or _OBJECTS.match(prompt):
            words = _SHARED_WORDS if admitted or len(prompt) < _SHORT else 2 * _SHARED_WORDS
            text = f"{prompt}\n{reply if admitted else reply[:_HEAD]}"
            found.append(
                _Undoing(before.prompt, after.prompt, _names_of(text), words_in(text), words, words_in(prompt))
            )
    return found


def _by_the_agent(transcript: Transcript) -> list[_Undoing]:
    found = []
    for turn in _turns(transcript):
        for n in turn.replies[1:]:
            text = transcript.messages[n].text
            if _RETRACTS.search(text[:_HEAD]):
                head = text[:_HEAD]
                found.append(_Undoing(turn.prompt, n, _names_of(head), words_in(head), 2 * _SHARED_WORDS))
    return found


def _turns(transcript: Transcript) -> list[_Turn]:
    prompts = [n for n, message in enumerate(transcript.messages) if message.role == "person"]
    replies: dict[int, list[int]] = {}
    for n, message in enumerate(transcript.messages):
        if message.role == "assistant" and message.text.strip():
            place = bisect_right(prompts, n)
            replies.setdefault(prompts[place - 1] if place else -1, []).append(n)
    return [_Turn(prompt, tuple(replies.get(prompt, ()))) for prompt in prompts]


def _is_undone(transcript: Transcript, draft: Draft, undoings: list[_Undoing]) -> bool:
    if not draft.quotes or any(transcript.messages[quote.message].provenance in _OWN for quote in draft.quotes):
        return False
    said_at = draft.quotes[0].message
    if form_of(draft.rule) == PLAN and _came_back_on(draft, said_at, undoings):
        return True
    near = [one for one in undoings if one.first <= said_at < one.until]
    said = f"{draft.title} {draft.text}"[:_CLAIM] if near else ""
    names, words = _names_of(said), words_in(said)
    return any(names & one.names or len(words & one.words) >= one.shared for one in near)


def _came_back_on(draft: Draft, said_at: int, undoings: list[_Undoing]) -> bool:
    """Whether the person objected, however much later, to what the whole plan was about."""
    title = words_in(draft.title)
    return any(said_at < one.until and overlap(title, one.prompt) >= _SUBJECT for one in undoings if one.prompt)


def _is_replaced(draft: Draft, drafts: Sequence[Draft]) -> bool:
    """Whether a later claim names this one's words as what it replaces."""
    if not draft.quotes:
        return False
    last = max(quote.message for quote in draft.quotes)
    said = f"{draft.title} {draft.text}".casefold()
    return any(
        gone.casefold() in said
        for other in drafts
        if other.retires and other.quotes and min(quote.message for quote in other.quotes) > last
        for gone in other.retires
        if len(gone.strip()) > 2
    )


def _names_of(text: str) -> frozenset[str]:
    return frozenset(name.casefold() for name in names_in(text))
