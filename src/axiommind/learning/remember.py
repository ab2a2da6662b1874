"""Remembering: an entry that an agent or a person asks for, with the words it rests on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from axiommind.errors import BadQuery, NotFound
from axiommind.home import Home, now
from axiommind.ids import one_of

if TYPE_CHECKING:
    from axiommind.learning.candidates import Noticed
    from axiommind.learning.manual_entries import Remembered, Said
    from axiommind.log.sqlite import SqliteLog
    from axiommind.projections.runner import Index
    from axiommind.projections.transcript import Transcript

__all__ = ["Remembering", "Wish"]


class Wish(NamedTuple):
    """What is to be remembered, and where its words were said."""

    text: str
    title: str | None
    type: str
    quotes: tuple[str, ...]
    ids: tuple[str, ...]
    session: str | None
    project: str | None
    reason: str
    actor: str


class Remembering:
    """Turns a wish into an entry, if its words are found in a session."""

    def __init__(self, home: Home, read_new: Callable[[str | None], object]) -> None:
        self.home = home
        self._read_new = read_new

    def remember(self, wish: Wish) -> Remembered:
        from axiommind.learning.manual_entries import Said, check_said, passages_named
        from axiommind.text.redaction import Redactor

        if not wish.quotes and not wish.ids:
            raise BadQuery(
                "an entry rests on words that were said in a session, and there are none",
                hint="quote them word for word, or give the ids of passages that search found; "
                "what nobody said yet belongs into a scratchpad",
            )
        wanted = None if wish.ids else self._read_up_to_now(wish.session, wish.project)
        with self.home.writing([]) as (log, key, index):
            redacted = Redactor(key).text
            said = Said(
                redacted(_clean(wish.text)),
                redacted(_clean(wish.title)) if wish.title else None,
                wish.type,
                # What was recorded has marks in the place of secrets, and so has what is looked for in it.
                tuple(redacted(_clean(quote)) for quote in wish.quotes),
                redacted(_clean(wish.reason)),
                by_person=wish.actor == "user",
                at=now(),
            )
            check_said(said)
            named = passages_named(index.db, wish.ids)
            meant = wanted or wish.session
            chosen = named[0].session if meant is None else one_of(meant, _sessions(index), "session")
            if named and chosen != named[0].session:
                raise BadQuery(
                    f"{named[0].name!r} is of session {named[0].session}, not of {chosen}",
                    hint="passages know their session: leave it out",
                )
            return self._remember(log, key, index, said, chosen, named)

    def _read_up_to_now(self, session: str | None, project: str | None) -> str:
        """The session that is meant, after what it has said by now was read."""
        wanted = session or self.home.environ.get("CLAUDE_CODE_SESSION_ID") or ""
        if not wanted:
            raise BadQuery(
                "in which session were these words said?",
                hint="name the session, or give the ids of passages that search found",
            )
        with self.home.writing([]) as (_log, _key, index):
            known = index.db.execute(
                "select distinct project from sessions where id = :name or id glob :name || '*'", {"name": wanted}
            ).fetchall()
        # The client's own session may not be known yet: then its project is the one that is worked in.
        places = [row[0] for row in known] if len(known) == 1 else []
        self._read_new(next(iter(places), project or self.home.environ.get("CLAUDE_PROJECT_DIR") or _here()))
        return wanted

    def _remember(
        self, log: SqliteLog, key: bytes, index: Index, said: Said, session: str, named: Sequence[Any]
    ) -> Remembered:
        from axiommind.learning.candidates import candidate
        from axiommind.learning.checks import check, find_idris
        from axiommind.learning.claim_events import Origin, emits_of, epoch_of, is_rejected
        from axiommind.learning.event_writer import Writer
        from axiommind.learning.manual_entries import Remembered, noticed_in, rises_of
        from axiommind.projections.entry_rows import one_entry
        from axiommind.projections.runner import Segments

        transcript = _transcript(log, index, session)
        epoch = epoch_of(index.db, session)
        one = noticed_in(index.db, transcript, said, named, _event_ids(log))
        checked = check([candidate(one)], idris=find_idris(self.home.environ))
        writer = Writer(log, key)
        conflicts: list[str] = []
        with log.atomic():
            # Nobody else appends now, so what is worked out from the index is worked out from all there is.
            index.catch_up(log, Segments(log))
            if log.is_forgotten(session, transcript.project) or epoch_of(index.db, session) != epoch:
                raise NotFound(f"session {session} was forgotten", hint="axm forget --undo brings one back")
            is_new = index.db.execute("select 1 from entries where entry_id = ?", (one.entry_id,)).fetchone() is None
            if is_new:
                if is_rejected(index.db, one):
                    raise _rejected(index, one)
                origin = Origin(
                    session, transcript.project, epoch, transcript.head, said.rule, by_person=said.by_person
                )
                for emit in list(emits_of(index.db, origin, [one], checked, rises_of(said.by_person))):
                    actor = "user" if said.by_person else "agent"
                    writer.append(emit, session=session, project=transcript.project, actor=actor)
                    if emit.event_type == "conflict_detected":
                        conflicts.append(str(emit.payload["conflict_id"]))
        index.catch_up(log, Segments(log))
        entry = one_entry(index.db, one.entry_id)
        if entry is None:
            raise NotFound(f"session {session} was forgotten meanwhile", hint="axm forget --undo brings one back")
        return Remembered(entry, is_new, tuple(conflicts))


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


def _rejected(index: Index, one: Noticed) -> BadQuery:
    (entry,) = index.db.execute("select entry_id from rejected_claims where value_key = ?", (one.value_key,)).fetchone()
    return BadQuery(
        "the same claim was rejected before, and stays rejected",
        hint=f"axm entry show {entry} shows why; a person can take that back: axm deprecate {entry} --undo",
    )
