"""What an agent pays for the MCP server: for the tools before it calls any, for a match, and for the largest answer of
each, over a home of large sessions in English and Korean."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from axiommind.config import Config
from axiommind.memory import Memory
from axiommind.surfaces.mcp import ServerFeatures, answers
from axiommind.surfaces.mcp.pages import MOST_TOKENS, PAGE_TOKENS, cost
from axiommind.text.estimate import estimate_tokens
from tests.learning.sessions import Session
from tests.transcripts import PROJECT, Lines, World

LISTED_TOKENS = 5_500  # of all tools
MATCH_TOKENS = 80  # of a match in English; the summary alone may have a hundred characters
ENGLISH = "The harbour ledger keeps one row for every ship, and the night job closes the berths that nobody paid for. "
KOREAN = "항구 장부는 배마다 한 줄을 두고, 야간 작업은 아무도 돈을 내지 않은 선석을 닫는다. 재시도는 세 번까지만 한다. "
ABOUT = ("harbour ledger", "항구 장부")
SESSIONS = {
    "3bb427c1-a1da-459d-aad1-245c92010b38": ENGLISH,
    "7f21c0de-9b7e-4c55-8a1f-0d5a6f1e2b3c": KOREAN,
    "agent-a0f1e2d3c4b5a6978": KOREAN,
}
LONG = 120_000  # characters of one text


class Built:
    """A server over a home in which everything is as long as it may be, and the ids of what is in it."""

    def __init__(self, world: World) -> None:
        for name, words in SESSIONS.items():
            lines = Lines(name)
            for n in range(60):
                lines.prompt(f"{n}: {words * 4}")
                lines.answer(f"{n}: {words * (LONG // len(words) if n < 2 else 12)}")
            world.write(lines)
        tasks = Session("tasks")
        tasks.prompt(KOREAN * 20)
        numbers = [tasks.task(f"{n} {(KOREAN if n % 2 else ENGLISH) * 8}") for n in range(80)]
        for number in numbers[1:]:
            tasks.update(number, addBlockedBy=[numbers[0]])
        for status in ("in_progress", "pending") * 40:
            tasks.update(numbers[0], status=status)
        world.write(tasks)
        environ = world.environ | {"CLAUDE_CODE_SESSION_ID": "tasks", "CLAUDE_PROJECT_DIR": PROJECT}
        self.memory = Memory(Config.load(environ), environ=environ, user=world.base)
        self.memory.index()
        self.memory.learning.run()
        self.features: ServerFeatures = answers(self.memory).features
        for n in range(25):
            made = self.memory.workflows.create(f"항구 {n} " + "장부 " * 40, KOREAN * 150, "/항구" * 50)
        self.flow, self.scope = made.id, made.project_scope or ""
        with self.memory._access.writing("agent") as writer:
            for n in range(49):
                writer.create_scratchpad(self.flow, f"{n} " + "항구 장부 " * 30, KOREAN * 40)
            text = "".join(f"## {n} {KOREAN * 3}\n" for n in range(2_000))
            self.pad = writer.create_scratchpad(self.flow, "항구 장부", text).row.id
        self.task = self.call("tasks", status="all", limit=1)["tasks"][0]["id"]

    def call(self, tool: str, **given: Any) -> Any:
        answer = self.features.call(tool, given)
        assert not answer.get("isError"), (tool, answer["content"][0]["text"])
        assert json.loads(answer["content"][0]["text"]) == answer["structuredContent"]
        return answer["structuredContent"]

    def ids(self, count: int = 20) -> list[str]:
        found = [
            one for about in ABOUT for one in self.call("search", query=about, project=PROJECT, limit=50)["matches"]
        ]
        return [one["id"] for one in found][:count]

    def pages(self, tool: str, **given: Any) -> Iterator[Any]:
        cursor: str | None = None
        while True:
            page = self.call(tool, **given, **({"cursor": cursor} if cursor else {}))
            assert cost(page) <= MOST_TOKENS, (tool, cost(page))
            yield page
            cursor = page["next_cursor"]
            if cursor is None:
                return


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return Built(World(tmp_path_factory.mktemp("costs")))


def largest(built: Built) -> dict[str, dict[str, Any]]:
    """The call of each tool that has most to answer."""
    flow, pad, words = {"workflow_id": built.flow}, {"id": built.pad}, {"query": "항구 장부"}
    much = "select group_concat(text) as t, group_concat(text) as u from responses group by session_id"
    whole = {"include_content": True}
    quote = KOREAN.strip()
    return {
        "query": {"sql": much, "project": "all", "limit": 500},
        "stats": {"project": "all"},
        "remember": {"text": quote * 40, "quotes": [quote] * 8, "title": quote[:200]},
        "tasks": {"status": "all", "project": "all", "limit": 200},
        "task-show": {"id": built.task},
        "blocked": {"project": "all", "limit": 200},
        "decide": {},
        "feedback": {"id": built.ids(1)[0]},
        "search": {**words, "project": PROJECT, "limit": 50},
        "timeline": {"ids": built.ids(), "window": 20},
        "get": {"ids": built.ids()},
        "recall": {"prompt": f"{quote} 왜 그렇게 정했지?", "project": PROJECT, "budget": 10_000},
        "create-workflow": {"name": "항구" * 100, "description": KOREAN * 150, "project_scope": "항구" * 2_000},
        "list-workflows": {"limit": 100},
        "get-workflow": flow,
        "get-latest-active-workflow": {"project_scope": built.scope},
        "update-workflow-status": {**flow, "is_active": True},
        "get-scratchpad": {**pad, **whole},
        "get-scratchpad-outline": pad,
        "tail-scratchpad": {**pad, "full_content": True},
        "list-scratchpads": {**flow, **whole, "limit": 50},
        "create-scratchpad": {"workflow_id": built.flow, "title": "항구" * 100, "content": KOREAN * 100},
        "append-scratchpad": {**pad, "content": KOREAN * 100},
        "update-scratchpad": {**pad, "mode": "insert_at_line", "line_number": 1, "content": KOREAN * 100},
        "chop-scratchpad": pad,
        "search-workflows": {**words, "limit": 20},
        "search-scratchpads": {**words, "limit": 50},
        "search-scratchpad-content": {**pad, **words, "context_lines": 50, "max_matches": 50},
    }


def test_all_tools_together_are_small(built: Built) -> None:
    listed = {"tools": [tool.declared for tool in built.features.tools.values()]}
    assert cost(listed) <= LISTED_TOKENS
    assert "outputSchema" not in listed["tools"][0]


def test_a_match_is_a_line(built: Built) -> None:
    page = built.call("search", query="harbour ledger berths", project="all", limit=50)
    english = [one for one in page["matches"] if one["citation"].startswith("3bb427c1:")]
    assert len(english) >= 10
    assert sum(map(cost, english)) / len(english) <= MATCH_TOKENS
    assert cost(page) <= sum(map(cost, page["matches"])) + 75  # beside them, how they were found, and in which index
    for one in page["matches"]:
        session, _, line = one["citation"].rpartition(":L")
        assert line and json.dumps(one).count(session) == 1, "cited once, and without the path"
        assert sum(name.startswith(session) for name in (*SESSIONS, "tasks")) == 1


def test_the_largest_answer_of_every_tool_is_below_the_ceiling(built: Built) -> None:
    calls = largest(built)
    assert calls.keys() == built.features.tools.keys(), "say here what the largest answer of a new tool is"
    costs = {}
    for name, given in calls.items():
        answer = built.features.call(name, given)
        costs[name] = estimate_tokens(answer["content"][0]["text"])
        is_refused = name in ("create-scratchpad", "decide")  # there are fifty, and no evidence is given
        assert answer.get("isError", False) == is_refused, (name, answer["content"][0]["text"][:300])
    assert {name: tokens for name, tokens in costs.items() if tokens > MOST_TOKENS} == {}
    full = ("timeline", "get", "get-scratchpad", "tail-scratchpad", "tasks", "list-workflows", "query")
    assert all(costs[name] > PAGE_TOKENS * 0.7 for name in full), costs  # and there is room for what was asked


def test_pages_have_everything_once(built: Built) -> None:
    ids = built.ids(4)
    around = [one for page in built.pages("timeline", ids=ids, window=20) for one in page["timeline"]]
    assert [one["id"] for one in around] == [one.id for one in built.memory.recall.timeline(ids, window=20)]
    assert len({one["id"] for one in around}) == len(around) > 60
    tasks = [one["id"] for page in built.pages("tasks", status="all", project="all") for one in page["tasks"]]
    assert len(set(tasks)) == len(tasks) >= 80
    flows = [one["id"] for page in built.pages("list-workflows", limit=100) for one in page["workflows"]]
    assert len(set(flows)) == len(flows) >= 25
    pads = [one for page in built.pages("search-scratchpads", query="항구", limit=50) for one in page["results"]]
    assert len({one["scratchpad"]["id"] for one in pads}) == len(pads) >= 50


def test_long_texts_are_read_page_by_page(built: Built) -> None:
    sql = "select id from passages where kind = 'response' order by id"
    numbers = [row[0] for row in built.memory.sql(sql, built.memory.scope(all_projects=True))]
    from axiommind.ids import short_id

    details = built.memory.recall.details([short_id(number) for number in numbers])
    long = [one for one in details if len(one.content) > LONG // 2][:3]
    short = next(one for one in details if len(one.content) < 2_000)
    names = [one.id for one in (*long, short)]
    read = dict.fromkeys(names, "")
    pages = list(built.pages("get", ids=[*names, "nothing-here", "x" * 5_000]))
    for page in pages:
        assert page["unknown"] == ["nothing-here", "x" * 59 + "…"]
        for one in page["details"]:
            read[one["id"]] += one["content"]
    assert read == {one.id: one.content for one in (*long, short)}
    first = {one["id"]: one for one in pages[0]["details"]}
    assert first.keys() == set(names) and "part" not in first[short.id], "each has a share of the first page"
    assert first[long[0].id]["part"].startswith("characters 1 to ")
    assert [one["id"] for one in pages[-1]["details"]] != names and "citation" not in pages[-1]["details"][0]


def test_resources_and_prompts_are_below_it_too(built: Built) -> None:
    context = built.features.context
    uris = [f"axm://session/{name}" for name in SESSIONS] + [f"axm://workflow/{built.flow}", f"axm://pad/{built.pad}"]
    for uri in uris:
        (text,) = [one.function(context, **v) for one in built.features.resources if (v := one.variables(uri))]
        assert PAGE_TOKENS // 2 < estimate_tokens(text) <= MOST_TOKENS, uri
    for one in built.features.prompts.values():
        for given in ({"project": "all"}, {"project": PROJECT}):
            text = one.messages(context, given | ({"since": "2026-01-01"} if one.name == "weekly-review" else {}))[
                0
            ].text
            assert estimate_tokens(text) <= MOST_TOKENS, one.name


def test_errors_repeat_no_long_argument(built: Built) -> None:
    long = "가나다 'quoted'\n" * 2_000
    for tool, given in (
        ("get-scratchpad", {"id": long}),
        ("task-show", {"id": long}),
        ("query", {"sql": f"select {'x' * 3_000}"}),
        ("search", {"query": "x", "project": long}),
        ("search", {"query": "x", "cursor": long}),
        ("query", {"perspective": long}),
        ("query", {"sql": f"select {long}"[:19_000]}),
        ("decide", {"decision": "d", "evidence": [long]}),
        ("get", {"ids": ["a"], long: 1}),
        (long, {}),
    ):
        answer = built.features.call(tool, given)
        assert answer["isError"] and len(answer["content"][0]["text"]) < 2_000, tool
        assert "Internal error" not in answer["content"][0]["text"], answer
