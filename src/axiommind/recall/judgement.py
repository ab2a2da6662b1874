"""Judgement: whether an agent is told anything for a prompt.

Something is always found; what tells whether it helps is how much of the prompt a distilled entry holds, how much of a
piece that would be given the prompt asks for, and what the prompt is: about something that fails, a correction of what
was just done, or a plan that says everything itself. Weights and offset are what bench/judge.py fitted on prompts that
people labelled; docs/benchmarks.md has what they give on projects that they were not fitted on.
"""

from __future__ import annotations

import re
from math import exp, log
from typing import TYPE_CHECKING, NamedTuple

from axiommind.recall.question import asks
from axiommind.text.patterns import lazy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from axiommind.recall.outcomes import PieceOutcome
    from axiommind.search.evidence import Evidence

__all__ = ["OFFSET", "WEIGHTS", "MomentSigns", "chance", "likelihood", "signs_of"]

# A thing that does not work: what was found out about it before is what helps most.
_FAILS = lazy(
    r"\b(?:fail\w*|errors?|broken|bugs?|crash\w*|wrong|problems?|flak\w*|slow(?:er)?|doesn'?t|isn'?t|not work\w*)\b"
    r"|에러|오류|실패|안 ?돼|안 ?되|이슈|문제|깨졌|깨져|느려|느리|걸려"
    r"|エラー|失敗|バグ|動かない|おかしい|遅い|壊れ|错误|失败|问题|报错|不行|不工作|太慢|坏了",
    re.IGNORECASE,
)
_PLAN = lazy(r"\s*(?:please )?implement (?:the following|this) plan\b", re.IGNORECASE)
# What a word counts that was never heard, in scripts where it may only have another ending or neighbour.
_UNHEARD = 0.4


class MomentSigns(NamedTuple):
    """What speaks for telling something."""

    entry: float  # what the entry is worth, as a logarithm, that holds most of the prompt
    dense: float  # of the piece that the prompt asks for most, the share that it asks for
    meant: float  # the chance that the session is meant which stands out most (`search.relevance`)
    agrees: float  # the best piece is of the session that is meant most
    unknown: float  # share of the prompt's words that the project has never heard
    fails: float  # the prompt is about something that does not work
    corrects: float  # it says that what was just done is wrong
    plan: float  # it is a plan


MEANT = 0.7  # the chance that a session is meant from which a question is taken to be about it
WEIGHTS = MomentSigns(
    entry=0.81, dense=1.74, meant=1.1, agrees=0.7, unknown=-4.62, fails=0.9, corrects=-2.53, plan=-0.7,
)  # fmt: skip
OFFSET = -3.12


def chance(signs: MomentSigns) -> float:
    at = OFFSET + sum(weight * sign for weight, sign in zip(WEIGHTS, signs, strict=True))
    return 1.0 / (1.0 + exp(-max(min(at, 30.0), -30.0)))


def likelihood(question: str, found: Evidence, outcomes: Sequence[PieceOutcome]) -> float:
    """How likely it is that something of this helps. A plain question is as well asked as the session stands out that
    is meant: that was measured on thousands of questions, and prompts that ask for work say nothing about them."""
    signs = signs_of(question, found, outcomes)
    likely = chance(signs)
    if not signs.corrects and found.judged and found.judged[0].chance >= MEANT and asks(question):
        likely = max(likely, found.judged[0].chance)
    return likely


def signs_of(question: str, found: Evidence, outcomes: Sequence[PieceOutcome]) -> MomentSigns:
    from axiommind.recall.outcomes import PromptWords
    from axiommind.text.requests.prompt_kinds import kind_of

    plan = _PLAN.match(question) is not None
    words = PromptWords(found)
    unknown = sum(1.0 if clause.terms[0].isascii() else _UNHEARD for clause in found.asked.unknown)
    entries = (words.gave(one) for one in found.scored if one.passage.kind == "insight")
    return MomentSigns(
        entry=log(1 + max(entries, default=0.0)),
        dense=max((one.signs.dense for one in outcomes), default=0.0),
        meant=found.judged[0].chance if found.judged else 0.0,
        agrees=outcomes[0].signs.first if outcomes else 0.0,
        unknown=unknown / max(unknown + len(found.asked.weighed), 1),
        fails=float(not plan and _FAILS.search(question) is not None),
        corrects=float(not plan and any(kind_of(line) == "correction" for line in question.split("\n"))),
        plan=float(plan),
    )
