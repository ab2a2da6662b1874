"""An event that learning is about to append: what is worked out first, and written in one transaction later."""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["NewEvent"]


class NewEvent(NamedTuple):
    """`text` goes into a blob, and `payload` gets its name as `blob`."""

    event_type: str
    payload: dict[str, Any]
    key: tuple[str | int, ...]  # the parts of its dedupe key, the event type apart
    text: str | None = None
    happened_at: int | None = None
