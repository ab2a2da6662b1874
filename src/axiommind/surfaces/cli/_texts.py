"""The text of a write, from an argument, a file, a pipe or an editor."""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from axiommind.errors import AxmError, NotFound, UsageError
from axiommind.surfaces.cli import _options as options

__all__ = [
    "EditorDraft",
    "add_text",
    "at_terminal",
    "line_range",
    "plain",
    "read_file",
    "read_stdin",
    "take_late",
    "text_of",
]

# More than is ever stored, so that the size of a text that is too long can be told; and an end to an endless pipe.
_MOST_BYTES = 16 << 20
_RANGE = re.compile(r"(\d{1,9})(?:(-)(\d{1,9})?)?")


def add_text(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("text", nargs="?", metavar="TEXT|-", help="the text; - (or nothing, with a pipe) reads stdin")
    parser.add_argument("--file", metavar="FILE", help="read the text from this file")
    take_late(parser, "text")


def take_late(parser: argparse.ArgumentParser, name: str) -> None:
    """Accept an optional argument after options too, where argparse no longer expects it."""
    parse = parser.parse_known_args

    def parse_late(args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        found, rest = parse(args, namespace)
        if rest and getattr(found, name) is None and (rest[0] == "-" or rest[0][:1] != "-" or " " in rest[0]):
            setattr(found, name, rest.pop(0))
        return found, rest

    parser.parse_known_args = parse_late  # type: ignore[method-assign]


def line_range(text: str) -> tuple[int, int | None]:
    """`3-9`, `3-` (to the end) or `3`."""
    found = _RANGE.fullmatch(text.strip())
    if found is None or int(found[1]) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a range such as 3-9, 3- or 3 (lines are counted from 1)")
    first = int(found[1])
    last = first if found[2] is None else None if found[3] is None else int(found[3])
    if last is not None and last < first:
        raise argparse.ArgumentTypeError(f"{text!r}: the last line is before the first")
    return first, last


def text_of(args: argparse.Namespace) -> str:
    if args.file is not None:
        if args.text is not None:
            raise UsageError("the text is given twice: as an argument, and with --file")
        return read_file(args.file)
    if args.text is not None and args.text != "-":
        return str(args.text)
    if args.text is None and at_terminal():
        raise UsageError("there is no text", hint="give it as an argument, with --file FILE, or pipe it in")
    return read_stdin()


def plain(text: str) -> str:
    """A word of the command line without bytes that are not text, which no id or scope contains."""
    return text.encode("utf-8", "replace").decode()


def at_terminal() -> bool:
    return sys.stdin is None or sys.stdin.isatty()


def read_stdin() -> str:
    if sys.stdin is None:
        return ""
    return _decoded(sys.stdin.buffer.read(_MOST_BYTES), "stdin")


def read_file(name: str) -> str:
    if name == "-":
        return read_stdin()
    try:
        with Path(name).expanduser().open("rb") as file:
            return _decoded(file.read(_MOST_BYTES), name)
    except (OSError, ValueError, RuntimeError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise NotFound(f"{name}: {why}", hint="nothing was written") from None


def _decoded(data: bytes, name: str) -> str:
    text = data.decode("utf-8-sig", "replace")
    if "\ufffd" in text and "\ufffd".encode() not in data:
        options.say(f"Note: {name} is not valid UTF-8: \ufffd stands for what cannot be read")
    return text


class EditorDraft:
    """A text in an editor: a temporary file, which is removed only after the text has been written."""

    def __init__(self, text: str, suffix: str = ".md") -> None:
        import tempfile

        descriptor, name = tempfile.mkstemp(suffix, "axm-pad-")
        self.path = Path(name)
        with os.fdopen(descriptor, "wb") as file:
            file.write(text.encode("utf-8", "replace"))

    def edit(self) -> str:
        """The text after the editor has closed."""
        import shlex
        import subprocess

        editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
        if not editor.strip():
            self.drop()
            raise UsageError("no editor is set", hint="set EDITOR, or give the text with axm pad replace")
        try:
            code = subprocess.run([*shlex.split(editor), str(self.path)], check=False).returncode
        except (OSError, ValueError) as error:
            self.drop()
            raise NotFound(
                f"the editor {editor!r} cannot be started: {error}", hint="set EDITOR to another editor"
            ) from None
        if code:
            raise AxmError(
                f"the editor exited with code {code}; nothing was written", hint=f"the text is in {self.path}"
            )
        return read_file(str(self.path))

    @contextlib.contextmanager
    def kept(self) -> Iterator[None]:
        """While it is being written: if that fails, the file stays, and the person is told where."""
        try:
            yield
        except AxmError:
            options.say(f"Your text is still in {self.path}")
            raise
        self.drop()

    def drop(self) -> None:
        self.path.unlink(missing_ok=True)
