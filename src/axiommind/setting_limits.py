"""The numbers that a setting may be. What is outside cannot be meant, and is refused wherever it is set."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["HOOK_SECONDS", "Limits", "limits_of"]

HOOK_SECONDS = "AXM_HOOK_SECONDS"  # the deadline of every hook; a variable only, no setting


class Limits(NamedTuple):
    least: float
    most: float = float("inf")

    def hold(self, value: float) -> bool:
        return self.least <= value <= self.most

    def __str__(self) -> str:
        return f"at least {self.least:,g}" if self.most == float("inf") else f"{self.least:,g} to {self.most:,g}"


_SECONDS = Limits(0.001)
_CHANCE = Limits(0, 1)
_AMOUNT = Limits(0)
_SOME = Limits(1)
_LIMITS = {
    "index.workers": Limits(-1),
    "sync.minutes": _AMOUNT,
    "query.seconds": _SECONDS,
    "query.rows": _SOME,
    "extract.seconds": _SECONDS,
    "extract.chars": _SOME,
    "learn.seconds": _AMOUNT,
    "embed.seconds": _SECONDS,
    "embed.background": Limits(0, 2),
    "progressiveDisclosure.layer1.topK": Limits(1, 100),
    "progressiveDisclosure.layer1.minScore": _CHANCE,
    "progressiveDisclosure.autoExpand.highConfidenceThreshold": _CHANCE,
    "progressiveDisclosure.autoExpand.scoreGapThreshold": _CHANCE,
    "progressiveDisclosure.autoExpand.maxAutoExpandCount": _AMOUNT,
    "progressiveDisclosure.tokenBudget.maxTotalTokens": _SOME,
    "progressiveDisclosure.tokenBudget.layer1PerItem": _AMOUNT,
    "progressiveDisclosure.tokenBudget.layer2PerItem": _AMOUNT,
    "progressiveDisclosure.tokenBudget.layer3PerItem": _SOME,
    "progressiveDisclosure.cache.layer1Ttl": _AMOUNT,
    "progressiveDisclosure.cache.layer2Ttl": _AMOUNT,
    "progressiveDisclosure.cache.layer3Ttl": _AMOUNT,
    "retrieval.maxTokens": _AMOUNT,
    "retrieval.promptChance": _AMOUNT,
    "retrieval.otherProjects": _AMOUNT,
    "hooks.start_tokens": _AMOUNT,
    "hooks.tool_tokens": _AMOUNT,
}


def limits_of(name: str) -> Limits | None:
    """Of the setting or variable of this name; None where it is no number, or may be any."""
    return _SECONDS if name == HOOK_SECONDS or name.startswith("hooks.seconds.") else _LIMITS.get(name)
