"""Times as people write them, in English, Korean, Chinese and Japanese: `since:` values, and dates inside a question.

A time is epoch milliseconds, UTC; `now` is always given. A week starts on Monday, seasons are the northern ones and
start in March, June, September and December. Any text is fine and takes linear time; what is no date (31 February,
month 13, a year before 1900 or after 2099) is none. It does not guess: "may", "march" and "second" are dates only
where the words around them say so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from axiommind.search.dates import _calendar as calendar
from axiommind.search.dates import _english
from axiommind.search.dates._calendar import DAY_MS, Time

__all__ = ["Mention", "matches", "mentions", "moment"]


class Mention(NamedTuple):
    """A time expression and where it stands in the text.

    `year`, `month` and `day` are what is known of the calendar; a season is known by its first month. With a known
    year, and for every relative expression, `since` and `until` (exclusive) are its window. Without one they are None,
    and it comes back each year: "in May" is May of every year.
    """

    text: str
    start: int
    end: int
    level: str
    year: int | None
    month: int | None
    day: int | None
    since: int | None
    until: int | None


def mentions(text: str, now: int) -> tuple[Mention, ...]:
    """The time expressions of a text, in order. What lies wholly in the future ("next week") is not in a memory."""
    today = calendar.day_of(now)
    return tuple(
        Mention(text[start:end], start, end, *found)
        for start, end, found in _scan(text, today)
        if found.since is None or found.since // DAY_MS <= today
    )


def matches(mention: Mention, at: int) -> bool:
    if mention.since is not None and mention.until is not None:
        return mention.since <= at < mention.until
    if not calendar.FIRST_DAY <= at // DAY_MS < calendar.END_DAY:
        return False
    _, month, day = calendar.civil(at // DAY_MS)
    if mention.month is None:
        return False
    if mention.level == "season":
        return (month - mention.month) % 12 < 3
    return month == mention.month and mention.day in (None, day)


def moment(text: str, now: int, *, end: bool = False) -> int | None:
    """The time that a `since:` value names: where its period begins, or with `end` where it is over.

    `7d`, `12h`, `2w`, `3m` and `1y` are points in time, counted back from now. A day or a month without a year is the
    latest one that has begun.
    """
    text = text.strip()
    if text.lower() == "now":
        return now
    if short := re.fullmatch(_SHORT, text, re.IGNORECASE | re.ASCII):
        return calendar.back(now, int(short[1]), short[2].lower())
    if iso := re.fullmatch(_ISO, text, re.ASCII):
        window = _iso_window(iso)
        return None if window is None else window[end]
    words = text.replace("-", " ").replace("_", " ")
    today = calendar.day_of(now)
    # After `in`, a lone "may" or "dec" can only be a time, as it is after `since:`.
    for start, stop, found in _scan(f"in {words}", today):
        if (start, stop) == (3, 3 + len(words)):
            known = found if found.since is not None else calendar.latest(found, today)
            return None if known is None else (known.until if end else known.since)
    return None


# --- digits -----------------------------------------------------------------------------------------------

_SHORT = r"(\d{1,4}) ?(h|hours?|d|days?|w|weeks?|m|months?|y|years?)"
_ISO = (
    r"(?P<year>\d{4})(?:(?P<compact>\d\d)(?P<compact_day>\d\d)|[-/.](?P<month>\d{1,2})(?:[-/.](?P<day>\d{1,2}))?)?"
    r"(?:[Tt ]+(?P<hour>\d\d)(?::?(?P<minute>\d\d)(?::?(?P<second>\d\d)(?:[.,](?P<fraction>\d{1,9}))?)?)?"
    r" ?(?P<zone>[Zz]|[+-]\d\d(?::?\d\d)?)?)?"
)
_NUMERIC = (
    r"(?<![\w./\\:#@+-])(?:"
    r"(?P<year>\d{4})(?P<mark>[-/.])(?P<month>\d{1,2})(?:(?P=mark)(?P<day>\d{1,2}))?"
    r"|(?P<one>\d{1,2})(?P<sign>[/.])(?P<two>\d{1,2})(?P=sign)(?P<last>\d{4})"
    r"|(?P<spaced>\d{4})\. (?P<spaced_month>\d{1,2})\. (?P<spaced_day>\d{1,2})\.?"
    r")(?:(?=[Tt]\d\d:)|(?![\w/\\@+-]|[.:]\w))"
)


def _iso_window(iso: re.Match[str]) -> tuple[int, int] | None:
    part = {name: int(value) for name, value in iso.groupdict("0").items() if name not in ("zone", "fraction")}
    month, day = iso["month"] or iso["compact"], iso["day"] or iso["compact_day"]
    found = calendar.on(part["year"], None if month is None else int(month), None if day is None else int(day))
    if found is None or found.since is None or found.until is None:
        return None
    if iso["hour"] is None:
        return found.since, found.until
    if found.level != "day" or part["hour"] > 23 or part["minute"] > 59 or part["second"] > 59:
        return None
    at = found.since + part["hour"] * 3_600_000 + part["minute"] * 60_000 + part["second"] * 1000
    length = 1000 if iso["second"] else 60_000 if iso["minute"] else 3_600_000
    if iso["fraction"]:
        at, length = at + int(iso["fraction"].ljust(3, "0")[:3]), 1
    zone = (iso["zone"] or "z").replace(":", "")
    if zone not in "zZ":
        ahead = int(zone[1:3]) * 60 + int(zone[3:] or 0)
        at += (ahead if zone[0] == "-" else -ahead) * 60_000
    return at, at + length


def _numeric(text: str) -> Iterator[tuple[int, int, Time | None]]:
    if not any(digit in text for digit in "0123456789"):  # compiling takes longer than most searches
        return
    for found in re.finditer(_NUMERIC, text, re.ASCII):
        if found["year"]:
            if found["mark"] != "-" and not found["day"]:
                continue  # 2023.5 and 2023/5 are more often numbers
            day = int(found["day"]) if found["day"] else None
            yield found.start(), found.end(), calendar.on(int(found["year"]), int(found["month"]), day)
        elif found["spaced"]:
            month, day = int(found["spaced_month"]), int(found["spaced_day"])
            yield found.start(), found.end(), calendar.on(int(found["spaced"]), month, day)
        else:
            yield found.start(), found.end(), _either_way(found)


def _either_way(found: re.Match[str]) -> Time | None:
    """31.12.2023 is day and month; with a slash it may be month and day. Where both fit, only the year is known."""
    one, two, year = int(found["one"]), int(found["two"]), int(found["last"])
    european, american = calendar.on(year, two, one), calendar.on(year, one, two)
    if found["sign"] == "." or european == american or american is None:
        return european
    return american if european is None else calendar.on(year, None)


# --- all of them ------------------------------------------------------------------------------------------


def _scan(text: str, today: int) -> Iterator[tuple[int, int, Time]]:
    """Where readings overlap, the one that starts first counts, and of those the longest."""
    readings = [*_english.read(text, today), *_numeric(text)]
    if not text.isascii() and max(text) >= "\u1100":  # Hangul, kana and Han; a dash or an accent names no date
        from axiommind.search.dates import _cjk

        readings += _cjk.read(text, today)
    end = 0
    for start, stop, found in sorted(readings, key=lambda reading: (reading[0], -reading[1])):
        if start >= end:
            end = stop
            if found is not None:
                yield start, stop, found
