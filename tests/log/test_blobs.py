"""Texts of the log, compressed: what is unpacked, and what is refused before anything is unpacked."""

from __future__ import annotations

import pytest
import zstandard

from axiommind.errors import LogCorrupt
from axiommind.log import unseal
from tests.log.contract import text

GIGABYTE = 1 << 30


def bomb() -> bytes:
    """32 KB that become a gigabyte."""
    packer = zstandard.ZstdCompressor(level=3).compressobj(size=GIGABYTE)
    zeros = bytes(1 << 20)
    return b"".join([*(packer.compress(zeros) for _ in range(1 << 10)), packer.flush()])


def test_a_blob_that_declares_a_gigabyte_is_not_unpacked() -> None:
    packed = bomb()
    assert len(packed) < 40_000
    with pytest.raises(LogCorrupt, match="declares 1073741824 bytes"):
        unseal("zstd", packed)


def test_a_blob_that_does_not_say_how_long_it_is_is_refused() -> None:
    packer = zstandard.ZstdCompressor().compressobj()
    with pytest.raises(LogCorrupt, match="does not say how long"):
        unseal("zstd", packer.compress(b"x" * 1000) + packer.flush())


def test_a_frame_that_holds_more_than_it_declares_gives_no_more() -> None:
    one = zstandard.ZstdCompressor().compress(b"x" * 1000)
    assert unseal("zstd", one + bomb()) == b"x" * 1000


def test_what_was_sealed_is_unsealed() -> None:
    long = text("line\n" * 1_000_000)
    assert len(unseal(long.codec, long.data)) == long.size == 5_000_000
    with pytest.raises(LogCorrupt):
        unseal(long.codec, long.data, longest=long.size - 1)
