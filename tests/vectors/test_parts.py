"""Parts: nothing of a text is lost up to the limit, and no part is longer than it may be."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from axiommind.vectors.parts import MOST_PARTS, parts

words = st.text(st.sampled_from("abc 가漢。.!?\n"), max_size=600)


@given(words, st.integers(16, 120), st.sampled_from(["", "A > heading", "t" * 300]))
def test_whatever_the_text_its_parts_are_it(text: str, size: int, title: str) -> None:
    found = parts(text, size, title)
    assert all(0 < len(part) <= size for part in found)
    assert len(found) <= MOST_PARTS
    assert parts(text, size, title) == found
    if not title and len(found) < MOST_PARTS:
        assert "".join("".join(found).split()) == "".join(text.split())
    if text.strip() and len(found) > 1 and title:
        assert all(part.startswith(title[:4]) for part in found)


def test_it_is_cut_where_something_ends() -> None:
    text = "One sentence that is here. Another one that follows it.\n\nA paragraph of its own, which is longer."
    assert parts(text, 60) == [
        "One sentence that is here. Another one that follows it.",
        "A paragraph of its own, which is longer.",
    ]
    assert parts("가나다라마바사. " * 10, 40) == ["가나다라마바사. " * 3 + "가나다라마바사."] * 2 + [
        "가나다라마바사. 가나다라마바사."
    ]


def test_of_a_very_long_text_the_beginning_and_the_end_are_kept() -> None:
    found = parts(" ".join(f"word{n}" for n in range(100_000)), 100)
    assert len(found) == MOST_PARTS
    assert found[0].startswith("word0 ")
    assert found[-1].endswith("word99999")


def test_a_title_alone_and_nothing_at_all() -> None:
    assert parts("", 100, "Title") == ["Title"]
    assert parts(" \n", 100) == []
