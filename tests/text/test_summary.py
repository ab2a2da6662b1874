"""Summary and preview: one line, never longer than it may be, at the end of a sentence where there is one."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from axiommind.text.summary import PREVIEW_CHARS, SUMMARY_CHARS, preview, summary
from tests.rows import rows


@rows("R3.27")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The cache was full. It is empty now.", "The cache was full."),
        ("Is it done? Not yet.", "Is it done?"),
        ("캐시를 비웠습니다. 다시 시작하세요.", "캐시를 비웠습니다."),
        ("缓存已经清空了。请重新启动。", "缓存已经清空了。"),
        ("缓存真的已经满了吗？是的。", "缓存真的已经满了吗？"),
        ("テストが失敗しました！もう一度。", "テストが失敗しました！"),
        ("彼は「終わりました。」と言った。", "彼は「終わりました。」"),
        ("Ok. The tests pass now. More follows.", "Ok. The tests pass now."),
        ("no end here", "no end here"),
        ("version 1.2.3 is out. Good.", "version 1.2.3 is out."),
        ("see src/app.py and config.toml for it", "see src/app.py and config.toml for it"),
        ("# A heading\n\nand a text", "A heading and a text"),
        ("- a point of a list. Another.", "a point of a list."),
        ("> 1. quoted and numbered. Yes.", "quoted and numbered."),
        ("```python\nprint('hello')\n```", "[code]"),
        ("Try this:\n```sh\nmake. it. so.\n```\nIt works. Always.", "Try this: [code] It works."),
        ("~~~\ntildes\n~~~\nand then", "[code] and then"),
        ("Cut off:\n  ```\nnever closed. At all.", "Cut off: [code]"),
        ("Say ```this``` and that. Yes.", "Say [code] and that."),
        ("Done. Added: 1. the parser 2. the cache. Good.", "Done. Added: 1. the parser 2. the cache."),
        ("a ``` alone, and `one` word", "a ``` alone, and `one` word"),
        ("", ""),
        (" \n\t ", ""),
    ],
)
def test_summaries(text: str, expected: str) -> None:
    assert summary(text) == expected


@rows("R3.29")
def test_a_preview_says_which_language_its_code_is() -> None:
    text = "Before\n```python\nprint(1)\n```\nbetween\n```\nx\n```\n````c++ title=x\n```\n````\nafter"
    assert preview(text) == "Before [python code] between [code] [c++ code] after"


@rows("R3.27", "R3.30")
def test_a_sentence_that_does_not_fit_is_cut_at_a_word() -> None:
    text = "word " * 60 + "end."
    assert summary(text).endswith("word…") and 90 < len(summary(text)) <= SUMMARY_CHARS
    assert preview(text).endswith("word…") and 190 < len(preview(text)) <= PREVIEW_CHARS


def test_a_text_without_blanks_is_cut_all_the_same() -> None:
    assert summary("字" * 300) == "字" * (SUMMARY_CHARS - 1) + "…"
    assert summary("字" * SUMMARY_CHARS) == "字" * SUMMARY_CHARS


@rows("R3.1", "R3.28", "R3.29", "R3.44")
@given(st.text(max_size=500), st.integers(2, 300))
@example("." * 500, 100)
@example("a. " * 200, 100)
@example("。" * 300, 100)
@example("x" * 100 + ". y", 100)
@example("x" * 99 + "。」」」」」", 100)
def test_never_longer_than_the_limit(text: str, limit: int) -> None:
    for short in (summary(text, limit), preview(text, limit)):
        assert len(short) <= limit
        assert short == " ".join(short.split())
    assert len(summary(text)) <= SUMMARY_CHARS == 100
    assert len(preview(text)) <= PREVIEW_CHARS == 200


@rows("R3.30")
@given(st.text(min_size=1, max_size=300))
def test_a_text_with_letters_has_a_summary(text: str) -> None:
    assert bool(summary(f"so {text}")) and bool(preview(f"so {text}"))
