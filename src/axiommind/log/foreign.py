"""The door for events of other homes, and the form in which events travel.

Use, for whoever syncs (`log` is an open `SqliteLog`):

- `join(log, OriginHome(0, ID, who, name, relation, verify_key=…))` makes a home known before anything of it is
  appended; `relation` is `own` for another machine of this home's person, `teammate` for anybody else's, and `self`
  (once) for this home. `log.origins.all()` lists them. A machine that has left gets `state='gone'` by the same call.
- `outgoing(log, after, most)` gives this home's events that may travel, in order, each with the names of its texts;
  what was forgotten, and what stays at home, is not among them. `line_of(one)` is one line of a segment's body, without
  the line break.
- `read_lines(body)` is the other way, and raises `ForeignRefused` for anything that is not exactly such lines: too
  long, too deep, NaN, a key twice, a field too many or of another type, a checksum that does not fit, numbers that do
  not rise.
- `append_foreign(log, ID, events, texts, link)` appends what it gave, in one transaction with the row of `chain`.
  `texts` are the stored bytes of every text that the events name, by name, as `(codec, bytes)`; None where it is gone
  for ever (its session's key was destroyed). A name that is missing raises `ForeignRefused`: fetch it, then come again.
  Any failure leaves nothing behind. Again with the same events: nothing happens, and it is said how many were there.

What is not taken is in the table `quarantine`: an event that this home's redactor would change, or whose id is taken; a
text that is not what its name says, that is too large, or that the redactor would change (its event is appended without
it). Texts are never rewritten: spans point into them.

What they say of themselves counts as little as it can. They get our time and a position of ours; their key is made of
whose they are and their number, and is nobody's to choose. What was forgotten here is left out. `forgotten` of another
machine of this person forgets here; of a team mate it forgets that person's sessions only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from axiommind.ids import checksum, dedupe_key
from axiommind.log import tombstones
from axiommind.log.blobs import Sealed, reseal
from axiommind.log.lines import ForeignRefused, Outgoing, line_of, outgoing, read_lines
from axiommind.log.origins import ABOUT_FORGETTING, TRAVELS, UNREAD, VOCABULARY
from axiommind.log.sqlite import SqliteLog
from axiommind.model import Event, OriginHome

__all__ = [
    "ChainLink",
    "ForeignRefused",
    "Outgoing",
    "Received",
    "append_foreign",
    "join",
    "line_of",
    "outgoing",
    "read_lines",
]

# A machine of the same person may be this far ahead: what is done here after it was seen is later than it. A clock that
# is wrong by more lifts nothing.
_AHEAD_MS = 10 * 60_000
# What a person rejected stays rejected when its session is forgotten: of these only the text is left out.
_REJECTIONS = ("entry_deprecated", "entry_restored")


class ChainLink(NamedTuple):
    """The segment that some events came in: the row of `chain` that is written with them."""

    space: str
    n: int
    hash: bytes
    last_seq: int


class Received(NamedTuple):
    """How many events were appended, were there already, are of what was forgotten here, and were refused; and how many
    texts were refused."""

    appended: int = 0
    known: int = 0
    forgotten: int = 0
    quarantined: int = 0
    texts_quarantined: int = 0


# --- the door ----------------------------------------------------------------------------------------------


def join(log: SqliteLog, home: OriginHome) -> OriginHome:
    """Make a home known, or what is new about one. Said in the log too: what surfaces show of its sessions comes from
    events."""
    with log.atomic():
        found = log.origins.put(home)
        said = {
            "number": found.id,
            "origin": found.origin,
            "who": found.who,
            "name": found.name,
            "relation": found.relation,
            "state": found.state,
        }
        log.append_dedup(
            "origin_joined", actor="sync", payload=said, dedupe_key=dedupe_key("origin_joined", checksum(said))
        )
    return found


def append_foreign(
    log: SqliteLog,
    origin: str,
    events: Sequence[Outgoing],
    texts: Mapping[str, tuple[str, bytes] | None],
    link: ChainLink | None = None,
) -> Received:
    """Append what happened in another home that was made known (`join`). See above."""
    home = log.origins.named(origin)
    if home is None or home.id == 0:
        raise ForeignRefused(f"nobody knows the home {origin}", hint="axm sync status lists the machines")
    missing = {name for one in events for name in one.texts} - texts.keys()
    if missing:
        raise ForeignRefused(f"{len(missing)} texts are not there yet, the first is {min(missing)}")
    with log.atomic():
        done = _Door(log, home, texts, link)
        for one in events:
            try:
                done.take(one)
            except (LookupError, TypeError, AttributeError, ValueError) as error:
                what = f"event {one.event.seq} is not what a {one.event.event_type} has to be"
                raise ForeignRefused(f"{what}: {type(error).__name__} {error}") from error
        if link is not None:
            log._db.execute(
                "insert into chain(space, origin, n, hash, last_seq) values (?, ?, ?, ?, ?)",
                (link.space, home.id, link.n, link.hash, link.last_seq),
            )
    return done.received


class _Door:
    """One call of `append_foreign`, inside its transaction."""

    def __init__(
        self, log: SqliteLog, home: OriginHome, texts: Mapping[str, tuple[str, bytes] | None], link: ChainLink | None
    ) -> None:
        self._log, self._home, self._texts, self._link = log, home, texts, link
        self._sealed: dict[str, Sealed | None] = {}
        # Of these there are few in many events.
        self._clean: set[str | None] = set()
        self._kept: set[tuple[str | None, str | None]] = set()
        self.received = Received()

    def _count(self, name: str) -> None:
        self.received = self.received._replace(**{name: getattr(self.received, name) + 1})

    def take(self, one: Outgoing) -> None:
        log, home, theirs = self._log, self._home, one.event
        session = log.origins.local_id(home, theirs.session_id)
        project = log.origins.local_path(home, theirs.project)
        is_forgotten = theirs.event_type not in ABOUT_FORGETTING and self._is_forgotten(session, project)
        if is_forgotten and theirs.event_type not in _REJECTIONS:
            self._count("forgotten")
            return
        if not self._is_clean(theirs):
            self._quarantine(theirs, None, "it holds what looks like a secret here")
            return
        is_read = theirs.event_type in TRAVELS and (theirs.schema or 0) <= VOCABULARY
        event = theirs._replace(
            event_id=str(log.origins.local_id(home, theirs.event_id)),
            ts=self._ts(theirs),
            event_type=theirs.event_type if is_read else UNREAD + theirs.event_type,
            session_id=session,
            project=project,
            build_id=log.origins.local_id(home, theirs.build_id),
            origin=home.id,
        )
        if log._read("select 1 from event_dedup where dedupe_key = ?", (self._key(theirs),)):
            self._count("known")
            return
        if there := log._read("select checksum, origin from events where event_id = ?", (event.event_id,)):
            if self._is_the_same(theirs, *there[0]):
                self._count("known")
            else:
                self._quarantine(theirs, None, "another event has its id")
            return
        appended = log._insert(event, self._key(theirs))
        assert appended is not None
        names = () if is_forgotten else one.texts
        log._store(appended.position, [sealed for name in names if (sealed := self._text(theirs, name))])
        self._count("appended")
        if is_read and theirs.event_type in ABOUT_FORGETTING:
            _forget(log, log.origins.event(appended))
            self._kept.clear()
        elif is_read and theirs.event_type == "forget_done":
            self._acknowledge(theirs)

    def _key(self, event: Event) -> str:
        return dedupe_key("foreign", self._home.origin, event.seq or 0)

    def _is_clean(self, theirs: Event) -> bool:
        """Whether this home's redactor changes nothing of it."""
        value = self._log._redactor.value
        names = {theirs.session_id, theirs.project, theirs.actor, theirs.event_type} - self._clean
        if any(value(name) is not name for name in names):
            return False
        self._clean |= names
        return value(theirs.payload) is theirs.payload

    def _is_forgotten(self, session: str | None, project: str | None) -> bool:
        if (session, project) in self._kept:
            return False
        if self._log.is_forgotten(session, project):
            return True
        self._kept.add((session, project))
        return False

    def _is_the_same(self, theirs: Event, checksum: str, origin: int) -> bool:
        """Whether an event that is here is this very one: a machine that was copied, or has another name now, has what
        it had before in common with what it was."""
        is_own = origin == 0 or self._log.origins.numbered(origin).relation == "own"
        return is_own and self._home.relation == "own" and checksum == theirs.checksum

    def _acknowledge(self, theirs: Event) -> None:
        """Another home has forgotten something."""
        done = theirs.payload.get("forgotten")
        if isinstance(done, list):
            self._log._db.executemany(
                "insert into forget_acks(forgotten_id, origin, at) values (?, ?, ?) on conflict do nothing",
                [(one, self._home.id, theirs.ts) for one in done if isinstance(one, str)],
            )

    def _ts(self, theirs: Event) -> int:
        now = self._log._next_ts()
        if self._home.relation == "own" and now < theirs.ts <= now + _AHEAD_MS:
            return theirs.ts
        return now

    def _text(self, event: Event, name: str) -> Sealed | None:
        """The text of that name, sealed for this home; None where it is gone or refused."""
        if name not in self._sealed:
            stored = self._texts[name]
            sealed = None if stored is None else reseal(self._log._redactor, self._log._key, name, *stored)
            if isinstance(sealed, str):
                self._quarantine(event, name, sealed)
                sealed = None
            self._sealed[name] = sealed
        return self._sealed[name]

    def _quarantine(self, event: Event, name: str | None, why: str) -> None:
        self._count("quarantined" if name is None else "texts_quarantined")
        link = self._link
        self._log._db.execute(
            """
            insert into quarantine(space, origin, n, seq, blob, why, at)
            values (:space, :origin, :n, :seq, :blob, :why, :at)
            """,
            {
                "space": link.space if link else "",
                "origin": self._home.origin,
                "n": link.n if link else 0,
                "seq": event.seq,
                "blob": name,
                "why": why,
                "at": self._log._next_ts(),
            },
        )


# --- forgetting --------------------------------------------------------------------------------------------


def _forget(log: SqliteLog, event: Event) -> None:
    """What another home forgot, or took back, forgotten here: what was said last of a session or project holds, in
    whatever order it arrives."""
    later = [one for one in log.replay(ABOUT_FORGETTING) if one.order > event.order]
    if event.event_type == "forget_lifted":
        names = [("session", event.payload["session"]), ("project", event.payload["project"])]
        for kind, name in names:
            if name is not None and not any(_names(one, kind, name) for one in later):
                log._db.execute("delete from tombstones where kind = ? and key = ?", (kind, name))
        return
    kept = [("session", name) for name in event.payload["sessions"] if not _lifted(later, "session", name)]
    project = event.payload["project"]
    if project is not None and _lifted(later, "project", project):
        project = None
    marks = [*kept, *([("project", project)] if project is not None else [])]
    log._db.executemany(
        "insert into tombstones(kind, key, position) values (?, ?, ?) on conflict do nothing",
        [(*mark, event.position) for mark in marks],
    )
    tombstones.purge(log._db, log.purges, event.position, [name for _, name in kept], project)


def _names(event: Event, kind: str, name: str) -> bool:
    given = event.payload
    if event.event_type == "forget_lifted":
        return bool(given[kind] == name)
    return name in given["sessions"] if kind == "session" else bool(given["project"] == name)


def _lifted(later: Iterable[Event], kind: str, name: str) -> bool:
    """Whether it was taken back later, and not forgotten again since."""
    about = sorted((one for one in later if _names(one, kind, name)), key=lambda one: one.order)
    return bool(about) and about[-1].event_type == "forget_lifted"
