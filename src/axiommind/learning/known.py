"""What is known already, as a model is told of it: the entries of the session it reads, and the nearest of its project.

Near is what shares rare words with what is new in the session. A model that knows them does not say them again, and
can say which of them no longer hold; so it is not told what was only said after the session, which it cannot replace.
"""

from __future__ import annotations

import math
import sqlite3
from collections import Counter
from typing import TYPE_CHECKING

from axiommind.extraction.contract import Extraction, Extractor, GrowingExtractor, KnownEntry
from axiommind.text.keywords import keywords

if TYPE_CHECKING:
    from axiommind.projections.transcript import Transcript

__all__ = ["extract_with_known", "known_entries", "read_up_to"]

MOST_KNOWN = 30
_LOOKED_AT = 2_000  # of the project's entries, the newest
_READ_CHARS = 2_000  # of a message
_WORDS = 4_000
_NEVER = 2**62  # after every session
_READ = "select read_to from learned where session_id = :session and extractor = :extractor"
_ACTIVE = """
    select entry_id, entry_type, title, kind, session_id, text
    from entries
    where status in ('active', 'contested')
      and stage <> 'raw'
      and kind <> 'record'
      and (entry_type <> 'task_note'
           or (session_id = :session and json_extract(content_json, '$.status') not in ('done', 'cancelled')))
      and (session_id = :session or (project = :project and coalesce(happened_at, 0) <= :ended))
    order by session_id <> :session, coalesce(happened_at, 0) desc, entry_id
    limit :most
"""


def extract_with_known(extractor: Extractor, db: sqlite3.Connection, transcript: Transcript, since: int) -> Extraction:
    """What an extractor finds. One that costs is given what is new since a position, and told what is known."""
    if not isinstance(extractor, GrowingExtractor):
        return extractor.extract(transcript)
    found = extractor.extract(transcript, since=since, known=known_entries(db, transcript, since))
    # What a model does not say again still holds: it is told what is known, and asked not to repeat it.
    return found._replace(is_whole=False)


def read_up_to(db: sqlite3.Connection, session: str, extractor: str) -> int:
    """The position of the log up to which this extractor has read a session with success; 0 when it never did."""
    row = db.execute(_READ, {"session": session, "extractor": extractor}).fetchone()
    return 0 if row is None else int(row[0])


def known_entries(db: sqlite3.Connection, transcript: Transcript, since: int = 0) -> list[KnownEntry]:
    """The entries of this session first, then those of its project that speak of what is new in it, nearest first."""
    ended = transcript.ended_at if transcript.ended_at is not None else _NEVER
    values = {"session": transcript.session_id, "project": transcript.project, "ended": ended, "most": _LOOKED_AT}
    rows = db.execute(_ACTIVE, values).fetchall()
    entries = [(KnownEntry(*row[:5]), frozenset(keywords(f"{row[2]} {row[5]}"))) for row in rows]
    own = [entry for entry, _ in entries if entry.session == transcript.session_id]
    count = Counter(word for _, words in entries for word in words)
    new = _words_of(transcript, since)

    def nearness(words: frozenset[str]) -> float:
        rare = sum(math.log(1 + len(entries) / count[word]) for word in words & new)
        return rare / math.sqrt(len(words) + 1)

    near = [(nearness(words), entry) for entry, words in entries if entry.session != transcript.session_id]
    ranked = sorted((one for one in near if one[0] > 0), key=lambda one: (-one[0], one[1].entry_id))
    titled = {entry.title: entry for _, entry in reversed(ranked)}  # the same in several sessions is shown once
    others = [entry for _, entry in ranked if titled[entry.title] is entry]
    return [*own, *others][:MOST_KNOWN]


def _words_of(transcript: Transcript, since: int) -> frozenset[str]:
    words: set[str] = set()
    for message in reversed(transcript.messages):
        if message.position > since and message.role in ("person", "assistant"):
            words.update(keywords(message.text[:_READ_CHARS], limit=200))
        if len(words) >= _WORDS:
            break
    return frozenset(words)
