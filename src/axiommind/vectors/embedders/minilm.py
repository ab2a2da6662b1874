"""all-MiniLM-L6-v2, installed by `axm models install minilm` and run by onnxruntime on this machine."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from axiommind.errors import EmbedderError
from axiommind.vectors.contract import Embedder, Vector
from axiommind.vectors.embedders._runtime import Runtime, tokenizer
from axiommind.vectors.embedders._texts import embedded

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from axiommind.vectors.embedders import Settings

__all__ = ["FILES", "HINT", "MANIFEST", "MiniLM", "folder", "load", "manifest"]

HINT = "axm models install minilm"
MANIFEST = "model.json"
FILES = ("model.onnx", "tokenizer.json")
# A text of more characters than this has more tokens than the model reads.
_CHARS = 8_000


def load(settings: Settings) -> MiniLM:
    return MiniLM(folder(settings.home), settings.threads)


def folder(home: Path) -> Path:
    return home / "models" / "minilm"


def manifest(where: Path) -> dict[str, Any]:
    """What is installed: each file must be the one that was written then."""
    try:
        said: dict[str, Any] = json.loads((where / MANIFEST).read_text(encoding="utf-8"))
        files = {name: said["files"][name] for name in FILES}
        int(said["dimension"]), int(said["tokens"])
    except FileNotFoundError:
        raise EmbedderError("the model minilm is not installed", hint=HINT) from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise EmbedderError(f"{where / MANIFEST} is damaged ({type(error).__name__})", hint=HINT) from None
    for name, expected in files.items():
        try:
            with (where / name).open("rb") as file:
                found = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise EmbedderError(f"{where / name} cannot be read: {error.strerror}", hint=HINT) from None
        if found != expected:
            raise EmbedderError(f"{where / name} is damaged: it is not the file that was installed", hint=HINT)
    return said


class MiniLM(Embedder):
    name = "minilm"
    parts_of = 800
    warm = False

    def __init__(self, where: Path, threads: int = 1) -> None:
        said = manifest(where)
        self.version = f"minilm-{said['files']['model.onnx'][:8]}"
        self.dimension = int(said["dimension"])
        self._tokenizer = tokenizer(where / "tokenizer.json", int(said["tokens"]), HINT)
        self._runtime = Runtime(where / "model.onnx", threads, HINT)

    def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        rows: Sequence[Vector] = embedded(texts, _CHARS, self.dimension, self._made)  # type: ignore[assignment]
        return rows

    def _made(self, texts: list[str]) -> NDArray[Any]:
        import numpy as np

        found = self._tokenizer.encode_batch(texts)
        return np.stack(self._runtime.each(self._one, [np.array(one.ids, np.int64) for one in found]))

    def _one(self, ids: NDArray[Any]) -> NDArray[Any]:
        return self._runtime.run("vector", {"ids": ids})
