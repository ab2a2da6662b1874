"""Patterns that are compiled when they are first used.

Compiling is what takes long in importing a module with many of them, and most processes that import it use few.
"""

from __future__ import annotations

import re
from typing import Any, cast

__all__ = ["lazy"]


class _LazyPattern:
    """Stands for a compiled pattern until one of its methods is asked for."""

    def __init__(self, pattern: str, flags: int) -> None:
        self._source = pattern, flags

    def __getattr__(self, name: str) -> Any:
        value = getattr(re.compile(*self._source), name)
        setattr(self, name, value)  # from now on without coming here
        return value


def lazy(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Like `re.compile`, later. A pattern that is wrong is found out when it is used."""
    return cast(re.Pattern[str], _LazyPattern(pattern, flags))
