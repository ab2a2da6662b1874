"""Embedding with failures: a text that fails takes no others with it, and the reason that is kept quotes none of it."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from axiommind.errors import AxmError, EmbedderError
from axiommind.vectors.contract import Embedder, Vector

__all__ = ["ERROR_CHARS", "embed_each", "reason_of", "telling"]

ERROR_CHARS = 200
_PROBE = "a text that nobody can object to"


def embed_each(embedder: Embedder, texts: Sequence[str]) -> list[Vector | Exception]:
    """A vector of each text, or what went wrong with it: what fails is tried again in halves."""
    try:
        made = embedder.embed(texts)
        if len(made) != len(texts):
            raise _Wrong(f"{embedder.name} gave {len(made)} vectors for {len(texts)} texts")
    except Exception as error:
        if isinstance(error, (AxmError, MemoryError)) and not _answers(embedder, error):
            raise  # no other text would do better
        if len(texts) == 1:
            return [error]
        half = len(texts) // 2
        return embed_each(embedder, texts[:half]) + embed_each(embedder, texts[half:])
    return [_checked(embedder, vector) for vector in made]


def _answers(embedder: Embedder, error: AxmError | MemoryError) -> bool:
    """Whether an embedder that failed with an error of its own embeds anything at all."""
    if not isinstance(error, EmbedderError):
        return False
    try:
        return len(embedder.embed([_PROBE])) == 1
    except EmbedderError:
        return False


def _checked(embedder: Embedder, vector: Vector) -> Vector | Exception:
    if len(vector) != embedder.dimension:
        return _Wrong(f"a vector of {len(vector)} numbers, not {embedder.dimension}")
    if not math.isfinite(_length(vector)):
        return _Wrong("a vector with numbers that are not finite")
    return vector


class _Wrong(Exception):
    """What an embedder gave cannot be used; says nothing about the text."""


def _length(vector: Vector) -> float:
    dot = getattr(vector, "dot", None)
    return float(dot(vector)) if dot is not None else math.fsum(x * x for x in vector) if _finite(vector) else math.nan


def telling(vectors: list[Vector] | str) -> list[Vector] | str:
    """Without those of parts that mean nothing (all zeros), but for one: it says that there is nothing to embed."""
    if isinstance(vectors, str):
        return vectors
    return [vector for vector in vectors if _length(vector)] or vectors[:1]


def _finite(vector: Vector) -> bool:
    return all(map(math.isfinite, vector))


def reason_of(error: Exception, text: str) -> str:
    """Why a text failed, without a word of it: a stranger's message may quote what it was given."""
    if isinstance(error, _Wrong):
        return str(error)[:ERROR_CHARS]
    name = type(error).__name__
    told = _without(" ".join(str(error).split())[:ERROR_CHARS], text.lower())
    return f"{name}: {told}"[:ERROR_CHARS] if _WORD.search(told) else f"{name} in {_raised_by(error)}"


_WORD = re.compile(r"\w+")
_LEFT_OUT = re.compile(r"…(?:\W*…)+")


def _without(said: str, lowered: str) -> str:
    """A message with … for every word that is also in the text, or that is one behind an escape (`\\nword`)."""

    def kept(word: re.Match[str]) -> str:
        one = word[0].lower()
        return "…" if one in lowered or (len(one) > 4 and one[1:] in lowered) else word[0]

    return _LEFT_OUT.sub("…", _WORD.sub(kept, said))


def _raised_by(error: Exception) -> str:
    """Where an error came from, for one that says nothing else."""
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    return "the embedder" if at is None else f"{at.tb_frame.f_globals.get('__name__', '?')}:{at.tb_lineno}"
