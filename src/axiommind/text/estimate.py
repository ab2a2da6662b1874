"""Token counts: an estimate that needs no tokeniser and is the same everywhere."""

from __future__ import annotations

__all__ = ["CHARS_PER_TOKEN", "estimate_tokens"]

CHARS_PER_TOKEN = 4


def estimate_tokens(text: str) -> int:
    """A token for every four characters, a started one counted whole."""
    return -(-len(text) // CHARS_PER_TOKEN)
