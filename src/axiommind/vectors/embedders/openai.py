"""Vectors by any OpenAI-compatible server: OpenAI, Ollama, llama.cpp, vLLM, LM Studio.

Texts come from the index, so they are redacted already. What the server answers is checked before it is believed.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import struct
import time
from collections.abc import Iterator, Sequence
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Any

from axiommind.errors import EmbedderError, UsageError
from axiommind.http import Endpoint, NoReply, Purpose, endpoint
from axiommind.vectors.contract import Embedder, Vector
from axiommind.vectors.embedders._texts import shortened, unit

if TYPE_CHECKING:
    from axiommind.vectors.embedders import Settings

__all__ = ["OpenAI", "load"]

_URL = "https://api.openai.com/v1"
_PURPOSE = Purpose("embed", "embedded", "found the texts too long")
_CHARS = 8_000  # of one text; the rest is not sent
_BATCH_TEXTS, _BATCH_CHARS = 64, 100_000
_PAUSES = (0.5, 2.0)  # seconds before a request is tried again
_AGAIN = (429, 500, 502, 503, 504)
_SAMPLE = "dimension"


def load(settings: Settings) -> OpenAI:
    if not settings.model:
        raise UsageError(
            "the embedder openai has to be told which model to ask",
            hint="set embed.model, such as text-embedding-3-small, or for Ollama nomic-embed-text",
        )
    at = endpoint(
        _PURPOSE,
        url=settings.url,
        usual_url=_URL,
        key_env=settings.key_env,
        usual_key_env="OPENAI_API_KEY",
        path="/embeddings",
        seconds=settings.seconds,
    )
    return OpenAI(at, settings.model)


class OpenAI(Embedder):
    name = "openai"
    parts_of = 1_500
    warm = False

    def __init__(self, at: Endpoint, model: str) -> None:
        self._at = at
        self._model = model

    @cached_property
    def dimension(self) -> int:  # type: ignore[override]  # it is set too
        """Only the server knows it: known after the first answer, and asked for when it is needed before."""
        return len(self._asked([_SAMPLE])[0])

    @cached_property
    def version(self) -> str:  # type: ignore[override]
        made_by = f"{self._at.url}\n{self._model}\n{self.dimension}"
        return f"openai-{hashlib.sha256(made_by.encode()).hexdigest()[:8]}"

    def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        cut = [shortened(text, _CHARS) for text in texts]
        there = [i for i, text in enumerate(cut) if text.strip()]
        out: dict[int, list[float]] = {}
        for batch in _batches(there, cut):
            for i, vector in zip(batch, self._asked([cut[i] for i in batch]), strict=True):
                out[i] = unit(vector)
        return [out[i] if i in out else [0.0] * self.dimension for i in range(len(texts))]

    def _asked(self, texts: list[str]) -> list[list[float]]:
        """The server's vectors of these texts, in their order."""
        headers = {"authorization": f"Bearer {self._at.key}"} if self._at.key else {}
        body = {"model": self._model, "input": texts}
        for pause in (*_PAUSES, None):
            try:
                reply = self._at.post(headers, body)
            except NoReply as error:
                if error.status not in _AGAIN or pause is None:
                    raise EmbedderError(str(error)) from None
                time.sleep(pause)
                continue
            if reply.refuses_format:
                raise EmbedderError(reply.why)
            return self._checked(reply.body.get("data"), len(texts))
        raise AssertionError

    def _checked(self, data: Any, count: int) -> list[list[float]]:
        if not isinstance(data, list) or not all(isinstance(one, dict) for one in data):
            raise self._wrong("no list of vectors")
        if len(data) != count:
            raise self._wrong(f"{len(data)} vectors for {count} texts")
        places = [one.get("index", i) for i, one in enumerate(data)]
        if any(type(place) is not int for place in places) or sorted(places) != list(range(count)):
            raise self._wrong("vectors of which nobody can say whose they are")
        found = [
            _numbers(one.get("embedding")) for _, one in sorted(zip(places, data, strict=True), key=lambda p: p[0])
        ]
        if not all(found):
            raise self._wrong("something that is not a vector of finite numbers")
        sizes = {len(one) for one in found}
        known = self.__dict__.get("dimension")
        if len(sizes) > 1 or known not in (None, *sizes):
            raise self._wrong(
                f"vectors of {' and '.join(map(str, sorted(sizes)))} numbers"
                + (f" where there were {known} before: is it another model now?" if known else "")
            )
        (self.dimension,) = sizes
        return found

    def _wrong(self, what: str) -> EmbedderError:
        return EmbedderError(f"{self._at.host} answered with {what}", hint="see embed.url and embed.model")


def _batches(places: list[int], texts: list[str]) -> Iterator[list[int]]:
    """Places of texts, as many together as one request takes."""
    batch: list[int] = []
    chars = 0
    for place in places:
        if batch and (len(batch) == _BATCH_TEXTS or chars + len(texts[place]) > _BATCH_CHARS):
            yield batch
            batch, chars = [], 0
        batch.append(place)
        chars += len(texts[place])
    if batch:
        yield batch


def _numbers(value: Any) -> list[float]:
    """A vector as a list of numbers or as base64 of them; empty when it is neither."""
    if isinstance(value, str):
        try:
            raw = base64.b64decode(value, validate=True)
            value = list(struct.unpack(f"<{len(raw) // 4}f", raw))
        except (binascii.Error, ValueError, struct.error):
            return []
    if not isinstance(value, list) or not all(type(x) in (int, float) for x in value):
        return []
    try:
        numbers = [float(x) for x in value]
    except OverflowError:
        return []
    return numbers if all(map(isfinite, numbers)) else []
