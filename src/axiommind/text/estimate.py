"""Token counts: an estimate by script that needs no tokeniser and is the same everywhere.

A character weighs what one of its kind costs on average in public tokenisers; bench/tokens.py measures it, and
docs/benchmarks.md has the figures and the error. More text never has fewer tokens, and parts never have fewer than the
whole, so a budget can be spent piece by piece. Everything is counted by C: a hook weighs what it says.
"""

from __future__ import annotations

__all__ = ["UNITS", "chars_within", "estimate_tokens", "tokens_of", "weigh"]

UNITS = 100  # of a token

# ASCII by kind. Of digits and of punctuation two in a row cost as much as one: tokenisers join them.
_KINDS = bytes(
    ord("l" if chr(code).isalpha() else "d" if chr(code).isdigit() else "s" if chr(code) in " \t\r" else "p")
    if chr(code) != "\n"
    else ord("n")
    for code in range(128)
).ljust(256, b"p")
_LETTER, _BLANK, _LINE_FEED, _DIGITS, _MARKS = 21, 11, 60, 129, 70
# Beyond ASCII by the high byte of UTF-16; what is in none of these weighs _OTHER.
_HANGUL = bytes((0x11, *range(0xAC, 0xD8)))
_HAN = bytes((*range(0x34, 0xA0), 0xF9, 0xFA, 0xFF))  # with the fullwidth forms
_KANA = bytes((0x30, 0x31))  # with the marks 、。「」 and the jamo
_CYRILLIC = bytes((0x04,))
_SURROGATES = bytes(range(0xD8, 0xE0))  # an emoji is two of them
_BEYOND_ASCII = ((_HANGUL, 113), (_HAN, 117), (_KANA, 96), (_CYRILLIC, 40), (_SURROGATES, 160))
_OTHER = 100


def estimate_tokens(text: str) -> int:
    """The tokens of a text, a started one counted whole."""
    return tokens_of(weigh(text))


def tokens_of(units: int) -> int:
    return -(-units // UNITS)


def weigh(text: str) -> int:
    """What a text costs, in hundredths of a token."""
    if text.isascii():
        return _weigh_ascii(text.encode())
    plain = text.encode("ascii", "ignore")
    high = text.encode("utf-16-le", "surrogatepass")[1::2]
    total = _weigh_ascii(plain)
    rest = len(high) - len(plain)
    for kind, weight in _BEYOND_ASCII:
        others = high.translate(None, kind)
        count = len(high) - len(others)
        total += weight * count
        rest -= count
        high = others
    return total + _OTHER * rest


def _weigh_ascii(text: bytes) -> int:
    kinds = text.translate(_KINDS)
    return (
        _LETTER * kinds.count(b"l")
        + _BLANK * kinds.count(b"s")
        + _LINE_FEED * kinds.count(b"n")
        + _DIGITS * (kinds.count(b"d") - kinds.count(b"dd"))
        + _MARKS * (kinds.count(b"p") - kinds.count(b"pp"))
    )


def chars_within(text: str, units: int) -> int:
    """How many characters of the beginning of a text cost no more than that."""
    if units <= 0:
        return 0
    most = min(len(text), units // _BLANK + 2)
    if weigh(text[:most]) <= units:
        return most
    fits, too_many = 0, most
    while too_many - fits > 1:
        middle = (fits + too_many) // 2
        if weigh(text[:middle]) <= units:
            fits = middle
        else:
            too_many = middle
    return fits
