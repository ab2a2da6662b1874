"""A model behind a server: what the HTTP providers share. Each of them says only how it is asked and read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from axiommind.http import Endpoint, NoReply, Purpose, endpoint
from axiommind.llm.contract import Answered, Question, Unanswered, Usage
from axiommind.llm.providers._figures import time_limit

if TYPE_CHECKING:
    from axiommind.config import Config

__all__ = ["HttpProvider", "endpoint_of"]

_PURPOSE = Purpose("extract", "extracted", "found the question too long: see extract.chars")


def endpoint_of(config: Config, *, url: str, path: str, variable: str) -> Endpoint:
    """Where a provider is asked: `url` and `variable` are its own, and the settings override them."""
    return endpoint(
        _PURPOSE,
        url=config.extract_url,
        usual_url=url,
        key_env=config.extract_key_env,
        usual_key_env=variable,
        path=path,
        seconds=time_limit(config),
    )


class HttpProvider(ABC):
    name: str

    def __init__(self, at: Endpoint, model: str) -> None:
        self._at = at
        self.model = model
        self._format = 0  # how many of the formats were refused

    def check(self) -> None:
        return None  # whether a server is there is only known by asking it

    def ask(self, question: Question) -> Answered | Unanswered:
        formats = self._formats(question)
        try:
            reply = self._at.post(self._headers(), {**self._body(question), **formats[self._format]})
        except NoReply as error:
            return Unanswered(str(error), Usage(self.model))
        if reply.refuses_format:
            again = self._format + 1 < len(formats)
            self._format += again
            return Unanswered(reply.why, Usage(self.model), again)
        return self._read(reply.body)

    @abstractmethod
    def _headers(self) -> dict[str, str]:
        """What goes with every request: the key, where there is one."""

    @abstractmethod
    def _formats(self, question: Question) -> tuple[dict[str, Any], ...]:
        """Ways to ask for JSON of the question's schema, the strictest first."""

    @abstractmethod
    def _body(self, question: Question) -> dict[str, Any]:
        """The question as this server takes it."""

    @abstractmethod
    def _read(self, body: dict[str, Any]) -> Answered | Unanswered:
        """What the reply says."""
