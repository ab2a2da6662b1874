"""Teams: `Memory.teams`. Spaces with several people, who is in them, and what this person shares with them.

Nothing is shared by being in a team. What leaves for it is what `share` named, sealed under the team's key.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from axiommind.callers import Caller
from axiommind.errors import AxmError, NotFound, UsageError
from axiommind.home import Home, now
from axiommind.ids import one_of
from axiommind.log.syncing import SpaceRow, SyncTables
from axiommind.sync.admission import Founder, MemberCard, admitted, admitted_by
from axiommind.sync.crypto import require
from axiommind.sync.letters import read_letter, send_letter, used_letter
from axiommind.sync.machine import OwnMachine, login_name, machine_name, make_machine, read_machine, syncing_alone
from axiommind.sync.phrases import parse_phrase
from axiommind.sync.remote import KnowsPeople
from axiommind.sync.remotes import open_remote
from axiommind.sync.sharing import Share, give, in_force, take_back
from axiommind.sync.spaces import SharedSpace, StateCard, members_of, new_space, states_of
from axiommind.sync.state import read_admission, read_state, write_admission

if TYPE_CHECKING:
    from axiommind.log.sqlite import SqliteLog
    from axiommind.sync.remote import Remote

__all__ = ["Invited", "SharedWith", "TeamMember", "TeamState", "Teams"]

T = TypeVar("T")
ROLES = ("owner", "member", "reader")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,39}")


class TeamMember(NamedTuple):
    """A machine in a team, and when it was seen there."""

    who: str
    machine: str
    is_mine: bool
    seen: int | None


class TeamState(NamedTuple):
    """A team: where it is kept, who is in it, and what is shared with it from here."""

    name: str
    space: str
    remote: str
    who: str  # what this person is called there
    is_founder: bool
    members: tuple[TeamMember, ...]
    shares: tuple[Share, ...]
    error: str = ""


class Invited(NamedTuple):
    """Somebody who may come into a team, and the phrase that lets one machine of theirs in."""

    team: str
    who: str
    remote: str
    phrase: str


class SharedWith(NamedTuple):
    """What was shared with a team, or taken back; `is_new` is False where it was so before."""

    team: str
    session: str | None
    project: str | None
    is_new: bool


class Teams:
    """Everything about teams."""

    def __init__(self, home: Home) -> None:
        self.home = home

    # --- who is in it -----------------------------------------------------------------------------------------

    def create(
        self, name: str, url: str, *, who: str | None = None, machine: str | None = None, caller: Caller | None = None
    ) -> TeamState:
        """Make a team, with this machine as its founder."""
        self._require_person(caller, "make a team")
        _check_name(name, "team")
        with self._writing() as (log, tables), contextlib.closing(open_remote(url, self.home.environ)) as remote:
            if any(one.kind == "team" and one.name == name for one in tables.spaces()):
                raise UsageError(f"there is a team {name} already", hint=f"axm team show {name}")
            remote.probe()
            me = self._machine(log, machine, who)
            if who is not None and me.who != who:
                raise UsageError(f"this machine is {me.who}'s already", hint="leave --as out")
            space = new_space(name, "team", Founder(me.origin, me.public).text, remote.url)
            space.put_member(remote, me)
            with log.atomic():
                tables.put_space(space.row)
        return self.show(name)

    def invite(self, team: str, who: str, *, role: str = "member", caller: Caller | None = None) -> Invited:
        """Let somebody into a team under a name; the phrase is for one machine, within a week."""
        self._require_person(caller, "let somebody into a team")
        _check_name(who, "person")
        if role not in ROLES:
            raise UsageError(f"there is no role {role!r} in a team", hint=f"one of: {', '.join(ROLES)}")
        with self._known(team) as (log, space, me, remote):
            mine = _own_name(self.home, space, me)
            if who != mine and mine != _founder_name(remote, space):
                raise UsageError(
                    f"only {_founder_name(remote, space)} lets people into {team}",
                    hint=f"for another machine of yours: axm team add {team} {mine}",
                )
            if isinstance(remote, KnowsPeople) and who != mine:
                remote.add_person(space.id, who, role)
            letter = admitted_by(space.id, me, who)
            phrase = send_letter(remote, space, letter)
            del log
            return Invited(team, who, space.row.remote, phrase.words)

    def join(self, url: str, phrase: str, *, machine: str | None = None, caller: Caller | None = None) -> TeamState:
        """Come into a team with the phrase of an invitation."""
        self._require_person(caller, "join a team")
        words = parse_phrase(phrase)
        with self._writing() as (log, tables), contextlib.closing(open_remote(url, self.home.environ)) as remote:
            row, letter = read_letter(remote, words)
            if any(one.space == row.space for one in tables.spaces()):
                raise UsageError(f"this machine is in {row.name} already", hint=f"axm team show {row.name}")
            if any(one.kind == "team" and one.name == row.name for one in tables.spaces()):
                raise UsageError(f"there is another team {row.name} here", hint=f"first: axm team leave {row.name}")
            me = self._machine(log, machine, letter.who)
            space = SharedSpace(row)
            admission = admitted(space.id, letter, me)
            write_admission(self.home.config.home, space.id, me.origin, admission)
            space.put_member(remote, me, admission)
            with log.atomic():
                tables.put_space(row)
            used_letter(remote, words, me)
        return self.show(row.name)

    def remove(self, team: str, who: str, *, caller: Caller | None = None) -> TeamState:
        """Let somebody in no longer: what is published from now on is under a key that they do not get."""
        self._require_person(caller, "remove somebody from a team")
        with self._known(team) as (log, space, me, remote):
            if Founder.of(space.row.owner) != (me.origin, me.public):
                raise UsageError("only the machine that made a team removes people", hint=f"axm team show {team}")
            if who == _own_name(self.home, space, me):
                raise UsageError("a team keeps its founder", hint=f"to leave it: axm team leave {team}")
            members, _wrong = members_of(remote, space)
            stay = [one for one in members if one.who != who]
            if len(stay) == len(members):
                raise NotFound(f"nobody called {who} is in {team}", hint=f"axm team show {team}")
            if isinstance(remote, KnowsPeople):
                remote.remove_person(space.id, who)
            newer = space.next_epoch()
            for one in stay:
                newer.give_keys(remote, me, one)
            newer.put_member(remote, me)
            with log.atomic():
                SyncTables(log).put_space(newer.row)
        return self.show(team)

    def leave(self, team: str, *, caller: Caller | None = None) -> str:
        """Sync with a team no longer. What came from it stays here, and what was shared stays there, until it is taken
        back: do that first."""
        self._require_person(caller, "leave a team")
        with self._writing() as (log, tables):
            row = _row(tables, team)
            if in_force(log, row.space):
                raise UsageError(f"you share with {team} still", hint="first: axm unshare --all, then axm sync")
            me = self._machine(log, None, None)
            with contextlib.suppress(AxmError), contextlib.closing(open_remote(row.remote, self.home.environ)) as there:
                SharedSpace(row).put_state(there, me.origin, StateCard(now(), {}, True))
            with log.atomic():
                tables.remove_space(row.space)
            state = read_state(self.home.config.home, log.identity().name)
            state.drop(row.space)
            state.save()
        return row.name

    # --- how things are ---------------------------------------------------------------------------------------

    def all(self) -> list[TeamState]:
        """The teams that this machine is in."""
        with self._reading() as (log, tables):
            return [self._state(log, row) for row in tables.spaces() if row.kind == "team"]

    def show(self, team: str) -> TeamState:
        """One team."""
        with self._reading() as (log, tables):
            return self._state(log, _row(tables, team))

    def _state(self, log: SqliteLog, row: SpaceRow) -> TeamState:
        space = SharedSpace(row)
        me = read_machine(self.home.config.home, log)
        assert me is not None
        members: tuple[TeamMember, ...] = ()
        error = ""
        try:
            with contextlib.closing(open_remote(row.remote, self.home.environ)) as remote:
                cards, seen = members_of(remote, space)[0], states_of(remote, space)
            members = tuple(sorted(_member(one, me, seen) for one in cards))
        except AxmError as failed:
            error = failed.message
        is_founder = Founder.of(row.owner).origin == me.origin
        mine = _own_name(self.home, space, me)
        return TeamState(
            row.name, row.space, row.remote, mine, is_founder, members, tuple(in_force(log, row.space)), error
        )

    # --- what is shared ---------------------------------------------------------------------------------------

    def share(
        self,
        *,
        session: str | None = None,
        project: str | None = None,
        team: str | None = None,
        caller: Caller | None = None,
    ) -> SharedWith:
        """Let a team read a session or a project of this machine; it leaves with the next `axm sync`."""
        self._require_person(caller, "share")
        with self._writing() as (log, tables):
            row = _row(tables, team)
            name, folders = self._meant(log, session, project)
            places: list[str | None] = [*folders] or [None]
            if any(log.is_forgotten(name, one) for one in places):
                raise UsageError("what is forgotten cannot be shared", hint="axm forget --undo brings it back")
            who = (caller or self.home.caller).actor
            given = [give(log, row.space, name, one, who) for one in places]
            return SharedWith(row.name, name, places[0], any(given))

    def unshare(
        self,
        *,
        session: str | None = None,
        project: str | None = None,
        everything: bool = False,
        team: str | None = None,
        reason: str = "",
        caller: Caller | None = None,
    ) -> list[SharedWith]:
        """Take back what a team was shown. The next `axm sync` destroys it at the remote and tells the others to forget
        it."""
        self._require_person(caller, "take back what is shared")
        with self._writing() as (log, tables):
            row = _row(tables, team)
            shares = in_force(log, row.space)
            if not everything:
                known = {one.session for one in shares if one.session}
                if session is not None:
                    session = one_of(session, known, "shared session", f"axm team show {row.name}")
                folders = [] if project is None else self._meant(log, None, project)[1]
                wanted = {(session, None)} if session is not None else {(None, one) for one in folders}
                shares = [one for one in shares if one.what in wanted]
                if not shares:
                    raise NotFound(f"that is not shared with {row.name}", hint=f"axm team show {row.name}")
            who = (caller or self.home.caller).actor
            for one in shares:
                take_back(log, self.home.config.index_path, one, who, reason)
            return [SharedWith(row.name, *one.what, True) for one in shares]

    def _meant(self, log: SqliteLog, session: str | None, project: str | None) -> tuple[str | None, list[str]]:
        """A session of this machine, or the folders of a project in which sessions of this machine worked, the one that
        it goes by first."""
        tables = SyncTables(log)
        if session is not None:
            return one_of(session, tables.own_sessions(), "session", "axm query sessions lists them"), []
        from axiommind.projections.scope import folders_in, resolve_project

        index = self.home.config.index_path
        wanted = resolve_project(index, project or "")
        folders = [] if wanted is None else [one for one in folders_in(index, wanted) if tables.sessions_of(one)]
        if not folders:
            raise NotFound(f"no session of this machine is of {project}", hint="axm project list lists projects")
        return None, sorted(folders, key=lambda one: (one != wanted, one))

    # --- the database, for whoever administers it -------------------------------------------------------------

    def setup_script(self) -> str:
        """The SQL that setting up a database runs, for administrators who read before they run."""
        from axiommind.sync.postgres.connection import SCHEMA_VERSION
        from axiommind.sync.postgres.setup import script

        return "\n".join(script(version) for version in range(1, SCHEMA_VERSION + 1))

    def set_up(self, url: str, *, caller: Caller | None = None) -> list[int]:
        """Bring a database to what this version needs; which versions were added."""
        from axiommind.sync.postgres.setup import setup

        return self._administer(url, "set up a database", setup, caller)

    def admit(self, url: str, person: str, *, caller: Caller | None = None) -> bool:
        """Let a person use a database; whether their role is new."""
        from axiommind.sync.postgres.setup import admit

        return self._administer(url, "let somebody into a database", lambda one: admit(one, person), caller)

    def dismiss(self, url: str, person: str, *, erase: bool = False, caller: Caller | None = None) -> int:
        """Let a person use a database no longer; how many spaces of theirs alone were deleted."""
        from axiommind.sync.postgres.setup import dismiss

        return self._administer(
            url, "dismiss somebody from a database", lambda one: dismiss(one, person, erase=erase), caller
        )

    def _administer(self, url: str, what: str, act: Callable[[Any], T], caller: Caller | None) -> T:
        from axiommind.sync.postgres.connection import connect
        from axiommind.sync.remotes import parse_url

        self._require_person(caller, what)
        if not parse_url(url, self.home.environ).scheme.startswith("postgres"):
            raise UsageError(
                f"{url} is no database", hint="postgres://ADMIN@HOST/DATABASE; other remotes need no setup"
            )
        with contextlib.closing(connect(url)) as connection:
            return act(connection)

    # --- what all of it needs ---------------------------------------------------------------------------------

    def _machine(self, log: SqliteLog, name: str | None, who: str | None) -> OwnMachine:
        found = read_machine(self.home.config.home, log)
        if found is None:
            return make_machine(self.home.config.home, log, machine_name(name), who or login_name())
        if not found.seed:
            raise UsageError("this home is a copy, or was restored: it needs a name of its own", hint="run: axm sync")
        return found

    @contextlib.contextmanager
    def _writing(self) -> Iterator[tuple[SqliteLog, SyncTables]]:
        require()
        with syncing_alone(self.home.config.home), self.home.open_log() as (log, _key):
            yield log, SyncTables(log)

    @contextlib.contextmanager
    def _reading(self) -> Iterator[tuple[SqliteLog, SyncTables]]:
        require()
        with self.home.read_log() as (log, _key):
            yield log, SyncTables(log)

    @contextlib.contextmanager
    def _known(self, team: str) -> Iterator[tuple[SqliteLog, SharedSpace, OwnMachine, Remote]]:
        with self._writing() as (log, tables):
            space = SharedSpace(_row(tables, team))
            me = self._machine(log, None, None)
            with contextlib.closing(open_remote(space.row.remote, self.home.environ)) as remote:
                yield log, space, me, remote

    def _require_person(self, caller: Caller | None, what: str) -> None:
        (caller or self.home.caller).require_person(what)


def _row(tables: SyncTables, team: str | None) -> SpaceRow:
    rows = [one for one in tables.spaces() if one.kind == "team"]
    if not rows:
        raise NotFound("this machine is in no team", hint="axm team create NAME URL, or axm team join URL PHRASE")
    if team is None and len(rows) > 1:
        raise UsageError("which team is meant?", hint=f"--with one of: {', '.join(one.name for one in rows)}")
    found = [one for one in rows if team in (None, one.name, one.space)]
    if not found:
        raise NotFound(f"this machine is in no team {team}", hint=f"one of: {', '.join(one.name for one in rows)}")
    return found[0]


def _check_name(name: str, of: str) -> None:
    if not _NAME.fullmatch(name):
        raise UsageError(f"{name!r} is no name of a {of}", hint="letters, digits, -, _ and ., at most 40")


def _own_name(home: Home, space: SharedSpace, me: OwnMachine) -> str:
    """What this person is called in a team."""
    found = read_admission(home.config.home, space.id, me.origin)
    return me.who if found is None else found.who


def _founder_name(remote: Remote, space: SharedSpace) -> str:
    founder = Founder.of(space.row.owner)
    return next((one.who for one in members_of(remote, space)[0] if one.origin == founder.origin), "its founder")


def _member(card: MemberCard, me: OwnMachine, seen: dict[str, Any]) -> TeamMember:
    state = seen.get(card.origin)
    return TeamMember(card.who, card.name, card.origin == me.origin, None if state is None else state.at)
