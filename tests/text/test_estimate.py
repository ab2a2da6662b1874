"""Token estimates: by script, and never less for more."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from axiommind.text.estimate import UNITS, chars_within, estimate_tokens, weigh
from tests.rows import rows

# Sentences of one meaning, with what cl100k_base, o200k_base and Claude's published tokeniser make of them
# (bench/tokens.py counts with those).
SENTENCES = {
    "The cache forgets its entries after a restart, so the first request is slow.": (17, 17, 17),
    "캐시는 재시작하면 항목을 잊어버려서 첫 요청이 느립니다.": (35, 21, 38),
    "缓存在重启之后会丢失所有条目，所以第一次请求很慢。": (27, 18, 25),
    "キャッシュは再起動すると内容を失うので、最初のリクエストは遅くなります。": (33, 27, 33),
}


@rows("R3.31")
@pytest.mark.parametrize("text", SENTENCES)
def test_an_estimate_is_between_what_tokenisers_say_in_every_script(text: str) -> None:
    counted = SENTENCES[text]
    assert 0.85 * min(counted) <= estimate_tokens(text) <= 1.15 * max(counted)
    if not text.isascii():  # a token for every four characters was half of the truth at most
        assert estimate_tokens(text) >= 2 * len(text) / 4


def test_a_started_token_counts_whole() -> None:
    assert [estimate_tokens(text) for text in ("", "a", "a" * 4, "a" * 5)] == [0, 1, 1, 2]


@given(st.text(), st.text())
def test_more_text_never_has_fewer_tokens_and_parts_never_fewer_than_the_whole(left: str, right: str) -> None:
    both = left + right
    assert max(weigh(left), weigh(right)) <= weigh(both) <= weigh(left) + weigh(right)
    assert estimate_tokens(left) <= estimate_tokens(both) <= estimate_tokens(left) + estimate_tokens(right)


@given(st.text() | st.text(alphabet="a가漢あ1. \n🙂"), st.integers(-200, 3_000))
def test_the_beginning_that_costs_no_more(text: str, units: int) -> None:
    n = chars_within(text, units)
    assert 0 <= n <= len(text) and weigh(text[:n]) <= max(units, 0)
    assert n == len(text) or weigh(text[: n + 1]) > units


def test_every_character_costs_something() -> None:
    assert min(weigh(chr(code)) for code in range(0x11000)) > 0
    assert weigh("\ud800") > 0 and weigh("🙂") == 2 * weigh("\ud83d") > UNITS
