"""Setting up a database for a person or a team, and who may use it.

Two roles of the server: `axm_owner` owns the schema and cannot log in, `axm_member` may call its functions and nothing
else. A person is a role of their own that is granted `axm_member`. `setup` is run by an administrator, who need not be
a superuser (CREATEROLE, and CREATE on the database), and again after an update: what is there stays.
"""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, Any

from axiommind.errors import RemoteFailed, UsageError
from axiommind.sync.postgres.connection import SCHEMA_VERSION, explained

if TYPE_CHECKING:
    from psycopg import Connection

__all__ = ["add_member", "admit", "dismiss", "members", "remove_member", "script", "setup"]

ROLES = ("owner", "member", "reader")

_ROLES_SQL = """
do $$
begin
  if not exists (select from pg_roles where rolname = 'axm_owner') then
    create role axm_owner nologin;
  end if;
  if not exists (select from pg_roles where rolname = 'axm_member') then
    create role axm_member nologin;
  end if;
  if not pg_has_role('axm_owner', 'usage') then
    execute format('grant axm_owner to %I', current_user);
  end if;
end
$$
"""
_SCHEMA_SQL = "create schema if not exists axm authorization axm_owner"
# Two administrators at once: the second one waits, and finds everything there.
_ALONE_SQL = "select pg_advisory_xact_lock(7234001)"


def script(version: int) -> str:
    """What one version of the schema adds, as SQL: for administrators who read before they run."""
    return files(__package__).joinpath(f"m{version:03d}.sql").read_text("utf-8")


def setup(connection: Connection[Any]) -> list[int]:
    """Bring a database to the schema of this program, in one transaction; the versions that were added."""
    with explained(_shown(connection)), connection.transaction():
        connection.execute(_ALONE_SQL)
        connection.execute(_ROLES_SQL)
        connection.execute(_SCHEMA_SQL)
        connection.execute("set local role axm_owner")
        has_any = connection.execute("select to_regclass('axm.migrations') is not null").fetchone() == (True,)
        known = (
            connection.execute("select coalesce(max(version), 0) from axm.migrations").fetchone() if has_any else (0,)
        )
        newest = int(known[0]) if known else 0
        if newest > SCHEMA_VERSION:
            raise RemoteFailed(
                f"the schema at {_shown(connection)} is version {newest}, newer than this program",
                hint="update AxiomMind on this machine",
            )
        added = list(range(newest + 1, SCHEMA_VERSION + 1))
        for version in added:
            connection.execute(script(version))  # our own file
            connection.execute("insert into axm.migrations (version) values (%s)", (version,))
    return added


def admit(connection: Connection[Any], who: str) -> bool:
    """Let a person in: a role that may log in, and call the functions. True when the role is new: it has no password
    yet, which only an administrator's own client should send (`\\password` in psql)."""
    from psycopg import sql

    with explained(_shown(connection)), connection.transaction():
        is_new = connection.execute("select from pg_roles where rolname = %s", (who,)).fetchone() is None
        if is_new:
            connection.execute(sql.SQL("create role {} login").format(sql.Identifier(who)))
        connection.execute(sql.SQL("grant axm_member to {}").format(sql.Identifier(who)))
    return is_new


def dismiss(connection: Connection[Any], who: str, *, erase: bool = False) -> int:
    """Let a person in no longer. With `erase`, also delete the spaces that only they could reach, and say how many
    there were; what they shared with others stays theirs. Their role stays: it may own other things."""
    from psycopg import sql

    with explained(_shown(connection)), connection.transaction():
        erased = 0
        if erase:
            row = connection.execute("select axm.erase_person(%s)", (who,)).fetchone()
            erased = int(row[0]) if row else 0
        connection.execute(sql.SQL("revoke axm_member from {}").format(sql.Identifier(who)))
    return erased


def add_member(connection: Connection[Any], space: str, who: str, role: str = "member") -> None:
    """Let a person into a space, or change what they may do there: for an owner of it."""
    if role not in ROLES:
        raise UsageError(f"there is no role {role!r} in a space", hint=f"one of: {', '.join(ROLES)}")
    with explained(_shown(connection)):
        connection.execute("select axm.add_member(%s, %s, %s)", (space, who, role))


def remove_member(connection: Connection[Any], space: str, who: str) -> None:
    """Let a person into a space no longer: for an owner of it, and for oneself. What they pulled they have."""
    with explained(_shown(connection)):
        connection.execute("select axm.remove_member(%s, %s)", (space, who))


def members(connection: Connection[Any], space: str) -> dict[str, str]:
    """Who is in a space, and as what; nothing where it is not one's own."""
    with explained(_shown(connection)):
        return dict(connection.execute("select who, role from axm.members(%s)", (space,)).fetchall())


def _shown(connection: Connection[Any]) -> str:
    info = connection.info
    return f"postgres://{info.user}@{info.host}:{info.port}/{info.dbname}"
