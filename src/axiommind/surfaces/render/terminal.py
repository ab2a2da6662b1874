"""The edge of the command line: nothing that it prints can steer a terminal, whatever a transcript, a file's name, a
setting or an error says.

Commands make text readable themselves (`tables.printable`); what still holds a control character here, or a mark that
changes the writing direction, is printed as its number, `\\u001b`, which in JSON is the same value. Our own bold, dim
and coloured words pass where there are colours: on a terminal, unless `--color`, `NO_COLOR` or `TERM=dumb` says
otherwise. Imports nothing: `axm --version` goes through it.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # as in typing, without importing it
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, TextIO

__all__ = ["GuardedOutput", "GuardedStream", "choose_colours", "has_colours"]

_STEERING = (
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
    "|\r(?!\n)"  # it goes back to the beginning of the line
)
# Bold, dim, red, green, yellow, cyan, none of it; and the line of progress, which begins anew.
_OURS = "(\x1b\\[(?:[012]|3[1236])m|\\A\r\x1b\\[K)"


def choose_colours(wish: str) -> None:
    """What `--color` says: always, never, or auto. In the environment, so that a pager that we start knows it, too."""
    if wish == "never":
        os.environ["NO_COLOR"] = "1"
        os.environ.pop("FORCE_COLOR", None)
    elif wish == "always":
        os.environ["FORCE_COLOR"] = "1"
        os.environ.pop("NO_COLOR", None)


def has_colours(stream: TextIO) -> bool:
    """Whether what is written there may be coloured (https://no-color.org)."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (os.environ.get("TERM") != "dumb" and stream.isatty())


class GuardedStream:
    """A stream of text that passes on only what cannot steer a terminal."""

    def __init__(self, stream: TextIO, *, is_terminal: bool = False) -> None:
        """`is_terminal`: what it leads to is one, as with a pager."""
        self._stream = stream
        self._is_terminal = is_terminal

    def write(self, text: str) -> int:
        if not text.replace("\n", "").replace("\t", "").isprintable():
            text = self._harmless(text)
        return self._stream.write(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def _harmless(self, text: str) -> str:
        import re

        is_ours = self._is_terminal or self._stream.isatty() or has_colours(self._stream)
        parts = re.split(_OURS, text) if is_ours else [text]
        return "".join(part if n % 2 else re.sub(_STEERING, _number, part) for n, part in enumerate(parts))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _number(found: Any) -> str:
    return f"\\u{ord(found[0]):04x}"


class GuardedOutput:
    """While it is entered, what is printed is harmless."""

    def __enter__(self) -> None:
        self._before = sys.stdout, sys.stderr
        sys.stdout = GuardedStream(sys.stdout)
        sys.stderr = GuardedStream(sys.stderr)

    def __exit__(self, *_: object) -> None:
        sys.stdout, sys.stderr = self._before
