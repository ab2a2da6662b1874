"""Quoting: words taken from a message exactly as they are there. Whatever a rule quotes is cut here, and only here.

A quote is a substring of one message, cut between words; it may be shorter than what it supports, and it is never put
together from pieces. A longer text is quoted in several (`covered`), and the draft says no more than they do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from axiommind.extraction.drafts import Quote
from axiommind.text.patterns import lazy

if TYPE_CHECKING:
    from axiommind.projections.transcript import ToolCall, Transcript

__all__ = [
    "LONGEST",
    "MOST_QUOTES",
    "SHORTEST",
    "clip",
    "covered",
    "cut",
    "given",
    "head",
    "leaf",
    "only",
    "tail",
    "within",
]

LONGEST = 200
SHORTEST = 30  # a first line shorter than this says too little alone, and takes the next ones along
MOST_QUOTES = 6  # of what one draft says
_TITLE = 200
_WIDE = lazy(r"[぀-ヿ㐀-鿿豈-﫿]")  # kana and Han, where words have no blanks between them


def head(text: str) -> str:
    """How a text begins: its first line, or as much as makes a quote."""
    text = text[: LONGEST * 4].strip()
    line = text.partition("\n")[0].rstrip()
    return cut(line if len(line) >= SHORTEST else text)


def cut(text: str, most: int = LONGEST) -> str:
    """How a text begins: at most so many characters, and no word in part unless there is only that one."""
    return text[: _boundary(text, most)].rstrip()


def tail(text: str) -> str:
    """How a text ends: what `cut` leaves of it, read backwards."""
    back = text[::-1]
    return back[: _boundary(back, LONGEST)][::-1].lstrip()


def _boundary(text: str, most: int) -> int:
    if len(text) <= most:
        return len(text)
    at = next((at for at in range(most, most // 2, -1) if text[at].isspace() or text[at - 1].isspace()), 0)
    while not at and most > 0:
        before, after = text[most - 1 : most], text[most : most + 1]
        if not (before.isalnum() and after.isalnum()) or _WIDE.match(before) or _WIDE.match(after):
            return most
        most -= 1
    return at or min(len(text), LONGEST)


def covered(transcript: Transcript, message: int, text: str, most: int) -> tuple[tuple[Quote, ...], str]:
    """A text of a message in at most so many quotes, one after the other, and as much of it as they hold."""
    quotes: tuple[Quote, ...] = ()
    at, end = len(text) - len(text.lstrip()), 0
    while at < len(text) and len(quotes) < most:
        piece = cut(text[at : at + LONGEST + 1])
        here = within(transcript, message, piece)
        if not here:
            break
        quotes = only(quotes, here)
        end = at + len(piece)
        at = end + len(text[end:]) - len(text[end:].lstrip())
    return quotes, text[:end].strip()


def within(transcript: Transcript, message: int, text: str) -> tuple[Quote, ...]:
    """The quote, if the words are there; none otherwise."""
    if text and text in transcript.messages[message].text:
        return (Quote(message, text),)
    return ()


def leaf(transcript: Transcript, use: ToolCall, pointer: str) -> tuple[Quote, ...]:
    """How a field of a tool's input begins; none when there is no such text."""
    message = use.leaves.get(pointer)
    return () if message is None else within(transcript, message, head(transcript.messages[message].text))


def given(use: ToolCall, name: str) -> str:
    """A field of a tool's input, when it is a text; the empty one otherwise."""
    value = use.given.get(name)
    return value if isinstance(value, str) else ""


def only(*quotes: tuple[Quote, ...]) -> tuple[Quote, ...]:
    """All of these in order, each once."""
    return tuple(dict.fromkeys(quote for some in quotes for quote in some))


def clip(text: str, most: int = _TITLE) -> str:
    """One line of at most so many characters, cut at a blank where there is one."""
    line = " ".join(text[: most * 4].split())
    if len(line) <= most:
        return line
    cut = line[: most - 1]
    return (cut.rpartition(" ")[0] if " " in cut[most // 2 :] else cut).rstrip() + "…"
