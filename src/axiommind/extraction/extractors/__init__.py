"""The extractors that ask no provider of `llm/`: a file each, the folder is the registry, and third parties add theirs
by entry points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from axiommind.registry import Registry

if TYPE_CHECKING:
    from axiommind.config import Config
    from axiommind.extraction.contract import Extractor
    from axiommind.llm.budget import Spending

__all__ = ["REGISTRY", "ExtractorModule"]


class ExtractorModule(Protocol):
    """What a module in this folder offers, and a third party's module too."""

    def make(self, config: Config, spending: Spending) -> Extractor:
        """The extractor as the settings say; before each call of a model it asks `spending` whether it may."""


REGISTRY: Registry[ExtractorModule] = Registry(__name__, requires=("make",), group="axiommind.extractors")
