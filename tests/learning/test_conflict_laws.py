"""The laws of conflicts and keys: who stands, in whichever order it was learned, and what counts as the same claim."""

from __future__ import annotations

import itertools
import tempfile
import unicodedata
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from axiommind.learning.keys import canonical_key, entry_id, value_key
from axiommind.learning.opposition import (
    ANSWER,
    CHOICE,
    INVERSE,
    REPLACED,
    REVERT,
    VALUE,
    OpposableClaim,
    Opposition,
    incompatible,
    oppositions,
)
from axiommind.text.normal_form import normalise
from tests.examples import examples
from tests.learning.saying import SAID, Saying, claim, run, told
from tests.learning.sessions import Session
from tests.rows import rows
from tests.transcripts import World

MANY = settings(max_examples=examples(500))

# --- conflicts ---------------------------------------------------------------------------------------------


def said(title: str, at: int = 0, **more: Any) -> OpposableClaim:
    given = {"value": "", "kind": "convention", **more}
    key = given.pop("key", title)
    name = f"{title} {given['value']}"
    return OpposableClaim(f"ent_{at}", key, name, given.pop("value"), title, title, given.pop("kind"), at, 0, **given)


@pytest.mark.parametrize(
    ("older", "newer", "reason"),
    [
        ("The dev server runs on port 8080", "The dev server listens on 9000", VALUE),
        ("Max line length is 100", "Max line length is 120", VALUE),
        ("Use tabs", "Indent with spaces", CHOICE),
        ("Use SQLite for the log", "Use Postgres for the log", CHOICE),
        ("커밋 메시지는 한국어로 쓴다", "커밋 메시지는 영어로 쓴다", CHOICE),
        ("コミットは日本語で書く", "コミットは英語で書く", CHOICE),
        ("Always mock the clock in tests", "Never mock the clock in tests", INVERSE),
        ("Add the dark theme toggle", "Remove the dark theme toggle", INVERSE),
        ("feat: add dark mode", 'Revert "add dark mode"', REVERT),
    ],
)
def test_what_cannot_both_hold(older: str, newer: str, reason: str) -> None:
    found = list(oppositions([said(newer, 1), said(older)]))
    assert found == [Opposition("ent_0", "ent_1", reason)]


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Use tabs", "Use spaces in YAML files"),
        ("Use SQLite for the log", "Use Postgres for billing"),
        ("Implement phase 2 of the plan", "Implement phase 3 of the plan"),
        ("The API listens on 8080", "The database listens on 5432"),
        ("Run the tests before a commit", "Run the linter before a commit"),
        ("Round half up", "Keep 2 decimals"),
        ("Log a todo for LOW-01", "Log a todo for LOW-02"),
    ],
)
def test_what_can_both_hold(older: str, newer: str) -> None:
    assert list(oppositions([said(older), said(newer, 1)])) == []


def test_a_thing_replaced_by_name_is_retired() -> None:
    newer = said("Use integer cents instead of floats", 1, retires=("floats",))
    assert [one.reason for one in oppositions([said("Use floats for money"), newer])] == [REPLACED]
    assert list(oppositions([said("Parse floats with a point"), newer])) == []
    part = said('It says "Daily report", not just "report"', 1, retires=("report",))
    assert list(oppositions([said("Report errors at once"), part])) == []
    assert list(oppositions([said("Never use floats for money"), newer])) == []
    assert [one.reason for one in oppositions([said("Anything"), said("Other", 1, supersedes=("ent_0",))])] == [
        REPLACED
    ]


def test_a_form_question_asked_twice_is_no_conflict() -> None:
    """Which of a list comes next, and which of two: the first answer is still on offer only in the second case."""
    question = {"key": "q", "kind": "decision"}
    first = said("Which epic is next?", value="npm provider", alternatives=("cache", "docs"), **question)
    following = said("Which epic is next?", 1, value="cache", alternatives=("docs",), **question)
    assert list(oppositions([first, following])) == []
    again = said("Which epic is next?", 1, value="cache", alternatives=("npm provider", "docs"), **question)
    assert [one.reason for one in oppositions([first, again])] == [ANSWER]
    otherwise = said(
        "What epic do we do?", 1, value="cache", alternatives=("npm provider",), key="other", kind="decision"
    )
    assert [one.reason for one in oppositions([first, otherwise])] == [ANSWER]


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


AGENT = "I looked at it: the log is kept in Redis, as far as I can see."


def learned(world: World, session: str, minute: int, words: str, *, by_agent: bool, **given: Any) -> None:
    lines = Session(session)
    lines._clock = itertools.count(minute)
    lines.answer(AGENT) if by_agent else lines.prompt(SAID)
    world.write(lines)
    world.memory().index()
    quote = AGENT if by_agent else SAID
    draft = claim(value=words, text=f"The log is kept in {words}.", quote=quote, **given)
    assert run(world, Saying(draft)).failed == 0


moments = st.tuples(
    st.sampled_from(["SQLite", "PostgreSQL", "DuckDB"]), st.booleans(), st.integers(0, 3), st.sampled_from([0.6, 0.9])
)


@settings(max_examples=examples(25))
@given(st.lists(moments, min_size=2, max_size=4), st.randoms(use_true_random=False))
def test_the_order_of_learning_does_not_matter(told_of: list[tuple[str, bool, int, float]], random: Random) -> None:
    """Claims of several sessions, by people and agents, at any time: learned in any order they end alike."""
    found = []
    numbered = list(enumerate(told_of))
    for _ in range(2):
        with tempfile.TemporaryDirectory() as folder:
            world = World(Path(folder))
            for n, (words, by_agent, at, sure) in numbered:
                learned(world, f"s{n}", at * 60, words, by_agent=by_agent, confidence=sure)
            found.append(world.rows("select session_id, status, stage, superseded_by from entries order by 1"))
            people = world.rows("select text from entries where provenance = 'person' and status = 'active'")
            assert len(set(people)) <= 1
        random.shuffle(numbered)
    assert found[0] == found[1]


@rows("R2.106")
@pytest.mark.parametrize("in_order", [True, False])
def test_a_persons_newer_word_beats_and_an_agents_contests(in_order: bool) -> None:
    for by_agent, expected in ((False, ["superseded", "active"]), (True, ["contested", "contested"])):
        with tempfile.TemporaryDirectory() as folder:
            world = World(Path(folder))
            both = [("s0", 0, "SQLite", False), ("s1", 60, "PostgreSQL", by_agent)]
            for name, at, words, agent in both if in_order else reversed(both):
                learned(world, name, at, words, by_agent=agent)
            rows = world.rows("select status from entries order by session_id")
            assert [row[0] for row in rows] == expected


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


@rows("R2.44", "R2.45")
@MANY
@given(cjk, cjk)
def test_distinct_hangul_and_han_titles_never_merge(one: str, two: str) -> None:
    assume(one != two)
    assert canonical_key("task", "/p", one) != canonical_key("task", "/p", two)
    assert entry_id("s", "fact", one) != entry_id("s", "fact", two)
    assert value_key("fact", "/p", one, "v") != value_key("fact", "/p", two, "v")
    assert value_key("fact", "/p", "t", one) != value_key("fact", "/p", "t", two)
    assert incompatible(one, two) or min(len(one), len(two)) >= 40


@rows("R2.44")
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


@rows("R2.44", "R2.45")
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
