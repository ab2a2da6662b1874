"""Asking a language model: whom, how, and at what cost. It knows nothing of what is asked.

`connect` gives the provider that the settings name; `asking` asks it and records each call; `budget` says how much may
be spent in a day. A provider is one file in `providers/`, and it can then extract entries and write summaries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from axiommind.errors import UsageError
from axiommind.llm.providers import REGISTRY

if TYPE_CHECKING:
    from axiommind.config import Config
    from axiommind.llm.contract import Provider

__all__ = ["connect", "names"]


def names() -> list[str]:
    return REGISTRY.names()


def connect(name: str, config: Config) -> Provider:
    """The provider of this name, set up as the settings say. Nothing is asked yet."""
    module = REGISTRY.find(name)
    if module is None:
        raise UsageError(f"there is no language model provider {name!r}", hint=f"one of: {', '.join(names())}")
    return module.connect(config)
