"""Answers: what a person chose when an agent asked.

Only an answer that is one of the options is taken. What people type instead is a question back, a hesitation or
an order as often as a choice (2 of 8 in the real sessions), and no rule here can tell them apart. Questions about
how the conversation goes on, and not about the project, decide nothing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from axiommind.extraction.drafts import Draft, Quote
from axiommind.extraction.quoting import LONGEST, clip, cut, leaf, only, tail, within
from axiommind.extraction.rules import QUESTION, Rule
from axiommind.text.patterns import lazy
from axiommind.tools.kinds import ASK

if TYPE_CHECKING:
    from axiommind.projections.transcript import ToolCall, Transcript

RULES = (
    Rule(
        "answers",
        types=("decision",),
        form=QUESTION,
        labelled="answers",
        right=21,
        total=22,
        note="131 real sessions, all there are; wrong: a title that does not say what it is about",
    ),
)
ORDER = 2

_RESULT = 50_000
_RECOMMENDED = lazy(r"\s*\((?:recommended|default)\)\s*$", re.IGNORECASE)
_AFTER_ANSWER = lazy(r'"(?: user notes: | selected preview:|\. You can now continue|, "|\.?\s*$)')
# The asker's next act, or the person's in this conversation.
_FLOW = lazy(
    r"\b(?:should|shall|can|could|may) i\b|\bwould you like\b|\bdo you want (?:me|to)\b|\bwant me to\b"
    r"|\bhow (?:do you want|would you like|should (?:i|we)) (?:to )?proceed\b|\bmore questions\b|\bmove (?:on )?to\b"
    r"|\bwhat(?:'s| is)? next\b|\bnext steps?\b|\bto discuss\b|\bready to\b|\bcan you\b|\bare you\b|\bdid you\b"
    r"|\bdo you have\b|\bhave you\b|\bcontinue\b",
    re.IGNORECASE,
)
# A choice that leaves it open, or ends the asking.
_OPEN = lazy(
    r"\s*(?:you decide|claude decides|not sure|i don't know|skip\b|done\b|next\b|more questions|let me|other\b|cancel\b"
    r"|put it back|later\b|wait\b|stop\b|abort\b|none of|something else|mix of both)",
    re.IGNORECASE,
)
_VAGUE = lazy(r"\bwhich (?:approach|option|one|of these)\b|\bwhat do you (?:think|prefer)\b", re.IGNORECASE)
_SENTENCE = lazy(r"(?<=[.!])\s")
_RATIONALE = 600


class _Option(NamedTuple):
    label: str
    description: str
    pointer: str


def find(transcript: Transcript) -> list[Draft]:
    found = []
    for use in transcript.uses:
        if use.tool.kind != ASK or use.failed is not False or not use.results:
            continue
        asked = use.given.get("questions")
        questions = [
            (i, item["question"], item)
            for i, item in enumerate(asked if isinstance(asked, list) else ())
            if isinstance(item, dict) and isinstance(item.get("question"), str) and item["question"]
        ]
        message = use.results[0]
        said = transcript.messages[message].text[:_RESULT]
        at = 0
        for n, (i, question, item) in enumerate(questions[:20]):
            mark = f'"{question}"="'
            start = said.find(mark, at)
            if start < 0:
                continue
            at = start + len(mark)
            rest = [said.find(f'", "{other}"="', at) for _, other, _ in questions[n + 1 : 20]]
            end = min((place for place in rest if place >= 0), default=-1)
            if end < 0:
                close = _AFTER_ANSWER.search(said, at)
                end = close.start() if close else len(said)
            draft = _answer(transcript, use, message, said[start : end + 1], said[at:end], i, item)
            if draft is not None:
                found.append(draft)
            at = end
    return found


def _answer(
    transcript: Transcript, use: ToolCall, message: int, pair: str, answer: str, i: int, item: dict[str, Any]
) -> Draft | None:
    question = item["question"]
    chosen = _chosen(answer, _options(item, i), item.get("multiSelect") is True)
    if not chosen or _FLOW.search(question) or any(_OPEN.match(option.label) for option in chosen):
        return None
    header = item.get("header") if isinstance(item.get("header"), str) else ""
    title = f"{header}: {question}" if header and _VAGUE.search(question) else question
    if len(title) > LONGEST:  # what is asked stands last, after what led to it
        title = _SENTENCE.split(title[-2_000:])[-1]
    quotes = within(transcript, message, tail(pair) if len(answer) < LONGEST else cut(answer))
    why: tuple[Quote, ...] = ()
    for option in chosen:
        why = only(why, leaf(transcript, use, option.pointer))
    value = ", ".join(_RECOMMENDED.sub("", option.label).strip() for option in chosen)
    return Draft(
        type="decision",
        title=clip(title),
        text=value,
        quotes=only(leaf(transcript, use, f"/questions/{i}/question"), quotes, why),
        rule="answers",
        rationale=cut(" ".join(option.description for option in chosen), _RATIONALE),
        value=value,
        timestamp=transcript.messages[message].timestamp,
    )


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
