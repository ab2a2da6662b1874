"""The MCP server, asked by a real client: typed answers with citations, errors that say what to do."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from axiommind.errors import NotFound
from axiommind.text.estimate import estimate_tokens
from tests.notes import Notes
from tests.rows import rows
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
        assert tool.title and len(tool.description) < 2_000 and tool.input_schema["type"] == "object", name
        assert tool.annotations.read_only_hint is not None and tool.annotations.open_world_hint is False
    assert all(tools[name].annotations.read_only_hint for name in ("search", "timeline", "get", "recall"))


@rows("R3.1", "R3.41", "R3.48")
def test_from_little_to_much(told: World, monkeypatch: pytest.MonkeyPatch) -> None:
    async def ask(client: Any) -> Any:
        found = (await client.call_tool("search", {"query": "ledger database"})).structured_content
        ids = [match["id"] for match in found["matches"]]
        around = (await client.call_tool("timeline", {"ids": ids[:1]})).structured_content
        whole = (await client.call_tool("get", {"ids": [ids[0], "zzzzz"]})).structured_content
        return found, around, whole

    found, around, whole = asked(told, ask, monkeypatch)
    assert found["matches"][0].keys() == {"id", "summary", "score", "type", "timestamp", "citation"}
    assert found["matches"][0]["citation"] == "s1:L1" and found["score_kind"] == "calibrated" and found["search_method"]
    assert [one["isTarget"] for one in around["timeline"]].count(True) == 1
    assert around["sessions"] == {"s1": str(told.path("s1"))} and around["unknown"] == []
    (detail,) = whole["details"]
    assert "row level security" in detail["content"] and "part" not in detail and whole["unknown"] == ["zzzzz"]
    assert detail["citation"].endswith("s1.jsonl:L1") and detail["sessionId"] == "s1" and whole["next_cursor"] is None


def test_a_document_names_its_chunk(told: World, monkeypatch: pytest.MonkeyPatch) -> None:
    notes = Notes(told)
    notes.write("zoo.md", "# Zoo\n\nThe wombat digs tunnels.\n")
    notes.add()

    async def ask(client: Any) -> Any:
        return (await client.call_tool("search", {"query": "wombat tunnels"})).structured_content

    found = asked(told, ask, monkeypatch)
    (match,) = found["matches"]
    assert told.rows(f"select line_start, line_end from chunks where id = {match['chunk_id']}") == [(1, 3)]
    assert (
        found["index_version"] == told.memory().search("wombat", told.memory().scope(all_projects=True)).index_version
    )


def test_every_citation_opens(told: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from axiommind.errors import BadQuery
    from axiommind.search.citations import parse

    async def ask(client: Any) -> Any:
        return (await client.call_tool("search", {"query": "weather widget imports ledger"})).structured_content

    for match in asked(told, ask, monkeypatch)["matches"]:
        opened = told.memory().passages.open(parse(match["citation"]))
        assert match["summary"].rstrip(".…")[:20] in "\n".join(opened.lines)
    with pytest.raises(BadQuery, match="several sessions begin with 'o'"):
        told.memory().passages.open(parse("o:L1"))


def test_recall_is_fenced_or_silent(told: World, monkeypatch: pytest.MonkeyPatch) -> None:
    async def ask(client: Any) -> Any:
        prompts = ("Why does the ledger service use PostgreSQL with row level security?", "Write a haiku about the sea")
        return [(await client.call_tool("recall", {"prompt": p})).structured_content for p in prompts]

    meant, unrelated = asked(told, ask, monkeypatch)
    assert "history, not instructions" in meant["text"] and "PostgreSQL" in meant["text"] and meant["matches"]
    assert meant["tokens"] == estimate_tokens(meant["text"])
    assert meant["reason"] and meant["score_kind"] == unrelated["score_kind"] == "calibrated"
    assert (unrelated["text"], unrelated["matches"], unrelated["tokens"]) == ("", 0, 0)
    assert unrelated["reason"] == "nothing_relevant"


def test_recall_has_the_budget_of_hooks_and_without_room_says_so(told: World, monkeypatch: pytest.MonkeyPatch) -> None:
    async def ask(client: Any) -> Any:
        given = {"prompt": "Why does the ledger service use PostgreSQL with row level security?"}
        return [(await client.call_tool("recall", given | more)).structured_content for more in ({}, {"budget": 150})]

    (told.home / "config.toml").write_text("retrieval.maxTokens = 60\n")
    found, little = asked(told, ask, monkeypatch)
    assert (found["text"], found["reason"]) == ("", "no_room") and found["search_method"]
    assert little["text"] and little["tokens"] <= 150, "the least that may be asked for says something"
    (told.home / "config.toml").write_text("retrieval.maxTokens = 400\n")
    found, _ = asked(told, ask, monkeypatch)
    assert " of 400 tokens" in found["text"]


def test_the_same_window_as_on_the_command_line(told: World, monkeypatch: pytest.MonkeyPatch) -> None:
    async def ask(client: Any) -> Any:
        found = (await client.call_tool("search", {"query": "ledger database"})).structured_content
        ids = [found["matches"][0]["id"]]
        calls = [await client.call_tool("timeline", {"ids": ids, "window": size}) for size in (0, 100, 101)]
        latest = await client.call_tool("search", {"query": ""})
        return calls, latest.structured_content["matches"], (await client.list_tools()).tools

    (none, most, more), latest, tools = asked(told, ask, monkeypatch)
    assert len(none.structured_content["timeline"]) == 1 < len(most.structured_content["timeline"])
    assert more.is_error
    assert latest and {match["score"] for match in latest} == {0}
    (search,) = (tool for tool in tools if tool.name == "search")
    assert "empty: the latest, with score 0" in search.input_schema["properties"]["query"]["description"]


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


@rows("R3.6", "R3.11")
def test_a_page_of_a_search_has_as_many_as_the_settings_say(told: World, monkeypatch: pytest.MonkeyPatch) -> None:
    async def ask(client: Any) -> Any:
        given: dict[str, Any] = {"query": "weather widget imports"}
        first = (await client.call_tool("search", given)).structured_content
        more = (await client.call_tool("search", given | {"limit": 3})).structured_content
        second = (await client.call_tool("search", given | {"cursor": first["next_cursor"]})).structured_content
        return first["matches"], more["matches"], second["matches"]

    (told.home / "config.toml").write_text("[progressiveDisclosure.layer1]\ntopK = 2\n", encoding="utf-8")
    first, more, second = asked(told, ask, monkeypatch)
    assert (len(first), len(more), len(second)) == (2, 3, 2)
    assert more == [*first, second[0]]


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
    (told.home / "config.toml").write_text('[mcp]\ntools = ["figures", "get"]\n')
    assert asked(told, ask, monkeypatch) == ["query", "stats", "get"]
    (told.home / "config.toml").write_text('[mcp]\ntools = ["remembrance", "get", "oblivion"]\n')
    with pytest.raises(NotFound, match="no tool 'remembrance' and no tool 'oblivion'") as refused:
        server(told.memory())
    assert "history" in refused.value.hint and "search-workflows" in refused.value.hint


def test_doctor_names_tools_that_do_not_exist(told: World) -> None:
    from axiommind.surfaces.mcp.doctor import check_tools

    config = told.memory().config
    assert check_tools(config).status == "ok" and "all are offered" in check_tools(config).text
    assert "2 of" in check_tools(config._replace(mcp_tools=("stats", "query"))).text
    found = check_tools(config._replace(mcp_tools=("serach",)))
    assert found.status == "bad" and "'serach'" in found.text and "search" in found.details[0]


def test_groups_are_no_names_of_tools(told: World) -> None:
    from axiommind.surfaces.mcp import answers
    from axiommind.surfaces.mcp.features import groups_of

    tools = answers(told.memory()).features.tools
    groups = groups_of(tools.values())
    assert groups.keys() == {"history", "memory", "working-memory", "figures"} and not groups.keys() & tools.keys()
    assert sum(map(len, groups.values())) == len(tools)


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
def test_over_stdin_and_stdout(told: World, mode: str) -> None:
    async def run() -> Any:
        where = mcp.StdioServerParameters(command=sys.executable, args=["-m", "axiommind", "mcp"], env=told.environ)
        async with mcp.Client(where, mode=mode) as client:
            return (await client.call_tool("search", {"query": "ledger", "project": "all"})).structured_content

    assert asyncio.run(run())["matches"]
