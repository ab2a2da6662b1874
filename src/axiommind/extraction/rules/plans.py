"""Plans that a person approved, or gave as the task. Another agent's prompt is nobody's approval.

Of a plan it is worth keeping what was decided in it and why: the paragraph of its context, what the person is said to
want, the lines under "Approach", "Decisions" and the like, and lines that choose one way over another. Headings fill
what room is left; steps, files and how it is verified do not count. A plan that the person came back on in the same
session, asking for something else of the same name, is not kept: what they said then is.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from axiommind.extraction.drafts import Draft, Quote
from axiommind.extraction.quoting import MOST_QUOTES, SHORTEST, clip, covered, cut, given, only, within
from axiommind.extraction.rules import PLAN, Rule
from axiommind.extraction.rules._prompts import own_prompts
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
        right=36,
        total=37,
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
_DECIDES = lazy(  # a section of what was decided, and a line that says what the person wants
    r"(?:\d+\.\s*)?(?:(?:key |design |user |confirmed |architectural )*(?:decisions?|requirements?|approach"
    r"|strategy|solution|design|principles?)\b"
    r"|方針|設計|決定|アプローチ|要件|방침|설계|결정|접근|요구|方案|设计|決策|决定|决策|需求)",
    re.IGNORECASE,
)
_WANTED = lazy(
    r"\b(?:the )?user (?:wants?|wanted|specified|asked|confirmed|chose|prefers?|requires?|requested|decided)\b"
    r"|ユーザーは.{2,60}(?:希望|指定|選択)|사용자(?:가|는).{2,60}(?:원|요청|지정|선택)|用户(?:希望|要求|指定"
    r"|选择|选择了)",
    re.IGNORECASE,
)
_NO_CLAIM = lazy(  # a section of steps, files or checks
    r"(?:\d+\.\s*)?(?:verification|verify|test|critical|files?|references?|what stays|out of scope|required"
    r"|implementation (?:order|steps)"
    r"|検証|確認|テスト|対象ファイル|コミット|검증|테스트|파일|验证|测试|文件)",
    re.IGNORECASE,
)
_CHOOSES = lazy(
    r"\b(?:instead of|rather than|no longer|falls? back|must not|should not|never|always|only when|not needed"
    r"|no need|by default)\b"
    r"|[—–-] no \w|のみ|ではなく|不要|しない|代わりに|維持|대신|않고|不再|而不是|无需",
    re.IGNORECASE,
)
_MARK = lazy(r"\s*(?:[-*•]|\d{1,2}[.)])\s+")
_FENCED = lazy(r"^[ \t]*(?:```|~~~).*?(?:^[ \t]*(?:```|~~~)[^\n]*$|\Z)", re.DOTALL | re.MULTILINE)
_OTHERWISE, _IN_TROUBLE = "otherwise", "in trouble"
_TROUBLE = lazy(
    r"\b(?:bug(?:s|ged|gy)?|broken?|crash\w*|errors?|wrong|fails?|failing|(?:does|do|did)(?:n[’']?t| not) work"
    r"|not working)\b"
    r"|안 ?(?:돼|되|나|보|맞)|오류|에러|깨[졌져]|이상해|動(?:か|き)(?:ない|ません)|エラー|壊れ|おかしい|报错"
    r"|報錯|坏了|不行|有问题",
    re.IGNORECASE,
)
_NAME = lazy(
    r"\b(?!(?:with|from|into|plan|page|show|make|more|when|that|this|have|only|also|over|after"
    r"|before)\b)[A-Za-z]{4,}|[一-鿿ァ-ヴー]{3,}|[가-힣]{3,}"
)
_MOST_DECIDED = 3
_ROW = range(16, 301)
_PLAN = 30_000
_RATIONALE = 600
_REASON_QUOTES = 2
_REASON = 300  # characters of it in the text
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


def _came_back(transcript: Transcript, message: int, title: str) -> str:
    """What the person said later, in this session, of what the plan is called: that it shall be otherwise, that it is
    in trouble, or nothing of that."""
    from axiommind.text.prompts import own_sentences
    from axiommind.text.requests import CHOICE, request_in

    names = {word.casefold() for word in _NAME.findall(title)}
    found = ""
    for n in own_prompts(transcript):
        for said in own_sentences(transcript.messages[n].text) if n > message else ():
            if not names & {word.casefold() for word in _NAME.findall(said.text)}:
                continue
            request = request_in(said.text, said.asked)
            if request is not None and request.form == CHOICE and not request.about_work:
                return _OTHERWISE
            if _TROUBLE.search(said.text):
                found = _IN_TROUBLE
    return found


def _plan(transcript: Transcript, message: int, plan: str, timestamp: int | None) -> Draft | None:
    heading = _HEADING.search(plan[:2_000])
    if heading is None:
        return None
    name = heading[1].strip()
    word = _PLAN_WORD.match(name)
    title = clip(name[word.end() :] if word else name)
    if len(title) < 8 or title.casefold() == "context":
        return None
    later = _came_back(transcript, message, title)
    if later == _OTHERWISE:
        return None
    why = _WHY.search(plan, heading.end())
    reason = _paragraph(plan[why.end() :]) if why else ""
    quotes = within(transcript, message, cut(heading[0].strip()))
    because: tuple[Quote, ...] = ()
    if len(reason) >= SHORTEST:
        because, reason = covered(transcript, message, reason, _REASON_QUOTES)
    rows = []
    decided = [] if later == _IN_TROUBLE else _decided(plan[heading.end() :])  # how it was done then, nobody knows
    for row in decided:
        said = within(transcript, message, cut(row))
        if said and len(only(quotes, because, said)) <= MOST_QUOTES:
            quotes = only(quotes, said)
            rows.append(f"- {clip(row)}")
    if not reason and not rows:  # steps alone are in the code by now
        return None
    return Draft(
        type="decision",
        title=title,
        text="\n".join([f"{title}: {clip(reason, _REASON)}" if reason else title, *rows]),
        quotes=only(quotes[:1], because, quotes),
        rule="plans",
        rationale=" ".join(reason.split()),
        value=title,
        timestamp=timestamp,
        kind="decision",
    )


def _paragraph(text: str) -> str:
    text = text.lstrip()[: _RATIONALE * 2]
    ends = [match.start() for match in _BLANK.finditer(text)] + [len(text)]
    first = text[: ends[0]]
    if first.rstrip().endswith(":") and len(ends) > 1:  # what it leads to is the reason
        first = text[: ends[1]]
    return "" if first.startswith("#") else first.rstrip()


def _decided(plan: str) -> list[str]:
    """The few lines of a plan that say most about what was decided, in their order."""
    ranked = []
    decides = wanted = skipped = False
    for n, line in enumerate(_FENCED.sub("", plan).splitlines()):
        text = line.strip()
        if text.startswith("#"):
            name = text.lstrip("# ")
            if _DECIDES.match(name) or line.startswith("## "):
                decides = _DECIDES.match(name) is not None
            skipped, wanted = _NO_CLAIM.match(name) is not None, False
            continue
        mark = _MARK.match(line)
        row = line[mark.end() :].strip() if mark else text
        if skipped or not row:
            continue
        wanted = _WANTED.search(row) is not None or (wanted and mark is not None)
        rank = 2 * (decides or wanted) + (_CHOOSES.search(row) is not None)
        if rank and len(row) in _ROW and not row.endswith((":", "：")):
            ranked.append((-rank, n, row))
    return [row for _, _, row in sorted(sorted(ranked)[:_MOST_DECIDED], key=lambda one: one[1])]
