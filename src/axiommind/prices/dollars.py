"""Dollars in SQL: the functions `dollars` and `sum_dollars` on a connection, and what has to be said about them.

    dollars(model, timestamp, input_tokens, output_tokens,
            cache_creation_tokens, cache_read_tokens, cache_1h_tokens, service_tier)

What is left out at the end counts as none. The price list is loaded when the first answer is priced. A model that it
does not know has no price, which is null and is said, never 0.
"""

from __future__ import annotations

import sqlite3
from functools import cached_property
from typing import Any, NamedTuple

from axiommind.prices.table import FAST, AnswerTokens, PriceTable

__all__ = ["OFF", "Pricing", "price_table"]

OFF = "dollars are turned off (usage.dollars), so there are none"
_FREE = "<synthetic>"  # what the client wrote itself
_MOST_NAMED, _LONGEST_NAME = 8, 60
_PLACES = 6


class _Loaded(NamedTuple):
    table: PriceTable
    notes: tuple[str, ...] = ()


def price_table() -> PriceTable:
    """The price list that counts: that of an installed `genai-prices` where its version is not the shipped one."""
    return _load().table


def _load() -> _Loaded:
    from axiommind.prices.package import PACKAGE, installed_version, table_of_installed

    shipped = PriceTable.shipped()
    version = installed_version()
    if version is None or shipped.source == f"{PACKAGE} {version}":
        return _Loaded(shipped)
    try:
        return _Loaded(PriceTable(table_of_installed(version)))
    except Exception as error:  # noqa: BLE001 - another's package, in a version that nobody has tried
        why = f"{type(error).__name__}: {str(error)[:100]}"
        note = f"prices of {PACKAGE} {version} cannot be read ({why}): those of {shipped.source} are used"
        return _Loaded(shipped, (note,))


class Pricing:
    """Prices answers on one connection, and remembers what had no price."""

    def __init__(self, is_on: bool = True) -> None:
        self.is_on = is_on
        self.unpriced: set[str] = set()
        self._is_asked = False

    @cached_property
    def _prices(self) -> _Loaded:
        return _load()

    @property
    def notes(self) -> tuple[str, ...]:
        """What has to be said beside the figures."""
        if not self._is_asked:
            return ()
        if not self.is_on:
            return (OFF,)
        if not self.unpriced:
            return self._prices.notes
        names = [name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}…" for name in sorted(self.unpriced)]
        more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
        return (
            *self._prices.notes,
            f"no price is known of {', '.join(names[:_MOST_NAMED])}{more}: what needs one has no dollars "
            f"(prices: {self._prices.table.source}, {self._prices.table.made})",
        )

    def register(self, db: sqlite3.Connection) -> None:
        """From now on this connection answers `dollars` and `sum_dollars`."""
        price = self.dollars

        class SumDollars:
            """What several answers cost; null where that is not known of one of them, there are none, or none says
            what it used: some agents count no tokens."""

            def __init__(self) -> None:
                self.total: float | None = None
                self.is_known = True

            def step(self, *given: Any) -> None:
                cost = price(*given)
                if cost is None:
                    self.is_known = False
                elif _says_what_it_used(*given):
                    self.total = cost + (self.total or 0.0)

            def finalize(self) -> float | None:
                return round(self.total, _PLACES) if self.is_known and self.total is not None else None

        db.create_function("dollars", -1, self.dollars, deterministic=True)
        db.create_aggregate("sum_dollars", -1, SumDollars)  # type: ignore[arg-type]  # a float, or null

    def dollars(
        self,
        model: Any = None,
        timestamp: Any = None,
        given: Any = 0,
        output: Any = 0,
        creation: Any = 0,
        read: Any = 0,
        for_an_hour: Any = 0,
        tier: Any = None,
    ) -> float | None:
        """What one answer cost; None where that is not known. Values that are no counts count as none."""
        usage = AnswerTokens(_count(given), _count(output), _count(creation), _count(read), _count(for_an_hour))
        if not self.is_on:
            self._is_asked = True
            return None
        if model == _FREE or not any(usage):
            return 0.0
        self._is_asked = True
        name = model if isinstance(model, str) else "(no model)"
        found = self._prices.table.find(name)
        tier = tier if isinstance(tier, str) else None
        rates = None if found is None else found.rates(timestamp if isinstance(timestamp, int) else None, tier)
        if rates is None:
            self.unpriced.add(f"{name} (fast)" if found is not None and tier == FAST else name)
            return None
        return rates.cost(usage)


def _says_what_it_used(model: Any = None, timestamp: Any = None, *tokens: Any) -> bool:  # noqa: ARG001
    return model == _FREE or any(_count(value) for value in tokens)


def _count(value: Any) -> int:
    return value if type(value) is int and value > 0 else 0
