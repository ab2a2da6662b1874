"""Writing an ONNX file: the few messages of its protobuf that a graph of constants and operators needs.

The package `onnx` would do it too, at 80 MB installed for one file that is written once.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["FLOAT", "INT64", "OURS", "Graph"]

FLOAT, INT64 = 1, 7
_TYPES = {"float32": FLOAT, "uint8": 2, "int8": 3, "int32": 6, "int64": INT64, "float16": 10}
_IR, _OPSET = 9, 20
# Operators of onnxruntime's own.
OURS = "com.microsoft"


class Graph:
    """Operators in the order they are added; every one gives the name of its first output."""

    def __init__(self) -> None:
        self._nodes: list[bytes] = []
        self._constants: list[bytes] = []
        self._count = 0

    def constant(self, value: NDArray[Any]) -> str:
        name = self._name()
        dims = b"".join(_number(1, size) for size in value.shape)
        raw = value.astype(value.dtype.newbyteorder("<"), order="C").tobytes()
        self._constants.append(dims + _number(2, _TYPES[value.dtype.name]) + _text(8, name) + _bytes(9, raw))
        return name

    def add(self, kind: str, inputs: Sequence[str], *, domain: str = "", outputs: int = 1, **attributes: Any) -> str:
        """An operator; an input without a name is one that is left out."""
        names = [self._name() for _ in range(outputs)]
        self._nodes.append(
            b"".join(_text(1, name) for name in inputs)
            + b"".join(_text(2, name) for name in names)
            + _text(3, names[0])  # older versions of onnxruntime mix up operators without a name
            + _text(4, kind)
            + b"".join(_bytes(5, _attribute(name, value)) for name, value in attributes.items())
            + (_text(7, domain) if domain else b"")
        )
        return names[0]

    def encoded(
        self, given: tuple[str, int, Sequence[str | int]], found: tuple[str, str, Sequence[str | int]]
    ) -> bytes:
        """The file: `given` is the input with its type and shape, `found` the output, which of the names, its shape."""
        name, last, shape = found
        self._nodes.append(_text(1, last) + _text(2, name) + _text(4, "Identity"))
        graph = b"".join(_fields(1, self._nodes)) + _text(2, "graph") + b"".join(_fields(5, self._constants))
        graph += _bytes(11, _value(*given)) + _bytes(12, _value(name, FLOAT, shape))
        opsets = _bytes(8, _text(1, "") + _number(2, _OPSET)) + _bytes(8, _text(1, OURS) + _number(2, 1))
        return _number(1, _IR) + _text(2, "axiommind") + _bytes(7, graph) + opsets

    def _name(self) -> str:
        self._count += 1
        return f"n{self._count}"


def _value(name: str, kind: int, shape: Sequence[str | int]) -> bytes:
    """An input or output. A size with a name is known only when it runs."""
    sizes = (_text(2, size) if isinstance(size, str) else _number(1, size) for size in shape)
    tensor = _number(1, kind) + _bytes(2, b"".join(_fields(1, sizes)))
    return _text(1, name) + _bytes(2, _bytes(1, tensor))


def _attribute(name: str, value: Any) -> bytes:
    if isinstance(value, float):
        return _text(1, name) + _key(2, 5) + struct.pack("<f", value) + _number(20, 1)
    if isinstance(value, int):
        return _text(1, name) + _number(3, value) + _number(20, 2)
    return _text(1, name) + b"".join(_number(8, one) for one in value) + _number(20, 7)


def _fields(field: int, messages: Sequence[bytes] | Iterator[bytes]) -> Iterator[bytes]:
    return (_bytes(field, message) for message in messages)


def _bytes(field: int, value: bytes) -> bytes:
    return _key(field, 2) + _varint(len(value)) + value


def _text(field: int, value: str) -> bytes:
    return _bytes(field, value.encode())


def _number(field: int, value: int) -> bytes:
    return _key(field, 0) + _varint(value)


def _key(field: int, wire: int) -> bytes:
    return _varint(field << 3 | wire)


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1  # below zero is two's complement
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*out, value))
