"""Rules and lessons that were written down: lines added to CLAUDE.md, AGENTS.md, a memory or a lessons file.

One draft for each section that states rules, at most three of a session, the most rule-like. What a later edit of the
session takes out again is not told, and what it replaces is retired. Rules that a person asked to be written down are
`written-rules-asked`; those that an agent wrote by itself wait for somebody to confirm them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from axiommind.extraction.drafts import Draft, Quote
from axiommind.extraction.quoting import clip, cut, head, only, within
from axiommind.extraction.rules import Rule
from axiommind.extraction.rules._rule_files import (
    LESSONS,
    PAGE,
    RULES_FILE,
    RulesSection,
    Written,
    file_class,
    sections,
    written,
)
from axiommind.text.normal_form import normalise
from axiommind.text.patterns import lazy
from axiommind.tools.kinds import EDIT

if TYPE_CHECKING:
    from axiommind.projections.transcript import ToolCall, Transcript

RULES = (
    Rule(
        "written-rules-asked",
        types=("fact",),
        labelled="written-rules-asked",
        right=14,
        total=14,
        note="158 real sessions, all there are",
        is_requested=True,
    ),
    Rule(
        "written-rules",
        types=("fact",),
        labelled="written-rules",
        right=5,
        total=5,
        note="158 real sessions, all there are: few, so the number is low",
    ),
)
ORDER = 21

_MOST = 3  # of a session
_LINES = 4  # of one section
_SHORTEST = 12
_LONGEST = 400
# A line that commands, in four languages.
_COMMANDS = lazy(
    r"\b(?:must(?: not)?|never|always|do not|don[’']t|required?|requires|ensure|avoid|only (?:use|when|if|after|before)"
    r"|should(?: not|n[’']t)?|forbidden|mandatory|make sure|key rule|is a breaking|not allowed|prefer)\b"
    r"|必ず|絶対|禁止|(?:しない|行わない|使わない|任せる|確認する|すること|場合のみ|する場合は|したら)|べき|てはいけない|てはならない"
    r"|항상|반드시|절대|금지|하지 ?(?:마|않는다|말)|해야|만 사용|必须|务必|禁止|不要|不得|始终|应该|应当|只能|不能",
    re.IGNORECASE,
)
_STRONG = lazy(
    r"\b(?:ALWAYS|NEVER|MUST(?: NOT)?|DO NOT|REQUIRED|IMPORTANT)\b|\*\*(?:always|never|must)|\b[Kk]ey rule\b"
)
_MODAL = lazy(r"\b(?:must|never|always)\b", re.IGNORECASE)
_HEADED = lazy(
    r"\b(?:rules?|conventions?|guidelines?|lessons?|learn(?:ed|ings?|t)|takeaways?|gotchas?|pitfalls?|caveats?|principles?"
    r"|known (?:issues|limitations)|important|notes?|commit|scopes?|naming|style|workflow|policy|discipline|protocol"
    r"|prevention)\b"
    r"|ルール|教訓|規約|注意|学び|方針|原則|対策|規則|規칙|규칙|교훈|주의|컨벤션|원칙|규약|规则|规范|教训|注意|约定|经验|原则",
    re.IGNORECASE,
)
_WISHED = lazy(r"would have helped|wish|nice to have|future|あったらよかった|있었으면|如果有", re.IGNORECASE)
_TROUBLE = lazy(
    r"\b(?:bug|fails?|failed|broke|broken|error|gotcha|pitfall|caveat|silently|wrong|leak|crash|missing|conflict"
    r"|couldn[’']t|can[’']t|cannot|doesn[’']t work|known (?:issue|limitation))\b"
    r"|バグ|失敗|エラー|衝突|罠|버그|실패|오류|충돌|함정|错误|失败|冲突|陷阱",
    re.IGNORECASE,
)
_RUNS = lazy(r"`[a-z][\w.-]*(?: [^`\n]{1,80})`")
_PASSING = lazy(
    r"\b(?:phase|plan|step|milestone|sprint|pr) ?#?\d"
    r"|\b(?:(?:is|was|are|now) (?:complete|done)|in progress|pending|next steps?)\b"
    r"|✅|❌|🚧|\d{4}-\d{2}-\d{2}|完了|완료|已完成",
    re.IGNORECASE,
)
_ASKED = lazy(
    r"\b(?:lessons?|learnings?|memory|memori[sz]e|remember|rules?|claude\.md|agents\.md|gemini\.md|conventions?|guidelines?"
    r"|write (?:it|this|that|them) down|note (?:it|this|that)|record|document (?:it|this|that|the))\b|\.learnings"
    r"|教訓|学び|ルール|規約|記録|覚え|メモ|교훈|규칙|기록|기억|메모|教训|规则|规范|记录|记住|备忘",
    re.IGNORECASE,
)
_ASKING = 3  # of the last messages of the person before the edit


class _Unit(NamedTuple):
    """The rules of one section of one edit."""

    use: ToolCall
    text: Written
    section: RulesSection
    lines: tuple[str, ...]  # those that state rules, as they stand
    score: int
    retired: tuple[str, ...]

    @property
    def best(self) -> str:
        return max(self.lines, key=_score)


def find(transcript: Transcript) -> list[Draft]:
    units: list[_Unit] = []
    for use in transcript.uses:
        if use.tool.kind != EDIT or use.failed is not False:
            continue
        for text in written(use):
            what = file_class(text.path)
            if what:
                units = [kept for unit in units if (kept := _after(unit, text)) is not None]
                units += _units(use, text, what)
    last = {normalise(unit.best): unit for unit in units}  # the same rule in two files is one
    best = sorted(last.values(), key=lambda unit: -unit.score)[:_MOST]
    return [draft for unit in units if any(unit is one for one in best) and (draft := _draft(transcript, unit))]


def _units(use: ToolCall, text: Written, what: str) -> list[_Unit]:
    before, now = _known(text.old), _known(text.new)
    gone = tuple(clip(line) for line in before.values() if normalise(line) not in now and _is_rule(line))
    found = []
    for section in sections(text.new):
        new = {line for line in section.lines if normalise(line) not in before}
        # A plain command that an edit leaves as it was stood in the file before, and still does.
        kept = {line for line in section.lines if _STRONG.search(line) or _MODAL.search(line)}
        added = [line for line in section.lines if line in new | kept and _SHORTEST <= len(line) <= _LONGEST]
        if lines := _stated(added, section, what):
            extra = 2 * (what != PAGE) + (_HEADED.search(section.heading) is not None)
            found.append(_Unit(use, text, section, lines, sum(map(_score, lines)) + extra, gone))
    return found


def _known(text: str) -> dict[str, str]:
    """The lines of a text by what makes them the same."""
    return {normalise(line): line for section in sections(text) for line in section.lines}


def _stated(added: list[str], section: RulesSection, what: str) -> tuple[str, ...]:
    """The lines of a section that state rules: all of a section of rules, else those that command."""
    if _WISHED.search(section.heading):
        return ()
    if what == PAGE:
        is_strong = any(_STRONG.search(line) for line in added)
        added = [line for line in added if is_strong and (_STRONG.search(line) or _MODAL.search(line))]
    elif not _HEADED.search(section.heading) or what == RULES_FILE:
        added = [line for line in added if _is_rule(line) or (what == LESSONS and _TROUBLE.search(line))]
    ranked = sorted((line for line in added if not _PASSING.search(line)), key=lambda line: -_score(line))[:_LINES]
    return tuple(line for line in added if line in ranked)


def _is_rule(line: str) -> bool:
    return _COMMANDS.search(line) is not None


def _score(line: str) -> int:
    return 3 * bool(_STRONG.search(line)) + 2 * _is_rule(line) + bool(_TROUBLE.search(line)) + bool(_RUNS.search(line))


def _after(unit: _Unit, text: Written) -> _Unit | None:
    """What is left of the rules of an earlier edit once the file was written again."""
    if unit.text.path != text.path:
        return unit
    if text.is_whole:
        return None  # the file is read anew
    now, was = _known(text.new), _known(text.old)
    lines = tuple(line for line in unit.lines if normalise(line) not in was or normalise(line) in now)
    return unit._replace(lines=lines) if lines else None


def _draft(transcript: Transcript, unit: _Unit) -> Draft | None:
    message = unit.use.leaves.get(unit.text.pointer)
    if message is None:
        return None
    quotes: tuple[Quote, ...] = ()
    for line in unit.lines:
        in_patch = line.replace("\n", "\n+")
        quotes = only(quotes, within(transcript, message, cut(line)) or within(transcript, message, cut(in_patch)))
    if not quotes:
        return None
    asked = _asked(transcript, unit.use, unit.text.path)
    name = unit.text.path.replace("\\", "/").rpartition("/")[2]
    title = clip(_plain(unit.best))
    told = "\n".join(_plain(line) for line in unit.lines)
    return Draft(
        type="fact",
        kind=_kind(unit),
        title=title,
        text=f"{_plain(unit.section.heading)}: {told}" if unit.section.heading else told,
        quotes=only(quotes, asked),
        rule="written-rules-asked" if asked else "written-rules",
        retires=unit.retired,
        anchors=(name,),
        timestamp=unit.use.timestamp,
        provenance=transcript.messages[message].provenance,  # whoever asked for it, the agent wrote it
    )


def _kind(unit: _Unit) -> str:
    words = " ".join(unit.lines)
    is_rule = _is_rule(words)
    if is_rule and (_HEADED.search(unit.section.heading) or _STRONG.search(words) or not _TROUBLE.search(words)):
        return "convention"
    if _TROUBLE.search(f"{unit.section.heading} {words}"):
        return "gotcha"
    return "howto" if _RUNS.search(words) else "domain"


def _asked(transcript: Transcript, use: ToolCall, path: str) -> tuple[Quote, ...]:
    """What the person said when they asked for it to be written down; none when they did not."""
    name = path.replace("\\", "/").rpartition("/")[2].rpartition(".")[0].lower()
    first = min(use.leaves.values(), default=0)
    said = [n for n in range(first) if transcript.messages[n].role == "person"][-_ASKING:]
    for n in reversed(said):
        text = transcript.messages[n].text[:2_000]
        if _ASKED.search(text) or (len(name) > 3 and name in text.lower()):
            return within(transcript, n, head(text))
    return ()


def _plain(line: str) -> str:
    return " ".join(line.replace("**", "").split())
