"""Connecting to PostgreSQL, and what its errors mean for a person.

Nothing is kept in a session of the server (no prepared statements, no settings), so a pooler that gives each
transaction another connection (pgbouncer) may stand between. psycopg is imported when somebody connects.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from axiommind.distribution import extra_command
from axiommind.errors import AxmError, MissingExtra, NotFound, RemoteFailed, UsageError

if TYPE_CHECKING:
    from psycopg import Connection, Error

__all__ = ["LOST", "SCHEMA_VERSION", "check_version", "connect", "explained"]

# The newest version of the schema that this program knows; the functions of an older one may be missing.
SCHEMA_VERSION = 1

# SQLSTATEs with which a server says that it is going, or is not there yet: the connection is of no use any more.
LOST = ("57P01", "57P02", "57P03", "08000", "08003", "08006")

_SETUP = "whoever administers the database sets it up once: axm team setup URL (docs/team.md)"


def connect(url: str) -> Connection[Any]:
    """A connection on which every statement is a transaction of its own."""
    try:
        import psycopg
        from psycopg.conninfo import conninfo_to_dict
    except ImportError as error:
        raise MissingExtra(
            "a remote in PostgreSQL needs psycopg, which is not installed", hint=extra_command("postgres")
        ) from error
    try:
        known = conninfo_to_dict(url)
    except psycopg.ProgrammingError as error:
        raise UsageError(
            f"this is no URL of a database: {_first_line(error)}", hint="postgres://host/database"
        ) from error
    defaults = {"connect_timeout": 15, "application_name": "axm"}
    named: dict[str, Any] = {key: value for key, value in defaults.items() if key not in known}
    with explained(url):
        return psycopg.connect(url, autocommit=True, prepare_threshold=None, **named)


def check_version(connection: Connection[Any], url: str) -> None:
    """Whether the functions that this program calls are there, and whoever is logged in may call them."""
    with explained(url):
        row = connection.execute("select axm.version()").fetchone()
    if row is None or row[0] < SCHEMA_VERSION:
        raise RemoteFailed(f"the schema at {url} is older than this program", hint=_SETUP)


@contextmanager
def explained(url: str) -> Iterator[None]:
    """Errors of the server, as errors for people."""
    import psycopg

    try:
        yield
    except psycopg.Error as error:
        raise _meaning(error, url) from error


def _meaning(error: Error, url: str) -> AxmError:
    state, said = error.sqlstate or "", _first_line(error)
    if "not yours" in said:
        return RemoteFailed(f"this space is not yours at {url}", hint="an owner of it adds you: axm team add")
    if state == "42501":
        return RemoteFailed(
            f"you may not use AxiomMind at {url}: {said}", hint="whoever administers it lets you in: axm team admit"
        )
    if state in ("3F000", "42883", "42P01"):
        return RemoteFailed(f"there is no AxiomMind at {url}, or an older one: {said}", hint=_SETUP)
    if state == "42704" and "no such person" in said:
        return NotFound(f"nobody of that name is let in at {url}", hint="an administrator lets them in: axm team admit")
    if state == "23001":
        return UsageError("a space keeps an owner", hint="make somebody else its owner first")
    if "no password supplied" in said or state.startswith("28"):
        return RemoteFailed(
            f"{url} lets nobody in as you are: {said}",
            hint="put a line HOST:PORT:DATABASE:USER:PASSWORD into ~/.pgpass (mode 600), or set PGPASSWORD",
        )
    if state == "53100":
        return RemoteFailed(f"the disk of {url} is full", hint="nothing was lost: what was not kept is sent again")
    return RemoteFailed(
        f"{url} cannot be reached: {said}" if not state or state in LOST else f"{url} refused: {said}",
        hint="run it again later: what was not kept is sent again",
    )


def _first_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if "Multiple connection attempts" in str(error):  # one line for each address of a name
        lines = [lines[-1].lstrip("- ")]
    return (lines or ["no reason was given"])[0][:300]
