"""Globs: what they name, and that no glob takes long."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from axiommind.text.globs import matches
from tests.counting import ending


@pytest.mark.parametrize(
    ("glob", "named", "not_named"),
    [
        ("*.md", ["kb.md", ".md"], ["notes/kb.md", "kb.mdx", "KB.MD"]),
        ("**/*.md", ["kb.md", "notes/kb.md", "notes/rust/kb.md", "/home/me/kb.md"], ["kb.txt"]),
        ("notes/**", ["notes/kb.md", "notes/rust/kb.md"], ["notes", "mynotes/kb.md", "old/notes/kb.md"]),
        ("notes/", ["notes/kb.md", "notes/rust/kb.md"], ["notes", "notes.md"]),
        ("**", ["kb.md", "notes/kb.md"], []),
        ("notes/*/kb.md", ["notes/rust/kb.md"], ["notes/kb.md", "notes/rust/x/kb.md"]),
        ("notes/**/kb.md", ["notes/kb.md", "notes/rust/kb.md", "notes/a/b/c/kb.md"], ["notes/akb.md", "kb.md"]),
        ("**/rust/**/kb.md", ["rust/kb.md", "a/rust/b/kb.md", "a/rust/rust/kb.md"], ["a/kb.md", "rust/kb.md/x"]),
        ("**/a/b/**/c", ["a/b/c", "a/a/b/c", "x/a/b/y/c"], ["a/x/b/c", "a/b"]),
        ("/home/*/notes/**", ["/home/me/notes/kb.md"], ["home/me/notes/kb.md", "/home/me/x/notes/kb.md"]),
        ("2026-??-*.md", ["2026-01-plan.md"], ["2026-1-plan.md", "2026-01/plan.md"]),
        ("a?b", ["axb"], ["a/b", "ab"]),
        ("[abc].md", ["a.md"], ["d.md", "ab.md"]),
        ("[a-c]*", ["c1"], ["d1"]),
        ("[!a-c].md", ["d.md"], ["a.md", "/.md"]),
        ("[]x].md", ["].md", "x.md"], ["y.md"]),
        ("a[/]b", [], ["a/b"]),
        ("[c-a]", [], ["a", "b", "c"]),
        ("[draft.md", ["[draft.md"], ["d"]),
        ("\\*.md", ["*.md"], ["a.md"]),
        ("a**b", ["ab", "axxb"], ["a/b"]),
        ("메모/*.md", ["메모/계획.md"], ["메모/하위/계획.md"]),
        ("", [""], ["a"]),
    ],
)
def test_what_a_glob_names(glob: str, named: list[str], not_named: list[str]) -> None:
    assert [path for path in named if not matches(path, glob)] == []
    assert [path for path in not_named if matches(path, glob)] == []


def test_a_name_that_macos_stores_apart_is_the_same_name() -> None:
    apart = unicodedata.normalize("NFD", "메모/café.md")
    assert apart != "메모/café.md"
    assert matches(apart, "메모/caf?.md") and matches("메모/café.md", unicodedata.normalize("NFD", "메모/*é.md"))


def test_a_newline_in_a_name_is_a_character() -> None:
    assert matches("a\nb.md", "*.md") and matches("x/a\nb.md", "x/**") and not matches("a.md\n", "*.md")


@pytest.mark.parametrize(
    "glob",
    [
        "*a" * 60 + "b",
        "**/a/" * 60 + "b",
        "**/*a*a*a/" * 20 + "b",
        "*" * 2000 + "b",
        "?*" * 500 + "/",
        "[a-z]*" * 80 + "9",
    ],
)
@pytest.mark.parametrize("path", ["a" * 4000, "a/" * 2000, "aaaa/" * 800])
def test_no_glob_backtracks_without_end(glob: str, path: str) -> None:
    with ending():
        assert not matches(path, glob)


@given(st.text("ab/*?[]!-\\", max_size=12), st.text("ab/[]*?-\\", max_size=10))
def test_any_text_is_a_glob(glob: str, path: str) -> None:
    assert matches(path, glob) == matches(path, glob)


def slow(path: list[str], glob: list[str]) -> bool:
    """What a glob means, tried out in every way."""
    if not glob:
        return not path
    if glob[0] == "**":
        if not glob[1:]:
            return bool(path)
        return any(slow(path[i:], glob[1:]) for i in range(len(path) + 1))
    if not path:
        return False
    pattern = re.escape(glob[0]).replace(r"\*", "[^/]*").replace(r"\?", "[^/]")
    return re.fullmatch(pattern, path[0]) is not None and slow(path[1:], glob[1:])


NAME = st.text("ab", min_size=1, max_size=4)


@given(
    st.lists(NAME, min_size=1, max_size=5),
    st.lists(st.just("**") | st.text("ab*?", min_size=1, max_size=4), max_size=5),
)
def test_it_means_the_same_as_trying_every_way(path: list[str], glob: list[str]) -> None:
    joined = "/".join(glob)
    assert matches("/".join(path), joined) == slow(path, joined.split("/"))
