"""The text of a document's bytes and its lines: the one meaning of a line number in a citation."""

from __future__ import annotations

import re

from axiommind.sources.markdown.encodings import DecodedText, marked_as, tell

__all__ = ["lines_of", "one_line", "read_text", "text_of"]

_ONE_LINE_CHARS = 200
_LINE_END = re.compile(r"\r\n|\r|\n")


def lines_of(text: str) -> list[str]:
    """The one meaning of a line in a citation. `str.splitlines` would also cut at form feeds and U+2028."""
    return _LINE_END.split(text)


def text_of(content: bytes, problems: list[tuple[int, str]] | None = None) -> str:
    """The text that the line numbers count in, without a byte order mark; what was wrong is added to `problems`."""
    return read_text(content, problems).text


def read_text(content: bytes, problems: list[tuple[int, str]] | None = None) -> DecodedText:
    """That text, and the encoding that it was read in."""
    told = tell(content)
    if told.encoding is None and problems is not None:
        marked = marked_as(content)
        why = f"not {marked.upper()}: what cannot be read is shown as \N{REPLACEMENT CHARACTER}"
        problems.append((_first_unreadable(content, marked), why))
    return told


def _first_unreadable(content: bytes, encoding: str) -> int:
    try:
        content.decode(encoding)
    except UnicodeDecodeError as error:
        return len(lines_of(content[: error.start].decode(encoding, "replace")))
    return 0


def one_line(text: str) -> str:
    """A heading or a title on one line, and no longer than a reader wants it."""
    text = " ".join(text.split())
    return text if len(text) <= _ONE_LINE_CHARS else text[: _ONE_LINE_CHARS - 1].rstrip() + "…"
