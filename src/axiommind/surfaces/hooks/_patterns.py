"""Patterns as they were compiled, kept between processes: compiling them takes a hook longer than searching does.

Only what took long to compile is kept (`hooks/patterns.TAG` in the home), for the interpreter that did it. Python has
no way to write a compiled pattern down, so this knows its parts; where they are not as expected, patterns are compiled
as ever.
"""

from __future__ import annotations

import contextlib
import marshal
import os
import re
import sys
import time
from pathlib import Path
from typing import Any

__all__ = ["Patterns", "path_in"]

_LONG_S = 0.0005
_MOST = 64  # kept; those of a query would go on for ever
_MOST_BYTES = 4 << 20


def path_in(folder: Path) -> Path:
    return folder / f"patterns.{sys.implementation.cache_tag}"


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

            self._made_by = (sys.version, _sre.MAGIC)
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
            with contextlib.suppress(RuntimeError, TypeError, ValueError, OverflowError):  # not what was written
                return self._make(pattern, *self._kept[key])
        began = time.perf_counter()
        parts = self._parts(pattern, flags)
        made = self._make(pattern, *parts)
        if time.perf_counter() - began > _LONG_S and len(self._kept) < _MOST:
            self._kept[key] = parts
            self._is_new = True
        return made

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
            made_by, kept = marshal.loads(self.path.read_bytes())
            return kept if made_by == self._made_by and isinstance(kept, dict) else {}
        except (OSError, EOFError, ValueError, TypeError):
            return {}

    def save(self) -> None:
        """Keep what was new; whole, or not at all."""
        if not self._is_new:
            return
        fresh = self.path.with_name(f"{self.path.name}.{os.getpid()}")
        try:
            file = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with open(file, "wb") as out:  # noqa: PTH123 - it is a descriptor
                out.write(marshal.dumps((self._made_by, self._kept)))
            fresh.replace(self.path)
        except (OSError, ValueError):
            with contextlib.suppress(OSError):
                fresh.unlink(missing_ok=True)
