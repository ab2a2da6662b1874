"""A remote in a folder of another machine, over its SSH: ssh://[USER@]HOST[:PORT]/PATH.

The user's own `ssh` connects, with the user's configuration, keys and known hosts, and asks nobody anything. On the
host it runs `axm sync-serve`, which answers from the folder: one connection for a run. `/~/memory` is in the home of
whoever logs in, `/C:/memory` on a disk of Windows; `?axm=PATH` says where `axm` is, if ssh finds it neither on the PATH
there nor in ~/.local/bin.
"""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Collection, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from axiommind.errors import RemoteFailed, UsageError
from axiommind.sync.remote import LONGEST_CARD, LONGEST_SEGMENT, Pushed, named
from axiommind.sync.remotes import RemoteUrl
from axiommind.sync.remotes import _ssh_frames as frames
from axiommind.sync.remotes._ssh_connection import Connection, ConnectionLost, NoProgram
from axiommind.sync.remotes._ssh_host import serve

__all__ = ["SCHEMES", "SshRemote", "open", "serve"]

SCHEMES = ("ssh",)

# Where `axm` is looked for: pipx, uv and pip put it into a folder that a shell without a terminal often does not know.
_PROGRAMS = ("axm", "~/.local/bin/axm")
_PROGRAM = re.compile(r"(?!-)[A-Za-z0-9_./~:+-]+")
_WORD = re.compile(r"(?!-)[^\s\0/@]+")
_DRIVE = re.compile(r"/[A-Za-z]:")
# Requests are cut into pieces of about so many bytes, and of so many names.
_PIECE, _NAMES = 8 << 20, 500
_OPTIONS = {
    "BatchMode": "yes",  # a question that nobody sees would wait for ever
    "ConnectTimeout": "15",
    "ServerAliveInterval": "15",
    "ServerAliveCountMax": "4",
    "ClearAllForwardings": "yes",
    "ForwardAgent": "no",
    "ForwardX11": "no",
    "PermitLocalCommand": "no",
    "RemoteCommand": "none",
    "EscapeChar": "none",
}


def open(address: RemoteUrl) -> SshRemote:  # noqa: A001 - what the registry asks of every kind
    address.only("axm")
    host = _host(address)
    if not address.path.strip("/") or "\0" in address.path:
        raise UsageError("this URL names no folder", hint="such as ssh://host/srv/memory or ssh://host/~/memory")
    given = address.options.get("axm")
    if given is not None and _PROGRAM.fullmatch(given) is None:
        raise UsageError(f"{given!r} is no path of a program", hint="such as ?axm=/opt/axiommind/bin/axm")
    if not _WORD.fullmatch(host) or (address.user and not _WORD.fullmatch(address.user)):
        raise UsageError("this URL names no host", hint="such as ssh://host/srv/memory or ssh://me@host:2222/~/memory")
    return SshRemote(address, host, (given,) if given else _PROGRAMS)


def _host(address: RemoteUrl) -> str:
    """The host as it was typed: names in the configuration of ssh may have capital letters."""
    host = urlsplit(address.url).netloc.rpartition("@")[2]
    return host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0]


class SshRemote:
    """The contract of `remote.py`, asked over a connection that is made with the first call."""

    def __init__(self, address: RemoteUrl, host: str, programs: Sequence[str]) -> None:
        self.url = address.url
        self._address, self._host = address, host
        self._programs = list(programs)
        # `/~/memory` and `/C:/memory`: the first character only ends the host's name.
        path = address.path
        self.folder = path[1:] if path.startswith("/~") or _DRIVE.match(path) else path
        self._connection: Connection | None = None

    def probe(self) -> list[str]:
        return _words(self._asked(frames.Probe(), list[str]))

    def problems(self) -> list[str]:
        if self._connection is None:
            return []
        return [f"{self._host}: {one}" for one in _words(self._asked(frames.Problems(), list[str]))]

    def heads(self, space: str, known: Mapping[str, int]) -> dict[str, int]:
        found = self._asked(frames.Heads(named(space), dict(known)), dict[str, int])
        self._require(all(n > 0 for n in found.values()) and _are_names(found))
        return dict(found)

    def push(self, space: str, origin: str, n: int, previous: str, segment: bytes) -> Pushed:
        _short_enough(segment, LONGEST_SEGMENT)
        return Pushed(self._asked(frames.Push(named(space), named(origin), n, previous, segment), Pushed))

    def pull(self, space: str, origin: str, after: int, most: int = 64) -> list[bytes]:
        found: list[bytes] = self._asked(frames.Pull(named(space), named(origin), after, most), list[bytes])
        self._require(len(found) <= most and all(len(one) <= LONGEST_SEGMENT for one in found))
        return found

    def put_packs(self, space: str, session: str, packs: Mapping[str, bytes]) -> None:
        piece: dict[str, bytes] = {}
        for name, body in packs.items():
            _short_enough(body, LONGEST_SEGMENT)
            piece[named(name)] = body
        for some in _pieces(piece):
            self._asked(frames.PutPacks(named(space), named(session), some), None)

    def packs(self, space: str, session: str, names: Sequence[str]) -> dict[str, bytes]:
        wanted = [named(name) for name in names]
        return self._looked_up(lambda some: frames.Packs(named(space), named(session), some), wanted, LONGEST_SEGMENT)

    def put_key(self, space: str, session: str, wrapped: bytes) -> None:
        _short_enough(wrapped, LONGEST_CARD)
        self._asked(frames.PutKey(named(space), named(session), wrapped), None)

    def keys(self, space: str, sessions: Sequence[str]) -> dict[str, bytes]:
        wanted = [named(session) for session in sessions]
        return self._looked_up(lambda some: frames.Keys(named(space), some), wanted, LONGEST_CARD)

    def destroy(self, space: str, session: str) -> None:
        self._asked(frames.Destroy(named(space), named(session)), None)

    def put_card(self, space: str, kind: str, name: str, card: bytes) -> None:
        _short_enough(card, LONGEST_CARD)
        self._asked(frames.PutCard(named(space), named(kind), named(name), card), None)

    def cards(self, space: str, kind: str) -> dict[str, bytes]:
        found: dict[str, bytes] = self._asked(frames.Cards(named(space), named(kind)), dict[str, bytes])
        self._require(_are_names(found) and all(len(one) <= LONGEST_CARD for one in found.values()))
        return found

    def wait(self, spaces: Collection[str], seconds: float) -> None:  # noqa: ARG002 - a folder tells nobody
        time.sleep(seconds)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    # --- asking -----------------------------------------------------------------------------------------------

    def _looked_up(self, request: Any, wanted: list[str], longest: int) -> dict[str, bytes]:
        """What is there under these names, in as many answers as it takes."""
        found: dict[str, bytes] = {}
        while wanted:
            some = wanted[:_NAMES]
            there, done = self._asked(request(some), tuple[dict[str, bytes], int])
            self._require(0 < done <= len(some) and there.keys() <= set(some[:done]))
            self._require(all(len(one) <= longest for one in there.values()))
            found |= there
            wanted = wanted[done:]
        return found

    def _asked(self, request: frames.RemoteCall, kind: Any) -> Any:
        """The answer to a call. A connection that was lost since the last one (a laptop slept) is made anew, once."""
        if self._connection is not None:
            try:
                return self._answer(self._connection, request, kind)
            except ConnectionLost:
                self.close()
        try:
            return self._answer(self._connected(), request, kind)
        except ConnectionLost as error:
            self.close()
            raise error.failure from error

    def _answer(self, connection: Connection, request: frames.RemoteCall, kind: Any) -> Any:
        try:
            packed = connection.exchange(frames.frame(request))
            answer = frames.unpacked(packed, frames.Given | frames.Denied)
            if isinstance(answer, frames.Given):
                return frames.unpacked(answer.value, kind)
        except frames.FrameRefused as error:
            raise self._hostile(str(error)) from error
        if answer.is_ours:
            raise ValueError(_plain(answer.message))
        raise RemoteFailed(f"{self._host}: {_plain(answer.message)}", hint=_plain(answer.hint))

    def _connected(self) -> Connection:
        """A new connection with the folder opened."""
        while True:
            program = self._programs[0]
            try:
                connection = Connection(self._command(program), self._host, self._address.environ)
            except NoProgram as error:
                if len(self._programs) == 1:
                    raise error.failure from error
                self._programs.pop(0)
                continue
            try:
                self._answer(connection, frames.Open(self.folder), None)
            except BaseException:
                connection.close()
                raise
            self._connection = connection
            return connection

    def _command(self, program: str) -> list[str]:
        ssh = shutil.which("ssh", path=self._address.environ.get("PATH"))
        if ssh is None:
            raise RemoteFailed("there is no ssh on this machine", hint="install OpenSSH's client, then run it again")
        options = [word for name, value in _OPTIONS.items() for word in ("-o", f"{name}={value}")]
        if self._address.port is not None:
            options += ["-p", str(self._address.port)]
        if self._address.user:
            options += ["-l", self._address.user]
        return [ssh, "-T", *options, "--", self._host, f"{program} sync-serve"]

    def _require(self, is_sound: bool) -> None:
        if not is_sound:
            raise self._hostile("an answer that nobody asked for")

    def _hostile(self, what: str) -> RemoteFailed:
        self.close()
        return RemoteFailed(
            f"{self._host} sent {_plain(what)}: nothing of it was taken",
            hint="is AxiomMind there what you installed? Compare: axm --version, here and there",
        )


def _pieces(packs: Mapping[str, bytes]) -> list[dict[str, bytes]]:
    found: list[dict[str, bytes]] = []
    size = 0
    for name, body in packs.items():
        if not found or size + len(body) > _PIECE or len(found[-1]) >= _NAMES:
            found.append({})
            size = 0
        found[-1][name] = body
        size += len(body)
    return found


def _are_names(names: Collection[str]) -> bool:
    try:
        return all(named(name) for name in names)
    except ValueError:
        return False


def _words(found: Sequence[str]) -> list[str]:
    return [_plain(one) for one in found[:100]]


def _plain(said: str) -> str:
    """What another machine said, as it may be shown in a terminal."""
    return re.sub(r"[^\S\n ]|[^\s\x20-\x7e\xa1-\U0010ffff]", "?", said)[:1_000]


def _short_enough(body: bytes, most: int) -> None:
    if len(body) > most:
        raise ValueError(f"this is too long for a remote: {len(body)} bytes, where {most} are allowed")
