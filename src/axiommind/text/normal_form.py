"""Texts as keys compare them: what a person reads as the same title or the same value comes out the same."""

from __future__ import annotations

import unicodedata

__all__ = ["fold", "normalise"]

_QUOTES = dict.fromkeys(map(ord, "'\"`‘’“”„«»「」『』"))


def normalise(title: str) -> str:
    """A title as keys compare it: NFKC, lower case, without quotes, brackets as blanks, every letter and digit of
    every script kept, and `:` `+` `-`, and the `#` of C#. What has none of these (only emoji) stays as it is."""
    folded = _alike(title).translate(_QUOTES)
    kept = "".join(
        c if c in ":+-" or unicodedata.category(c)[0] in "LNM" or (c == "#" and folded[i - 1 : i].isalpha()) else " "
        for i, c in enumerate(folded)
    )
    kept = " ".join(kept.split())
    return kept if any(c.isalnum() for c in kept) else " ".join(folded.split())


def fold(value: str) -> str:
    """A value as claims compare it: whitespace and case made alike, every sign kept: `50%` is not `50`."""
    return " ".join(_alike(value).split()).rstrip(".。")


def _alike(text: str) -> str:
    # Folding can undo a composition (ῧ), so that what is alike comes out alike only after the second time.
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
