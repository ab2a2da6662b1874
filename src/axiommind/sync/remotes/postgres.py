"""A remote in PostgreSQL: postgres://USER@HOST/DATABASE, plain, managed, or another server of its protocol.

Everything is one call of one function of the schema `axm`, each a transaction of its own, and may be called again: a
connection that was lost is made anew once, and only then is it an error. Who may do what is decided there
(`postgres/m001.sql`), by who is logged in. After a push, whoever waits is told beside it, in a transaction that waits
for no disk: inside the push it would hold a lock of the whole server over the push's own.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any, TypeVar

from axiommind.errors import RemoteFailed, UsageError
from axiommind.sync.postgres.connection import LOST, check_version, connect, explained
from axiommind.sync.remote import LONGEST_CARD, LONGEST_PULL, LONGEST_SEGMENT, Pushed, named
from axiommind.sync.remotes import RemoteUrl

if TYPE_CHECKING:
    from psycopg import Connection

__all__ = ["SCHEMES", "PostgresRemote", "open"]

SCHEMES = ("postgres", "postgresql")

_AT_ONCE = 8 << 20  # about so many bytes of packs go into one statement
_NOTICE_S = 0.2  # whoever waits is told at most so often by one machine
_RETRY_S = 1.0

T = TypeVar("T")


def open(address: RemoteUrl) -> PostgresRemote:  # noqa: A001 - what the registry asks of every kind
    if not address.path.strip("/"):
        raise UsageError("a URL of a database names it", hint="postgres://me@host/memory")
    return PostgresRemote(address.url)


class PostgresRemote:
    """The contract of `remote.py`, over the functions of the schema `axm`."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._open: Connection[Any] | None = None
        self._heard_on: set[str] = set()  # channels of this connection
        self._untold: dict[str, None] = {}  # spaces with pushes that nobody was told of
        self._told_at = 0.0

    def probe(self) -> list[str]:
        space, found = f"probe-{secrets.token_hex(16)}", []
        try:
            tried = [self.push(space, "probe", 1, "", content) for content in (b"one", b"one", b"two")]
            if tried != [Pushed.OK, Pushed.SAME, Pushed.FORK]:
                found.append(f"of three pushes of one number it said {', '.join(tried)}, not ok, same, fork")
            if self.pull(space, "probe", 0) != [b"one"]:
                found.append("what was written cannot be read back")
        finally:
            self._untold.clear()
            self._asked("select axm.drop_space(%s)", space)
        if self.heads(space, {}):
            found.append("what was deleted is still there: forgetting does not reach it")
        return found

    def problems(self) -> list[str]:
        return []

    # --- segments -------------------------------------------------------------------------------------------

    def heads(self, space: str, known: Mapping[str, int]) -> dict[str, int]:  # noqa: ARG002 - one question for all
        return {origin: int(n) for origin, n in self._asked("select origin, n from axm.heads(%s)", named(space))}

    def push(self, space: str, origin: str, n: int, previous: str, segment: bytes) -> Pushed:
        _short_enough(segment, LONGEST_SEGMENT)
        given = (named(space), named(origin), n, bytes.fromhex(previous), segment)
        ((said,),) = self._asked("select axm.push(%s, %s, %s, %s, %s)", *given)
        pushed = Pushed(said)
        if pushed is Pushed.OK:
            self._untold[space] = None
            if time.monotonic() - self._told_at >= _NOTICE_S:
                self._tell()
        return pushed

    def pull(self, space: str, origin: str, after: int, most: int = 64) -> list[bytes]:
        given = (named(space), named(origin), after, most, LONGEST_PULL)
        return [body for (body,) in self._asked("select body from axm.pull(%s, %s, %s, %s, %s)", *given)]

    # --- texts and keys -------------------------------------------------------------------------------------

    def put_packs(self, space: str, session: str, packs: Mapping[str, bytes]) -> None:
        for name, body in packs.items():
            named(name)
            _short_enough(body, LONGEST_SEGMENT)
        for names in _portions(packs):
            bodies = [packs[name] for name in names]
            self._asked("select axm.put_packs(%s, %s, %s, %s)", named(space), named(session), names, bodies)

    def packs(self, space: str, session: str, names: Sequence[str]) -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        wanted = [named(name) for name in names]
        while wanted:
            given = (named(space), named(session), wanted, LONGEST_PULL)
            rows = self._asked("select name, body from axm.packs(%s, %s, %s, %s)", *given)
            found |= {name: body for name, body in rows if body is not None}
            wanted = [name for name, body in rows if body is None]
        return found

    def put_key(self, space: str, session: str, wrapped: bytes) -> None:
        _short_enough(wrapped, LONGEST_CARD)
        self._asked("select axm.put_key(%s, %s, %s)", named(space), named(session), wrapped)

    def keys(self, space: str, sessions: Sequence[str]) -> dict[str, bytes]:
        wanted = [named(session) for session in sessions]
        return dict(self._asked("select session, wrapped from axm.keys(%s, %s)", named(space), wanted))

    def destroy(self, space: str, session: str) -> None:
        self._asked("select axm.forget(%s, %s)", named(space), named(session))

    # --- cards ----------------------------------------------------------------------------------------------

    def put_card(self, space: str, kind: str, name: str, card: bytes) -> None:
        _short_enough(card, LONGEST_CARD)
        self._asked("select axm.put_card(%s, %s, %s, %s)", named(space), named(kind), named(name), card)

    def cards(self, space: str, kind: str) -> dict[str, bytes]:
        return dict(self._asked("select name, card from axm.cards(%s, %s)", named(space), named(kind)))

    # --- people ---------------------------------------------------------------------------------------------

    def people(self, space: str) -> dict[str, str]:
        return dict(self._asked("select who, role from axm.members(%s)", named(space)))

    def add_person(self, space: str, who: str, role: str) -> None:
        self._asked("select axm.add_member(%s, %s, %s)", named(space), who, role)

    def remove_person(self, space: str, who: str) -> None:
        self._asked("select axm.remove_member(%s, %s)", named(space), who)

    # --- waiting --------------------------------------------------------------------------------------------

    def wait(self, spaces: Collection[str], seconds: float) -> None:
        """Listen to the other machines. Where that cannot be (a pooler, a server without it) the time just passes."""
        import psycopg

        end = time.monotonic() + seconds
        try:
            self._tell()
            connection = self._connected()
            row = connection.execute("select pg_backend_pid()").fetchone()
            if row is None or row[0] != connection.info.backend_pid:
                raise RemoteFailed("a pooler stands between: to listen would be to leave something in its connection")
            for channel in {_channel(space) for space in spaces} - self._heard_on:
                connection.execute(f"listen {channel}")  # made of a hash
                self._heard_on.add(channel)
            while (left := end - time.monotonic()) > 0:
                for notice in connection.notifies(timeout=left, stop_after=1):
                    if notice.pid != connection.info.backend_pid:
                        return
        except (psycopg.Error, RemoteFailed):
            self._let_go()
            time.sleep(max(0.0, end - time.monotonic()))

    def _tell(self) -> None:
        """Tell whoever waits. Nothing rests on it: they would ask by themselves a little later."""
        if not self._untold:
            return
        channels = [_channel(space) for space in self._untold]
        self._untold.clear()
        self._told_at = time.monotonic()
        told = "; ".join(f"notify {channel}" for channel in channels)
        self._repeated(lambda connection: connection.execute(f"set local synchronous_commit = off; {told}"))

    def close(self) -> None:
        if self._open is None:
            return
        import psycopg

        try:
            self._tell()
        except (psycopg.Error, RemoteFailed):
            return
        finally:
            self._let_go()

    # --- the connection -------------------------------------------------------------------------------------

    def _asked(self, statement: str, *given: object) -> list[tuple[Any, ...]]:
        def ask(connection: Connection[Any]) -> list[tuple[Any, ...]]:
            with connection.cursor(binary=True) as cursor:
                cursor.execute(statement, given)  # ours, with parameters
                return cursor.fetchall()

        return self._repeated(ask)

    def _repeated(self, call: Callable[[Connection[Any]], T]) -> T:
        """A call, and once more where the connection was lost meanwhile: the server restarted, the laptop slept."""
        import psycopg

        is_fresh = self._open is None
        with explained(self.url):
            try:
                return call(self._connected())
            except psycopg.Error as error:
                is_lost = self._open is not None and (self._open.closed or error.sqlstate in LOST)
                if is_lost:
                    self._let_go()
                if is_fresh or not is_lost:
                    raise
            time.sleep(_RETRY_S)
            return call(self._connected())

    def _connected(self) -> Connection[Any]:
        if self._open is None:
            connection = connect(self.url)
            try:
                check_version(connection, self.url)
            except RemoteFailed:
                connection.close()
                raise
            self._open = connection
        return self._open

    def _let_go(self) -> None:
        if self._open is not None:
            self._open.close()
        self._open = None
        self._heard_on.clear()


def _channel(space: str) -> str:
    """Where those who share a space are told. It is no secret, and what anybody says there means nothing but: look."""
    return f"axm_{sha256(named(space).encode()).hexdigest()[:32]}"


def _portions(packs: Mapping[str, bytes]) -> Iterator[list[str]]:
    names: list[str] = []
    size = 0
    for name, body in packs.items():
        if names and size + len(body) > _AT_ONCE:
            yield names
            names, size = [], 0
        names.append(name)
        size += len(body)
    if names:
        yield names


def _short_enough(body: bytes, most: int) -> None:
    if len(body) > most:
        raise ValueError(f"this is too long for a remote: {len(body)} bytes, where {most} are allowed")
