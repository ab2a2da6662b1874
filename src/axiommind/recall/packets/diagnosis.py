"""A diagnosis: what the agent of an earlier session said about a failure, in its own words.

Looked for among the answers that follow the failure, to the one after it worked: first what explains it, then what the
agent said when it did what worked. Of a program that was not there, whatever the session found out about it later.
"""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from axiommind.recall.packets.failed_calls import FailedCall
from axiommind.recall.packets.fix import Aftermath
from axiommind.text.explanations import Explanation, explanation, fact_about, naming_words
from axiommind.tools.past_call import programs_of

__all__ = ["Diagnosis", "diagnosis_after", "found_out"]

_ANSWERS = 10  # after the failure
_CHARS = 300
_THEN_CHARS = 200
_REASONED = 4  # the least strength of what is said after it worked: it may sum up, or speak of something else
_FOUND_OUT = 4  # the strength of a fact about what was missing
_NEXT = f"""
    select text, line_start
    from responses
    where session_id = ? and line_start > ? and text <> ''
    order by line_start
    limit {_ANSWERS}
"""
_MENTIONS = """
    select text from responses where session_id = :session and line_start > :line and instr(lower(text), :name)
    union all
    select text from compaction_summaries where session_id = :session and line > :line and instr(lower(text), :name)
    limit 40
"""


class Diagnosis(NamedTuple):
    strength: int
    text: str


def diagnosis_after(db: sqlite3.Connection, failed: FailedCall, aftermath: Aftermath) -> Diagnosis | None:
    """The best explanation of a failure; None when nothing was said of it."""
    words = naming_words(failed.told.line)
    named = words | naming_words(" ".join(word for one in programs_of(failed.given) for word in one))
    fixed, acted = aftermath.fix.line if aftermath.fix is not None else None, aftermath.acted
    best: Explanation | None = None
    then: Explanation | None = None  # said last before it worked
    for number, (text, line) in enumerate(db.execute(_NEXT, (failed.session, failed.line)).fetchall()):
        is_after = fixed is not None and line > fixed
        is_first = number == 0 and (acted is None or line < acted)
        said = explanation(text, named if is_first else words, _CHARS, is_first=is_first)
        if said is not None and (best is None or said.strength > best.strength):
            best = said if not is_after or said.strength >= _REASONED else best
        if is_after:
            break
        then = explanation(text, words, _THEN_CHARS, is_first=False)
    if best is None:
        return None
    if fixed is None or then is None or then.text in best.text or best.text in then.text:
        return Diagnosis(*best)
    return Diagnosis(best.strength, f"{best.text} … {then.text}")


def found_out(db: sqlite3.Connection, failed: FailedCall, program: str) -> Diagnosis | None:
    """What a session that missed a program said later about where it is, the best of it."""
    asked = {"session": failed.session, "line": failed.line, "name": program}
    best: Explanation | None = None
    for (text,) in db.execute(_MENTIONS, asked).fetchall():
        said = fact_about(text, program, _CHARS)
        if said is not None and (best is None or said.strength >= best.strength):
            best = said
    return Diagnosis(_FOUND_OUT, best.text) if best is not None else None
