"""Refused: what people called not useful, and so is not given again at that kind of moment.

That kind of moment is the same hook and, of prompts, one that asks about the same thing (`prompt_kind`). A person's
word holds in every session, an agent's in its own. A hook reads this: one statement, by the names of what it would
give.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable

from axiommind.db import has_table

__all__ = ["PROMPT_HOOK", "refused"]

PROMPT_HOOK = "UserPromptSubmit"
# What holds now: said by a person or in this session, the latest at its kind of moment, and not taken back since.
_REFUSALS = """
    select f.name, f.words_json
    from feedback f
    where f.name in ({names})
      and f.hook = ?
      and f.verdict = 'no'
      and f.said_in in ('', ?)
      and not exists (
          select 1 from feedback c
          where c.name = f.name and c.hook = '' and c.words_json = '[]' and c.verdict = 'clear'
            and c.said_in in ('', f.said_in) and c.at >= f.at)
"""


def refused(
    db: sqlite3.Connection, event: str, about: str, names: Iterable[str], *, session: str | None = None
) -> set[str]:
    """Those of `names` (ids of passages or entries) that must not be given at this moment: `event` is the hook, and
    `about` the prompt's question, which counts for prompts only."""
    wanted = sorted(set(names))
    if not wanted or not has_table(db, "feedback"):
        return set()
    marks = ", ".join("?" * len(wanted))
    rows = db.execute(_REFUSALS.format(names=marks), (*wanted, event, session or "")).fetchall()
    if not rows or event != PROMPT_HOOK:
        return {name for name, _ in rows}
    from axiommind.recall.prompt_kind import is_same_kind, telling_words

    asked = telling_words(about)
    return {name for name, words in rows if is_same_kind(asked, frozenset(json.loads(words)))}
