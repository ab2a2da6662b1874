"""Asking a language model: whom, how, and at what cost. It knows nothing of what is asked.

`connect` gives the provider that the settings name; `asking` asks it and records each call; `budget` says how much may
be spent in a day. A provider is one file in `providers/`, and it can then extract entries and write summaries.
`recording` keeps questions and answers in a folder, where one is set.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from axiommind.errors import UsageError
from axiommind.llm.providers import REGISTRY

if TYPE_CHECKING:
    from axiommind.config import Config
    from axiommind.llm.contract import Provider

__all__ = ["RECORDED", "connect", "names"]

RECORDED = "recorded"  # the provider that asks nobody


def names() -> list[str]:
    return REGISTRY.names()


def connect(name: str, config: Config) -> Provider:
    """The provider of this name, set up as the settings say. Nothing is asked yet."""
    module = REGISTRY.find(name)
    if module is None:
        raise UsageError(f"there is no language model provider {name!r}", hint=f"one of: {', '.join(names())}")
    provider = module.connect(config)
    if not config.extract_answers or provider.name == RECORDED:
        return provider
    from axiommind.llm.recording import AnswerFolder, RecordingProvider

    return RecordingProvider(provider, AnswerFolder.at(config.extract_answers))
