"""Reading a safetensors file: its header says what is where, the rest is numbers. Nothing in it is executed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["read"]

_HEADER_BYTES = 100_000_000  # the format's own limit
_TYPES = {"F32": "<f4", "F16": "<f2", "F64": "<f8", "BF16": "<u2", "I8": "i1", "I32": "<i4", "I64": "<i8"}


def read(path: Path) -> dict[str, NDArray[Any]]:
    """Every tensor of a file by its name, BF16 as float32. A file that is not as it says is a ValueError."""
    import numpy as np

    size = path.stat().st_size
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if not 2 <= length <= min(size - 8, _HEADER_BYTES):
            raise ValueError("it has no header of safetensors")
        header = json.loads(file.read(length))
    if not isinstance(header, dict):
        raise ValueError("its header is not an object")
    data = np.memmap(path, np.uint8, "r", offset=8 + length) if size > 8 + length else np.zeros(0, np.uint8)
    return {name: _tensor(name, said, data) for name, said in header.items() if name != "__metadata__"}


def _tensor(name: str, said: Any, data: NDArray[np.uint8]) -> NDArray[Any]:
    import numpy as np

    try:
        kind, shape, (start, end) = _TYPES[said["dtype"]], tuple(map(int, said["shape"])), said["data_offsets"]
        if not 0 <= start <= end <= len(data):
            raise ValueError("beyond the end of the file")
        found: NDArray[Any] = np.frombuffer(data[start:end], kind).reshape(shape)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"its tensor {name!r} cannot be read ({type(error).__name__}: {error})") from None
    if said["dtype"] == "BF16":
        return (found.astype(np.uint32) << 16).view(np.float32)
    return found
