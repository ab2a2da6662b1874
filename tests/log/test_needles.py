"""What is looked for after a purge: found wherever it lies, and no text by itself."""

from __future__ import annotations

import io
import json

import pytest
import zstandard

from axiommind.log.needles import MOST, needles_of

TEXT = "the third stone hides every password of the wombat, said nobody"


def stored(text: str) -> tuple[bytes, bytes]:
    return text.encode(), text.encode()


def test_the_text_is_found_in_json_in_rows_and_between_other_bytes() -> None:
    needles = needles_of([stored(TEXT)])
    for form in (TEXT, json.dumps({"text": f"a\n{TEXT}\n"}), f"\x00\x01{TEXT}\x07"):
        assert len(needles.found_in(form.encode())) >= 5
    assert needles.found_in(b"another text that says nothing of the kind") == []


def test_text_without_blanks_is_found() -> None:
    needles = needles_of([stored("비밀번호는세번째돌아래에있습니다그리고아무도모릅니다")])
    assert needles.found_in("x: 비밀번호는세번째돌아래에있습니다그리고아무도모릅니다".encode())


def test_a_compressed_blob_is_found_by_how_it_begins() -> None:
    text = "\n".join(f"{n} {TEXT}" for n in range(500)).encode()
    packed = zstandard.ZstdCompressor().compress(text)
    needles = needles_of([(text, packed)])
    assert needles.found_in(b"\x00" * 500 + packed[:100]) == list(needles.heads)


@pytest.mark.parametrize("before", [0, 4_194_280, 4_194_300, 9_000_000])
def test_a_file_is_read_whole_and_over_the_edges_of_what_is_read(before: int) -> None:
    needles = needles_of([stored(TEXT)])
    hits, size = needles.found_in_file(io.BytesIO(b"\x00" * before + TEXT.encode() + b"\x00" * 100))
    assert set(hits) == needles.runs and size == before + len(TEXT) + 100


def test_what_stays_is_not_looked_for() -> None:
    needles = needles_of([stored(f"{TEXT}. Another secret is here")], [TEXT.encode()])
    assert needles.found_in(TEXT.encode()) == [] and needles.found_in(b"Another secret is here")


def test_much_text_is_sampled_and_no_word_of_it_is_kept() -> None:
    needles = needles_of(stored(f"record{n} says word{n} and{n} more{n}") for n in range(20_000))
    assert 0 < len(needles.runs) <= MOST
    kept = needles.key + b"".join(needles.runs | needles.heads)
    assert b"record" not in kept and b"word" not in kept
    assert needles_of([stored(TEXT)]).runs.isdisjoint(needles_of([stored(TEXT)]).runs), "each under a key of its own"
