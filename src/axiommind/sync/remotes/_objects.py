"""A remote of files: what folders and buckets have in common. Each thing is one object under a name, which is made once
and never changed (cards are replaced), so that any program which copies files is a fair means of transport.

    axiommind.json                        what this place is, and its format
    seg/SPACE/ORIGIN/000000000001         segments
    packs/SPACE/SESSION/NAME              texts
    keys/SPACE/SESSION                    wrapped keys
    cards/SPACE/KIND/NAME                 small records

Every object begins with the hash of the rest. One that was cut on its way, or is empty, is not there yet: readers stop
before it and say so, and take it once it is whole. Names have no capital letters and no names that Windows keeps for
itself, so that one tree serves every file system.
"""

from __future__ import annotations

import json
import re
import secrets
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from typing import Protocol, TypeVar

from axiommind.errors import RemoteFailed
from axiommind.sync.remote import LONGEST_CARD, LONGEST_PULL, LONGEST_SEGMENT, Pushed, named

__all__ = ["ObjectRemote", "Objects", "plain", "spelled"]

FORMAT = 1
_MARKER = "axiommind.json"
_MAGIC = b"AXMOBJ1\n"
_BEFORE = len(_MAGIC) + 32
_RESERVED = re.compile(r"con|nul|aux|prn|com[0-9]|lpt[0-9]")
_SPELLED = re.compile(r"(?:[a-z0-9_-]|![a-z])+!?")

T = TypeVar("T")
U = TypeVar("U")


class Objects(Protocol):
    """Named bytes: what a folder or a bucket has to be able to do. Names are paths with `/`."""

    url: str
    at_once: int  # how many calls may run beside each other
    is_exclusive: bool  # whether `create` may rely on the place itself to refuse a second one

    def prepare(self) -> None:
        """Make the place itself, where it can be made."""

    def create(self, name: str, content: bytes) -> bool:
        """Write an object whole, for good, unless there is one of this name: then False."""

    def replace(self, name: str, content: bytes) -> None:
        """Write an object whole, in place of the one that may be there."""

    def read(self, name: str, most: int) -> bytes | None:
        """An object; None where there is none, and where it is longer than that."""

    def is_there(self, name: str) -> bool: ...

    def files(self, folder: str, after: str = "") -> list[str]:
        """The last parts of the names of objects in a folder, those after one of them."""

    def folders(self, folder: str) -> list[str]: ...

    def delete(self, name: str) -> None:
        """Delete an object and all copies of it that are known; one that is not there is no error."""

    def problems(self) -> list[str]: ...

    def close(self) -> None: ...


def spelled(name: str) -> str:
    """A name as it stands in a path."""
    found = re.sub(r"[A-Z]", lambda letter: "!" + letter[0].lower(), named(name))
    return f"{found}!" if _RESERVED.fullmatch(found) else found


def plain(spelling: str) -> str | None:
    """The name that is spelled so; None of anything that we did not write."""
    if _SPELLED.fullmatch(spelling) is None:
        return None
    name = re.sub(r"!([a-z])", lambda pair: pair[1].upper(), spelling.removesuffix("!"))
    return name if spelled(name) == spelling else None


def _number(n: int) -> str:
    if not 0 <= n < 10**12:
        raise ValueError(f"this is no number of a segment: {n}")
    return f"{n:012d}"


def _whole(content: bytes | None) -> bytes | None:
    """What an object holds; None where it is not whole."""
    if content is None or not content.startswith(_MAGIC):
        return None
    body = content[_BEFORE:]
    return body if sha256(body).digest() == content[len(_MAGIC) : _BEFORE] else None


def _wrapped(body: bytes) -> bytes:
    return _MAGIC + sha256(body).digest() + body


class ObjectRemote:
    """The contract of `remote.py`, over named bytes."""

    def __init__(self, objects: Objects) -> None:
        self.url = objects.url
        self._objects = objects
        self._is_ready = False
        self._newest: dict[tuple[str, str], tuple[int, str]] = {}  # number and hash of what was pushed last
        self._cut: dict[str, None] = {}
        self._threads: ThreadPoolExecutor | None = None

    def probe(self) -> list[str]:
        self._objects.prepare()
        is_new = self._objects.read(_MARKER, 4096) is None
        if not is_new:
            self._ready()
        was_exclusive = self._objects.is_exclusive
        found = self._tried(f"probe/{secrets.token_hex(16)}")
        if is_new or (was_exclusive and not self._objects.is_exclusive):
            marker = {"what": "a remote of AxiomMind", "format": FORMAT, "exclusive": self._objects.is_exclusive}
            self._objects.replace(_MARKER, json.dumps(marker).encode())
        self._ready()
        return found

    def _tried(self, name: str) -> list[str]:
        found = []
        try:
            if not self._objects.create(name, b"one") or self._objects.read(name, 3) != b"one":
                found.append("what was written cannot be read back")
            if self._objects.create(name, b"two") or self._objects.read(name, 3) != b"one":
                self._objects.is_exclusive = False
            if not self._objects.is_exclusive:
                found.append(
                    "it lets one object take the place of another without a word: two copies of one home that sync at "
                    "the same moment may not be noticed. Everything is looked for before it is written, and read back"
                )
            if name.partition("/")[2] not in self._objects.files("probe"):
                found.append("what was written is not listed at once: other machines may see it later")
        finally:
            self._objects.delete(name)
        if self._objects.is_there(name):
            found.append("what was deleted is still there: forgetting does not reach it")
        return found

    def problems(self) -> list[str]:
        cut = [f"{self.url}: {name} is not whole: nothing after it is read until it is" for name in self._cut]
        return cut + self._objects.problems()

    # --- segments -------------------------------------------------------------------------------------------

    def heads(self, space: str, known: Mapping[str, int]) -> dict[str, int]:
        folder = f"seg/{spelled(space)}"
        self._ready()
        origins = [origin for name in self._objects.folders(folder) if (origin := plain(name)) is not None]
        found = self._each(lambda origin: self._head(space, origin, known.get(origin, 0)), origins)
        return {origin: n for origin, n in zip(origins, found, strict=True) if n}

    def _head(self, space: str, origin: str, known: int) -> int:
        """The last number before the first gap. Most often nothing is new: then two questions are enough."""
        if known and self._is_segment(space, origin, known):
            if not self._is_segment(space, origin, known + 1):
                return known
        else:
            known = 0
        there = set(self._objects.files(f"seg/{spelled(space)}/{spelled(origin)}", _number(known)))
        while _number(known + 1) in there:
            known += 1
        return known

    def _is_segment(self, space: str, origin: str, n: int) -> bool:
        return self._objects.is_there(_segment(space, origin, n))

    def push(self, space: str, origin: str, n: int, previous: str, segment: bytes) -> Pushed:
        name = _segment(space, origin, n)
        _short_enough(segment, LONGEST_SEGMENT)
        self._ready()
        if n > 1:
            before = self._hash(space, origin, n - 1)
            if before is None:
                return Pushed.GAP
            if before != previous:
                return Pushed.FORK
        content = _wrapped(segment)
        pushed = Pushed.OK if self._objects.create(name, content) else self._compared(name, content)
        if pushed is not Pushed.FORK:
            self._newest[space, origin] = n, sha256(segment).hexdigest()
        return pushed

    def _compared(self, name: str, content: bytes) -> Pushed:
        """What a segment is to the one that has its name. One that was cut was read by nobody: it is mended."""
        there = self._objects.read(name, _BEFORE + LONGEST_SEGMENT)
        if there == content:
            return Pushed.SAME
        is_cut = there is None or _whole(there) is None
        if is_cut and (there is None or there[:_BEFORE] == content[: len(there)][:_BEFORE]):
            self._objects.replace(name, content)
            return Pushed.SAME
        return Pushed.FORK

    def _hash(self, space: str, origin: str, n: int) -> str | None:
        newest, known = self._newest.get((space, origin), (0, ""))
        if newest == n:
            return known
        found = self._read(_segment(space, origin, n), LONGEST_SEGMENT)
        return None if found is None else sha256(found).hexdigest()

    def pull(self, space: str, origin: str, after: int, most: int = 64) -> list[bytes]:
        self._ready()
        found: list[bytes] = []
        size, n = 0, after
        while len(found) < most and size <= LONGEST_PULL:
            wanted = range(n + 1, n + 1 + min(self._objects.at_once, most - len(found)))
            names = [_segment(space, origin, one) for one in wanted]
            for one in self._each(lambda name: self._read(name, LONGEST_SEGMENT), names):
                if one is None:
                    return found
                found.append(one)
                size += len(one)
            n = wanted[-1]
        return found

    # --- texts and keys -------------------------------------------------------------------------------------

    def put_packs(self, space: str, session: str, packs: Mapping[str, bytes]) -> None:
        folder = _folder("packs", space, session)
        for body in packs.values():
            _short_enough(body, LONGEST_SEGMENT)
        self._ready()
        self._each(lambda name: self._keep(f"{folder}/{spelled(name)}", packs[name]), packs)

    def packs(self, space: str, session: str, names: Sequence[str]) -> dict[str, bytes]:
        folder = _folder("packs", space, session)
        self._ready()
        found = self._each(lambda name: self._read(f"{folder}/{spelled(name)}", LONGEST_SEGMENT), names)
        return {name: body for name, body in zip(names, found, strict=True) if body is not None}

    def put_key(self, space: str, session: str, wrapped: bytes) -> None:
        _short_enough(wrapped, LONGEST_CARD)
        self._ready()
        self._keep(_folder("keys", space, session), wrapped)

    def keys(self, space: str, sessions: Sequence[str]) -> dict[str, bytes]:
        self._ready()
        found = self._each(lambda session: self._read(_folder("keys", space, session), LONGEST_CARD), sessions)
        return {session: key for session, key in zip(sessions, found, strict=True) if key is not None}

    def destroy(self, space: str, session: str) -> None:
        folder = _folder("packs", space, session)
        self._ready()
        self._objects.delete(_folder("keys", space, session))
        self._each(lambda name: self._objects.delete(f"{folder}/{name}"), self._objects.files(folder))

    # --- cards ----------------------------------------------------------------------------------------------

    def put_card(self, space: str, kind: str, name: str, card: bytes) -> None:
        _short_enough(card, LONGEST_CARD)
        self._ready()
        self._objects.replace(f"{_folder('cards', space, kind)}/{spelled(name)}", _wrapped(card))

    def cards(self, space: str, kind: str) -> dict[str, bytes]:
        folder = _folder("cards", space, kind)
        self._ready()
        names = [name for found in self._objects.files(folder) if (name := plain(found)) is not None]
        found = self._each(lambda name: self._read(f"{folder}/{spelled(name)}", LONGEST_CARD), names)
        return {name: card for name, card in zip(names, found, strict=True) if card is not None}

    def wait(self, spaces: Collection[str], seconds: float) -> None:  # noqa: ARG002 - a tree tells nobody
        time.sleep(seconds)

    def close(self) -> None:
        if self._threads is not None:
            self._threads.shutdown()
        self._objects.close()

    # --- one object -----------------------------------------------------------------------------------------

    def _keep(self, name: str, body: bytes) -> None:
        """What is there stays, unless it is not whole: then nobody has read it."""
        content = _wrapped(body)
        if (
            not self._objects.create(name, content)
            and _whole(self._objects.read(name, _BEFORE + LONGEST_SEGMENT)) is None
        ):
            self._objects.replace(name, content)

    def _read(self, name: str, most: int) -> bytes | None:
        content = self._objects.read(name, _BEFORE + most)
        body = _whole(content)
        if content is not None and body is None:
            self._cut[name] = None
        else:
            self._cut.pop(name, None)
        return body

    def _each(self, do: Callable[[T], U], things: Iterable[T]) -> list[U]:
        wanted = list(things)
        if self._objects.at_once == 1 or len(wanted) < 2:
            return [do(one) for one in wanted]
        if self._threads is None:
            self._threads = ThreadPoolExecutor(self._objects.at_once, "axm-remote")
        return list(self._threads.map(do, wanted))

    def _ready(self) -> None:
        """Whether this is a remote at all, asked once: a disk that is not mounted looks like an empty folder."""
        if self._is_ready:
            return
        content = self._objects.read(_MARKER, 4096)
        if content is None:
            raise RemoteFailed(
                f"there is no remote at {self.url}",
                hint="is the disk mounted, and the address right? A new place is made ready by: axm sync add",
            )
        try:
            marker = json.loads(content)
            known, is_exclusive = marker["format"], marker.get("exclusive", True)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            known, is_exclusive = None, True
        if not isinstance(known, int) or known > FORMAT:
            raise RemoteFailed(
                f"the remote at {self.url} has a format that this version does not know",
                hint="update AxiomMind on this machine",
            )
        if is_exclusive is False:
            self._objects.is_exclusive = False
        self._is_ready = True


def _segment(space: str, origin: str, n: int) -> str:
    return f"seg/{spelled(space)}/{spelled(origin)}/{_number(n)}"


def _folder(room: str, space: str, name: str) -> str:
    return f"{room}/{spelled(space)}/{spelled(name)}"


def _short_enough(body: bytes, most: int) -> None:
    if len(body) > most:
        raise ValueError(f"this is too long for a remote: {len(body)} bytes, where {most} are allowed")
