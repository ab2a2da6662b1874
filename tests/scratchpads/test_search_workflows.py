"""Searching workflows and pads: points for every place of a keyword, and pages of them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from axiommind.errors import BadQuery
from axiommind.memory import Memory
from axiommind.scratchpads.values import WorkflowPage
from axiommind.text.edits import cut
from axiommind.text.query_terms import Clause, keyword_clauses
from axiommind.text.tokens import fts_text
from tests.examples import examples
from tests.rows import rows
from tests.transcripts import Lines, World

WORDS = (
    *("React", "hooks", "login", "OAuth2", "getUserById", "user_name", "user's", "l'homme", "naïve", "the", "of", "v2"),
    *("run", "running", "Runs", "組件", "組件開發", "用戶登入", "用戶", "登入", "哈哈哈哈", "組", "テスト", "を"),
    *("충돌이", "충돌을", "데이터베이스는", "데이터베이스", "->", "☃", "☃☃", "50%_off"),
)


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return World(tmp_path).memory()


def made(
    memory: Memory, name: str, description: str = "", *scratchpads: tuple[str, str], scope: str | None = None
) -> str:
    flow = memory.workflows.create(name, description, scope)
    for title, text in scratchpads:
        memory.scratchpads.create(flow.id, title, text)
    return flow.id


def scores(page: WorkflowPage) -> list[tuple[str, int]]:
    return [(one.workflow.name, one.score) for one in page.results]


@rows("R4.8", "R4.18", "R4.20", "R4.22", "R4.29")
def test_the_worked_example_has_ten_points(memory: Memory) -> None:
    made(memory, "React專案", "前端開發", ("React基礎", "組件設計模式..."), ("狀態管理", "React hooks..."))
    page = memory.workflows.search("React 組件")
    assert scores(page) == [("React專案", 10)]
    assert [(one.row.title, one.score, one.snippet) for one in page.results[0].matching_scratchpads] == [
        ("React基礎", 4, "組件設計模式..."),
        ("狀態管理", 1, "React hooks..."),
    ]
    assert (page.search_method, page.total_results, page.has_more) == ("fts5-bigram", 1, False)


def test_a_word_is_one_by_its_signs(memory: Memory) -> None:
    made(memory, "Both", "C++ and C# and c#.", ("signs", "a -> b"))
    made(memory, "Sharp", "C# with F#")
    made(memory, "Plain", "the C language; issue #12, 1+1")
    assert scores(memory.workflows.search("C#")) == [("Both", 6), ("Sharp", 3)]
    assert scores(memory.workflows.search("C++")) == [("Both", 3)]
    assert scores(memory.workflows.search("C# language")) == [("Both", 6), ("Plain", 3), ("Sharp", 3)]
    assert scores(memory.workflows.search("->")) == [("Both", 1)]
    assert memory.workflows.search("C#").search_method == "like"


@rows("R4.19")
def test_each_occurrence_counts_once_for_each_part(memory: Memory) -> None:
    made(memory, "Parts", "", ("names", "parseConfig() calls parseConfig(user_name) for API_KEY and API_KEY_2"))
    counted = {"parseConfig": 2, "parse": 2, "config": 2, "user_name": 1, "user": 1, "API_KEY": 1, "key": 2}
    assert {word: memory.workflows.search(word).results[0].score for word in counted} == counted
    assert memory.workflows.search("art").total_results == 0


@rows("R4.13", "R4.14", "R4.15", "R4.16")
@pytest.mark.parametrize(
    ("query", "keywords"),
    [
        ("React組件開發", ["react", "組件 件開 開發"]),
        ("React組件 用戶登入 authentication", ["react", "組件", "用戶 戶登 登入", "authent"]),
        ("v2 OAuth2 snake_case", ["v2", "oauth2", "snake_case"]),
        ("충돌이 데이터베이스는", ["충돌", "데이 이터 터베 베이 이스"]),
        ("run the running 組", ["run", "組"]),
        ("the of", ["the", "of"]),
        ("-> !!", []),
    ],
)
def test_keywords_are_split_at_scripts_and_no_further(query: str, keywords: list[str]) -> None:
    assert [" ".join(one.terms) for one in keyword_clauses(query)] == keywords


@rows("R4.10", "R4.24")
def test_a_word_in_a_pad_is_enough_and_what_did_not_match_is_left_out(memory: Memory) -> None:
    made(memory, "Alpha", "", ("notes", "nothing"), ("more", "the database locks and LOCKED again"))
    made(memory, "Beta", "about other things", ("notes", "nothing"))
    page = memory.workflows.search("locks")
    assert scores(page) == [("Alpha", 2)]
    assert [one.row.title for one in page.results[0].matching_scratchpads] == ["more"]


@rows("R4.19")
def test_a_title_counts_once_however_long_the_pad_is(memory: Memory) -> None:
    made(memory, "Alpha", "", ("rollout", "\n".join(f"line {n} says a little more" for n in range(400))))
    assert scores(memory.workflows.search("rollout")) == [("Alpha", 3)]


def test_words_next_to_each_other_are_no_run(memory: Memory) -> None:
    made(memory, "one", "用戶登入")
    made(memory, "two", "用戶 登入")
    assert scores(memory.workflows.search("用戶登入")) == [("one", 3)]


def test_transcripts_have_no_points(tmp_path: Path) -> None:
    world = World(tmp_path)
    lines = Lines()
    lines.prompt("deploy deploy deploy")
    world.write(lines)
    memory = world.memory()
    memory.index()
    made(memory, "Deploy it")
    assert scores(memory.workflows.search("deploy")) == [("Deploy it", 5)]


@rows("R4.21", "R4.30")
def test_ties_go_to_the_latest_updated(memory: Memory) -> None:
    first = made(memory, "one deploy", "", ("a", "text"))
    made(memory, "two deploy")
    assert [name for name, _ in scores(memory.workflows.search("deploy"))] == ["two deploy", "one deploy"]
    memory.scratchpads.append(memory.scratchpads.list(workflow=first)[0].id, "more")
    assert [name for name, _ in scores(memory.workflows.search("deploy"))] == ["one deploy", "two deploy"]


@pytest.mark.parametrize(
    ("query", "page", "limit"), [("", 1, 5), (" \n", 1, 5), ("x", 0, 5), ("x", 1, 0), ("x", 1, 21), ("x " * 2000, 1, 5)]
)
def test_what_cannot_be_meant_is_refused_also_in_an_empty_home(
    memory: Memory, query: str, page: int, limit: int
) -> None:
    for _ in range(2):
        with pytest.raises(BadQuery) as refused:
            memory.workflows.search(query, page=page, limit=limit)
        assert refused.value.hint
        memory.workflows.create("any")


def test_long_runs_and_many_signs(memory: Memory) -> None:
    run = "".join(map(chr, range(0x4E00, 0x4E00 + 700)))
    made(memory, "one", "", ("t", f"{run} and {run}\n{run[:600]} ☃"))
    for query, points in ((run, 2), (run[:600], 3), (run[:300], 3), (run[::-1], 0)):
        assert sum(score for _, score in scores(memory.workflows.search(query))) == points
    signs = " ".join(map(chr, range(0x1F300, 0x1F300 + 900)))
    assert scores(memory.workflows.search(f"☃ {signs}")) == [("one", 1)]


def test_an_empty_home_has_an_empty_page(memory: Memory) -> None:
    page = memory.workflows.search("deploy", page=3)
    assert (page.results, page.total_results, page.has_more, page.search_method) == ((), 0, False, "fts5")
    assert memory.scratchpads.search("배포").results == ()


# --- laws ------------------------------------------------------------------------------------------------


class Home:
    """Workflows with pads of all kinds of words, written, renamed and cut, and the obvious way to count them."""

    def __init__(self, base: Path) -> None:
        rng = random.Random(7)

        def said(most: int) -> str:
            return "".join(
                rng.choice(WORDS) + rng.choice((" ", " ", "\n", "", ", ")) for _ in range(rng.randint(1, most))
            )

        self.memory = World(base).memory()
        for n in range(9):
            scope = rng.choice((None, "/a", "/a/b"))
            flow = self.memory.workflows.create(" ".join(said(4).split()), said(12), scope)
            for _ in range(rng.choice((0, 1, 2, 3))):
                scratchpad = self.memory.scratchpads.create(
                    flow.id, " ".join(said(5).split()), said(rng.choice((3, 40, 900)))
                ).row
                if n % 3 == 0:
                    self.memory.scratchpads.append(scratchpad.id, said(30))
                    self.memory.scratchpads.rename(scratchpad.id, " ".join(said(3).split()))
                if n % 4 == 0:
                    self.memory.scratchpads.insert(scratchpad.id, 1, said(9))
        self.flows = self.memory.workflows.list(limit=50)
        self.scratchpads = {
            flow.id: [
                self.memory.scratchpads.show(scratchpad.id)
                for scratchpad in self.memory.scratchpads.list(workflow=flow.id)
            ]
            for flow in self.flows
        }

    def slowly(self, query: str, scope: str | None) -> list[tuple[str, int, list[tuple[str, int]]]]:
        """Workflow, score, and its pads that matched. The flows are the latest first, and sorting is stable."""
        found = []
        for flow in self.flows:
            if scope is not None and flow.project_scope != scope:
                continue
            own = 5 * times(query, flow.name) + 3 * times(query, flow.description)
            scratchpads = []
            for scratchpad in self.scratchpads[flow.id]:
                chunks = ["\n".join(lines) for lines in cut(scratchpad.text.split("\n"))]
                points = 3 * times(query, scratchpad.row.title) + sum(times(query, chunk) for chunk in chunks)
                if points:
                    scratchpads.append((scratchpad.row.id, points))
            scratchpads.sort(key=lambda one: -one[1])
            if total := own + sum(points for _, points in scratchpads):
                found.append((flow.id, total, scratchpads))
        return sorted(found, key=lambda one: -one[1])


def times(query: str, text: str) -> int:
    keywords = keyword_clauses(query)
    if not keywords:
        return sum(text.casefold().count(sign) for sign in dict.fromkeys(query.casefold().split()))
    return sum(occurrences(keyword, fts_text(text, each=True).split()) for keyword in keywords)


def occurrences(keyword: Clause, said: list[str]) -> int:
    if keyword.prefix:
        return sum(term.startswith(keyword.terms[0]) for term in said)
    size = len(keyword.terms)
    return sum(tuple(said[at : at + size]) == keyword.terms for at in range(len(said)))


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    yield Home(tmp_path_factory.mktemp("home"))


queries = st.lists(st.sampled_from(WORDS) | st.text(max_size=4), min_size=1, max_size=4).map(" ".join)


@rows("R4.12", "R4.17", "R4.19", "R4.20", "R4.21", "R4.23", "R4.25", "R4.30")
@settings(max_examples=examples(80), deadline=None)
@given(query=queries, scope=st.sampled_from((None, None, "/a", "/nowhere")), limit=st.integers(1, 20))
def test_pages_hold_what_counting_the_texts_gives(home: Home, query: str, scope: str | None, limit: int) -> None:
    if not query.replace("\x00", " ").strip():
        return
    expected = home.slowly(query.replace("\x00", "\ufffd").strip(), scope)
    found, number, more = [], 0, True
    while more:
        number += 1
        page = home.memory.workflows.search(query, project_scope=scope, page=number, limit=limit)
        more = page.has_more
        found += page.results
        assert page.total_results == len(expected)
    scratchpads = [[(scratchpad.row.id, scratchpad.score) for scratchpad in one.matching_scratchpads] for one in found]
    assert [(one.workflow.id, one.score, of) for one, of in zip(found, scratchpads, strict=True)] == expected
    assert [one.rank for one in found] == list(range(1, len(found) + 1))


# --- pads ------------------------------------------------------------------------------------------------


@rows("R4.1", "R4.26")
def test_pads_are_found_best_first_and_each_once(memory: Memory) -> None:
    deploy = "\n".join(["the deploy failed again"] * 300)
    flow = made(
        memory, "deploy deploy", "deploy", ("log", deploy), ("deploy plan", "first steps"), ("other", "nothing")
    )
    page = memory.scratchpads.search("deploy plan")
    assert {hit.scratchpad.title for hit in page.results} == {"log", "deploy plan"}
    assert page.results[0].scratchpad.title == "deploy plan"
    assert all(hit.scratchpad.workflow_id == flow and hit.workflow_name == "deploy deploy" for hit in page.results)
    log = next(hit for hit in page.results if hit.scratchpad.title == "log")
    assert log.citation.path == f"axm://pad/{log.scratchpad.id}"
    assert (log.line_start, log.line_end) == log.citation[1:]


@rows("R4.11", "R4.28")
def test_pads_of_one_workflow_or_of_one_scope(memory: Memory) -> None:
    one = made(memory, "one", "", ("a", "the deploy"), scope="/a")
    made(memory, "two", "", ("b", "the deploy"), scope="/a/b")
    made(memory, "three", "", ("c", "the deploy"))

    def titles(**asked: str) -> set[str]:
        return {hit.scratchpad.title for hit in memory.scratchpads.search("deploy", **asked).results}  # type: ignore[arg-type]

    assert titles() == {"a", "b", "c"}
    assert titles(workflow=one) == {"a"}
    assert titles(project_scope="/a/b") == {"b"}
    assert titles(workflow=one, project_scope="/a/b") == set()


@rows("R4.5")
def test_pages_of_pads_hold_every_pad_once(memory: Memory) -> None:
    flow = made(memory, "flow", "", *((f"pad {n}", f"the deploy number {n}" + " and more" * n) for n in range(7)))
    seen, cursor = [], None
    while True:
        page = memory.scratchpads.search("deploy", limit=3, cursor=cursor)
        assert page.total_results == 7
        seen += [hit.scratchpad.id for hit in page.results]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert sorted(seen) == sorted(scratchpad.id for scratchpad in memory.scratchpads.list(workflow=flow))
    with pytest.raises(BadQuery):
        memory.scratchpads.search("deploy", limit=51)
    with pytest.raises(BadQuery):
        memory.scratchpads.search("deploy", cursor="nonsense")
