"""Candidates from FTS5's own postings: the same statistics as counting gives, and common words only where they help."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from axiommind import db as sqlite
from axiommind.projections.passages import indexed_terms
from axiommind.search import find, lexical
from axiommind.text.query_terms import clauses, phrase
from tests.notes import Notes
from tests.rows import rows
from tests.search.asking import ask, found, tell
from tests.transcripts import Lines, World


@contextlib.contextmanager
def reading(world: World) -> Iterator[sqlite3.Connection]:
    db = sqlite.open_read(world.home / "index.db")
    find.connect(db)
    try:
        yield db
    finally:
        db.close()


def counted(db: sqlite3.Connection) -> dict[int, int]:
    """How many terms each passage has, counted from its text."""
    rows = db.execute("select id, title, text, kind from passage_texts")
    return {row: len(indexed_terms(*said).split()) for row, *said in rows}


def assert_statistics(world: World) -> None:
    with reading(world) as db:
        sizes = counted(db)
        stats = lexical.statistics(db)
        assert stats.passages == len(sizes)
        assert stats.average == pytest.approx(sum(sizes.values()) / len(sizes) if any(sizes.values()) else 1.0)
        assert lexical.lengths(db, sizes) == sizes
        assert lexical.lengths(db, []) == {}


@rows("R2.104")
def test_statistics_are_what_counting_gives(world: World) -> None:
    """After rows came, changed and went, and after the index was made anew."""
    lines = Lines()
    lines.prompt("fix getUserById in src/app/auth.py, 로그인이 안 돼요")
    lines.answer("Done: React組件開發.", message_id="m", request_id="r")
    lines.tool("Bash", "t1", command="pytest -q " + " ".join(f"test_{i}" for i in range(300)))
    world.write(lines)
    notes = Notes(world)
    notes.write("a.md", "# A title of some words\n\n" + "text and more text " * 100)
    notes.write("b.md", "# B\n\n🎉\n")
    notes.add()
    world.memory().index()
    assert_statistics(world)
    lines.answer("And more.", message_id="m", request_id="r")
    lines.result("t1", "3 failed, 297 passed")
    world.write(lines)
    notes.write("a.md", "# Short\n")
    world.memory().index()
    assert_statistics(world)
    world.memory().documents.remove(notes.root)
    world.memory().documents.rebuild_fts()
    assert_statistics(world)
    world.memory().rebuild()
    assert_statistics(world)
    world.memory().forget(session="s1")
    with reading(world) as db:
        assert lexical.statistics(db) == (0, 1.0)


@given(st.integers(0, (1 << 64) - 1), st.binary(max_size=3))
def test_numbers_as_sqlite_writes_them(value: int, before: bytes) -> None:
    """Seven bits a byte, most significant first; nine bytes hold all 64."""
    if value < 1 << 56:
        digits = [value >> shift & 127 for shift in range(0, max(value.bit_length(), 1), 7)][::-1]
        data = bytes(digit | 128 for digit in digits[:-1]) + bytes(digits[-1:])
    else:
        rest = value >> 8
        data = bytes(rest >> shift & 127 | 128 for shift in range(49, -1, -7)) + bytes([value & 255])
    assert lexical._varint(before + data + b"\x07", len(before)) == (value, len(before) + len(data))


@pytest.fixture
def herd(world: World) -> World:
    """`server` is everywhere, `wombat` in three passages, `quokka` in one."""
    for i in range(25):
        tell(world, f"s{i:02}", f"the server of rack{i} is slow")
    tell(world, "w1", "the wombat server is slow")
    tell(world, "w2", "the wombat sleeps by day")
    tell(world, "w3", "the wombat and the quokka meet at the server")
    world.memory().index()
    return world


def test_words_are_weighed_by_how_rare_they_are(herd: World) -> None:
    with reading(herd) as db:
        stats = lexical.statistics(db)
        weighed = lexical.weigh(db, clauses("server wombat platypus quokka"), stats)
    assert [w.clause.terms for w in weighed] == [("server",), ("wombat",), ("quokka",)], "what is nowhere is left out"
    assert [w.passages for w in weighed] == [27, 3, 1]
    assert 0 < weighed[0].worth < weighed[1].worth < weighed[2].worth


def test_a_word_in_every_passage_is_still_worth_something(world: World) -> None:
    tell(world, "s1", "wombat one", "wombat two")
    world.memory().index()
    assert len(found(world, "wombat")) == 2
    assert all(hit.score > 0 for hit in ask(world, "wombat").hits)


def test_a_common_word_is_looked_up_only_where_a_rare_one_is(herd: World, monkeypatch: pytest.MonkeyPatch) -> None:
    query = "wombat server"
    whole = found(herd, query, k=100)
    monkeypatch.setattr(lexical, "POSTINGS", 5)
    with reading(herd) as db:
        weighed = lexical.weigh(db, clauses(query), lexical.statistics(db))
        gathered = lexical.gather(db, weighed)
        wombats = lexical.rows_with(db, clauses("wombat")[0])
    assert set(gathered.worths) == wombats
    few = found(herd, query, k=100)
    assert few[0] == whole[0] == "the wombat server is slow"
    assert set(few) == {text for text in whole if "wombat" in text}


def test_when_even_the_rarest_is_common_the_newest_count(herd: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lexical, "POSTINGS", 5)
    monkeypatch.setattr(lexical, "POSTINGS_OF_ONE", 10)
    with reading(herd) as db:
        weighed = lexical.weigh(db, clauses("server"), lexical.statistics(db))
        rows = lexical.gather(db, weighed).worths
        servers = sorted(lexical.rows_with(db, clauses("server")[0]))
    assert 0 < len(rows) <= 10
    assert sorted(rows) == servers[-len(rows) :]
    assert len(found(herd, "server", k=100)) == len(rows)


@pytest.mark.parametrize("postings", [0, 1, 4, 30, 8_000])
def test_however_few_postings_are_read_the_best_stays_the_best(
    herd: World, monkeypatch: pytest.MonkeyPatch, postings: int
) -> None:
    monkeypatch.setattr(lexical, "POSTINGS", postings)
    assert found(herd, "quokka server wombat", recency=False)[0] == "the wombat and the quokka meet at the server"
    assert found(herd, "wombat server slow", recency=False)[0] == "the wombat server is slow"


def test_places_of_words_are_their_places(herd: World) -> None:
    with reading(herd) as db:
        weighed = lexical.weigh(db, clauses("quokka"), lexical.statistics(db))
        (places,) = lexical.gather(db, weighed).places
    assert places is not None
    assert [place for _, place in places] == [4], "the wombat and the quokka"


def test_a_phrase_is_of_neighbours(herd: World) -> None:
    with reading(herd) as db:
        near, apart = phrase("wombat server"), phrase("server wombat")
        assert near is not None and apart is not None
        assert len(lexical.rows_with(db, near)) == 1
        assert lexical.rows_with(db, apart) == set()


def test_a_small_project_is_found_beside_a_large_one(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """However common a word is elsewhere, and however new that is."""
    monkeypatch.setattr(lexical, "POSTINGS", 20)
    monkeypatch.setattr(lexical, "POSTINGS_OF_ONE", 30)
    tell(world, "small", "rotate the signing key", cwd="/work/small")
    tell(world, "large", *(f"the signing key number {i}" for i in range(60)), cwd="/work/large")
    world.memory().index()
    page = ask(world, "signing key", project="/work/small")
    assert [hit.session_id for hit in page.hits] == ["small"]
