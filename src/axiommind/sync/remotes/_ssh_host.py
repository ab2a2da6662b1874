"""The other end of a connection of SSH: answers calls of the contract from a folder of this machine.

Run by `axm sync-serve`. Whoever asks may send anything: names are checked by the folder's own code, a frame that is
none ends the connection, and where a folder was given on the command line nothing outside it is served.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from axiommind import __version__
from axiommind.errors import AxmError, RemoteFailed, UsageError
from axiommind.sync.remote import LONGEST_PULL
from axiommind.sync.remotes import _ssh_frames as frames
from axiommind.sync.remotes._objects import ObjectRemote
from axiommind.sync.remotes.folder import FolderObjects

__all__ = ["serve"]

# More of them in one answer gain nothing.
_MOST_SEGMENTS = 1_000
_ANY = (
    frames.Probe
    | frames.Problems
    | frames.Heads
    | frames.Push
    | frames.Pull
    | frames.PutPacks
    | frames.Packs
    | frames.PutKey
    | frames.Keys
    | frames.Destroy
    | frames.PutCard
    | frames.Cards
)


def serve(only: Path | None, source: BinaryIO, sink: BinaryIO) -> None:
    """Answer until the other side has ended. `only` is the folder in which everything has to be that is asked for."""
    sink.write(b"AXMSYNC %d %s\n" % (frames.VERSION, __version__.encode()))
    sink.flush()
    remote: ObjectRemote | None = None
    try:
        while (packed := frames.read_frame(source.read)) is not None:
            answer: frames.Given | frames.Denied
            try:
                if remote is None:
                    remote, value = _opened(packed, only), None
                else:
                    value = _called(remote, packed)
                answer = frames.Given(msgspec.Raw(msgspec.msgpack.encode(value)))
            except AxmError as error:
                answer = frames.Denied(error.message, error.hint)
            except ValueError as error:
                answer = frames.Denied(str(error), is_ours=True)
            sink.write(frames.frame(answer))
            sink.flush()
    except frames.FrameRefused as error:
        raise RemoteFailed(
            f"the other side sent {error}", hint="axm sync-serve is run by ssh: use axm sync add ssh://…"
        ) from error
    finally:
        if remote is not None:
            remote.close()


def _opened(packed: bytes, only: Path | None) -> ObjectRemote:
    """The folder that is asked for, if it may be."""
    asked = frames.unpacked(packed, frames.Open).folder
    folder = os.path.expanduser(asked)  # noqa: PTH111 - a text of another machine
    if "\0" in folder or not Path(folder).is_absolute():
        raise UsageError(
            f"{asked[:200]!r} is no folder of this machine",
            hint="a whole path: ssh://host/srv/memory, ssh://host/~/memory or ssh://host/C:/memory",
        )
    path = Path(os.path.abspath(folder))  # noqa: PTH100 - links stay as they are
    if only is not None and not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(only)):
        raise UsageError(f"{path} is not served here", hint=f"only what is in {only} is")
    return ObjectRemote(FolderObjects(path))


def _called(remote: ObjectRemote, packed: bytes) -> Any:
    """What a call gives."""
    match frames.unpacked(packed, _ANY):
        case frames.Probe():
            return remote.probe()
        case frames.Problems():
            return remote.problems()
        case frames.Heads(space, known):
            return remote.heads(space, known)
        case frames.Push(space, origin, n, previous, segment):
            return remote.push(space, origin, n, previous, segment)
        case frames.Pull(space, origin, after, most):
            return remote.pull(space, origin, after, min(most, _MOST_SEGMENTS))
        case frames.PutPacks(space, session, packs):
            return remote.put_packs(space, session, packs)
        case frames.Packs(space, session, names):
            return _fitting(lambda some: remote.packs(space, session, some), names)
        case frames.PutKey(space, session, wrapped):
            return remote.put_key(space, session, wrapped)
        case frames.Keys(space, sessions):
            return _fitting(lambda some: remote.keys(space, some), sessions)
        case frames.Destroy(space, session):
            return remote.destroy(space, session)
        case frames.PutCard(space, kind, name, card):
            return remote.put_card(space, kind, name, card)
        case frames.Cards(space, kind):
            return remote.cards(space, kind)


def _fitting(find: Callable[[list[str]], dict[str, bytes]], names: list[str]) -> tuple[dict[str, bytes], int]:
    """What is there under the first of these names, as much as goes into an answer, and how many names that were."""
    found: dict[str, bytes] = {}
    size = done = 0
    for name in names:
        if size > LONGEST_PULL // 2:
            break
        some = find([name])
        found.update(some)
        size += sum(map(len, some.values())) + len(name)
        done += 1
    return found, done
