"""Citations: how they are written, which file is meant, and which lines are shown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from axiommind.errors import BadQuery, NotFound
from axiommind.model import Citation
from axiommind.search.citations import parse
from axiommind.search.reading.lines import Opened
from tests.notes import Notes
from tests.transcripts import Lines, World


@pytest.mark.parametrize(
    ("text", "path", "lines"),
    [
        ("notes/plan.md:L12-L34", "notes/plan.md", (12, 34)),
        ("notes/plan.md:L12", "notes/plan.md", (12, 12)),
        ("notes/plan.md:12", "notes/plan.md", (12, 12)),
        ("notes/plan.md#L12-L34", "notes/plan.md", (12, 34)),
        ("notes/plan.md#L12-34", "notes/plan.md", (12, 34)),
        ("notes/plan.md:34-12", "notes/plan.md", (12, 34)),
        ("  notes/plan.md:L1 ", "notes/plan.md", (1, 1)),
        ("C:\\notes\\plan.md:L3", "C:\\notes\\plan.md", (3, 3)),
        ("odd:name#1.md:L3", "odd:name#1.md", (3, 3)),
        ("a:5:L7", "a:5", (7, 7)),
        ("two\nlines.md:L3", "two\nlines.md", (3, 3)),
    ],
)
def test_ways_to_write_one(text: str, path: str, lines: tuple[int, int]) -> None:
    assert parse(text) == Citation(path, *lines)


@pytest.mark.parametrize(
    "text",
    ["", "notes/plan.md", "notes/plan.md:", "notes/plan.md:L", ":L3", "notes/plan.md:L0", "x:L-3", "x:L3-", "x:L²"],
)
def test_what_is_none(text: str) -> None:
    with pytest.raises(BadQuery) as refused:
        parse(text)
    assert "notes/plan.md:L12-L34" in refused.value.hint


@given(st.text(min_size=1).filter(lambda path: path == path.strip()), st.integers(1, 10**9 - 1), st.integers(0, 1000))
def test_what_is_written_is_read_back(path: str, start: int, more: int) -> None:
    citation = Citation(path, start, min(start + more, 10**9 - 1))
    assert parse(citation.text) == citation == parse(citation.uri)


def opened(world: World, text: str, context: int = 0) -> Opened:
    return world.memory().passages.open(parse(text), context=context)


@pytest.fixture
def shelf(world: World) -> World:
    notes = Notes(world)
    for name in ("a/plan.md", "b/plan.md", "a/other.md"):
        notes.write(name, f"# {name}\n\nthird\nfourth\nfifth\n")
    notes.write("crlf.md", "\ufeff# CRLF\r\n\r\nthird\r\n")
    notes.write("bare.md", "# Bare\nno newline at its end")
    notes.add()
    lines = Lines("s1")
    lines.prompt("one")
    lines.prompt("two")
    world.write(lines)
    world.memory().index()
    lines.prompt("three, in a segment of its own")
    world.write(lines)
    world.memory().index()
    return world


def test_lines_of_a_document(shelf: World) -> None:
    found = opened(shelf, "other.md:L3-L4")
    assert (found.kind, found.first, found.lines) == ("document", 3, ("third", "fourth"))
    assert found.citation.path == str(Notes(shelf).root / "a" / "other.md")
    around = opened(shelf, "other.md:L3", context=1)
    assert (around.first, around.lines, around.citation.line_end) == (2, ("", "third", "fourth"), 3)
    assert opened(shelf, "crlf.md:L1-L3").lines == ("# CRLF", "", "third")


def test_a_file_has_no_line_after_its_last(shelf: World) -> None:
    whole = opened(shelf, "other.md:L1-L99", context=10**30)
    assert len(whole.lines) == 5 and whole.citation.line_end == 5
    assert opened(shelf, "bare.md:L2", context=5).lines == ("# Bare", "no newline at its end")
    for text in ("other.md:L6", "other.md:L999999999", "bare.md:L3", "s1.jsonl:L4", "s1.jsonl:L999"):
        with pytest.raises(NotFound, match="has no line") as missing:
            opened(shelf, text)
        assert missing.value.hint == "run: axm index"


def test_lines_of_a_transcript_across_segments(shelf: World) -> None:
    found = opened(shelf, "s1.jsonl:L2-L3")
    assert found.kind == "transcript" and '"two"' in found.lines[0] and "of its own" in found.lines[1]
    assert len(opened(shelf, "s1.jsonl:L1", context=10**30).lines) == 3
    assert len(opened(shelf, "s1.jsonl:L3", context=1).lines) == 2


@pytest.mark.parametrize(
    "path", ["a/other.md", "other.md", "./other.md", "../a/other.md", "notes/a/other.md", "/a/other.md", "a\\other.md"]
)
def test_the_end_of_a_path_will_do(shelf: World, path: str) -> None:
    assert opened(shelf, f"{path}:L1").lines == ("# a/other.md",)


def test_a_path_that_fits_two_is_asked_about(shelf: World) -> None:
    with pytest.raises(BadQuery, match=r"plan\.md fits 2 files: .*a/plan\.md, .*b/plan\.md") as unclear:
        opened(shelf, "plan.md:L1")
    assert unclear.value.hint == "give more of the path"
    assert opened(shelf, "b/plan.md:L1").lines == ("# b/plan.md",)


@pytest.mark.parametrize("path", ["lan.md", "nowhere.md", "other", "a", "/", "..", "\x00"])
def test_a_path_that_is_none(shelf: World, path: str) -> None:
    with pytest.raises(NotFound, match="is not in the index"):
        opened(shelf, f"{path}:L1")


def test_a_name_that_begins_with_a_dot(world: World) -> None:
    notes = Notes(world)
    path = notes.write(".plan.md", "# Hidden\n")
    world.memory().documents.add([path])
    assert opened(world, ".plan.md:L1").lines == opened(world, "./.plan.md:L1").lines == ("# Hidden",)
    with pytest.raises(NotFound):
        opened(world, "plan.md:L1")


def test_what_was_redacted_stays_so(world: World) -> None:
    key = "AKIA" + "Q3EGZ7WLTR2KXVND"
    path = Notes(world).write("keys.md", f"# Keys\n\nuse {key} for it\n")
    Notes(world).add()
    (line,) = opened(world, f"{path}:L3").lines
    assert key not in line and "[redacted:" in line
