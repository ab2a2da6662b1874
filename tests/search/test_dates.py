"""Times as people write them, read on Wednesday 2026-03-18 at 15:30 UTC."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from axiommind.search.dates import Mention, matches, mentions, moment
from axiommind.search.dates import _calendar as calendar
from tests.counting import ending, grows_linearly
from tests.examples import examples
from tests.loading import TUPLE, loaded_by

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NOW = int(datetime(2026, 3, 18, 15, 30, tzinfo=UTC).timestamp() * 1000)


def ms(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


def said(at: int | None) -> str | None:
    """A moment as text; midnight is the day alone."""
    return None if at is None else f"{EPOCH + timedelta(milliseconds=at):%Y-%m-%d %H:%M:%S}".removesuffix(" 00:00:00")


def shown(mention: Mention) -> str:
    """`text = level window`, or the pattern of what comes back every year."""
    if mention.since is None:
        part = f"*-{mention.month:02}" + (f"-{mention.day:02}" if mention.day else "")
        return f"{mention.text} = {mention.level} {part}"
    return f"{mention.text} = {mention.level} {said(mention.since)}..{said(mention.until)}"


# --- since: and until: ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("2026-01-31", "2026-01-31", "2026-02-01"),
        ("2026-01", "2026-01-01", "2026-02-01"),
        ("2026", "2026-01-01", "2027-01-01"),
        ("2026/01/31", "2026-01-31", "2026-02-01"),
        ("2026/1/3", "2026-01-03", "2026-01-04"),
        ("20260131", "2026-01-31", "2026-02-01"),
        ("2026-01-31T12:00:05Z", "2026-01-31 12:00:05", "2026-01-31 12:00:06"),
        ("2026-01-31 12:00", "2026-01-31 12:00:00", "2026-01-31 12:01:00"),
        ("2026-01-31T03:00+09:00", "2026-01-30 18:00:00", "2026-01-30 18:01:00"),
        ("2026-01-31T20:00-0530", "2026-02-01 01:30:00", "2026-02-01 01:31:00"),
        ("12h", "2026-03-18 03:30:00", "2026-03-18 03:30:00"),
        ("7d", "2026-03-11 15:30:00", "2026-03-11 15:30:00"),
        ("7 days", "2026-03-11 15:30:00", "2026-03-11 15:30:00"),
        ("2w", "2026-03-04 15:30:00", "2026-03-04 15:30:00"),
        ("3m", "2025-12-18 15:30:00", "2025-12-18 15:30:00"),
        ("1y", "2025-03-18 15:30:00", "2025-03-18 15:30:00"),
        ("now", "2026-03-18 15:30:00", "2026-03-18 15:30:00"),
        ("today", "2026-03-18", "2026-03-19"),
        ("Yesterday", "2026-03-17", "2026-03-18"),
        ("tomorrow", "2026-03-19", "2026-03-20"),
        ("monday", "2026-03-16", "2026-03-17"),
        ("wed", "2026-03-18", "2026-03-19"),
        ("thursday", "2026-03-12", "2026-03-13"),
        ("last week", "2026-03-09", "2026-03-16"),
        ("last-week", "2026-03-09", "2026-03-16"),
        ("this month", "2026-03-01", "2026-04-01"),
        ("this_month", "2026-03-01", "2026-04-01"),
        ("may", "2025-05-01", "2025-06-01"),
        ("Dec", "2025-12-01", "2026-01-01"),
        ("May 2023", "2023-05-01", "2023-06-01"),
        ("8 may", "2025-05-08", "2025-05-09"),
        ("feb 29", "2024-02-29", "2024-03-01"),
        ("summer", "2025-06-01", "2025-09-01"),
        ("2 weeks ago", "2026-03-02", "2026-03-09"),
        ("오늘", "2026-03-18", "2026-03-19"),
        ("어제", "2026-03-17", "2026-03-18"),
        ("그제", "2026-03-16", "2026-03-17"),
        ("지난주", "2026-03-09", "2026-03-16"),
        ("지난 주", "2026-03-09", "2026-03-16"),
        ("지난달", "2026-02-01", "2026-03-01"),
        ("작년", "2025-01-01", "2026-01-01"),
        ("3일전", "2026-03-15", "2026-03-16"),
        ("今天", "2026-03-18", "2026-03-19"),
        ("昨天", "2026-03-17", "2026-03-18"),
        ("前天", "2026-03-16", "2026-03-17"),
        ("上周", "2026-03-09", "2026-03-16"),
        ("上週", "2026-03-09", "2026-03-16"),
        ("上个月", "2026-02-01", "2026-03-01"),
        ("上個月", "2026-02-01", "2026-03-01"),
        ("去年", "2025-01-01", "2026-01-01"),
        ("3天前", "2026-03-15", "2026-03-16"),
        ("今日", "2026-03-18", "2026-03-19"),
        ("昨日", "2026-03-17", "2026-03-18"),
        ("一昨日", "2026-03-16", "2026-03-17"),
        ("先週", "2026-03-09", "2026-03-16"),
        ("先月", "2026-02-01", "2026-03-01"),
        ("昨年", "2025-01-01", "2026-01-01"),
        ("3日前", "2026-03-15", "2026-03-16"),
        ("2023年5月8日", "2023-05-08", "2023-05-09"),
    ],
)
def test_a_moment_and_its_end(text: str, since: str, until: str) -> None:
    assert said(moment(text, NOW)) == since
    assert said(moment(text, NOW, end=True)) == until


@pytest.mark.parametrize(
    "text",
    """
    foo | 2026-13 | 2026-02-30 | 2026-00-10 | 9999 | 1899 | 2026-01-31T25:00 | 2026-01T12:00 | 9999y | 5 | 7x
    yesterday foo | may be | last | - | 31.02.2026 | 13월 | 今
    """.replace("\n", "|").split("|"),
)
def test_no_moment(text: str) -> None:
    assert moment(text, NOW) is None
    assert moment(text, NOW, end=True) is None


def test_a_month_back_stays_within_the_month() -> None:
    assert said(moment("1m", ms("2026-03-31"))) == "2026-02-28"
    assert said(moment("12m", ms("2024-02-29"))) == "2023-02-28"


# --- inside a question ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What did we do in May?", "May = month *-05"),
        ("and last May", "last May = month 2025-05-01..2025-06-01"),
        ("May 2023", "May 2023 = month 2023-05-01..2023-06-01"),
        ("on 8 May, 2023 we met", "8 May, 2023 = day 2023-05-08..2023-05-09"),
        ("May 8th", "May 8th = day *-05-08"),
        ("on the 3rd of June 2022", "the 3rd of June 2022 = day 2022-06-03..2022-06-04"),
        ("Monday, May 8, 2023", "Monday, May 8, 2023 = day 2023-05-08..2023-05-09"),
        ("in Dec. 2022", "Dec. 2022 = month 2022-12-01..2023-01-01"),
        ("2023 May 8", "2023 May 8 = day 2023-05-08..2023-05-09"),
        ("May last year", "May last year = month 2025-05-01..2025-06-01"),
        ("since mid-May", "May = month *-05"),
        ("the end of march", "march = month *-03"),
        ("in may we met", "may = month *-05"),
        ("2023-05-08", "2023-05-08 = day 2023-05-08..2023-05-09"),
        ("at 2023-05-08T10:00:00Z", "2023-05-08 = day 2023-05-08..2023-05-09"),
        ("(2023/05/08)", "2023/05/08 = day 2023-05-08..2023-05-09"),
        ("2023-05.", "2023-05 = month 2023-05-01..2023-06-01"),
        ("31.12.2023", "31.12.2023 = day 2023-12-31..2024-01-01"),
        ("12/25/2023", "12/25/2023 = day 2023-12-25..2023-12-26"),
        ("5/8/2023", "5/8/2023 = year 2023-01-01..2024-01-01"),
        ("yesterday's bug", "yesterday = day 2026-03-17..2026-03-18"),
        ("the day before yesterday", "day before yesterday = day 2026-03-16..2026-03-17"),
        ("last night", "last night = day 2026-03-17..2026-03-18"),
        ("last week", "last week = week 2026-03-09..2026-03-16"),
        ("Tuesday last week", "Tuesday last week = day 2026-03-10..2026-03-11"),
        ("last weekend", "last weekend = day 2026-03-14..2026-03-16"),
        ("two weeks ago", "two weeks ago = week 2026-03-02..2026-03-09"),
        ("10 days ago", "10 days ago = day 2026-03-08..2026-03-09"),
        ("a few days ago", "a few days ago = day 2026-03-13..2026-03-17"),
        ("a couple of months ago", "a couple of months ago = month 2026-01-01..2026-02-01"),
        ("in the last 3 days", "last 3 days = day 2026-03-16..2026-03-19"),
        ("3 hours ago", "3 hours ago = day 2026-03-18..2026-03-19"),
        ("last summer", "last summer = season 2025-06-01..2025-09-01"),
        ("last winter", "last winter = season 2025-12-01..2026-03-01"),
        ("summer of 2022", "summer of 2022 = season 2022-06-01..2022-09-01"),
        ("winter 2022", "winter 2022 = season 2022-12-01..2023-03-01"),
        ("in the summer with the kids", "summer = season *-06"),
        ("in 2022", "2022 = year 2022-01-01..2023-01-01"),
        ("the plan of 2021?", "2021 = year 2021-01-01..2022-01-01"),
        ("this year", "this year = year 2026-01-01..2027-01-01"),
        ("last Tuesday", "last Tuesday = day 2026-03-17..2026-03-18"),
        ("last Wednesday", "last Wednesday = day 2026-03-11..2026-03-12"),
        ("on Monday", "Monday = day 2026-03-16..2026-03-17"),
        ("2023년 5월 8일에", "2023년 5월 8일 = day 2023-05-08..2023-05-09"),
        ("25년 3월", "25년 3월 = month 2025-03-01..2025-04-01"),
        ("2023. 5. 8.", "2023. 5. 8. = day 2023-05-08..2023-05-09"),
        ("5월에", "5월 = month *-05"),
        ("지난 5월", "지난 5월 = month 2025-05-01..2025-06-01"),
        ("작년 5월에", "작년 5월 = month 2025-05-01..2025-06-01"),
        ("작년 여름", "작년 여름 = season 2025-06-01..2025-09-01"),
        ("지난주 화요일에 뭐 했지", "지난주 화요일 = day 2026-03-10..2026-03-11"),
        ("지난 월요일", "지난 월요일 = day 2026-03-16..2026-03-17"),
        ("이틀 전에", "이틀 전 = day 2026-03-16..2026-03-17"),
        ("두 달 전", "두 달 전 = month 2026-01-01..2026-02-01"),
        ("최근 3일 동안", "최근 3일 = day 2026-03-16..2026-03-19"),
        ("2023年5月8日的会议", "2023年5月8日 = day 2023-05-08..2023-05-09"),
        ("二〇二三年五月", "二〇二三年五月 = month 2023-05-01..2023-06-01"),
        ("五月做了什么", "五月 = month *-05"),
        ("十二月二十五日", "十二月二十五日 = day *-12-25"),
        ("上周二", "上周二 = day 2026-03-10..2026-03-11"),
        ("上週三個人", "上週 = week 2026-03-09..2026-03-16"),
        ("去年夏天", "去年夏天 = season 2025-06-01..2025-09-01"),
        ("三天前", "三天前 = day 2026-03-15..2026-03-16"),
        ("两个月前", "两个月前 = month 2026-01-01..2026-02-01"),
        ("過去三天", "過去三天 = day 2026-03-16..2026-03-19"),
        ("先週の火曜日", "先週の火曜日 = day 2026-03-10..2026-03-11"),
        ("去年の5月", "去年の5月 = month 2025-05-01..2025-06-01"),
        ("2ヶ月前に", "2ヶ月前 = month 2026-01-01..2026-02-01"),
        ("昨日の会議", "昨日 = day 2026-03-17..2026-03-18"),
        ("この夏", "この夏 = season 2026-06-01..2026-09-01"),
    ],
)
def test_a_mention(text: str, expected: str) -> None:
    # A season to come is read as one; it is only left out of what a memory may hold.
    found = mentions(text, ms("2026-07-01") if text == "この夏" else NOW)
    assert [shown(m) for m in found] == [expected]
    assert [text[m.start : m.end] for m in found] == [m.text for m in found]


def test_several_mentions() -> None:
    found = mentions("from May to July 2023, not in 2021, and 어제", NOW)
    assert [m.text for m in found] == ["May", "July 2023", "2021", "어제"]


@pytest.mark.parametrize(
    "text",
    """
    what may I do | I may 2 times | may I | May I? | this may be wrong | what you put in may be lost
    they may 5 of them
    march forward | let us march 3 abreast | in a second | the second one | 10 seconds ago | April said | ask June
    Feb 31 | 31 Feb 2023 | 29 February 2023 | May 9999 | in 9999 | 2023-13-01 | 2023-02-30 | month 13 | 2023年13月
    2월 31일 | 2000 lines of code | in 2048 tokens | port 2022 | 4096 | 2048 | v2021 | #2021 | $2021 | 1,999 files
    CVE-2023-1234 | src/2021/may.py | 2021.5 | 1.2023 | 2000行 | 2000 개 | fall back | in Spring Boot | spring cleaning
    every Monday | next week | tomorrow | on Mondays | sat down | sun and mon | 99999 years ago | 12:2022
    이번 주제 | 지난 주문 | 그제서야 | 언어제한 | 오늘날 | 3일 전화 | 돌봄 서비스 | 매주 월요일
    다음주 월요일 | 3월급 | 13월
    目前天气 | 基本周期 | 上周期 | 每周一次 | 一周一次 | 下周一 | 3天前端 | 以上月份 | 毎週月曜日
    日本日記 | 春节 | 三个月 | 1960年代 | 2000년대 | 前年のもの
    """.replace("\n", "|").split("|"),
)
def test_no_mention(text: str) -> None:
    assert mentions(text.strip(), NOW) == ()


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("in May", ["2019-05-01", "2026-05-31T23:59:59"], ["2026-06-01", "2026-04-30T23:59:59"]),
        ("May 8th", ["2020-05-08"], ["2020-05-09", "2020-08-05"]),
        ("in the winter", ["2020-12-01", "2021-02-28"], ["2021-03-01", "2020-11-30"]),
        ("in 2022", ["2022-01-01", "2022-12-31"], ["2023-01-01"]),
        ("last week", ["2026-03-09", "2026-03-15T23:00"], ["2026-03-08", "2026-03-16"]),
    ],
)
def test_matches(text: str, inside: list[str], outside: list[str]) -> None:
    (mention,) = mentions(text, NOW)
    assert all(matches(mention, ms(at)) for at in inside)
    assert not any(matches(mention, ms(at)) for at in outside)
    assert not matches(mention, 10**30)
    assert not matches(mention, -(10**30))


# --- laws -------------------------------------------------------------------------------------------------

DAYS = st.dates(date(1900, 1, 1), date(2099, 12, 31))
WORDS = """
may May March 8 8th 31 2023 9999 of the in last this past ago two few a days weeks month year Monday sat spring 2023.
2023-05-08 5/8/2023 지난 주 달 5월 31일 2023년 작년 화요일 전 3일 上 周 二 月 十 一 五 日 天前 去年 每 先週 の 火曜日 前
ヶ , . ? ' ( ſunday İ ３ ٣ 年
"""
PIECES = st.sampled_from(WORDS.split())


@given(DAYS)
def test_the_arithmetic_is_the_calendars(day: date) -> None:
    number = (day - date(1970, 1, 1)).days
    assert calendar.civil(number) == (day.year, day.month, day.day)
    assert calendar.days(day.year, day.month, day.day) == number
    for level in ("day", "week", "month", "season", "year"):
        index = calendar.index(level, number)
        assert calendar.first(level, index) <= number < calendar.first(level, index + 1)
    assert calendar.first("week", calendar.index("week", number)) == number - day.weekday()


@given(DAYS)
def test_a_written_day_is_found_and_is_that_day(day: date) -> None:
    at = ms(day.isoformat())
    for text in (
        day.isoformat(),
        f"{day:%Y/%m/%d}",
        f"{day.year}년 {day.month}월 {day.day}일",
        f"{day.year}年{day.month}月{day.day}日",
        f"{day:%d %B %Y}",
        f"{day:%B} {day.day}, {day.year}",
        f"{day:%b} {day.day}th {day.year}",
    ):
        assert moment(text, NOW) == at, text
        assert moment(text, NOW, end=True) == at + 86_400_000, text
        for found in mentions(text, 4_000_000_000_000):
            assert (found.year, found.month, found.day, found.text) == (day.year, day.month, day.day, text)


@given(
    st.text() | st.lists(PIECES, max_size=12).map(" ".join) | st.lists(PIECES, max_size=8).map("".join), st.integers()
)
@settings(max_examples=examples(500))
def test_any_text_at_any_time(text: str, now: int) -> None:
    end = 0
    for at in (now, NOW):
        for found in mentions(text, at):
            assert found.text == text[found.start : found.end] != ""
            if found.since is None or found.until is None:
                assert found.since is found.until is found.year is None
                assert found.month is not None
            else:
                assert matches(found, found.since)
                assert not matches(found, found.until)
        start, stop = moment(text, at), moment(text, at, end=True)
        assert (start is None) == (stop is None)
        assert start is None or stop is None or start <= stop
    for found in mentions(text, NOW):
        assert found.start >= end
        end = found.end


@pytest.mark.parametrize(
    "piece",
    [
        "may ",
        "1",
        "2023-",
        "5월",
        "上周",
        "1,234 ",
        "十",
        "a few ",
        "last ",
        "지난 ",
        "年",
        "mid-",
        "'\"(",
        "8 ",
        "零",
        " ",
    ],
)
def test_the_work_grows_with_hostile_text(piece: str) -> None:
    def work(size: int) -> None:
        text = piece * (size // len(piece))
        mentions(text, NOW)
        moment(text, NOW)

    grows_linearly(work, 500)
    with ending():
        work(30_000)


def test_importing_it_is_light() -> None:
    found = loaded_by("import re, axiommind.search.dates") - loaded_by(f"import re; {TUPLE}")
    assert {name for name in found if not name.startswith("axiommind")} <= {"__future__", "collections.abc"}
    assert "axiommind.search.dates._cjk" not in found
