"""The calendar of `dates`: periods as windows of whole days, UTC, from 1900 to 2099; nothing outside of that.

Days are counted from 1970-01-01. A week starts on Monday, seasons start in March, June, September and December. It is
arithmetic on integers, so that no number of years makes it raise.
"""

from __future__ import annotations

from typing import NamedTuple

DAY_MS = 86_400_000
FIRST_YEAR, LAST_YEAR = 1900, 2099
FEW = -1  # a count that is not said: "a few days ago"
_LONGEST = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


class Time(NamedTuple):
    """What an expression means: parts of a date, and its window when the year is known."""

    level: str
    year: int | None = None
    month: int | None = None
    day: int | None = None
    since: int | None = None
    until: int | None = None


def days(year: int, month: int, day: int = 1) -> int:
    """Days since 1970-01-01. Years are counted from March, so that the leap day is their last."""
    shift = (month + 9) % 12
    year -= shift // 10
    return 365 * year + year // 4 - year // 100 + year // 400 + (306 * shift + 5) // 10 + day - 719_469


def civil(day: int) -> tuple[int, int, int]:
    """Year, month and day of the month."""
    era, rest = divmod(day + 719_468, 146_097)
    of_era = (rest - rest // 1460 + rest // 36_524 - rest // 146_096) // 365
    of_year = rest - (365 * of_era + of_era // 4 - of_era // 100)
    shift = (5 * of_year + 2) // 153
    month = shift + 3 if shift < 10 else shift - 9
    return era * 400 + of_era + (month < 3), month, of_year - (153 * shift + 2) // 5 + 1


FIRST_DAY, END_DAY = days(FIRST_YEAR, 1), days(LAST_YEAR + 1, 1)


def day_of(at: int) -> int:
    return min(max(at // DAY_MS, FIRST_DAY), END_DAY - 1)


# --- periods ----------------------------------------------------------------------------------------------


def index(level: str, day: int) -> int:
    """Periods of a level are counted through, so that the one before is one less."""
    if level == "day":
        return day
    if level == "week":
        return (day + 3) // 7  # 1970-01-01 was a Thursday
    year, month, _ = civil(day)
    months = year * 12 + month - 1
    return {"month": months, "season": (months + 1) // 3, "year": year}[level]


def first(level: str, number: int) -> int:
    """The first day of a period."""
    if level == "day":
        return number
    if level == "week":
        return number * 7 - 3
    year, month = divmod({"month": number, "season": number * 3 - 1, "year": number * 12}[level], 12)
    return days(year, month + 1)


def span(level: str, begin: int, end: int) -> Time | None:
    """Days from `begin` up to `end`, exclusive."""
    if not FIRST_DAY <= begin < end <= END_DAY:
        return None
    return Time(level, since=begin * DAY_MS, until=end * DAY_MS)


def period(level: str, number: int) -> Time | None:
    begin = first(level, number)
    found = span(level, begin, first(level, number + 1))
    if found is None or level == "week":
        return found
    year, month, day = civil(begin)
    return found._replace(year=year, month=None if level == "year" else month, day=day if level == "day" else None)


def shifted(level: str, today: int, by: int) -> Time | None:
    """The period `by` after the one that today lies in; a weekend is that of its week."""
    if level == "weekend":
        saturday = first("week", index("week", today) + by) + 5
        return span("day", saturday, saturday + 2)
    return period(level, index(level, today) + by)


# --- dates ------------------------------------------------------------------------------------------------


def on(year: int | None, month: int | None, day: int | None = None) -> Time | None:
    """A date of which some parts may be unknown; None when there is no such date."""
    if year is not None and not FIRST_YEAR <= year <= LAST_YEAR:
        return None
    if month is None:
        return None if year is None else period("year", year)
    if not 1 <= month <= 12 or (day is not None and not 1 <= day <= _LONGEST[month - 1]):
        return None
    if year is None:
        return Time("month" if day is None else "day", None, month, day)
    if day is None:
        return period("month", year * 12 + month - 1)
    found = period("day", days(year, month, day))
    return found if found is not None and found.month == month else None  # 29 February of another year


def season(year: int | None, month: int) -> Time | None:
    """The season that starts in a month: the winter of 2022 begins in December 2022."""
    return Time("season", None, month) if year is None else period("season", (year * 12 + month) // 3)


def in_year(found: Time, year: int) -> Time | None:
    if found.level == "season" and found.month is not None:
        return season(year, found.month)
    return on(year, found.month, found.day)


def latest(found: Time, today: int) -> Time | None:
    """Of what comes back each year the latest that has begun."""
    now = civil(today)[0]
    for year in range(now, now - 9, -1):  # 29 February may be eight years ago
        one = in_year(found, year)
        if one is not None and one.since is not None and one.since // DAY_MS <= today:
            return one
    return None


def last(found: Time, today: int) -> Time | None:
    """Of what comes back each year the latest that is over."""
    one = latest(found, today)
    if one is None or one.since is None or not _goes_on(one, today):
        return one
    return latest(found, one.since // DAY_MS - 1)


def this(found: Time, today: int) -> Time | None:
    """The one of this year; a winter that has begun goes on into the next."""
    one = latest(found, today)
    return one if one is not None and _goes_on(one, today) else in_year(found, civil(today)[0])


def _goes_on(found: Time, today: int) -> bool:
    return found.until is not None and today < found.until // DAY_MS


def weekday(number: int, today: int, *, before: bool = False) -> Time | None:
    """The latest Monday (0) … Sunday (6): today counts, unless it must be `before`."""
    back = (today + 3 - number) % 7
    return period("day", today - (back or 7 if before else back))


def weekday_of(week: Time, number: int) -> Time | None:
    return None if week.since is None else period("day", week.since // DAY_MS + number)


# --- counts -----------------------------------------------------------------------------------------------


def ago(count: int, unit: str, today: int) -> Time | None:
    """ "Two weeks ago" is the week before the last; a few are two to five."""
    if unit == "hour":
        return period("day", today) if 0 <= count < 24 else None
    if count != FEW:
        return shifted(unit, today, -count)
    now = index(unit, today)
    return span(unit, first(unit, now - 5), first(unit, now - 1))


def past(count: int, unit: str, today: int) -> Time | None:
    """The last so many days, weeks, months or years up to now, today included."""
    count = 5 if count == FEW else count
    if unit == "hour":
        return None
    if unit in ("day", "week"):
        return span(unit, today + 1 - count * (7 if unit == "week" else 1), today + 1)
    since = back(today * DAY_MS, count, unit)
    return None if since is None else span(unit, since // DAY_MS, today + 1)


def back(now: int, count: int, unit: str) -> int | None:
    """The moment so many hours, days, weeks, months or years ago; the units' first letters do."""
    letter = unit[0]
    if letter in "hdw":
        at = now - count * {"h": 3_600_000, "d": DAY_MS, "w": 7 * DAY_MS}[letter]
    else:
        today, rest = divmod(now, DAY_MS)
        year, month, day = civil(today)
        months = year * 12 + month - 1 - count * (1 if letter == "m" else 12)
        at = min(first("month", months) + day, first("month", months + 1)) - 1
        at = at * DAY_MS + rest
    return at if FIRST_DAY <= at // DAY_MS < END_DAY else None
