"""An installed genai-prices: it goes before the list that is shipped, and the list says what it says."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pytest

from axiommind.prices import package
from axiommind.prices.dollars import Pricing, price_table
from axiommind.prices.table import FAST, AnswerTokens, ModelPrices, PriceTable

USAGES = (
    AnswerTokens(100, 50),
    AnswerTokens(1_000, 500, 300, 40, 100),
    AnswerTokens(0, 7, 5_000, 90_000),
    AnswerTokens(150_000, 9_000, 60_000, 70_000, 60_000),
    AnswerTokens(300_000, 9, 0, 10),
    AnswerTokens(900_000, 64_000, 100_000, 0, 1),
)
DAYS = ("2025-03-01", "2026-03-12", "2026-03-13", "2026-09-01", "2026-10-13", "2026-11-18")
HOURS = (0, 2, 7, 12, 23)
# What we add to it (`_ONCE_FAST`).
ADDED = {("claude-opus-4-6", FAST), ("claude-opus-4-7", FAST)}


def names_in(clause: Any) -> Iterator[str]:
    """The names of a model that stand in its clauses as they are."""
    if isinstance(clause, list):
        for one in clause:
            yield from names_in(one)
    elif clause[0] in "=^*$" and len(clause) > 1:
        yield clause[1:]


def test_without_the_package_the_list_that_is_shipped_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "genai_prices", None)
    assert package.installed_version() is None
    assert price_table().source == PriceTable.shipped().source


def write_package(folder: Path, data: str) -> None:
    """A genai-prices of another version than any that there is."""
    (folder / "genai_prices").mkdir()
    (folder / "genai_prices" / "__init__.py").write_text("")
    (folder / "genai_prices" / "data.py").write_text(data)
    (folder / "genai_prices-99.1.dist-info").mkdir()
    (folder / "genai_prices-99.1.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: genai-prices\nVersion: 99.1\n"
    )


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.syspath_prepend(str(tmp_path))
    _unload()
    yield tmp_path
    _unload()


def _unload() -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "genai_prices"]:
        del sys.modules[name]


DATA = """
from decimal import Decimal
from types import SimpleNamespace as Part

def prices(at, context=None):
    return Part(input_mtok=Decimal("7"), output_mtok=Decimal("70"))

model = Part(id="gpt-99", match=Part(equals="gpt-99"), prices=Part(), price_variants=None, get_prices=prices)
providers = [Part(id="openai", model_match=None, models=[model])]
"""


def test_another_version_that_is_installed_goes_before_it(site: Path) -> None:
    write_package(site, DATA)
    pricing = Pricing()
    assert pricing.dollars("gpt-99", 1, 1_000_000, 0) == 7
    assert pricing.dollars("claude-opus-4-6", 1, 1_000_000, 0) is None
    assert "genai-prices 99.1" in pricing.notes[0]


def test_one_that_cannot_be_read_is_said_and_the_shipped_list_counts(site: Path) -> None:
    write_package(site, "providers = [{'id': 'openai'}]")
    pricing = Pricing()
    assert pricing.dollars("claude-opus-5-5", 1, 1_000_000, 0) == 4
    (note,) = pricing.notes
    assert note.startswith("prices of genai-prices 99.1 cannot be read") and PriceTable.shipped().source in note


def test_the_list_says_of_every_model_what_the_package_says() -> None:
    """Days, hours, bands, the cache for an hour and ways to be served: dollar for dollar."""
    genai = pytest.importorskip("genai_prices", reason="genai-prices is not installed: pip install 'axiommind[prices]'")
    table = PriceTable(package.table_of_installed(version("genai-prices")))
    compared = 0
    for provider in table.providers:
        for model in provider["models"]:
            name = next((n for n in names_in(model["match"]) if _is(table.find(n), provider, model)), None)
            if name is None:
                continue  # another model of the list has the same name, and comes first
            found = table.find(name)
            assert found is not None
            for day in DAYS:
                for hour in HOURS if provider["id"] == "deepseek" else HOURS[:1]:
                    when = datetime.fromisoformat(f"{day}T{hour:02}:15:00+00:00")
                    for tier in (None, *found.tiers):
                        rates = found.rates(int(when.timestamp() * 1000), tier)
                        if rates is None or (model["id"], tier) in ADDED:
                            continue
                        for usage in USAGES:
                            asked = _asked(genai, provider.get("prefix", "") + name, provider["id"], usage, when, tier)
                            assert float(asked) == pytest.approx(rates.cost(usage), abs=1e-9), (name, when, tier, usage)
                            compared += 1
    assert compared > 10_000


def _is(found: ModelPrices | None, provider: Any, model: Any) -> bool:
    return found is not None and (found.provider, found.model) == (provider["id"], model["id"])


def _asked(genai: Any, model: str, provider: str, usage: AnswerTokens, when: datetime, tier: str | None) -> Decimal:
    given = genai.Usage(
        input_tokens=usage.input + usage.cache_creation + usage.cache_read,
        cache_write_tokens=usage.cache_creation,
        cache_write_1h_tokens=usage.cache_1h,
        cache_read_tokens=usage.cache_read,
        output_tokens=usage.output,
    )
    context = None if tier is None else {"speed": tier, "service_tier": tier}
    price = genai.calc_price(
        given, model, provider_id=provider, genai_request_timestamp=when.astimezone(UTC), price_context=context
    )
    return Decimal(price.total_price)


def test_the_list_that_is_shipped_was_made_of_the_package() -> None:
    try:
        installed = version("genai-prices")
    except PackageNotFoundError:
        pytest.skip("genai-prices is not installed: pip install 'axiommind[prices]'")
    shipped = PriceTable.shipped()
    if shipped.source != f"genai-prices {installed}":
        pytest.skip(f"{shipped.source} is shipped, and {installed} installed: make prices")
    assert package.table_of_installed(installed)["providers"] == shipped.providers
