"""Sessions that are not a file of lines: rows of a database, or one document that is written anew each time.

Such a session is read as lines that its source renders, one a record, always the same for the same record. A stream
in a database is called `FILE#SESSION`. Whether it only grew is told by all of its bytes, as there is no file to compare
the ends of.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from io import BytesIO
from pathlib import Path
from typing import Any

from axiommind.text import jsonlines

__all__ = ["Rendered", "document_in", "dropped", "is_name", "split_stream", "stream_name"]

_NAME = re.compile(r"[\w.:@+-]{1,200}", re.ASCII)


class Rendered(BytesIO):
    """The lines of a session as a file."""

    def __init__(self, lines: Iterable[bytes]) -> None:
        super().__init__(b"".join(line + b"\n" for line in lines))


def document_in(path: str | Path) -> Any:
    """The document that a file holds; None of one that was made and not written yet, which is no problem."""
    data = Path(path).read_bytes()
    return jsonlines.parse(data) if data.strip() else None


def stream_name(container: str, session: str) -> str:
    return f"{container}#{session}"


def split_stream(stream: str) -> tuple[str, str]:
    """The file and the session of a stream."""
    container, _, session = stream.rpartition("#")
    return container, session


def is_name(session: object) -> bool:
    """Whether this can be the id of a session in a stream: no client makes others, but a file can hold anything."""
    return isinstance(session, str) and _NAME.fullmatch(session) is not None


def dropped(text: str) -> str:
    """What stands where a long text of no use was."""
    data = text.encode("utf-8", "replace")
    return f"[axm: dropped {len(data)} bytes sha256:{hashlib.sha256(data).hexdigest()[:32]}]"
