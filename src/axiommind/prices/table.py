"""A price list: which model a name means, what its tokens cost on a day, and what an answer cost.

The list is data (JSON): providers in the order in which they are asked, each with the names it answers for and its
models. Prices are dollars for a million tokens. A price with bands applies to the whole request by the size of its
input, as providers bill it.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["FAST", "TIERS", "AnswerTokens", "ModelPrices", "PriceTable", "Rates"]

FAST = "fast"
TIERS = (FAST, "priority", "flex")  # ways to be served that have prices of their own
_SHIPPED = Path(__file__).with_name("prices.json")
_MILLION = 1_000_000
_LONGEST_NAME = 200
_COMPACT_DATE = re.compile(r"-(20\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?=[-:]|$)")

Price = float | list[float]  # one, or bands: [price, from more than, price, from more than, price …]


class AnswerTokens(NamedTuple):
    """The tokens of one answer. `cache_1h` is a part of `cache_creation`; `output` includes reasoning."""

    input: int = 0  # without what the cache had a part in
    output: int = 0
    cache_creation: int = 0
    cache_read: int = 0
    cache_1h: int = 0


class Rates(NamedTuple):
    """What a million tokens cost, at one time."""

    input: Price
    output: Price
    cache_read: Price
    cache_creation: Price
    cache_1h: Price

    @classmethod
    def read(cls, given: list[Price]) -> Rates:
        """As they are written: what is left out at the end costs as much as what it is a kind of."""
        standard, output, *cached = given
        read = cached[0] if cached else standard
        creation = cached[1] if len(cached) > 1 else standard
        return cls(standard, output, read, creation, cached[2] if len(cached) > 2 else creation)

    def cost(self, usage: AnswerTokens) -> float:
        """What one answer cost, in dollars."""
        given, output, creation, read, for_an_hour = usage
        if for_an_hour > creation:
            for_an_hour = creation
        prices: tuple[Any, ...] = self
        if list in map(type, self):
            size = given + read + creation
            prices = tuple(_at(price, size) for price in self)
        return (
            float(
                given * prices[0]
                + output * prices[1]
                + read * prices[2]
                + (creation - for_an_hour) * prices[3]
                + for_an_hour * prices[4]
            )
            / _MILLION
        )


def _at(price: Price, size: int) -> float:
    if not isinstance(price, list):
        return price
    found = price[0]
    for start, banded in zip(price[1::2], price[2::2], strict=True):
        if size > start:
            found = banded
    return found


class _Dated(NamedTuple):
    """Rates by the day from which they apply (its first millisecond), and within a day by the minute, all UTC."""

    days: list[int]
    minutes: list[tuple[list[int], list[Rates]]]

    @classmethod
    def read(cls, given: list[Any]) -> _Dated:
        if not isinstance(given[0], str):
            given = ["", given]
        return cls([_first_millisecond(day) for day in given[0::2]], [_by_minute(rates) for rates in given[1::2]])

    def at(self, milliseconds: int | None) -> Rates:
        """The rates at a time; without one, those of the newest list at midnight."""
        if milliseconds is None:
            return self.minutes[-1][1][0]
        starts, rates = self.minutes[max(bisect_right(self.days, milliseconds) - 1, 0)]
        return rates[0] if len(rates) == 1 else rates[bisect_right(starts, milliseconds // 60_000 % 1_440) - 1]


def _first_millisecond(day: str) -> int:
    return int(datetime.fromisoformat(f"{day}T00:00:00+00:00").timestamp()) * 1000 if day else 0


def _by_minute(given: list[Any]) -> tuple[list[int], list[Rates]]:
    if not isinstance(given[0], dict):
        return [0], [Rates.read(given)]
    return [one["minute"] for one in given], [Rates.read(one["rates"]) for one in given]


class ModelPrices(NamedTuple):
    """What a model costs: at the standard tier, and at those that have prices of their own."""

    model: str
    provider: str
    standard: _Dated
    tiers: Mapping[str, _Dated]

    def rates(self, milliseconds: int | None, tier: str | None) -> Rates | None:
        """None where it was served fast and nobody says what that costs. Other tiers without a price of their own
        cost what the standard one does."""
        if tier == FAST and FAST not in self.tiers:
            return None
        return self.tiers.get(tier or "", self.standard).at(milliseconds)


class PriceTable:
    """Finds the prices of a model by the name that an agent wrote down."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self.source: str = given["source"]
        self.made: str = given["made"]
        self.providers: list[Mapping[str, Any]] = given["providers"]
        self._found: dict[str, ModelPrices | None] = {}

    @classmethod
    def shipped(cls) -> PriceTable:
        """The one that comes with the program."""
        return cls(json.loads(_SHIPPED.read_text(encoding="utf-8")))

    @cached_property
    def models(self) -> list[tuple[str, str]]:
        """Every model, as (provider, model)."""
        return [(one["id"], model["id"]) for one in self.providers for model in one["models"]]

    def find(self, name: str) -> ModelPrices | None:
        """The model that is meant; None where the list does not have it."""
        if name not in self._found:
            self._found[name] = next(self._look(name), None)
        return self._found[name]

    def _look(self, name: str) -> Iterator[ModelPrices]:
        for candidate in _names(name):
            for provider in self.providers:
                if not matches(provider["match"], candidate):
                    continue
                for model in provider["models"]:
                    if matches(model["match"], candidate):
                        yield _prices(provider["id"], model)


def _prices(provider: str, model: Mapping[str, Any]) -> ModelPrices:
    tiers = {tier: model[tier] for tier in TIERS if tier in model}
    named = {tier: model[given] if isinstance(given, str) else given for tier, given in tiers.items()}
    read = {tier: _Dated.read(given) for tier, given in named.items()}
    return ModelPrices(model["id"], provider, _Dated.read(model["prices"]), read)


def _names(name: str) -> Iterator[str]:
    """How a price list may call it: as it is, with a date in dashes, without the provider that it came through
    (`openrouter/anthropic/claude-…`) or a mark behind it (`…[1m]`)."""
    if len(name) > _LONGEST_NAME:
        return
    name = name.strip().lower()
    bare = name.rpartition("/")[2].partition("[")[0]
    for one in (name, bare):
        yield one
        yield _COMPACT_DATE.sub(r"-\1-\2-\3", one)


def matches(clause: str | list[Any], name: str) -> bool:
    """Whether a name is meant: `=` equal, `^` begins, `$` ends, `*` holds, `~` a pattern; a list is any of its
    clauses, or all of them where it begins with `&`."""
    if isinstance(clause, list):
        if clause[0] == "&":
            return all(matches(one, name) for one in clause[1:])
        return any(matches(one, name) for one in clause)
    kind, text = clause[0], clause[1:]
    if kind == "=":
        return name == text
    if kind == "^":
        return name.startswith(text)
    if kind == "$":
        return name.endswith(text)
    return text in name if kind == "*" else re.search(text, name) is not None
