"""Models of a few words, small enough to be made by a test."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

WORDS = ["[UNK]", "the", "log", "is", "kept", "in", "sqlite", "tests", "are", "slow", "세션", "記憶"]
DIMENSION = 8


def tokenizer(path: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel({w: i for i, w in enumerate(WORDS)}, unk_token="[UNK]"))
    made.normalizer = tokenizers.normalizers.Lowercase()
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    made.save(str(path))


def table(seed: int = 7) -> Any:
    np = pytest.importorskip("numpy")
    return np.random.default_rng(seed).standard_normal((len(WORDS), DIMENSION)).astype(np.float32)


def safetensors(path: Path, tensors: dict[str, tuple[str, Any]]) -> None:
    """Tensors by name: the format's name for their type, and the numbers."""
    header, data = {}, b""
    for name, (kind, values) in tensors.items():
        raw = values.tobytes()
        header[name] = {"dtype": kind, "shape": list(values.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    head = json.dumps({"__metadata__": {"format": "pt"}, **header}).encode()
    path.write_bytes(len(head).to_bytes(8, "little") + head + data)


def model2vec(where: Path, **more: tuple[str, Any]) -> Path:
    where.mkdir(parents=True)
    tokenizer(where / "tokenizer.json")
    (where / "config.json").write_text('{"normalize": true}')
    safetensors(where / "model.safetensors", {"embeddings": ("F32", table()), **more})
    return where


def sentence_transformer(where: Path, pooling: str = "mean_tokens") -> Path:
    """A graph that gives every token its row of the table."""
    np = pytest.importorskip("numpy")
    pytest.importorskip("onnxruntime")
    from axiommind.vectors._onnx import INT64, Graph

    for folder in (where / "onnx", where / "1_Pooling"):
        folder.mkdir(parents=True)
    tokenizer(where / "tokenizer.json")
    graph = Graph()
    rows = graph.add("Gather", [graph.constant(table()), "input_ids"])
    scaled = graph.add("Mul", [rows, graph.constant(np.array(2, np.float32))])
    shape = ["batch", "tokens", DIMENSION]
    encoded = graph.encoded(("input_ids", INT64, ["batch", "tokens"]), ("last_hidden_state", scaled, shape))
    (where / "onnx" / "model.onnx").write_bytes(encoded)
    (where / "1_Pooling" / "config.json").write_text(json.dumps({f"pooling_mode_{pooling}": True}))
    (where / "modules.json").write_text(json.dumps([{"type": "sentence_transformers.models.Normalize"}]))
    return where


def minilm(home: Path) -> Path:
    """As if `axm models install minilm` had been run, with a much smaller model."""
    np = pytest.importorskip("numpy")
    pytest.importorskip("onnxruntime")
    from axiommind.vectors._onnx import INT64, Graph

    where = home / "models" / "minilm"
    where.mkdir(parents=True)
    tokenizer(where / "tokenizer.json")
    graph = Graph()
    rows = graph.add("Gather", [graph.constant(table()), "ids"])
    mean = graph.add("ReduceMean", [rows, graph.constant(np.array([0]))], keepdims=0)
    (where / "model.onnx").write_bytes(graph.encoded(("ids", INT64, ["tokens"]), ("vector", mean, [DIMENSION])))
    files = {n: hashlib.sha256((where / n).read_bytes()).hexdigest() for n in ("model.onnx", "tokenizer.json")}
    (where / "model.json").write_text(json.dumps({"dimension": DIMENSION, "tokens": 256, "files": files}))
    return where
