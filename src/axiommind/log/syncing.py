"""The tables of the log that only syncing reads and writes: spaces, chains, what waits to be published, keys of
sessions, what was refused, and who has forgotten what. A home without a remote never loads this.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from axiommind.log.identity import set_key
from axiommind.log.origins import TRAVELS
from axiommind.log.sqlite import SqliteLog

__all__ = ["Link", "RefusedItem", "SpaceRow", "SyncTables", "Waiting"]


class SpaceRow(NamedTuple):
    """A set of readers: `kind` private or team, `owner` who may remove others' sessions from it, `key` the keys of its
    epochs, one after the other."""

    space: str
    name: str
    kind: str
    owner: str
    remote: str
    epoch: int
    key: bytes


class Link(NamedTuple):
    """The newest segment of an origin that is published or applied; number 0 where there is none yet, and then
    `last_seq` is what a home that had another name has published under it."""

    n: int
    hash: bytes
    last_seq: int


class Waiting(NamedTuple):
    """A segment that is built and not acknowledged."""

    n: int
    bytes: bytes


class RefusedItem(NamedTuple):
    """What was not taken of another home, and why. `seq` is of an event, `blob` of a text; else it is a segment."""

    space: str
    origin: str
    n: int
    seq: int | None
    blob: str | None
    why: str
    at: int


_NOTHING = Link(0, b"", 0)


class SyncTables:
    """The tables of an open log. Every method that writes belongs into a transaction (`log.atomic()`)."""

    def __init__(self, log: SqliteLog) -> None:
        self._log = log
        self._db = log._db

    # --- spaces -----------------------------------------------------------------------------------------------

    def spaces(self) -> list[SpaceRow]:
        """All of them, one's own first: a machine that is met there is one's own in a team, too."""
        rows = self._db.execute(
            "select space, name, kind, owner, remote, epoch, key from spaces order by kind = 'team', space"
        )
        return [SpaceRow(*row) for row in rows]

    def private_spaces(self) -> list[SpaceRow]:
        """Those of this home's person alone."""
        return [one for one in self.spaces() if one.kind == "private"]

    def put_space(self, row: SpaceRow) -> None:
        self._db.execute(
            """
            insert into spaces(space, name, kind, owner, remote, epoch, key)
            values (:space, :name, :kind, :owner, :remote, :epoch, :key)
            on conflict(space) do update set
                name = excluded.name, kind = excluded.kind, owner = excluded.owner,
                remote = excluded.remote, epoch = excluded.epoch, key = excluded.key
            """,
            row._asdict(),
        )

    def remove_space(self, space: str) -> None:
        """Leave a space. What came from it stays, and how far it was read: whoever comes back goes on there."""
        for table in ("spaces", "quarantine"):
            self._db.execute(f"delete from {table} where space = ?", (space,))

    def take_key(self, key: bytes) -> None:
        """A log that is empty is written with another key from now on."""
        set_key(self._db, key)

    # --- chains -----------------------------------------------------------------------------------------------

    def tip(self, space: str, origin: int) -> Link:
        row = self._db.execute(
            "select n, hash, last_seq from chain where space = ? and origin = ? order by n desc limit 1",
            (space, origin),
        ).fetchone()
        return Link(*row) if row else _NOTHING

    def link(self, space: str, origin: int, n: int) -> Link | None:
        row = self._db.execute(
            "select n, hash, last_seq from chain where space = ? and origin = ? and n = ?", (space, origin, n)
        ).fetchone()
        return Link(*row) if row else None

    def add_link(self, space: str, origin: int, link: Link) -> None:
        self._db.execute(
            "insert into chain(space, origin, n, hash, last_seq) values (?, ?, ?, ?, ?) on conflict do nothing",
            (space, origin, *link),
        )

    def tips(self, space: str) -> dict[int, int]:
        """The newest segment of every home that is known in a space, by its number here; this one is not among them."""
        found = {}
        for home in self._log.origins.all():
            row = self._db.execute(
                "select n from chain where space = ? and origin = ? order by n desc limit 1", (space, home.id)
            ).fetchone()
            if home.id and row is not None:
                found[home.id] = int(row[0])
        return found

    def hand_over(self, space: str, old: int, upto: int) -> None:
        """This home takes another name: what it published so far is that of the home whose number is `old`, and its own
        chain begins anew, with what came after segment `upto`."""
        kept = self.link(space, 0, upto) or _NOTHING
        self._db.execute("delete from chain where space = ? and origin = 0 and n > ?", (space, upto))
        self._db.execute("update chain set origin = ? where space = ? and origin = 0", (old, space))
        self.add_link(space, 0, Link(0, b"", kept.last_seq))
        self._db.execute("delete from sync_outbox where space = ?", (space,))
        self._db.execute("delete from session_keys where space = ?", (space,))

    # --- what waits to be published ---------------------------------------------------------------------------

    def waiting(self, space: str) -> list[Waiting]:
        rows = self._db.execute("select n, bytes from sync_outbox where space = ? order by n", (space,))
        return [Waiting(*row) for row in rows]

    def put_waiting(self, space: str, segment: Waiting) -> None:
        self._db.execute("insert into sync_outbox(space, n, bytes) values (?, ?, ?)", (space, *segment))

    def published(self, space: str, link: Link) -> None:
        """A segment of this home is where it belongs."""
        self.add_link(space, 0, link)
        self._db.execute("delete from sync_outbox where space = ? and n = ?", (space, link.n))

    def own_after(self, position: int) -> int:
        """How many events of this home after a position may travel."""
        types = sorted(TRAVELS)
        marks = ",".join("?" * len(types))
        row = self._db.execute(
            f"select count(*) from events where position > ? and origin = 0 and event_type in ({marks})",
            (position, *types),
        )
        return int(row.fetchone()[0])

    def stored_bytes(self, texts: Sequence[str]) -> int:
        """How long these texts are, as they are stored."""
        marks = ",".join("?" * len(texts))
        row = self._db.execute(f"select coalesce(sum(length(data)), 0) from blobs where hash in ({marks})", texts)
        return int(row.fetchone()[0])

    def session_key(self, space: str, session: str) -> bytes | None:
        row = self._db.execute(
            "select key from session_keys where space = ? and session = ?", (space, session)
        ).fetchone()
        return None if row is None else bytes(row[0])

    def session_groups(self, space: str) -> set[str]:
        """What texts were published of, in a space."""
        return {row[0] for row in self._db.execute("select session from session_keys where space = ?", (space,))}

    def put_session_key(self, space: str, session: str, key: bytes) -> None:
        self._db.execute("insert into session_keys(space, session, key) values (?, ?, ?)", (space, session, key))

    def drop_session_keys(self, space: str, sessions: set[str]) -> None:
        self._db.executemany(
            "delete from session_keys where space = ? and session = ?", [(space, one) for one in sessions]
        )

    # --- what was refused -------------------------------------------------------------------------------------

    def refuse(self, refusal: RefusedItem) -> None:
        """Note what was not taken, once."""
        self._db.execute(
            """
            delete from quarantine
            where space = :space and origin = :origin and n = :n and seq is :seq and blob is :blob
            """,
            refusal._asdict(),
        )
        self._db.execute(
            """
            insert into quarantine(space, origin, n, seq, blob, why, at)
            values (:space, :origin, :n, :seq, :blob, :why, :at)
            """,
            refusal._asdict(),
        )

    def accept(self, space: str, origin: str, n: int) -> None:
        """A segment that was refused is good by now."""
        self._db.execute(
            "delete from quarantine where space = ? and origin = ? and n = ? and seq is null and blob is null",
            (space, origin, n),
        )

    def refused(self) -> list[RefusedItem]:
        rows = self._db.execute("select space, origin, n, seq, blob, why, at from quarantine order by id")
        return [RefusedItem(*row) for row in rows]

    # --- forgetting -------------------------------------------------------------------------------------------

    def unacknowledged(self) -> list[tuple[int, str]]:
        """Forgettings that this home has not said to have done: position and id of the event."""
        rows = self._db.execute(
            """
            select position, event_id from events
            where event_type = 'forgotten' and event_id not in (select forgotten_id from forget_acks where origin = 0)
            order by position
            """
        )
        return [(row[0], row[1]) for row in rows]

    def acknowledgements(self) -> dict[str, dict[int, int]]:
        """Which home has said of which forgetting that it is done, and when."""
        found: dict[str, dict[int, int]] = {}
        for name, origin, at in self._db.execute("select forgotten_id, origin, at from forget_acks"):
            found.setdefault(name, {})[origin] = at
        return found

    def was_forgotten(self, session: str | None, project: str | None) -> bool:
        """Whether anybody ever forgot this session or project, also if it was taken back."""
        return any(
            session in event.payload["sessions"] or (project is not None and event.payload["project"] == project)
            for event in self._log.replay(["forgotten"])
        )

    def groups_forgotten(self, sessions: Sequence[str], project: str | None) -> set[str]:
        """The groups (`sync/packs.py`) of this home's texts that a forgetting covers."""
        found = set(sessions)
        if project is not None:
            rows = self._db.execute("select distinct session_id from events where project = ?", (project,))
            found |= {f"project {project}", *(row[0] for row in rows if row[0] is not None)}
        return found

    # --- sharing ----------------------------------------------------------------------------------------------

    def own_sessions(self) -> set[str]:
        """The sessions that were recorded here."""
        rows = self._db.execute(
            "select distinct session_id from events where event_type = 'transcript_segment' and origin = 0"
        )
        return {row[0] for row in rows if row[0] is not None}

    def sessions_of(self, project: str | None) -> set[str]:
        """The sessions of this home whose events name a project."""
        rows = self._db.execute("select distinct session_id from events where project = ? and origin = 0", (project,))
        return {row[0] for row in rows if row[0] is not None}

    def projects_of(self, session: str) -> set[str]:
        """The projects that the events of a session of this home name."""
        rows = self._db.execute("select distinct project from events where session_id = ? and origin = 0", (session,))
        return {row[0] for row in rows if row[0] is not None}

    def is_of_teammate(self, name: str) -> bool:
        """Whether an event, as its home calls it, is one of a team mate's."""
        rows = self._db.execute(
            """
            select 1 from events join origins on origins.id = events.origin
            where relation = 'teammate' and event_id = :name || '@' || who
            """,
            {"name": name},
        )
        return rows.fetchone() is not None

    def not_taken_back(self) -> list[tuple[int, str]]:
        """What is shared no longer and may still lie at a remote: position and id of the event."""
        rows = self._db.execute(
            """
            select position, event_id from events
            where event_type = 'unshared' and origin = 0
              and event_id not in (select forgotten_id from forget_acks where origin = 0)
            order by position
            """
        )
        return [(row[0], row[1]) for row in rows]

    def acknowledge(self, names: Sequence[str], at: int) -> None:
        """This home has done these forgettings."""
        self._db.executemany(
            "insert into forget_acks(forgotten_id, origin, at) values (?, 0, ?) on conflict do nothing",
            [(name, at) for name in names],
        )
