"""Bytes near the seeds of a target: pieces of them, spliced, repeated, cut and spoiled. Drawn by hypothesis, which
makes what fails small."""

from __future__ import annotations

from hypothesis import strategies as st

__all__ = ["near"]

_SPOILED = (
    b"\0",
    b"\xff",
    b"\n",
    b"\r\n",
    b'"',
    b"\\",
    b"{",
    b"[",
    b"\xed\xa0\x80",
    b"\xe2\x80\xae",
    b"-1",
    b"9" * 20,
    b"'",
    b"```",
)


def near(seeds: list[bytes]) -> st.SearchStrategy[bytes]:
    """Any bytes, text, and above all mixtures of the seeds."""
    piece = st.one_of(
        st.sampled_from(seeds),
        st.builds(_cut, st.sampled_from(seeds), st.integers(0, 400), st.integers(0, 400)),
        st.sampled_from(_SPOILED),
        st.text(max_size=12).map(lambda text: text.encode("utf-8", "surrogatepass")),
    )
    mixed = st.lists(piece, max_size=6).map(b"".join)
    return st.one_of(mixed, st.builds(_replaced, mixed, st.integers(0, 400), piece), st.binary(max_size=200))


def _cut(data: bytes, start: int, length: int) -> bytes:
    return data[start % (len(data) + 1) :][:length]


def _replaced(data: bytes, at: int, piece: bytes) -> bytes:
    at %= len(data) + 1
    return data[:at] + piece + data[at + len(piece) :]
