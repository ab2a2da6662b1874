"""Times in Korean, Chinese (simplified and traditional) and Japanese: patterns, and a reader for each.

Words run together in these scripts, so that a time may be a piece of other words (目前天气, 언어제한); such a piece is
passed over.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from axiommind.search.dates import _calendar as calendar
from axiommind.search.dates._calendar import FEW, Time

_RELATIVE: dict[str, tuple[str, int]] = {
    word: (level, by)
    for level, by, words in (
        ("day", 0, "오늘 今天 今日 本日 今早 今晚 今朝 今夜 きょう"),
        ("day", -1, "어제 어젯밤 어저께 昨天 昨日 昨晚 昨夜 昨晩 きのう"),
        ("day", -2, "그제 그저께 엊그제 前天 一昨日 おととい"),
        ("day", -3, "그끄제 그끄저께 大前天 一昨々日"),
        ("day", 1, "내일 明天 明日"),
        ("week", 0, "이번주 금주 本周 本週 这周 這週 这星期 這星期 这个星期 這個星期 今週"),
        ("week", -1, "지난주 저번주 上周 上週 上星期 上个星期 上個星期 上礼拜 上禮拜 上一周 上一週 先週"),
        ("week", -2, "지지난주 저저번주 上上周 上上週 上上星期 先々週"),
        ("week", 1, "다음주 下周 下週 下星期 下个星期 下個星期 来週"),
        ("weekend", 0, "이번주말 这周末 這週末 本周末 本週末 今週末"),
        ("weekend", -1, "지난주말 저번주말 上周末 上週末 先週末"),
        ("weekend", 1, "다음주말 下周末 下週末 来週末"),
        ("month", 0, "이번달 이달 这个月 這個月 本月 今月"),
        ("month", -1, "지난달 저번달 上个月 上個月 上月 上一个月 上一個月 先月"),
        ("month", -2, "지지난달 저저번달 上上个月 上上個月 先々月"),
        ("month", 1, "다음달 下个月 下個月 来月"),
        ("year", 0, "올해 금년 今年 本年"),
        ("year", -1, "작년 지난해 去年 上一年 昨年"),
        ("year", -2, "재작년 前年 一昨年 おととし"),
        ("year", 1, "내년 明年 来年"),
    )
    for word in words.split()
}
# Where such a word is only a piece of others: 目前天气 (weather now), 基本周期 (basic cycle), 그제서야 (only then).
_NOT_AFTER = {
    "前天": "目之以当當提", "前年": "目之以当當提", "本周": "基版样樣成根文脚", "本週": "基版", "本月": "基",
    "本日": "日", "本年": "日", "上月": "以马馬晚早", "上周": "以马馬", "上週": "以馬", "去年": "过過",
}  # fmt: skip
_NOT_BEFORE = {
    "오늘": "날",
    "그제": "서야",
    "上月": "份",
    "前年": "のにはをもよ度比同",
}  # 前年の: of the year before it
_NO_WEEK = "期边邊围圍转轉到密折年刊报報"  # 上周期 is a cycle
_AFTER_JU_DAL = "에의는은도부까동간중쯤를을로초월화수목금토일"  # 지난 주에, 지난 주 월요일; not 지난 주제, 이번 달리기
_HAN_DIGITS = {c: n for n, c in enumerate("〇一二三四五六七八九")} | {"零": 0, "两": 2, "兩": 2}
_KOREAN_NUMBERS = {
    "한": 1, "일": 1, "두": 2, "이": 2, "세": 3, "석": 3, "삼": 3, "네": 4, "넉": 4, "사": 4, "다섯": 5, "오": 5,
    "여섯": 6, "육": 6, "일곱": 7, "여덟": 8, "아홉": 9, "열": 10, "몇": FEW,
}  # fmt: skip
_KOREAN_SPANS = {
    "하루": (1, "day"), "이틀": (2, "day"), "사흘": (3, "day"), "나흘": (4, "day"), "닷새": (5, "day"),
    "열흘": (10, "day"), "보름": (15, "day"), "며칠": (FEW, "day"), "몇일": (FEW, "day"), "일주일": (1, "week"),
}  # fmt: skip
_SEASONS = {"봄": 3, "여름": 6, "가을": 9, "겨울": 12, "春": 3, "夏": 6, "秋": 9, "冬": 12}
_WEEKDAYS = {c: n for names in ("월화수목금토일", "月火水木金土日", "一二三四五六天") for n, c in enumerate(names)}
_OF = r"(?:의|の|的)?[ \u3000]?"
_MONTH = (
    r"(?<![\d一二三四五六七八九十])(?P<month>\d{1,2}|十[一二]?|[一二三四五六七八九]) ?[월月](?!급|級|光|亮)份?"
    r"(?: ?(?P<day>\d{1,2}|[二三]?十[一二三四五六七八九]?|[一二三四五六七八九]) ?[일日号號](?! ?[전前]))?"
)
_SEASON = r"(?P<season>봄|여름|가을|겨울|[春夏秋冬])[天季]?"
_KOREAN_COUNT = "(?<![가-힣])(?:다섯|여섯|일곱|여덟|아홉|열|[한두세네석넉몇일이삼사오육])"
_COUNT = rf"(?P<count>(?<!\d)\d{{1,3}}|[一二三四五六七八九十两兩]{{1,3}}|[几幾数數]|{_KOREAN_COUNT})"
_UNIT = (
    r"(?P<unit>주일|개월|시간|[일주달년天日周週年]|[个個]?(?:星期|礼拜|禮拜)|[个個]月|[ヶケかカヵ]月|[个個]?小[时時]|時)"
    r"[間间]?"
)
_SPAN = rf"(?:{_COUNT} ?{_UNIT}|(?P<span>{'|'.join(_KOREAN_SPANS)}))"
_WEEKDAY = r"(?P<weekday>[월화수목금토일])요일|(?P<ja_weekday>[月火水木金土日])曜日?"
_DAY_OF_WEEK = r"(?:周|週|星期|礼拜|禮拜)(?P<zh_weekday>[一二三四五六日]|(?<=[期拜])天)(?![次个個些起般样樣直定])"


def _relative_pattern() -> str:
    """Longest first, so that 上上周 is not 上周; Korean is written with and without the space."""
    words = sorted(_RELATIVE, key=len, reverse=True)
    return "|".join(re.sub("(?<=[난번음])(?=[주달])", " ?", word) for word in words)


_YEARS = sorted((w for w, (level, _) in _RELATIVE.items() if level == "year"), key=len, reverse=True)
_RELATIVE_YEARS = "|".join(_YEARS)
_EVERY = (
    r"(?:매주|매달|매월|매년|매일|[每毎](?:周|週|月|年|日|天|[个個]?(?:星期|礼拜|禮拜|月)))"
    rf"(?:{_OF}(?:[월화수목금토일]요일|[月火水木金土日]曜日?|[一二三四五六日天]))?"
)
_DATED = (
    r"(?:(?P<year>(?<![\d.])\d{4}|[〇零一二三四五六七八九]{4}|(?<![\d.和成])\d{2}(?= ?[년年] ?\d{1,2} ?[월月]))"
    rf" ?[년年](?![대代])|(?P<relative>{_RELATIVE_YEARS}))(?:{_OF}(?:{_MONTH}|{_SEASON}))?"
)
_MONTHLY = rf"(?P<last>지난 ?|저번 ?)?{_MONTH}"
_SEASONAL = rf"(?P<last>지난 ?|저번 ?|上[个個])?(?P<this>이번 ?|这个|這個|この)?{_SEASON}"
_WORDED = (
    rf"(?P<word>{_relative_pattern()})(?:{_OF}(?:{_WEEKDAY}|{_DAY_OF_WEEK}"
    r"|(?<=[周週期拜])(?P<digit>[一二三四五六日])(?![次个個天位件种種条條小名項项日月年点點起般直样樣])))?"
)
_AGO = rf"{_SPAN} ?(?:[以之]?前(?![端提面台后後])|전(?=[에부까의쯤인이]|[^가-힣]|$))"
_ROLLING = rf"(?:최근 ?|지난 ?|过去|過去|最近|この)の?{_SPAN}(?! ?[전前])"
_NAMED_DAY = (
    rf"(?P<last>지난 ?|저번 ?|上[个個]|前の)?(?:{_WEEKDAY}|(?<![\d一两兩二三四五六七八九十每几幾下]){_DAY_OF_WEEK})"
)
_FOREIGN_UNITS = {
    "일": "day", "天": "day", "日": "day", "주": "week", "주일": "week", "周": "week", "週": "week", "달": "month",
    "개월": "month", "년": "year", "年": "year", "시간": "hour", "時": "hour",
}  # fmt: skip


def _is_hangul(char: str) -> bool:
    return "가" <= char <= "힣"


def _number(text: str) -> int:
    """Digits, Han numerals up to 99, or a Korean number word."""
    if text.isdecimal():
        return int(text)
    if text in "几幾数數":
        return FEW
    if text in _KOREAN_NUMBERS:
        return _KOREAN_NUMBERS[text]
    tens, ten, ones = text.rpartition("十")
    if not ten:
        return int("".join(str(_HAN_DIGITS.get(c, 0)) for c in ones))
    return _HAN_DIGITS.get(tens or "一", 0) * 10 + _HAN_DIGITS.get(ones, 0)


def _unit(text: str) -> str:
    if text in _FOREIGN_UNITS:
        return _FOREIGN_UNITS[text]
    return "month" if text.endswith("月") else "hour" if "小" in text else "week"


def _value(found: re.Match[str], name: str) -> int | None:
    return None if found[name] is None else _number(found[name])


def read(text: str, today: int) -> Iterator[tuple[int, int, Time | None]]:
    """Start, end and meaning of each expression; None where it is no time after all."""
    plain = text.replace(" ", "")
    for words, pattern, reader in _READERS:
        if any(word in plain for word in words):
            for found in re.finditer(pattern, text):
                yield found.start(), found.end(), reader(found, today)


def _read_every(_found: re.Match[str], _today: int) -> Time | None:
    """ "Every Monday" is no date, nor is the Monday in it."""
    return None


def _read_dated(found: re.Match[str], today: int) -> Time | None:
    if found["relative"]:
        if not _stands(found, "relative"):
            return None
        year = calendar.civil(today)[0] + _RELATIVE[found["relative"]][1]
    else:
        year = _number(found["year"])
        year += 2000 if year < 100 else 0
    if found["season"]:
        return calendar.season(year, _SEASONS[found["season"]])
    return calendar.on(year, _value(found, "month"), _value(found, "day"))


def _read_monthly(found: re.Match[str], today: int) -> Time | None:
    time = calendar.on(None, _value(found, "month"), _value(found, "day"))
    return calendar.last(time, today) if time is not None and found["last"] else time


def _read_seasonal(found: re.Match[str], today: int) -> Time | None:
    time = Time("season", None, _SEASONS[found["season"]])
    if found["last"]:
        return calendar.last(time, today)
    if found["this"]:
        return calendar.this(time, today)
    # Alone they must be whole words: not 돌봄, not 春节.
    alone = found[0].endswith("天") or (len(found[0]) > 1 and not _is_hangul(_before(found)))
    return time if alone else None


def _read_worded(found: re.Match[str], today: int) -> Time | None:
    if not _stands(found, "word"):
        return None
    level, by = _RELATIVE[found["word"].replace(" ", "")]
    time = calendar.shifted(level, today, by)
    name = found["weekday"] or found["ja_weekday"] or found["zh_weekday"] or found["digit"]
    if name is None or level != "week" or time is None:  # 어제 월요일 is yesterday
        return time
    return calendar.weekday_of(time, 6 if name == "日" else _WEEKDAYS[name])


def _read_ago(found: re.Match[str], today: int) -> Time | None:
    count, unit = _counted(found)
    return calendar.ago(count, unit, today)


def _read_rolling(found: re.Match[str], today: int) -> Time | None:
    count, unit = _counted(found)
    return calendar.past(count, unit, today)


def _read_named_day(found: re.Match[str], today: int) -> Time | None:
    name = found["weekday"] or found["ja_weekday"] or found["zh_weekday"]
    return calendar.weekday(6 if name == "日" else _WEEKDAYS[name], today, before=bool(found["last"]))


def _counted(found: re.Match[str]) -> tuple[int, str]:
    if found["span"]:
        return _KOREAN_SPANS[found["span"]]
    return _number(found["count"]), _unit(found["unit"])


def _before(found: re.Match[str]) -> str:
    return found.string[found.start() - 1] if found.start() else " "


def _stands(found: re.Match[str], group: str) -> bool:
    """Whether a relative word is one, and not a piece of its neighbours."""
    word, end = found[group].replace(" ", ""), found.end(group)
    before, after = _before(found), found.string[end : end + 1] or " "
    if before in _NOT_AFTER.get(word, "") or after in _NOT_BEFORE.get(word, ""):
        return False
    if word[-1] in "周週" and after in _NO_WEEK:
        return False
    if not _is_hangul(word[0]):
        return True
    runs_on = word[-1] in "주달" and _is_hangul(after) and after not in _AFTER_JU_DAL
    return not runs_on and not _is_hangul(before)


_Reader = Callable[[re.Match[str], int], Time | None]
# Compiling takes a millisecond and more for each, so a pattern is not tried without one of the words it needs.
_READERS: tuple[tuple[Iterable[str], str, _Reader], ...] = (
    ("매每毎", _EVERY, _read_every),
    (("년", "年", *(word for word in _YEARS if word[-1] not in "년年")), _DATED, _read_dated),
    ("월月", _MONTHLY, _read_monthly),
    (_SEASONS, _SEASONAL, _read_seasonal),
    (_RELATIVE, _WORDED, _read_worded),
    ("전前", _AGO, _read_ago),
    (("최근", "지난", "过去", "過去", "最近", "この"), _ROLLING, _read_rolling),
    (("요일", "曜", "周", "週", "星期", "礼拜", "禮拜"), _NAMED_DAY, _read_named_day),
)
