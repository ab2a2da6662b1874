"""A model behind a server: what the HTTP extractors share. Each of them says only how it is asked and read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from axiommind.http import Endpoint, NoReply, Purpose, endpoint
from axiommind.learning.extractors._asking import Answered, Question, Unanswered, Usage, extract, seconds_of

if TYPE_CHECKING:
    from axiommind.config import Config
    from axiommind.learning.extractors import Extraction, Spend
    from axiommind.projections.transcript import Transcript

__all__ = ["Served", "served_at"]

_PURPOSE = Purpose("extract", "extracted", "found the session too long: see extract.chars")


def served_at(config: Config, *, url: str, path: str, variable: str) -> Endpoint:
    """Where an extractor asks: `url` and `variable` are its own, which the settings win over."""
    return endpoint(
        _PURPOSE,
        url=config.extract_url,
        usual_url=url,
        key_env=config.extract_key_env,
        usual_key_env=variable,
        path=path,
        seconds=seconds_of(config),
    )


class Served(ABC):
    is_measured = False

    def __init__(self, at: Endpoint, model: str, chars: int, spend: Spend) -> None:
        self._at = at
        self._model = model
        self._chars = chars
        self._spend = spend
        self._format = 0  # how many of the formats were refused

    def extract(self, transcript: Transcript) -> Extraction:
        return extract(transcript, self.ask, self._model, self._chars, self._spend)

    def ask(self, question: Question) -> Answered | Unanswered:
        formats = self._formats(question.schema)
        try:
            reply = self._at.post(self._headers(), {**self._body(question), **formats[self._format]})
        except NoReply as error:
            return Unanswered(str(error), Usage(self._model))
        if reply.refuses_format:
            again = self._format + 1 < len(formats)
            self._format += again
            return Unanswered(reply.why, Usage(self._model), again)
        return self._read(reply.body)

    @abstractmethod
    def _headers(self) -> dict[str, str]:
        """What goes with every request: the key, where there is one."""

    @abstractmethod
    def _formats(self, schema: Mapping[str, Any]) -> tuple[dict[str, Any], ...]:
        """Ways to ask for JSON of this shape, the strictest first."""

    @abstractmethod
    def _body(self, question: Question) -> dict[str, Any]:
        """The question as this server takes it."""

    @abstractmethod
    def _read(self, body: dict[str, Any]) -> Answered | Unanswered:
        """What the reply says."""
