"""The static model that comes with the program: the vector of a text is the sum of its features' vectors.

One file, read through a memory map: nothing to load, so a new process has its first vector in a millisecond. The sum
for a question is made in plain Python, because importing numpy takes 80 ms; many texts are embedded with numpy.
How it was trained, from what, and what it is good for: training/README.md.
"""

from __future__ import annotations

import json
import mmap
from array import array
from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property
from math import sqrt
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING, Any

from axiommind.errors import EmbedderError
from axiommind.vectors.contract import Embedder, Vector
from axiommind.vectors.embedders._grams import GRAMS_VERSION, features

if TYPE_CHECKING:
    from axiommind.vectors.embedders import Settings

__all__ = ["MODEL", "Static", "load"]

MODEL = Path(__file__).parent.parent / "model" / "static.bin"
# A sum shorter than this says too little to be near anything: "Not quite." is 4.8 long, "ok" 7.1, "how did we do it"
# 7.2, "fix login" 14.5, a sentence 25 and more. Such texts would be nearest to what is asked in another language.
ENOUGH = 9.0
_RECIPE = 1  # changes with how the sums are used
# Texts whose vectors are summed at once: 256 of 100 features in 192 dimensions take 20 MB.
_AT_ONCE = 256


def load(settings: Settings) -> Static:
    given = Path(settings.path)  # a folder is meant for the embedder of that name
    return Static(given if settings.path and not given.is_dir() else MODEL)


class Static(Embedder):
    name = "static"
    parts_of = 300  # LoCoMo hit@1 78.3, 77.7 with 500; with 150, 78.5 but twice the vectors, and lme-pooled falls by 1
    warm = True

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            with path.open("rb") as file:
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            head = self._map.readline()
            header: dict[str, Any] = json.loads(head)
            self._rows, self.dimension = header["rows"], header["dimension"]
            if header["format"] != "axiommind-static" or header["grams"] != GRAMS_VERSION:
                raise ValueError("it was made for another version of this program")
            if len(self._map) != len(head) + self._rows * (8 + self.dimension):
                raise ValueError("it is cut off")
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise EmbedderError(
                f"the static model {path} cannot be used: {error}", hint="install axiommind again, or set embed.path"
            ) from error
        self.version = f"static-{header['sha256'][:8]}-{_RECIPE}"
        self._start = len(head)

    @cached_property
    def _features(self) -> array[int]:
        """The features that have a vector, ascending."""
        found = array("I")
        found.frombytes(self._map[self._start : self._start + self._rows * 4])
        return found

    def embed_query(self, text: str) -> Vector:
        """The same as `embed` gives, without numpy."""
        total = [0.0] * self.dimension
        known = self._features
        scales = self._start + self._rows * 4
        vectors = scales + self._rows * 4
        counts: dict[int, int] = {}
        for feature in features(text):
            counts[feature] = counts.get(feature, 0) + 1
        for feature, count in counts.items():
            row = bisect_left(known, feature)
            if row == self._rows or known[row] != feature:
                continue
            (scale,) = memoryview(self._map[scales + row * 4 : scales + row * 4 + 4]).cast("f")
            start = vectors + row * self.dimension
            vector = memoryview(self._map[start : start + self.dimension]).cast("b")
            weight = scale * count
            total = list(map(add, total, [weight * value for value in vector]))
        length = sqrt(sum(value * value for value in total))
        return [value / length if length >= ENOUGH else 0.0 for value in total]

    def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        import numpy as np

        features_, scales, vectors = self._arrays
        found = np.zeros((len(texts), self.dimension), np.float32)
        for start in range(0, len(texts), _AT_ONCE):
            seen = [features(text) for text in texts[start : start + _AT_ONCE]]
            owner = np.repeat(np.arange(len(seen)), [len(one) for one in seen])
            flat = np.fromiter((feature for one in seen for feature in one), np.uint32, len(owner))
            row = np.minimum(np.searchsorted(features_, flat), self._rows - 1)
            known = features_[row] == flat
            owner, row = owner[known], row[known]
            if not len(row):
                continue
            first = np.flatnonzero(np.diff(owner, prepend=-1))
            found[start + owner[first]] = np.add.reduceat(vectors[row] * scales[row, None], first, axis=0)
        length = np.linalg.norm(found, axis=1, keepdims=True)
        units: Any = np.where(length >= ENOUGH, found / np.maximum(length, ENOUGH), 0.0)
        return list(units)

    @cached_property
    def _arrays(self) -> tuple[Any, Any, Any]:
        import numpy as np

        scales = self._start + self._rows * 4
        vectors = scales + self._rows * 4
        return (
            np.frombuffer(self._map, "<u4", self._rows, self._start),
            np.frombuffer(self._map, "<f4", self._rows, scales),
            np.frombuffer(self._map, np.int8, self._rows * self.dimension, vectors).reshape(self._rows, -1),
        )
