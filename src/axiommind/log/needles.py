"""What to look for until a purged text is gone, without keeping the text: keyed hashes of a sample of it.

A text is sampled by its runs of three words, and by runs of eight characters where words are not set apart; a blob as
it was stored, compressed, by its first bytes. The key is random and of one purge alone, and is deleted with the hashes
as soon as nothing is found: a hash of few words could be guessed by whoever has its key.
"""

from __future__ import annotations

import hashlib
import heapq
import re
import secrets
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

__all__ = ["Needles", "needles_of"]

_KEY_BYTES = 32
_HASH_BYTES = 12
MOST = 4_096
# Of a long text this many bytes of its start, middle and end are sampled.
_WINDOW = 64 << 10
_WHOLE = 1 << 20
_CHUNK = 4 << 20
_FRAME = b"\x28\xb5\x2f\xfd"  # how every zstd frame begins
_HEAD = 40
_OVERLAP = 128
_WORD = rb"[0-9A-Za-z_\x80-\xff]"
# Words with one blank between them, never across a quote or a backslash: a text looks the same there whether it is
# in JSON, in a row, or in a page that nothing refers to.
_RUN = re.compile(
    rb"(?<![\\0-9A-Za-z_\x80-\xff])(?=(%b{2,24} %b{2,24} %b{3,24}(?!%b)))|(?<![\x80-\xff])(?=([\x80-\xff]{24}))"
    % ((_WORD,) * 4)
)


@dataclass(frozen=True, slots=True)
class Needles:
    """Hashes under `key`: of runs of words, and of the beginnings of stored blobs."""

    key: bytes
    runs: frozenset[bytes]
    heads: frozenset[bytes]

    def __len__(self) -> int:
        return len(self.runs) + len(self.heads)

    def found_in(self, data: bytes) -> list[bytes]:
        """The hashes found, each as often as it occurs."""
        hits = []
        if self.runs:
            hits += [one for run in _runs(data) if (one := _hash(self.key, run)) in self.runs]
        if self.heads:
            hits += [one for head in _heads(data) if (one := _hash(self.key, head)) in self.heads]
        return hits

    def found_in_file(self, file: BinaryIO) -> tuple[list[bytes], int]:
        """The same of a file of any size, and how many bytes were read. Twice where it lies across two reads."""
        hits: list[bytes] = []
        size = 0
        tail = b""
        while chunk := file.read(_CHUNK):
            size += len(chunk)
            data = tail + chunk
            hits += self.found_in(data)
            tail = data[-_OVERLAP:]
        return hits, size

    def without(self, hashes: Iterable[bytes]) -> Needles:
        known = frozenset(hashes)
        return Needles(self.key, self.runs - known, self.heads - known)


def needles_of(gone: Iterable[tuple[bytes, bytes]], kept: Iterable[bytes] = ()) -> Needles:
    """What to look for of texts that go, each with the bytes that were stored for it. `kept` says what stays: its words
    are not looked for."""
    key = secrets.token_bytes(_KEY_BYTES)
    runs: set[bytes] = set()
    heads: set[bytes] = set()
    for text, stored in gone:
        runs |= {_hash(key, run) for part in _sampled(text) for run in _runs(part)}
        if stored.startswith(_FRAME):
            heads.add(_hash(key, stored[:_HEAD]))
        runs, heads = _bounded(runs, 8 * MOST), _bounded(heads, 8 * MOST)
    if runs:
        for text in kept:
            runs -= {_hash(key, run) for run in _runs(text)}
    return Needles(key, frozenset(_bounded(runs, MOST)), frozenset(_bounded(heads, MOST)))


def _sampled(text: bytes) -> Iterator[bytes]:
    if len(text) <= _WHOLE:
        yield text
    else:
        middle = len(text) // 2
        yield from (text[:_WINDOW], text[middle : middle + _WINDOW], text[-_WINDOW:])


def _bounded(hashes: set[bytes], most: int) -> set[bytes]:
    """The smallest: hashes under a random key, so these are a fair sample of all."""
    return hashes if len(hashes) <= most else set(heapq.nsmallest(most // 2, hashes))


def _runs(data: bytes) -> Iterator[bytes]:
    return (one or other for one, other in _RUN.findall(data))


def _heads(data: bytes) -> Iterator[bytes]:
    at = data.find(_FRAME)
    while at >= 0:
        yield data[at : at + _HEAD]
        at = data.find(_FRAME, at + 1)


def _hash(key: bytes, data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=_HASH_BYTES, key=key).digest()
