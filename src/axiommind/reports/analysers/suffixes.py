"""Endings that many prompts share (`…해줘`, `… please`) and that say nothing about what is asked.

They are mined from the prompts themselves, each distinct prompt once, so that a prompt said often is not
taken for its own ending. An ending cuts no Latin word (`test` is no ending of `latest`) and takes no
content word away whole (`the tests` is not an ending, however many prompts end so).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from math import ceil

from axiommind.text.keywords import keywords

SHORTEST = 2
LONGEST = 10
LEAST_SUPPORT = 3
SUPPORT_SHARE = 0.02
FEW_PROMPTS = 30
FALLBACK = ("해주세요", "하세요", "해줘", "해", "줘")


def mine(prompts: Iterable[str]) -> frozenset[str]:
    """The endings shared by enough distinct prompts; a longer one takes its prompts from the shorter ones."""
    left = sorted(set(prompts))
    support = max(LEAST_SUPPORT, ceil(SUPPORT_SHARE * len(left)))
    found = set(FALLBACK) if len(left) < FEW_PROMPTS else set()
    for length in range(LONGEST, SHORTEST - 1, -1):
        endings = Counter(p[-length:] for p in left if _begins_well(p, length))
        shared = {ending for ending, n in endings.items() if n >= support and _says_nothing(ending)}
        if shared:
            found |= shared
            left = [p for p in left if not (_begins_well(p, length) and p[-length:] in shared)]
    return frozenset(found)


def strip(prompt: str, endings: Collection[str]) -> str:
    """The prompt without the longest ending it has; something always remains."""
    for length in range(min(LONGEST, len(prompt) - 1), 0, -1):
        if prompt[-length:] in endings and _may_cut(prompt, length):
            return prompt[:-length].rstrip()
    return prompt


def _may_cut(prompt: str, length: int) -> bool:
    if not prompt[:-length].strip():
        return False
    before, after = prompt[-length - 1], prompt[-length]
    return not (before.isascii() and before.isalnum() and after.isascii() and after.isalnum())


def _begins_well(prompt: str, length: int) -> bool:
    """Whether an ending of this length begins inside a word, or with the space before one."""
    return _may_cut(prompt, length) and (prompt[-length].isspace() or not prompt[-length - 1].isspace())


def _says_nothing(ending: str) -> bool:
    whole_words = ending if ending[0].isspace() else ending.partition(" ")[2]
    return not keywords(whole_words)
