"""The text of a document's bytes and its lines: the one meaning of a line number in a citation."""

from __future__ import annotations

import re

__all__ = ["lines_of", "one_line", "text_of"]

_ONE_LINE_CHARS = 200
_LINE_END = re.compile(r"\r\n|\r|\n")


def lines_of(text: str) -> list[str]:
    """The one meaning of a line in a citation. `str.splitlines` would also cut at form feeds and U+2028."""
    return _LINE_END.split(text)


def text_of(content: bytes, problems: list[tuple[int, str]] | None = None) -> str:
    """The text that the line numbers count in, without a byte order mark; what was wrong is added to `problems`."""
    encoding = "utf-8"
    if content.startswith((b"\xff\xfe\0\0", b"\0\0\xfe\xff")):
        encoding = "utf-32"
    elif content.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = "utf-16"
    try:
        return content.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = len(lines_of(content[: error.start].decode(encoding, "replace")))
        if problems is not None:
            problems.append(
                (line, f"not {encoding.upper()}: what cannot be read is shown as \N{REPLACEMENT CHARACTER}")
            )
        return content.decode(encoding, "replace").removeprefix("\ufeff")


def one_line(text: str) -> str:
    """A heading or a title on one line, and no longer than a reader wants it."""
    text = " ".join(text.split())
    return text if len(text) <= _ONE_LINE_CHARS else text[: _ONE_LINE_CHARS - 1].rstrip() + "…"
