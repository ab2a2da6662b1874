"""What answers cost, as SQL of a perspective: where the connection can say it, and null where it cannot."""

from __future__ import annotations

import sqlite3

__all__ = ["sum_dollars"]

_COLUMNS = (
    "model",
    "timestamp",
    "input_tokens",
    "output_tokens",
    "cache_creation_tokens",
    "cache_read_tokens",
    "cache_1h_tokens",
    "service_tier",
)


def sum_dollars(db: sqlite3.Connection, responses: str) -> str:
    """The sum over rows of `responses` under this name; null where the connection has no prices."""
    try:
        db.execute("select sum_dollars() where 0").close()
    except sqlite3.OperationalError:
        return "max(null)"
    return f"sum_dollars({', '.join(f'{responses}.{column}' for column in _COLUMNS)})"
