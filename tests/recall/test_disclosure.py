"""Progressive disclosure: which layers open, what still stands, what was around it, and that a budget is one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from axiommind.config import Disclosure
from axiommind.ids import short_id
from axiommind.memory import Memory, Scope
from axiommind.model import Citation
from axiommind.recall.cache import Kept
from axiommind.recall.disclosure import (
    Detail,
    Disclosed,
    IndexItem,
    Meta,
    TimelineItem,
    client_chars,
    decide,
)
from axiommind.recall.layer_budget import fit
from axiommind.recall.recall import Silence
from axiommind.search.hits import Learned
from axiommind.surfaces.render.fence import fenced
from axiommind.surfaces.render.recall import as_text
from axiommind.text.estimate import estimate_tokens
from axiommind.text.query_terms import clauses
from tests.learning.sessions import QUESTION, answered
from tests.recall.packets import learned
from tests.rows import rows
from tests.search.asking import NOW, tell
from tests.transcripts import PROJECT, Lines, World

SETTINGS = Disclosure()
EVERYWHERE = Scope(None)


def item(name: str, score: float, **fields: Any) -> IndexItem:
    given: dict[str, Any] = {"type": "prompt", "timestamp": NOW, "session_id": "s1", "citation": None, "project": None}
    return IndexItem(id=name, summary=f"about {name}", score=score, **{**given, **fields})


def items(*scores: float) -> list[IndexItem]:
    return [item("abcdefghij"[i], score) for i, score in enumerate(scores)]


# --- the rules ---------------------------------------------------------------------------------------------------


@rows("R3.20", "R3.21", "R3.22", "R3.23", "R3.24", "R3.25", "R3.45")
@pytest.mark.parametrize(
    ("scores", "timeline", "details", "reason"),
    [
        ((), "", "", "no_results"),
        ((0.92,), "a", "a", "high_confidence_single"),
        ((0.9199,), "", "", "low_confidence"),
        ((0.95, 0.85), "a", "a", "clear_winner"),
        ((0.85, 0.75, 0.74), "a", "a", "clear_winner"),
        ((0.84, 0.7), "", "", "low_confidence"),
        ((0.95, 0.86), "", "", "low_confidence"),
        ((0.95, 0.85, 0.85, 0.85), "a", "a", "clear_winner"),  # the rules are tried in their order
        ((0.95, 0.9, 0.8), "abc", "", "ambiguous_multiple_high"),
        ((0.8, 0.8, 0.8, 0.8), "abc", "", "ambiguous_multiple_high"),
        ((0.9, 0.85, 0.79), "", "", "low_confidence"),
    ],
)
def test_what_opens_by_itself(scores: tuple[float, ...], timeline: str, details: str, reason: str) -> None:
    assert decide(items(*scores), SETTINGS) == (tuple(timeline), tuple(details), reason)


@rows("R3.16", "R3.26", "R3.40")
def test_settings_bound_what_opens() -> None:
    many = items(0.9, 0.9, 0.9)
    assert decide(many, SETTINGS._replace(max_expand=2)).timeline_ids == ("a", "b")
    assert decide(items(0.99), SETTINGS._replace(max_expand=0))[:2] == ((), ())
    assert decide(items(0.95), SETTINGS._replace(high_confidence=0.96)).reason == "low_confidence"
    assert decide(items(0.9, 0.6), SETTINGS._replace(score_gap=0.5)).reason == "low_confidence"
    for off in (SETTINGS._replace(enabled=False), SETTINGS._replace(auto_expand=False)):
        assert decide(items(0.99), off) == ((), (), None)


# --- the budget --------------------------------------------------------------------------------------------------

names = st.text("abcdefghijklmnopqrstuvwxyz0123456789", min_size=1, max_size=8)
lines = st.integers(1, 99_999)
citations = st.none() | st.builds(
    lambda path, a, b: Citation(path, min(a, b), max(a, b)),
    st.sampled_from(["/home/dev/a.jsonl", "/root/.claude/projects/-work-main/0184.jsonl", "/x\ny", "/" + "p" * 150]),
    lines,
    lines,
)
times = st.none() | st.integers(0, 1 << 60)
one_line = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Zl", "Zp"]))
entries = st.none() | st.builds(
    Learned, st.just("ent_1"), st.sampled_from(["task_note", "reference"]), st.just("certified"), st.just("active")
)
index_items = st.builds(
    IndexItem,
    names,
    one_line.map(lambda text: text[:100]),
    st.floats(0, 1),
    st.sampled_from(["prompt", "response", "insight"]),
    times,
    st.sampled_from([None, "s" * 36]),
    citations,
    st.sampled_from([None, "/home/dev/weather"]),
    entries,
    st.booleans(),
)
timeline_items = st.builds(
    TimelineItem, names, times, st.just("tool"), one_line.map(lambda text: text[:200]), st.booleans(), citations
)
contents = st.builds(lambda text, n: (text * n)[:40_000], st.text(max_size=60), st.integers(0, 2_000))
detail_items = st.builds(
    Detail, names, contents, st.just("response"), times, st.just("s" * 36), citations, st.just(1), st.booleans()
)
everything = st.builds(
    lambda index, timeline, details: Disclosed(
        tuple(index), tuple(timeline), tuple(details), Meta(len(index), 0, 0, "x")
    ),
    st.lists(index_items, max_size=10),
    st.lists(timeline_items, max_size=12),
    st.lists(detail_items, max_size=3),
)


@rows("R3.18", "R3.46", "R3.32")
@given(everything, st.integers(-5, 4_000), st.sampled_from(["", "wombat cache"]))
@example(Disclosed((item("a", 1.0),), (), (), Meta(1, 0, 0)), 10**6, "")
def test_never_over_the_budget(found: Disclosed, budget: int, asked: str) -> None:
    shown = fit(found, budget, SETTINGS, clauses(asked))
    cost = 50 * len(shown.matches) + 40 * len(shown.timeline)
    cost += sum(estimate_tokens(detail.content) for detail in shown.details)
    assert shown.meta.estimated_tokens == cost <= max(budget, 0)
    assert shown.meta.expanded_count == len(shown.details)
    assert shown.matches == found.matches[: len(shown.matches)]
    rest = iter(found.timeline)
    assert all(near in rest for near in shown.timeline)  # in their order
    assert shown.matches or not (shown.timeline or shown.details)
    text = as_text(shown, budget)
    answer = fenced(text, Path("/nowhere"))
    for one in (text, answer):
        assert estimate_tokens(one) <= max(budget, 0) and client_chars(one) <= 10_000
    assert bool(text) == bool(shown.matches)
    # Once fitted is fitted: nobody needs to fit it again to render it.
    assert fit(shown, budget) == fit(shown, budget, SETTINGS, clauses(asked)) == shown


@pytest.mark.parametrize("char", ["x", "好", "𝄞", "x\n"])
def test_no_text_is_longer_than_the_client_takes(char: str) -> None:
    matches = tuple(item(f"m{n}", 0.9)._replace(summary=char * 90) for n in range(40))
    timeline = tuple(TimelineItem(f"t{n}", None, "prompt", char * 190, n == 3) for n in range(7))
    details = tuple(Detail(f"d{n}", char * 20_000, "prompt", None, None, None, 1, False) for n in range(3))
    found = Disclosed(matches, timeline, details, Meta(40, 0, 0))
    for some in (found, found._replace(matches=matches[:2], timeline=())):
        shown = fit(some, 1_000_000)
        text = fenced(as_text(shown, 2_500), Path("/nowhere"))
        assert shown.matches and 7_000 < client_chars(text) <= 10_000
        assert client_chars(text) == len(text.encode("utf-16-le")) // 2


def test_a_part_of_a_detail_is_the_part_that_was_asked_for() -> None:
    text = "\n".join(["nothing of interest here"] * 400 + ["the WOMBAT cache is stale"] + ["and more"] * 400)
    detail = Detail("abc", text, "response", NOW, "s1", None, estimate_tokens(text), False)
    found = Disclosed((item("abc", 0.95),), (), (detail,), Meta(1, 0, 0))
    shown = fit(found, 600, SETTINGS, clauses("wombat cache"))
    (part,) = shown.details
    assert "the WOMBAT cache is stale" in part.content and part.content.startswith("…")
    assert part.content.endswith("[cut from 13,625 characters; axm show abc has them all]")
    assert estimate_tokens(part.content) <= SETTINGS.detail_tokens and part.token_count == detail.token_count
    assert 480 < shown.meta.estimated_tokens <= 600


@rows("R3.17", "R3.18")
def test_the_index_then_what_is_near_then_details_then_what_is_farther_away() -> None:
    index = tuple(items(0.9, 0.8, 0.8))
    timeline = tuple(TimelineItem(str(i), NOW + i, "prompt", f"said {i}", i == 3) for i in range(7))
    detail = Detail("a", "word " * 100, "prompt", NOW, "s1", None, 125, False)
    found = Disclosed(index, timeline, (detail,), Meta(3, 0, 0))

    def left(budget: int) -> tuple[int, str, int]:
        shown = fit(found, budget, SETTINGS)
        return len(shown.matches), "".join(near.id for near in shown.timeline), len(shown.details)

    assert list(dict.fromkeys(left(budget) for budget in range(20, 800))) == [
        (0, "", 0), (1, "", 0), (2, "", 0), (3, "", 0), (3, "34", 0), (3, "234", 0), (3, "234", 1),
        (3, "2345", 1), (3, "12345", 1), (3, "123456", 1), (3, "0123456", 1),
    ]  # fmt: skip


@rows("R3.18")
@given(everything, st.integers(0, 3_000), st.integers(0, 500), st.sampled_from(["", "wombat cache"]))
def test_more_budget_never_gives_less(found: Disclosed, budget: int, more: int, asked: str) -> None:
    less, shown = (fit(found, tokens, SETTINGS, clauses(asked)) for tokens in (budget, budget + more))
    assert less.matches == shown.matches[: len(less.matches)]
    assert {id(near) for near in less.timeline} <= {id(near) for near in shown.timeline}
    assert [detail.id for detail in less.details] == [detail.id for detail in shown.details][: len(less.details)]
    for before, after, whole in zip(less.details, shown.details, found.details, strict=False):
        assert before.content != whole.content or after.content == whole.content


def test_what_stands_in_the_index_is_not_said_again_around_it() -> None:
    index = (item("a", 0.9), item("b", 0.85), item("c", 0.85))
    timeline = tuple(TimelineItem(name, NOW, "prompt", f"said by {name}", name == "a", None, "s1") for name in "abx")
    text = as_text(fit(Disclosed(index, timeline, (), Meta(3, 0, 0)), 2_000, SETTINGS), 2_000)
    around = text.partition("## Timeline Context")[2]
    assert ": match 1 [a]" in around and ": match 2 [b]" in around and ": said by x [x]" in around
    assert "said by a" not in around and "said by b" not in around


# --- what still stands -------------------------------------------------------------------------------------------

ASKED = "which database does the service use"


def recalled(memory: Memory, text: str = ASKED, **options: Any) -> list[str]:
    """What is recalled of a text, however likely, as lines."""
    return [one.summary for one in memory.recall.index(text, EVERYWHERE, min_score=0.0, now=NOW, **options)]


@pytest.fixture
def settled(world: World) -> World:
    """A decision, and a later one that replaced it."""
    world.write(answered("s1", "SQLite", at=100))
    world.write(answered("s2", "Postgres", at=5_000))
    memory = world.memory()
    memory.index()
    memory.learning.run()
    assert world.rows("select status, text from entries order by happened_at") == [
        ("superseded", "SQLite"),
        ("active", "Postgres"),
    ]
    return world


def test_a_reversed_decision_is_never_served_and_its_successor_is_once(settled: World) -> None:
    memory = settled.memory()
    found = recalled(memory)
    assert found[0] == f"{QUESTION} → Postgres"
    assert not [line for line in found if "SQLite" in line] and len(set(found)) == len(found)
    # Neither as what was around it.
    disclosed = memory.recall.smart_search(ASKED, EVERYWHERE, min_score=0.0, top_k=1, now=NOW)
    assert all("s1.jsonl" not in near.citation.path for near in disclosed.timeline if near.citation)
    # Not asked for by its words, but served: what was learned from a tool call stands for it.
    first = memory.recall.index("SQLite what we know best", EVERYWHERE, min_score=0.0, now=NOW, session="s1")
    assert [one.session_id for one in first if one.entry is not None] == ["s2"]
    # Whoever asks for it by its id may see it.
    (old,) = settled.rows("select entry_id from entries where text = 'SQLite'")
    assert memory.recall.details([old[0]])[0].content == f"{QUESTION}\n\nSQLite"


@pytest.mark.parametrize("act", ["deprecated", "contested"])
def test_what_was_withdrawn_or_is_in_dispute_is_not_served(settled: World, act: str) -> None:
    memory = settled.memory()
    (entry,) = settled.rows("select entry_id from entries where status = 'active'")
    memory.entries.rule(entry[0], act, "it was a mistake")
    assert [line for line in recalled(memory) if "SQLite" in line or "Postgres" in line] == []
    memory.entries.rule(entry[0], "restored", "it was none")
    assert recalled(memory)[0] == f"{QUESTION} → Postgres"


def test_the_copy_of_a_reversed_decision_in_a_fork_is_not_served_either(settled: World) -> None:
    fork = Lines("fork")
    fork.lines = [{**line, "sessionId": "fork", "forkedFrom": "s1"} for line in answered("s1", "SQLite").lines]
    fork.prompt("go on with the fork", at=200)
    settled.write(fork)
    memory = settled.memory()
    memory.index()
    assert settled.one("select count(*) from prompts where session_id = 'fork'") == 2
    assert not [line for line in recalled(memory, f"{ASKED} SQLite know best") if "SQLite is what" in line]


def test_the_words_of_an_entry_are_not_said_twice(settled: World) -> None:
    found = settled.memory().recall.index(f"{ASKED} Postgres know best", EVERYWHERE, min_score=0.0, now=NOW)
    assert [one.type for one in found if one.session_id == "s2"].count("tool") == 0
    assert [one.entry.status for one in found if one.entry is not None] == ["active"]


def test_a_session_does_not_recall_itself_nor_what_was_served(settled: World) -> None:
    memory = settled.memory()
    assert recalled(memory, not_session="s2") == ["Set the service up"]  # of the other one, and no decision of it
    best = memory.recall.index(ASKED, EVERYWHERE, min_score=0.0, now=NOW)[0]
    assert best.entry is not None
    for name in (best.id, best.entry.entry_id):
        assert f"{QUESTION} → Postgres" not in recalled(memory, skip={name})


def test_subagents_are_part_of_their_session(world: World) -> None:
    tell(world, "main", "start the wombat survey")
    sub = Lines("main", sidechain=True)
    sub.prompt("count them")
    sub.answer("There are nine penguins on the island of the wombat survey.")
    path = world.path("main").parent / "main" / "subagents" / "agent-a1.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(sub.data().replace(b'"main-', b'"sub-'))
    memory = world.memory()
    memory.index()
    assert len(recalled(memory, "wombat survey")) == 2
    assert recalled(memory, "wombat survey", not_session="main") == []


# --- what was around it ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> World:
    world = World(tmp_path_factory.mktemp("day"))
    lines = Lines("s1")
    lines.prompt("first of all say hello")
    lines.prompt("Fix the wombat cache in src/app.py, and not in example.com")
    lines.answer("The wombat cache is stale:\n```py\nclear()\n```")
    lines.tool("Edit", "e1", file_path="/home/dev/weather/cache.py", old_string="a", new_string="b")
    lines.result("e1")
    lines.prompt("now the penguin")
    lines.answer("The penguin is fine.")
    world.write(lines)
    other = Lines("s2", cwd="/home/dev/other")
    other.prompt("the wombat is elsewhere")
    other.answer("The wombat cache is elsewhere.")
    world.write(other)
    world.memory().index()
    return world


def ids(world: World) -> list[str]:
    """Of the passages of the first session, in their order."""
    return [near.id for near in world.memory().recall.timeline([first(world, "hello")], window=50)]


def first(world: World, text: str) -> str:
    return world.memory().recall.index(text, EVERYWHERE, min_score=0.0, now=NOW)[0].id


@rows("R3.2", "R3.13")
def test_a_timeline_is_what_was_said_around_targets_once_and_in_order(day: World) -> None:
    memory, all_ids = day.memory(), ids(day)
    assert len(all_ids) == 6
    near = memory.recall.timeline([all_ids[2], all_ids[1], "nothing", "zzzzzzz", all_ids[2], "ent_ffff"], window=1)
    assert [one.id for one in near] == all_ids[:4]
    assert [one.is_target for one in near] == [False, True, True, False]  # though each is beside the other
    assert near[2].preview == "The wombat cache is stale: [py code]" and near[3].type == "tool"
    assert all(one.citation is not None for one in near) and memory.recall.timeline([]) == []
    assert [one.id for one in memory.recall.timeline([all_ids[3]], window=0)] == [all_ids[3]]


def test_around_a_match_a_persons_words_are_said_once(world: World) -> None:
    """Not as what they became as well."""
    wish = "Always keep the tide tables sorted by harbour"
    lines = Lines("s1")
    lines.prompt(f"{wish}.", at=0)
    lines.answer("I will.", at=1)
    learned(world, lines)
    found = world.rows("select id, kind from passages where session_id = 's1'")
    (answer,), (entry,) = ([short_id(n) for n, kind in found if kind == wanted] for wanted in ("response", "insight"))
    with world.memory().recall.reading() as reader:
        assert [one.type for one in reader.timeline([answer], is_served=True)] == ["prompt", "response"]
        assert entry in [one.id for one in reader.timeline([entry], is_served=True)]


@rows("R3.3", "R3.14")
def test_details_say_what_belongs_together(day: World) -> None:
    memory, all_ids = day.memory(), ids(day)
    prompt, answer, edit = memory.recall.details([all_ids[1], "nothing", all_ids[2], all_ids[3]])
    assert (prompt.parent_id, prompt.child_ids) == (None, (all_ids[2], all_ids[3]))
    assert prompt.files == ("src/app.py",) and prompt.tools == ("Edit",) and not prompt.has_code
    assert answer.parent_id == edit.parent_id == prompt.id and answer.has_code and answer.child_ids == ()
    assert edit.files == ("/home/dev/weather/cache.py",) and edit.tools == ("Edit",)
    assert answer.token_count == estimate_tokens(answer.content) and answer.session_id == "s1"


def test_an_entry_is_related_to_the_words_it_rests_on(settled: World) -> None:
    memory = settled.memory()
    (entry,) = settled.rows("select entry_id from entries where status = 'active'")
    (detail,) = memory.recall.details([entry[0][:10]])
    (words,) = memory.recall.details(detail.related_ids)
    assert words.type == "tool" and "Postgres" in words.content and words.related_ids == (entry[0],)
    assert [near.is_target for near in memory.recall.timeline([entry[0]])].count(True) == 1


# --- for an agent ------------------------------------------------------------------------------------------------


def eager(world: World, floor: float = 0.0, other: float = 0.0) -> Memory:
    """A memory that takes anything for likely: how likely things are in so small a world says nothing."""
    memory = world.memory()
    config = memory.config
    memory.home.config = config._replace(
        disclosure=config.disclosure._replace(min_score=floor),
        hooks=config.hooks._replace(other_projects=other, prompt_chance=floor),
    )
    return memory


WOMBAT = "why is the wombat cache stale in the weather app"


RULE = "Always clear the stale wombat cache of the weather app before a release."


def test_the_own_project_comes_first_and_others_are_named(day: World, tmp_path: Path) -> None:
    own = eager(day).recall(WOMBAT, Scope(PROJECT), now=NOW)
    assert own is not None and {one.project for one in own.matches} == {PROJECT}
    assert not any(one.elsewhere for one in own.matches)
    world = World(tmp_path)
    lines = Lines("s1")
    lines.prompt(RULE)
    lines.answer("The wombat cache of the weather app is stale because nobody clears it.")
    world.write(lines)
    world.memory().index()
    world.memory().learning.run()
    for scope in (Scope("/home/dev/empty"), EVERYWHERE):
        other = eager(world).recall(WOMBAT, scope, now=NOW)
        assert other is not None and all(one.elsewhere for one in other.matches)
        assert {(one.type, one.provenance) for one in other.matches} == {("insight", "person")}, "no answer of an agent"
        assert not other.timeline, "what was said around it stays in its project"
        assert f"from {PROJECT}" in as_text(other, 800)
    for memory in (eager(world, other=1.01), eager(day)):
        silent = memory.recall.answer(WOMBAT, Scope("/home/dev/empty"), now=NOW)
        assert isinstance(silent, Silence) and silent.why == "nothing_relevant" and silent.best is None


@rows("R3.12", "R3.20")
def test_silence(day: World) -> None:
    memory = eager(day)
    assert memory.recall.answer("yes", EVERYWHERE, now=NOW) == Silence("nothing_to_ask")
    assert memory.recall(WOMBAT, EVERYWHERE, now=NOW, budget=20) is None
    assert memory.recall(WOMBAT, Scope(PROJECT), now=NOW, session="s1") is None  # the other project's agent stays there
    assert memory.recall("the quokka committee of Saturday evening", EVERYWHERE, now=NOW) is None
    seen = memory.recall(WOMBAT, Scope(PROJECT), now=NOW)
    assert seen is not None
    again = memory.recall(WOMBAT, Scope(PROJECT), now=NOW, skip={one.id for one in seen.matches})
    assert again is None or not {one.id for one in again.matches} & {one.id for one in seen.matches}


def test_a_prompt_is_no_query(day: World) -> None:
    memory = eager(day)
    odd = 'why is the "wombat cache stale -wombat kind:nonsense since:never project:'
    assert memory.recall.index(odd, EVERYWHERE, plain=True, now=NOW)


# --- what is kept ------------------------------------------------------------------------------------------------


@rows("R3.34", "R3.35", "R3.47")
def test_the_second_answer_is_kept_until_the_index_changes(settled: World, monkeypatch: pytest.MonkeyPatch) -> None:
    import axiommind.search.find as searching

    asked: list[str] = []
    find = searching.find

    def counted(db: Any, query: Any, *rest: Any) -> Any:
        asked.append(query.text)
        return find(db, query, *rest)

    monkeypatch.setattr(searching, "find", counted)
    clock = [0.0]
    memory = settled.memory()
    memory.recall.with_cache(lambda: clock[0])

    def ask(**options: Any) -> tuple[list[IndexItem], int]:
        before = len(asked)
        return memory.recall.index(ASKED, EVERYWHERE, min_score=0.0, **options), len(asked) - before

    found, searched = ask()
    assert ask() == (found, 0) and searched == 1  # R3.47
    assert all(ask(**other)[1] for other in ({"top_k": 3}, {"not_session": "s1"}, {"since": "7d"}, {"skip": {"a"}}))
    clock[0] += 61  # older than its time to live
    assert ask() == (found, 1)
    # A ruling is an event: what was kept is never found again.
    (entry,) = settled.rows("select entry_id from entries where status = 'active'")
    timeline, details = memory.recall.timeline([found[0].id]), memory.recall.details([entry[0]])
    settled.memory().entries.rule(entry[0], "deprecated", "it was a mistake")
    ruled, searched = ask()
    assert searched == 1 and found[0] not in ruled
    assert memory.recall.timeline([found[0].id]) == timeline and memory.recall.details([entry[0]]) == details
    # So is another index file.
    settled.memory().rebuild()
    assert ask() == (ruled, 1) and memory.recall.cache is not None and len(memory.recall.cache.details) == 2
    tell(settled, "s9", "which database does the service of the harbour use")
    settled.memory().index()
    assert len(ask()[0]) == len(ruled) + 1


@rows("R3.33")
def test_what_is_kept_is_bounded_in_number_and_in_time() -> None:
    clock = [0.0]
    kept: Kept[int] = Kept(2, 1_000, lambda: clock[0])
    kept.put("a", 1)
    kept.put("b", 2)
    assert kept.get("a") == 1
    kept.put("c", 3)  # the one asked for longest ago goes
    assert (kept.get("a"), kept.get("b"), kept.get("c"), len(kept)) == (1, None, 3, 2)
    clock[0] = 0.999
    assert kept.get("a") == 1
    clock[0] = 1.0
    assert kept.get("a") is None and len(kept) == 1
