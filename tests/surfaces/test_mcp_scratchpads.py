"""Working memory over MCP, asked by real clients: what one writes the other is told, and nothing is written unseen."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from axiommind.surfaces.mcp.pages import PAGE_TOKENS, cost, cursor_of, mark_of
from tests.rows import rows
from tests.transcripts import PROJECT, World

mcp = pytest.importorskip("mcp")


class Agent:
    """A client with a server of its own, as every window of an agent has one."""

    def __init__(self, client: Any) -> None:
        self._client = client

    async def __call__(self, tool: str, **given: Any) -> Any:
        answer = await self._client.call_tool(tool, given)
        assert not answer.is_error, answer.content[0].text
        return answer.structured_content

    async def refused(self, tool: str, **given: Any) -> str:
        answer = await self._client.call_tool(tool, given)
        assert answer.is_error, answer.structured_content
        text: str = answer.content[0].text
        assert "Internal error" not in text and "Traceback" not in text, text
        return text


Act = Callable[[Agent, Agent], Awaitable[Any]]


@pytest.fixture
def act(world: World, monkeypatch: pytest.MonkeyPatch) -> Callable[[Act], Any]:
    """Let two agents act on one home."""
    from axiommind.surfaces.mcp import server

    monkeypatch.setenv("CLAUDE_PROJECT_DIR", PROJECT)

    async def run(play: Act) -> Any:
        async with mcp.Client(server(world.memory())) as one, mcp.Client(server(world.memory())) as other:
            return await play(Agent(one), Agent(other))

    return lambda play: asyncio.run(run(play))


async def begun(agent: Agent, content: str = "") -> tuple[str, str]:
    """A workflow and a scratchpad in it."""
    flow = (await agent("create-workflow", name="Ledger", project_scope="ledger"))["id"]
    return flow, (await agent("create-scratchpad", workflow_id=flow, title="Findings", content=content))["id"]


@rows("R4.8", "R4.22")
def test_the_worked_example_gives_ten(act: Callable[[Act], Any]) -> None:
    async def play(agent: Agent, _: Agent) -> Any:
        made = await agent("create-workflow", name="React專案", description="前端開發", project_scope="shop")
        for title, content in (("React基礎", "組件設計模式..."), ("狀態管理", "React hooks...")):
            await agent("create-scratchpad", workflow_id=made["id"], title=title, content=content)
        other = await agent("create-workflow", name="Other", project_scope="other")
        await agent("create-scratchpad", workflow_id=other["id"], title="t", content="react")
        found = await agent("search-workflows", query="React 組件")
        scoped = await agent("search-workflows", query="React 組件", project_scope="other")
        second = await agent("search-workflows", query="React 組件", page=2, limit=1)
        return made, found, scoped, second

    made, found, scoped, second = act(play)
    assert made["workflow"]["is_active"] and made["workflow"]["project"] == PROJECT
    first = found["results"][0]
    assert (first["workflow"]["id"], first["score"], first["rank"]) == (made["id"], 10, 1)
    assert [(scratchpad["title"], scratchpad["score"]) for scratchpad in first["matching_scratchpads"]] == [
        ("React基礎", 4),
        ("狀態管理", 1),
    ]
    assert found["pagination"] == {"page": 1, "per_page": 5, "total_results": 2, "has_more": False}
    assert [one["score"] for one in scoped["results"]] == [1]
    assert [one["rank"] for one in second["results"]] == [2] and second["pagination"]["has_more"] is False


def test_the_loser_is_told_what_is_there_now(act: Callable[[Act], Any]) -> None:
    async def play(one: Agent, other: Agent) -> None:
        _, scratchpad = await begun(one, "# Plan\nfirst\n")
        assert (await other("get-scratchpad", id=scratchpad))["scratchpad"]["version"] == 1
        await other("update-scratchpad", id=scratchpad, mode="replace", content="# New plan\nsecond\n")
        for given in (
            {"mode": "replace", "content": "mine"},
            {"mode": "replace_lines", "content": "mine", "start_line": 1, "end_line": 1},
            {"mode": "insert_at_line", "content": "mine", "line_number": 1},
            {"mode": "append_section", "content": "mine", "section_marker": "Plan"},
        ):
            said = await one.refused("update-scratchpad", id=scratchpad, **given)
            assert "changed since version 1" in said and "version 2" in said and "# New plan" in said
        assert "version 2" in await one.refused("chop-scratchpad", id=scratchpad)
        await one("append-scratchpad", id=scratchpad, content="mine")
        assert "since version 1" in await one.refused("chop-scratchpad", id=scratchpad), "what is between was not read"
        text = (await one("tail-scratchpad", id=scratchpad, full_content=True))["scratchpad"]["content"]
        assert text == "# New plan\nsecond\n\n---\n<!--- block start --->\nmine"
        assert (await one("chop-scratchpad", id=scratchpad, lines=4))["scratchpad"]["version"] == 4
        assert (await one("chop-scratchpad", scratchpad_id=scratchpad))["scratchpad"]["lines"] == 1, (
            "its own write it knows"
        )
        assert (await other("chop-scratchpad", id=scratchpad, version=5))["scratchpad"]["lines"] == 0

    act(play)


def test_what_was_never_read_is_not_written_over(act: Callable[[Act], Any], world: World) -> None:
    async def play(one: Agent, other: Agent) -> str:
        _, scratchpad = await begun(one, "# Plan\nfirst\n")
        await other("get-scratchpad", id=scratchpad, include_content=False)
        await other("get-scratchpad-outline", id=scratchpad)
        await other("tail-scratchpad", id=scratchpad, lines=1)
        for tool, given in (
            ("chop-scratchpad", {}),
            ("update-scratchpad", {"mode": "replace", "content": ""}),
            ("update-scratchpad", {"mode": "replace_lines", "content": "", "start_line": 1, "end_line": 2}),
        ):
            said = await other.refused(tool, id=scratchpad, **given)
            assert "read it first" in said and "version 1" in said and "# Plan" in said
        await other(
            "update-scratchpad", id=scratchpad, mode="append_section", section_marker="## Plan", content="second"
        )
        await other("append-scratchpad", id=scratchpad, content="third")
        return scratchpad

    scratchpad = act(play)
    found = world.memory().scratchpads.history(scratchpad)
    assert [(one.version, one.actor) for one in found] == [(3, "agent"), (2, "agent"), (1, "agent")]


def test_much_is_read_in_parts(act: Callable[[Act], Any]) -> None:
    lines = [f"{n} " + "組" * 40 for n in range(1, 2_001)]
    text = "\n".join(lines)

    async def play(agent: Agent, _: Agent) -> None:
        flow, scratchpad = await begun(agent, text)
        first = await agent("get-scratchpad", id=scratchpad)
        assert len(first["scratchpad"]["content"]) <= 2_000 and first["truncated"] and "line_start=" in first["note"]
        assert len((await agent("get-scratchpad", id=scratchpad, preview_mode=True))["scratchpad"]["content"]) <= 200
        read, at = "", 1
        while at is not None:
            part = await agent("get-scratchpad", id=scratchpad, include_content=True, line_start=at)
            assert cost(part) <= PAGE_TOKENS
            read, at = read + part["scratchpad"]["content"], part["next_line"]
        assert read == text
        some = await agent("get-scratchpad", id=scratchpad, line_start=2_000, line_end=9_999)
        assert some["scratchpad"]["content"] == lines[-1] and not some["truncated"] and some["next_line"] is None
        tail = await agent("tail-scratchpad", id=scratchpad)
        assert (tail["line_start"], tail["line_end"]) == (1_951, 2_000)
        assert (await agent("tail-scratchpad", id=scratchpad, tail_size={"chars": 3}))["scratchpad"][
            "content"
        ] == "組組組"
        await agent("append-scratchpad", id=flow, content="a block")
        block = await agent("tail-scratchpad", id=scratchpad, blocks=1)
        assert block["scratchpad"]["content"] == "a block" and block["line_start"] == 2_004
        (listed,) = (await agent("list-scratchpads", workflow_id=flow))["scratchpads"]
        assert 700 < len(listed["content"]) <= 800 and listed["truncated"]
        (listed,) = (await agent("list-scratchpads", workflow_id=flow, include_content=False))["scratchpads"]
        assert "content" not in listed

    act(play)


@rows("R4.5")
def test_lists_go_on_with_a_cursor(act: Callable[[Act], Any]) -> None:
    async def play(agent: Agent, _: Agent) -> None:
        ids = [(await agent("create-workflow", name=f"W{n}", project_scope="s"))["id"] for n in range(3)]
        for n in range(3):
            await agent("create-scratchpad", workflow_id=ids[2], title=f"P{n}", content="same words")
        first = await agent("list-workflows", limit=2)
        second = await agent("list-workflows", limit=2, cursor=first["next_cursor"])
        assert [row["id"] for row in first["workflows"] + second["workflows"]] == ids[::-1]
        assert second["next_cursor"] is None
        assert "another question" in await agent.refused("list-workflows", status="active", cursor=first["next_cursor"])
        assert "is no cursor" in await agent.refused("list-scratchpads", workflow_id=ids[2], cursor="?")
        scratchpads = await agent("list-scratchpads", workflow_id=ids[2], limit=2)
        rest = await agent("list-scratchpads", workflow_id=ids[2], limit=2, cursor=scratchpads["next_cursor"])
        assert [scratchpad["title"] for scratchpad in scratchpads["scratchpads"] + rest["scratchpads"]] == [
            "P0",
            "P1",
            "P2",
        ]
        found = await agent("search-scratchpads", query="same words", workflow_id=ids[2], limit=2)
        more = await agent("search-scratchpads", query="same words", workflow_id=ids[2], cursor=found["next_cursor"])
        titles = [one["scratchpad"]["title"] for one in found["results"] + more["results"]]
        assert sorted(titles) == ["P0", "P1", "P2"] and found["results"][0]["line_start"] == 1
        await agent("update-workflow-status", workflow_id=ids[2], is_active=False)
        latest = await agent("get-latest-active-workflow", project_scope="s")
        assert latest["id"] == ids[1]
        assert (await agent("get-workflow", id=ids[2]))["workflow"]["scratchpad_count"] == 3
        none = await agent("get-latest-active-workflow", project_scope="elsewhere")
        assert none["workflow"] is None and "list-workflows" in none["message"]

    act(play)


@rows("R4.4", "R4.9")
def test_lines_that_match_and_those_around(act: Callable[[Act], Any]) -> None:
    async def play(agent: Agent, _: Agent) -> None:
        _, scratchpad = await begun(agent, "\n".join(f"line {n}" for n in range(1, 41)))
        found = await agent("search-scratchpad-content", id=scratchpad, query="LINE 7", context_lines=1)
        assert found["ranges"] == [{"first": 6, "last": 8, "text": "... 6: line 6\n> 7: line 7\n... 8: line 8"}]
        found = await agent("search-scratchpad-content", id=scratchpad, queryRegex="1[59]$", context_lines=2)
        assert [one["line_number"] for one in found["matches"]] == [15, 19]
        assert [(one["first"], one["last"]) for one in found["ranges"]] == [(13, 21)], "ranges that touch are one"
        _, long = await begun(agent, "\n".join("word " * 100 for _ in range(2_000)))
        most = await agent("search-scratchpad-content", id=long, query="word", context_lines=50, max_matches=50)
        assert most["truncated"] and most["ranges"] and cost(most) <= PAGE_TOKENS

    act(play)


def test_which_pad_of_a_workflow_is_appended_to(act: Callable[[Act], Any]) -> None:
    async def play(agent: Agent, _: Agent) -> None:
        flow, only = await begun(agent)
        assert (await agent("append-scratchpad", id=flow, content="x"))["id"] == only
        context = (await agent("create-scratchpad", workflow_id=flow, title="Project context"))["id"]
        assert (await agent("append-scratchpad", id=flow, content="x"))["id"] == context
        await agent("create-scratchpad", workflow_id=flow, title="More context")
        said = await agent.refused("append-scratchpad", id=flow, content="x")
        assert only in said and "More context" in said
        empty = (await agent("create-workflow", name="Empty"))["id"]
        assert "create-scratchpad" in await agent.refused("append-scratchpad", id=empty, content="x")

    act(play)


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("get-scratchpad", {"id": "pad_nobody"}, "there is no scratchpad 'pad_nobody'"),
    ("get-scratchpad", {"id": "pad_00000000000000000000000000"}, "there is no scratchpad"),
    ("get-scratchpad", {}, "id: is missing"),
    ("get-scratchpad", {"id": "PAD", "scratchpad_id": "pad_other"}, "two were given"),
    ("get-scratchpad", {"id": "PAD", "line_start": -1}, "line_start: -1 is less than 1"),
    ("get-scratchpad", {"id": "PAD", "line_start": 99}, "no line 99"),
    ("get-scratchpad", {"id": "PAD", "line_start": 2, "line_end": 1}, "before the first"),
    ("get-workflow", {"workflow_id": "PAD"}, "there is no workflow"),
    ("create-scratchpad", {"workflow_id": "PAD", "title": "t"}, "there is no workflow"),
    ("create-scratchpad", {"workflow_id": "FLOW", "title": ""}, "title: is empty"),
    ("create-scratchpad", {"workflow_id": "FLOW", "title": "t", "content": "x" * (1 << 20) + "x"}, "1,048,576 bytes"),
    ("update-scratchpad", {"id": "FLOW", "mode": "replace", "content": "x"}, "there is no scratchpad"),
    ("update-scratchpad", {"id": "PAD", "mode": "rewrite", "content": "x"}, "is not one of replace"),
    ("update-scratchpad", {"id": "PAD", "mode": "insert_at_line", "content": "x"}, "line_number: is missing"),
    ("update-scratchpad", {"id": "PAD", "mode": "insert_at_line", "content": "x", "line_number": -3}, "less than 1"),
    ("update-scratchpad", {"id": "PAD", "mode": "replace_lines", "content": "x", "start_line": 1}, "end_line"),
    (
        "update-scratchpad",
        {"id": "PAD", "mode": "replace_lines", "content": "x", "start_line": 50, "end_line": 60},
        "no line 50",
    ),
    ("update-scratchpad", {"id": "PAD", "mode": "append_section", "content": "x"}, "section_marker: is missing"),
    ("update-scratchpad", {"id": "PAD", "mode": "replace", "content": "x", "version": 7}, "since version 7"),
    ("append-scratchpad", {"id": "PAD", "content": " \n"}, "nothing to append"),
    ("append-scratchpad", {"id": "PAD", "content": "x" * (1 << 20)}, "1,048,576 bytes"),
    ("chop-scratchpad", {"id": "PAD", "lines": 0}, "lines: 0 is less than 1"),
    ("tail-scratchpad", {"id": "PAD", "lines": 1, "blocks": 1}, "more than one size"),
    ("tail-scratchpad", {"id": "PAD", "tail_size": {"pages": 1}}, "no 'pages'"),
    ("tail-scratchpad", {"id": "PAD", "tail_size": {"lines": -1}}, "tail_size.lines: -1 is less than 1"),
    ("search-workflows", {"query": ""}, "query: is empty"),
    ("search-workflows", {"query": "   "}, "nothing to search for"),
    ("search-workflows", {"query": "x", "page": 0}, "page: 0 is less than 1"),
    ("search-scratchpads", {"query": " "}, "nothing to search for"),
    ("search-scratchpads", {"query": "x", "workflow_id": "PAD"}, "there is no workflow"),
    ("search-scratchpad-content", {"id": "PAD"}, "either a query or a regex"),
    ("search-scratchpad-content", {"id": "PAD", "query": "a", "queryRegex": "a"}, "either a query or a regex"),
    ("search-scratchpad-content", {"id": "PAD", "queryRegex": "(a"}, "the regex '(a' is"),
    ("search-scratchpad-content", {"id": "PAD", "query": "a", "context_lines": -1}, "less than 0"),
    ("create-workflow", {"name": "x" * 300}, "200 characters"),
    ("create-workflow", {"name": "x", "colour": "red"}, "no such argument"),
]


def test_bad_input_is_told(act: Callable[[Act], Any], world: World) -> None:
    async def play(agent: Agent, _: Agent) -> str:
        flow, scratchpad = await begun(agent, "# One\ntwo\n")
        for tool, given, said in WRONG:
            names = {"PAD": scratchpad, "FLOW": flow}
            filled = {
                name: names.get(value, value) if isinstance(value, str) else value for name, value in given.items()
            }
            assert said in (told := await agent.refused(tool, **filled)), (tool, given, told)
        assert (await agent("search-workflows", query="?!… --"))["results"] == []
        assert (await agent("search-scratchpads", query="?!… --"))["results"] == []
        past = await agent("update-scratchpad", id=scratchpad, mode="insert_at_line", line_number=50, content="end")
        assert past["scratchpad"]["lines"] == 3 and "added at the end" in past["note"]
        await agent("update-workflow-status", workflow_id=flow, is_active=False)
        said = await agent.refused("append-scratchpad", id=scratchpad, content="x")
        assert "is not active" in said and "update-workflow-status" in said
        assert "is not active" in await agent.refused("create-scratchpad", workflow_id=flow, title="t")
        return scratchpad

    assert world.memory().scratchpads.show(act(play)).text == "# One\ntwo\nend\n"


def test_half_characters_are_no_text(act: Callable[[Act], Any], world: World) -> None:
    from axiommind.surfaces.mcp import answers

    async def play(agent: Agent, _: Agent) -> str:
        return (await begun(agent, "x"))[1]

    scratchpad = act(play)
    given = {"name": "append-scratchpad", "arguments": {"id": scratchpad, "content": "half \ud83d"}}
    done = answers(world.memory()).methods["tools/call"](given)
    assert done["isError"] and "lone surrogate" in done["content"][0]["text"]


def test_a_shared_server_asks_for_the_version(world: World) -> None:
    from axiommind.surfaces.mcp import answers

    scratchpad = world.memory().scratchpads.create(world.memory().workflows.create("W").id, "P", "# Plan\n").row.id
    tools = answers(world.memory()).features
    tools.context.is_shared = True
    tools.call("get-scratchpad", {"id": scratchpad})  # by whom?
    refused = tools.call("chop-scratchpad", {"id": scratchpad})
    assert refused["isError"] and "version: is missing" in refused["content"][0]["text"]
    assert "isError" not in tools.call("chop-scratchpad", {"id": scratchpad, "version": 1})


def test_answers_are_no_longer_than_clients_take(world: World) -> None:
    from axiommind.surfaces.mcp import answers

    memory = world.memory()
    for n in range(5):
        flow = memory.workflows.create(f"alpha {n}", "alpha " * 1_500).id
        with memory._access.writing("agent") as writer:
            scratchpads = [
                writer.create_scratchpad(flow, f"alpha {m} " + "long " * 30, "alpha beta " * 20) for m in range(50)
            ]
    headed = memory.scratchpads.create(memory.workflows.create("heads").id, "h", "# a\n" * 5_000).row.id
    tools = answers(memory).features

    def asked(name: str, **given: Any) -> Any:
        answer = tools.call(name, given)
        assert cost(answer["structuredContent"]) <= PAGE_TOKENS, name
        return answer["structuredContent"]

    listed = asked("list-workflows")["workflows"]
    assert all(len(one["description"]) <= 800 for one in listed)
    assert len(asked("get-workflow", id=flow)["workflow"]["description"]) > 8_000
    for limit in (5, 20):
        found = asked("search-workflows", query="alpha", limit=limit)
        shown = [len(one["matching_scratchpads"]) for one in found["results"]]
        assert min(shown) > 5 and f"{250 - sum(shown)} more scratchpads match" in found["message"]
    assert asked("search-workflows", query="heads")["message"].endswith("page 1 of 1.")
    headings = asked("get-scratchpad-outline", id=headed)
    assert len(headings["outline"]) > 300 and "headings more" in headings["note"]
    assert asked("get-scratchpad-outline", id=scratchpads[0].row.id)["note"] is None
    refused = tools.call("create-workflow", {"name": "n", "project_scope": "x" * 5_000})
    assert "4,096 characters at most" in refused["content"][0]["text"]
    forged = tools.call("list-workflows", {"cursor": cursor_of(10**30, mark_of("workflows", None, "all"))})
    assert "is no cursor" in forged["content"][0]["text"]


def test_a_workflow_has_fifty_pads_at_most(act: Callable[[Act], Any], world: World) -> None:
    memory = world.memory()
    flow = memory.workflows.create("Full").id
    with memory._access.writing("agent") as writer:
        for n in range(50):
            writer.create_scratchpad(flow, f"P{n}", "")

    async def play(agent: Agent, _: Agent) -> str:
        return await agent.refused("create-scratchpad", workflow_id=flow, title="one more")

    assert "has 50 scratchpads, which is the most" in act(play)


def test_tools_say_what_they_do_in_few_words(world: World) -> None:
    from axiommind.surfaces.mcp import answers

    tools = answers(world.memory()).methods["tools/list"]({})["tools"]
    mine = {tool["name"]: tool for tool in tools if "workflow" in tool["name"] or "scratchpad" in tool["name"]}
    assert len(mine) == 16
    writes = {name for name, tool in mine.items() if not tool["annotations"]["readOnlyHint"]}
    assert writes == {name for name in mine if name.split("-")[0] in ("create", "update", "append", "chop")}
    assert all(tool["title"] and len(tool["description"]) < 600 for tool in mine.values())
