"""What prompts share: lists that fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")
MOST_LISTED = 15


def listed(title: str, items: Sequence[T], line: Callable[[T], str]) -> str:
    """A heading with the number of items, and a line for each of the first ones; nothing for no items."""
    if not items:
        return ""
    shown = [f"- {line(item)}" for item in items[:MOST_LISTED]]
    more = [f"- … {len(items) - len(shown):,} more"] if len(items) > len(shown) else []
    return "\n".join([f"## {title} ({len(items):,})", *shown, *more])


def one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 160 else line[:159] + "…"
