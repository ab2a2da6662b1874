"""The real Claude Code and our MCP server: the model asks for tools, and what it is given for them is our structured
answer, as JSON; what it writes is in the pad, with the session that it was written in."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import pytest

from tests.clients.claude_code import Person, Turn
from tests.clients.model import Model, Use

pytestmark = pytest.mark.clients

SERVER = "mcp__axm__"
SAID = "The ferry timetable importer drops departures of Harbour Nine when a leap second is announced."

Json = dict[str, Any]


@pytest.fixture(scope="module")
def person(new_person: Callable[..., Person]) -> Person:
    """Somebody with the server and no plugin, who said something in an earlier session."""
    found = new_person()
    found.says(SAID)
    found.axm("index")
    config = {"mcpServers": {"axm": {"command": sys.executable, "args": ["-m", "axiommind", "mcp"]}}}
    (found.home / "mcp.json").write_text(json.dumps(config), encoding="utf-8")
    return found


def ask(person: Person, model: Model, prompt: str, *uses: tuple[str, Json]) -> tuple[Turn, list[str]]:
    """A turn in which the model calls our tools one after the other, and what the client gave it for each."""
    names = [f"{SERVER}{tool}" for tool, _ in uses]
    model.answers(
        prompt,
        (Use("ToolSearch", {"query": f"select:{','.join(names)}"}),),
        *((Use(name, given),) for name, (_, given) in zip(names, uses, strict=True)),
        ("Done.",),
    )
    config = ("--mcp-config", str(person.home / "mcp.json"), "--strict-mcp-config")
    turn = person.says(prompt, *config, "--allowedTools", f"{','.join(names)},ToolSearch")
    assert turn.result == "Done."
    return turn, [text for role, text in turn.given[-1].texts if role == "tool"][-len(uses) :]


def test_the_model_searches_memory_and_keeps_a_pad(person: Person, model: Model) -> None:
    flow = person.axm("workflow", "create", "Ferry timetables").strip()
    pad = person.axm("pad", "create", flow, "Findings", "--text", "# Findings").strip()
    turn, (found, flows, appended) = ask(
        person,
        model,
        "Go on with the timetables",
        ("search", {"query": "ferry timetable importer"}),
        ("search-workflows", {"query": "timetables findings"}),
        ("append-scratchpad", {"id": pad, "content": "Harbour Nine: 항구 9, 港口"}),
    )
    assert any("Harbour Nine" in match["summary"] for match in json.loads(found)["matches"])
    (one,) = json.loads(flows)["results"]
    assert one["workflow"]["id"] == flow and one["rank"] == 1
    assert [page["id"] for page in one["matching_scratchpads"]] == [pad]
    assert json.loads(appended)["scratchpad"]["version"] == 2
    assert person.axm("pad", "show", pad).endswith("Harbour Nine: 항구 9, 港口")
    last, first = json.loads(person.axm("pad", "history", pad, "--json"))["versions"]
    assert (last["mode"], last["actor"], last["session"]) == ("appended", "agent", turn.session)
    assert (first["mode"], first["session"]) == ("created", None)


def test_what_was_changed_meanwhile_is_not_written_over(person: Person, model: Model) -> None:
    flow = person.axm("workflow", "create", "Tide tables").strip()
    pad = person.axm("pad", "create", flow, "Plan", "--text", "# Plan\n\n## Steps").strip()
    person.axm("pad", "append", pad, "measure the tide")
    _, (told,) = ask(
        person,
        model,
        "Write the plan anew",
        ("update-scratchpad", {"id": pad, "mode": "replace", "content": "# Another plan", "version": 1}),
    )
    assert "was changed since version 1; nothing was written" in told and "L3 ## Steps" in told
    assert "measure the tide" in person.axm("pad", "show", pad)


def test_every_tool_is_there_and_the_client_is_told_when_to_use_it(person: Person, model: Model) -> None:
    turn, (answer,) = ask(person, model, "Which workflows are there?", ("list-workflows", {}))
    assert "workflows" in json.loads(answer)
    given = turn.given[0]
    assert given.says("Memory of earlier coding sessions") and given.says("search-workflows")
