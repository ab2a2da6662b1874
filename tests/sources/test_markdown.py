"""Markdown: what the chunks of a page are, that each is the lines it cites, and which files are found."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from axiommind.sources import markdown, names
from axiommind.sources.markdown import (
    MAX_TOKENS,
    OVERLAP_TOKENS,
    TARGET_TOKENS,
    Document,
    DocumentChunk,
    blocks,
    decode,
    discover,
    lines_of,
    text_of,
)
from tests.counting import ending, grows_linearly

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared"
WORDS = "the index is rebuilt from the log "  # 34 bytes


def page(*lines: str) -> Document:
    return decode("\n".join(lines).encode(), "page.md")


def shape(document: Document) -> list[tuple[str, int, int]]:
    return [(" > ".join(c.heading), c.line_start, c.line_end) for c in document.chunks]


def tokens(text: str) -> int:
    return -(-len(text.encode()) // 3)


def text(count: int) -> str:
    """One line of about so many tokens."""
    return (WORDS * (count * 3 // len(WORDS) + 1))[: count * 3]


def front_matter(lines: list[str]) -> set[int]:
    closing = {"---": ("---", "..."), "+++": ("+++",)}.get(lines[0].rstrip(), ())
    return next((set(range(1, i + 1)) for i, line in enumerate(lines, 1) if i > 1 and line.rstrip() in closing), set())


def check(content: bytes, name: str = "page.md") -> Document:
    """What holds for every document: the laws of this module."""
    document = decode(content, name)
    assert decode(content, name) == document
    lines = lines_of(text_of(content))
    covered: set[int] = set()
    for chunk in document.chunks:
        assert 1 <= chunk.line_start <= chunk.line_end <= len(lines)
        cited = "\n".join(lines[chunk.line_start - 1 : chunk.line_end])
        part_of_a_line = chunk.line_start == chunk.line_end and tokens(cited) > MAX_TOKENS
        assert chunk.text in cited if part_of_a_line else chunk.text == cited
        assert chunk.text.strip() and tokens(chunk.text) <= MAX_TOKENS
        covered.update(range(chunk.line_start, chunk.line_end + 1))
    assert all(a.line_start <= b.line_start for a, b in pairwise(document.chunks))
    if not any(why.startswith("binary") for _, why in document.problems):
        front = set() if 1 in covered else front_matter(lines)
        assert {i for i, line in enumerate(lines, 1) if line.strip()} - front <= covered
    return document


# --- headings ----------------------------------------------------------------------------------------------


def test_a_heading_opens_a_chunk_and_is_the_end_of_its_path() -> None:
    found = page("# Notes", "", "First.", "", "## Rust", "", "Second.", "", "# Other", "", "Third.")
    assert found.title == "Notes"
    assert shape(found) == [("Notes", 1, 3), ("Notes > Rust", 5, 7), ("Other", 9, 11)]
    assert found.chunks[1].text == "## Rust\n\nSecond."


def test_setext_headings() -> None:
    found = page("Notes", "=====", "", "First.", "", "Rust and", "more", "---", "Second.")
    assert shape(found) == [("Notes", 1, 4), ("Notes > Rust and more", 6, 9)]


def test_text_before_the_first_heading_has_no_path() -> None:
    assert shape(page("Hello.", "", "# Notes", "", "First.")) == [("", 1, 1), ("Notes", 3, 5)]


def test_a_heading_is_what_a_reader_sees_of_it() -> None:
    heading = "## The *fast* `axm index`, see [the log](log.md) ![seen](x.png) &amp; [ref] <b>x</b> {#fast}"
    (chunk,) = page(heading, "", "Text.", "", "[ref]: https://example.com").chunks
    assert chunk.heading == ("The fast axm index, see the log seen & ref x",)


def test_levels_that_are_left_out_and_empty_headings() -> None:
    found = page("### Deep", "a", "# Top", "b", "### Below", "c", "##", "d", "## Next", "e")
    assert shape(found) == [("Deep", 1, 2), ("Top", 3, 4), ("Top > Below", 5, 6), ("Top", 7, 8), ("Top > Next", 9, 10)]


def test_a_heading_without_a_body_goes_with_the_part_below_it() -> None:
    found = page("# Notes", "", "## Rust", "", "### Cargo", "", "Text.")
    assert shape(found) == [("Notes > Rust > Cargo", 1, 7)]


def test_a_heading_that_is_all_its_part_says_stands_alone() -> None:
    found = page("# Notes", "## To do: measure it", "## Done", "Text.", "## Last")
    assert shape(found) == [("Notes > To do: measure it", 1, 2), ("Notes > Done", 3, 4), ("Notes > Last", 5, 5)]


def test_a_heading_inside_a_quote_or_a_list_is_text() -> None:
    found = page("# Notes", "", "> # Quoted", "", "- # Item", "", "Text.")
    assert shape(found) == [("Notes", 1, 7)]


def test_no_heading_in_code() -> None:
    found = page("# Notes", "", "```sh", "# a comment", "", "## another", "```", "", "Text.")
    assert shape(found) == [("Notes", 1, 7), ("Notes", 9, 9)]


def test_a_very_long_heading_is_shortened_in_the_path_only() -> None:
    (chunk,) = page("# " + text(200), "", "Text.").chunks
    assert len(chunk.heading[0]) == 200 and chunk.heading[0].endswith("…") and text(200).strip() in chunk.text


# --- blocks ------------------------------------------------------------------------------------------------


def test_code_and_tables_are_chunks_of_their_own() -> None:
    found = page(
        "Before.", "", "```py", "x = 1", "", "", "y = 2", "```", "", "Between.", "", "    indented", "", "    code"
    )
    assert shape(found) == [("", 1, 1), ("", 3, 8), ("", 10, 10), ("", 12, 14)]
    found = page("Before.", "", "| a | b |", "|---|---|", "| 1 | 2 |", "| 3 | 4 |", "", "After.")
    assert shape(found) == [("", 1, 1), ("", 3, 6), ("", 8, 8)]
    assert found.chunks[1].text == "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |"


def test_a_heading_stays_with_the_code_it_is_about() -> None:
    found = page("## Install", "", "```sh", "make run", "```", "", "Then rest.")
    assert shape(found) == [("Install", 1, 5), ("Install", 7, 7)]


def test_a_table_ends_where_the_next_block_begins() -> None:
    found = page("| a | b |", "|---|---|", "| 1 | 2 |", "> quote", "", "a | b", "--|--", "- item")
    assert shape(found) == [("", 1, 3), ("", 4, 4), ("", 6, 7), ("", 8, 8)]


def test_lists_quotes_and_html_are_running_text() -> None:
    found = page(
        "Text.", "", "- one", "  - two", "", "    more of two", "- three", "", "> quote", "", "<div>", "hi", "</div>"
    )
    assert shape(found) == [("", 1, 13)]


def test_code_inside_an_item_stays_with_it() -> None:
    found = page("1. Run it:", "", "   ```sh", "   make run", "   ```", "", "2. Done.")
    assert shape(found) == [("", 1, 7)]


def test_an_html_comment_hides_headings() -> None:
    assert shape(page("# A", "<!--", "# not a heading", "", "# nor this", "-->", "Text.")) == [("A", 1, 7)]


def test_definitions_of_links_are_not_lost() -> None:
    found = page("# A", "", "See [b].", "", "[b]: https://example.com 'B'", "[c]: d", "", "## E", "", "[f]: g")
    assert shape(found) == [("A", 1, 6), ("A > E", 8, 10)]


def test_a_line_across_the_page_goes_with_what_it_ends() -> None:
    assert shape(
        page("Text.", "", "---", "", "# A", "", "***", "", "# B", "```", "x", "```", "", "---", "", "# C")
    ) == [
        ("", 1, 3),
        ("A", 5, 7),
        ("B", 9, 14),
        ("C", 16, 16),
    ]
    assert shape(page("***", "# A", "Text.")) == [("A", 1, 3)]


# --- sizes -------------------------------------------------------------------------------------------------


def test_paragraphs_gather_up_to_the_target_and_the_next_chunk_begins_with_the_last_of_them() -> None:
    found = page("# A", "", text(200), "", text(200), "", text(60), "", text(200), "", text(200))
    assert shape(found) == [("A", 1, 7), ("A", 7, 11)]
    assert all(tokens(c.text) <= TARGET_TOKENS for c in found.chunks)
    lines = found.chunks[1].text.split("\n")
    assert tokens(lines[0]) <= OVERLAP_TOKENS


def test_a_heading_is_never_repeated() -> None:
    found = page("# A", text(20), "", text(490), "", text(20))
    assert shape(found) == [("A", 1, 2), ("A", 4, 4), ("A", 6, 6)]


def test_a_large_list_is_split_between_its_items() -> None:
    found = page("# A", "", *(f"{i}. {text(100)}" for i in range(1, 13)))
    assert [(a, b) for _, a, b in shape(found)] == [(1, 6), (7, 10), (11, 14)]


def test_a_large_item_is_split_into_what_it_holds() -> None:
    inner = [f"  - {text(150)}" for _ in range(6)]
    found = page("- one", *inner, "- two", "", f"  {text(300)}", "", "  ```", f"  {text(300)}", "  ```")
    assert [(a, b) for _, a, b in shape(found)] == [(1, 4), (5, 8), (8, 10), (12, 14)]


def test_a_large_paragraph_is_split_at_line_ends() -> None:
    found = page(*[text(90)] * 20)
    assert [c.line_start for c in found.chunks][:2] == [1, 6]
    assert all(tokens(c.text) <= TARGET_TOKENS for c in found.chunks)
    one_line = page(text(900))
    assert shape(one_line) == [("", 1, 1)]


def test_code_stays_whole_up_to_the_maximum() -> None:
    assert shape(page("```", *[text(30)] * 100, "```")) == [("", 1, 102)]
    found = check("\n".join(["# A", "```", *[text(30)] * 300, "```"]).encode())
    assert len(found.chunks) == 3 and {c.heading for c in found.chunks} == {("A",)}
    assert all(a.line_end + 1 == b.line_start for a, b in pairwise(found.chunks))


def test_a_line_over_the_maximum_is_cut_inside_and_its_pieces_cite_the_line() -> None:
    line = "기억 memory " * 3000
    found = check(f"# A\n\n{line}\n\nEnd.".encode())
    pieces = [c for c in found.chunks if c.line_start == c.line_end == 3]
    assert "".join(c.text for c in pieces) == line
    assert all(c.text.endswith(" ") for c in pieces)
    without_blanks = check(("한" * 30_000).encode())
    assert "".join(c.text for c in without_blanks.chunks) == "한" * 30_000


# --- lines and bytes ---------------------------------------------------------------------------------------


def test_lines_are_the_same_whatever_ends_them() -> None:
    content = "# A\n\nText,\nmore.\n\n```\ncode\n\n```\n"
    unix = decode(content.encode())
    for end in ("\r\n", "\r"):
        assert decode(content.replace("\n", end).encode()) == unix


def test_no_other_character_ends_a_line() -> None:
    assert lines_of("a\x0bb\x0cc\x1cd\x85e\u2028f\u2029g\r\nh\ri\n") == [
        "a\x0bb\x0cc\x1cd\x85e\u2028f\u2029g",
        "h",
        "i",
        "",
    ]
    assert shape(check("# A\u2028B\n\nText\x0cmore\n\n# C\n".encode())) == [("A B", 1, 3), ("C", 5, 5)]


def test_byte_order_marks_are_no_text() -> None:
    for encoding in ("utf-8-sig", "utf-16", "utf-32"):
        found = check("# 제목\r\n\r\n본문".encode(encoding))
        assert found.title == "제목" and found.chunks == (DocumentChunk(("제목",), 1, 3, "# 제목\n\n본문"),)


def test_bytes_that_are_no_text() -> None:
    found = check(b"# A\n\nna\xefve\n")
    assert found.chunks[0].text == "# A\n\nna\N{REPLACEMENT CHARACTER}ve"
    assert found.problems == ((3, "not UTF-8: what cannot be read is shown as \N{REPLACEMENT CHARACTER}"),)
    binary = decode(b"\x89PNG\0\0", "picture.md")
    assert binary == Document("picture", (), "und", (), ((0, "binary: it holds NUL bytes"),))


@pytest.mark.parametrize("content", [b"", b"\n\n \t\r\n", b"\xef\xbb\xbf", b"---\n---\n"])
def test_nothing_gives_no_chunks(content: bytes) -> None:
    assert check(content) == Document("page", (), "und", (), ())


def test_plain_text_has_paragraphs_and_no_headings() -> None:
    found = check(b"# not a heading\n\n    not code\n\n```\nnor this\n", "todo.txt")
    assert found.title == "todo" and shape(found) == [("", 1, 6)]


# --- title, tags, language ---------------------------------------------------------------------------------


def test_front_matter_is_counted_and_is_no_chunk() -> None:
    found = page("---", "title: The kb", "tags: [rust, sqlite]", "lang: ko-KR", "---", "", "# Notes", "", "Text.")
    assert (found.title, found.tags, found.lang) == ("The kb", ("rust", "sqlite"), "ko")
    assert shape(found) == [("Notes", 7, 9)]


@pytest.mark.parametrize(
    ("written", "tags"),
    [
        ("tags: [a, 'b c', \"d\"]", ("a", "b c", "d")),
        ("tags: a, b c", ("a", "b c")),
        ("tags: a", ("a",)),
        ("tags:\n- a\n- b", ("a", "b")),
        ("tags:\n  - 'it''s'\n  - \"b \\u00e9\" # why\n  - '#c'\n", ("it's", "b é", "c")),
        ("tags: [\n  a,\n  b\n]", ("a", "b")),
        ("tags: []\nkeywords: x, y\ncategories:\n  - z\n  - x", ("x", "y", "z")),
        ("Tags: ['가', \"나, 다\"]", ("가", "나, 다")),
        ("tags: # none yet\ntitle: x", ()),
        ("tags: null", ()),
        ("author:\n  name: me\n  tags: [no]\ntext: |\n  tags: no\n\n  more", ()),
        ("# a comment\n\ntags: a # not b", ("a",)),
    ],
)
def test_forms_of_tags(written: str, tags: tuple[str, ...]) -> None:
    found = decode(f"---\n{written}\n---\nText with #hashtag.\n".encode())
    assert found.tags == tags and found.problems == () and len(found.chunks) == 1


@pytest.mark.parametrize(
    ("written", "title"),
    [
        ("title: Plain: with a colon", "Plain: with a colon"),
        ('title: "Quoted \\"title\\""  # why', 'Quoted "title"'),
        ("title: 'It''s'", "It's"),
        ("title: >\n  folded\n  over lines", "folded over lines"),
        ("title: over\n  lines", "over lines"),
        ('"title": x', "x"),
        ('title: "\\ud800"', "?"),
        ("title:", "Heading"),
    ],
)
def test_forms_of_titles(written: str, title: str) -> None:
    assert decode(f"---\n{written}\n...\n# Heading\n".encode()).title == title


def test_toml_front_matter() -> None:
    found = page("+++", 'title = "The kb"', 'language = "Korean"', "[taxonomies]", 'tags = ["a", "b"]', "+++", "Text.")
    assert (found.title, found.tags, found.lang) == ("The kb", ("a", "b"), "ko")
    assert shape(found) == [("", 7, 7)]


@pytest.mark.parametrize(
    ("lines", "line", "why"),
    [
        (["---", "title: x", "no key", "---", "Text."], 3, "this line is no `key: value`"),
        (["---", "title x", "tags: [a]", "---", "Text."], 2, "this line is no `key: value`"),
        (["---", "  indented", "title: x", "---", "Text."], 2, "this line belongs to no key"),
        (["---", "author: me", 'title: "x', "---", "Text."], 3, "a quote has no end"),
        (["---", "title: x", "", "tags: [a, b", "---", "Text."], 4, "a list has no end"),
        (["---", "title: x", "", "Text."], 1, "it has no end"),
        (["+++", "title = ", "+++", "Text."], 2, "Invalid value (at end of document)"),
        (["+++", 'a = "b"', "title = x", "+++", "Text."], 3, "Invalid value (at line 2, column 9)"),
        (["---", "title: x" + "x" * 70_000, "---"], 1, "it has more than 65536 characters"),
    ],
)
def test_malformed_front_matter_is_text_and_a_problem_with_its_line(lines: list[str], line: int, why: str) -> None:
    found = check("\n".join(lines).encode())
    assert found.problems == ((line, f"front matter taken as text: {why}"),)
    assert found.chunks[0].line_start == 1 and found.chunks[-1].line_end == len(lines)


@pytest.mark.parametrize(
    ("lines", "line", "why", "title"),
    [
        (["---", "date: 1", "title: One: two", "---"], 3, "mapping values are not allowed", "One: two"),
        (["---", "title: x", "author: 'me", "---"], 3, "unexpected end of stream", "x"),
        (["---", "title: x", "links:", "\t- a", "---"], 4, "found character", "x"),
        (["---", "title: [draft] x", "---"], 2, "", "[draft] x"),
    ],
)
def test_what_is_no_yaml_is_a_problem_and_read_as_far_as_it_goes(
    lines: list[str], line: int, why: str, title: str
) -> None:
    found = check("\n".join([*lines, "Text."]).encode())
    ((at, said),) = found.problems
    assert at == line and said.startswith("front matter is no YAML: ") and why in said
    assert found.title == title and found.chunks[0].text == "Text."


@pytest.mark.parametrize("lines", [["---", "", "Text.", "", "---", "", "More."], ["---", "Text", "---"], ["---"]])
def test_a_line_across_the_page_is_no_front_matter(lines: list[str]) -> None:
    found = check("\n".join(lines).encode())
    assert found.problems == () and found.chunks[0].line_start == 1


def test_the_title_is_the_best_there_is() -> None:
    assert page("## Second", "", "# First").title == "First"
    assert page("## Second", "", "### Third").title == "Second"
    assert decode(b"Text.", "notes/2026-01 plan.md").title == "2026-01 plan"
    assert decode(b"Text.").title == ""


def test_the_language_is_that_of_the_prose() -> None:
    code = ["```py", *["# the code is in English, and this is it"] * 50, "```"]
    assert page("# 설치", "", *code, "", "색인을 만든다.").lang == "ko"
    assert page("# 安装", "", "运行下面的命令。", "", *code).lang == "zh"
    assert page("# Install", "", "This is how the index is made.").lang == "en"
    assert page(*code).lang == "und"


def test_korean_and_chinese_pages() -> None:
    korean = check("# 작업 공간 설계\n\nRust workspace를 나눈다.\n\n## 검색\n\n색인은 다시 만들 수 있다.\n".encode())
    assert shape(korean) == [("작업 공간 설계", 1, 3), ("작업 공간 설계 > 검색", 5, 7)] and korean.lang == "ko"
    chinese = check(("# 设计\n\n" + "索引可以从日志重建。" * 20 + "\n\n" + "检索" * 150 + "\n").encode())
    assert [(c.line_start, c.line_end) for c in chinese.chunks] == [(1, 3), (5, 5)] and chinese.lang == "zh"


# --- laws --------------------------------------------------------------------------------------------------

FRAGMENTS = [
    *("# A", "## *B*", "###", "Title\n===", "word", "many words here", "---", "+++", "- item", "  - inner", "1. one"),
    *("> quote", "```", "~~~ py", "    code", "| a | b |", "|---|---|", "<div>", "<!--", "-->", "[a]: b", "[a]: b 'c"),
    *(
        "\t",
        "",
        "",
        "",
        "title: x",
        "tags: [a",
        "- a",
        "한국어 문장",
        "中文",
        "\u2028",
        "\x0c",
        "&nbsp;",
        "\\",
        "***",
        "* * *",
    ),
    *(text(100), text(450), text(2000), "x" * 13_000, "가" * 4500, "> " * 8 + "deep", "- " * 8 + "deep"),
]


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=40))
def test_any_page_is_cited_line_by_line(lines: list[str]) -> None:
    unix = check("\n".join(lines).encode())
    assert check("\r\n".join("\n".join(lines).split("\n")).encode()) == unix


@given(st.text("# \n\r-*>`|[]:a1.<!\t+=~", max_size=60))
def test_any_marks_are_a_page(source: str) -> None:
    check(source.encode())


@given(st.binary(max_size=200))
def test_any_bytes_are_a_document(content: bytes) -> None:
    check(content)


@given(
    st.text(max_size=60), st.sampled_from(["---\n", "---\ntitle: ", "---\ntags: ", "---\ntags:\n - ", "+++\ntitle = "])
)
def test_any_front_matter_is_read_or_kept(source: str, begin: str) -> None:
    document = check(f"{begin}{source}\n{begin[:3]}\nText.\n".encode("utf-8", "replace"))
    document.title.encode()
    assert all(tag.strip() and tag.encode() for tag in document.tags)


HOSTILE = {
    "brackets": "[" * 100_000,
    "quotes": ">" * 100_000,
    "quotes with blanks": "> " * 50_000,
    "items in a line": "- a " + "- " * 50_000,
    "numbers in a line": "1. " * 50_000,
    "items below items": "".join("  " * i + "- a\n" for i in range(1500)),
    "one line": "a" * 1_000_000,
    "stars": "*" * 200_000,
    "lazy lines in quotes": "> " * 60 + "a\n" + "b\n" * 8_000,
    "quotes in items": ("> - " * 12 + "a\n") * 1500,
    "open definition": "[\n" + "a\n" * 15_000,
    "rules": "---\n\n" * 15_000,
    "headings": ("# " + "![a" * 300 + "\n") * 1000,
    "very many lines": "a\n\n" * 300_000,
    "open quote in front matter": "---\ntags: " + "'" * 60_000 + "\n---\n",
    "arrays in front matter": "+++\na=" + "[" * 60_000 + "\n+++\n",
    "a number in front matter": "+++\na = " + "1" * 60_000 + "\n+++\n",
    "a wide table": "a|" * 30_000 + "\n" + "-|" * 30_000 + "\n" + "a\n" * 30_000,
}


@pytest.mark.parametrize("source", HOSTILE.values(), ids=HOSTILE.keys())
def test_the_work_grows_with_a_hostile_page(source: str) -> None:
    with ending():
        decode(source.encode())
    check(source[:8_000].encode())
    grows_linearly(lambda size: decode(source[:size].encode()), 500)


def test_a_page_too_deep_to_parse_is_cut_at_headings() -> None:
    found = check(("> " * 200 + "deep\n\n# A\n\nText.\n").encode())
    assert found.problems == ((0, "nested too deep: cut at headings and blank lines only"),)
    assert [chunk.heading for chunk in found.chunks] == [(), ("A",)]


def test_a_deep_recursion_around_it_is_no_error() -> None:
    def down(depth: int) -> Document:
        return down(depth - 1) if depth else decode(("> " * 90 + "deep").encode())

    frames = sys.getrecursionlimit() - len(_stack()) - 120
    assert down(frames).chunks


def _stack() -> list[object]:
    frame, found = sys._getframe(), []
    while frame:
        found.append(frame)
        frame = frame.f_back  # type: ignore[assignment]
    return found


def test_a_very_large_file_is_cut_at_headings_without_the_parser() -> None:
    part = "# A\n\n" + text(100) + "\n\n## B\n\nMore.\n\n"
    found = decode(part.encode() * 15_000)
    assert found.problems == () and found.chunks[-1].line_end == 15_000 * 8 - 1
    assert [(c.heading, c.line_start % 8) for c in found.chunks] == [(("A",), 1), (("A", "B"), 5)] * 15_000


def headings_by_line(document: Document) -> dict[int, tuple[str, ...]]:
    """Of every line that is not blank."""
    return {
        chunk.line_start + i: chunk.heading
        for chunk in document.chunks
        for i, line in enumerate(chunk.text.split("\n"))
        if line.strip()
    }


def test_read_by_the_parser_or_line_by_line_a_page_has_the_same_headings(monkeypatch: pytest.MonkeyPatch) -> None:
    page = "\n".join(
        [
            *("Setext", "======", "", "Text that", "goes on.", "", "Under", "---", "", "# *A* `b` [c](d) ##", "Text."),
            *("", "```sh", "# no heading", "````", "", "~~~ x", "# none", "~~~", "#none", "", "- item", "---", "", "#"),
            *("", "    # code", "", "### Three", "", "> # quoted", "", "| a |", "|---|", "", "```", "# never closed"),
        ]
    )
    parsed = headings_by_line(check(page.encode()))
    monkeypatch.setattr(blocks, "_PARSED_LINES", 0)
    assert headings_by_line(check(page.encode())) == parsed


REAL = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


@pytest.mark.parametrize("path", REAL, ids=lambda p: str(p.relative_to(ROOT)))
def test_our_own_pages(path: Path) -> None:
    found = check(path.read_bytes(), path.name)
    assert found.problems == () and found.lang == "en" and found.chunks


def test_the_shared_pages() -> None:
    pages = sorted([*SHARED.glob("*.md"), *SHARED.glob("bench/**/*.md")])
    if not pages:
        pytest.skip("needs ../shared, which is not part of the project")
    for path in pages:
        assert check(path.read_bytes(), path.name).chunks


# --- files -------------------------------------------------------------------------------------------------


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    root = tmp_path / "notes"
    for name in ("kb.md", "rust/kb.md", "rust/cargo.MD", "rust/old/kb.markdown", "a.mdx", "b.txt", "c.png"):
        write(root / name, "Text.")
    return root


def write(path: Path, content: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")


def found_in(root: Path, include: list[str] | None = None, exclude: list[str] | None = None) -> list[str]:
    found = discover(str(root), include or [], exclude or [])
    assert found.problems == ()
    return [Path(f.path).relative_to(os.path.realpath(root)).as_posix() for f in found.files]


def test_documents_below_a_folder(notes: Path) -> None:
    assert found_in(notes) == ["a.mdx", "kb.md", "rust/cargo.MD", "rust/kb.md", "rust/old/kb.markdown"]
    first = discover(str(notes)).files[0]
    info = (notes / "a.mdx").stat()
    assert first == (str(notes / "a.mdx"), info.st_size, info.st_mtime_ns, info.st_ino)


def test_include_and_exclude(notes: Path) -> None:
    assert found_in(notes, ["*.md"]) == ["kb.md"]
    assert found_in(notes, ["./rust/**"]) == ["rust/cargo.MD", "rust/kb.md", "rust/old/kb.markdown"]
    assert found_in(notes, ["**/*.txt", "kb.md"]) == ["b.txt", "kb.md"]
    assert found_in(notes, [], ["rust"]) == ["a.mdx", "kb.md"]
    assert found_in(notes, [], ["rust/old/", "*.mdx"]) == ["kb.md", "rust/cargo.MD", "rust/kb.md"]
    assert found_in(notes, ["rust/**"], ["**/kb.*"]) == ["rust/cargo.MD"]


def test_one_file_is_taken_whatever_it_is_called(notes: Path) -> None:
    assert [Path(f.path).name for f in discover(str(notes / "b.txt")).files] == ["b.txt"]


def test_hidden_folders_and_those_of_tools_are_left_out(notes: Path) -> None:
    for name in (".git/x.md", ".venv/lib/x.md", "node_modules/p/README.md", ".hidden.md", "rust/.obsidian/x.md"):
        write(notes / name, "Text.")
    assert found_in(notes, ["**"]) == ["a.mdx", "kb.md", "rust/cargo.MD", "rust/kb.md", "rust/old/kb.markdown"]


def test_ignore_files(tmp_path: Path) -> None:
    names_ = """
    kb.md draft.md build/x.md sub/build/x.md sub/kb.md sub/draft.md sub/keep/draft.md top.md sub/top.md gen/a.md
    gen/keep.md gen/deep/b.md logs/x.md logs/keep.md a/b/c/z.md a/z.md #odd.md space.md file/build
    """
    for name in names_.split():
        write(tmp_path / "r" / name, "Text.")
    write(
        tmp_path / "r" / ".gitignore",
        "\ufeff# comment\r\ndraft.md\r\n\r\nbuild/\r\n/top.md\r\ngen/**\r\n!gen/keep.md\r\nlogs\r\n!logs/keep.md\r\n"
        "a/**/z.md\r\n\\#odd.md\r\nspace.md  \r\n",
    )
    write(tmp_path / "r" / "sub" / "keep" / ".gitignore", "!draft.md\n")
    assert found_in(tmp_path / "r") == ["gen/keep.md", "kb.md", "sub/kb.md", "sub/keep/draft.md", "sub/top.md"]
    write(tmp_path / "r" / ".ignore", "kb.md\n!draft.md\n")
    write(tmp_path / "r" / ".axmignore", "!/kb.md\nsub/\n")
    assert found_in(tmp_path / "r") == ["draft.md", "gen/keep.md", "kb.md"]


def test_patterns_that_cannot_be_used_are_problems(notes: Path) -> None:
    write(notes / ".gitignore", "kb.md\n!\n*a*a*a*a*b\n")
    found = discover(str(notes))
    assert [Path(f.path).name for f in found.files] == ["a.mdx", "cargo.MD", "kb.markdown"]
    assert [(p.line, p.why.partition(":")[0]) for p in found.problems] == [
        (2, "the pattern is not used"),
        (3, "too many wildcards"),
    ]


def test_a_link_is_followed_once_or_said_to_be_skipped(notes: Path, tmp_path: Path) -> None:
    elsewhere = Path(os.path.realpath(tmp_path)) / "elsewhere"
    write(elsewhere / "plan.md", "Text.")
    write(elsewhere / "id_rsa", "Text.")
    before = discover(str(notes)).files
    (notes / "loop").symlink_to(notes, target_is_directory=True)
    (notes / "again.md").symlink_to(notes / "kb.md")
    assert discover(str(notes)) == (before, (), ()), "what lies below the root is read where it lies"
    (notes / "out").symlink_to(elsewhere, target_is_directory=True)
    (notes / "plan.md").symlink_to(elsewhere / "plan.md")
    (notes / "rust" / "plan.md").symlink_to(elsewhere / "plan.md")
    (notes / "key.md").symlink_to(elsewhere / "id_rsa")
    (notes / "gone.md").symlink_to(elsewhere / "gone.md")
    (notes / "round.md").symlink_to(notes / "round.md")
    (notes / "picture.png").symlink_to(elsewhere / "gone.png")
    found = discover(str(notes), ["**/*.md"])
    assert [f.path for f in found.files if f not in before] == [str(elsewhere / "plan.md")]
    assert found.problems == () and [Path(link.path).name for link in found.skipped] == [
        *("gone.md", "key.md", "out", "round.md")
    ]
    assert "No such file" in found.skipped[0].why and "no document by its name" in found.skipped[1].why
    assert f"axm kb add {elsewhere} adds" in found.skipped[2].why
    assert discover(str(notes), exclude=[f"{elsewhere.as_posix()}/**"]).files == before
    (tmp_path / "named").symlink_to(notes, target_is_directory=True)
    assert discover(str(tmp_path / "named")) == discover(str(notes))


def test_what_cannot_be_read_is_a_problem(notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = discover(str(notes / "missing"))
    assert missing.files == () and missing.problems[0].path == str(notes / "missing")
    real = os.scandir

    def scandir(path: str) -> object:
        if str(path).endswith("old"):
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    found = discover(str(notes))
    assert [p.why for p in found.problems] == ["cannot be read: Permission denied"]
    assert [Path(f.path).name for f in found.files] == ["a.mdx", "kb.md", "cargo.MD", "kb.md"]


@pytest.mark.skipif(sys.platform in ("darwin", "win32"), reason="names there are Unicode")
def test_a_name_that_is_no_text_is_a_problem(notes: Path) -> None:
    Path(os.fsdecode(bytes(notes) + b"/caf\xe9.md")).write_text("Text.", encoding="utf-8")
    found = discover(str(notes))
    assert [p.why for p in found.problems] == ["its name is not UTF-8: not read"]
    found.problems[0].path.encode()
    assert len(found.files) == 5


def test_folders_have_a_floor(tmp_path: Path) -> None:
    write(tmp_path / "r" / "/".join(["d"] * 70) / "kb.md", "Text.")
    found = discover(str(tmp_path / "r"))
    assert found.files == () and [p.why for p in found.problems] == ["more than 64 folders deep: not read"]


# --- the module --------------------------------------------------------------------------------------------


def test_documents_are_no_agent_format() -> None:
    assert markdown.NAME not in names()


def test_the_module_is_light() -> None:
    code = "import sys, axiommind.sources.markdown; print({'markdown_it', 'pathspec', 'tomllib'} & set(sys.modules))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "set()"
