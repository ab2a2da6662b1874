"""Stores of vectors. One file each, and the folder is the registry: a module has `open(folder, write)`.

All that a store holds can be made anew from the index, so a store that cannot be read is an error with a way out, and
never a loss.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Protocol, cast

from axiommind.errors import UsageError
from axiommind.vectors.contract import Store

__all__ = ["names", "open_store"]


class _Module(Protocol):
    def open(self, folder: Path | str, write: bool) -> Store: ...


def names() -> list[str]:
    return sorted(p.stem.replace("_", "-") for p in Path(__file__).parent.glob("[a-z]*.py"))


def open_store(name: str, folder: Path | str, *, write: bool) -> Store:
    """The store of this name, in a folder (or where it can: at the address of an object storage). Close it yourself.

    Open for reading, what is not there is empty.
    """
    if name not in names():
        raise UsageError(f"there is no store of vectors named {name!r}", hint=f"one of: {', '.join(names())}")
    module = cast(_Module, importlib.import_module(f"{__name__}.{name.replace('-', '_')}"))
    return module.open(folder, write)
