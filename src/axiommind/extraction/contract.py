"""What every extractor keeps: a transcript in, drafts out, or the reason why there are none."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from axiommind.extraction.drafts import Draft
    from axiommind.projections.transcript import Transcript

__all__ = ["Extraction", "ExtractionFailed", "Extractor"]


class Extraction(NamedTuple):
    drafts: tuple[Draft, ...]
    model: str  # `rules`, or the model that answered
    prompt_hash: str  # of the rules' version or the instruction, so that a build says what made it
    notes: tuple[str, ...] = ()


class ExtractionFailed(Exception):
    """The extractor gave nothing that can be used; the session is marked failed and tried again later."""


class Extractor(Protocol):
    """`is_measured`: the confidence of its drafts is how often each rule was right; else it is what people said of its
    claims so far."""

    @property
    def name(self) -> str: ...

    @property
    def is_measured(self) -> bool: ...

    def extract(self, transcript: Transcript) -> Extraction: ...
