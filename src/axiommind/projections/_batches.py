"""Which of the next events are folded at once."""

from __future__ import annotations

from axiommind.model import Event

__all__ = ["before_redaction", "bounded"]

_BATCH_BYTES = 32 << 20


def before_redaction(events: list[Event]) -> list[Event]:
    """Texts that were redacted again are in rows that were made before: whoever opens the index next makes it anew
    (`Home.open_index`), and until then it stays as it is."""
    stops = (at for at, event in enumerate(events) if event.event_type == "redacted_again" and event.payload["blobs"])
    return events[: next(stops, len(events))]


def bounded(events: list[Event], until: int | None) -> list[Event]:
    """As many events as fit in a batch, at least one."""
    size = 0
    for count, event in enumerate(events):
        if until is not None and event.position > until:
            return events[:count]
        size += int(event.payload.get("bytes", 0))
        if count and size > _BATCH_BYTES:
            return events[:count]
    return events
