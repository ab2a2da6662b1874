"""Syncing: `Memory.sync`. Adding and leaving remotes, one run, watching, and how things are."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from axiommind.callers import Caller
from axiommind.errors import Locked, NotFound, RemoteFailed, UsageError
from axiommind.home import Home, now
from axiommind.log.syncing import SpaceRow, SyncTables
from axiommind.private import make_private
from axiommind.sync.crypto import require
from axiommind.sync.machine import (
    OwnMachine,
    become_another,
    login_name,
    machine_name,
    make_machine,
    read_machine,
    syncing_alone,
)
from axiommind.sync.pairing import accept, invite, used
from axiommind.sync.phrases import PairingPhrase, parse_phrase
from axiommind.sync.remote import Remote
from axiommind.sync.remotes import open_remote
from axiommind.sync.run import Remotes, SpaceReport, SyncRun
from axiommind.sync.spaces import SharedSpace, StateCard, members_of, new_space
from axiommind.sync.state import read_state
from axiommind.sync.status import SyncStatus, forget_states, signed_certificate, space_state

if TYPE_CHECKING:
    from axiommind.log.sqlite import SqliteLog
    from axiommind.projections.runner import Index

__all__ = ["AddedRemote", "Sync", "SyncReport"]

# Do what is left to do for what was forgotten (`ingest/purging.py: finish`), and say what keeps it from being done.
Finish = Callable[[Home, "SqliteLog", "Index"], "_Finished"]
Tick = Callable[[int, int], None]


class _Held(Protocol):
    """A place that still holds some of a forgotten text, and why."""

    @property
    def place(self) -> str: ...

    @property
    def why(self) -> str: ...


class _Finished(Protocol):
    """What a purge left to do."""

    @property
    def held(self) -> Sequence[_Held]: ...


class AddedRemote(NamedTuple):
    """A remote that was added: the space, this machine's name, the phrase for another one, and what is to be known."""

    space: str
    remote: str
    machine: str
    phrase: str = ""
    by: str = ""  # the machine that invited
    notes: tuple[str, ...] = ()


class SyncReport(NamedTuple):
    """What one run did."""

    machine: str
    spaces: tuple[SpaceReport, ...]
    notes: tuple[str, ...] = ()

    @property
    def failed(self) -> bool:
        return any(one.error for one in self.spaces)

    @property
    def moved(self) -> bool:
        """Whether anything came or went."""
        return any(one.pulled.segments or one.published.segments for one in self.spaces)


class Sync:
    """Everything about other machines."""

    def __init__(self, home: Home, finish: Finish) -> None:
        self.home = home
        self._finish = finish

    # --- remotes ----------------------------------------------------------------------------------------------

    def add(
        self, url: str, *, join: str | None = None, name: str | None = None, caller: Caller | None = None
    ) -> AddedRemote:
        """Sync through a remote: as the first machine, which makes a private space and invites another one with a
        phrase; or with the phrase of a machine that does already. Nothing is published before `run`."""
        self._require_person(caller, "add a remote")
        require()
        phrase = None if join is None else parse_phrase(join)
        with contextlib.closing(open_remote(url, self.home.environ)) as remote, syncing_alone(self.home.config.home):
            if phrase is None:
                return self._begin(remote, name)
            return self._join(remote, phrase, name)

    def _begin(self, remote: Remote, name: str | None) -> AddedRemote:
        notes = remote.probe()
        with self.home.open_log() as (log, key):
            tables = SyncTables(log)
            row = next((one for one in tables.private_spaces() if one.remote == remote.url), None)
            if row is not None:
                notes += self._mend(log, remote, row)
                space = SharedSpace(row)
            machine = read_machine(self.home.config.home, log) or self._named(log, name, login_name(), ())
            if row is None:
                space = new_space("private", "private", machine.who, remote.url)
                with log.atomic():
                    tables.put_space(space.row)
            space.put_member(remote, machine)
            phrase = invite(remote, space, machine, key)
        return AddedRemote(space.id, remote.url, machine.name, phrase.words, notes=tuple(notes))

    def _mend(self, log: SqliteLog, remote: Remote, row: SpaceRow) -> list[str]:
        """A remote that is there already and lost what this machine published gets it under another name."""
        machine = read_machine(self.home.config.home, log)
        tip = SyncTables(log).tip(row.space, 0).n
        head = 0 if machine is None else remote.heads(row.space, {}).get(machine.origin, 0)
        if machine is None or head >= tip:
            raise UsageError(
                f"{remote.url} is added already", hint="axm sync runs it; axm sync phrase lets another machine in"
            )
        state = read_state(self.home.config.home, log.identity().name)
        state.drop(row.space)
        state.save()
        made = become_another(self.home.config.home, log, {row.space: head})
        return [f"what the remote lost is published again, by {made.name}: that is this machine from now on"]

    def _join(self, remote: Remote, phrase: PairingPhrase, name: str | None) -> AddedRemote:
        found = accept(remote, phrase)
        notes = self._take_marks(found.marks)
        with self.home.open_log() as (log, _key):
            tables = SyncTables(log)
            if any(one.space == found.space.id for one in tables.spaces()):
                raise UsageError(f"this machine syncs through {remote.url} already", hint="run: axm sync")
            machine = read_machine(self.home.config.home, log)
            if machine is None:
                members, _wrong = members_of(remote, found.space)
                machine = self._named(log, name, found.who, {one.name for one in members})
            found.space.put_member(remote, machine)
            with log.atomic():
                tables.put_space(found.space.row)
        if found.until:
            used(remote, phrase, machine)
        return AddedRemote(found.space.id, remote.url, machine.name, by=found.by, notes=tuple(notes))

    def _named(self, log: SqliteLog, name: str | None, who: str, taken: set[str] | tuple[str, ...]) -> OwnMachine:
        wanted = made = machine_name(name)
        if name is not None and name in taken:
            raise UsageError(f"another machine is called {name}", hint="--name OTHER")
        n = 2
        while made in taken:
            made, n = f"{wanted}-{n}", n + 1
        return make_machine(self.home.config.home, log, made, who)

    def _take_marks(self, key: bytes) -> list[str]:
        """The key of redaction marks, as the first machine has it: then a secret has one mark on both. Where something
        is recorded already its own stays, because files and forgotten records are known by it."""
        from axiommind.log import home_key, put_key
        from axiommind.projections.following import has_log

        folder = self.home.config.home
        if has_log(self.home.config.log_path):
            with self.home.open_log() as (log, own):
                if own == key:
                    return []
                if log.last_position():
                    return ["this machine keeps its own redaction marks: a secret has another mark here than there"]
                with log.atomic():
                    SyncTables(log).take_key(key)
        make_private(folder)
        put_key(folder, key)
        assert home_key(folder) == key
        return []

    def phrase(self, url: str | None = None, *, keep: bool = False, caller: Caller | None = None) -> AddedRemote:
        """Another phrase, for another machine. `keep`: it does not end and is not used up, as for a safe."""
        self._require_person(caller, "let another machine in")
        require()
        with self.home.open_log() as (log, key):
            row = self._row(SyncTables(log), url)
            machine = read_machine(self.home.config.home, log)
            if machine is None or not machine.seed:
                raise UsageError("this machine has to sync first", hint="run: axm sync")
            with contextlib.closing(open_remote(row.remote, self.home.environ)) as remote:
                phrase = invite(remote, SharedSpace(row), machine, key, keep=keep)
        return AddedRemote(row.space, row.remote, machine.name, phrase.words)

    def remove(self, url: str | None = None, *, caller: Caller | None = None) -> AddedRemote:
        """Sync no more through a remote. What came from it stays here, and what was published stays there."""
        self._require_person(caller, "remove a remote")
        notes = []
        with syncing_alone(self.home.config.home), self.home.open_log() as (log, _key):
            tables = SyncTables(log)
            row = self._row(tables, url)
            machine = read_machine(self.home.config.home, log)
            assert machine is not None
            try:
                with contextlib.closing(open_remote(row.remote, self.home.environ)) as remote:
                    SharedSpace(row).put_state(remote, machine.origin, StateCard(now(), {}, True))
            except (RemoteFailed, UsageError) as error:
                notes.append(f"the others are not told: {error.message}")
            with log.atomic():
                tables.remove_space(row.space)
            state = read_state(self.home.config.home, log.identity().name)
            state.drop(row.space)
            state.save()
        return AddedRemote(row.space, row.remote, machine.name, notes=tuple(notes))

    def has_remote(self) -> bool:
        """Whether this home syncs through any remote."""
        from axiommind.projections.following import has_log

        if not has_log(self.home.config.log_path):
            return False
        with self.home.read_log() as (log, _key):
            return log.origins.found and bool(SyncTables(log).spaces())

    def is_due(self, minutes: int) -> bool:
        """Whether some remote was not synced, or tried, for so many minutes; one that cannot be reached is not tried
        more often than others."""
        if not self.has_remote():
            return False
        with self.home.read_log() as (log, _key):
            state = read_state(self.home.config.home, log.identity().name)
            last = [state.number(row.space, "tried") for row in SyncTables(log).spaces()]
        return min(last) + minutes * 60_000 <= now()

    # --- how things are ---------------------------------------------------------------------------------------

    def status(self) -> SyncStatus:
        """Every machine, how far it is, who has not done which forgetting, and what was refused."""
        with self._known() as (log, machine):
            return self._status(log, machine)

    def certificate(self, forgotten: str | None = None) -> dict[str, Any]:
        """Which machines have forgotten what, and which have not, signed by this one; of one session, document or
        project, or of all."""
        with self._known() as (log, machine):
            states = [
                one
                for one in self._status(log, machine).forgettings
                if forgotten is None or forgotten == one.project or any(s.startswith(forgotten) for s in one.sessions)
            ]
            if forgotten is not None and not states:
                raise NotFound(f"{forgotten!r} is not forgotten", hint="axm doctor lists what is")
            return signed_certificate(machine, states)

    @contextlib.contextmanager
    def _known(self) -> Iterator[tuple[SqliteLog, OwnMachine]]:
        require()
        with self.home.read_log() as (log, _key):
            machine = read_machine(self.home.config.home, log) if log.origins.found else None
            if machine is None or not SyncTables(log).spaces():
                raise NotFound("no remote was added", hint="axm sync add URL")
            yield log, machine

    def _status(self, log: SqliteLog, machine: OwnMachine) -> SyncStatus:
        tables = SyncTables(log)
        state = read_state(self.home.config.home, log.identity().name)
        with contextlib.closing(Remotes(self.home.environ)) as remotes:
            spaces = tuple(
                space_state(log, SharedSpace(row), remotes.at(row.remote), machine, state) for row in tables.spaces()
            )
        return SyncStatus(machine.name, spaces, tuple(forget_states(log, machine, spaces)), tuple(tables.refused()))

    def _row(self, tables: SyncTables, url: str | None) -> SpaceRow:
        rows = tables.private_spaces()
        if not rows:
            raise NotFound("no remote was added", hint="axm sync add URL")
        if url is None and len(rows) == 1:
            return rows[0]
        wanted = None if url is None else open_remote(url, self.home.environ).url
        found = [row for row in rows if row.remote == wanted or row.space == url]
        if not found:
            said = ", ".join(row.remote for row in rows)
            raise UsageError(f"which remote is meant? {url or 'None'} was not added", hint=f"one of: {said}")
        return found[0]

    # --- running ----------------------------------------------------------------------------------------------

    def run(self, *, caller: Caller | None = None, progress: Tick | None = None) -> SyncReport:
        """Pull and publish, once. Whatever is there already is no error, and what was stopped goes on."""
        self._require_told(caller)
        with contextlib.closing(Remotes(self.home.environ)) as remotes:
            return self._run(remotes, progress)

    def watch(
        self, *, seconds: float = 5.0, caller: Caller | None = None, stop: Callable[[], bool] | None = None
    ) -> Iterator[SyncReport]:
        """Run, and again whenever something is new here or there; a remote that cannot tell is asked so often."""
        self._require_told(caller)
        with contextlib.closing(Remotes(self.home.environ)) as remotes:
            while stop is None or not stop():
                with contextlib.suppress(Locked):
                    yield self._run(remotes, None)
                self._wait(remotes, seconds, stop)

    def _run(self, remotes: Remotes, progress: Tick | None) -> SyncReport:
        require()
        with syncing_alone(self.home.config.home), self.home.open_log() as (log, _key), contextlib.ExitStack() as stack:
            if not SyncTables(log).spaces():
                raise UsageError("no remote was added yet", hint="axm sync add URL")
            run = SyncRun(self.home.config.home, log, remotes, progress)
            run.pull()
            notes = self._project(log, stack)
            run.publish()
            run.destroy_shared()
            if run.destroy():
                run.publish()
            run.tell_state()
            run.state.save()
            return SyncReport(run.machine.name, tuple(run.reports.values()), (*run.notes, *notes))

    def _project(self, log: SqliteLog, stack: contextlib.ExitStack) -> list[str]:
        """Bring the index up to the log, and do what is left to do for what was forgotten."""
        from axiommind.projections.following import folded_from
        from axiommind.projections.runner import Segments

        folded = folded_from(self.home.config.index_path)
        is_behind = folded is None or folded.position < log.last_position()
        has_purges = bool(log.purges.pending())
        if not is_behind and not has_purges:
            return []
        notes: list[str] = []
        index = self.home.open_index(log, notes, stack)
        index.catch_up(log, Segments(log))
        if not has_purges:
            return notes
        return [*notes, *(f"{held.place}: {held.why}" for held in self._finish(self.home, log, index).held)]

    def _wait(self, remotes: Remotes, seconds: float, stop: Callable[[], bool] | None) -> None:
        with self.home.read_log() as (log, _key):
            rows = SyncTables(log).spaces()
            before = log.last_position()
            until = time.monotonic() + seconds
            while rows and (left := until - time.monotonic()) > 0 and not (stop is not None and stop()):
                begun, share = time.monotonic(), min(1.0, left)
                for row in rows:
                    remotes.at(row.remote).wait([row.space], share / len(rows))
                if time.monotonic() - begun < share * 0.9 or log.last_position() != before:
                    return

    # --- who may ----------------------------------------------------------------------------------------------

    def _require_person(self, caller: Caller | None, what: str) -> None:
        (caller or self.home.caller).require_person(what)

    def _require_told(self, caller: Caller | None) -> None:
        """A person syncs when they like; others where the settings say that it happens by itself."""
        if not self.home.config.sync_minutes:
            self._require_person(caller, "sync (where sync.minutes is 0)")
