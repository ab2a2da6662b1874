"""The pieces of which an agent's wiring is made: entries in a JSON file, a marked block in a text, a file of our own.

A piece says what its file holds with it and without it, and leaves everything else in the file as it is. `_wiring`
writes and undoes them.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Protocol

from axiommind.errors import AxmError
from axiommind.surfaces.install import _files
from axiommind.surfaces.install._files import Json

__all__ = ["FilePiece", "JsonPiece", "OwnFile", "TextBlock", "TomlBlock"]


class FilePiece(Protocol):
    """What a piece offers. `raw` is what its file holds; None where there is no file."""

    @property
    def path(self) -> Path: ...

    @property
    def what(self) -> str:
        """For people: `6 hooks`."""

    @property
    def is_server(self) -> bool:
        """Whether it is the MCP server, which `--no-mcp` leaves out."""

    @property
    def private(self) -> bool:
        """Whether a file that is made for it is for its user alone."""

    def added(self, raw: bytes | None, /) -> bytes: ...

    def removed(self, raw: bytes, before: bytes | None, /) -> bytes | None:
        """The file without it; `before` is what was there before us, where anybody knows. None: the file was ours."""

    def is_in(self, raw: bytes, /) -> bool: ...

    def shown(self, raw: bytes, /) -> object:
        """What of the file is ours, for `--print`."""


class JsonPiece(NamedTuple):
    """Entries in a JSON file, by functions of its content."""

    path: Path
    what: str
    add: Callable[[Json], Json]
    ours: Callable[[Json], object]
    remove: Callable[[Json, Json | None], Json]
    show: Callable[[Json], Json]
    is_server: bool = False
    private: bool = False

    def added(self, raw: bytes | None) -> bytes:
        found = _files.parse(self.path, raw) if raw is not None else {}
        data = self.add(found)
        return raw if raw is not None and data == found else _files.dump(data, raw)

    def removed(self, raw: bytes, before: bytes | None) -> bytes | None:
        return _files.dump(self.remove(_files.parse(self.path, raw), self._known(before)), raw)

    def is_in(self, raw: bytes) -> bool:
        return bool(self.ours(_files.parse(self.path, raw)))

    def shown(self, raw: bytes) -> object:
        return self.show(_files.parse(self.path, raw))

    def _known(self, before: bytes | None) -> Json | None:
        """The content before us. A backup with entries of ours was made later and says nothing."""
        if before is None:
            return None
        try:
            data = _files.parse(self.path, before)
        except AxmError:
            return None
        return None if self.ours(data) else data


class TextBlock(NamedTuple):
    """Lines between two marks at the end of a text. Never anything beyond the marks is changed."""

    path: Path
    what: str
    text: str
    opening: str
    closing: str
    is_server: bool = False
    private: bool = False

    def added(self, raw: bytes | None) -> bytes:
        old = _decoded(self.path, raw or b"")
        end = "\r\n" if "\r\n" in old else "\n"
        is_in_line = self.closing.startswith(" ")  # at the end of the last line instead of in one of its own
        block = end.join([self.opening, *self.text.splitlines()]) + (self.closing if is_in_line else end + self.closing)
        block += end
        if (place := self._place(old)) is not None:
            return _encoded(old[: place[0]] + block + old[place[1] :])
        gap = "" if not old else end if old.endswith("\n") else end + end
        return _encoded(old + gap + block)

    def removed(self, raw: bytes, _before: bytes | None) -> bytes | None:
        old = _decoded(self.path, raw)
        place = self._place(old)
        if place is None:
            return raw
        head, tail = old[: place[0]], old[place[1] :]
        end = "\r\n" if head.endswith("\r\n") else "\n"
        head = head.removesuffix(end) if head.endswith(end * 2) or not head.strip() else head
        return _encoded(head + tail)

    def is_in(self, raw: bytes) -> bool:
        return self._place(_decoded(self.path, raw)) is not None

    def shown(self, _raw: bytes) -> object:
        return self.text

    def _place(self, text: str) -> tuple[int, int] | None:
        """Where the block is, from its first mark to the end of the line of its last."""
        at = text.find(self.opening)
        while at > 0 and text[at - 1] != "\n":
            at = text.find(self.opening, at + 1)
        if at < 0:
            return None
        last = text.find(self.closing, at)
        if last < 0:
            line = text.count("\n", 0, at) + 1
            raise AxmError(
                f"{self.path}: our block begins in line {line} and has no end", hint=f"add the line {self.closing}"
            )
        end = text.find("\n", last)
        return at, len(text) if end < 0 else end + 1


class TomlBlock(NamedTuple):
    """A table of our own at the end of a TOML file, between two comments, so that nothing of the file is rewritten. The
    second stands in its last line: a client that adds a table keeps what is below the last one below its own."""

    path: Path
    what: str
    text: str
    table: tuple[str, ...]
    is_server: bool = False
    private: bool = False

    @property
    def block(self) -> TextBlock:
        marks = ("# axiommind: begin (written by axm install)", "  # axiommind: end")
        return TextBlock(self.path, self.what, self.text, *marks)

    def added(self, raw: bytes | None) -> bytes:
        old = self._parsed(raw or b"")
        if not self.block.is_in(raw or b"") and self._inside(old):
            name = ".".join(self.table)
            raise AxmError(f"{self.path}: [{name}] is there already", hint="--no-mcp leaves it as it is")
        new = self.block.added(raw)
        try:
            self._parsed(new)
        except AxmError as error:
            name = ".".join(self.table)
            raise AxmError(
                f"{self.path}: [{name}] cannot be added at its end ({error.message})",
                hint=f"add it by hand:\n{self.text}",
            ) from error
        return new

    def removed(self, raw: bytes, _before: bytes | None) -> bytes | None:
        after = self.block.removed(raw, None)
        *above, name = self.table
        wanted = inside = self._parsed(raw)
        for key in above:
            inside = inside[key]
        del inside[name]
        if after is None or _without_empty(self._parsed(after)) != _without_empty(wanted):
            hint = f"take [{'.'.join(self.table)}] out by hand"
            raise AxmError(f"{self.path}: somebody has added to our table", hint=hint)
        return after

    def is_in(self, raw: bytes) -> bool:
        return self.block.is_in(raw)

    def shown(self, _raw: bytes) -> object:
        return self.text

    def _inside(self, data: Json) -> bool:
        for key in self.table:
            inner = data.get(key)
            if not isinstance(inner, dict):
                return inner is not None
            data = inner
        return True

    def _parsed(self, raw: bytes) -> Json:
        try:
            return tomllib.loads(_decoded(self.path, raw))
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            hint = "nothing was written; correct it first"
            raise AxmError(f"{self.path} is not valid TOML: {error}", hint=hint) from error


class OwnFile(NamedTuple):
    """A file that is ours alone. One of that name that somebody else wrote is left."""

    path: Path
    what: str
    text: str
    mark: str  # stands in every version of it
    is_server: bool = False
    private: bool = False

    def added(self, raw: bytes | None) -> bytes:
        if raw is not None and not self.is_in(raw):
            raise AxmError(f"{self.path} is not ours: it was left as it is", hint="move it away, then run this again")
        return self.text.encode()

    def removed(self, raw: bytes, _before: bytes | None) -> bytes | None:
        return None if self.is_in(raw) else raw

    def is_in(self, raw: bytes) -> bool:
        return self.mark.encode() in raw

    def shown(self, _raw: bytes) -> object:
        return self.text


def _without_empty(data: Json) -> Json:
    """A table without tables that hold nothing."""
    pairs = ((key, _without_empty(value) if isinstance(value, dict) else value) for key, value in data.items())
    return {key: value for key, value in pairs if value != {}}


def _decoded(path: Path, raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise AxmError(f"{path} is not UTF-8: line {line}", hint="nothing was written; correct it first") from error


def _encoded(text: str) -> bytes:
    return text.encode("utf-8")
