"""Open work that a session leaves in words: what was asked and not answered, by either side, and what the last answer
says is not done.

Only the end of a session tells what it leaves, so this is read anew whenever the session has grown, and taken back when
it went on. A wish and advice are no open work; nor is an offer ("Shall I …?"), unless it is for what the person asked
for before, and the last word.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from axiommind.extraction.drafts import Draft, DraftStep
from axiommind.extraction.quoting import LONGEST, clip, cut, within
from axiommind.extraction.rules import Rule
from axiommind.extraction.rules._chores import is_chore
from axiommind.text.patterns import lazy
from axiommind.tools.kinds import ASK, READ, SEARCH

if TYPE_CHECKING:
    from axiommind.projections.transcript import Message, Transcript

RULES = (
    Rule(
        "open-unanswered",
        types=("task_note",),
        labelled="open-work",
        right=5,
        total=5,
        note="ends of sessions made by hand; 6 of 6 in 158 real sessions",
    ),
    Rule(
        "open-left",
        types=("task_note",),
        labelled="open-work",
        right=12,
        total=12,
        note="ends of sessions made by hand; 3 of 3 in 158 real sessions",
    ),
    Rule(
        "open-offered",
        types=("task_note",),
        labelled="open-work",
        right=6,
        total=6,
        note="ends of sessions made by hand; 3 of 3 in 158 real sessions",
    ),
)
ORDER = 60  # after what was said: a prompt may be both

_MOST_LEFT = 2  # of one answer: who leaves more, leaves a list
_SHORT = 12  # a prompt below this many characters of its own asks for nothing that can be read alone
_SHORT_OFFER = 8
_WORDS = lazy(r"[^\W\d_]{2,}")
_WIDE = lazy(r"[぀-ヿ㐀-鿿가-힣]")
_PROGRAM = lazy(r"\s*(?:/|!|<|\{|\[)")  # a command, or the program's own words
_SENTENCE = lazy(r"[^.!?。！？\n]+(?:[.!?](?![\s*_]|$)[^.!?。！？\n]*)*[.!?。！？]?", re.MULTILINE)
_MARKUP = lazy(r"^[\s>*#|•·✅❌⚠️☐-]+|\s*\|\s*$|^\d{1,2}[.)]\s+")
_QUESTION = lazy(r"[?？]\s*[\"'」』)]?\s*$|(?:까요|ますか|ましょうか|でしょうか|吗|呢)[.。?？]?\s*$")
_IF = lazy(
    r"\b(?:if|once|when(?:ever)?|unless|let me know|feel free|should you|would you|want me)\b"
    r"|(?:으면|하면|다면)\s|場合|如果",
    re.IGNORECASE,
)
_OFFER = lazy(
    r"^(?:do you )?(?:want|would you like) me to\b.{8,}\?|^(?:should|shall) (?:i|we)\b.{8,}\?"
    r"|(?:할까요|드릴까요|될까요)\s*\?|(?:ますか|ましょうか)[?？]|(?:要我|需要我|是否要?|要不要).{4,}[?？]",
    re.IGNORECASE,
)
_NAMES = lazy(r"[a-zA-Z][\w-]{3,}|[가-힣]{2,}|[ァ-ヶー]{3,}|[㐀-鿿]{2,}")
_HAN = lazy(r"[㐀-鿿]{3,}$")
_SAY_NOTHING = frozenset(
    [
        "want",
        "would",
        "like",
        "should",
        "shall",
        "this",
        "that",
        "these",
        "those",
        "them",
        "with",
        "into",
        "from",
        "have",
        "make",
        "also",
        "please",
        "could",
        "will",
        "your",
        "进行",
        "需要",
        "是否",
        "现在",
        "確認",
        "現在",
        "継続",
        "続行",
        "진행",
        "확인",
        "이것",
        "그것",
    ]
)
_DONE = lazy(
    r"\b(?:no longer|already|nothing (?:is )?(?:left|remaining)|none (?:left|remaining)|all (?:tests|checks) pass)\b"
    r"|이미|すでに|既に|已经",
    re.IGNORECASE,
)
_LEFT = lazy(
    r"\b(?:is|are|was|were|has|have|do|does)(?:n[’']t| not) (?:\w+ ){0,3}yet\b|\bnot yet (?:been )?\w+"
    r"|\bstill (?:needs? to|have to|has to|to be done|fail(?:s|ing)|broken|missing|outstanding|unresolved|not \w+)"
    r"|\b(?:must|needs?|has|have) (?:still )?(?:to )?be (?:\w+ly )?\w+(?:ed|en|wn|t) (?:before|manually|by you)"
    r"|\bremains? to be \w+|\bleft to (?:do|be done)\b|\b(?:staged|written),? (?:but )?(?:not|awaiting) "
    r"|\b(?:intentionally |explicitly )?deferred\b|\bout of scope for now\b|\bfollow-up (?:work|task|issue|pr)\b"
    r"|아직.{0,40}(?:않|못|안 |남|필요|실패)|남은 (?:작업|일|과제)|남아 ?있|재?\w*해야 (?:적용|동작|반영)|후속 작업"
    r"|まだ.{0,40}(?:ていません|ていない|ません|未)|未(?:実装|対応|着手|コミット|解決|完了|反映)|残(?:りの|タスク|課題|作業)|今後の課題"
    r"|(?:还|還|仍|尚)(?:需要|需|未|没有|沒有|有待)|待(?:办|辦|处理|處理|完成|确认)|剩余|剩餘|未完成|后续(?:工作|任务)",
    re.IGNORECASE,
)


def find(transcript: Transcript) -> list[Draft]:
    own = [n for n, message in enumerate(transcript.messages) if not message.copied]
    if transcript.subagent or not own:
        return []
    answers = [n for n in own if transcript.messages[n].role == "assistant"]
    if not answers:
        return []  # nobody was there to answer
    prompts = [n for n in own if transcript.messages[n].role == "person"]
    last = prompts[-1] if prompts else -1
    if answers[-1] < last:
        return _unanswered(transcript, last)
    asked = [transcript.messages[n].text for n in prompts]
    return (
        _unanswered_question(transcript, answers[-1])
        or _left(transcript, answers[-1])
        or _offered(transcript, answers[-1], asked)
    )


def _unanswered(transcript: Transcript, prompt: int) -> list[Draft]:
    """The last prompt, if nothing was said or done about it."""
    message = transcript.messages[prompt]
    worked = {m.use for m in transcript.messages[prompt + 1 :] if m.use is not None}
    if any(transcript.uses[use].tool.kind not in (READ, SEARCH) for use in worked):
        return []
    title = _title(message.text)
    if message.provenance != "person" or not _is_readable(title) or is_chore(title):
        return []
    return _draft(transcript, prompt, title, "open-unanswered")


def _unanswered_question(transcript: Transcript, answer: int) -> list[Draft]:
    """The last thing that the session did was to ask the person, who did not answer."""
    asked = transcript.uses[-1] if transcript.uses else None
    if asked is None or asked.tool.kind != ASK or asked.results or asked.copied:
        return []
    message = asked.leaves.get("/questions/0/question")
    if message is None or message < answer:
        return []
    return _draft(transcript, message, _title(transcript.messages[message].text), "open-unanswered")


def _left(transcript: Transcript, answer: int) -> list[Draft]:
    """What the last answer of a session says is not done."""
    if any(message.use is not None for message in transcript.messages[answer + 1 :]):
        return []  # it was still at work
    found: list[Draft] = []
    text = transcript.messages[answer].text
    for sentence in _SENTENCE.finditer(text):
        said = _MARKUP.sub("", sentence[0]).strip()
        if len(found) < _MOST_LEFT and _is_left(said):
            found += _draft(transcript, answer, said, "open-left")
    return found


def _offered(transcript: Transcript, answer: int, asked: list[str]) -> list[Draft]:
    """The work that the last answer asks leave for, if the person had asked for it: it was not done."""
    if any(message.use is not None for message in transcript.messages[answer + 1 :]):
        return []
    wanted = _named_in(" ".join(asked))
    for sentence in _SENTENCE.finditer(transcript.messages[answer].text):
        said = _MARKUP.sub("", sentence[0]).strip()
        if _OFFER.search(said) and _is_readable(said, _SHORT_OFFER) and _named_in(said) & wanted:
            return _draft(transcript, answer, said, "open-offered")
    return []


def _named_in(text: str) -> set[str]:
    """The words of a text that name something; of Han, which has no blanks, what three characters in a row do."""
    names = {word.casefold() for word in _NAMES.findall(text)}
    runs = {word[n : n + 3] for word in names if _HAN.match(word) for n in range(len(word) - 2)}
    return (names | runs) - _SAY_NOTHING


def _is_left(said: str) -> bool:
    return (
        _LEFT.search(said) is not None
        and _is_readable(said)
        and not _QUESTION.search(said)
        and not _IF.search(said)
        and not _DONE.search(said)
    )


def _title(text: str) -> str:
    """How a prompt begins, in one line."""
    paragraph = text.strip().partition("\n\n")[0]
    return clip(paragraph)


def _is_readable(text: str, short: int = _SHORT) -> bool:
    """Whether it can be read alone, and is somebody's own words."""
    if _PROGRAM.match(text):
        return False
    return len(_WORDS.findall(text)) >= 4 if not _WIDE.search(text) else len(text) >= short


def _draft(transcript: Transcript, message: int, said: str, rule: str) -> list[Draft]:
    where: Message = transcript.messages[message]
    quotes = within(transcript, message, cut(said if said in where.text else where.text.strip(), LONGEST))
    if not quotes:
        return []
    title = clip(said.replace("**", "").replace("`", ""))
    return [
        Draft(
            type="task_note",
            title=title,
            text=title,
            quotes=quotes,
            rule=rule,
            timestamp=where.timestamp,
            steps=(DraftStep("pending", quotes, where.timestamp),),
            kind="open",
        )
    ]
