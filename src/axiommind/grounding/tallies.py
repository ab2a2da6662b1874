"""Counting: how much of what was given was used, by hook and kind, and what such a figure is worth.

A share of a few says little, so its bounds (Wilson's) stand beside it; and some of what was not given looks used as
well, so that share, of the controls, stands beside it too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from axiommind.grounding.chance import CHANCE_AT_MOST, FEW, bounds, chance
from axiommind.grounding.judge import JudgedItem

__all__ = ["Tally", "tally"]

_HARDLY = 0.1


class Tally(NamedTuple):
    """Figures of one hook, or of one kind of item that it gave. Tokens of an answer are shared by its items."""

    hook: str | None  # None: all hooks
    kind: str | None  # None: all kinds
    answers: int
    items: int
    judged: int
    used: int
    tokens: int
    controls: int = 0  # that were not given, and judged in the same way
    by_chance: int = 0  # of those, what looks used

    @property
    def share(self) -> float | None:
        """Of the items that can be judged, those that were used."""
        return round(self.used / self.judged, 4) if self.judged else None

    @property
    def bounds(self) -> tuple[float, float] | None:
        """Between what that share lies."""
        if not self.judged:
            return None
        low, high = bounds(self.used, self.judged)
        return round(low, 4), round(high, 4)

    @property
    def chance(self) -> float:
        """How much of it may look used without having been used: as much as of the controls, and no less than what was
        measured where nobody was given anything."""
        return round(max(chance(self.by_chance, self.controls), CHANCE_AT_MOST), 4)

    @property
    def says(self) -> str:
        """What the figures allow to say: used, hardly_used, or too_few."""
        low, high = bounds(self.used, self.judged)
        if self.judged >= FEW and low > self.chance:
            return "used"
        return "hardly_used" if self.judged >= FEW and high < _HARDLY else "too_few"

    @property
    def tokens_per_used(self) -> int | None:
        return round(self.tokens / self.used) if self.used else None


def tally(judged: Sequence[JudgedItem], controls: Sequence[JudgedItem] = ()) -> list[Tally]:
    """All of it; then each hook, and after it each of its kinds, the most frequent first."""
    sizes: dict[int, int] = {}
    for one in judged:
        sizes[one.answer.id] = sizes.get(one.answer.id, 0) + 1
    groups: dict[tuple[str | None, str | None], list[JudgedItem]] = {(None, None): []}
    beside: dict[tuple[str | None, str | None], list[JudgedItem]] = {}
    for ones, into in ((judged, groups), (controls, beside)):
        for one in ones:
            for key in ((None, None), (one.answer.hook, None), (one.answer.hook, one.item.kind)):
                into.setdefault(key, []).append(one)
    found = []
    for (hook, kind), members in groups.items():
        others = [one for one in beside.get((hook, kind), ()) if one.is_judged]
        found.append(
            Tally(
                hook,
                kind,
                len({one.answer.id for one in members}),
                len(members),
                sum(one.is_judged for one in members),
                sum(one.is_used for one in members if one.is_judged),
                round(sum(one.answer.tokens / sizes[one.answer.id] for one in members)),
                len(others),
                sum(one.use is not None for one in others),
            )
        )
    of_hook = {t.hook: t.items for t in found if t.kind is None}
    return sorted(
        found,
        key=lambda t: (
            t.hook is not None,
            -of_hook[t.hook],
            t.hook or "",
            t.kind is not None,
            -t.items,
            t.kind or "",
        ),
    )
