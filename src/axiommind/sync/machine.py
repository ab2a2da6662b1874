"""This home as others know it: an origin with a name, a person, and a key that signs what it publishes.

The key is in a file of its own beside the log, not in the log: a log that is restored elsewhere is not this machine. A
copy of the whole home has the key too, and is found out by the chain: then it takes another name (`become_another`).
"""

from __future__ import annotations

import contextlib
import getpass
import os
import re
import secrets
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from axiommind.errors import Locked, NotWritable, UsageError
from axiommind.locks import alone
from axiommind.log.foreign import join
from axiommind.log.sqlite import SqliteLog
from axiommind.log.syncing import SyncTables
from axiommind.model import OriginHome
from axiommind.private import make_private
from axiommind.sync.crypto import KEY_BYTES, new_key, verify_key

__all__ = [
    "OwnMachine",
    "become_another",
    "machine_name",
    "make_machine",
    "read_machine",
    "sync_folder",
    "syncing_alone",
]

_KEY_FILE = "origin.key"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")


class OwnMachine(NamedTuple):
    """This home: what it is called in its chain, and the seed of its key."""

    origin: str
    who: str
    name: str
    seed: bytes

    @property
    def public(self) -> bytes:
        return verify_key(self.seed)


def sync_folder(home: Path) -> Path:
    return home / "sync"


@contextlib.contextmanager
def syncing_alone(home: Path) -> Iterator[None]:
    """No other process of this home syncs meanwhile."""
    folder = sync_folder(home)
    make_private(folder)
    with alone(folder / "lock") as ours:
        if not ours:
            raise Locked("another process of this home is syncing", hint="wait for it to end")
        yield


def machine_name(given: str | None) -> str:
    """A name for this machine: as it was given, else that of the host."""
    if given is not None:
        if not _NAME.fullmatch(given):
            raise UsageError(f"{given!r} is no name of a machine", hint="letters, digits, - and _, at most 40")
        return given
    host = re.sub(r"[^A-Za-z0-9_-]", "-", socket.gethostname().partition(".")[0]).strip("-_")[:40]
    return host or "machine"


def login_name() -> str:
    """Who uses this machine, as others may read it."""
    try:
        user = getpass.getuser()
    except (OSError, KeyError, ImportError):
        user = ""
    return re.sub(r"[^A-Za-z0-9_-]", "-", user)[:40].strip("-") or "me"


def read_machine(home: Path, log: SqliteLog) -> OwnMachine | None:
    """This home, if it has a name; None where it never synced. Of a log that lies beside no key, or another's, the
    home has to take another name: its `seed` is empty."""
    found = next((one for one in log.origins.all() if one.id == 0), None)
    if found is None:
        return None
    seed = _read_key(home)
    if len(seed) != KEY_BYTES or verify_key(seed) != found.verify_key:
        seed = b""
    return OwnMachine(found.origin, found.who, found.name, seed)


def make_machine(home: Path, log: SqliteLog, name: str, who: str) -> OwnMachine:
    """Give this home a name, once."""
    made = OwnMachine(secrets.token_hex(16), who, name, new_key())
    _write_key(home, made.seed)
    join(log, OriginHome(0, made.origin, who, name, "self", verify_key=made.public))
    return made


def become_another(home: Path, log: SqliteLog, upto: dict[str, int]) -> OwnMachine:
    """This home was copied, or its log restored: what is published under its name up to these segments of its spaces
    stays, and from now on it is another machine, whose chains go on with what came after. The name it had is that of
    another home."""
    tables = SyncTables(log)
    old = next(one for one in log.origins.all() if one.id == 0)
    taken = {one.name for one in log.origins.all() if one.relation != "teammate"}
    name, n = old.name, 2
    while name in taken:
        name, n = f"{old.name}-{n}", n + 1
    seed = new_key()
    made = OwnMachine(secrets.token_hex(16), old.who, name, seed)
    # First the key: a kill in between leaves a key that fits no name, which comes here again.
    _write_key(home, seed)
    with log.atomic():
        number = log.origins.rename_self(OriginHome(0, made.origin, made.who, name, "self", "active", made.public))
        for space in tables.spaces():
            tables.hand_over(space.space, number, upto.get(space.space, tables.tip(space.space, 0).n))
    join(log, OriginHome(0, made.origin, made.who, name, "self", verify_key=made.public))
    return made


def _read_key(home: Path) -> bytes:
    try:
        return (sync_folder(home) / _KEY_FILE).read_bytes()
    except OSError:
        return b""


def _write_key(home: Path, seed: bytes) -> None:
    folder = sync_folder(home)
    path = folder / _KEY_FILE
    try:
        make_private(folder)
        mine = path.with_name(f"{_KEY_FILE}.{os.getpid()}")
        with os.fdopen(os.open(mine, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(seed)
            file.flush()
            os.fsync(file.fileno())
        mine.replace(path)
    except OSError as error:
        raise NotWritable(f"{path} cannot be written: {error.strerror or error}") from error
