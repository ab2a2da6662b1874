"""Bob is a member of the team, and wants to read what is only Alice's. He has a client of his own, and time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from axiommind.sync.postgres.connection import connect
from axiommind.sync.remotes import open_remote
from tests.sync.contract import chain, name
from tests.sync.servers import PostgresServer

psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed: pip install -e '.[test-sync]'")

SECRET = b"only-for-alice"
TABLES = ("migrations", "spaces", "members", "heads", "segments", "sessions", "packs", "keys", "cards")
HELPERS = (
    "axm.mine()",
    "axm.role_in('x')",
    "axm.refuse()",
    "axm.enter('x', true)",
    "axm.enter_session('x', 'y')",
    "axm.empty_space('x')",
    "axm.keep_an_owner('x')",
    "axm.erase_person('alice')",
)


@pytest.fixture(scope="module")
def space(server: PostgresServer) -> str:
    """A space of Alice's, with everything in it."""
    found = name()
    alice = open_remote(server.url("alice"))
    chain(alice, found, "origin", [SECRET, SECRET * 1_000])
    alice.put_packs(found, "session", {"pack": SECRET * 1_000})
    alice.put_key(found, "session", SECRET)
    alice.put_card(found, "kind", "card", SECRET)
    alice.close()
    return found


@pytest.fixture
def bob(server: PostgresServer) -> Iterator[Any]:
    with connect(server.url("bob")) as found:
        yield found


@pytest.fixture
def boss(server: PostgresServer) -> Iterator[Any]:
    with connect(server.url("postgres")) as found:
        yield found


def refused(who: Any, statement: str, *given: object) -> str:
    """A statement that fails for want of a right; what the server said."""
    with pytest.raises(psycopg.errors.InsufficientPrivilege) as failed:
        who.execute(statement, given)
    said = str(failed.value)
    assert SECRET.decode() not in said
    return said


def everything_that_can_be_read(who: Any, space: str) -> list[Any]:
    found = []
    for call in (
        "axm.heads(%(space)s)",
        "axm.pull(%(space)s, 'origin', 0, 100, 1000000)",
        "axm.packs(%(space)s, 'session', array['pack'], 1000000)",
        "axm.keys(%(space)s, array['session'])",
        "axm.cards(%(space)s, 'kind')",
        "axm.members(%(space)s)",
    ):
        found += who.execute(f"select * from {call}", {"space": space}).fetchall()
    return found


def test_alice_herself_reads_everything(server: PostgresServer, space: str) -> None:
    with connect(server.url("alice")) as alice:
        assert len(everything_that_can_be_read(alice, space)) == 7


def test_what_is_not_his_is_as_if_it_were_not_there(bob: Any, space: str) -> None:
    assert everything_that_can_be_read(bob, space) == everything_that_can_be_read(bob, name()) == []


@pytest.mark.parametrize("table", TABLES)
def test_no_table_can_be_touched(bob: Any, space: str, table: str) -> None:
    for statement in (
        f"select * from axm.{table}",
        f"select count(*) from axm.{table}",
        f"explain analyze select * from axm.{table}",
        f"copy axm.{table} to stdout",
        f"delete from axm.{table}",
        f"truncate axm.{table}",
        f"do 'begin lock table axm.{table}; end'",
        f"alter table axm.{table} disable row level security",
        f"create policy bobs on axm.{table} to bob using (true)",
        f"create index on axm.{table} ((1))",
    ):
        refused(bob, statement)
    refused(bob, f"create trigger t before insert on axm.{table} execute function suppress_redundant_updates_trigger()")


def test_a_cheap_function_that_tells_what_it_is_given(bob: Any, space: str) -> None:
    notices: list[str] = []
    bob.add_notice_handler(lambda notice: notices.append(notice.message_primary))
    bob.execute(
        """create function pg_temp.tell(bytea) returns boolean language plpgsql cost 0.0000001
           as $$ begin raise notice '%%', $1; return true; end $$""",
        (),
    )
    refused(bob, "select 1 from axm.segments where pg_temp.tell(body)")
    bob.execute("select 1 from axm.pull(%s, 'origin', 0, 100, 1000000) where pg_temp.tell(body)", (space,))
    assert notices == []


def test_a_plan_tells_no_counts(bob: Any, space: str) -> None:
    def plan(wanted: str) -> list[Any]:
        options = "analyze, costs off, timing off, summary off, buffers off"
        return list(
            bob.execute(f"explain ({options}) select * from axm.pull('{wanted}', 'origin', 0, 9, 99)").fetchall()
        )

    assert plan(space) == plan(name())


def test_errors_tell_nothing(bob: Any, space: str) -> None:
    for call in (
        "axm.push(%s, 'origin', 1, '', 'x')",
        "axm.push(%s, 'origin', 2, '', 'x')",
        "axm.push(%s, 'another', 1, '', 'x')",
        "axm.put_packs(%s, 'session', array['pack'], array['x'::bytea])",
        "axm.put_key(%s, 'session', 'x')",
        "axm.put_card(%s, 'kind', 'card', 'x')",
        "axm.forget(%s, 'session')",
        "axm.forget(%s, 'no-such-session')",
        "axm.add_member(%s, 'bob', 'owner')",
        "axm.remove_member(%s, 'alice')",
        "axm.drop_space(%s)",
    ):
        assert refused(bob, f"select {call}", space).splitlines()[0] == "not yours"
    for call in ("axm.add_member(%s, 'bob', 'owner')", "axm.remove_member(%s, 'bob')", "axm.drop_space(%s)"):
        assert refused(bob, f"select {call}", name()).splitlines()[0] == "not yours"


def test_nothing_of_it_is_in_catalogs(bob: Any, boss: Any, space: str) -> None:
    boss.execute("analyze")
    assert bob.execute("select count(*) from pg_stats where schemaname = 'axm'").fetchone() == (0,)
    toast = boss.execute("select reltoastrelid::regclass::text from pg_class where relname = 'segments'").fetchone()[0]
    refused(bob, f"select chunk_data from {toast}")
    refused(bob, "select * from pg_statistic")


def test_what_alice_is_doing_is_not_seen(server: PostgresServer, bob: Any, space: str) -> None:
    with connect(server.url("alice")) as alice:
        alice.execute(f"select count(*) from axm.cards('{space}', 'kind')")
        seen = bob.execute("select query from pg_stat_activity where usename = 'alice'").fetchall()
    assert seen
    assert {query for (query,) in seen} == {"<insufficient privilege>"}


def test_row_security_turned_off(bob: Any, space: str) -> None:
    bob.execute("set row_security = off")
    try:
        found = everything_that_can_be_read(bob, space)
    except psycopg.errors.InsufficientPrivilege:
        found = []
    assert found == []


@pytest.mark.parametrize("who", ["alice", "admin", "axm_owner", "postgres"])
def test_being_somebody_else(bob: Any, who: str) -> None:
    refused(bob, f"set role {who}")
    refused(bob, f"set session authorization {who}")
    with pytest.raises(psycopg.Error):
        bob.execute(f"grant {who} to bob")


@pytest.mark.parametrize("helper", HELPERS)
def test_what_only_our_functions_call(bob: Any, helper: str) -> None:
    refused(bob, f"select {helper}")


def test_functions_and_tables_of_his_own(bob: Any, boss: Any, space: str) -> None:
    """Even where an administrator let him make things in `public`, ours call none of them."""
    for statement in (
        "create or replace function axm.role_in(text) returns text language sql as $$ select 'owner' $$",
        "create function axm.sha256(bytea) returns bytea language sql as $$ select $1 $$",
        "create table axm.members2 (space text)",
        "alter function axm.pull(text, text, bigint, int, bigint) security invoker",
        "drop function axm.heads(text)",
    ):
        refused(bob, statement)
    boss.execute("grant create on schema public to bob")
    try:
        for schema in ("public", "pg_temp"):
            bob.execute(f"create function {schema}.role_in(text) returns text language sql as $$ select 'owner' $$")
            bob.execute(f"create table {schema}.members (space text, who name, role text)")
            bob.execute(f"insert into {schema}.members values ('{space}', 'bob', 'owner')")
            bob.execute(
                f"create function {schema}.same(axm.label, text) returns boolean language sql as $$ select true $$"
            )
            bob.execute(f"create operator {schema}.= (leftarg = axm.label, rightarg = text, function = {schema}.same)")
            bob.execute(f"set search_path = {schema}, axm, pg_catalog")
            assert everything_that_can_be_read(bob, space) == []
    finally:
        bob.execute("reset search_path")
        boss.execute("drop owned by bob")
        boss.execute("grant axm_member to bob")


def test_beneath_the_functions_rows_are_guarded_too(bob: Any, boss: Any, server: PostgresServer, space: str) -> None:
    """An administrator who grants the tables by mistake shows no row with that; nor does the owner see other's."""
    boss.execute("grant usage on schema axm to bob; grant select on all tables in schema axm to bob")
    try:
        for table in TABLES:
            assert bob.execute(f"select count(*) from axm.{table}").fetchone() == (0,)
    finally:
        boss.execute("revoke all on all tables in schema axm from bob; revoke usage on schema axm from bob")
    with connect(server.url("admin")) as admin:
        admin.execute("set role axm_owner")
        for table in ("heads", "segments", "sessions", "packs", "keys", "cards"):
            assert admin.execute(f"select count(*) from axm.{table}").fetchone() == (0,)


def test_every_table_and_function_is_made_this_way(boss: Any) -> None:
    """So that no later version of the schema forgets it."""
    tables = boss.execute(
        """select relname, relrowsecurity and relforcerowsecurity, relowner::regrole::text,
                  not exists (select from aclexplode(relacl) a where a.grantee <> relowner)
           from pg_class where relnamespace = 'axm'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'S')"""
    ).fetchall()
    assert sorted(name for name, *_ in tables) == sorted(TABLES)
    assert {tuple(rest) for _, *rest in tables} == {(True, "axm_owner", True)}
    functions = boss.execute(
        """select proname, prosecdef, proowner::regrole::text, array_to_string(proconfig, ' '),
                  exists (select from aclexplode(proacl) a where a.grantee = 0), proacl is not null
           from pg_proc where pronamespace = 'axm'::regnamespace"""
    ).fetchall()
    assert len(functions) == 23
    expected = (True, "axm_owner", "search_path=pg_catalog, pg_temp", False, True)
    assert {tuple(rest) for _, *rest in functions} == {expected}
