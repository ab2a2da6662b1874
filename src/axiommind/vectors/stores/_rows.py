"""What every store requires of vectors before it stores or compares them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from axiommind.errors import VectorError
from axiommind.vectors.contract import Near, Vector, VectorRow

__all__ = ["accepted", "best", "check_dimension", "numbers"]


def numbers(vector: Vector) -> list[float]:
    """A vector as plain floats, all of them finite."""
    found: list[float] = vector.tolist() if hasattr(vector, "tolist") else list(vector)
    # A sum is not finite as soon as one of its terms is not; the other way about it may only have overflowed.
    if not math.isfinite(sum(found)) and not all(map(math.isfinite, found)):
        raise VectorError(
            "a vector holds a value that is no number (NaN or infinite)",
            hint="the embedder is at fault: check its model with axm doctor",
        )
    return found


def accepted(rows: Sequence[VectorRow]) -> tuple[list[VectorRow], int]:
    """The rows to keep, the last of each key and part, and their dimension. Refuses all of them if one is wrong."""
    kept = {(row.key, row.part): row._replace(vector=numbers(row.vector)) for row in rows}
    dimensions = {len(row.vector) for row in kept.values()}
    if len(dimensions) > 1 or 0 in dimensions:
        raise VectorError(
            f"vectors of one version have different dimensions: {', '.join(map(str, sorted(dimensions)))}",
            hint="another model is another version",
        )
    return list(kept.values()), dimensions.pop()


def check_dimension(version: str, found: int, kept: int) -> None:
    if found != kept:
        raise VectorError(
            f"version {version} has vectors of {kept} dimensions, not of {found}",
            hint="another model is another version",
        )


def best(parts: Iterable[tuple[str, float]], k: int) -> list[Near]:
    """Of keys and the similarities of their parts: the k nearest keys, by their nearest part; ties by key."""
    nearest: dict[str, float] = {}
    for key, value in parts:
        if value > nearest.get(key, -2.0):
            nearest[key] = value
    return sorted((Near(key, value) for key, value in nearest.items()), key=lambda n: (-n.similarity, n.key))[:k]
