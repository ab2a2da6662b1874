"""What a person answered when an agent asked: the result of a question tool, read back into questions and answers.

The client writes all answers into one text: pairs of question and answer, what the person noted beside the choice, and
what the chosen option had shown. Places are offsets of that text, so that an answer can be quoted where it stands.
Whether an answer is one of the options or the person's own words is for the reader to say, who knows the options.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from axiommind.text.patterns import lazy

__all__ = ["AnsweredQuestion", "answers_in"]

_MOST = 100_000  # characters that are read
_QUESTIONS = 20
# A pair of a question nobody told us: at the beginning, after the client's own words, or after the pair before.
_PAIR = lazy(r'(?:^|: |, )"((?:(?!"=")[^\n]){1,2000})"="')
_CLOSING = lazy(r"\.? You can now continue with (?:the user's|these|their) answers(?: in mind)?\.?\s*\Z")
_EXTRA = lazy(r'"(?= user notes: | selected (?:markdown|preview):)')
_NOTES = lazy(r"(?:\A| )user notes: ")
_SHOWN = lazy(r"(?:\A| )selected (?:markdown|preview):\s?")
# A question that was put back to be talked about, with what had been answered until then.
_LISTED = lazy(r'^- "(.{1,2000})"\n  Answer: (.*(?:\n(?!- "|Note: |\n*\Z).*)*)', re.MULTILINE)


class AnsweredQuestion(NamedTuple):
    """One question and what the person said to it. `start` and `end` are where the answer stands in the text, and
    `notes_start` and `notes_end` where the notes do. Where people type an answer of their own, the client writes it
    twice: as the answer and as the notes."""

    question: str
    answer: str
    start: int
    end: int
    notes: str = ""
    notes_start: int = 0
    notes_end: int = 0
    shown: str = ""  # what the chosen option had shown: the agent's words, not the person's

    @property
    def is_noted(self) -> bool:
        """Whether the notes say more than the answer does."""
        return bool(self.notes) and self.notes.strip(" .\n") != self.answer.strip(" .\n")


def answers_in(text: str, questions: Sequence[str] = ()) -> tuple[AnsweredQuestion, ...]:
    """The answers of a question tool's result, in order. Where the questions are known, an answer may hold anything;
    otherwise a quoted pair is taken for one only where the client would have put it."""
    text = text[:_MOST]
    closing = _CLOSING.search(text)
    end = closing.start() if closing else len(text.rstrip())
    marks = list(_known(text, questions[:_QUESTIONS]) if questions else _unknown(text))
    found = []
    for n, (question, _, start) in enumerate(marks):
        until = marks[n + 1][1] if n + 1 < len(marks) else end
        found.append(_answer(question, text, start, max(start, until)))
    if not found:
        found = [
            AnsweredQuestion(m[1], m[2].rstrip(), m.start(2), m.start(2) + len(m[2].rstrip()))
            for m in _LISTED.finditer(text)
        ]
    return tuple(found)


def _known(text: str, questions: Sequence[str]) -> Iterator[tuple[str, int, int]]:
    """Each question with the place where the pair before it ends, and the place where its answer begins."""
    at = 0
    for question in questions:
        mark = f'"{question}"="'
        start = text.find(mark, at)
        if start >= 0:
            at = start + len(mark)
            yield question, start - 2 if text[:start].endswith(", ") else start, at


def _unknown(text: str) -> Iterator[tuple[str, int, int]]:
    for mark in _PAIR.finditer(text):
        yield mark[1], mark.start(), mark.end()


def _answer(question: str, text: str, start: int, until: int) -> AnsweredQuestion:
    extra = _EXTRA.search(text, start, until)
    close = extra.start() if extra else text.rfind('"', start, until)
    close = until if close < 0 else close
    rest = text[close + 1 : until]
    base = close + 1
    shown = _SHOWN.search(rest)
    notes = _NOTES.search(rest)
    notes_end = shown.start() if shown and notes and shown.start() > notes.end() else len(rest)
    noted = rest[notes.end() : notes_end].rstrip() if notes else ""
    begin = base + notes.end() if notes else 0
    shown_end = notes.start() if shown and notes and notes.start() > shown.end() else len(rest)
    return AnsweredQuestion(
        question,
        text[start:close],
        start,
        close,
        noted,
        begin,
        begin + len(noted),
        rest[shown.end() : shown_end].strip() if shown else "",
    )
