"""Extractors: from what was said to drafts of entries. One file each, and the folder is the registry;
third parties add theirs by entry points (docs/plugins.md).

An extractor quotes; it never says where a quote stands, and whatever it says about that is ignored.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, Protocol

from axiommind.errors import UsageError
from axiommind.learning.drafts import Draft
from axiommind.registry import Registry

if TYPE_CHECKING:
    from axiommind.config import Config
    from axiommind.projections.transcript import Transcript

__all__ = ["REGISTRY", "CallRecord", "Extraction", "ExtractionFailed", "Extractor", "load", "names"]


class CallRecord(NamedTuple):
    """What one call of a model cost. `usd` is None where nobody says."""

    model: str
    input_tokens: int
    output_tokens: int
    usd: float | None
    seconds: float
    ok: bool


class Extraction(NamedTuple):
    drafts: tuple[Draft, ...]
    model: str  # `rules`, or the model that answered
    prompt_hash: str  # of the rules' version or the instruction, so that a build says what made it
    notes: tuple[str, ...] = ()


class ExtractionFailed(Exception):
    """The extractor gave nothing that can be used; the session is marked failed and tried again later."""


class Extractor(Protocol):
    """What `make(config, spend)` of a module in this folder returns. `is_measured`: the confidence of its drafts is
    how often each rule was right; else it is what people said of its claims so far."""

    name: str
    is_measured: bool

    def extract(self, transcript: Transcript) -> Extraction: ...


# Called before a model is asked (raises when the budget is used up), and after it with what that cost.
class Spend(NamedTuple):
    allow: Callable[[], None]
    record: Callable[[CallRecord], None]


class ExtractorModule(Protocol):
    def make(self, config: Config, spend: Spend) -> Extractor: ...


REGISTRY: Registry[ExtractorModule] = Registry(__name__, requires=("make",), group="axiommind.extractors")


def names() -> list[str]:
    return REGISTRY.names()


def load(name: str, config: Config, spend: Spend) -> Extractor:
    module = REGISTRY.find(name)
    if module is None:
        raise UsageError(f"there is no extractor {name!r}", hint=f"one of: {', '.join(names())}")
    return module.make(config, spend)
