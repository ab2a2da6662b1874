"""What is said over a connection of SSH: frames of MessagePack, each with its length before it.

    AXMSYNC 1 0.1.0\n        the host's first line: the version of all this, and of AxiomMind
    u32 length, message      requests and answers, one after the other

Both sides believe nothing of the other: a frame has a greatest length, and is read into what it has to be or refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import msgspec

from axiommind.sync.remote import LONGEST_PULL, LONGEST_SEGMENT

__all__ = [
    "GREETING",
    "LONGEST_FRAME",
    "VERSION",
    "Cards",
    "Denied",
    "Destroy",
    "FrameRefused",
    "Given",
    "Heads",
    "Keys",
    "Open",
    "Packs",
    "Probe",
    "Problems",
    "Pull",
    "Push",
    "PutCard",
    "PutKey",
    "PutPacks",
    "RemoteCall",
    "frame",
    "read_frame",
    "unpacked",
]

VERSION = 1
GREETING = re.compile(rb"AXMSYNC ([0-9]{1,6}) ([0-9A-Za-z.+-]{1,40})\r?\n")
# The longest answer is that of a pull: what `pull` promises, and what is around it.
LONGEST_FRAME = LONGEST_PULL + LONGEST_SEGMENT + (1 << 20)
_LENGTH = 4


class FrameRefused(Exception):
    """What came is not what it has to be."""


class RemoteCall(msgspec.Struct, array_like=True, forbid_unknown_fields=True, frozen=True):
    """A call of the contract in `sync/remote.py`; the first one names the folder."""


class Open(RemoteCall, frozen=True, tag="open"):
    folder: str


class Probe(RemoteCall, frozen=True, tag="probe"):
    pass


class Problems(RemoteCall, frozen=True, tag="problems"):
    pass


class Heads(RemoteCall, frozen=True, tag="heads"):
    space: str
    known: dict[str, int]


class Push(RemoteCall, frozen=True, tag="push"):
    space: str
    origin: str
    n: int
    previous: str
    segment: bytes


class Pull(RemoteCall, frozen=True, tag="pull"):
    space: str
    origin: str
    after: int
    most: int


class PutPacks(RemoteCall, frozen=True, tag="put_packs"):
    space: str
    session: str
    packs: dict[str, bytes]


class Packs(RemoteCall, frozen=True, tag="packs"):
    space: str
    session: str
    names: list[str]


class PutKey(RemoteCall, frozen=True, tag="put_key"):
    space: str
    session: str
    wrapped: bytes


class Keys(RemoteCall, frozen=True, tag="keys"):
    space: str
    sessions: list[str]


class Destroy(RemoteCall, frozen=True, tag="destroy"):
    space: str
    session: str


class PutCard(RemoteCall, frozen=True, tag="put_card"):
    space: str
    kind: str
    name: str
    card: bytes


class Cards(RemoteCall, frozen=True, tag="cards"):
    space: str
    kind: str


class Given(msgspec.Struct, array_like=True, forbid_unknown_fields=True, frozen=True, tag="ok"):
    """What a call gave. Of packs and keys: those that fit into a frame, and of how many names that was."""

    value: msgspec.Raw = msgspec.Raw(b"\xc0")


class Denied(msgspec.Struct, array_like=True, forbid_unknown_fields=True, frozen=True, tag="no"):
    """Why there is no answer. `is_ours`: the caller asked for what nobody may ask for."""

    message: str
    hint: str = ""
    is_ours: bool = False


def frame(message: msgspec.Struct) -> bytes:
    """A message with its length before it."""
    packed = msgspec.msgpack.encode(message)
    if len(packed) > LONGEST_FRAME:
        packed = msgspec.msgpack.encode(Denied(f"this is too long for a message: {len(packed)} bytes", is_ours=True))
    return len(packed).to_bytes(_LENGTH, "big") + packed


def read_frame(read: Callable[[int], bytes]) -> bytes | None:
    """The next message; None where the other side has ended in good order. `read` gives that many bytes, or fewer
    where there are no more."""
    length = read(_LENGTH)
    if not length:
        return None
    size = int.from_bytes(length, "big")
    if len(length) < _LENGTH or size > LONGEST_FRAME:
        raise FrameRefused(f"a message of {size} bytes: the most is {LONGEST_FRAME}")
    packed = read(size)
    if len(packed) < size:
        raise FrameRefused("a message that ends in its middle")
    return packed


def unpacked(packed: bytes | msgspec.Raw, kind: Any) -> Any:
    """A message as what it has to be."""
    try:
        return msgspec.msgpack.decode(packed, type=kind)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise FrameRefused(f"a message that is none: {error}") from error
