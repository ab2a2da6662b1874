"""A remote in PostgreSQL: the contract against real servers, setting one up, who may do what, and servers that die."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from axiommind.errors import NotFound, RemoteFailed, UsageError
from axiommind.sync.postgres import setup as administration
from axiommind.sync.postgres.connection import SCHEMA_VERSION, connect
from axiommind.sync.remote import Pushed, Remote
from axiommind.sync.remotes import open_remote
from tests.sync.contract import RemoteContract, chain, hash_of, name
from tests.sync.servers import PostgresServer, pgbouncer

psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed: pip install -e '.[test-sync]'")


class TestPostgres(RemoteContract):
    @pytest.fixture
    def place(self, server: PostgresServer) -> str:
        return server.url("alice")

    @pytest.fixture
    def unready(self, server: PostgresServer) -> str:
        return server.url("alice", "empty")


@pytest.fixture(scope="module")
def pool(server: PostgresServer) -> Iterator[str]:
    with pgbouncer(server, ["alice", "bob"]) as found:
        yield found


class TestThroughAPooler(RemoteContract):
    """pgbouncer gives each transaction another connection: nothing may rest on a session of the server."""

    @pytest.fixture
    def place(self, pool: str) -> str:
        return f"postgres://alice@/memory?host={pool}"

    @pytest.fixture
    def unready(self, server: PostgresServer) -> str:
        return server.url("alice", "empty")

    def test_nobody_listens_in_a_connection_that_others_use(self, remote: Remote, server: PostgresServer) -> None:
        remote.wait([name()], 0.01)
        with connect(server.url("postgres")) as boss:
            row = boss.execute("select count(*) from pg_stat_activity where query ilike 'listen%'").fetchone()
        assert row == (0,)


Opening = Callable[[str], Remote]


@pytest.fixture
def opened(server: PostgresServer) -> Iterator[Opening]:
    """The remote as somebody has it."""
    found: list[Remote] = []

    def as_(who: str) -> Remote:
        found.append(open_remote(server.url(who)))
        return found[-1]

    yield as_
    for one in found:
        one.close()


@pytest.fixture
def connected(server: PostgresServer) -> Iterator[Callable[[str], Any]]:
    found = []

    def as_(who: str) -> Any:
        found.append(connect(server.url(who)))
        return found[-1]

    yield as_
    for one in found:
        one.close()


# --- setting it up -----------------------------------------------------------------------------------------------


def test_setting_up_again_changes_nothing(connected: Callable[[str], Any]) -> None:
    admin = connected("admin")
    assert administration.setup(admin) == []
    assert administration.admit(admin, "alice") is False


def test_two_administrators_at_once(server: PostgresServer) -> None:
    with psycopg.connect(server.url(database="postgres"), autocommit=True) as boss:
        boss.execute("create database raced owner admin")
    found: list[list[int]] = []
    start = threading.Barrier(2)

    def run() -> None:
        with connect(server.url("admin", "raced")) as admin:
            start.wait()
            found.append(administration.setup(admin))

    threads = [threading.Thread(target=run) for _ in range(2)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert sorted(found) == [[], list(range(1, SCHEMA_VERSION + 1))]


def test_a_newer_schema_is_left_alone_and_an_older_one_refused(server: PostgresServer) -> None:
    with psycopg.connect(server.url(database="postgres"), autocommit=True) as boss:
        boss.execute("create database other owner admin")
    with connect(server.url("admin", "other")) as admin:
        administration.setup(admin)
        admin.execute("set role axm_owner")
        admin.execute("insert into axm.migrations (version) values (99)")
        admin.execute("create or replace function axm.version() returns int language sql as 'select 0'")
        admin.execute("reset role")
        with pytest.raises(RemoteFailed, match="newer than this program"):
            administration.setup(admin)
    remote = open_remote(server.url("alice", "other"))
    with pytest.raises(RemoteFailed, match="older than this program") as failed:
        remote.heads(name(), {})
    assert "axm team setup" in failed.value.hint


def test_who_was_not_let_in(server: PostgresServer, connected: Callable[[str], Any]) -> None:
    boss = connected("postgres")
    boss.execute("drop role if exists stranger")
    boss.execute("create role stranger login")
    remote = open_remote(server.url("stranger"))
    with pytest.raises(RemoteFailed, match="you may not use AxiomMind") as failed:
        remote.heads(name(), {})
    assert "axm team admit" in failed.value.hint


def test_somebody_who_left(connected: Callable[[str], Any], opened: Opening) -> None:
    admin = connected("admin")
    assert administration.admit(admin, "dave") is True
    alone, shared = name(), name()
    dave, alice = opened("dave"), opened("alice")
    chain(dave, alone, "o", [b"his own"])
    chain(alice, shared, "o", [b"hers"])
    administration.add_member(connected("alice"), shared, "dave")
    chain(dave, shared, "of-dave", [b"shared"])
    assert administration.dismiss(admin, "dave", erase=True) == 1
    with pytest.raises(RemoteFailed):
        opened("dave").heads(alone, {})
    assert administration.members(connected("alice"), shared) == {"alice": "owner"}
    assert alice.pull(shared, "of-dave", 0) == [b"shared"]
    rows = connected("postgres").execute("select count(*) from axm.segments where space = %s", (alone,)).fetchone()
    assert rows == (0,)


# --- a team ------------------------------------------------------------------------------------------------------


def test_a_space_of_a_team(connected: Callable[[str], Any], opened: Opening) -> None:
    space = name()
    alice, bob = opened("alice"), opened("bob")
    chain(alice, space, "of-alice", [b"hers"])
    alice.put_key(space, "session", b"wrapped")
    alice.put_card(space, "members", "alice", b"her card")
    assert (bob.heads(space, {}), bob.pull(space, "of-alice", 0), bob.keys(space, ["session"])) == ({}, [], {})
    administration.add_member(connected("alice"), space, "bob", "reader")
    assert bob.pull(space, "of-alice", 0) == [b"hers"]
    bob.put_card(space, "seen", "bob", b"1")
    with pytest.raises(RemoteFailed, match="not yours"):
        chain(bob, space, "of-bob", [b"his"])
    administration.add_member(connected("alice"), space, "bob")
    assert chain(bob, space, "of-bob", [b"his"]) == [Pushed.OK]
    assert alice.heads(space, {}) == {"of-alice": 1, "of-bob": 1}
    for forbidden in (
        lambda: bob.push(space, "of-alice", 2, hash_of(b"hers"), b"forged"),
        lambda: bob.push(space, "of-alice", 1, "", b"hers"),
        lambda: bob.put_packs(space, "session", {"a": b"forged"}),
        lambda: bob.put_card(space, "members", "alice", b"forged"),
        lambda: administration.add_member(connected("bob"), space, "bob", "owner"),
        lambda: administration.remove_member(connected("bob"), space, "alice"),
    ):
        with pytest.raises(RemoteFailed, match="not yours"):
            forbidden()
    bob.destroy(space, "session")  # it is not his to forget
    assert alice.keys(space, ["session"]) == {"session": b"wrapped"}
    alice.destroy(space, "session")
    assert bob.keys(space, ["session"]) == {}
    administration.remove_member(connected("bob"), space, "bob")
    assert bob.heads(space, {}) == {}
    assert administration.members(connected("bob"), space) == {}


def test_an_invitation_is_for_whoever_knows_where_it_lies(opened: Opening) -> None:
    place = name()
    alice, bob = opened("alice"), opened("bob")
    alice.put_card(place, "pairing", "invitation", b"sealed by the phrase")
    alice.put_card(place, "members", "alice", b"hers")
    assert bob.cards(place, "pairing") == {"invitation": b"sealed by the phrase"}
    bob.put_card(place, "pairing", "invitation", b"used")
    assert alice.cards(place, "pairing") == {"invitation": b"used"}
    for forbidden in (("pairing", "another"), ("members", "alice"), ("members", "bob")):
        with pytest.raises(RemoteFailed, match="not yours"):
            bob.put_card(place, *forbidden, b"forged")
    assert bob.cards(place, "members") == {}


def test_a_space_keeps_an_owner(connected: Callable[[str], Any], opened: Opening) -> None:
    space = name()
    chain(opened("alice"), space, "o", [b"a"])
    alice = connected("alice")
    for forbidden in (
        lambda: administration.remove_member(alice, space, "alice"),
        lambda: administration.add_member(alice, space, "alice", "reader"),
    ):
        with pytest.raises(UsageError, match="keeps an owner"):
            forbidden()
    with pytest.raises(NotFound, match="nobody of that name"):
        administration.add_member(alice, space, "nobody-at-all")
    with pytest.raises(UsageError, match="no role"):
        administration.add_member(alice, space, "bob", "king")
    administration.add_member(alice, space, "bob", "owner")
    administration.remove_member(alice, space, "alice")
    assert administration.members(connected("bob"), space) == {"bob": "owner"}


# --- what is said ------------------------------------------------------------------------------------------------


def test_a_server_that_is_not_there(server: PostgresServer) -> None:
    remote = open_remote("postgres://alice@/memory?host=/nowhere")
    with pytest.raises(RemoteFailed, match="cannot be reached") as failed:
        remote.heads(name(), {})
    assert "again later" in failed.value.hint


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("postgres://me:word@host/db", "holds a secret"),
        ("postgres://host/db?sslpassword=x", "holds a secret"),
        ("postgres://host", "names it"),
    ],
)
def test_urls_that_are_none(url: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        open_remote(url)


def test_an_option_that_nobody_knows(server: PostgresServer) -> None:
    with pytest.raises(UsageError, match="no URL of a database"):
        open_remote(server.url("alice", sslmod="x")).heads(name(), {})


# --- waiting -----------------------------------------------------------------------------------------------------


def test_who_waits_is_told_of_a_push(opened: Opening) -> None:
    space = name()
    alice, other = opened("alice"), opened("alice")
    chain(alice, space, "o", [b"one"])
    other.wait([space], 0.01)  # it listens from now on
    done = threading.Event()

    def waiting() -> None:
        other.wait([space], 110)
        done.set()

    thread = threading.Thread(target=waiting)
    thread.start()
    alice.wait([space], 0.3)  # longer than between two notices
    alice.push(space, "o", 2, hash_of(b"one"), b"two")
    assert done.wait(100)
    thread.join()


def test_a_push_that_nobody_was_told_of_is_told_at_the_end(opened: Opening) -> None:
    space = name()
    alice, other = opened("alice"), opened("alice")
    other.wait([space], 0.01)
    chain(alice, space, "o", [str(n).encode() for n in range(20)])
    alice.close()
    listener = other._open  # type: ignore[attr-defined]
    assert list(listener.notifies(timeout=0.2))


# --- servers that die ------------------------------------------------------------------------------------------


def test_a_connection_that_was_lost_is_made_anew(server: PostgresServer, opened: Opening) -> None:
    space = name()
    alice = opened("alice")
    chain(alice, space, "o", [b"one"])
    with psycopg.connect(server.url(), autocommit=True) as boss:
        boss.execute("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'alice'")
    assert alice.push(space, "o", 2, hash_of(b"one"), b"two") is Pushed.OK
    assert alice.heads(space, {}) == {"o": 2}


def test_a_server_that_is_killed_loses_nothing_that_it_acknowledged(server: PostgresServer, opened: Opening) -> None:
    """Four machines push; three times the server dies amid it. What was told `ok` is there, once, and in order."""
    space = name()
    acknowledged: dict[str, list[bytes]] = {f"origin-{one}": [] for one in range(4)}
    stop = threading.Event()

    def push(origin: str) -> None:
        remote = open_remote(server.url("alice"))
        mine, waiting = acknowledged[origin], secrets.token_bytes(3_000)
        while not stop.is_set():
            before = hash_of(mine[-1]) if mine else ""
            try:
                said = remote.push(space, origin, len(mine) + 1, before, waiting)
            except RemoteFailed:
                stop.wait(0.05)
                continue
            assert said in (Pushed.OK, Pushed.SAME)
            mine.append(waiting)
            waiting = secrets.token_bytes(3_000)
        remote.close()

    threads = [threading.Thread(target=push, args=(one,)) for one in acknowledged]
    for one in threads:
        one.start()
    for _ in range(3):
        stop.wait(0.4)
        server.kill()
        server.start()
    stop.wait(0.3)
    stop.set()
    for one in threads:
        one.join()
    reader = opened("alice")
    heads = reader.heads(space, {})
    for origin, segments in acknowledged.items():
        assert segments
        kept: list[bytes] = []
        while more := reader.pull(space, origin, len(kept), 500):
            kept += more
        assert kept[: len(segments)] == segments
        assert len(kept) == heads[origin] <= len(segments) + 1  # one at most was kept, and nobody was told
