"""One run: pull every space, forget what was forgotten elsewhere, publish, and say how far this home is.

Remotes are apart: one that cannot be reached is said, and the others go on. Nothing is projected before everything that
was reached is appended, so that what was forgotten on one machine is never shown after it came from another.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from axiommind.errors import AxmError, RemoteFailed
from axiommind.home import now
from axiommind.ids import checksum, dedupe_key
from axiommind.log.foreign import join
from axiommind.log.sqlite import SqliteLog
from axiommind.log.syncing import Link, SyncTables
from axiommind.model import Event, OriginHome
from axiommind.sync.admission import Founder, MemberCard
from axiommind.sync.machine import OwnMachine, become_another, read_machine
from axiommind.sync.publishing import Forked, Published, Publisher
from axiommind.sync.pulling import Pulled, Puller
from axiommind.sync.remote import KnowsPeople, Remote
from axiommind.sync.remotes import open_remote
from axiommind.sync.segments import MOST_EVENTS
from axiommind.sync.sharing import Share, SharedEvents, family, in_force, settle
from axiommind.sync.spaces import SharedSpace, StateCard, members_of
from axiommind.sync.state import RunState, read_admission, read_state

__all__ = ["ACTOR", "Remotes", "SpaceReport", "SyncRun"]

ACTOR = "axm-sync"
_SAY_AGAIN_MS = 10 * 60_000
_LOOK_AGAIN_MS = 60_000
Tick = Callable[[int, int], None]


class SpaceReport(NamedTuple):
    """What became of one space in one run. `problems` are for a person to look at; `error` is why it was not synced."""

    space: str
    name: str
    remote: str
    pulled: Pulled = Pulled()
    published: Published = Published()
    problems: tuple[str, ...] = ()
    error: str = ""
    hint: str = ""


class SharedNow(NamedTuple):
    """What is shared with a team now, and the sessions of it with their subagents."""

    shares: list[Share]
    sessions: set[str]


class Remotes:
    """Remotes that are open, by URL: whoever watches keeps them."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self._open: dict[str, Remote] = {}

    def at(self, url: str) -> Remote:
        if url not in self._open:
            self._open[url] = open_remote(url, self._environ)
        return self._open[url]

    def close(self) -> None:
        for remote in self._open.values():
            with contextlib.suppress(RemoteFailed):
                remote.close()
        self._open.clear()


class SyncRun:
    """One run over an open log."""

    def __init__(self, home: Path, log: SqliteLog, remotes: Remotes, tick: Tick | None = None) -> None:
        self._home, self._log, self._remotes = home, log, remotes
        self._tables = SyncTables(log)
        self.state: RunState = read_state(home, log.identity().name)
        self.spaces = {row.space: SharedSpace(row) for row in self._tables.spaces()}
        self.reports = {one.id: SpaceReport(one.id, one.row.name, one.row.remote) for one in self.spaces.values()}
        self.notes: list[str] = []
        self._heads: dict[str, dict[str, int]] = {}
        self._tick = tick
        self._done = self._total = 0
        self.machine = self._machine()

    def _machine(self) -> OwnMachine:
        found = read_machine(self._home, self._log)
        assert found is not None, "whoever has a space has a name"
        return found if found.seed else self._renamed({}, "its log came from elsewhere")

    # --- pulling ----------------------------------------------------------------------------------------------

    def pull(self) -> bool:
        """Append what is new of others; returns whether anything came."""
        before = self._log.last_position()
        for space in self._reachable():
            self.state.put(space.id, tried=now())
            with self._reported(space):
                self._pull(space)
        return self._log.last_position() > before

    def _pull(self, space: SharedSpace) -> None:
        remote = self._remotes.at(space.row.remote)
        if space.row.kind == "team" and isinstance(remote, KnowsPeople) and not remote.people(space.id):
            name = space.row.name
            raise RemoteFailed(
                f"you are in {name} no longer", hint=f"whoever made it lets you in again, or: axm team leave {name}"
            )
        known = self._applied(space)
        heads = self._heads[space.id] = remote.heads(space.id, known)
        own = heads.get(self.machine.origin, 0)
        others = {origin: n for origin, n in heads.items() if origin != self.machine.origin}
        news = sum(max(0, n - known.get(origin, 0)) for origin, n in others.items())
        is_met = bool(others.keys() - known.keys()) or now() - self.state.number(space.id, "met") > _LOOK_AGAIN_MS
        if is_met:
            space = self._met(space, remote)
        self._expect(news)
        homes = self._homes_to_pull(space, others)
        pulled = Puller(self._log, space, remote).run(others, homes, self._tell)
        if pulled.stopped and not is_met:  # perhaps for a key that was left for this home meanwhile
            space = self._met(space, remote)
            pulled = pulled.and_then(Puller(self._log, space, remote).run(others, homes, self._tell))
        strangers = others.keys() - {one.origin for one in homes}
        problems = [f"segments of {origin[:8]}… wait: its card is not there yet" for origin in sorted(strangers)]
        self._note(space, pulled=pulled, problems=problems)
        self._heads[space.id][self.machine.origin] = own

    def _homes_to_pull(self, space: SharedSpace, others: Collection[str]) -> list[OriginHome]:
        """What one's own machines send to a team comes through one's own space."""
        homes = [one for one in self._log.origins.all() if one.id and one.origin in others]
        return [one for one in homes if one.relation != "own" or space.row.kind == "private"]

    def _met(self, space: SharedSpace, remote: Remote) -> SharedSpace:
        """Read who is in a space: somebody is new."""
        members, wrong = members_of(remote, space)
        newer = space.take_keys(remote, self.machine, self._givers(space, members))
        if newer.row != space.row:
            with self._log.atomic():
                self._tables.put_space(newer.row)
            self.spaces[space.id] = space = newer
            members, wrong = members_of(remote, space)
        for member in members:
            if member.origin != self.machine.origin and (why := self._joined(space, member)):
                wrong.append(why)
        self._note(space, problems=wrong)
        self.state.put(space.id, met=now())
        return space

    def _givers(self, space: SharedSpace, members: list[MemberCard]) -> list[MemberCard]:
        """Who may give this home keys: its own person's machines, and the owner's."""
        own = {one.origin for one in self._log.origins.all() if one.relation == "own"}
        if space.row.kind == "team":
            founder = Founder.of(space.row.owner)
            return [MemberCard(founder.origin, "", "", founder.public)]
        return [one for one in members if one.origin in own]

    def _joined(self, space: SharedSpace, member: MemberCard) -> str:
        """Make a home known that shares this space; why not, where its card says what it did not say before."""
        known = self._log.origins.named(member.origin)
        if known is None:
            is_own = space.row.kind == "private"
            known = join(self._log, member.as_home("own" if is_own else "teammate"))
        elif known.verify_key not in (None, member.public):
            return f"the card of {known.label} names another key than before: it is not believed"
        elif known.verify_key is None:
            known = join(self._log, member.as_home(known.relation, known.state))
        with self._log.atomic():
            self._tables.add_link(space.id, known.id, Link(0, b"", 0))
        return ""

    def _applied(self, space: SharedSpace) -> dict[str, int]:
        """How far each other home of a space was read."""
        return {self._log.origins.numbered(number).origin: n for number, n in self._tables.tips(space.id).items()}

    # --- forgetting -------------------------------------------------------------------------------------------

    def destroy(self) -> bool:
        """Destroy the keys and the texts of what was forgotten, wherever this home published; and say so in the log
        once its own purge is proven and every remote has done it. Returns whether there is something to say."""
        pending = {one.position for one in self._log.purges.pending()}
        done: list[str] = []
        for position, name in self._tables.unacknowledged():
            event = self._log.event_at(position)
            if event is None:
                continue
            groups = self._groups_forgotten(event)
            for space in self._reachable():
                with self._reported(space):
                    self._destroy_in(space, groups)
            if position not in pending:
                done.append(name)
        if not done or any(one.error for one in self.reports.values()):
            return False
        self._acknowledge(done)
        return True

    def destroy_shared(self) -> None:
        """Destroy the keys and the texts of what is shared no longer, in the space of its team alone."""
        for position, name in self._tables.not_taken_back():
            event = self._log.event_at(position)
            space = None if event is None else self.spaces.get(event.payload["space"])
            if event is None or space is None or self.reports[space.id].error:
                continue
            with self._reported(space):
                said = event.payload
                self._destroy_in(space, self._tables.groups_forgotten(said["sessions"], said["project"]))
                with self._log.atomic():
                    self._tables.acknowledge([name], now())

    def _groups_forgotten(self, event: Event) -> set[str]:
        """Whose texts are to go: of what was taken back since, none."""
        marks = self._log.tombstones()
        sessions = [name for name in event.payload["sessions"] if ("session", name) in marks]
        project = event.payload["project"]
        return self._tables.groups_forgotten(sessions, project if ("project", project) in marks else None)

    def _destroy_in(self, space: SharedSpace, groups: set[str]) -> None:
        remote = self._remotes.at(space.row.remote)
        for origin in [self.machine.origin, *self._own_origins(space)]:
            names = [space.groups.name(origin, group) for group in sorted(groups)]
            if origin != self.machine.origin:
                names = list(remote.keys(space.id, names))
            for name in names:
                remote.destroy(space.id, name)
        with self._log.atomic():
            self._tables.drop_session_keys(space.id, groups)

    def _own_origins(self, space: SharedSpace) -> list[str]:
        homes = (self._log.origins.numbered(number) for number in self._tables.tips(space.id))
        return [one.origin for one in homes if one.relation == "own"]

    def _acknowledge(self, names: list[str]) -> None:
        """Say what is done: of one's own things, and apart from that of team mates', who are told no more than that."""
        own = [name for name in names if "@" not in name]
        for some in (own, [name for name in names if "@" in name]):
            if some:
                self._say_done(some)

    def _say_done(self, names: list[str]) -> None:
        said = {"forgotten": [name.partition("@")[0] for name in names]}
        with self._log.atomic():
            self._log.append_dedup(
                "forget_done", actor=ACTOR, payload=said, dedupe_key=dedupe_key("forget_done", checksum(said))
            )
            self._tables.acknowledge(names, now())

    # --- publishing -------------------------------------------------------------------------------------------

    def publish(self) -> None:
        """Publish what is new of this home."""
        for space in self._reachable():
            with self._reported(space):
                self._publish(space)

    def _publish(self, space: SharedSpace) -> None:
        remote = self._remotes.at(space.row.remote)
        head = self._heads.get(space.id, {}).get(self.machine.origin, 0)
        scanned = self.state.number(space.id, "scanned")
        seen = max(scanned, self._tables.tip(space.id, 0).last_seq)
        self._expect(-(-max(0, self._log.last_position() - seen) // MOST_EVENTS))
        self._introduce(space, remote)
        shared = self._shared(space) if space.row.kind == "team" else None
        publisher = self._publisher(space, remote, shared)
        try:
            scanned = publisher.run(head, scanned, self._tell)
        except Forked as fork:
            self.machine = self._renamed({space.id: fork.upto}, "its log was restored, or the home copied")
            self._introduce(space, remote)
            publisher = self._publisher(space, remote, shared)
            scanned = publisher.run(0, 0, self._tell)
        if shared is not None:
            self._publish_earlier(space, publisher, shared, seen)
        self._heads.setdefault(space.id, {})[self.machine.origin] = self._tables.tip(space.id, 0).n
        self.state.put(space.id, scanned=scanned)
        self._note(space, published=publisher.done, problems=remote.problems())

    def _shared(self, space: SharedSpace) -> SharedNow:
        """What is shared with a team, after what was forgotten is taken back."""
        index = self._home / "index.db"
        settle(self._log, index, space.id)
        shares = in_force(self._log, space.id)
        return SharedNow(shares, family(index, [one.session for one in shares if one.session]))

    def _publisher(self, space: SharedSpace, remote: Remote, shared: SharedNow | None) -> Publisher:
        """Private spaces get everything that travels, those of a team what is shared with it."""
        if shared is None:
            return Publisher(self._log, self.machine, space, remote)
        return Publisher(self._log, self.machine, space, remote, SharedEvents(self._log, space.id, *shared))

    def _publish_earlier(self, space: SharedSpace, publisher: Publisher, shared: SharedNow, seen: int) -> None:
        """What was recorded before it was shared, or before this home knew that it belongs to what is; up to the
        position from which everything was looked at anew."""
        shares, sessions = shared
        known = checksum([sorted(one.position for one in shares), sorted(sessions)])
        if not shares or known == self.state.text(space.id, "earlier"):
            return
        before = self.state.number(space.id, "shares")
        fresh = [one for one in shares if one.position > before]
        given = self._tables.session_groups(space.id)
        events = SharedEvents(self._log, space.id, fresh, sessions - given)
        publisher.run_earlier(events.until(seen), self._tell)
        newest = max(one.position for one in shares)
        self.state.put(space.id, earlier=known, shares=max(before, newest))

    def _introduce(self, space: SharedSpace, remote: Remote) -> None:
        """Say who this machine is, before its first segment."""
        if self.state.text(space.id, "card") != self.machine.origin:
            space.put_member(remote, self.machine, read_admission(self._home, space.id, self.machine.origin))
            self.state.put(space.id, card=self.machine.origin)

    def _renamed(self, upto: dict[str, int], why: str) -> OwnMachine:
        old = next(one for one in self._log.origins.all() if one.id == 0)
        made = become_another(self._home, self._log, upto)
        self.notes.append(f"another machine publishes as {old.name}: {why}. From now on this one is {made.name}")
        return made

    def tell_state(self) -> None:
        """Leave word how far this home has read, where that is news."""
        for space in self._reachable():
            with self._reported(space):
                applied = self._applied(space)
                said, at = checksum(applied), now()
                self.state.put(space.id, at=at, error="")
                is_news = said != self.state.text(space.id, "said")
                if is_news or at - self.state.number(space.id, "said_at") > _SAY_AGAIN_MS:
                    remote = self._remotes.at(space.row.remote)
                    space.put_state(remote, self.machine.origin, StateCard(at, applied))
                    self.state.put(space.id, said=said, said_at=at)

    # --- what is said -----------------------------------------------------------------------------------------

    def _reachable(self) -> list[SharedSpace]:
        """The spaces whose remotes did not fail in this run."""
        return [one for one in self.spaces.values() if not self.reports[one.id].error]

    @contextlib.contextmanager
    def _reported(self, space: SharedSpace) -> Iterator[None]:
        """A remote that fails ends its own space's part of the run."""
        try:
            yield
        except RemoteFailed as error:
            self._failed(space, error)

    def _failed(self, space: SharedSpace, error: AxmError) -> None:
        self.reports[space.id] = self.reports[space.id]._replace(error=error.message, hint=error.hint or "")
        self.state.put(space.id, error=error.message)

    def _note(
        self,
        space: SharedSpace,
        *,
        pulled: Pulled | None = None,
        published: Published | None = None,
        problems: list[str] | None = None,
    ) -> None:
        report = self.reports[space.id]
        if published is not None:
            published = Published(*(one + more for one, more in zip(report.published, published, strict=True)))
        said = tuple(dict.fromkeys((*report.problems, *(problems or ()))))
        self.reports[space.id] = report._replace(
            pulled=pulled or report.pulled, published=published or report.published, problems=said
        )

    def _expect(self, more: int) -> None:
        self._total += more

    def _tell(self, _what: int) -> None:
        self._done += 1
        if self._tick is not None:
            self._tick(min(self._done, self._total), self._total)
