"""Answers that were recorded: nobody is asked. What was not answered yet is written down as a question.

So any model's work is scored without asking it again, and a person or an agent can stand in for a model by writing
the answers. An answer to an older version of a question is still read; the folder says which those are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from axiommind.errors import UsageError
from axiommind.llm.contract import Answered, Question, Unanswered, Usage
from axiommind.llm.recording import AnswerFolder

if TYPE_CHECKING:
    from axiommind.config import Config

__all__ = ["RecordedProvider", "connect"]


def connect(config: Config) -> RecordedProvider:
    if not config.extract_answers:
        raise UsageError("recorded answers are in no folder", hint="set extract.answers to it (AXM_EXTRACT_ANSWERS)")
    return RecordedProvider(AnswerFolder.at(config.extract_answers), config.extract_model or "recorded")


class RecordedProvider:
    name = "recorded"

    def __init__(self, folder: AnswerFolder, model: str) -> None:
        self._folder = folder
        self.model = model

    def check(self) -> None:
        return None

    def ask(self, question: Question) -> Answered | Unanswered:
        found = self._folder.find(question)
        if found is None:
            self._folder.keep_question(question)
            return Unanswered(f"there is no recorded answer to {question.about or 'this question'}", Usage(self.model))
        if not found.is_current:
            self._folder.keep_question(question, changed=True)
        return Answered(found.text, Usage(self.model))
