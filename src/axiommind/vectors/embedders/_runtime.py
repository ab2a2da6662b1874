"""A tokeniser and a graph of onnxruntime: one text at a time, so that a vector depends on its own text only.

Padding to the longest of a batch costs as much as batching gains on a processor.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from axiommind.errors import EmbedderError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Runtime", "tokenizer"]

_SEVERE = 3  # onnxruntime's errors; its warnings are about how a graph was written


def tokenizer(path: Path, tokens: int | None, hint: str) -> Any:
    """A tokeniser without padding, that keeps so many tokens of a text."""
    from tokenizers import Tokenizer

    try:
        found = Tokenizer.from_str(path.read_text(encoding="utf-8"))
    except Exception as error:  # noqa: BLE001  the library raises nothing narrower
        raise EmbedderError(f"{path} is not a tokeniser: {_short(error)}", hint=hint) from None
    found.no_padding()
    if tokens is None:
        found.no_truncation()
    else:
        found.enable_truncation(tokens)
    return found


class Runtime:
    """A graph on disk. `threads` texts are worked on at once; 0 is as many as there are cores."""

    def __init__(self, path: Path, threads: int, hint: str) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = _SEVERE
        try:
            self._session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        except Exception as error:  # noqa: BLE001  as above
            raise EmbedderError(f"{path} cannot be loaded by onnxruntime: {_short(error)}", hint=hint) from None
        self._path = path
        self._hint = hint
        self._threads = threads or os.cpu_count() or 1
        self.inputs = tuple(one.name for one in self._session.get_inputs())
        self.outputs = tuple(one.name for one in self._session.get_outputs())

    def run(self, output: str, inputs: dict[str, NDArray[Any]]) -> NDArray[Any]:
        try:
            (found,) = self._session.run([output], inputs)
        except Exception as error:  # noqa: BLE001  as above
            raise EmbedderError(f"{self._path} failed: {_short(error)}", hint=self._hint) from None
        result: NDArray[Any] = found
        return result

    def each(self, make: Callable[[Any], NDArray[Any]], items: list[Any]) -> list[NDArray[Any]]:
        """`make` of every item, in their order."""
        made: Iterable[NDArray[Any]]
        if self._threads == 1 or len(items) == 1:
            return [make(item) for item in items]
        with ThreadPoolExecutor(self._threads) as pool:
            made = pool.map(make, items)
            return list(made)


def _short(error: Exception) -> str:
    from axiommind.text.summary import preview

    return preview(str(error), 160) or type(error).__name__
