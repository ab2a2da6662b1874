"""Saying again what is known: a claim that somebody remembers is compared with the entries of its project, and one that
says the same is confirmed instead of written a second time.

Compared are the content words, the numbers and whether something is denied: "use pnpm" and "never use pnpm" share every
word and say the opposite.
"""

from __future__ import annotations

import re
import sqlite3
from typing import TYPE_CHECKING

from axiommind.learning.new_event import NewEvent
from axiommind.learning.policies import PERSON, StageChange
from axiommind.learning.stage_changes import write_changes
from axiommind.projections.entry_rows import STAGES
from axiommind.text.keywords import keywords
from axiommind.text.patterns import lazy

if TYPE_CHECKING:
    from axiommind.learning.event_writer import EventWriter
    from axiommind.projections.entry_rows import EntryRow

__all__ = ["confirm", "find_same", "says_the_same"]

_SHARED = 0.7  # of all their content words
_LEAST_WORDS = 3  # fewer say too little to be sure
_NUMBER = lazy(r"\d+(?:[.,:]\d+)*")
_DENIED = lazy(
    r"\b(?:not|no|never|none|without|cannot|avoid|stop)\b|n['’]t\b"
    r"|않|안 |말고|말 것|마세요|하지 마|금지|없이|[不没別别勿非]|无需|禁止|ない|ません|なく|ずに",
    re.IGNORECASE,
)
_KNOWN = """
    select entry_id, title, text
    from entries
    where project = :project
      and status = 'active'
      and entry_type <> 'task_note'
      and stage <> 'raw'
    order by case stage when 'certified' then 0 when 'verified' then 1 when 'candidate' then 2 else 3 end,
             coalesce(happened_at, created_ts) desc, entry_id
"""


def says_the_same(one: str, other: str) -> bool:
    """Whether two claims say the same, as far as words can tell: rather two entries than a lost one."""
    mine, theirs = set(keywords(one)), set(keywords(other))
    if min(len(mine), len(theirs)) < _LEAST_WORDS or len(mine & theirs) < _SHARED * len(mine | theirs):
        return False
    if sorted(_NUMBER.findall(one)) != sorted(_NUMBER.findall(other)):
        return False
    return bool(_DENIED.search(one)) == bool(_DENIED.search(other))


def find_same(db: sqlite3.Connection, project: str, text: str) -> str | None:
    """The entry of a project that says this already, the best founded first."""
    for entry, title, said in db.execute(_KNOWN, {"project": project}):
        if any(says_the_same(text, known) for known in (said, title)):
            return str(entry)
    return None


def confirm(writer: EventWriter, entry: EntryRow, *, by_person: bool, session: str, at: int) -> None:
    """Note that an entry was said again: that keeps it alive, and a person's word raises it to verified."""
    # An agent that repeats itself is no further session: by that it makes nothing certain.
    used = NewEvent(
        "entry_used", {"entries": [entry.entry_id], "how": "remembered"}, ("remembered", at, entry.entry_id)
    )
    writer.append(used, session=session if by_person else None, project=None, actor="user" if by_person else "agent")
    if by_person and entry.aligned and STAGES.index(entry.stage) < STAGES.index("verified"):
        change = StageChange(entry.entry_id, entry.stage, "verified", "a person's word")
        said = "remembered again"
        write_changes(writer, PERSON.name, PERSON.version, [change], actor="user", entry=entry, said=said)
