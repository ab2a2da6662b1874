"""Extraction: from what was said in a session to drafts of entries, by rules or by a model.

An extractor quotes; it never says where a quote stands, and whatever it says about that is ignored. The rules need no
model (`rules/`, one file each). Every provider of `llm/` is an extractor too, and third parties add others by entry
points (docs/plugins.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from axiommind.config import Config
    from axiommind.extraction.contract import Extractor
    from axiommind.llm.budget import Spending

__all__ = ["load", "names", "version"]


def names() -> list[str]:
    from axiommind import llm
    from axiommind.extraction.extractors import REGISTRY

    return sorted({*REGISTRY.names(), *llm.names()})


def load(name: str, config: Config, spending: Spending) -> Extractor:
    from axiommind import llm
    from axiommind.errors import UsageError
    from axiommind.extraction.extractors import REGISTRY

    if name in llm.names():
        from axiommind.extraction.by_model import ModelExtractor

        return ModelExtractor(llm.connect(name, config), config.extract_chars, spending)
    module = REGISTRY.find(name)
    if module is None:
        raise UsageError(f"there is no extractor {name!r}", hint=f"one of: {', '.join(names())}")
    return module.make(config, spending)


def version(name: str) -> str:
    """The version of an extractor that costs nothing, and learns again by itself what an older one has learned; empty
    for a model."""
    from axiommind import llm
    from axiommind.extraction.extractors import REGISTRY

    module = None if name in llm.names() else REGISTRY.find(name)
    return str(getattr(module, "READS_AGAIN", ""))
