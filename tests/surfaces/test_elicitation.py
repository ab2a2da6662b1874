"""Where the client can ask, the person decides at once what an agent asks for; else it waits in `axm review`."""

from __future__ import annotations

import json
import queue
from typing import Any

import pytest

from axiommind.memory import Memory
from axiommind.surfaces.mcp import Answers, answers
from axiommind.surfaces.mcp.elicitation import supports_elicitation
from axiommind.surfaces.mcp.stdio_server import StdioConnection
from tests.counting import PATIENCE_S
from tests.learning.sessions import Session
from tests.transcripts import World

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
}
YES = {"action": "accept", "content": {"confirm": True}}
NO = {"action": "decline"}
UNCHECKED = {"action": "accept", "content": {"confirm": False}}
AWAY = {"action": "cancel"}


@pytest.fixture
def asked(world: World) -> tuple[Answers, dict[str, Any]]:
    """A server, and the call that asks it to record a decision."""
    session = Session("s1")
    session.ask("Where should the cache live?", "SQLite")
    world.write(session)
    world.memory().index()
    world.memory().learning.run(extractor="rules")
    entry = world.one("select entry_id from entries where stage = 'verified' limit 1")
    memory = Memory(world.memory().config, environ=world.environ, user=world.base)
    given = {"decision": "Caches live in SQLite", "evidence": [entry], "reason": "one file", "project": "all"}
    return answers(memory), {"name": "decide", "arguments": given}


def decisions(world: World) -> list[tuple[Any, ...]]:
    return world.rows("select action, actor from decisions")


def statuses(world: World) -> list[str]:
    return [row[0] for row in world.rows("select status from proposals")]


class Client:
    """A client of the handshake era that answers what the server asks."""

    def __init__(self, served: Answers, capabilities: dict[str, Any]) -> None:
        self.heard: queue.Queue[dict[str, Any]] = queue.Queue()
        self.server = StdioConnection(served, lambda data: self.heard.put(json.loads(data)))
        hello = {
            "protocolVersion": "2025-11-25",
            "capabilities": capabilities,
            "clientInfo": {"name": "t", "version": "1"},
        }
        self.send({"id": 0, "method": "initialize", "params": hello})
        assert self.hear()["id"] == 0

    def send(self, message: dict[str, Any]) -> None:
        self.server.receive(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def hear(self) -> dict[str, Any]:
        return self.heard.get(timeout=PATIENCE_S)

    def call(self, call: dict[str, Any], answer: dict[str, Any] | None) -> dict[str, Any]:
        self.send({"id": 1, "method": "tools/call", "params": call})
        heard = self.hear()
        if answer is not None:
            assert heard["method"] == "elicitation/create" and "Caches live in SQLite" in heard["params"]["message"]
            assert heard["params"]["requestedSchema"]["required"] == ["confirm"]
            self.send({"id": heard["id"], "result": answer})
            heard = self.hear()
        assert heard["id"] == 1
        result: dict[str, Any] = heard["result"]
        return result


def by_retry(served: Answers, call: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
    """A client of the era of 2026-07-28, which calls again with the answer."""
    first = served.call_tool({**call, "_meta": META})
    assert (
        first["resultType"] == "input_required"
        and served.stamped("tools/call", first)["resultType"] == "input_required"
    )
    (question,) = first["inputRequests"].values()
    assert question["method"] == "elicitation/create" and "one file" in question["params"]["message"]
    given = dict.fromkeys(first["inputRequests"], answer)
    return served.call_tool({**call, "_meta": META, "requestState": first["requestState"], "inputResponses": given})


def done(era: str, served: Answers, call: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
    if era == "retry":
        return by_retry(served, call, answer)
    if era == "sdk":
        return through_sdk(served, call, answer)
    return Client(served, {"elicitation": {}}).call(call, answer)


def through_sdk(served: Answers, call: dict[str, Any], answer: dict[str, Any], mode: str = "legacy") -> dict[str, Any]:
    anyio = pytest.importorskip("anyio")
    pytest.importorskip("mcp")
    from mcp import Client as SdkClient
    from mcp import types

    from axiommind.surfaces.mcp.sdk_server import server_of

    async def asked(_context: Any, params: Any) -> types.ElicitResult:
        assert "Caches live in SQLite" in params.message
        return types.ElicitResult.model_validate(answer)

    async def run() -> dict[str, Any]:
        async with SdkClient(server_of(served), elicitation_callback=asked, mode=mode) as client:
            found = await client.call_tool(call["name"], call["arguments"])
            dumped: dict[str, Any] = found.model_dump(by_alias=True, mode="json")
            return dumped

    result: dict[str, Any] = anyio.run(run)
    return result


ERAS = pytest.mark.parametrize("era", ["handshake", "retry", "sdk"])


@ERAS
def test_a_yes_is_done_at_once_as_the_persons(world: World, asked: tuple[Answers, dict[str, Any]], era: str) -> None:
    result = done(era, *asked, YES)["structuredContent"]
    assert result["status"] == "decided" and result["id"].startswith("dec_")
    assert decisions(world) == [("Caches live in SQLite", "user")] and statuses(world) == ["confirmed"]


@ERAS
@pytest.mark.parametrize("answer", [NO, UNCHECKED])
def test_a_no_is_remembered(
    world: World, asked: tuple[Answers, dict[str, Any]], era: str, answer: dict[str, Any]
) -> None:
    result = done(era, *asked, answer)
    assert result["isError"] and "the person declined" in result["content"][0]["text"]
    assert decisions(world) == [] and statuses(world) == ["declined"]
    again = asked[0].call_tool({**asked[1], "_meta": META})
    assert again["isError"] and "declined this before" in again["content"][0]["text"], "nobody is asked again"


@ERAS
def test_a_form_that_was_put_away_leaves_a_proposal(
    world: World, asked: tuple[Answers, dict[str, Any]], era: str
) -> None:
    result = done(era, *asked, AWAY)["structuredContent"]
    assert (result["status"], result["id"]) == ("proposed", None) and "axm review" in result["note"]
    assert decisions(world) == [] and statuses(world) == ["open"]


def test_the_sdk_asks_by_retry_too(world: World, asked: tuple[Answers, dict[str, Any]]) -> None:
    assert through_sdk(*asked, YES, mode="auto")["structuredContent"]["status"] == "decided"
    assert decisions(world) == [("Caches live in SQLite", "user")]


@pytest.mark.parametrize("capabilities", [{}, {"elicitation": {"url": {}}}, {"roots": {}}])
def test_a_client_that_cannot_ask_leaves_a_proposal(
    world: World, asked: tuple[Answers, dict[str, Any]], capabilities: dict[str, Any]
) -> None:
    assert not supports_elicitation(capabilities)
    result = Client(asked[0], capabilities).call(asked[1], None)["structuredContent"]
    assert result["status"] == "proposed" and result["proposal"].startswith("prp_")
    assert decisions(world) == [] and statuses(world) == ["open"]


def test_an_answer_to_another_question_counts_for_nothing(world: World, asked: tuple[Answers, dict[str, Any]]) -> None:
    served, call = asked
    result = served.call_tool({**call, "_meta": META, "requestState": "prp_other", "inputResponses": {"confirm": YES}})
    assert result["resultType"] == "input_required" and decisions(world) == []


def test_a_call_that_was_cancelled_leaves_a_proposal(world: World, asked: tuple[Answers, dict[str, Any]]) -> None:
    client = Client(asked[0], {"elicitation": {}})
    client.send({"id": 1, "method": "tools/call", "params": asked[1]})
    question = client.hear()
    client.send({"method": "notifications/cancelled", "params": {"requestId": 1}})
    client.server.end()
    client.send({"id": question["id"], "result": YES})
    assert decisions(world) == [] and statuses(world) == ["open"]
