"""Words taken from a message exactly as they stand there. Whatever a rule quotes is cut here, and only here.

A quote is a substring of one message; it may be shorter than what it stands for, and it is never put together.
"""

from __future__ import annotations

from axiommind.memory.values import Quote
from axiommind.projections.recorded import Transcript, Use

__all__ = ["LONGEST", "SHORTEST", "clip", "given", "head", "leaf", "only", "within"]

LONGEST = 200
SHORTEST = 30  # a first line shorter than this says too little alone, and takes the next ones along
_TITLE = 200


def head(text: str) -> str:
    """How a text begins: its first line, or as much as makes a quote."""
    text = text[: LONGEST * 4].strip()
    line = text.partition("\n")[0].rstrip()
    return (line if len(line) >= SHORTEST else text)[:LONGEST].rstrip()


def within(transcript: Transcript, message: int, text: str) -> tuple[Quote, ...]:
    """The quote, if the words are there; none otherwise."""
    if text and text in transcript.messages[message].text:
        return (Quote(message, text),)
    return ()


def leaf(transcript: Transcript, use: Use, pointer: str) -> tuple[Quote, ...]:
    """How a field of a tool's input begins; none when there is no such text."""
    message = use.leaves.get(pointer)
    return () if message is None else within(transcript, message, head(transcript.messages[message].text))


def given(use: Use, name: str) -> str:
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
