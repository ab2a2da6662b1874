"""A query's syntax: what is a filter, a phrase or an exclusion, and everything that only looks like one."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from axiommind.errors import BadQuery
from axiommind.projections import passages
from axiommind.search.query import KINDS, PREFIXES, Filters, Query
from tests.counting import ending, grows_linearly
from tests.examples import examples

NOW = int(datetime(2026, 3, 18, 15, 30, tzinfo=UTC).timestamp() * 1000)


def parse(text: str, **flags: Any) -> Query:
    return Query.parse(text, now=NOW, **flags)


def day(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


def test_the_kinds_are_those_of_the_passages() -> None:
    assert set(KINDS) == set(passages.KINDS)


def test_everything_at_once() -> None:
    query = parse('login "exact words" kind:prompt,tool file:"my notes.md" -draft -"old plan" since:2026-01 bug')
    assert query.words == "login bug"
    assert query.phrases == ("exact words",)
    assert query.excluded == ("draft", "old plan")
    assert query.filters == Filters(kinds=("prompt", "tool"), files=("my notes.md",), since=day("2026-01-01"))


@pytest.mark.parametrize(
    ("text", "filters"),
    [
        ("kind:prompt", Filters(kinds=("prompt",))),
        ("KIND:Prompt", Filters(kinds=("prompt",))),
        ("kind:prompt kind:doc,prompt", Filters(kinds=("prompt", "doc"))),
        ("kind：tool", Filters(kinds=("tool",))),
        ("-kind:tool", Filters(not_kinds=("tool",))),
        ("-tool:Bash,Read", Filters(not_tools=("Bash", "Read"))),
        ("tool:Bash tool:mcp__x__%", Filters(tools=("Bash", "mcp__x__%"))),
        ("project:/home/me/app", Filters(project="/home/me/app")),
        ("project:a project:a", Filters(project="a")),
        ("file:a.py file:C:\\src\\b.py", Filters(files=("a.py", "C:\\src\\b.py"))),
        ("file:a,b.csv", Filters(files=("a,b.csv",))),
        ("file:“my notes.md”", Filters(files=("my notes.md",))),
        ("session:0a1b", Filters(session="0a1b")),
        ("lang:KO", Filters(lang="ko")),
        ("lang:ko-KR", Filters(lang="ko")),
        ("lang:Japanese", Filters(lang="ja")),
        ("tag:auth,login tag:x", Filters(tags=("auth", "login", "x"))),
        ("path:notes/**/*.md", Filters(path="notes/**/*.md")),
        ("since:2026-01-31", Filters(since=day("2026-01-31"))),
        ("until:2026-01", Filters(until=day("2026-02-01"))),
        ('since:"last week" until:yesterday', Filters(since=day("2026-03-09"), until=day("2026-03-18"))),
        ("since:지난주", Filters(since=day("2026-03-09"))),
        ("since:2026-01 since:2026-02", Filters(since=day("2026-02-01"))),
    ],
)
def test_filters(text: str, filters: Filters) -> None:
    query = parse(text)
    assert query.filters == filters
    assert (query.words, query.phrases, query.excluded) == ("", (), ())


@pytest.mark.parametrize(
    "text",
    [
        "plain words",
        "foo:bar",
        "12:30",
        "C:\\path\\kind",
        "std::vector",
        "path::join tool::x",
        "https://example.com/kind:tool",
        "file:///home/me/x.md",
        "kind:",
        "kind: tool",
        'kind:""',
        "kind:,",
        "(kind:tool)",
        "mankind:tool",
        "no-verify --no-verify -- - -5 -1.5 -m -",
        "- item",
        'an "unclosed quote',
        'kind:"unclosed',
        '5" and 6" screens',
        'foo"bar baz"qux',
        '""',
        "it's 'single'",
        "kİnd:tool ſession:x",
        "naïve 충돌 組件 👩‍💻 \x00",
    ],
)
def test_words_stay_words(text: str) -> None:
    assert parse(text) == Query(text, text, (), (), Filters())


@pytest.mark.parametrize(
    ("text", "words", "phrases", "excluded"),
    [
        ('"to be" or', "or", ("to be",), ()),
        ("“to be” or", "or", ("to be",), ()),
        ('찾아줘"로그인 버그"', "찾아줘", ("로그인 버그",), ()),
        ("say“hello”", "say", ("hello",), ()),
        ('print("hello world")', "print( )", ("hello world",), ()),
        ('"a" "b"', "", ("a", "b"), ()),
        ('"kind:tool"', "", ("kind:tool",), ()),
        ('a "b', 'a "b', (), ()),
        ("cats -dogs", "cats", (), ("dogs",)),
        ("cats　-犬", "cats", (), ("犬",)),
        ("-foo:bar", "", (), ("foo:bar",)),
        ('cats -"big dogs"', "cats", (), ("big dogs",)),
        ("-“big dogs”", "", (), ("big dogs",)),
        ("  spaced \n out  ", "spaced out", (), ()),
        ("", "", (), ()),
        ("a\ud800b", "a\ufffdb", (), ()),
    ],
)
def test_phrases_and_exclusions(text: str, words: str, phrases: tuple[str, ...], excluded: tuple[str, ...]) -> None:
    query = parse(text)
    assert (query.words, query.phrases, query.excluded) == (words, phrases, excluded)
    assert query.filters == Filters()


@pytest.mark.parametrize(
    ("text", "flags", "filters"),
    [
        ("kind:tool", {"kind": ["prompt"]}, Filters(kinds=("tool", "prompt"))),
        ("", {"kind": "prompt,doc"}, Filters(kinds=("prompt", "doc"))),
        ("file:a", {"file": ["b", "a"]}, Filters(files=("a", "b"))),
        ("tool:Read", {"tool": "Bash"}, Filters(tools=("Read", "Bash"))),
        ("tag:x", {"tag": ["y"]}, Filters(tags=("x", "y"))),
        ("project:a project:b", {"project": "c"}, Filters(project="c")),
        ("session:a path:x", {"session": "b", "path": "y"}, Filters(session="b", path="y")),
        ("lang:ko", {"lang": "EN"}, Filters(lang="en")),
        ("project:a", {"project": None}, Filters(project="a")),
        ("since:2026-01", {"since": "2026-02"}, Filters(since=day("2026-02-01"))),
        ("since:2026-02", {"since": "2026-01", "until": 1_800_000_000_000},
         Filters(since=day("2026-02-01"), until=1_800_000_000_000)),
        ("until:2026-02", {"until": "2026-01"}, Filters(until=day("2026-02-01"))),
    ],
)  # fmt: skip
def test_flags_beside_prefixes(text: str, flags: dict[str, Any], filters: Filters) -> None:
    assert parse(text, **flags).filters == filters


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("kind:promt", "there is no kind 'promt'", "did you mean prompt?"),
        ("kind:xyzzy", "there is no kind 'xyzzy'", "the kinds are prompt,"),
        ("-kind:docs", "there is no kind 'docs'", "did you mean doc?"),
        ("since:foo", "since: 'foo' is no time", "since:7d"),
        ("until:2026-02-30", "until: '2026-02-30' is no time", "until:yesterday"),
        ("since:2026-02 until:2026-01", "since is after until", "swap"),
        ("project:a project:b", "project: is given more than once: a, b", "give one project"),
        ("-file:a.py", "file: cannot be excluded", "only -kind:, -tool: and -provenance:"),
    ],
)
def test_what_is_refused(text: str, message: str, hint: str) -> None:
    with pytest.raises(BadQuery) as refused:
        parse(text)
    assert message in refused.value.message
    assert hint in refused.value.hint


@pytest.mark.parametrize("text", ["kind:", "since:", "project:a project:"])
def test_what_is_refused_is_shown_in_short(text: str) -> None:
    with pytest.raises(BadQuery) as refused:
        parse(text + "x" * 100_000)
    assert len(refused.value.message + refused.value.hint) < 400


# --- laws -------------------------------------------------------------------------------------------------

MARKS = ["-", "--", '"', "“", "”", " ", "  ", ":", "：", "\n", "\x00", "\ud83d", "👍"]
PIECES = st.sampled_from(
    [*(f"{name}:" for name in PREFIXES), "kind:tool", "since:7d", *MARKS, "word", "字", "-not", "a,b", "5", "x"]
)
TEXTS = st.text() | st.text(st.characters()) | st.lists(PIECES, max_size=25).map("".join)


@given(TEXTS)
@settings(max_examples=examples(500))
def test_any_text_is_a_query_or_says_why_not(text: str) -> None:
    try:
        query = parse(text)
    except BadQuery as refused:
        assert refused.hint
        return
    repr(query).encode()
    "".join([query.text, query.words, *query.phrases, *query.excluded]).encode()
    assert parse(query.text) == query


@given(TEXTS)
@settings(max_examples=examples(500))
def test_no_word_is_lost(text: str) -> None:
    """Every letter and digit is in the words, the phrases, the exclusions or a filter."""
    try:
        query = parse(text)
    except BadQuery:
        return
    filters = query.filters
    kept = " ".join([query.words, *query.phrases, *query.excluded])
    if filters == Filters():
        assert sorted(re.findall(r"\w", kept)) == sorted(re.findall(r"\w", query.text))
        return
    values = [*filters.kinds, *filters.not_kinds, *filters.files, *filters.tools, *filters.not_tools, *filters.tags]
    values += [value for value in (filters.project, filters.session, filters.lang, filters.path) if value]
    known = re.findall(r"\w+", " ".join([kept, *values]).casefold())
    assert {*re.findall(r"\w+", query.text.casefold())} <= {*known, *PREFIXES, "7d"}


def test_ten_thousand_words() -> None:
    words = [f"word{n}" for n in range(10_000)]
    assert parse(" ".join(words)).words.split() == words


@pytest.mark.parametrize(
    "piece", ['"', ' "', '" ', "-", " -", "kind:", ' kind:"', '-"', "“", "a", " ", "：", ' file:"a', "word "]
)
def test_the_work_grows_with_hostile_words(piece: str) -> None:
    def work(size: int) -> None:
        with suppress(BadQuery):
            parse(piece * (size // len(piece)))

    grows_linearly(work)
    with ending():
        work(100_000)
