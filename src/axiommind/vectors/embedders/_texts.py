"""What every embedder does to texts first, and to vectors afterwards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import sqrt
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["embedded", "shortened", "unit"]


def shortened(text: str, chars: int) -> str:
    """The beginning of a text. Half of a surrogate pair is no character: neither tokenisers nor servers take it."""
    return text[:chars].encode("utf-8", "replace").decode()


def embedded(
    texts: Sequence[str], chars: int, dimension: int, made: Callable[[list[str]], NDArray[Any]]
) -> NDArray[Any]:
    """A unit vector for each text by `made`, which is not asked about those that mean nothing."""
    import numpy as np

    out = np.zeros((len(texts), dimension), np.float32)
    cut = [shortened(text, chars) for text in texts]
    there = [i for i, text in enumerate(cut) if text.strip()]
    if there:
        rows = made([cut[i] for i in there]).astype(np.float32, copy=False)
        rows = np.where(np.isfinite(rows), rows, 0)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        out[there] = rows / np.where(lengths > 0, lengths, 1)
    return out


def unit(vector: Sequence[float]) -> list[float]:
    """A vector of length 1, in plain Python; zeros stay zeros."""
    peak = max(map(abs, vector), default=0.0)
    if not peak:
        return [0.0] * len(vector)
    scaled = [x / peak for x in vector]  # squares of very small or large numbers are not numbers any more
    length = sqrt(sum(x * x for x in scaled))
    return [x / length for x in scaled]
