"""Templates: what prompts that ask for the same have in common, with `$ARGUMENTS` where they differ.

Only what plainly stands for something is a slot: an address, the number of an issue, a commit, a file. Which of
them differ is known by comparing the prompts; what all of them say stays as it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from axiommind.text.patterns import lazy

__all__ = ["OrderTemplate", "masked", "template"]

_SLOT = lazy(
    r"(?P<url>https?://[^\s<>\"'`)\]]+)"
    r"|(?P<file>@?(?:[\w.-]+/)+[\w.-]*\w|@[\w./-]+\w)"
    r"|(?P<commit>\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b)"
    r"|(?P<number>#\d+|(?<![\w.])\d+(?:[.,]\d+)*(?![\w]))"
)
_DIGIT = lazy(r"\d")
_HALF = 0.5  # of the prompts have a value that stays


class OrderTemplate(NamedTuple):
    text: str
    slots: tuple[str, ...]  # what each stands for: url, file, commit, number


def masked(text: str) -> str:
    """A prompt as it is compared: with every slot left open."""
    if "/" not in text and "@" not in text and not _DIGIT.search(text):  # every slot has one of them
        return text
    return _SLOT.sub(lambda found: f"<{found.lastgroup}>", text)


def template(texts: Sequence[str]) -> OrderTemplate:
    """The words that most of the prompts share, with a slot for each value that differs between them."""
    forms = Counter(masked(" ".join(text.split())) for text in texts)
    form = min(forms, key=lambda one: (-forms[one], len(one), one))
    chosen = Counter(said for text in texts if masked(said := " ".join(text.split())) == form)
    said = min(chosen, key=lambda one: (-chosen[one], one))
    slots: list[str] = []
    parts: list[str] = []
    at = 0
    for found in _SLOT.finditer(said):
        if sum(found[0] in text for text in texts) < max(2, _HALF * len(texts)):
            parts += [said[at : found.start()], "\0"]
            slots.append(found.lastgroup or "")
            at = found.end()
    parts.append(said[at:])
    names = iter(["$ARGUMENTS"] if len(slots) == 1 else [f"${n}" for n in range(1, len(slots) + 1)])
    return OrderTemplate("".join(next(names) if part == "\0" else part for part in parts), tuple(slots))
