"""Patterns as they were compiled, kept between processes: compiling them takes a hook longer than searching does.

Only what took long to compile is kept (`hooks/patterns.TAG-VERSION` in the home), for the interpreter and the program
that did it, and only what comes with the program: a pattern that is made of a prompt or of a file's name is nobody's to
keep. Python has no way to write a compiled pattern down, so this knows its parts; where they are not as expected,
patterns are compiled as ever.
"""

from __future__ import annotations

import contextlib
import marshal
import os
import re
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

from axiommind import __version__

if TYPE_CHECKING:
    from types import FrameType

__all__ = ["Patterns", "path_in"]

_LONG_S = 0.0005
_MOST = 64
_MOST_BYTES = 4 << 20
_HEAD = 8  # bytes: how many follow, and their CRC
# Functions that compile when they are called, and only what the program says: what they are given as a pattern is named
# in it, word for word. Whatever else compiles later than its module is loaded may have it from a prompt.
_LATER = frozenset(
    (
        "axiommind.search._dates_cjk.read",
        "axiommind.recall._prompt_words._any_of",
        "axiommind.search.snippets._foreign",
        "axiommind.text.secret_shapes.compiled",
        "axiommind.text.redaction._prefilter",
        "axiommind.text.tokens._lazy",
    )
)


def path_in(folder: Path) -> Path:
    return folder / f"{_stem()}-{__version__}"


def _stem() -> str:
    return f"patterns.{sys.implementation.cache_tag}"


class Patterns:
    """Stands in for the compiler of `re` from `install` on; `save` keeps what was new."""

    def __init__(self, folder: Path) -> None:
        self.path = path_in(folder)
        self._kept: dict[Any, Any] | None = None
        self._is_new = False

    def install(self) -> None:
        try:
            compiler: Any = re._compiler  # type: ignore[attr-defined]
            import _sre  # type: ignore[import-not-found]

            self._made_by = (__version__, sys.version, _sre.MAGIC)
            self._frame = sys._getframe
            self._parse, self._code, self._make = compiler._parser.parse, compiler._code, _sre.compile
            self._compile = compiler.compile
        except (AttributeError, ImportError):  # another Python
            return
        compiler.compile = self.compile

    def compile(self, pattern: Any, flags: int = 0) -> Any:
        if not isinstance(pattern, (str, bytes)):
            return self._compile(pattern, flags)
        if self._kept is None:
            self._kept = self._load()
        key = (pattern, int(flags))
        if key in self._kept:
            with contextlib.suppress(RuntimeError, TypeError, ValueError, OverflowError, MemoryError):
                return self._made(pattern, *self._kept[key])
            del self._kept[key]  # it is not what was compiled
            self._is_new = True
        began = time.perf_counter()
        parts = self._parts(pattern, flags)
        made = self._make(pattern, *parts)
        is_long = time.perf_counter() - began > _LONG_S
        if is_long and len(self._kept) < _MOST and _is_of_program(pattern, self._frame(1)):
            self._kept[key] = parts
            self._is_new = True
        return made

    def _made(self, pattern: str | bytes, flags: int, code: Any, groups: int, index: Any, names: Any) -> Any:
        if groups != len(names) - 1:  # it would be believed
            raise ValueError("not so many groups are in the pattern")
        return self._make(pattern, flags, code, groups, index, names)

    def _parts(self, pattern: str | bytes, flags: int) -> tuple[Any, ...]:
        """As `re._compiler.compile` makes them."""
        parsed = self._parse(pattern, flags)
        code = self._code(parsed, flags)
        state = parsed.state
        names: list[str | None] = [None] * state.groups
        for name, number in state.groupdict.items():
            names[number] = name
        flags = int(flags | state.flags)
        return flags, [int(word) for word in code], state.groups - 1, dict(state.groupdict), tuple(names)

    def _load(self) -> dict[Any, Any]:
        try:
            if self.path.stat().st_size > _MOST_BYTES:
                return {}
            data = self.path.read_bytes()
            # Of damaged bytes marshal may make a list of 2^31 items, and no other thread runs until it has.
            if data[:_HEAD] != _head(data[_HEAD:]):
                return {}
            made_by, kept = marshal.loads(data[_HEAD:])
            return kept if made_by == self._made_by and isinstance(kept, dict) else {}
        except (OSError, EOFError, ValueError, TypeError, MemoryError):
            return {}

    def save(self) -> None:
        """Keep what was new; whole, or not at all. What another version of the program kept goes."""
        if not self._is_new:
            return
        fresh = self.path.with_name(f"{self.path.name}.{os.getpid()}")
        try:
            file = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            data = marshal.dumps((self._made_by, self._kept))
            with open(file, "wb") as out:  # noqa: PTH123 - it is a descriptor
                out.write(_head(data) + data)
            fresh.replace(self.path)
            for other in self.path.parent.glob(f"{_stem()}*"):
                if other != self.path:
                    other.unlink(missing_ok=True)
        except (OSError, ValueError):
            with contextlib.suppress(OSError):
                fresh.unlink(missing_ok=True)


def _head(data: bytes) -> bytes:
    return len(data).to_bytes(4, "little") + crc32(data).to_bytes(4, "little")


def _is_of_program(pattern: str | bytes, frame: FrameType | None) -> bool:
    """Whether a pattern comes with the program: who compiles it is a module that is being loaded, or has it as a
    constant, or is known for it."""
    while frame is not None and str(frame.f_globals.get("__name__")).partition(".")[0] == "re":
        frame = frame.f_back
    if frame is None:
        return False
    code = frame.f_code
    if code.co_name == "<module>" or pattern in code.co_consts:
        return True
    function = code.co_qualname.partition(".")[0]  # its lambdas and loops are of it
    return f"{frame.f_globals.get('__name__')}.{function}" in _LATER
