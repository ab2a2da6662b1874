"""The laws of conflicts and keys: who stands, in whichever order it was learned, and what counts as the same claim."""

from __future__ import annotations

import itertools
import json
import sqlite3
import tempfile
import unicodedata
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from axiommind.learning.conflict_detection import ComparedClaim, detect_conflicts, incompatible
from axiommind.learning.keys import canonical_key, entry_id, value_key
from axiommind.model import Event
from axiommind.projections import Batch, entries
from axiommind.text.normal_form import normalise
from tests.examples import examples
from tests.learning.saying import claim, told
from tests.learning.sessions import Session
from tests.transcripts import World

MANY = settings(max_examples=examples(500))

# --- conflicts ---------------------------------------------------------------------------------------------


class Ledger:
    """The projection of entries over a log of our own, in memory."""

    def __init__(self) -> None:
        self.db = sqlite3.connect(":memory:")
        entries.create(self.db)
        self.position = itertools.count(1)

    def learn(self, one: ComparedClaim) -> None:
        written = {"entry_id": one.entry_id, "type": one.type, "title": "t", "text": one.value, "rule": "told"}
        written |= {"content": {"value": one.value}, "canonical_key": one.canonical_key, "value_key": one.value}
        written |= {"confidence": one.confidence, "timestamp": one.happened_at}
        place = {"entry_id": one.entry_id, "aligned": one.aligned, "evidence": []}
        events = detect_conflicts(self.db, [one], "1")
        self.fold("memory_extracted", {"blob": json.dumps({"entries": [written]})})
        self.fold("evidence_aligned", {"entries": [place]})
        for emit in events:
            self.fold(emit.event_type, emit.payload)

    def fold(self, event_type: str, payload: dict[str, object]) -> None:
        n = next(self.position)
        event = Event(n, f"e{n}", n, event_type, "memory", "s", "/p", payload, "")
        entries.apply(self.db, Batch([event], None, lambda text: text.encode()))  # type: ignore[arg-type]

    def standing(self) -> dict[str, str]:
        return dict(self.db.execute("select entry_id, status from entries"))


@st.composite
def claims(draw: st.DrawFn, count: int) -> list[ComparedClaim]:
    value, at = st.sampled_from(["SQLite", "PostgreSQL", "DuckDB"]), st.integers(0, 3)
    sure = st.sampled_from([0.6, 0.8, 0.9])
    return [
        ComparedClaim(f"ent_{n}", "decision", "decision:/p:log", draw(value), draw(st.booleans()), draw(sure), draw(at))
        for n in range(count)
    ]


@MANY
@given(claims(2))
def test_two_sessions_in_either_order_leave_the_same_standing(said: list[ComparedClaim]) -> None:
    found = []
    for order in itertools.permutations(said):
        ledger = Ledger()
        for one in order:
            ledger.learn(one)
        found.append(ledger.standing())
    assert found[0] == found[1]
    one, two = sorted(said, key=lambda each: (each.happened_at, each.entry_id))
    if one.value != two.value:
        wins = two.aligned and (not one.aligned or two.confidence >= one.confidence)
        assert (found[0][one.entry_id], found[0][two.entry_id]) == (
            ("superseded", "active") if wins else ("contested", "contested")
        )
    else:
        assert set(found[0].values()) == {"active"}


@MANY
@given(claims(4), st.permutations(range(4)))
def test_whatever_the_order_the_best_is_never_replaced(said: list[ComparedClaim], order: list[int]) -> None:
    """Who is newest, aligned and surest has nobody who takes its place; and nothing that cannot both hold is active."""
    ledger = Ledger()
    for n in order:
        ledger.learn(said[n])
    standing = ledger.standing()
    best = max(said, key=lambda one: (one.aligned, one.happened_at, one.entry_id))
    if best.aligned and all(best.confidence >= other.confidence for other in said if other.aligned):
        assert standing[best.entry_id] != "superseded"
    values = {one.value for one in said if standing[one.entry_id] == "active"}
    assert len(values) <= 1


class Told(NamedTuple):
    session: str
    at: int
    value: str
    confidence: float


# PostgreSQL is said again, better, and the older doubt about it is over: unless it came before the doubt.
DOUBTED = (Told("a", 0, "Redis", 0.9), Told("b", 60, "PostgreSQL", 0.8), Told("c", 120, "PostgreSQL", 0.95))
# What two sessions say is not replaced by what one says: unless the second of them is learned later.
OUTNUMBERED = (Told("a", 0, "Redis", 0.9), Told("b", 60, "Redis", 0.9), Told("c", 120, "PostgreSQL", 0.9))


@pytest.mark.parametrize("said", [DOUBTED, OUTNUMBERED], ids=["doubted", "outnumbered"])
def test_three_sessions_in_any_order_leave_the_same_standing(said: tuple[Told, ...]) -> None:
    found = []
    for order in itertools.permutations(said):
        with tempfile.TemporaryDirectory() as folder:
            world = World(Path(folder))
            for one in order:
                told(world, one.session, one.at, claim(value=one.value, text=one.value, confidence=one.confidence))
            found.append(world.rows("select session_id, status from entries order by 1"))
    assert all(one == found[0] for one in found), found


def test_nothing_with_an_open_conflict_is_verified_by_policy(world: World) -> None:
    """SQLite is a person's word; PostgreSQL contests it; DuckDB replaces PostgreSQL, and contests SQLite too."""
    for n, answer in enumerate(("SQLite", "PostgreSQL", "DuckDB")):
        session = Session(f"s{n}")
        session._clock = itertools.count(60 * n)
        session.ask("Where should the log live?", answer)
        world.write(session)
        world.memory().index()
        world.memory().learning.run()
        if n == 0:
            world.memory().entries.promote(world.one("select entry_id from entries"), "we run it", "certified")
    assert world.rows("select status, stage from entries where text = 'DuckDB'") == [("contested", "candidate")]


@pytest.mark.parametrize("in_between", [False, True])
def test_who_changes_their_mind_in_one_session_is_heard(world: World, in_between: bool) -> None:
    session = Session("s0")
    for answer in ("SQLite", "PostgreSQL"):
        session.ask("Where should the log live?", answer)
        world.write(session)
        world.memory().index()
        if in_between:
            world.memory().learning.run()
    world.memory().learning.run()
    assert "SQLite" not in {row[0] for row in world.rows("select text from entries where status = 'active'")}


prose = st.one_of(
    st.text(max_size=80),
    st.lists(st.sampled_from(["always:", "never:", "use", "pnpm", "캐시", "SQLite", "#", "1.5"]), max_size=14).map(
        " ".join
    ),
)


@MANY
@given(prose, prose)
@example("always: use pnpm in every one of the many packages", "never: use pnpm in every one of the many packages")
def test_incompatible_is_symmetric_and_nothing_contradicts_itself(one: str, two: str) -> None:
    assert incompatible(one, two) == incompatible(two, one)
    assert not incompatible(one, one)


# --- keys --------------------------------------------------------------------------------------------------

cjk = st.text(
    st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF)
    | st.characters(min_codepoint=0xAC00, max_codepoint=0xD7A3),
    min_size=1,
    max_size=300,
)
titles = st.text(
    st.characters(categories=["Lu", "Ll", "Lo", "Nd", "Po", "Zs"], max_codepoint=0xFFFF)
    | st.sampled_from("ＡｂＣﬁ①가각'\"“”"),
    min_size=1,
    max_size=260,
)


@MANY
@given(cjk, cjk)
def test_distinct_hangul_and_han_titles_never_merge(one: str, two: str) -> None:
    assume(one != two)
    assert canonical_key("task", "/p", one) != canonical_key("task", "/p", two)
    assert entry_id("s", "fact", one) != entry_id("s", "fact", two)
    assert value_key("fact", "/p", one, "v") != value_key("fact", "/p", two, "v")
    assert value_key("fact", "/p", "t", one) != value_key("fact", "/p", "t", two)
    assert incompatible(one, two) or min(len(one), len(two)) >= 40


@MANY
@given(titles, st.sampled_from(["NFC", "NFD", "NFKC", "NFKD"]))
def test_how_a_title_is_written_does_not_matter(title: str, form: str) -> None:
    key = canonical_key("task", "/p", title)
    assert len(key) <= 200 and key.startswith("task:/p:")
    other = unicodedata.normalize(form, title)  # type: ignore[arg-type]
    assert canonical_key("task", "/p", other) == key
    assert canonical_key("task", "/p", f"\t {title}\n\n") == key
    folded = title.casefold()
    if title.upper().casefold() == folded == unicodedata.normalize("NFKC", folded):
        assert canonical_key("task", "/p", title.upper()) == key
    if any(letter.isalnum() for letter in normalise(title)):
        assert canonical_key("task", "/p", f"“{title}”") == key
        assert normalise(normalise(title)) == normalise(title)


@MANY
@given(st.text(min_size=1, max_size=500), st.text(min_size=1, max_size=500))
def test_keys_are_bounded_whatever_the_project(project: str, title: str) -> None:
    assert len(canonical_key("decision", project, title)) <= 200
    assert len(value_key("decision", project, title, title)) == 64
    assert entry_id(project, "decision", title) != entry_id(project, "fact", title)


def test_keys_of_two_projects_never_meet() -> None:
    assert canonical_key("task", "/p/x", "y:z") != canonical_key("task", "/p/x:y", "z")


def test_case_does_not_matter_for_letters_with_two_accents() -> None:
    assert normalise("ῧ".upper()) == normalise("ῧ")


@pytest.mark.parametrize(("one", "two"), [("C", "C#"), ("50", "50%"), ("x > 3", "x < 3")])
def test_values_that_differ_in_a_sign_are_not_the_same(one: str, two: str) -> None:
    assert incompatible(one, two) and value_key("fact", "/p", "t", one) != value_key("fact", "/p", "t", two)
