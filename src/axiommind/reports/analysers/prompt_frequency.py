"""How often prompts were said: the same text without its case, its spacing and the endings that many share.

With decay a prompt weighs 0.5 ^ (age / half-life), and the list is ordered by that weight. Ages are measured from the
newest prompt, not from the clock, so the same data gives the same answer. A prompt without a time (0) is counted, but
has no age to weigh and no part in the period.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from axiommind.reports.analysers.activity import DAY_MS
from axiommind.reports.analysers.suffixes import mine, strip
from axiommind.reports.analysers.tuning import Tuning


class PromptText(NamedTuple):
    text: str
    at: int
    session: str
    ref: int = 0  # the row that it is, for whoever wants to know it again


@dataclass(frozen=True, slots=True)
class PromptCount:
    """`prompt` is the spelling that was used most often, the first of equals."""

    prompt: str
    count: int
    weighted_count: float
    last_at: int


class Frequencies(NamedTuple):
    """The most frequent first; `first_at` and `last_at` are 0 where no prompt says its time."""

    total: int
    first_at: int
    last_at: int
    said: list[PromptCount]


def normalise(text: str) -> str:
    """A text without its case and spacing."""
    return " ".join(text.casefold().split())


def recency(at: int, now: int, tuning: Tuning) -> float:
    """0.5 ^ (age / half-life)."""
    return float(0.5 ** (max(0, now - at) / (tuning.decay_half_life_days * DAY_MS)))


def in_order(prompts: Iterable[PromptText]) -> list[PromptText]:
    """By time; what was said at one time by session and text, so that the order of the rows does not matter."""
    return sorted(prompts, key=lambda p: (p.at, p.session, p.text))


def normalised(texts: Iterable[str]) -> dict[str, str]:
    """Each distinct text as it is compared: folded, without the endings that these texts share."""
    folded = {text: normalise(text) for text in texts}
    endings = mine(folded.values())
    return {text: strip(short, endings) for text, short in folded.items()}


def frequencies(prompts: Iterable[PromptText], decay: bool, tuning: Tuning) -> Frequencies:
    """Every distinct prompt and how often it was said: by weight with decay, else by count; then by text."""
    ordered = in_order(p for p in prompts if p.text.strip())
    texts = normalised(dict.fromkeys(p.text for p in ordered))
    groups: dict[str, list[PromptText]] = {}
    for prompt in ordered:
        groups.setdefault(texts[prompt.text], []).append(prompt)
    times = [p.at for p in ordered if p.at > 0]
    now = max(times, default=0)
    said = {text: _said(group, now if decay else None, tuning) for text, group in groups.items()}
    listed = sorted(said.items(), key=lambda s: (-s[1].weighted_count if decay else -s[1].count, -s[1].count, s[0]))
    return Frequencies(len(ordered), min(times, default=0), now, [found for _, found in listed])


def _said(group: Sequence[PromptText], now: int | None, tuning: Tuning) -> PromptCount:
    spelled = Counter(p.text for p in group).most_common(1)[0][0]  # the first of equals
    weight = float(len(group)) if now is None else sum(recency(p.at, now, tuning) for p in group if p.at > 0)
    return PromptCount(" ".join(spelled.split()), len(group), weight, group[-1].at)
