"""Times in English, read word by word: the words around a month, a number or "last" decide what it means.

It refuses what is only perhaps a time: "may I", "march on", "2000 lines", "port 2022", "in Spring Boot".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from axiommind.search.dates import _calendar as calendar
from axiommind.search.dates._calendar import Time
from axiommind.text.patterns import lazy


def _list(words: str) -> dict[str, int]:
    """Words and their places, from 0."""
    return {word: place for place, word in enumerate(words.split())}


_NAMES = "january february march april may june july august september october november december"
_MONTHS = {name: place + 1 for name, place in _list(_NAMES).items()}
_SHORT_MONTHS = {name[:3]: n for name, n in _MONTHS.items() if name != "may"} | {"sept": 9}
_ANY_MONTH = _MONTHS | _SHORT_MONTHS
_DOUBTFUL = frozenset({"march", "april", "may", "june", "august", *_SHORT_MONTHS})  # verbs, names, odd words
_VERBS = frozenset({"may", "march"})
_WEEKDAYS = _list("monday tuesday wednesday thursday friday saturday sunday")
_SHORT_WEEKDAYS = {name[:3]: n for name, n in _WEEKDAYS.items()} | {"tues": 1, "thur": 3, "thurs": 3}
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
_UNITS = {name + s: name for name in ("day", "week", "month", "year") for s in ("", "s")}
_AGO_UNITS = _UNITS | {"hour": "hour", "hours": "hour"}
_NUMBERS = _list("zero one two three four five six seven eight nine ten eleven twelve") | {
    "a": 1,
    "an": 1,
    "few": calendar.FEW,
    "several": calendar.FEW,
    "couple": 2,
}
_BEFORE = _list("in during since until till before after by early late mid throughout around through")
_PARTS = _list("end start beginning middle half rest most all week")
# After "in may" they tell that the sentence goes on with the verb: "what you put in may be lost".
_AFTER_VERB = _list(
    "be not have has need also still cause fail well differ never only seem contain help want require lead take "
    "get go or result become vary include change make use happen"
)
_COUNTED = _list(
    "ms px kb mb gb tb bytes byte lines line tokens token characters chars users rows items files times words requests "
    "records entries messages points people dollars seconds second minutes minute hours hour days weeks months years "
    "percent tests errors commits steps queries events sessions documents docs pages images examples samples x"
)
_NUMBERED = _list(
    "line lines port error code row issue pr rfc page size limit id pid status exit number no version build step level "
    "timeout about than least most up nearly almost over under roughly approximately exactly"
)
_OTHER_TIMES = frozenset({"every", "each", "next", "per", "coming", "following"})

# Words are cut at blanks, commas and everything from U+1100 on (CJK, typographic marks).
_CHUNK = lazy(r"(?:[!-+\--~\u00a1-\u10ff]|(?<=\d),(?=\d{3}(?!\d)))+")
_COUNTER = lazy(r"[^\W\x00-\x7f]| ?[개행줄자명번원건회元円行个個字件回名人次条條項项]")  # 2000行, 2000 개
_CORE = lazy(r"([A-Za-z]+|\d{1,4}(?:st|nd|rd|th)?)(?:'s)?", re.IGNORECASE | re.ASCII)


class _Word(NamedTuple):
    """A word in lower case; "" where the sentence stops or where something stands that is no word."""

    word: str
    start: int = 0
    end: int = 0
    capital: bool = False


_STOP = _Word("")


def _words(text: str) -> list[_Word]:
    words = [_STOP, _STOP]
    end = 0
    for chunk in _CHUNK.finditer(text):
        core = chunk[0].lstrip("([{\"'*`")
        start = chunk.end() - len(core)
        if text[end : chunk.start()].replace(",", " ").strip():
            words.append(_STOP)
        if core[:4].lower() == "mid-":
            words.append(_Word("mid", start, start + 3))
            core, start = core[4:], start + 4
        stripped = core.rstrip(".?!;:)]}\"'*`")
        found = _CORE.fullmatch(stripped)
        if found is None or (stripped[-1].isdigit() and _COUNTER.match(text, chunk.end())):
            words.append(_STOP)
        else:
            word = found[1]
            words.append(_Word(word.lower(), start, start + len(word), word.istitle()))
            closing = core[len(stripped) :]
            if closing.strip(")]}\"'*`.") or ("." in closing and word.lower() not in _SHORT_MONTHS):
                words.append(_STOP)
        end = chunk.end()
    return [*words, *[_STOP] * 6]


_Read = tuple[Time | None, int]  # what was read (None: no such date), and the word after it


def read(text: str, today: int) -> Iterator[tuple[int, int, Time | None]]:
    """Start, end and meaning of each expression; None where it names a date that there is not."""
    return _English(text, today).scan()


class _English:
    """One text and the day on which it is read."""

    def __init__(self, text: str, today: int) -> None:
        self.words = _words(text)
        self.today = today

    def scan(self) -> Iterator[tuple[int, int, Time | None]]:
        at = 2
        while at < len(self.words) - 6:
            read = self._read(at)
            if read is None:
                at += 1
            else:
                found, after = read
                yield self.words[at].start, self.words[after - 1].end, found
                at = after

    def _is(self, at: int) -> str:
        return self.words[at].word

    def _read(self, at: int) -> _Read | None:
        word = self._is(at)
        if not word:
            return None
        if word[0].isdigit():
            return self._day_and_month(at) or self._counted_ago(at) or self._year(at)
        if word in ("last", "past", "previous"):
            return self._last(at)
        if word in ("this", "next"):
            return self._this(at)
        if word in _WEEKDAYS or word in _SHORT_WEEKDAYS:
            return self._weekday(at)
        if word in _ANY_MONTH:
            return self._month(at)
        if word in _SEASONS:
            return self._season(at)
        if word in _NUMBERS:
            return self._counted_ago(at)
        if word == "the":
            return self._day_and_month(at + 1) if self._is(at + 1)[:1].isdigit() else None
        if word == "day" and self._is(at + 1) == "before" and self._is(at + 2) == "yesterday":
            return calendar.shifted("day", self.today, -2), at + 3
        if word in ("yesterday", "today", "tonight", "tomorrow"):
            return calendar.shifted("day", self.today, {"yesterday": -1, "tomorrow": 1}.get(word, 0)), at + 1
        return None

    def _count(self, at: int) -> tuple[int, int] | None:
        """A number in digits or words, and the word after it: "a few", "a couple of"."""
        if self._is(at) == "a" and self._is(at + 1) in ("few", "couple"):
            at += 1
        word = self._is(at)
        count = int(word) if word.isdecimal() and len(word) < 4 else _NUMBERS.get(word)
        if count is None:
            return None
        return count, at + 2 if word == "couple" and self._is(at + 1) == "of" else at + 1

    def _counted_ago(self, at: int) -> _Read | None:
        counted = self._count(at)
        if counted is None:
            return None
        count, after = counted
        unit = _AGO_UNITS.get(self._is(after))
        if unit is None or self._is(after + 1) not in ("ago", "back"):
            return None
        return calendar.ago(count, unit, self.today), after + 2

    def _last(self, at: int) -> _Read | None:
        first, word = self._is(at), self._is(at + 1)
        counted = self._count(at + 1) if word not in ("a", "an") else None
        if counted is not None and self._is(counted[1]) in _UNITS:
            return calendar.past(counted[0], _UNITS[self._is(counted[1])], self.today), counted[1] + 1
        if word in ("week", "month", "year"):
            if first == "past":
                return calendar.past(1, word, self.today), at + 2
            found = calendar.shifted(word, self.today, -1)
            return self._weekday_in(found, at + 2) if word == "week" else (found, at + 2)
        if word == "weekend":
            return calendar.shifted("weekend", self.today, -1), at + 2
        if first == "past":
            return None
        if word in ("night", "evening"):
            return calendar.shifted("day", self.today, -1), at + 2
        number = _WEEKDAYS.get(word, _SHORT_WEEKDAYS.get(word))
        if number is not None:
            return calendar.weekday(number, self.today, before=True), at + 2
        if word in _SEASONS:
            return calendar.last(Time("season", None, _SEASONS[word]), self.today), at + 2
        if word in _ANY_MONTH and not (word == "may" and self._is(at - 1) == "the"):
            day = self._day_number(at + 2)
            named = calendar.on(None, _ANY_MONTH[word], day)
            return named and calendar.last(named, self.today), at + 2 + (day is not None)
        return None

    def _this(self, at: int) -> _Read | None:
        by, word = int(self._is(at) == "next"), self._is(at + 1)
        if word in ("week", "month", "year", "weekend"):
            found = calendar.shifted(word, self.today, by)
            return self._weekday_in(found, at + 2) if word == "week" else (found, at + 2)
        if word in _WEEKDAYS:
            week = calendar.shifted("week", self.today, by)
            return None if week is None else (calendar.weekday_of(week, _WEEKDAYS[word]), at + 2)
        if by:
            return None
        if word in ("morning", "afternoon", "evening"):
            return calendar.shifted("day", self.today, 0), at + 2
        if word in _SEASONS:
            return calendar.this(Time("season", None, _SEASONS[word]), self.today), at + 2
        if word in _MONTHS and (word not in _VERBS or (word == "march" and self.words[at + 1].capital)):
            return calendar.this(Time("month", None, _MONTHS[word]), self.today), at + 2
        return None

    def _weekday_in(self, week: Time | None, at: int) -> _Read:
        at_name = at + (self._is(at) == "on")
        number = _WEEKDAYS.get(self._is(at_name))
        if number is None or week is None:
            return week, at
        return calendar.weekday_of(week, number), at_name + 1

    def _weekday(self, at: int) -> _Read | None:
        """ "Monday", "Monday last week"; in "Monday, 8 May 2023" the date counts."""
        word, before = self._is(at), self._is(at - 1)
        if dated := self._date(at + 1):
            return dated
        if before in _OTHER_TIMES:
            return None
        if word not in _WEEKDAYS:
            if before not in ("on", "in", "last", "this"):
                return None
            return calendar.weekday(_SHORT_WEEKDAYS[word], self.today), at + 1
        after = at + 1 + (self._is(at + 1) == "of")
        if self._is(after) in ("last", "this") and self._is(after + 1) == "week":
            week = calendar.shifted("week", self.today, -(self._is(after) == "last"))
            return None if week is None else (calendar.weekday_of(week, _WEEKDAYS[word]), after + 2)
        return calendar.weekday(_WEEKDAYS[word], self.today), at + 1

    def _date(self, at: int) -> _Read | None:
        """A day and a month, in either order."""
        if self._is(at) == "the":
            at += 1
        if self._is(at)[:1].isdigit():
            return self._day_and_month(at)
        if self._is(at) in _ANY_MONTH and self._day_number(at + 1) is not None:
            return self._month(at)
        return None

    def _day_number(self, at: int) -> int | None:
        word = self._is(at)
        if not word[:1].isdigit() or self._is(at + 1) in _COUNTED:
            return None
        number = int(word if word.isdecimal() else word[:-2])
        return number if 1 <= number <= 31 else None

    def _said_year(self, at: int) -> tuple[int | None, int]:
        """A year that follows a month or a season, and the word after it: "2023", "of 2023", "of last year"."""
        after = at + (self._is(at) in ("of", "in"))
        word = self._is(after)
        if word.isdecimal() and len(word) == 4 and self._is(after + 1) not in _COUNTED:
            return int(word), after + 1
        if word in ("last", "this") and self._is(after + 1) == "year":
            return calendar.civil(self.today)[0] - (word == "last"), after + 2
        return None, at

    def _day_and_month(self, at: int) -> _Read | None:
        """ "8 May", "the 3rd of June 2022"."""
        day = self._day_number(at)
        after = at + 1 + (self._is(at + 1) == "of")
        month = self._is(after)
        if day is None or month not in _ANY_MONTH:
            return None
        year, end = self._said_year(after + 1)
        told = year is not None or not self._is(at).isdecimal() or after > at + 1 or self._is(at - 1) == "on"
        if month in _VERBS and not (told or self.words[after].capital or not self._is(after + 1)):
            return None
        return calendar.on(year, _ANY_MONTH[month], day), end

    def _month(self, at: int) -> _Read | None:
        """ "May 8th, 2023", "May 2023", "in May"."""
        word, before = self._is(at), self._is(at - 1)
        led = (
            before in _BEFORE
            or (before == "of" and self._is(at - 2) in _PARTS)
            or (before in ("from", "between") and self._is(at + 1) in ("to", "until", "till", "through", "and"))
        )
        day = self._day_number(at + 1)
        year, end = self._said_year(at + 1 + (day is not None))
        number = _ANY_MONTH[word]
        if day is not None:
            ordinal = not self._is(at + 1).isdecimal()
            opens = not before or led or before in ("on", "of", "from", "to", "and", "the")
            if word in _VERBS and not (ordinal or year is not None or self.words[at].capital or opens):
                return None
            return calendar.on(year, number, day), end
        if year is not None:
            return calendar.on(year, number), end
        if word in _DOUBTFUL and not led:
            return None
        if word == "may" and not self.words[at].capital and self._is(at + 1) in _AFTER_VERB:
            return None
        return calendar.on(None, number), at + 1

    def _season(self, at: int) -> _Read | None:
        """ "summer 2022", "in the summer"; Spring and fall are other things too, unless the sentence stops there."""
        word = self._is(at)
        year, end = self._said_year(at + 1)
        if year is not None:
            return calendar.season(year, _SEASONS[word]), end
        before = self._is(at - 1 - (self._is(at - 1) == "the"))
        if before not in ("in", "during", "over", "since"):
            return None
        if word in ("spring", "fall") and self._is(at + 1):
            return None
        return calendar.season(None, _SEASONS[word]), at + 1

    def _year(self, at: int) -> _Read | None:
        word, before, after = self._is(at), self._is(at - 1), self._is(at + 1)
        if len(word) != 4 or not word.isdecimal() or after in _COUNTED or before in _NUMBERED:
            return None
        year = int(word)
        if after in _ANY_MONTH and (after not in _VERBS or self.words[at + 1].capital):  # "2023 May 8"
            day = self._day_number(at + 2)
            return calendar.on(year, _ANY_MONTH[after], day), at + 2 + (day is not None)
        if not calendar.FIRST_YEAR <= year <= calendar.LAST_YEAR:
            return None
        led = before in ("in", "since", "during", "of", "until", "before", "after", "year")
        if not led and year > calendar.civil(self.today)[0] + 1:  # 2048 is a size
            return None
        return calendar.on(year, None), at + 1
