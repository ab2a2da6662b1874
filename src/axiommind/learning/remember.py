"""Remembering: an entry that an agent or a person asks for, backed by words of a session."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from axiommind.errors import BadQuery, NotFound
from axiommind.home import Home, now
from axiommind.ids import one_of

if TYPE_CHECKING:
    from axiommind.callers import Caller
    from axiommind.learning.candidates import AlignedDraft
    from axiommind.learning.manual_entries import ManualClaim, RememberResult
    from axiommind.log.sqlite import SqliteLog
    from axiommind.projections.runner import Index
    from axiommind.projections.transcript import Transcript

__all__ = ["RememberRequest", "Remembering"]

_PROJECTS = """
    select distinct project
    from sessions
    where id = :name or id glob :name || '*'
"""


class RememberRequest(NamedTuple):
    """What to remember, and where its words were said."""

    text: str
    title: str | None
    type: str
    quotes: tuple[str, ...]
    ids: tuple[str, ...]
    session: str | None
    project: str | None
    reason: str
    caller: Caller
    kind: str = ""


class Remembering:
    """Turns a request into an entry, if its words are found in a session."""

    def __init__(self, home: Home, read_new: Callable[[str | None], object]) -> None:
        self.home = home
        self._read_new = read_new

    def remember(self, request: RememberRequest) -> RememberResult:
        from axiommind.learning.manual_entries import ManualClaim, check_claim, passages_named
        from axiommind.text.redaction import Redactor

        if not request.quotes and not request.ids:
            raise BadQuery(
                "an entry rests on words that were said in a session, and none were given",
                hint="quote them word for word, or give the ids of passages that search found; "
                "what nobody has said yet belongs in a scratchpad",
            )
        wanted = None if request.ids else self._read_up_to_now(request.session, request.project)
        with self.home.writing([]) as (log, key, index):
            redacted = Redactor(key).text
            said = ManualClaim(
                redacted(_clean(request.text)),
                redacted(_clean(request.title)) if request.title else None,
                request.type,
                # Secrets are marked in what was recorded, so they are marked in what is looked for too.
                tuple(redacted(_clean(quote)) for quote in request.quotes),
                redacted(_clean(request.reason)),
                by_person=request.caller.is_person,
                at=now(),
                kind=request.kind,
            )
            check_claim(said)
            named = passages_named(index.db, request.ids)
            meant = wanted or request.session
            chosen = named[0].session if meant is None else one_of(meant, _sessions(index), "session")
            if named and chosen != named[0].session:
                raise BadQuery(
                    f"{named[0].name!r} is from session {named[0].session}, not from {chosen}",
                    hint="leave the session out: passages know theirs",
                )
            return self._remember(log, key, index, said, chosen, named)

    def _read_up_to_now(self, session: str | None, project: str | None) -> str:
        """The session that is meant, read up to now."""
        wanted = session or self.home.environ.get("CLAUDE_CODE_SESSION_ID") or ""
        if not wanted:
            raise BadQuery(
                "in which session were these words said?",
                hint="name the session, or give the ids of passages that search found",
            )
        with self.home.writing([]) as (_log, _key, index):
            known = index.db.execute(_PROJECTS, {"name": wanted}).fetchall()
        # The client's own session may not be known yet: then its project is the current one.
        places = [row[0] for row in known] if len(known) == 1 else []
        self._read_new(next(iter(places), project or self.home.environ.get("CLAUDE_PROJECT_DIR") or _here()))
        return wanted

    def _remember(
        self, log: SqliteLog, key: bytes, index: Index, said: ManualClaim, session: str, named: Sequence[Any]
    ) -> RememberResult:
        from axiommind.learning.candidates import to_check
        from axiommind.learning.checks import check, find_idris
        from axiommind.learning.claim_events import ClaimOrigin, epoch_of, events_of_claims, is_rejected
        from axiommind.learning.confirmation import confirm, find_same
        from axiommind.learning.event_writer import EventWriter
        from axiommind.learning.manual_entries import RememberResult, align_claim, rises_of
        from axiommind.learning.settling import settle
        from axiommind.projections.entry_rows import find_entry, get_entry
        from axiommind.projections.runner import Segments

        transcript = _transcript(log, index, session)
        epoch = epoch_of(index.db, session)
        one = align_claim(index.db, transcript, said, named, _event_ids(log))
        checked = check([to_check(one)], idris=find_idris(self.home.environ))
        writer = EventWriter(log, key)
        with log.atomic():
            # Nobody else appends now, so the index knows everything.
            index.catch_up(log, Segments(log))
            if log.is_forgotten(session, transcript.project_path) or epoch_of(index.db, session) != epoch:
                raise NotFound(f"session {session} was forgotten", hint="axm forget --undo brings one back")
            is_new = index.db.execute("select 1 from entries where entry_id = ?", (one.entry_id,)).fetchone() is None
            if is_new and is_rejected(index.db, one):
                raise _rejected(index, one)
            same = find_same(index.db, transcript.project, said.text) if is_new else None
            if same is not None:  # said in other words, or elsewhere: the entry that is known is confirmed
                is_new, one = False, one._replace(entry_id=same)
                known = find_entry(index.db, same)
                confirm(writer, known, by_person=said.by_person, session=session, at=said.at or now())
            if is_new:
                origin = ClaimOrigin(
                    session, transcript.project, epoch, transcript.head, said.rule, by_person=said.by_person
                )
                for event in events_of_claims(origin, [one], checked, rises_of(said.by_person)):
                    actor = "user" if said.by_person else "agent"
                    writer.append(event, session=session, project=transcript.project_path, actor=actor)
        settled = settle(log, writer, index, [transcript.project], at=now(), stages=False)
        entry = get_entry(index.db, one.entry_id)
        if entry is None:
            raise NotFound(f"session {session} was forgotten in the meantime", hint="axm forget --undo brings one back")
        return RememberResult(entry, is_new, settled.conflicts)


def _clean(text: str) -> str:
    return text.encode("utf-8", "replace").decode().strip()


def _here() -> str | None:
    try:
        return str(Path.cwd())
    except OSError:  # the current folder was deleted: then every project
        return None


def _sessions(index: Index) -> set[str]:
    return {row[0] for row in index.db.execute("select id from sessions")}


def _transcript(log: SqliteLog, index: Index, session: str) -> Transcript:
    from axiommind.projections.transcript import read

    transcript = read(index.db, log.blob, session)
    if transcript is None:
        raise NotFound(
            f"nothing of session {session!r} is recorded yet",
            hint="axm index reads what is new; ids of passages that search found name their session",
        )
    return transcript


def _event_ids(log: SqliteLog) -> Any:
    def event_id(position: int) -> str:
        event = log.event_at(position)
        return "" if event is None else event.event_id

    return event_id


def _rejected(index: Index, one: AlignedDraft) -> BadQuery:
    (entry,) = index.db.execute("select entry_id from rejected_claims where value_key = ?", (one.value_key,)).fetchone()
    return BadQuery(
        "this claim was rejected before and stays rejected",
        hint=f"axm entry show {entry} shows why; a person can undo that: axm entry deprecate {entry} --undo",
    )
