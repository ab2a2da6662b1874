"""What the record tells of a project in some time: titles and outcomes of sessions, commits, decisions and tasks."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

from axiommind.projections.transcript import Blob
from axiommind.projections.transcript import read as read_transcript
from axiommind.recall.handoff.changes import Commit, commits_of
from axiommind.recall.handoff.values import passage_id
from axiommind.recall.packets.held import content_terms
from axiommind.recall.packets.last_session import (
    first_prompt,
    last_prompt,
    last_words,
    outcome,
    says_any,
    withdrawn_claims,
)
from axiommind.recall.packets.notes import claim, gist, has_words
from axiommind.recall.packets.open_tasks import waits_for
from axiommind.reports.digest.values import DigestCommit, DigestTask, MadeDecision
from axiommind.text.patterns import lazy
from axiommind.text.summary import on_one_line, preview

__all__ = ["RecordReader"]

_TITLE, _OUTCOME, _CLAIM = 160, 300, 240  # characters
_PERSONS = ("person", "picked")
_SAID_BEFORE = ("ended: ", "last said: ")
_RULES = lazy(r"[─━═]{3,}")  # of a banner
_FAMILY = """
    with recursive family(id) as (
      select value from json_each(?)
      union
      select s.id from sessions s join family f on s.parent_session = f.id
    )
    select id from family
"""
_COMMITTING = """
    select distinct session_id from tool_uses
    where session_id in (select value from json_each(?)) and is_error = 0 and input_json like '%git%commit%'
"""
_PULL_REQUESTS = """
    select url from pull_requests
    where session_id in (select value from json_each(:family))
      and (timestamp is null or timestamp >= :since and timestamp < :until)
    group by url
    order by min(coalesce(timestamp, 0)), url
"""
_DECISIONS = """
    select entry_id, session_id, coalesce(happened_at, created_ts), provenance, rule, title, text, content_json
    from entries
    where project = :project
      and kind = 'decision'
      and status = 'active'
      and stage <> 'raw'
      and coalesce(happened_at, created_ts) >= :since
      and coalesce(happened_at, created_ts) < :until
    order by 3 desc, entry_id
"""
_BY_HAND = """
    select decision_id, action, ts, actor from decisions
    where project = :project and ts >= :since and ts < :until
    order by ts desc, decision_id
"""
_LEARNED = """
    select count(*) from entries
    where project = :project
      and status = 'active'
      and kind not in ('open', 'record', 'decision')
      and coalesce(happened_at, created_ts) >= :since
      and coalesce(happened_at, created_ts) < :until
"""
_TASKS = """
    select t.entity_id, t.title, json_extract(t.current_json, '$.status'), max(e.at)
    from task_events e join entities t on t.entity_id = e.entity_id
    where e.project = :project
      and e.at >= :since and e.at < :until
      and not e.withdrawn
      and t.entity_type = 'task'
    group by t.entity_id
    order by 4 desc, t.entity_id
"""
_OPEN = ("in_progress", "blocked", "pending")


class RecordReader:
    """Reads what is told of projects in one time, on one connection."""

    def __init__(self, db: sqlite3.Connection, blob: Blob | None, since: int, until: int) -> None:
        """`blob` reads the log, which alone has the hashes of commits; without it they are told without."""
        self.db = db
        self.blob = blob
        self.since = since
        self.until = until

    def title(self, session: str, title: str | None) -> str:
        """What a session was about: its title, if that says something, else what was asked first."""
        if title is not None and has_words(title) and not says_any(title, withdrawn_claims(self.db, session)):
            return gist(title, _TITLE)
        first = first_prompt(self.db, session)
        return gist(first.text if first is not None else title or "", _TITLE)

    def outcome(self, session: str) -> tuple[str, str, bool]:
        """How a session ended, the id that opens it, and whether what was asked last was answered."""
        words = last_words(self.db, session)
        last = last_prompt(self.db, session)
        if words is None:
            return "", "", last is None
        is_answered = last is None or last.line <= words.line
        found = outcome(self.db, session, words)
        if found is None or says_any(found[2], withdrawn_claims(self.db, session)):
            return "", "", is_answered
        response, _, how = found
        for start in _SAID_BEFORE:
            how = how.removeprefix(start)
        return preview(on_one_line(_RULES.sub("", how)), _OUTCOME), passage_id("response", response), is_answered

    def commits(self, sessions: Sequence[str]) -> tuple[DigestCommit, ...]:
        """In order of time, each once: a session that was resumed has those of the other, too."""
        found: dict[tuple[str, str], DigestCommit] = {}
        for session in sessions:
            for one in self._commits_of(self._family([session])):
                if one.at is not None and self.since <= one.at < self.until:
                    subject = preview(one.subject, _TITLE)
                    use = passage_id("tool", one.use)
                    made = DigestCommit(use, one.session, one.at, one.hash[:8], subject, one.is_pushed)
                    found.setdefault((made.hash, made.subject), made)
        return tuple(sorted(found.values(), key=lambda one: (one.at, one.id)))

    def _commits_of(self, family: Sequence[str]) -> list[Commit]:
        committing = [row[0] for row in self.db.execute(_COMMITTING, (json.dumps(list(family)),))]
        read = {one: None if self.blob is None else read_transcript(self.db, self.blob, one) for one in committing}
        return commits_of(self.db, committing, read)

    def pull_requests(self, sessions: Sequence[str]) -> tuple[str, ...]:
        values = {"family": json.dumps(self._family(sessions)), "since": self.since, "until": self.until}
        return tuple(row[0] for row in self.db.execute(_PULL_REQUESTS, values))

    def decisions(self, project: str, said: Sequence[str]) -> tuple[MadeDecision, ...]:
        """What was decided, each thing once, and nothing that the title of a session or of a commit says."""
        heard = [terms for text in said if (terms := content_terms(text))]
        kept: list[MadeDecision] = []
        rows = self.db.execute(_BY_HAND, self._of(project)).fetchall()
        found = [
            MadeDecision(name, None, at, preview(action, _CLAIM), "agent" if actor == "agent" else "person")
            for name, action, at, actor in rows
        ]
        for name, session, at, provenance, *words in self.db.execute(_DECISIONS, self._of(project)).fetchall():
            found.append(MadeDecision(name, session, at, preview(on_one_line(claim(*words)), _CLAIM), provenance))
        for one in sorted(found, key=lambda one: one.provenance not in _PERSONS):
            terms = content_terms(one.text)
            if not says_any(one.text, heard):
                kept.append(one)
                heard += [terms] if terms else []
        return tuple(kept)

    def tasks(self, project: str, unanswered: Sequence[str]) -> tuple[tuple[DigestTask, ...], tuple[DigestTask, ...]]:
        """What was spoken of in this time: done by now, and still open, what is worked on first. A request without an
        answer is an open task, too: it is not told twice."""
        finished, still_open = [], []
        heard = [terms for title in unanswered if (terms := content_terms(title))]
        for name, title, status, at in self.db.execute(_TASKS, self._of(project)).fetchall():
            task = DigestTask(name, preview(on_one_line(title), _TITLE), status, at)
            if status == "done":
                finished.append(task)
            elif status in _OPEN and not says_any(title, heard):
                waits = waits_for(self.db, name) if status == "blocked" else ""
                still_open.append(task._replace(waits_for=waits))
        still_open.sort(key=lambda task: _OPEN.index(task.status))
        return tuple(finished), tuple(still_open)

    def learned(self, project: str) -> int:
        (count,) = self.db.execute(_LEARNED, self._of(project)).fetchone()
        return int(count)

    def _family(self, sessions: Sequence[str]) -> list[str]:
        """These and their subagents."""
        return [row[0] for row in self.db.execute(_FAMILY, (json.dumps(list(sessions)),))]

    def _of(self, project: str) -> dict[str, str | int]:
        return {"project": project, "since": self.since, "until": self.until}
