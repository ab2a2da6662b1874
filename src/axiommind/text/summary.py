"""Summary and preview: a text in one line, cut to a number of characters that includes the ellipsis.

A summary ends with its first sentence where that fits, in any script; text without a sentence end still has one. A
block of code says little in one line: of a summary it is `[code]`, of a preview `[python code]`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from axiommind.text.patterns import lazy

__all__ = ["PREVIEW_CHARS", "SUMMARY_CHARS", "on_one_line", "preview", "sentences", "summary", "without_colours"]

SUMMARY_CHARS = 100
PREVIEW_CHARS = 200
# Enough of a text to find a summary in.
_LOOKED_AT = 2_000
_BLANKS = lazy(r"\s+")
_COLOURS = lazy(r"\x1b(?:\[[0-9;:?<=>]{0,24}[ -/]{0,2}[@-~]|[=>78])")
# `1.` begins a point of a list and ends no sentence.
_SENTENCE = lazy(r".*?(?:(?<![\s(]\d)(?<![\s(]\d\d)[.!?](?=\s|$)|[。！？](?:[」』”）)]*))", re.DOTALL)
# A block between fences, to its end or to the end of what is looked at; or code between fences within a line.
_CODE = lazy(
    r"^[ \t]*(?P<fence>`{3,}|~{3,})[ \t]*(?P<lang>[\w+#.-]*)[^\n`]*(?:\n.*?(?:^[ \t]*(?P=fence)[`~]*[ \t]*$|\Z)|\Z)"
    r"|```(?P<inner>[^`\n]+)```",
    re.DOTALL | re.MULTILINE,
)
_MARKUP = lazy(r"^(?:#{1,6}\s+|[-*+>]\s+|\d+[.)]\s+|```\S*\s*)+")
_MIN_SENTENCE = 8  # "Ok." alone says nothing


def without_colours(text: str) -> str:
    """Without what programs write to colour a terminal, and to move about in it."""
    return _COLOURS.sub("", text) if "\x1b" in text else text


def on_one_line(text: str) -> str:
    return _BLANKS.sub(" ", without_colours(text)).strip()


def summary(text: str, limit: int = SUMMARY_CHARS) -> str:
    """The first sentence, or as much of the text as fits."""
    line = _MARKUP.sub("", on_one_line(_without_code(text[:_LOOKED_AT])))
    end = 0
    while (match := _SENTENCE.match(line, end)) and match.end() <= limit:
        end = match.end()
        if end >= _MIN_SENTENCE:
            return line[:end].strip()
    return _shortened(line, limit)


def sentences(line: str) -> Iterator[tuple[int, int]]:
    """Where the sentences of a line begin and end; the last one may be without an end."""
    at = 0
    while at < len(line):
        match = _SENTENCE.match(line, at)
        end = match.end() if match else len(line)
        yield at, end
        at = end


def preview(text: str, limit: int = PREVIEW_CHARS) -> str:
    """The beginning of a text, on one line."""
    return _shortened(on_one_line(_without_code(text[:_LOOKED_AT], say_language=True)), limit)


def _without_code(text: str, *, say_language: bool = False) -> str:
    """The text with a word in the place of its code."""
    if "```" not in text and "~~~" not in text:
        return text

    def named(match: re.Match[str]) -> str:
        return f" [{match['lang']} code] " if say_language and match["lang"] else " [code] "

    return _CODE.sub(named, text)


def _shortened(line: str, limit: int) -> str:
    if len(line) <= limit:
        return line
    cut = line[: limit - 1]
    blank = cut.rfind(" ")
    return (cut[:blank] if blank > limit // 2 else cut).rstrip() + "…"
