"""Days as the person has them: from midnight to midnight on this machine's clock. All other times of ours are UTC, but
somebody's today is not; where a zone changes its clocks a day has 23 or 25 hours.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo

__all__ = ["local", "local_moment", "midnight"]


def local(at: int, zone: tzinfo | None = None) -> datetime:
    """A moment on the clock of a zone; of this machine's, where none is named."""
    return datetime.fromtimestamp(at / 1000, UTC).astimezone(zone)


def midnight(at: int, zone: tzinfo | None = None, *, days: int = 0) -> int:
    """When the day began that a moment is in; or one that many days later, or before."""
    day = local(at, zone).date() + timedelta(days=days)
    return _milliseconds(datetime(day.year, day.month, day.day), zone)


def local_moment(text: str, now: int, *, is_end: bool, zone: tzinfo | None = None) -> int | None:
    """A time as people write it (`yesterday`, `2026-02-20`, `3d`), on the clock of a zone; None where it is none."""
    from axiommind.search.dates import moment

    clock = local(now, zone).replace(tzinfo=UTC)
    found = moment(text, int(clock.timestamp() * 1000), end=is_end)
    if found is None:
        return None
    return _milliseconds(datetime.fromtimestamp(found / 1000, UTC).replace(tzinfo=None), zone)


def _milliseconds(clock: datetime, zone: tzinfo | None) -> int:
    """When a clock shows that; the first time, where it does so twice."""
    shown = clock.astimezone() if zone is None else clock.replace(tzinfo=zone)
    return int(shown.timestamp() * 1000)
