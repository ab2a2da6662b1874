"""How many cases of a law are tried: a few by `make test`, many by `make proof`, which sets AXM_EXAMPLES."""

from __future__ import annotations

import os

__all__ = ["examples"]

_SHARE = 5  # of the usual number, one in so many by `make test`
_LEAST = 3


def examples(usual: int) -> int:
    """AXM_EXAMPLES times the usual number where that is set, else a fifth of it."""
    times = os.environ.get("AXM_EXAMPLES")
    return usual * int(times) if times else max(usual // _SHARE, _LEAST)
