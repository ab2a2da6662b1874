"""A model in a folder of the user's own (`embed.path`), in one of two forms:

model2vec: `config.json`, `model.safetensors`, `tokenizer.json`; the mean of the tokens' vectors.
sentence-transformers with ONNX: `onnx/model.onnx` or `model.onnx`, `tokenizer.json`, and what says how it is pooled.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from axiommind.errors import EmbedderError, UsageError
from axiommind.vectors import _safetensors
from axiommind.vectors.contract import Embedder, Vector
from axiommind.vectors.embedders._runtime import Runtime, tokenizer
from axiommind.vectors.embedders._texts import embedded

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from axiommind.vectors.embedders import Settings

__all__ = ["Pooled", "Summed", "load"]

_HINT = "embed.path names a folder with a model2vec model, or a sentence-transformers model with ONNX"
_CHARS = 20_000
_TOKENS = 512  # of a model that does not say
_MEGABYTE = 1 << 20
_POOLED = "sentence_embedding"  # the output of graphs that pool themselves


def load(settings: Settings) -> Embedder:
    if not settings.path:
        raise UsageError("the embedder folder has to be told where the model is", hint="set embed.path")
    where = Path(settings.path).expanduser()
    if not (where / "tokenizer.json").is_file():
        raise EmbedderError(f"there is no model in {where}: it has no tokenizer.json", hint=_HINT)
    for graph in (where / "onnx" / "model.onnx", where / "model.onnx"):
        if graph.is_file():
            return Pooled(where, graph, settings.threads)
    if (where / "model.safetensors").is_file():
        return Summed(where)
    raise EmbedderError(f"there is no model in {where}: neither model.safetensors nor model.onnx", hint=_HINT)


class Summed(Embedder):
    """A model2vec model."""

    name = "folder"
    parts_of = 800
    warm = False

    def __init__(self, where: Path) -> None:
        import numpy as np

        path = where / "model.safetensors"
        try:
            tensors = _safetensors.read(path)
            self._rows = tensors["embeddings"]
            weights, mapping = tensors.get("weights"), tensors.get("mapping")
            count, self.dimension = self._rows.shape
            if not count or not self.dimension or (weights is not None and weights.ndim != 1):
                raise ValueError("its tensors have other shapes")
            if mapping is not None and (mapping.ndim != 1 or mapping.min() < 0 or mapping.max() >= count):
                raise ValueError("its mapping leads nowhere")
        except KeyError:
            raise EmbedderError(f"{path} holds no `embeddings`: it is not a model2vec model", hint=_HINT) from None
        except (OSError, ValueError) as error:
            raise EmbedderError(f"{path} cannot be read: {error}", hint=_HINT) from None
        self._weights = None if weights is None else weights.astype(np.float32)
        self._mapping = mapping
        self._tokenizer = tokenizer(where / "tokenizer.json", None, _HINT)
        known = len(mapping) if mapping is not None else count if weights is None else min(count, len(weights))
        if self._tokenizer.get_vocab_size() > known:
            raise EmbedderError(f"{path} has fewer vectors than tokenizer.json has tokens", hint=_HINT)
        self._unknown = _unknown(where, self._tokenizer)
        self.version = _version(where)

    def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        rows: Sequence[Vector] = embedded(texts, _CHARS, self.dimension, self._made)  # type: ignore[assignment]
        return rows

    def _made(self, texts: list[str]) -> NDArray[Any]:
        import numpy as np

        found = self._tokenizer.encode_batch(texts, add_special_tokens=False)
        return np.stack([self._mean([token for token in one.ids if token != self._unknown]) for one in found])

    def _mean(self, ids: list[int]) -> NDArray[np.float32]:
        import numpy as np

        if not ids:
            return np.zeros(self.dimension, np.float32)
        rows = self._rows[ids if self._mapping is None else self._mapping[ids]].astype(np.float32)
        if self._weights is not None:
            rows *= self._weights[ids][:, None]
        mean: NDArray[np.float32] = rows.mean(axis=0)
        return mean


class Pooled(Embedder):
    """A sentence-transformers model as a graph for onnxruntime."""

    name = "folder"
    parts_of = 800
    warm = False

    def __init__(self, where: Path, graph: Path, threads: int) -> None:
        said = _read(where / "sentence_bert_config.json")
        tokens = said.get("max_seq_length")
        self._tokenizer = tokenizer(where / "tokenizer.json", tokens if type(tokens) is int else _TOKENS, _HINT)
        self._runtime = Runtime(graph, threads, _HINT)
        self._output = _POOLED if _POOLED in self._runtime.outputs else self._runtime.outputs[0]
        self._pooling = "" if self._output == _POOLED else _pooling(where)
        prompts = _read(where / "config_sentence_transformers.json").get("prompts")
        self._prompts = prompts if isinstance(prompts, dict) else {}
        self.dimension = len(self._one(self._tokenizer.encode("dimension")))
        self.version = _version(where)

    def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        return self._embedded(texts, self._prompts.get("document") or self._prompts.get("passage") or "")

    def embed_query(self, text: str) -> Vector:
        return self._embedded([text], self._prompts.get("query") or "")[0]

    def _embedded(self, texts: Sequence[str], prompt: str) -> Sequence[Vector]:
        import numpy as np

        def made(some: list[str]) -> NDArray[Any]:
            found = self._tokenizer.encode_batch([prompt + text for text in some])
            return np.stack(self._runtime.each(self._one, found))

        rows: Sequence[Vector] = embedded(texts, _CHARS, self.dimension, made)  # type: ignore[assignment]
        return rows

    def _one(self, encoding: Any) -> NDArray[Any]:
        import numpy as np

        given = {
            "input_ids": encoding.ids,
            "attention_mask": [1] * len(encoding.ids),
            "token_type_ids": encoding.type_ids,
            "position_ids": list(range(len(encoding.ids))),
        }
        if strange := set(self._runtime.inputs) - set(given):
            raise EmbedderError(f"the model wants {min(strange)!r}, which nobody can give it", hint=_HINT)
        inputs = {name: np.array([given[name]], np.int64) for name in self._runtime.inputs}
        found: NDArray[Any] = self._runtime.run(self._output, inputs)[0]
        if self._pooling == "cls":
            found = found[0]
        elif self._pooling == "mean":
            found = found.mean(axis=0)
        if found.ndim != 1:
            raise EmbedderError("the model's output is not a vector for each text", hint=_HINT)
        return found


def _pooling(where: Path) -> str:
    """How the vectors of the tokens become one."""
    modules = where / "modules.json"
    if modules.is_file() and "Dense" in modules.read_text(encoding="utf-8", errors="replace"):
        raise EmbedderError(f"{modules} has a layer after pooling, which the graph does not hold", hint=_HINT)
    said = _read(where / "1_Pooling" / "config.json")
    chosen = [mode for mode, on in said.items() if mode.startswith("pooling_mode_") and on is True]
    known = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls"}
    if not chosen:
        return "mean"
    if len(chosen) > 1 or chosen[0] not in known:
        raise EmbedderError(f"{where} pools in a way that is not known here: {', '.join(chosen)}", hint=_HINT)
    return known[chosen[0]]


def _unknown(where: Path, found: Any) -> int | None:
    """The token of what the tokeniser does not know; model2vec leaves it out."""
    try:
        model = _read(where / "tokenizer.json").get("model")
        token = model.get("unk_token") if isinstance(model, dict) else None
        if token is None and isinstance(model, dict) and isinstance(model.get("unk_id"), int):
            return int(model["unk_id"])
        return None if token is None else found.token_to_id(token)
    except TypeError:
        return None


def _read(path: Path) -> dict[str, Any]:
    """A JSON object, or an empty one where there is no file."""
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise EmbedderError(f"{path} cannot be read: {error}", hint=_HINT) from None
    return said if isinstance(said, dict) else {}


def _version(where: Path) -> str:
    """Of every file that has a part in the vectors: its size, and its first and last megabyte."""
    seen = hashlib.sha256()
    for path in _files(where):
        size = path.stat().st_size
        seen.update(f"{path.relative_to(where).as_posix()}\n{size}\n".encode())
        with path.open("rb") as file:
            seen.update(file.read(_MEGABYTE))
            file.seek(max(size - _MEGABYTE, 0))
            seen.update(file.read(_MEGABYTE))
    return f"folder-{seen.hexdigest()[:8]}"


def _files(where: Path) -> Iterator[Path]:
    kinds = ("*.json", "*.safetensors", "*.onnx", "*.onnx_data", "onnx/model.onnx*", "1_Pooling/config.json")
    yield from sorted({path for kind in kinds for path in where.glob(kind) if path.is_file()})
