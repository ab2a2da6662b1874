"""Stores of vectors. One file each, and the folder is the registry: a module has `open(folder, write)`.

All that a store holds can be made anew from the index, so a store that cannot be read is an error with a way out, and
never a loss.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from axiommind.errors import UsageError
from axiommind.registry import Registry
from axiommind.vectors.contract import Store

__all__ = ["names", "open_store"]


class StoreModule(Protocol):
    def open(self, folder: Path | str, write: bool) -> Store: ...


_REGISTRY: Registry[StoreModule] = Registry(__name__, requires=("open",))


def names() -> list[str]:
    return _REGISTRY.names()


def open_store(name: str, folder: Path | str, *, write: bool) -> Store:
    """The store of this name, in a folder (or where it can: at the address of an object storage). Close it yourself.

    Open for reading, what is not there is empty.
    """
    module = _REGISTRY.find(name)
    if module is None:
        raise UsageError(f"there is no store of vectors named {name!r}", hint=f"one of: {', '.join(names())}")
    return module.open(folder, write)
