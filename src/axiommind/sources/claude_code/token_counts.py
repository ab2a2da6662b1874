"""What an answer of Claude Code cost."""

from __future__ import annotations

from typing import Any, NamedTuple

from axiommind.sources.values import whole_number

__all__ = ["TokenCounts", "token_counts"]

_TIERS = ("fast", "priority", "flex", "batch")


class TokenCounts(NamedTuple):
    """What an answer cost, by the names that a `Response` has for it."""

    input_tokens: int
    output_tokens: int
    cache_creation_tokens: int
    cache_read_tokens: int
    cache_1h_tokens: int
    service_tier: str | None


def token_counts(usage: dict[str, Any]) -> TokenCounts:
    """What an answer cost: input, output, what of the input was written to and read from the cache, and how it was
    served."""
    created = whole_number(usage.get("cache_creation_input_tokens")) or 0
    nested = usage.get("cache_creation")
    if not created and isinstance(nested, dict):
        created = sum(whole_number(v) or 0 for v in nested.values())
    for_an_hour = whole_number(nested.get("ephemeral_1h_input_tokens")) if isinstance(nested, dict) else None
    return TokenCounts(
        whole_number(usage.get("input_tokens")) or 0,
        whole_number(usage.get("output_tokens")) or 0,
        created,
        whole_number(usage.get("cache_read_input_tokens")) or 0,
        min(for_an_hour or 0, created),
        next((tier for tier in map(usage.get, ("speed", "service_tier")) if tier in _TIERS), None),
    )
