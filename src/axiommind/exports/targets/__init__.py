"""Formats of exports: one file each, and the folder is the registry."""

from __future__ import annotations

from axiommind.errors import UsageError
from axiommind.exports.contract import Format
from axiommind.registry import Registry

__all__ = ["formats", "load"]

_REGISTRY: Registry[Format] = Registry(__name__, requires=("TYPES",), has_helpers=True)


def formats() -> list[Format]:
    """Every format."""
    return [load(name) for name in _REGISTRY.own()]


def load(name: str) -> Format:
    """The format of this name."""
    known = _REGISTRY.own()
    found = _REGISTRY.find(name) if name in known else None
    if found is None:
        raise UsageError(f"there is no format {name!r}", hint=f"one of: {', '.join(known)}")
    return found
