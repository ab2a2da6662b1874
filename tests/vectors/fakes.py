"""An embedder and a store small enough to see through, and a world whose memory embeds with them."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import pytest

from axiommind.vectors.contract import Embedder, Near, Store, Vector, VectorRow
from axiommind.vectors.embedding import Embeddings


class Hashed(Embedder):
    """Vectors of eight numbers that follow from the text alone."""

    name = "hashed"
    dimension = 8
    parts_of = 200
    warm = True

    def __init__(self, version: str = "hashed-1", refuse: str = "\x00", error: Exception | None = None) -> None:
        self.version, self.refuse, self.error = version, refuse, error
        self.seen: list[str] = []

    def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        for text in texts:
            if self.refuse in text:
                raise self.error or ValueError(f"cannot embed {text}")
        self.seen += texts
        return [self.vector(text) for text in texts]

    def vector(self, text: str) -> Vector:
        if not text.strip():
            return [0.0] * self.dimension
        raw = [byte - 127.5 for byte in hashlib.sha256(f"{self.version} {text}".encode()).digest()[: self.dimension]]
        length = sum(x * x for x in raw) ** 0.5
        return [x / length for x in raw]


class Kept(Store):
    """Rows in a dictionary."""

    name = "kept"

    def __init__(self) -> None:
        self.rows: dict[tuple[str, str, str, int], VectorRow] = {}
        self.writes = 0

    def upsert(self, collection: str, version: str, rows: Sequence[VectorRow]) -> None:
        self.delete(collection, version, {row.key for row in rows})
        for row in rows:
            self.writes += 1
            self.rows[collection, version, row.key, row.part] = row

    def delete(self, collection: str, version: str, keys: Collection[str]) -> None:
        gone = [at for at in self.rows if at[:2] == (collection, version) and at[2] in keys]
        for at in gone:
            del self.rows[at]

    def near(
        self, collection: str, version: str, vector: Vector, k: int, places: Collection[int] | None = None
    ) -> list[Near]:
        raise NotImplementedError

    def similarities(self, collection: str, version: str, vector: Vector, keys: Iterable[str]) -> dict[str, float]:
        raise NotImplementedError

    def vectors(self, collection: str, version: str, keys: Iterable[str]) -> dict[str, list[Vector]]:
        found: dict[str, list[Vector]] = {}
        for at in sorted(self.rows):
            if at[:2] == (collection, version) and at[2] in set(keys):
                found.setdefault(at[2], []).append(self.rows[at].vector)
        return found

    def hashes(self, collection: str, version: str, keys: Iterable[str]) -> Mapping[str, str]:
        wanted = set(keys)
        return {
            at[2]: row.text_hash for at, row in self.rows.items() if at[:2] == (collection, version) and at[2] in wanted
        }

    def keys(self, collection: str, version: str) -> Iterator[str]:
        return iter(sorted({at[2] for at in self.rows if at[:2] == (collection, version)}))

    def versions(self) -> Mapping[str, int]:
        found: dict[str, int] = {}
        for _, version, _, _ in self.rows:
            found[version] = found.get(version, 0) + 1
        return found

    def drop(self, version: str) -> None:
        self.rows = {at: row for at, row in self.rows.items() if at[1] != version}

    def size(self) -> int:
        return len(self.rows)

    def close(self) -> None:
        pass


def embeds_with(monkeypatch: pytest.MonkeyPatch, embedder: Embedder) -> None:
    """From now on every memory embeds with this one."""

    def chosen(_self: Any) -> tuple[Embedder, str]:
        return embedder, '{"name": "hashed"}'

    monkeypatch.setattr(Embeddings, "_embedder", chosen)
