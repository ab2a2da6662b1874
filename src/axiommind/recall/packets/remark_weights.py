"""How much a unit of what an agent said says about an edit: what it states, and how it is tied to what is edited.

Most of what is said about a file is that it was changed, and the file has that by now: without a reason, a constraint
or a fault there is nothing to tell. The weights are few and round; docs/recall.md says how they were judged.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from axiommind.recall.packets.file_identity import FileMeant, is_distinctive, names_file
from axiommind.recall.packets.line_authors import symbols_in
from axiommind.recall.packets.remark_units import SaidUnit, names_another, stating, width_of
from axiommind.text.patterns import lazy

__all__ = ["NEAR", "SAYS", "WEIGHTS", "Edited", "features_of", "weight_of", "words_of_lines"]

WEIGHTS = {
    # what it states
    "severity": 1.2,
    "root": 1.2,
    "constraint": 0.8,
    "cause": 0.7,
    "purpose": 0.7,
    "contrast": 0.6,
    "fails": 0.5,
    # how it is tied to the edit
    "symbol": 0.8,
    "file": 0.6,
    "words": 0.5,
    "before": 0.4,
    "closing": 0.2,
    "elsewhere": -0.8,
    # what it is
    "now": -0.2,
    "local": -0.3,
    "trivial": -0.4,
    "change": -0.5,
    "points_back": -0.5,
    "tests": -0.8,
    "short": -0.8,
    "leads_on": -0.8,
    "hedge": -1.2,
    "plan": -1.2,
}
NEAR = frozenset({"symbol", "file", "words", "before"})
SAYS = frozenset({"severity", "root", "constraint", "cause", "purpose", "contrast", "fails"})
_REASONS = frozenset({"severity", "root", "cause", "purpose"})  # what a report of a change needs to be told
_ASKED = frozenset({*WEIGHTS, "moment"})
_SHORT = 24
_SHARED_WORDS = 3  # that a unit shares with the lines, to be about them
_PURPOSE = lazy(
    r"\bensur(?:e|es|ing)\b|\bso (?:that|the|it|we|they|as)\b|\bto (?:avoid|prevent|keep|force|make sure|match"
    r"|guarantee)\b|\bprevents?\b|\bavoids?\b|\botherwise,? (?:the|it|we|this|they|you|a)\b"
    r"|위해|위한|도록|방지|막(?:기|습니다|음)|일치|유지"
    r"|ように|ために|防(?:ぐ|止)|避け|揃え|合わせ|一致|維持"
    r"|以便|以免|为了|防止|避免|确保|保持",
    re.IGNORECASE,
)
# How reviews grade what they find.
_SEVERITY = lazy(
    r"(?:[|·\[(]|^)\s*(?:critical|blocker|severe|high|major|medium|minor|p[0-3])\b|심각|치명|중대|미흡|重大|致命|未対応|严重",
    re.IGNORECASE,
)
_TESTS = lazy(
    r"\b\d+ (?:\w+ ){0,2}(?:tests?|cases?)\b"
    r"|테스트 ?\d+ ?(?:개|건)|\d+ ?(?:개|건)의? ?테스트|テスト ?\d+ ?件|\d+ ?件のテスト|\d+ ?个测试"
)
# How a summary lists what was done in which file.
_REPORT = lazy(r"\W*[\w@./-]+\.\w{1,6}(?::[\d~-]+)?[`)*]* ?(?:\([^)]{1,20}\))? ?[-–—:：·] ")
_NOW = lazy(r"^now,? (?=when|if|that|the|it|this|both|all|each|every)", re.IGNORECASE)
_UNDERWAY = lazy(
    r"\blet(?:'s| me)\b|\bi(?:'ll| will| need to| should| have to| also need)\b"
    r"|겠습니다|할게요|볼게요|ましょう|みます|させてください|让我|我来|我将|我需要",
    re.IGNORECASE,
)
_CODE = lazy(r"`([^`\n]{2,80})`")


class Edited(NamedTuple):
    """What a remark may share with an edit."""

    file: FileMeant
    by_name: bool  # whether its name alone means it
    code: str
    symbols: frozenset[str]
    words: frozenset[str]


def weight_of(found: frozenset[str]) -> float:
    return round(sum(WEIGHTS.get(name, 0.0) for name in sorted(found)), 6)


def features_of(unit: SaidUnit, place: str, edited: Edited) -> frozenset[str]:
    """What is true of a unit that is tied to what is edited; of another nothing. The sentence that states most counts;
    `underway` is one in which work goes on: it may be about to be found wrong."""
    tied = _tied(unit, place, edited)
    each = [_stated(sentence) for sentence in stating(unit).sentences] if tied & NEAR else []
    if not each:
        return frozenset()
    found = max(each, key=weight_of) | tied
    is_report = "change" in found or _REPORT.match(unit.text) is not None
    shown = {
        "severity": any(_SEVERITY.search(text) for text in (unit.lead, unit.text)),
        "underway": any("hedge" in one for one in each) or _UNDERWAY.search(unit.text) is not None,
        "moment": any("moment" in one for one in each) and "root" not in found,
        "points_back": "points_back" in each[0],
    }
    found = (found - {"points_back", "moment"}).union(name for name, is_so in shown.items() if is_so)
    return found - SAYS if is_report and not found & _REASONS else found


def _stated(sentence: str) -> frozenset[str]:
    """What a sentence states and what it is."""
    from axiommind.text.agent_cues import AGAINST, FOR, POINTS_BACK

    sentence = _NOW.sub("", _CODE.sub("`…`", sentence))  # what code says is not what the sentence says
    found = {name for cues in (FOR, AGAINST) for name, cue in cues.items() if name in _ASKED and cue.search(sentence)}
    shown = {
        "purpose": bool(_PURPOSE.search(sentence)),
        "tests": bool(_TESTS.search(sentence)),
        "points_back": bool(POINTS_BACK.match(sentence)),
        "short": width_of(sentence) < _SHORT,
    }
    return frozenset(found.union(name for name, is_so in shown.items() if is_so))


def _tied(unit: SaidUnit, place: str, edited: Edited) -> frozenset[str]:
    """How a unit is tied to what is edited."""
    text = f"{unit.lead} {unit.text}"
    shown = {
        "file": _is_named(text, edited),
        "elsewhere": names_another(unit.text, edited.file.own),
        "symbol": _shares_code(text, edited),
        "words": bool(edited.words) and len(edited.words & words_of_lines(unit.text)) >= _SHARED_WORDS,
        "before": place == "before",
        "closing": place == "closing",
    }
    return frozenset(name for name, is_so in shown.items() if is_so)


def _is_named(text: str, edited: Edited) -> bool:
    own, stem = edited.file.own, edited.file.stem
    return names_file(text, own, by_name=edited.by_name) or (is_distinctive(stem) and stem in symbols_in(text))


def _shares_code(text: str, edited: Edited) -> bool:
    if edited.symbols & symbols_in(text):
        return True
    return any(code in edited.code for code in _CODE.findall(text) if not code.isalnum())


def words_of_lines(text: str) -> frozenset[str]:
    from axiommind.extraction.likeness import words_in

    return frozenset(word for word in words_in(text) if len(word) > 4 or not word.isascii())
