"""Ranking, as laws: which of two passages or sessions comes first, and why. No scores: the constants are tuned."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from axiommind.search import rank
from axiommind.search.lexical import Statistics
from tests.notes import Notes
from tests.rows import rows
from tests.search.asking import DAY, DAY_MS, NOW, ask, found, sessions, tell
from tests.transcripts import START, Lines, World

# --- one passage against another ---------------------------------------------------------------------------------


def test_all_of_the_words_beat_some_of_them(world: World) -> None:
    tell(world, "some", "redis redis redis redis")
    tell(world, "all", "the redis cache eviction policy is wrong")
    tell(world, "other", "the weather is fine today")
    world.memory().index()
    assert found(world, "redis cache eviction", recency=False) == [
        "the redis cache eviction policy is wrong",
        "redis redis redis redis",
    ]


def test_a_rare_word_tells_more_than_a_common_one(world: World) -> None:
    for i in range(8):
        tell(world, f"s{i}", f"check the server number{i}")
    tell(world, "rare", "check the ocelot cage")
    world.memory().index()
    assert found(world, "ocelot server", recency=False)[0] == "check the ocelot cage"


def test_neighbours_beat_the_same_words_far_apart(world: World) -> None:
    gap = "one two three four five six seven eight nine ten eleven twelve"
    tell(world, "a-far", f"the rate {gap} limit")
    tell(world, "z-near", f"the rate limit {gap}")
    world.memory().index()
    assert found(world, "rate limit", recency=False)[0].startswith("the rate limit")


def test_the_shorter_of_two_says_it_more(world: World) -> None:
    tell(world, "a-long", "a wombat " + " ".join(f"word{i}" for i in range(60)))
    tell(world, "z-short", "a wombat here")
    world.memory().index()
    assert found(world, "wombat", recency=False)[0] == "a wombat here"


def test_a_word_in_the_heading_counts_more(world: World) -> None:
    notes = Notes(world)
    notes.write("a.md", "# Burrows\n\nThe wombat digs all night long.\n")
    notes.write("b.md", "# Wombats\n\nThe burrow is dug all night long.\n")
    notes.add()
    assert [hit.heading for hit in ask(world, "wombat", recency=False).hits] == ["Wombats", "Burrows"]
    assert [hit.heading for hit in ask(world, "burrow", recency=False).hits] == ["Burrows", "Wombats"]


def test_an_exact_phrase_beats_a_heading_with_its_words(world: World) -> None:
    notes = Notes(world)
    notes.write("heading.md", "# Checklist for every release\n\nGeneral.\n")
    notes.write("phrase.md", "# Notes\n\nSomebody asked where the release checklist of the program is kept.\n")
    notes.add()
    assert [hit.heading for hit in ask(world, "release checklist").hits] == ["Notes", "Checklist for every release"]
    # The end of a heading and the beginning of its section are no phrase.
    assert [hit.heading for hit in ask(world, '"release checklist"').hits] == ["Notes"]


@pytest.mark.parametrize("filler", [0, 100])
@pytest.mark.parametrize(
    ("query", "heading"),
    [
        ("circuit breaker opens after five failures", "Failures that a breaker opens after five circuits"),
        ("budget of the retry policy", "Policy of the retry budget"),
        ("oauth2 tokenStore", "tokenStore oauth2"),
        ("遷移數據庫的備份", "備份 數據庫 遷移"),
    ],
)
def test_a_phrase_is_one_in_a_long_text_and_with_stop_words_too(
    world: World, query: str, heading: str, filler: int
) -> None:
    notes = Notes(world)
    around = "this note tells how work is done here, " * filler
    notes.write("heading.md", f"# {heading}\n\nGeneral.\n")
    notes.write("phrase.md", f"# Notes\n\n{around}In short: {query}. {around}\n")
    notes.add()
    assert next(hit.heading for hit in ask(world, query).hits) == "Notes"


def test_a_word_above_a_section_finds_the_section(world: World) -> None:
    notes = Notes(world)
    notes.write("a.md", "# Deployment\n\nIntroduction.\n\n## Rollback\n\nTurn the old colour on again.\n")
    notes.add()
    (first, *_) = ask(world, "deployment colour").hits
    assert first.heading == "Deployment > Rollback"


# --- recency -----------------------------------------------------------------------------------------------------


def test_the_newer_of_two_equals_comes_first(world: World) -> None:
    tell(world, "a-old", "a wombat in the north", at=0)
    tell(world, "z-new", "a wombat in the south", at=60 * DAY)
    world.memory().index()
    assert found(world, "wombat") == ["a wombat in the south", "a wombat in the north"]
    assert sessions(world, "wombat") == ["z-new", "a-old"]


def test_without_recency_equals_stay_in_one_order(world: World) -> None:
    tell(world, "a", "a wombat in the north", at=0)
    tell(world, "b", "a wombat in the south", at=60 * DAY)
    world.memory().index()
    first = ask(world, "wombat", recency=False)
    assert first.hits[0].score == first.hits[1].score
    for now in (NOW, NOW + 400 * DAY_MS, START):
        again = ask(world, "wombat", recency=False, now=now)
        assert [hit.id for hit in again.hits] == [hit.id for hit in first.hits]
    world.memory().rebuild()
    assert [h.id for h in ask(world, "wombat", recency=False).hits] == [h.id for h in first.hits]


def test_recency_does_not_beat_the_words(world: World) -> None:
    tell(world, "old", "the wombat census of the northern burrows", at=0)
    tell(world, "new", "a wombat is an animal with four legs", at=89 * DAY)
    world.memory().index()
    assert found(world, "wombat census northern burrows")[0].startswith("the wombat census")


@given(st.integers(0, 4 * 10**12), st.integers(0, 4 * 10**12))
def test_what_is_newer_is_never_worth_less(one: int, other: int) -> None:
    def worth(at: int) -> float:
        passage = rank.Passage(1, "prompt", 1, "s", None, at, "s")
        return rank.score(rank.Asked([], Statistics(1, 1.0), 0.0, None, 2 * 10**12), passage, [], 1).recency

    older, newer = sorted((one, other))
    assert 0 <= worth(older) <= worth(newer) <= rank.RECENCY_WEIGHT


# --- dates -------------------------------------------------------------------------------------------------------


def test_a_named_time_prefers_what_was_said_then(world: World) -> None:
    for session, at, place in (("jan", 0, "north"), ("feb", 35, "south"), ("mar", 65, "east"), ("last", 82, "west")):
        tell(world, session, f"the wombat ran {place}", at=at * DAY)
    world.memory().index()
    for query, session in (
        ("wombat in January", "jan"),
        ("wombat in February 2026", "feb"),
        ("wombat of 2026-03-11", "mar"),
        ("wombat last week", "last"),
        ("1월에 wombat", "jan"),
        ("2月 wombat", "feb"),
    ):
        assert sessions(world, query)[0] == session, query
        assert ask(world, query).hits[0].session_id == session, query
    why = ask(world, "wombat in January").hits[0].why
    assert why["date"] > 0


def test_a_time_alone_does_not_beat_the_words(world: World) -> None:
    tell(world, "then", "the weather was fine in that town", at=0)
    tell(world, "about", "the wombat census of the northern burrows", at=60 * DAY)
    world.memory().index()
    assert ask(world, "wombat census northern burrows in January").hits[0].session_id == "about"


# --- sessions ----------------------------------------------------------------------------------------------------


def test_much_evidence_beats_one_equal_passage(world: World) -> None:
    tell(world, "a-once", "a wombat in the north", "the weather", "the news")
    tell(world, "z-often", "a wombat in the south", "that wombat again", "more wombat stories")
    world.memory().index()
    assert sessions(world, "wombat", recency=False) == ["z-often", "a-once"]
    (first, second) = ask(world, "wombat", group=True, recency=False).hits
    assert (first.passages, second.passages) == (3, 1)
    assert first.score_kind == "session" and first.score > second.score


def test_words_spread_over_a_session_count_together(world: World) -> None:
    tell(world, "a-one", "the redis question", "something else")
    tell(world, "z-both", "the redis question of today", "how to set its eviction")
    world.memory().index()
    assert sessions(world, "redis eviction", recency=False)[0] == "z-both"


def test_what_a_subagent_found_counts_for_its_session(world: World) -> None:
    tell(world, "parent", "please look into the zoo")
    tell(world, "other", "a numbat eats termites")
    child = Lines("parent", sidechain=True)
    child.add("user", message={"role": "user", "content": "go"}, uuid="c1")
    child.answer("A numbat eats termites by day.", uuid="c2")
    child.answer("The numbat has no pouch.", uuid="c3")
    folder = world.path("parent").with_suffix("") / "subagents"
    folder.mkdir(parents=True)
    (folder / "agent-abc.jsonl").write_bytes(child.data())
    world.memory().index()
    page = ask(world, "numbat pouch", group=True, recency=False)
    first = page.hits[0]
    assert first.session_id == "parent" and first.passages == 2
    assert first.title == "please look into the zoo" and first.project == "/home/dev/weather"
    (single, *_) = ask(world, "numbat pouch").hits
    assert single.session_id not in ("parent", "other"), "a passage says whose it is"


def test_a_document_is_one_result_among_sessions(world: World) -> None:
    notes = Notes(world)
    notes.write("a.md", "# Wombats\n\nA wombat.\n\n## Food\n\nThe wombat eats.\n\n## Sleep\n\nThe wombat sleeps.\n")
    notes.add()
    tell(world, "s1", "a wombat here")
    world.memory().index()
    page = ask(world, "wombat", group=True)
    assert sorted((hit.kind, hit.passages) for hit in page.hits) == [("doc", 3), ("prompt", 1)]
    assert page.total == 2


# --- the same again ----------------------------------------------------------------------------------------------


def test_near_duplicates_fold_into_one_with_a_count(world: World) -> None:
    for i, text in enumerate(["Run the tests!", "run the tests", "RUN the tests...", "run the test"]):
        tell(world, f"s{i}", text, at=i * DAY)
    tell(world, "other", "run the tests of the parser on windows")
    world.memory().index()
    page = ask(world, "run tests")
    assert sorted((hit.same, hit.kind) for hit in page.hits) == [(0, "prompt"), (3, "prompt")]
    assert page.total == 2
    assert next(hit for hit in page.hits if hit.same).snippet.text == "run the test", "shown is the best: the newest"


@given(st.lists(st.sampled_from(["wombat", "numbat", "quokka", "bilby", "dunnart"]), max_size=12), st.integers(0, 20))
def test_folding_loses_nothing(said: list[str], wanted: int) -> None:
    scored = [
        rank.Scored(rank.Passage(i, "prompt", i, "s", None, None, "s"), -float(i), (), 0.0, 1.0, 0.0, 0.0)
        for i in range(len(said))
    ]
    kept = rank.fold(scored, wanted, lambda passage: said[passage.id])
    texts = [said[one.passage.id] for one, _ in kept]
    assert texts == list(dict.fromkeys(said))[:wanted], "the best of each, in order"
    if wanted >= len(set(said)):
        assert sum(same for _, same in kept) == len(said) - len(kept)


# --- why ---------------------------------------------------------------------------------------------------------


def test_why_a_hit_is_where_it_is(world: World) -> None:
    tell(world, "s1", "the redis cache is full", at=89 * DAY)
    tell(world, "s2", "an eviction notice", at=0)
    world.memory().index()
    why = ask(world, "redis cache eviction").hits[0].why
    assert [one["clause"] for one in why["matched"]] == ["redi", "cach"]
    assert all(one["in_passages"] == 1 and one["gave"] > 0 for one in why["matched"])
    assert why["missing"] == ["evict"]
    assert why["near"] > 0 and why["recency"] > 0
    grouped = ask(world, "redis cache eviction", group=True).hits[0].why
    assert len(grouped["passages"]) == 1 and grouped["covered"] > 0


# --- scores --------------------------------------------------------------------------------------------------------


def test_a_score_says_how_much_of_the_question_was_found(world: World) -> None:
    notes = Notes(world)
    notes.write("a.md", "# Rollback\n\nTurn the old colour on again, then tell the team.\n")
    notes.write("b.md", "# Lunch\n\nThe team eats at noon.\n")
    notes.add()
    whole, half, hardly = (
        ask(world, query).hits[0].score
        for query in ("rollback colour", "rollback xylophone", "rollback xylophone quartet tuning pegs")
    )
    assert whole > 0.6 > half > 0.2 > hardly > 0
    # Within one answer the order is that of the worths, so what holds less of it is below.
    assert [hit.heading for hit in ask(world, "rollback team").hits] == ["Rollback", "Lunch"]


@rows("R1.18", "R1.20")
def test_a_score_is_the_share_times_the_normalised_worth(world: World) -> None:
    tell(world, "a", "the wombat census of the northern burrows")
    world.memory().index()
    (one,) = ask(world, "wombat census yeti").hits
    worth = one.why["passage"]
    assert one.score == pytest.approx(one.why["found"] * worth / (1 + worth), abs=1e-3)
    assert one.why["found"] == pytest.approx(2 / 3, abs=0.01)
    assert one.why["nowhere"] == ["yeti"]
