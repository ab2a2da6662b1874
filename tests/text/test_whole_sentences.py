"""Texts in pieces that no sentence is cut by, in the scripts that people write in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from axiommind.text.whole_sentences import LEFT_OUT, pieces, plain_lines, whole

KOREAN = "파서를 고쳤습니다. 테스트는 모두 통과합니다. 남은 일은 문서뿐입니다."
CHINESE = "解析器已经修好。所有测试都通过了。只剩下文档。"
JAPANESE = "パーサーを直しました。テストはすべて通っています。残りは文書だけです。"
ENGLISH = "The parser is mended. All tests pass. Only the docs are left."


@pytest.mark.parametrize("text", [KOREAN, CHINESE, JAPANESE, ENGLISH])
def test_a_piece_ends_where_a_sentence_does(text: str) -> None:
    found = pieces(text, 14)
    assert len(found) > 1
    assert all(piece.text.endswith((".", "。")) for piece in found)
    assert "".join("".join(piece.text for piece in found).split()) == "".join(text.split())
    assert whole(text, 14) == f"{found[0].text} {LEFT_OUT}"
    assert whole(text, 500) == text


def test_what_only_lays_out_a_text_is_left_out() -> None:
    text = (
        "## Done\n\n---\n**Two** files:\n\n| File | Why |\n|---|---|\n| `a.py` | new |\n\n"
        "```sh\nmake test\nmake lint\n```\n<!-- hidden -->\n  - nested"
    )
    assert plain_lines(text) == [
        "Done:",
        "Two files:",
        "File · Why",
        "`a.py` · new",
        f"`make test` {LEFT_OUT}",
        "  - nested",
    ]


@pytest.mark.parametrize("text", ["src/**/*.md and lib/**", "packages/__tests__/a.py", "2 ** 3", "a */ b"])
def test_what_looks_like_markup_and_is_a_name_stays(text: str) -> None:
    assert plain_lines(text) == [text]


def test_a_heading_goes_with_what_it_leads_to() -> None:
    found = pieces(f"First.\nNext steps:\n{'Do this and that. ' * 6}", 40)
    assert found[0].text == "First."
    assert found[1].text.startswith("Next steps:\nDo this")


def test_a_sentence_without_an_end_is_cut_at_a_blank() -> None:
    found = pieces("word " * 1_000, 200)
    assert all(len(piece.text) <= 900 and piece.text.endswith("word") for piece in found)


@given(st.text(max_size=600), st.integers(1, 300))
def test_nothing_is_lost_or_invented(text: str, size: int) -> None:
    lines = plain_lines(text)
    told = "".join("".join(piece.text for piece in pieces(text, size)).split())
    assert told == "".join("".join(lines).split())
