"""Segments: some events of one home, in one space, signed and sealed, each naming the one before it.

    "AXMSEG1\\n" length-of-header (2 bytes, little-endian) header signature (64) body

The header is canonical JSON: which space, origin and number, the hash of the segment before, the epoch of the space's
key, what is inside, and the hash of the body. The signature is of what stands before it. The body is zstd over lines
(`log/lines.py`), sealed for that place. Whoever opens one believes nothing: size, form, place, hashes and signature are
checked before anything is decrypted, the declared length before anything is unpacked, and every line before any is
given out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any, NamedTuple

import zstandard

from axiommind.ids import canonical_json
from axiommind.log.lines import ForeignRefused, Outgoing, read_lines
from axiommind.sync.crypto import SIGNATURE_BYTES, NotSealed, is_signed, opened, sealed, signature
from axiommind.sync.remote import LONGEST_SEGMENT

__all__ = [
    "MOST_BYTES",
    "MOST_EVENTS",
    "Header",
    "SegmentPlace",
    "SegmentRefused",
    "hash_of",
    "make",
    "open_segment",
    "read_header",
]

MOST_EVENTS = 1000
MOST_BYTES = 4 << 20  # of lines; one line more may go over it

_MAGIC = b"AXMSEG1\n"
_VERSION = 1
_LONGEST_HEADER = 4096
_LONGEST_BODY = 32 << 20
_FIELDS: dict[str, type] = {
    "v": int,
    "space": str,
    "origin": str,
    "n": int,
    "prev": str,
    "epoch": int,
    "first": int,
    "last": int,
    "count": int,
    "size": int,
    "sha256": str,
}


class SegmentRefused(ForeignRefused):
    """A segment is not what it has to be: nothing of it was taken. `is_newer`: a newer version wrote it."""

    is_newer = False


@dataclass(frozen=True, slots=True)
class Header:
    """What stands in clear before a segment. `first` and `last` are positions in its home."""

    space: str
    origin: str
    n: int
    prev: str
    epoch: int
    first: int
    last: int
    count: int
    size: int
    sha256: str

    @property
    def place(self) -> str:
        return f"segment/{self.space}/{self.origin}/{self.n}"


class SegmentPlace(NamedTuple):
    """Where the next segment of an origin belongs: its number, and the hash of the one before."""

    space: str
    origin: str
    n: int
    prev: str


def hash_of(segment: bytes) -> str:
    return sha256(segment).hexdigest()


def make(
    place: SegmentPlace, lines: Sequence[bytes], span: tuple[int, int], epoch: int, key: bytes, seed: bytes
) -> bytes:
    """A segment of these lines. Made anew it has other bytes: keep it until it is published."""
    packed = zstandard.ZstdCompressor(level=3).compress(b"".join(line + b"\n" for line in lines))
    place_name = f"segment/{place.space}/{place.origin}/{place.n}"
    body = sealed(key, packed, place_name)
    first, last = span
    header = Header(*place, epoch, first, last, len(lines), len(body), sha256(body).hexdigest())
    written = canonical_json({"v": _VERSION, **asdict(header)}).encode()
    signed = _MAGIC + len(written).to_bytes(2, "little") + written
    return signed + signature(seed, signed) + body


def read_header(segment: bytes) -> Header:
    """The header of a segment, its form checked and nothing else."""
    if len(segment) > LONGEST_SEGMENT or not segment.startswith(_MAGIC):
        raise SegmentRefused("it is no segment")
    length = int.from_bytes(segment[len(_MAGIC) : len(_MAGIC) + 2], "little")
    written = segment[len(_MAGIC) + 2 :][:length]
    if length > _LONGEST_HEADER or len(written) < length:
        raise SegmentRefused("its header is too long, or cut")
    try:
        said: Any = json.loads(written)
        is_canonical = isinstance(said, dict) and canonical_json(said).encode() == written
    except (ValueError, RecursionError):
        is_canonical = False
    if not is_canonical:
        raise SegmentRefused("its header is no canonical JSON")
    if isinstance(said.get("v"), int) and said["v"] > _VERSION:
        error = SegmentRefused("a newer version wrote it: update AxiomMind on this machine")
        error.is_newer = True
        raise error
    if said.keys() != _FIELDS.keys() or any(type(said[name]) is not kind for name, kind in _FIELDS.items()):
        raise SegmentRefused("its header has other fields than it must have")
    del said["v"]
    return Header(**said)


def open_segment(
    segment: bytes, place: SegmentPlace, public: bytes, keys: Mapping[int, bytes]
) -> tuple[Header, list[Outgoing]]:
    """The events of a segment that belongs at this place, signed by the home with this public key; `SegmentRefused` and
    `ForeignRefused` say what is wrong with any other. `keys` are those of the space, by epoch."""
    header = read_header(segment)
    if (header.space, header.origin, header.n) != place[:3]:
        raise SegmentRefused("it belongs somewhere else")
    if header.prev != place.prev:
        raise SegmentRefused("it does not follow the segment before it: the chain was forked, or changed")
    at = len(_MAGIC) + 2 + int.from_bytes(segment[len(_MAGIC) : len(_MAGIC) + 2], "little")
    signed, made, body = segment[:at], segment[at : at + SIGNATURE_BYTES], segment[at + SIGNATURE_BYTES :]
    if len(body) != header.size or sha256(body).hexdigest() != header.sha256:
        raise SegmentRefused("its body is cut, or changed")
    if not is_signed(public, signed, made):
        raise SegmentRefused("its signature is not its machine's")
    if header.epoch not in keys:
        raise SegmentRefused(f"it is sealed under a key that this machine was not given (epoch {header.epoch})")
    events = read_lines(_unpacked(keys[header.epoch], body, header.place))
    numbers = [one.event.seq or 0 for one in events]
    if (len(numbers), min(numbers, default=0), max(numbers, default=0)) != (header.count, header.first, header.last):
        raise SegmentRefused("it holds other events than its header says")
    return header, events


def _unpacked(key: bytes, body: bytes, place: str) -> bytes:
    try:
        packed = opened(key, body, place)
        declared = zstandard.frame_content_size(packed)
        if not 0 <= declared <= _LONGEST_BODY:
            said = "does not say how long it is" if declared < 0 else f"declares {declared} bytes"
            raise SegmentRefused(f"its body {said} (the most is {_LONGEST_BODY})")
        # As large as it declares and no larger: zstandard fails where a frame holds more.
        return zstandard.ZstdDecompressor().decompress(packed)
    except NotSealed as error:
        raise SegmentRefused(f"its body does not open: {error}") from error
    except zstandard.ZstdError as error:
        raise SegmentRefused(f"its body cannot be unpacked: {error}") from error
