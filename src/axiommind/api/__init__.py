"""The composition root: everything a surface can ask for is a method of `Memory`.

What it is made of is imported when `Memory` is asked for: a hook asks for less (`axiommind.api.recalling`), and soon.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from axiommind.api.home import SAMPLE, SAMPLE_MARK, Scope
    from axiommind.api.memory import Forgotten, Library, Memory

__all__ = ["SAMPLE", "SAMPLE_MARK", "Forgotten", "Library", "Memory", "Scope"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from axiommind.api import memory

    return getattr(memory, name)
