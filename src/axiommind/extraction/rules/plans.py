"""Plans that a person approved, or gave as the task. Another agent's prompt is nobody's approval."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from axiommind.extraction.drafts import Draft, Quote
from axiommind.extraction.quoting import MOST_QUOTES, SHORTEST, clip, covered, cut, given, only, within
from axiommind.extraction.rules import PLAN, Rule
from axiommind.text.patterns import lazy
from axiommind.tools.kinds import PROPOSE_PLAN

if TYPE_CHECKING:
    from axiommind.projections.transcript import Transcript

RULES = (
    Rule(
        "plans",
        types=("decision",),
        form=PLAN,
        labelled="plans",
        right=39,
        total=40,
        note="131 real sessions; wrong: overturned by the next prompt",
    ),
)
ORDER = 3

_PLAN_PROMPT = lazy(r"\s*Implement the following plan:\s*")
_PLAN_RESULT = lazy(r"^#{1,3} Approved Plan[^\n]*:?[ \t]*\n", re.MULTILINE)
_HEADING = lazy(r"^#{1,2}[ \t]+(\S[^\n]*)$", re.MULTILINE)
_PLAN_WORD = lazy(r"(?:implementation )?plan\s*[:–—-]\s*", re.IGNORECASE)
_WHY = lazy(
    r"^#{2,4}[ \t]+(?:contexte?|background|motivation|problem|why|goal|overview)\b[^\n]{0,200}\n",
    re.MULTILINE | re.IGNORECASE,
)
_SECTION = lazy(r"^#{2,3}[ \t]+(\S[^\n]*)$", re.MULTILINE)
_USUAL = lazy(  # headings that every plan has
    r"(?:critical |key )?files?\b[^`]*$|implementation(?: plan| steps| design)?$|current (?:state|behaviou?r)"
    r"|proposed changes|verification|critical notes|key references|out of scope|test plan|summary",
    re.IGNORECASE,
)
_PLAN = 30_000
_RATIONALE = 600
_REASON_QUOTES = 2
_BLANK = lazy(r"\n[ \t]*\r?\n")


def find(transcript: Transcript) -> list[Draft]:
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
