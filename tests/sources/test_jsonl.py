"""Reading lines: complete ones only, the same in any pieces, in bounded memory."""

from __future__ import annotations

import hashlib
import io
import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from axiommind.sources import jsonl
from axiommind.sources.jsonl import LineChunk, chunks, ends_of, hash_range


def read(data: bytes, start: int = 0, open_end: bool = False, segment: int = jsonl.SEGMENT) -> list[LineChunk]:
    return list(chunks(io.BytesIO(data), start, open_end=open_end, segment=segment))


def test_only_complete_lines() -> None:
    (chunk,) = read(b'{"a":1}\n{"b":2}\n{"c":')
    assert chunk.lines == [b'{"a":1}', b'{"b":2}']
    assert (chunk.start, chunk.end, chunk.open_end) == (0, 16, False)
    assert read(b'{"c":') == []
    assert read(b"") == []


def test_a_last_line_without_newline_counts_when_it_is_whole() -> None:
    (chunk,) = read(b'{"a":1}\n{"b":2}')
    assert chunk.lines == [b'{"a":1}', b'{"b":2}'] and chunk.open_end and chunk.end == 15
    grown = b'{"a":1}\n{"b":2}\n{"c":3}\n'
    (more,) = read(grown, 15, open_end=True)
    assert more.lines == [b'{"c":3}'] and more.end == len(grown)
    assert read(b'{"a":1}\n{"b":2}\n', 15, open_end=True) == []
    (windows,) = read(b'{"b":2}\r\n{"c":3}\r\n', 7, open_end=True)
    assert windows.lines == [b'{"c":3}\r']


@pytest.mark.parametrize("torn", [b'{"a":1', b'{"a":"}', b'{"a":{}', b'{"a":1}}x', b"[1]", b'"x"', b"\x00\x00"])
def test_half_an_object_never_counts(torn: bytes) -> None:
    assert read(torn) == []


@given(st.lists(st.binary(max_size=40).filter(lambda b: b"\n" not in b), max_size=20), st.data())
def test_any_split_gives_the_same_lines(lines: list[bytes], data: st.DataObject) -> None:
    content = b"".join(line + b"\n" for line in lines)
    cut = data.draw(st.integers(0, len(content)))
    first = read(content[:cut])
    end = first[-1].end if first else 0
    open_end = first[-1].open_end if first else False
    second = read(content, end, open_end)
    assert [line for c in (*first, *second) for line in c.lines] == lines
    small = read(content, segment=16)
    assert [line for c in small for line in c.lines] == lines
    assert all(a.end == b.start for a, b in itertools.pairwise(small))


def test_a_line_too_long_leaves_a_stub(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonl, "LINE_MAX", 1000)
    monkeypatch.setattr(jsonl, "_BLOCK", 256)
    long = b'{"x":"' + b"y" * 5000 + b'"}'
    (chunk,) = read(b'{"a":1}\n' + long + b'\n{"b":2}\n')
    assert len(chunk.lines) == 3 and chunk.lines[2] == b'{"b":2}'
    stub = json.loads(chunk.lines[1])["axm"]
    assert stub == {"dropped": "line too long", "bytes": len(long), "sha256": hashlib.sha256(long).hexdigest()}
    assert chunk.end == 8 + len(long) + 1 + 8
    assert [c.lines for c in read(b'{"a":1}\n' + long)] == [[b'{"a":1}']], "not ended yet: read when it is"


def test_ends_notice_what_changed() -> None:
    data = bytes(range(256)) * 100
    here = ends_of(io.BytesIO(data), 20_000, b"k" * 32)
    assert ends_of(io.BytesIO(data + b"more"), 20_000, b"k" * 32) == here
    assert ends_of(io.BytesIO(b"x" + data[1:]), 20_000, b"k" * 32) != here
    assert ends_of(io.BytesIO(data[:19_999] + b"x" + data[20_000:]), 20_000, b"k" * 32) != here
    middle = data[:10_000] + b"x" + data[10_001:]
    assert ends_of(io.BytesIO(middle), 20_000, b"k" * 32) == here, "the middle is for hash_range"
    whole = [hash_range(b"k" * 32, io.BytesIO(d), 0, 20_000) for d in (data, middle)]
    assert whole[0] != whole[1]
