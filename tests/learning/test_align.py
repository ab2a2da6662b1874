"""Where the words of a quote stand: exactly, alike, roughly, or nowhere; and always in the original text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz import fuzz

from axiommind.extraction.drafts import Quote
from axiommind.learning import alignment
from axiommind.learning.alignment import EXACT, FUZZY, NORMALISED, Aligner, QuoteMatch, QuoteMiss
from tests.examples import examples
from tests.rows import rows

KOREAN = "결정: 캐시 만료는 10분으로 한다.\r\n이유는 테스트가 느려서다. 🙂 그리고 React組件 도 바꾼다."
CHINESE = "我们决定使用 SQLite，不要再用 DuckDB。"
ENGLISH = "We decided to use  SQLite\n\tin WAL mode, because DuckDB loses rows under four writers."


def find(messages: list[str], message: int, text: str) -> QuoteMatch | QuoteMiss:
    return Aligner(messages).find(Quote(message, text))


@rows("R2.39", "R2.40", "R2.89")
def test_the_words_as_they_stand() -> None:
    found = find([CHINESE, KOREAN], 1, "캐시 만료는 10분으로 한다.")
    assert found == QuoteMatch(1, 4, 20, EXACT, "exact")
    assert KOREAN[found.start : found.end] == "캐시 만료는 10분으로 한다."


@rows("R2.41")
def test_blanks_and_case_do_not_matter() -> None:
    found = find([ENGLISH], 0, "we DECIDED to use sqlite in wal mode")
    assert isinstance(found, QuoteMatch)
    assert (found.method, found.confidence) == ("normalised", NORMALISED)
    assert ENGLISH[found.start : found.end] == "We decided to use  SQLite\n\tin WAL mode"


def test_a_line_end_of_another_system_does_not_matter() -> None:
    found = find([KOREAN], 0, "한다.\n이유는 테스트가")
    assert isinstance(found, QuoteMatch)
    assert KOREAN[found.start : found.end] == "한다.\r\n이유는 테스트가"


def test_a_letter_that_folds_into_two_keeps_its_place() -> None:
    text = "Die Straße ist GROSS, sagte İpek."
    found = find([text], 0, "die STRASSE ist groß")
    assert isinstance(found, QuoteMatch)
    assert text[found.start : found.end] == "Die Straße ist GROSS"


@rows("R2.41")
def test_roughly_the_same_words() -> None:
    found = find([ENGLISH], 0, "because DuckDB looses rows under 4 writers")
    assert isinstance(found, QuoteMatch)
    assert found.method == "fuzzy" and FUZZY <= found.confidence <= NORMALISED
    assert "DuckDB loses rows under" in ENGLISH[found.start : found.end]


def test_in_another_message_than_was_said() -> None:
    found = find([ENGLISH, CHINESE, KOREAN], 0, "不要再用 DuckDB")
    assert isinstance(found, QuoteMatch) and found.message == 1
    assert isinstance(find([ENGLISH, CHINESE], 99, "不要再用 DuckDB"), QuoteMatch)


@rows("R2.42", "R2.90")
@pytest.mark.parametrize(
    ("message", "quote", "why"),
    [
        (0, "", "empty_quote"),
        (0, " \n\x00 ", "empty_quote"),
        (0, "we will use PostgreSQL with Citus for all of this", "not_found"),
        (7, "nobody ever said these words to anyone", "invalid_index"),
        (-1, "nobody ever said these words to anyone", "invalid_index"),
    ],
)
def test_words_that_are_nowhere(message: int, quote: str, why: str) -> None:
    assert find([ENGLISH, CHINESE, KOREAN], message, quote) == QuoteMiss(why)


def test_a_long_quote_is_not_found_in_a_short_message() -> None:
    assert isinstance(find(["ok", "yes"], 0, "ok, we take the second option and drop the first one"), QuoteMiss)


def test_nothing_reaches_over_what_was_taken_out() -> None:
    """A reminder of the client's was blanked: the words before and after it were not said together."""
    text = "always use pnpm" + " " * 200 + "for the frontend"
    assert isinstance(find([text], 0, "always use pnpm for the frontend"), QuoteMiss)
    assert isinstance(find([text], 0, "always USE pnpm"), QuoteMatch)


def test_so_much_is_compared_roughly_and_then_only_the_message_that_was_named(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[int] = []
    rough = fuzz.partial_ratio_alignment

    def counted(quote: str, text: str, **options: float) -> object:
        compared.append(len(text))
        return rough(quote, text, **options)

    monkeypatch.setattr(fuzz, "partial_ratio_alignment", counted)
    monkeypatch.setattr(alignment, "_FUZZY_WORK", 500_000)
    message = "lorem ipsum dolor sit amet " * 40
    aligner = Aligner([message] * 50)
    for n in range(60):
        assert isinstance(aligner.find(Quote(0, f"quite another sentence with the number {n} in it")), QuoteMiss)
    assert 400_000 < sum(compared) - 60 * len(message) <= 500_000


WORDS = st.text(
    st.characters(codec="utf-8", categories=("L", "N", "P", "Zs", "So", "Cc"))
    | st.sampled_from("가나다決定しない🙂\r\nßİ"),
    min_size=1,
    max_size=80,
)


@rows("R2.40", "R2.89")
@settings(max_examples=examples(600))
@given(st.lists(WORDS, min_size=1, max_size=4), st.data())
def test_what_is_there_is_found_exactly(messages: list[str], data: st.DataObject) -> None:
    """R2.89: a quote that is in the source gets its exact span."""
    which = data.draw(st.integers(0, len(messages) - 1))
    text = messages[which]
    start = data.draw(st.integers(0, len(text) - 1))
    quote = text[start : data.draw(st.integers(start + 1, len(text)))]
    found = find(messages, which, quote)
    if not quote.replace("\x00", "").strip():
        assert found == QuoteMiss("empty_quote")
        return
    if "\x00" in quote:
        return
    assert isinstance(found, QuoteMatch) and found.message == which
    assert messages[found.message][found.start : found.end] == quote


@settings(max_examples=examples(600))
@given(WORDS, st.data())
def test_blanks_and_case_map_back(text: str, data: st.DataObject) -> None:
    """However blanks and case were changed, the span is of the original and says the same."""
    start = data.draw(st.integers(0, len(text) - 1))
    part = text[start : data.draw(st.integers(start + 1, len(text)))]
    changed = "".join(
        data.draw(st.sampled_from([" ", "\n", "\t  "]))
        if c.isspace()
        else data.draw(st.sampled_from([c, c.casefold()]))
        for c in part
    )
    found = find([text], 0, changed)
    if isinstance(found, QuoteMatch) and found.method != "fuzzy":
        assert _alike(text[found.start : found.end]) == _alike(changed)


@settings(max_examples=examples(600))
@given(st.lists(WORDS, max_size=4), st.integers(-3, 6), st.text(max_size=100))
def test_a_span_is_always_inside_and_a_miss_says_why(messages: list[str], message: int, quote: str) -> None:
    """R2.90: what is not there is not aligned; what is found lies in a message."""
    found = find(messages, message, quote)
    if isinstance(found, QuoteMatch):
        assert 0 <= found.start < found.end <= len(messages[found.message])
        assert FUZZY <= found.confidence <= EXACT
        if found.method == "fuzzy":
            from rapidfuzz import fuzz

            here = _alike(messages[found.message][found.start : found.end])
            assert fuzz.ratio(here, _alike(quote)) >= 70
    else:
        assert found.reason in ("empty_quote", "invalid_index", "not_found")
        assert not any(quote in m for m in messages) or not quote.replace("\x00", "").strip() or "\x00" in quote


def _alike(text: str) -> str:
    return " ".join(text.replace("\x00", "").casefold().split())
