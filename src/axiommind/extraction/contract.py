"""What every extractor keeps: a transcript in, drafts out, or the reason why there are none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

if TYPE_CHECKING:
    from axiommind.extraction.drafts import Draft
    from axiommind.projections.transcript import Transcript

__all__ = ["Extraction", "ExtractionFailed", "Extractor", "GrowingExtractor", "KnownEntry"]


class KnownEntry(NamedTuple):
    """An entry that is known already, as an extractor is told of it."""

    entry_id: str
    type: str
    title: str
    kind: str = ""
    session: str = ""  # where it was learned


class Extraction(NamedTuple):
    drafts: tuple[Draft, ...]
    model: str  # `rules`, or the model that answered
    prompt_hash: str  # of the rules' version or the instruction, so that a build says what made it
    notes: tuple[str, ...] = ()
    # Whether all of the session was read: then what it said before and says no more is withdrawn.
    is_whole: bool = True
    # Drafts that were not kept, and why.
    refuted: int = 0  # taken back later in the session
    merged: int = 0  # said by one that is kept
    left_out: int = 0  # worth less than those kept


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


@runtime_checkable
class GrowingExtractor(Extractor, Protocol):
    """One that can be given what is new in a session alone, with what is known already, because it costs.

    `extract(transcript)` reads all of it. `extract(transcript, since=position, known=entries)` reads what was recorded
    after that position of the log: the first number of the `head` that a session had when it was last learned with
    success, and 0 when it never was."""

    takes_known: bool

    def extract(self, transcript: Transcript, *, since: int = 0, known: Sequence[KnownEntry] = ()) -> Extraction: ...
