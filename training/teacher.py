"""The teacher: all-MiniLM-L6-v2, read from its own files with nothing but torch."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch.nn import functional

__all__ = ["Teacher"]

_TOKENS = 200
_BATCH_TOKENS = 1 << 17
_CHUNK = 1 << 17  # texts that are tokenised at once


class Teacher:
    def __init__(self, folder: Path) -> None:
        self._device = "cuda" if torch.cuda.is_available() else "cpu"
        kind = torch.float16 if self._device == "cuda" else torch.float32
        config = json.loads((folder / "config.json").read_text())
        self._layers = range(config["num_hidden_layers"])
        self._heads = config["num_attention_heads"]
        weights = load_file(folder / "model.safetensors")
        self._of = {
            name.removeprefix("bert."): value.to(self._device, kind)
            for name, value in weights.items()
            if value.is_floating_point()
        }
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(_TOKENS)

    @torch.no_grad()
    def encode(self, texts: Sequence[str]) -> torch.Tensor:
        """A unit vector for each text, in half precision, on the device."""
        found = torch.zeros(len(texts), self._of["embeddings.LayerNorm.weight"].shape[0], dtype=torch.float16)
        found = found.to(self._device)
        for start in range(0, len(texts), _CHUNK):
            tokens = [one.ids for one in self._tokenizer.encode_batch(list(texts[start : start + _CHUNK]))]
            order = sorted(range(len(tokens)), key=lambda i: len(tokens[i]))
            while order:
                width = len(tokens[order[-1]])
                some = order[-max(_BATCH_TOKENS // width, 1) :]
                del order[-len(some) :]
                ids = torch.zeros(len(some), width, dtype=torch.long)
                mask = torch.zeros(len(some), width, dtype=torch.bool)
                for row, i in enumerate(some):
                    ids[row, : len(tokens[i])] = torch.tensor(tokens[i])
                    mask[row, : len(tokens[i])] = True
                vectors = self._read(ids.to(self._device), mask.to(self._device))
                found[torch.tensor(some, device=self._device) + start] = vectors.half()
        return found

    def _read(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        of = self._of
        x = of["embeddings.word_embeddings.weight"][ids] + of["embeddings.position_embeddings.weight"][: ids.shape[1]]
        x = self._norm(x + of["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
        attended = mask[:, None, None, :]
        for layer in self._layers:
            name = f"encoder.layer.{layer}."
            query, key, value = (
                self._split(self._linear(x, f"{name}attention.self.{n}")) for n in ("query", "key", "value")
            )
            seen = functional.scaled_dot_product_attention(query, key, value, attn_mask=attended)
            seen = self._linear(seen.transpose(1, 2).flatten(2), f"{name}attention.output.dense")
            x = self._norm(x + seen, f"{name}attention.output.LayerNorm")
            more = functional.gelu(self._linear(x, f"{name}intermediate.dense"))
            x = self._norm(x + self._linear(more, f"{name}output.dense"), f"{name}output.LayerNorm")
        shown = mask[..., None].float()
        return functional.normalize((x.float() * shown).sum(1) / shown.sum(1), dim=1)

    def _linear(self, x: torch.Tensor, name: str) -> torch.Tensor:
        return functional.linear(x, self._of[f"{name}.weight"], self._of[f"{name}.bias"])

    def _norm(self, x: torch.Tensor, name: str) -> torch.Tensor:
        return functional.layer_norm(x, x.shape[-1:], self._of[f"{name}.weight"], self._of[f"{name}.bias"], 1e-12)

    def _split(self, x: torch.Tensor) -> torch.Tensor:
        return x.view(*x.shape[:2], self._heads, -1).transpose(1, 2)
