"""Questions and answers kept in a folder, one file each: to be read by people, and answered again without asking.

`NAME.question.md` is what was asked, `NAME.answer.json` what came back, where NAME is what the question is about. A
question says its own hash in its first line. If it has changed since it was answered, the new one is kept beside it as
`NAME.changed.md`, so nobody takes an answer to an older question for one to this.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple

from axiommind.ids import canonical_json, dedupe_key
from axiommind.llm.contract import Answered, Provider, Question, Unanswered, Usage
from axiommind.private import make_private

__all__ = ["AnswerFolder", "RecordingProvider"]

_FIRST_LINE = re.compile(r"<!-- question ([0-9a-f]+) -->")
_UNSAFE = re.compile(r"[^\w.@-]+")
_NAME_CHARS = 150


class RecordedAnswer(NamedTuple):
    text: str
    is_current: bool  # it answers this very question, and not an older version of it


class AnswerFolder(NamedTuple):
    """A folder of questions and answers."""

    path: Path

    @classmethod
    def at(cls, path: str) -> AnswerFolder:
        return cls(Path(path).expanduser().absolute())

    def find(self, question: Question) -> RecordedAnswer | None:
        """What was answered to this question, or to what it was before."""
        file = self._file(question, "answer.json")
        if not file.is_file():
            return None
        asked = self._file(question, "question.md")
        first = asked.read_text(encoding="utf-8").partition("\n")[0] if asked.is_file() else ""
        match = _FIRST_LINE.match(first)
        is_current = match is not None and match[1] == _hash(question)
        return RecordedAnswer(file.read_text(encoding="utf-8", errors="replace"), is_current)

    def keep_question(self, question: Question, *, changed: bool = False) -> None:
        """Write a question down; one that has changed since it was answered goes beside the one that was."""
        schema = canonical_json(question.schema)
        text = (
            f"<!-- question {_hash(question)} -->\n\n# What the model is told\n\n{question.instruction}\n"
            f"# The shape of the answer\n\n{schema}\n\n# What it is given\n\n{question.material}"
        )
        self._write(self._file(question, "changed.md" if changed else "question.md"), text)

    def keep(self, question: Question, answer: str) -> None:
        self.keep_question(question)
        self._write(self._file(question, "answer.json"), answer)
        self._file(question, "changed.md").unlink(missing_ok=True)

    def _file(self, question: Question, ending: str) -> Path:
        name = _UNSAFE.sub("_", question.about)[:_NAME_CHARS].lstrip(".") or _hash(question)
        return self.path / f"{name}.{ending}"

    def _write(self, file: Path, text: str) -> None:
        """What was said in sessions is nobody else's business."""
        make_private(self.path)
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as out:
            out.write(text.encode("utf-8", "replace"))


class RecordingProvider:
    """A provider whose answers are kept, and that is not asked what it was asked before."""

    def __init__(self, provider: Provider, folder: AnswerFolder) -> None:
        self._provider = provider
        self._folder = folder
        self.name = provider.name

    @property
    def model(self) -> str:
        return self._provider.model

    def check(self) -> None:
        self._provider.check()

    def ask(self, question: Question) -> Answered | Unanswered:
        known = self._folder.find(question)
        if known is not None and known.is_current:
            return Answered(known.text, Usage(self.model))
        outcome = self._provider.ask(question)
        if isinstance(outcome, Answered):
            self._folder.keep(question, outcome.text)
        else:
            self._folder.keep_question(question, changed=known is not None)
        return outcome


def _hash(question: Question) -> str:
    return dedupe_key("question", question.instruction, question.material, canonical_json(question.schema))[:32]
