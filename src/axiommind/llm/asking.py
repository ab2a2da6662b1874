"""Asking: every call is allowed by the budget first and recorded afterwards, however it ends.

`ask` gives whatever came back. `ask_until_read` gives an answer that the caller could read: the model gets one chance
to repair one that it could not.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from axiommind.llm.budget import CallRecord, Spending
from axiommind.llm.contract import Answered, Ask, Question, Unanswered, Usage
from axiommind.tools.call_text import excerpt

__all__ = ["REPAIR", "BadAnswer", "NoAnswer", "ask", "ask_until_read"]

T = TypeVar("T")

_TRIES = 4  # ways to ask for JSON that a server may refuse
# Of the answer that was no good, shown to the model when it is asked again.
_SHOWN_CHARS = 4_000

REPAIR = """\
Your answer before could not be used: {why}
It was (quoted, perhaps without its middle):
BEGIN ANSWER
{answer}
END ANSWER
Answer again, from the beginning, with one whole JSON object as described and nothing else.
"""


class BadAnswer(Exception):
    """An answer that cannot be used, with what is wrong in words that help the model to put it right."""


class NoAnswer(Exception):
    """No usable answer came; the message is for people."""


def ask(provider: Ask, question: Question, *, model: str, spending: Spending) -> Answered | Unanswered:
    """One answer. A server that refuses the way it was asked is asked another way."""
    outcome: Answered | Unanswered = Unanswered("no answer came", Usage(model))
    for _ in range(_TRIES):
        outcome, _, _ = _call(provider, question, _is_whole, model, spending)
        if isinstance(outcome, Answered) or not outcome.again:
            break
    return outcome


def ask_until_read(
    provider: Ask,
    question: Question,
    read: Callable[[Answered], T],
    *,
    model: str,
    spending: Spending,
    repairs: bool = True,
) -> tuple[T, str]:
    """What `read` makes of the answer, and the model that gave it; `NoAnswer` when `read` raised `BadAnswer` twice, or
    once where nothing is asked again (`repairs`)."""
    asked, first_problem = question, ""
    while True:
        outcome, found, problem = _call(provider, asked, read, model, spending)
        if isinstance(outcome, Unanswered):
            if outcome.again:
                continue
            raise NoAnswer(outcome.why)
        if found is not None:
            return found, outcome.usage.model
        if not repairs:
            raise NoAnswer(f"{outcome.usage.model} answered with something that cannot be used: {problem}")
        if first_problem:
            raise NoAnswer(
                f"{outcome.usage.model} answered twice with something that cannot be used: {first_problem}; "
                f"then: {problem}"
            )
        first_problem = problem
        repair = REPAIR.format(why=problem, answer=excerpt(outcome.text, _SHOWN_CHARS))
        about = f"{question.about}.again" if question.about else ""
        asked = question._replace(material=f"{question.material}\n{repair}", about=about)


def _is_whole(answer: Answered) -> bool:
    if answer.flaw:
        raise BadAnswer(answer.flaw)
    return True


def _call(
    provider: Ask, question: Question, read: Callable[[Answered], T], model: str, spending: Spending
) -> tuple[Answered | Unanswered, T | None, str]:
    """One call: what came back, what `read` made of it, and what was wrong with it. An answer that was paid for
    before, by a run that could not use it, is used now."""
    paid = None if spending.answers is None else spending.answers.find(question, model)
    if paid is None:
        spending.allow()
    started = time.monotonic()
    usage = Usage(model) if paid is None else paid.answered.usage
    call_id = "" if paid is None else paid.call_id
    found: T | None = None
    problem = ""
    try:
        outcome = provider(question) if paid is None else paid.answered
        usage = outcome.usage
        if isinstance(outcome, Answered):
            if paid is None and spending.answers is not None:
                call_id = spending.answers.keep(question, model, outcome, time.monotonic() - started)
            try:
                found = read(outcome)
            except BadAnswer as bad:
                problem = str(bad)
        return outcome, found, problem
    finally:
        seconds = time.monotonic() - started if paid is None else paid.seconds
        spending.record(CallRecord(*usage, seconds=seconds, ok=found is not None, call_id=call_id))
