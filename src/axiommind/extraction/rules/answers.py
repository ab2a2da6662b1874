"""Answers: what a person chose when an agent asked, or wrote instead of choosing.

An answer that is made of the options is a choice. What people type instead is a question back, a hesitation or an
order as often as a choice; it is taken where it says something and asks nothing back, by a rule of its own. Questions
about how the conversation goes on, and not about the project, decide nothing, nor does leaving it to the agent.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from axiommind.extraction.drafts import Draft, Quote
from axiommind.extraction.quoting import LONGEST, clip, covered, cut, leaf, only, tail, within
from axiommind.extraction.rules import QUESTION, Rule
from axiommind.text.patterns import lazy
from axiommind.tools.kinds import ASK

if TYPE_CHECKING:
    from axiommind.projections.transcript import ToolCall, Transcript
    from axiommind.tools.answers import AnsweredQuestion

RULES = (
    Rule(
        "answers",
        types=("decision",),
        form=QUESTION,
        labelled="answers",
        right=52,
        total=54,
        note="158 real sessions, all there are; wrong: a title that does not say what it is about",
    ),
    Rule(
        "answers-own",
        types=("decision",),
        form=QUESTION,
        labelled="answers",
        right=1,
        total=2,
        note="158 real sessions, all there are",
    ),
)
ORDER = 2

_RECOMMENDED = lazy(r"\s*[(（](?:recommended|default|推奨|推荐|建议|추천|권장)[)）]\s*$", re.IGNORECASE)
# The asker's next act, or the person's in this conversation.
_FLOW = lazy(
    r"\b(?:should|shall|can|could|may) i\b|\bwould you like\b|\bdo you want (?:me|to)\b|\bwant me to\b"
    r"|\bhow (?:do you want|would you like|should (?:i|we)) (?:to )?proceed\b|\bmore questions\b|\bmove (?:on )?to\b"
    r"|\bwhat(?:[’']s| is)? next\b|\bnext steps?\b|\bto discuss\b|\bready to\b|\bcan you\b|\bare you\b|\bdid you\b"
    r"|\bdo you have\b|\bhave you\b|\bcontinue\b"
    r"|問題(?:な|あり)|修正があれば|進めて(?:よ|い|も)|(?:よろしい|いい|良い)ですか|続け(?:ます|て)|次(?:に"
    r"|は)(?:何|どの|どれ)"
    r"|どの[^。?？]{1,20}を(?:作成|作り|始め|対応)|(?:作成|実行|コミット|削除)して(?:も|よ)|教えてください"
    r"|진행(?:할까|해도|하시겠)|계속(?:할까|하시겠)|괜찮(?:나|을까|으)|문제 ?없|시작할까|커밋할까|어떻게 ?진행"
    r"|다음(?:으로|에|은) ?(?:무엇|뭐|어떤)|해도 ?(?:될|되)"
    r"|继续吗|繼續嗎|是否(?:继续|開始|开始|提交)|要不要我|需要我|下一步|(?:没|有没有)问题|怎么(?:进行|继续)"
    r"|可以(?:开始|继续|提交)吗",
    re.IGNORECASE,
)
# A choice that leaves it open, or ends the asking.
_OPEN = lazy(
    r"\s*(?:you decide|claude decides|up to you|whatever|not sure|i don[’']t know|best practices?\s*$|skip\b"
    r"|done\b|next\b|more questions"
    r"|let me|other\b|cancel\b|put it back|later\b|wait\b|stop\b|abort\b|none of|something else|mix of both"
    r"|work on it|yes,? (?:go|proceed|continue|create|work)"
    r"|proceed|continue|go ahead|(?:ok|yes|no)\s*$"
    r"|(?:ok[、,\s]*)?(?:このまま|進め|続け)|問題な[しい]|ok[、,].{0,12}(?:作成|進め)|はい\s*$|お?任せ|おまかせ"
    r"|いい感じ|どちらでも|わからない|分からない|未定|.{0,20}ベスト?プラ"
    r"|그대로|진행|계속|알아서|상관 ?없|아무거나|모르겠|잘 ?모르|네가 ?정|건너뛰|취소|나중에\s*$"
    r"|继续|繼續|你(?:来)?(?:决定|決定|定)|随便|都行|都可以|不知道|不确定|看着办|跳过|取消|好的?\s*$|可以\s*$)",
    re.IGNORECASE,
)
_BACK = lazy(  # an own answer that asks, doubts or gives the question back
    r"[?？]|^\s*(?:hm+|uh+m|honestly|depends|it depends|i (?:am|[’']m) not sure|maybe|not sure)\b|\bwould depend\b"
    r"|\bfrom my understanding\b"
    r"|\bwhat (?:are|is|do)\b|かも\s*$|調べて|検討|教えて|잘 ?모르|글쎄|不确定|看情况",
    re.IGNORECASE,
)
_BOTH = lazy(
    r"both|all(?: of them)?|either|neither|両方|どちらも|すべて|둘 ?다|모두|两者|兩者|都要|全部|yes|no|はい|いいえ"
    r"|네|아니요|是|否",
    re.IGNORECASE,
)
_OWN = range(8, 600)  # characters of an own answer
_VAGUE = lazy(r"\bwhich (?:approach|option|one|of these)\b|\bwhat do you (?:think|prefer)\b", re.IGNORECASE)
_SENTENCE = lazy(r"(?<=[.!])\s")
_RATIONALE = 600


class _Option(NamedTuple):
    label: str
    description: str
    pointer: str


def find(transcript: Transcript) -> list[Draft]:
    from axiommind.tools.answers import answers_in

    found = []
    for use in transcript.uses:
        if use.tool.kind != ASK or use.failed is not False or not use.results:
            continue
        asked = use.given.get("questions")
        questions = [
            (i, item)
            for i, item in enumerate(asked if isinstance(asked, list) else ())
            if isinstance(item, dict) and isinstance(item.get("question"), str) and item["question"]
        ]
        message = use.results[0]
        answers = answers_in(transcript.messages[message].text, [item["question"] for _, item in questions])
        waiting = list(answers)
        for i, item in questions:
            said = next((one for one in waiting if one.question == item["question"]), None)
            if said is not None:
                waiting.remove(said)
                draft = _answer(transcript, use, message, said, i, item)
                if draft is not None:
                    found.append(draft)
    return found


def _answer(
    transcript: Transcript, use: ToolCall, message: int, said: AnsweredQuestion, i: int, item: dict[str, Any]
) -> Draft | None:
    question = item["question"]
    if _FLOW.search(question):
        return None
    chosen = _chosen(said.answer, _options(item, i), item.get("multiSelect") is True)
    if any(_OPEN.match(option.label) for option in chosen):
        return None
    own = said.notes if said.is_noted else ("" if chosen else said.answer)
    own = own.strip()
    if own and (len(own) not in _OWN or _OPEN.match(own) or _BACK.search(own)):
        own = ""
    if not chosen and not own:
        return None
    quotes, value = _words(transcript, message, said, chosen, own)
    why: tuple[Quote, ...] = ()
    for option in chosen:
        why = only(why, leaf(transcript, use, option.pointer))
    return Draft(
        type="decision",
        title=_title(item),
        text=value,
        quotes=only(leaf(transcript, use, f"/questions/{i}/question"), quotes, why),
        rule="answers" if chosen else "answers-own",
        rationale=cut(" ".join(option.description for option in chosen), _RATIONALE),
        value=value,
        timestamp=transcript.messages[message].timestamp,
        kind="decision",
        alternatives=tuple(_label(option) for option in _options(item, i) if option not in chosen),
        provenance="picked" if chosen else "",  # the person's choice, in the agent's words
    )


def _words(
    transcript: Transcript, message: int, said: AnsweredQuestion, chosen: list[_Option], own: str
) -> tuple[tuple[Quote, ...], str]:
    """The person's part of a pair, quoted, and what the answer is: the labels that were chosen and what was written."""
    quotes: tuple[Quote, ...] = ()
    if chosen:
        pair = f'"{said.question}"="{said.answer}"'
        quotes = within(transcript, message, tail(pair) if len(said.answer) < LONGEST else cut(said.answer))
    if own:
        written, own = covered(transcript, message, own, 3)
        quotes = only(quotes, written)
    labels = ", ".join(_label(option) for option in chosen)
    return quotes, ": ".join(part for part in (labels, " ".join(own.split())) if part)


def _label(option: _Option) -> str:
    """What was chosen; "both" alone does not say it."""
    label = _RECOMMENDED.sub("", option.label).strip()
    return f"{label}: {cut(option.description)}" if _BOTH.fullmatch(label) and option.description else label


def _title(item: dict[str, Any]) -> str:
    question = str(item["question"])
    header = item.get("header") if isinstance(item.get("header"), str) else ""
    title = f"{header}: {question}" if header and _VAGUE.search(question) else question
    if len(title) > LONGEST:  # what is asked stands last, after what led to it
        title = _SENTENCE.split(title[-2_000:])[-1]
    return clip(title)


def _options(item: dict[str, Any], i: int) -> list[_Option]:
    options = item.get("options")
    return [
        _Option(
            option["label"].strip(),
            option["description"] if isinstance(option.get("description"), str) else "",
            f"/questions/{i}/options/{j}/description",
        )
        for j, option in enumerate(options if isinstance(options, list) else ())
        if isinstance(option, dict) and isinstance(option.get("label"), str) and option["label"].strip()
    ][:50]


def _chosen(answer: str, options: list[_Option], several: bool) -> list[_Option]:
    """The options that the whole answer is made of; none when any of it is not one."""
    answer = answer.strip()
    for option in options:
        if answer == option.label:
            return [option]
    chosen: list[_Option] = []
    while several and answer:
        taken = next(
            (o for o in options if o not in chosen and (answer == o.label or answer.startswith(o.label + ", "))), None
        )
        if taken is None:
            return []
        chosen.append(taken)
        answer = answer[len(taken.label) + 2 :]
    return chosen
