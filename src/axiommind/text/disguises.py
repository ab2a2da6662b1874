r"""A text as a reader sees it: without codes of terminals and characters of no width, with escapes of JSON as the
characters that they stand for, and where its characters were.

A secret that a terminal coloured, or that was pasted with zero-width characters in it, is read in the plain text and
replaced where it stands in the original, codes and all. `\uBE44…` in JSON that a program printed is a name like any
other. Refuses: knowing what a secret is.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from itertools import islice

from axiommind.text.patterns import lazy

__all__ = ["Plain", "joined", "plain"]

_HIDDEN = lazy(
    r"(?:\x1b|\x9b|\\u00(?:1b|9b)|\\x1b|\\033|\\e)(?:\[[0-9;:?]*[ -/]*[@-~]|\][^\x07\\]{0,200}(?:\x07|\\u0007))?"
    r"|[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u00ad\u034f\u180e\ufe00-\ufe0f]"
    r"|\\u(?:200[b-fB-F]|202[a-eA-E]|206[0-9a-fA-F]|feff|FEFF|00ad|00AD)"
    # Not of controls, which keep words apart, nor of surrogates, which are halves.
    r"|\\+u(?P<code>(?!00[01]|[dD][89a-fA-F])[0-9a-fA-F]{4})"
)
# The end of a line within a token: blanks, a backslash that continues it, and what a diff, a quote or a comment
# begins with.
_BREAK = lazy(r"[ \t]*(?:\\{1,2}(?=[\r\n]))?(?:\r?\n|\\r\\n|\\n|\\{2,4}n)[ \t]{0,40}(?:[+>|#*-][ \t]{1,2})?")


class Plain:
    """What is left of a text, and where each piece of it was."""

    def __init__(self, text: str, starts: list[int], origins: list[int], widths: dict[int, int] | None = None) -> None:
        self.text = text
        self._starts = starts  # of the pieces in `text`
        self._origins = origins  # of the same pieces in the original
        self._widths = widths or {}  # of characters that are escaped in the original, by where they stand there

    def origin(self, at: int) -> int:
        """Where the character at `at` was."""
        piece = bisect_right(self._starts, at) - 1
        return self._origins[piece] + at - self._starts[piece]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where the characters from `start` to `end` were; what was hidden among them belongs to it."""
        last = self.origin(end - 1)
        return self.origin(start), last + self._widths.get(last, 1)


def plain(text: str) -> Plain | None:
    """The text without what is hidden, or None where nothing is."""
    pieces, starts, origins, at, size = [], [], [], 0, 0
    widths: dict[int, int] = {}
    for match in _HIDDEN.finditer(text):
        if match.start() > at:
            pieces.append(text[at : match.start()])
            starts.append(size)
            origins.append(at)
            size += match.start() - at
        at = match.end()
        if match["code"]:
            pieces.append(chr(int(match["code"], 16)))
            starts.append(size)
            origins.append(match.start())
            widths[match.start()] = at - match.start()
            size += 1
    if at == 0:
        return None
    pieces.append(text[at:])
    starts.append(size)
    origins.append(at)
    return Plain("".join(pieces), starts, origins, widths)


def joined(text: str) -> Iterator[Plain]:
    """The beginning of a text with one end of a line taken out, then two, up to four: a token may go over as many."""
    breaks = list(islice(_BREAK.finditer(text), 5))
    for count in range(1, min(4, len(breaks)) + 1):
        end = breaks[count].start() if count < len(breaks) else len(text)
        starts, origins, pieces, at, size = [], [], [], 0, 0
        for found in breaks[:count]:
            pieces.append(text[at : found.start()])
            starts.append(size)
            origins.append(at)
            size += found.start() - at
            at = found.end()
        yield Plain("".join(pieces) + text[at:end], [*starts, size], [*origins, at])
