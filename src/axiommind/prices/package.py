"""A price list made of the package `genai-prices`: the one that is shipped (`.ci/prices.py`), and, where a user has
installed the package in another version, the one that goes before it.

What the package knows is asked of it (`get_prices` on every day and hour at which a price changes), so how it keeps its
prices does not matter here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, NamedTuple

from axiommind.prices.table import FAST, TIERS

__all__ = ["PACKAGE", "installed_version", "make_table", "table_of_installed"]

PACKAGE = "genai-prices"
_BEGINNING = date(2000, 1, 1)
_KEYS = ("input_mtok", "output_mtok", "cache_read_mtok", "cache_write_mtok", "cache_write_1h_mtok")
_CLAUSES = {"equals": "=", "starts_with": "^", "ends_with": "$", "contains": "*", "regex": "~"}


class _Wanted(NamedTuple):
    """A provider whose models agents use: the names that it answers for (those that the package says, unless given),
    which of its models, and what stands before their names there."""

    id: str
    match: str | list[str] | None = None
    models: Callable[[str], bool] = lambda _: True
    prefix: str = ""


def _of(*beginnings: str) -> Callable[[str], bool]:
    return lambda name: name.startswith(beginnings)


_OPENAI = ("gpt-", "chatgpt-", "codex-", "o1", "o3", "o4")
# In this order: the makers of models first. `zai` is where agents buy GLM; for names that it does not have, `zhipuai`
# is asked. Qwen has no price list of its own in the package, so OpenRouter's stands for it.
_WANTED = (
    _Wanted("anthropic"),
    _Wanted("openai", match=["^gpt-", "^chatgpt-", "^codex-", "~^o[134]"], models=_of(*_OPENAI)),
    _Wanted("google", models=_of("gemini")),
    _Wanted("cursor", models=_of("composer")),
    _Wanted("deepseek"),
    _Wanted("x-ai"),
    _Wanted("moonshotai"),
    _Wanted("zai", match="^glm-"),
    _Wanted("zhipuai"),
    _Wanted("minimax"),
    _Wanted("mistral", models=lambda name: "stral" in name),
    _Wanted("meta"),
    _Wanted(
        "openrouter", match="^qw", models=lambda name: name.startswith("qwen/") and ":" not in name, prefix="qwen/"
    ),
    _Wanted("aws", match="*anthropic.", models=lambda name: "anthropic" in name),
    _Wanted("github-copilot", match="^mai-", models=_of("mai-")),
)
# Makes of models that write no text: nobody's session is held with them.
_NO_TEXT = ("audio", "embedding", "image", "live", "moderation", "realtime", "robotics", "transcribe", "tts", "whisper")
# What the package does not have and the provider's own list had: until 2026-06-29 Opus 4.6 could be served fast, and so
# could 4.7, at six times the standard price (platform.claude.com/docs/en/build-with-claude/fast-mode, February to June
# 2026). Today the provider answers such requests at standard speed and says so in the answer.
_ONCE_FAST = {"claude-opus-4-6": 6, "claude-opus-4-7": 6}


def installed_version() -> str | None:
    """The version of the package on this machine, without importing it."""
    from importlib.util import find_spec

    if find_spec("genai_prices") is None:
        return None
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(PACKAGE)
    except PackageNotFoundError:
        return None


def table_of_installed(version: str) -> dict[str, Any]:
    """The installed package as a price list. It is imported here, which takes a third of a second."""
    from genai_prices.data import providers

    return make_table(providers, f"{PACKAGE} {version}", "installed")


def make_table(providers: Sequence[Any], source: str, made: str) -> dict[str, Any]:
    """The price list of the providers that agents use."""
    known = {provider.id: provider for provider in providers}
    found = [_provider(known[wanted.id], wanted) for wanted in _WANTED if wanted.id in known]
    return {"source": source, "made": made, "providers": [one for one in found if one["models"]]}


def _provider(provider: Any, wanted: _Wanted) -> dict[str, Any]:
    models = [_model(one, wanted.prefix) for one in provider.models if wanted.models(one.id) and _writes_text(one)]
    found = {
        "id": provider.id,
        "match": wanted.match or _clause(provider.model_match, ""),
        "models": [one for one in models if one is not None],
    }
    return {**found, "prefix": wanted.prefix} if wanted.prefix else found


def _writes_text(model: Any) -> bool:
    return not any(word in model.id.lower() for word in _NO_TEXT)


def _model(model: Any, prefix: str) -> dict[str, Any] | None:
    standard = _dated(model, {})
    if standard is None:
        return None
    found = {"id": model.id, "match": _clause(model.match, prefix), "prices": standard}
    for tier in TIERS:
        context = {"speed": tier, "service_tier": tier}
        served = _dated(model, context) if any(_applies(v, context) for v in model.price_variants or ()) else None
        if served is not None and (served != standard or tier == FAST):
            found[tier] = FAST if served == found.get(FAST) else served
    times = _ONCE_FAST.get(model.id)
    if times is not None and FAST not in found:
        found[FAST] = _times(standard, times)
    return found


def _applies(variant: Any, context: dict[str, str]) -> bool:
    return all(context.get(key) == value for key, value in variant.when.items())


def _dated(model: Any, context: dict[str, str]) -> list[Any] | None:
    """The rates by day and by minute of the day; None where it has no price for text."""
    found: list[Any] = []
    for day in _days(model):
        by_minute: list[dict[str, Any]] = []
        for minute in _minutes(model):
            at = datetime.combine(day, time(), UTC) + timedelta(minutes=minute)
            rates = _rates(model.get_prices(at, context or None))
            if rates is None:
                return None
            if not by_minute or by_minute[-1]["rates"] != rates:
                by_minute.append({"minute": minute, "rates": rates})
        of_day = by_minute if len(by_minute) > 1 else by_minute[0]["rates"]
        if not found or found[-1] != of_day:
            found += ["" if day == _BEGINNING else day.isoformat(), of_day]
    return found[1] if len(found) == 2 and not isinstance(found[1][0], dict) else found


def _constraints(model: Any) -> Iterator[Any]:
    conditional = model.prices if isinstance(model.prices, list) else []
    for one in (*conditional, *(model.price_variants or ())):
        if one.constraint is not None:
            yield one.constraint


def _days(model: Any) -> list[date]:
    starts = {one.start_date for one in _constraints(model) if hasattr(one, "start_date")}
    return [_BEGINNING, *sorted(starts)]


def _minutes(model: Any) -> list[int]:
    ends = {end for one in _constraints(model) if hasattr(one, "start_time") for end in (one.start_time, one.end_time)}
    return sorted({0, *(end.hour * 60 + end.minute for end in ends)})


def _rates(prices: Any) -> list[Any] | None:
    """Input, output, cache read, cache write, cache write for an hour. What is not priced by itself costs as much as
    what it is a kind of, and is left out at the end."""
    given, output, read, write, hour = (_price(getattr(prices, key, None)) for key in _KEYS)
    if given is None or output is None:
        return None
    read = given if read is None else read
    write = given if write is None else write
    hour = write if hour is None else hour
    if hour != write:
        return [given, output, read, write, hour]
    if write != given:
        return [given, output, read, write]
    return [given, output, read] if read != given else [given, output]


def _price(price: Any) -> Any:
    if price is None:
        return None
    if hasattr(price, "tiers"):
        return [_number(price.base), *(n for tier in price.tiers for n in (tier.start, _number(tier.price)))]
    return _number(price)


def _number(value: Any) -> int | float:
    return int(value) if value == int(value) else float(value)


def _times(given: Any, factor: int) -> Any:
    """Prices, dated or not, all so many times as high; where bands begin stays."""
    if isinstance(given[0], str):
        return [_times(one, factor) if isinstance(one, list) else one for one in given]
    return [_banded_times(one, factor) if isinstance(one, list) else one * factor for one in given]


def _banded_times(bands: list[Any], factor: int) -> list[Any]:
    return [price * factor if place % 2 == 0 else price for place, price in enumerate(bands)]


def _clause(clause: Any, prefix: str) -> Any:
    for kind, mark in _CLAUSES.items():
        text = getattr(clause, kind, None)
        if text is not None:
            return mark + (text if kind == "regex" else text.lower().removeprefix(prefix))
    every = getattr(clause, "and_", None)
    if every is not None:
        return ["&", *(_clause(one, prefix) for one in every)]
    found: list[Any] = []
    for one in clause.or_:
        part = _clause(one, prefix)
        if part not in found:  # names that differ in upper case are one name here
            found.append(part)
    return found[0] if len(found) == 1 else found
