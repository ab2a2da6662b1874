"""What a person chose: answers to an agent's questions, and plans that were approved.

Only an answer that is one of the options is taken. What people type instead is a question back, a hesitation or
an order as often as a choice (2 of 8 in the real sessions), and no rule here can tell them apart. Questions about
how the conversation goes on, and not about the project, decide nothing.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from axiommind.learning.drafts import Draft, Quote
from axiommind.learning.extractors._precision import PRECISION
from axiommind.learning.extractors._quoting import (
    LONGEST,
    MOST_QUOTES,
    SHORTEST,
    clip,
    covered,
    cut,
    given,
    leaf,
    only,
    tail,
    within,
)
from axiommind.projections.transcript import ToolCall, Transcript
from axiommind.tools.kinds import ASK, PROPOSE_PLAN

__all__ = ["answers", "plans"]

_RESULT = 50_000
_RECOMMENDED = re.compile(r"\s*\((?:recommended|default)\)\s*$", re.IGNORECASE)
_AFTER_ANSWER = re.compile(r'"(?: user notes: | selected preview:|\. You can now continue|, "|\.?\s*$)')
# The asker's next act, or the person's in this conversation.
_FLOW = re.compile(
    r"\b(?:should|shall|can|could|may) i\b|\bwould you like\b|\bdo you want (?:me|to)\b|\bwant me to\b"
    r"|\bhow (?:do you want|would you like|should (?:i|we)) (?:to )?proceed\b|\bmore questions\b|\bmove (?:on )?to\b"
    r"|\bwhat(?:'s| is)? next\b|\bnext steps?\b|\bto discuss\b|\bready to\b|\bcan you\b|\bare you\b|\bdid you\b"
    r"|\bdo you have\b|\bhave you\b|\bcontinue\b",
    re.IGNORECASE,
)
# A choice that leaves it open, or ends the asking.
_OPEN = re.compile(
    r"\s*(?:you decide|claude decides|not sure|i don't know|skip\b|done\b|next\b|more questions|let me|other\b|cancel\b"
    r"|put it back|later\b|wait\b|stop\b|abort\b|none of|something else|mix of both)",
    re.IGNORECASE,
)
_VAGUE = re.compile(r"\bwhich (?:approach|option|one|of these)\b|\bwhat do you (?:think|prefer)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!])\s")
_PLAN_PROMPT = re.compile(r"\s*Implement the following plan:\s*")
_PLAN_RESULT = re.compile(r"^#{1,3} Approved Plan[^\n]*:?[ \t]*\n", re.MULTILINE)
_HEADING = re.compile(r"^#{1,2}[ \t]+(\S[^\n]*)$", re.MULTILINE)
_PLAN_WORD = re.compile(r"(?:implementation )?plan\s*[:–—-]\s*", re.IGNORECASE)
_WHY = re.compile(
    r"^#{2,4}[ \t]+(?:contexte?|background|motivation|problem|why|goal|overview)\b[^\n]{0,200}\n",
    re.MULTILINE | re.IGNORECASE,
)
_SECTION = re.compile(r"^#{2,3}[ \t]+(\S[^\n]*)$", re.MULTILINE)
_USUAL = re.compile(  # headings that every plan has
    r"(?:critical |key )?files?\b[^`]*$|implementation(?: plan| steps| design)?$|current (?:state|behaviou?r)"
    r"|proposed changes|verification|critical notes|key references|out of scope|test plan|summary",
    re.IGNORECASE,
)
_PLAN = 30_000
_RATIONALE = 600
_REASON_QUOTES = 2
_BLANK = re.compile(r"\n[ \t]*\r?\n")


class _Option(NamedTuple):
    label: str
    description: str
    pointer: str


def answers(transcript: Transcript) -> list[Draft]:
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
        confidence=PRECISION["answers"],
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


def plans(transcript: Transcript) -> list[Draft]:
    """Plans a person let pass, or gave as the task. Another agent's prompt is nobody's approval."""
    found = []
    for use in transcript.uses:
        if use.tool.act != PROPOSE_PLAN or use.failed is not False:
            continue
        message = use.leaves.get("/plan")
        plan, start = given(use, "plan"), 0
        for result in use.results if message is None else ():
            text = transcript.messages[result].text
            if mark := _PLAN_RESULT.search(text[:_PLAN]):
                message, plan, start = result, text, mark.end()
        if message is not None:
            found.append(_plan(transcript, message, plan[start : start + _PLAN], use.timestamp))
    for n, said in enumerate(transcript.messages):
        if said.role == "person" and not transcript.subagent and (mark := _PLAN_PROMPT.match(said.text)):
            found.append(_plan(transcript, n, said.text[mark.end() : mark.end() + _PLAN], said.timestamp))
    return [draft for draft in found if draft is not None]


def _plan(transcript: Transcript, message: int, plan: str, timestamp: int | None) -> Draft | None:
    heading = _HEADING.search(plan[:2_000])
    if heading is None:
        return None
    name = heading[1].strip()
    word = _PLAN_WORD.match(name)
    title = clip(name[word.end() :] if word else name)
    if len(title) < 8 or title.casefold() == "context":
        return None
    why = _WHY.search(plan, heading.end())
    reason = _paragraph(plan[why.end() :]) if why else ""
    quotes = within(transcript, message, cut(heading[0].strip()))
    because: tuple[Quote, ...] = ()
    if len(reason) >= SHORTEST:
        because, reason = covered(transcript, message, reason, _REASON_QUOTES)
    rows = []
    for row in _outline(plan):
        said = within(transcript, message, cut(row))
        if said and len(only(quotes, because, said)) <= MOST_QUOTES:
            quotes = only(quotes, said)
            rows.append(f"- {clip(row, 120)}")
    return Draft(
        type="decision",
        title=title,
        text="\n".join([title, *rows]),
        quotes=only(quotes[:1], because, quotes),
        rule="plans",
        confidence=PRECISION["plans"],
        rationale=" ".join(reason.split()),
        value=title,
        timestamp=timestamp,
    )


def _paragraph(text: str) -> str:
    text = text.lstrip()[: _RATIONALE * 2]
    ends = [match.start() for match in _BLANK.finditer(text)] + [len(text)]
    first = text[: ends[0]]
    if first.rstrip().endswith(":") and len(ends) > 1:  # what it leads to is the reason
        first = text[: ends[1]]
    return "" if first.startswith("#") else first.rstrip()


def _outline(plan: str) -> list[str]:
    """The plan's headings: what it does, without how."""
    rows = [match[1].strip() for match in _SECTION.finditer(plan)]
    return [row for row in dict.fromkeys(rows) if len(row) > 12 and not _USUAL.match(row)][:MOST_QUOTES]
