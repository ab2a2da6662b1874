"""The contracts of embedders and vector stores."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

__all__ = ["COLLECTIONS", "PASSAGES", "SESSIONS", "TASK_TITLES", "Embedder", "Near", "Store", "Vector", "VectorRow"]

# A sequence of floats: a list, or a row of a numpy array.
Vector = Sequence[float]

PASSAGES = "passages"  # keys are ids of passages, also of those that are entries
SESSIONS = "sessions"  # keys are ids of sessions: of what a session is about
TASK_TITLES = "task_titles"  # keys are ids of tasks
COLLECTIONS = (PASSAGES, SESSIONS, TASK_TITLES)


class Embedder(ABC):
    """Makes vectors of texts. Vectors of two embedders with the same `version` can be compared, others cannot."""

    name: str  # as the configuration has it: static, minilm, openai, folder
    version: str  # changes with the model and with how texts become vectors; fit for a file's name
    dimension: int
    parts_of: int  # a longer text is cut into parts of about so many characters, each with a vector of its own
    warm: bool  # whether asking for one vector costs milliseconds in a new process

    @abstractmethod
    def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        """A unit vector for each text, in their order; of a text that means nothing (empty, spaces) all zeros."""

    def embed_query(self, text: str) -> Vector:
        """The vector of what is searched for."""
        return self.embed([text])[0]


class VectorRow(NamedTuple):
    """A vector of a part of an item's text."""

    key: str
    part: int  # 0, 1, … of one key
    place: int  # what a search may be confined to: of a passage the position of its event, else 0
    text_hash: str  # of the item's whole text: the same one need not be embedded again
    vector: Vector


class Near(NamedTuple):
    key: str
    similarity: float  # cosine, of the nearest part: from -1 to 1


class Store(ABC):
    """Keeps vectors by (collection, version, key, part). All it holds can be made anew."""

    name: str

    @abstractmethod
    def upsert(self, collection: str, version: str, rows: Sequence[VectorRow]) -> None:
        """Keep these, in one step; they take the place of all parts that their keys had. The last of two is kept."""

    @abstractmethod
    def delete(self, collection: str, version: str, keys: Collection[str]) -> None:
        """Forget these keys, so that nothing of them is left on disk."""

    @abstractmethod
    def near(
        self, collection: str, version: str, vector: Vector, k: int, places: Collection[int] | None = None
    ) -> list[Near]:
        """The k keys nearest to a vector, best first, ties by key; within these places only, if they are given."""

    @abstractmethod
    def similarities(self, collection: str, version: str, vector: Vector, keys: Iterable[str]) -> dict[str, float]:
        """How near these keys are; those without a vector are left out."""

    @abstractmethod
    def vectors(self, collection: str, version: str, keys: Iterable[str]) -> dict[str, list[Vector]]:
        """The vectors of these keys, in the order of their parts."""

    @abstractmethod
    def hashes(self, collection: str, version: str, keys: Iterable[str]) -> Mapping[str, str]:
        """The hash of the text that each of these keys was made from."""

    @abstractmethod
    def keys(self, collection: str, version: str) -> Iterator[str]:
        """Every key there is, each once."""

    @abstractmethod
    def versions(self) -> Mapping[str, int]:
        """The versions that have vectors here, and how many of them."""

    @abstractmethod
    def drop(self, version: str) -> None:
        """Forget a version."""

    def tidy(self) -> None:  # noqa: B027 - not every store has to
        """Give back space and merge small files, where the store has any; after a run of writes."""

    @abstractmethod
    def size(self) -> int:
        """Bytes on disk."""

    @abstractmethod
    def close(self) -> None: ...
