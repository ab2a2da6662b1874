"""What an answer costs: bands, days, hours, the cache for an hour, ways to be served, and names of models."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime

import pytest

from axiommind.prices.dollars import Pricing
from axiommind.prices.table import AnswerTokens, PriceTable

# Made up, and small: a provider with bands, one that changed its price, one that is cheaper at night.
TABLE = {
    "source": "a test",
    "made": "2026-01-01",
    "providers": [
        {
            "id": "banded",
            "match": "^big",
            "models": [
                {
                    "id": "big-1",
                    "match": ["=big-1", "~^big-1-\\d{8}$"],
                    "prices": [[3, 200_000, 6], [15, 200_000, 22.5]],
                },
                {"id": "big-2", "match": "^big-2", "prices": ["", [10, 50], "2026-03-13", [5, 25]]},
            ],
        },
        {
            "id": "plain",
            "match": ["^small", ["&", "*tiny", "$-pro"]],
            "models": [
                {
                    "id": "small",
                    "match": "^small",
                    "prices": [5, 25, 0.5, 6.25, 10],
                    "fast": [10, 50, 1, 12.5, 20],
                    "priority": "fast",
                },
                {
                    "id": "night",
                    "match": "*tiny",
                    "prices": ["", [{"minute": 0, "rates": [1, 1]}, {"minute": 90, "rates": [2, 2]}]],
                },
            ],
        },
    ],
}


def at(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


def cost(model: str, usage: AnswerTokens, when: str = "2026-04-01", tier: str | None = None) -> float | None:
    found = PriceTable(TABLE).find(model)
    assert found is not None
    rates = found.rates(at(when), tier)
    return None if rates is None else rates.cost(usage)


def test_over_a_limit_the_whole_request_costs_more() -> None:
    assert cost("big-1", AnswerTokens(input=200_000, output=1_000)) == pytest.approx(0.6 + 0.015)
    assert cost("big-1", AnswerTokens(input=200_001, output=1_000)) == pytest.approx(1.200006 + 0.0225)
    assert cost("big-1", AnswerTokens(input=1, cache_read=200_000)) == pytest.approx(200_001 * 6 / 1_000_000), (
        "all of the input"
    )
    assert cost("big-1", AnswerTokens(output=900_000)) == pytest.approx(13.5), "what was written has no part in it"


def test_a_price_is_that_of_the_day() -> None:
    million = AnswerTokens(input=1_000_000)
    assert cost("big-2", million, "2024-01-01") == 10
    assert cost("big-2", million, "2026-03-12T23:59:59") == 10
    assert cost("big-2", million, "2026-03-13T00:00:00") == 5
    found = PriceTable(TABLE).find("big-2")
    assert found is not None
    unknown = found.rates(None, None)
    assert unknown is not None and unknown.cost(million) == 5, "without a time, the newest price"


def test_a_price_can_be_that_of_the_hour() -> None:
    million = AnswerTokens(input=1_000_000)
    assert cost("tiny-pro", million, "2026-04-01T01:29:59") == 1
    assert cost("tiny-pro", million, "2026-04-01T01:30:00") == 2


def test_what_is_kept_for_an_hour_costs_more_than_what_is_kept_for_minutes() -> None:
    kept = AnswerTokens(cache_creation=1_000_000)
    assert cost("small", kept) == 6.25
    assert cost("small", kept._replace(cache_1h=400_000)) == pytest.approx(0.6 * 6.25 + 0.4 * 10)
    assert cost("small", kept._replace(cache_1h=9_000_000)) == 10, "more than there is, is all of it"
    assert cost("big-2", AnswerTokens(cache_creation=1_000_000, cache_read=1_000_000)) == 10, (
        "no price of its own: as input"
    )


def test_the_way_an_answer_was_served_has_a_price() -> None:
    million = AnswerTokens(input=1_000_000)
    assert cost("small", million, tier="fast") == 10
    assert cost("small", million, tier="priority") == 10
    assert cost("small", million, tier="flex") == 5, "no price of its own: the standard one"
    assert cost("big-2", million, tier="fast") is None, "fast costs more, and nobody says how much"


def test_a_model_is_found_by_the_names_that_agents_write() -> None:
    table = PriceTable(TABLE)

    def model(name: str) -> str | None:
        found = table.find(name)
        return None if found is None else found.model

    assert model("BIG-1") == model("big-1-20260401") == model("openrouter/maker/big-1") == model("big-1[1m]") == "big-1"
    assert model("tiny") is None and model("a-tiny-pro") == "night"
    assert model("big") is None and model("") is None and model("big-1" * 1_000) is None


@pytest.mark.parametrize(
    ("name", "model", "provider"),
    [
        ("claude-opus-4-6", "claude-opus-4-6", "anthropic"),
        ("claude-haiku-4-5-20251001", "claude-haiku-4-5", "anthropic"),
        ("claude-opus-5-5", "claude-opus-5-5", "anthropic"),
        ("anthropic/claude-sonnet-4.5", "claude-sonnet-4-5", "anthropic"),
        ("us.anthropic.claude-opus-4-6-v1:0", "regional.anthropic.claude-opus-4-6-v1:0", "aws"),
        ("gpt-5.5", "gpt-5.5", "openai"),
        ("gpt-6-sol", "gpt-6-sol", "openai"),
        ("gpt-5.3-codex", "gpt-5.3-codex", "openai"),
        ("codex-mini-latest", "codex-mini", "openai"),
        ("gemini-3.8-flash", "gemini-3.8-flash", "google"),
        ("qwen3-coder-plus", "qwen/qwen3-coder-plus", "openrouter"),
        ("qwen/qwen3-coder", "qwen/qwen3-coder", "openrouter"),
        ("glm-4.6", "GLM-4.6", "zai"),
        ("kimi-k2.5", "kimi-k2.5", "moonshotai"),
        ("grok-code-fast-1", "grok-code-fast-1", "x-ai"),
        ("deepseek-chat", "deepseek-chat", "deepseek"),
        ("composer-2.5", "composer-2.5", "cursor"),
    ],
)
def test_the_models_of_agents_are_in_the_list_that_is_shipped(name: str, model: str, provider: str) -> None:
    found = PriceTable.shipped().find(name)
    assert found is not None and (found.model, found.provider) == (model, provider)


def test_the_list_that_is_shipped_is_small() -> None:
    from importlib.resources import files

    assert len(files("axiommind.prices").joinpath("prices.json").read_bytes()) < 60_000


def test_the_fixtures_cost_what_they_cost_elsewhere() -> None:
    """14 transcripts of the real Claude Code, 46 answers when copies are left out, with claude-opus-4-6 for a model:
    ccusage 18.0.11 says $0.95151."""
    found = PriceTable.shipped().find("claude-opus-4-6")
    assert found is not None
    rates = found.rates(at("2026-11-15"), None)
    assert rates is not None
    answer = AnswerTokens(input=12, output=55, cache_creation=3_000, cache_read=1_000)
    assert sum(rates.cost(answer) for _ in range(46)) == pytest.approx(0.95151, abs=1e-9)


@pytest.mark.parametrize(
    ("what", "model", "usage", "tier", "dollars"),
    [
        # Where ccusage 18.0.11 says something else (0.69975, 0.4335 at $30 and $150, 0.04335 and 0).
        ("210,000 tokens of input", "claude-sonnet-4-5", AnswerTokens(210_000, 0, 0, 0), None, 1.26),
        ("fast, when it could be", "claude-opus-4-6", AnswerTokens(1_000, 500), "fast", 0.105),
        ("fast, today", "claude-opus-4-8", AnswerTokens(1_000, 500), "fast", 0.035),
        ("the cache for an hour", "claude-opus-4-6", AnswerTokens(0, 0, 1_000, 0, 1_000), None, 0.01),
        ("a newer model", "claude-opus-5-5", AnswerTokens(1_000, 500, 1_000, 1_000), None, 0.0192),
    ],
)
def test_where_the_price_list_decides(
    what: str, model: str, usage: AnswerTokens, tier: str | None, dollars: float
) -> None:
    found = PriceTable.shipped().find(model)
    assert found is not None
    rates = found.rates(at("2026-11-15"), tier)
    assert rates is not None and rates.cost(usage) == pytest.approx(dollars), what


def test_what_nobody_counted_is_unknown_and_not_free() -> None:
    """Some agents write down no tokens; of Droid's, one answer has those of the session."""
    with closing(sqlite3.connect(":memory:")) as db:
        Pricing().register(db)
        for answers, dollars in {
            "('claude-opus-5-5', 0)": None,
            "(null, 0), ('claude-opus-5-5', 0)": None,
            "('claude-opus-5-5', 0), ('claude-opus-5-5', 1000000)": 4.0,
            "('<synthetic>', 0)": 0.0,
        }.items():
            asked = f"with said(model, used) as (values {answers}) select sum_dollars(model, 0, used) from said"
            assert db.execute(asked).fetchone() == (dollars,), answers


def test_dollars_of_hostile_values_are_dollars_or_nothing() -> None:
    pricing = Pricing()
    assert pricing.dollars("<synthetic>", 1, 1_000_000) == 0
    assert pricing.dollars("claude-opus-4-6", 1) == 0 and pricing.notes == ()
    assert pricing.dollars("claude-opus-4-6", None, "x", -5, 2.5, b"7", None) == 0
    assert pricing.dollars("claude-opus-4-6", "yesterday", 1_000_000, 0, 0, 0, 0, 7) == 5
    assert pricing.dollars("claude-opus-4-6", -(1 << 62), 1_000_000) == 10, "long before long requests became cheaper"
    assert pricing.dollars("claude-opus-4-6", 1 << 62, 1_000_000) == 5
    assert pricing.notes == ()
    assert pricing.dollars(None, 1, 1) is None and pricing.dollars("x" * 10_000, 1, 1) is None
    assert pricing.dollars("gemini-3.8-flash", 1, 1, 0, 0, 0, 0, "fast") is None
    (note,) = pricing.notes
    assert "(no model)" in note and "gemini-3.8-flash (fast)" in note and len(note) < 500
