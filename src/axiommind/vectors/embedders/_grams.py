"""What the static model sees of a text: words and their beginnings, and grams of one to three characters where words
are not set apart (Han, kana, Hangul). A feature is a number: a checksum of its text, the same on every machine.

Training and searching both come through here; a change makes another model.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from unicodedata import normalize
from zlib import crc32

from axiommind.text.patterns import lazy

__all__ = ["GRAMS_VERSION", "features", "grams"]

GRAMS_VERSION = 1

# Longer texts are cut by whoever embeds them; this is for what nobody meant to be read.
_MOST_CHARS = 20_000
_MOST_LETTERS = 24  # of a word: longer ones are hashes, keys, minified code
_BEGINNING = 5  # letters that inflected forms of a word share
_RUN = "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\u3005\u3007"
_KATAKANA = lazy("[\u30a1-\u30fa\u30fc]{4,}")
_ACCENTED = lazy("[\u00c0-\u024f\u1e00-\u1eff]+")
_MARKS = lazy("[\u0300-\u036f]+")
_PIECE = lazy(rf"[{_RUN}]+|[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|[^\W\d_a-zA-Z{_RUN}]+")
# The same where all of a text is ASCII: compiled in a tenth of the time, which is most of what a question takes.
_ASCII_PIECE = lazy(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")


def features(text: str) -> list[int]:
    """The features of a text, in their order, as often as they occur."""
    found: list[int] = []
    text = text[:_MOST_CHARS]
    if text.isascii():
        pieces = _ASCII_PIECE.findall(text)
    else:
        pieces = _PIECE.findall(_ACCENTED.sub(_plain, normalize("NFKC", text)))
    for piece in pieces:
        found += _of_piece(piece)
    return found


def _plain(letters: re.Match[str]) -> str:
    return _MARKS.sub("", normalize("NFKD", letters[0]))


@lru_cache(maxsize=1 << 16)
def _of_piece(piece: str) -> tuple[int, ...]:
    return tuple(crc32(gram.encode("utf-8", "surrogatepass")) for gram in grams(piece))


def grams(piece: str) -> Iterator[str]:
    """The features of one piece as texts; the first letter tells their kinds apart."""
    if "\u3040" <= piece[0] <= "\ud7a3":
        for size in (1, 2, 3):
            for at in range(len(piece) - size + 1):
                yield "c" + piece[at : at + size]
        for word in _KATAKANA.findall(piece):
            yield "k" + word
        return
    word = piece.lower()[:_MOST_LETTERS]
    yield "w" + word
    if len(word) > _BEGINNING:
        yield "b" + word[:_BEGINNING]
