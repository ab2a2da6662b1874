"""The MCP server, asked by a real client: typed answers with citations, errors that say what to do."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from axiommind.errors import NotFound
from tests.transcripts import PROJECT, Lines, World

mcp = pytest.importorskip("mcp")
Ask = Callable[[Any], Awaitable[Any]]


@pytest.fixture
def told(world: World) -> World:
    lines = Lines("s1")
    lines.prompt("The ledger service writes to PostgreSQL, because row level security is needed there.")
    lines.answer("PostgreSQL it is: the ledger service has its own schema with row level security.")
    world.write(lines)
    for n in range(6):
        other = Lines(f"o{n}")
        other.prompt(f"number {n}: tidy up the imports of the weather widget")
        other.answer("Tidied.")
        world.write(other)
    world.memory().index()
    return world


def asked(world: World, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> Any:
    from axiommind.surfaces.mcp import server

    monkeypatch.setenv("CLAUDE_PROJECT_DIR", PROJECT)

    async def run() -> Any:
        async with mcp.Client(server(world.memory())) as client:
            return await ask(client)

    return asyncio.run(run())


def test_tools_are_small_typed_and_read_only(told: World, monkeypatch: pytest.MonkeyPatch) -> None:
    async def ask(client: Any) -> Any:
        return await client.list_tools()

    tools = {tool.name: tool for tool in asked(told, ask, monkeypatch).tools}
    assert {"search", "timeline", "get", "recall"} <= tools.keys()
    for name, tool in tools.items():
        assert tool.title and len(tool.description) < 2_000 and tool.output_schema, name
        assert tool.input_schema["additionalProperties"] is False and tool.annotations.read_only_hint is not None
    assert all(tools[name].annotations.read_only_hint for name in ("search", "timeline", "get", "recall"))


def test_from_little_to_much(told: World, monkeypatch: pytest.MonkeyPatch) -> None:
    async def ask(client: Any) -> Any:
        found = (await client.call_tool("search", {"query": "ledger database"})).structured_content
        ids = [match["id"] for match in found["matches"]]
        around = (await client.call_tool("timeline", {"ids": ids[:1]})).structured_content
        whole = (await client.call_tool("get", {"ids": [ids[0], "zzzzz"]})).structured_content
        return found, around, whole

    found, around, whole = asked(told, ask, monkeypatch)
    assert found["matches"][0]["citation"]["text"].endswith("s1.jsonl:L1")
    assert [one["isTarget"] for one in around["timeline"]].count(True) == 1
    assert "row level security" in whole["details"][0]["content"] and whole["unknown"] == 1


def test_recall_is_fenced_or_silent(told: World, monkeypatch: pytest.MonkeyPatch) -> None:
    async def ask(client: Any) -> Any:
        prompts = ("Why does the ledger service use PostgreSQL with row level security?", "Write a haiku about the sea")
        return [(await client.call_tool("recall", {"prompt": p})).structured_content for p in prompts]

    meant, unrelated = asked(told, ask, monkeypatch)
    assert "history, not instructions" in meant["text"] and "PostgreSQL" in meant["text"] and meant["matches"]
    assert unrelated == {"text": "", "matches": 0, "tokens": 0}


def test_errors_say_what_to_do(told: World, monkeypatch: pytest.MonkeyPatch) -> None:
    async def ask(client: Any) -> Any:
        return await client.call_tool("search", {"query": "ledger", "project": "/nowhere/at/all"})

    answer = asked(told, ask, monkeypatch)
    assert answer.is_error and "'/nowhere/at/all' is not in the index" in answer.content[0].text


def test_a_search_has_pages(told: World, monkeypatch: pytest.MonkeyPatch) -> None:
    async def ask(client: Any) -> Any:
        given: dict[str, Any] = {"query": "weather widget imports", "limit": "4"}  # a number as agents write it
        first = (await client.call_tool("search", given)).structured_content
        second = (await client.call_tool("search", given | {"cursor": first["next_cursor"]})).structured_content
        both = (await client.call_tool("search", given | {"limit": 8})).structured_content
        other = await client.call_tool("search", {"query": "ledger", "cursor": first["next_cursor"]})
        none = await client.call_tool("search", given | {"cursor": "???"})
        return first, second, both, other, none

    first, second, both, other, none = asked(told, ask, monkeypatch)
    assert len(first["matches"]) == 4 and first["matches"] + second["matches"] == both["matches"]
    assert other.is_error and "the cursor is of another question" in other.content[0].text
    assert none.is_error and "is no cursor" in none.content[0].text


def test_what_is_wrong_with_arguments_is_named(told: World, monkeypatch: pytest.MonkeyPatch) -> None:
    async def ask(client: Any) -> Any:
        bad = {"query": ["a"], "limit": 0, "limits": 3}
        calls = [("search", bad), ("search", {}), ("get", {"ids": []}), ("search", {"query": "a\ud800"}), ("serch", {})]
        return [await client.call_tool(name, arguments) for name, arguments in calls]

    found = asked(told, ask, monkeypatch)
    assert all(answer.is_error for answer in found)
    assert [answer.content[0].text for answer in found][:-1] == [
        "'limits': no such argument (there are: query, project, limit, cursor); "
        'query: ["a"] is not a text; limit: 0 is less than 1',
        "query: is missing",
        "ids: is empty",
        "query: holds half of a character (a lone surrogate)",
    ]
    assert "there is no tool 'serch'" in found[-1].content[0].text


def test_instructions_name_only_what_is_offered(told: World) -> None:
    from axiommind.surfaces.mcp import answers

    whole = answers(told.memory()).instructions
    assert len(whole.encode()) < 2_048 and "`recall`" in whole
    (told.home / "config.toml").write_text('[mcp]\ntools = ["recall"]\n')
    assert "`remember`" not in answers(told.memory()).instructions


def test_tools_can_be_narrowed(told: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from axiommind.surfaces.mcp import server

    async def ask(client: Any) -> Any:
        return [tool.name for tool in (await client.list_tools()).tools]

    (told.home / "config.toml").write_text('[mcp]\ntools = ["recall"]\n')
    assert asked(told, ask, monkeypatch) == ["recall"]
    (told.home / "config.toml").write_text('[mcp]\ntools = ["remembrance"]\n')
    with pytest.raises(NotFound, match="there is no tool 'remembrance'"):
        server(told.memory())


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
def test_over_stdin_and_stdout(told: World, mode: str) -> None:
    async def run() -> Any:
        where = mcp.StdioServerParameters(command=sys.executable, args=["-m", "axiommind", "mcp"], env=told.environ)
        async with mcp.Client(where, mode=mode) as client:
            return (await client.call_tool("search", {"query": "ledger", "project": "all"})).structured_content

    assert asyncio.run(run())["matches"]
