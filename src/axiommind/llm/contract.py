"""What is asked of a model and what comes back: values, and the one protocol that every provider keeps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

__all__ = ["AnswerBook", "Answered", "Ask", "PaidAnswer", "Provider", "Question", "Unanswered", "Unreachable", "Usage"]


class Question(NamedTuple):
    """What a model is asked: our words, the material they are about, and the shape of the answer."""

    instruction: str
    material: str
    schema: Mapping[str, Any]
    name: str = "answer"  # of the schema, for the servers that want one
    about: str = ""  # what it is filed under where questions and answers are recorded


class Usage(NamedTuple):
    """What a call took, as far as the other side says. `usd` is None where nobody says."""

    model: str
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float | None = None


class Answered(NamedTuple):
    """What the model wrote. `flaw`: why it cannot be whole, when that is known without reading it."""

    text: str
    usage: Usage
    flaw: str = ""


class Unanswered(NamedTuple):
    """No answer came: `why` is for people to read and holds nothing secret. `again`: the next try will be different."""

    why: str
    usage: Usage
    again: bool = False


class PaidAnswer(NamedTuple):
    """An answer that came earlier and was not used yet, with what the call took and the id that it is counted by."""

    answered: Answered
    seconds: float
    call_id: str


class AnswerBook(Protocol):
    """Keeps answers from the moment they come until they are used: a run that is killed in between asks nothing
    twice."""

    def find(self, question: Question, model: str) -> PaidAnswer | None: ...

    def keep(self, question: Question, model: str, answered: Answered, seconds: float) -> str:
        """Write it down for good; returns the id of the call."""


Ask = Callable[[Question], Answered | Unanswered]


class Unreachable(Exception):
    """A provider that cannot be asked at all, so that no call is made and nothing is spent."""


class Provider(Protocol):
    @property
    def name(self) -> str:
        """What the settings call it."""

    @property
    def model(self) -> str:
        """The model that it asks for; an answer may come from another one."""

    def check(self) -> None:
        """Raise `Unreachable` where it is known without a call that none could be made."""

    def ask(self, question: Question) -> Answered | Unanswered: ...
