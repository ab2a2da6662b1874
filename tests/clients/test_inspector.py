"""The MCP Inspector and our server: in both eras of the protocol, on stdin and stdout and over HTTP. It checks every
answer against the protocol's schemas, and with `--strict` whether other clients can take ours."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.clients.inspector import ERAS, Json, inspect, inspector
from tests.transcripts import Lines, World

pytestmark = [
    pytest.mark.clients,
    pytest.mark.skipif(inspector() is None, reason="the MCP Inspector is not installed: make test-clients does that"),
]

COMMAND = [sys.executable, "-m", "axiommind", "mcp"]


@pytest.fixture(params=["stdio", "http"])
def server(request: pytest.FixtureRequest, world: World) -> Iterator[list[str]]:
    """What the Inspector is given: a command, or the URL of a server that runs."""
    lines = Lines()
    lines.prompt("Why does the login flow lock the ledger?")
    lines.answer("The login flow holds the lock while the ledger is written.")
    world.write(lines)
    world.memory().index()
    if request.param == "stdio":
        yield COMMAND
        return
    running = subprocess.Popen(
        [*COMMAND, "--http", "--port", "0"], env=world.environ, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL
    )
    try:
        assert running.stderr is not None
        found = re.search(rb"http://\S+", running.stderr.readline())
        assert found is not None
        yield [found[0].decode()]
    finally:
        running.terminate()
        running.communicate(timeout=10)


@pytest.mark.parametrize("era", ERAS)
def test_the_inspector_has_nothing_to_say_against_it(world: World, server: list[str], era: str) -> None:
    def ask(method: str, *args: str) -> Json:
        return inspect(world.base, server, era, method, *args, **({} if len(server) == 1 else world.environ))

    def call(tool: str, **arguments: object) -> Json:
        result = ask("tools/call", "--tool-name", tool, "--tool-args-json", json.dumps(arguments))
        assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
        found: Json = result["structuredContent"]
        return found

    tools = {tool["name"]: tool for tool in ask("tools/list", "--strict")["tools"]}
    assert {"search", "search-workflows", "append-scratchpad", "remember", "query"} <= tools.keys()
    assert tools["search"]["annotations"]["readOnlyHint"] and "outputSchema" not in tools["search-workflows"]
    templates = {one["uriTemplate"] for one in ask("resources/templates/list")["resourceTemplates"]}
    assert "axm://session/{id}" in templates
    assert "holds the lock" in ask("resources/read", "--uri", "axm://session/s1")["contents"][0]["text"]
    assert {"handoff", "weekly-review"} <= {one["name"] for one in ask("prompts/list")["prompts"]}
    assert ask("prompts/get", "--prompt-name", "handoff")["messages"]

    assert call("search", query="ledger lock", project="all")["matches"]
    flow = call("create-workflow", name="React專案", description="前端開發")["id"]
    pad = call("create-scratchpad", workflow_id=flow, title="React基礎", content="組件設計模式")["id"]
    assert call("append-scratchpad", id=pad, content="React hooks")["scratchpad"]["version"] == 2
    found = call("search-workflows", query="React 組件")
    assert [one["workflow"]["id"] for one in found["results"]] == [flow]
    assert found["results"][0]["score"] == 5 + 3 + 1 + 1 and found["pagination"]["total_results"] == 1
    assert "React hooks" in world.memory().scratchpads.show(pad).text
