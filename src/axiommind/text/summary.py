"""Summary and preview: a text in one line, at most so many characters with the ellipsis.

A summary ends with its first sentence where that fits, in any script; text without a sentence end still has one.
"""

from __future__ import annotations

import re

__all__ = ["PREVIEW_CHARS", "SUMMARY_CHARS", "on_one_line", "preview", "summary", "without_colours"]

SUMMARY_CHARS = 100
PREVIEW_CHARS = 200
# Enough of a text to find a summary in.
_LOOKED_AT = 2_000
_BLANKS = re.compile(r"\s+")
_COLOURS = re.compile(r"\x1b\[[0-9;]{0,16}[mK]")
_SENTENCE = re.compile(r".*?(?:[.!?](?=\s|$)|[。！？](?:[」』”）)]*))", re.DOTALL)
_MARKUP = re.compile(r"^(?:#{1,6}\s+|[-*+>]\s+|\d+[.)]\s+|```\S*\s*)+")
_MIN_SENTENCE = 8  # "Ok." alone says nothing


def without_colours(text: str) -> str:
    """Without what programs write to colour a terminal."""
    return _COLOURS.sub("", text) if "\x1b" in text else text


def on_one_line(text: str) -> str:
    return _BLANKS.sub(" ", without_colours(text)).strip()


def summary(text: str, limit: int = SUMMARY_CHARS) -> str:
    """The first sentence, or as much of the text as fits."""
    line = _MARKUP.sub("", on_one_line(text[:_LOOKED_AT]))
    end = 0
    while (match := _SENTENCE.match(line, end)) and match.end() <= limit:
        end = match.end()
        if end >= _MIN_SENTENCE:
            return line[:end].strip()
    return _shortened(line, limit)


def preview(text: str, limit: int = PREVIEW_CHARS) -> str:
    """The beginning of a text, on one line."""
    return _shortened(on_one_line(text[:_LOOKED_AT]), limit)


def _shortened(line: str, limit: int) -> str:
    if len(line) <= limit:
        return line
    cut = line[: limit - 1]
    blank = cut.rfind(" ")
    return (cut[:blank] if blank > limit // 2 else cut).rstrip() + "…"
