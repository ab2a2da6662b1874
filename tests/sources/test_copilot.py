"""What is Copilot CLI's own: subagents among a session's events, two ways to tell what was spent, names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from axiommind import sources
from axiommind.sources.copilot.bulk import prune
from axiommind.sources.copilot.files import sidecar
from axiommind.sources.records import Decoded
from axiommind.text.pointers import text_at
from tests.sources.agents import AgentHome, expected

COPILOT = sources.load("copilot")
MAIN = "7200caed-f68d-4a88-aec0-78a7b840f549"


class Events:
    """A session as Copilot would write it."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self.add("session.start", sessionId="s", copilotVersion="1.0.102", context={"cwd": "/home/dev/demo"})

    def add(self, kind: str, agent: str | None = None, **data: Any) -> Events:
        number = len(self.lines)
        event = {"type": kind, "data": data, "id": f"e{number}", "timestamp": "2026-11-16T04:57:42Z"}
        self.lines.append(json.dumps(event if agent is None else {**event, "agentId": agent}).encode() + b"\n")
        return self

    def called(self, name: str, given: Any, **done: Any) -> Events:
        self.add("assistant.message", content="", toolRequests=[{"toolCallId": "c", "name": name, "arguments": given}])
        return self.add("tool.execution_start", toolCallId="c", toolName=name).add(
            "tool.execution_complete", toolCallId="c", **done
        )

    @property
    def content(self) -> bytes:
        return b"".join(self.lines)

    @property
    def decoded(self) -> Decoded:
        return COPILOT.decode(self.content, 1)


def test_what_a_subagent_was_asked_is_no_prompt_and_what_it_said_is_a_side_chain() -> None:
    found = (
        Events()
        .add("user.message", content="look at it")
        .add("user.message", agent="a1", content="look at calc.py", source="agent-s")
        .add("session.model_change", agent="a1", newModel="small")
        .add("assistant.message", agent="a1", messageId="m1", content="It adds.", model="small")
        .add("assistant.message", messageId="m2", content="It adds, I am told.", model="large")
        .decoded
    )
    assert [p.text for p in found.prompts] == ["look at it"]
    assert [(r.text, r.is_sidechain, r.model) for r in found.responses] == [
        ("It adds.", 1, "small"),
        ("It adds, I am told.", 0, "large"),
    ]
    assert found.model == "large"


@pytest.mark.parametrize("source", ["skill-worktree", "agent-1", "system", "command-review"])
def test_what_the_client_asked_is_no_prompt(source: str) -> None:
    assert Events().add("user.message", content="do this", source=source).decoded.prompts == []


def test_what_was_typed_while_it_worked_was_queued() -> None:
    found = Events().add("user.message", content="stop", delivery="steering").decoded
    assert [(p.text, p.origin) for p in found.prompts] == [("stop", "queued")]


@pytest.mark.parametrize(
    ("done", "failed"),
    [
        ({"success": True, "shellExecution": {"exitCode": 1}, "result": {"content": "no"}}, 1),
        ({"success": True, "shellExecution": {"exitCode": 0}, "result": {"content": "x exited with code 3"}}, 0),
        ({"success": True, "result": {"content": "no\n<exited with exit code 2>"}}, 1),
        ({"success": False, "error": {"message": "denied", "code": "denied"}}, 1),
        ({"success": True, "result": {"content": "fine\n<shellId: 0 completed with exit code 0>"}}, 0),
    ],
)
def test_whether_a_command_failed(done: dict[str, Any], failed: int) -> None:
    (use,) = Events().called("bash", {"command": "make x"}, **done).decoded.tool_uses
    assert use.result is not None and use.result.is_error == failed
    assert "exit code" not in (use.result.output or "") + (use.result.error or "")


def test_a_list_of_tasks_in_markdown_is_a_list_of_tasks() -> None:
    session = Events().called("update_todo", {"todos": "- [x] Read\n- [ ] Write\n\nnotes"}, success=True)
    blocks, (call,) = COPILOT.blocks(session.content, 1)
    assert call.given == {
        "todos": [{"content": "Read", "status": "completed"}, {"content": "Write", "status": "pending"}]
    }
    place = blocks[call.leaves["/todos/1/content"]]
    assert "Write" in place.text
    assert text_at(session.lines[place.line - 1], place.pointer) == place.text


def test_arguments_that_are_a_text_are_quoted_inside_of_it() -> None:
    session = Events().called("bash", json.dumps({"command": "npm test"}), success=True)
    blocks, _ = COPILOT.blocks(session.content, 1)
    assert ("/data/toolRequests/0/arguments/~2/command", "npm test") in [(b.pointer, b.text) for b in blocks]


def test_what_a_person_ran_is_a_command_and_no_call() -> None:
    found = (
        Events()
        .add("tool.user_requested", toolCallId="u", toolName="bash", arguments={"command": "ls"})
        .add("tool.execution_start", toolCallId="u", toolName="bash", arguments={"command": "ls"})
        .add("tool.execution_complete", toolCallId="u", success=True, result={"content": "a"})
        .decoded
    )
    assert ([c.args for c in found.commands], found.tool_uses, found.results) == (["ls"], [], [])


def spent(found: Decoded) -> tuple[int, int, int]:
    rows = found.responses
    return (
        sum(r.input_tokens for r in rows),
        sum(r.output_tokens for r in rows),
        sum(r.cache_read_tokens for r in rows),
    )


def test_what_was_spent_counts_once_however_it_is_told() -> None:
    usage = {"model": "m", "inputTokens": 120, "outputTokens": 30, "cacheReadTokens": 40, "cacheWriteTokens": 0}
    whole = {"m": {"usage": usage}}
    newer = Events().add("session.usage_record", usage={**usage, "apiCallId": "1"})
    newer.add("assistant.message", apiCallId="1", content="Yes.", model="m", outputTokens=30)
    older = Events().add("assistant.message", messageId="1", content="Yes.", model="m", outputTokens=30)
    for session in (newer, older, Events().add("assistant.message", messageId="1", content="Yes.", model="m")):
        session.add("session.shutdown", modelMetrics=whole)
        session.add("session.resume", context={}).add("session.shutdown", modelMetrics=whole)
        assert spent(session.decoded) == (80, 30, 40)


# --- files -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("id: x\nname: Split calc\ncwd: /x\n", "Split calc"),
        ("name: '[[WORK]] it''s done'\n", "[[WORK]] it's done"),
        ('name: "a \\"b\\""\n', 'a "b"'),
        ("name:\n", None),
        ("name: null\n", None),
        ("name: |-\n  two\n", None),
        ("cwd: /x\n", None),
    ],
)
def test_what_a_session_is_called(text: str, title: str | None) -> None:
    assert sidecar("workspace", text.encode()).get("title") == title


def test_a_new_name_is_the_title(tmp_path: Path) -> None:
    home = AgentHome(tmp_path, "copilot")
    home.memory().index()
    path = next(home.user.rglob(f"{MAIN}/workspace.yaml"))
    path.write_text("name: Calculator\n")
    home.memory().index()
    assert home.sessions()[MAIN]["title"] == "Calculator"


def test_copilot_home_says_where_they_are(tmp_path: Path) -> None:
    home = AgentHome(tmp_path, "copilot")
    moved = tmp_path / "elsewhere"
    (home.user / ".copilot").rename(moved)
    found = COPILOT.discover({"COPILOT_HOME": str(moved)}, home.user, [], None)
    assert {file.session_id for file in found.files} == set(expected("copilot")["sessions"])
    assert not COPILOT.discover({}, home.user, [], None).files


def test_the_vendors_texts_are_dropped_and_the_rest_stays() -> None:
    long = "vendor " * 200
    session = (
        Events()
        .add("system.message", content=long)
        .add("hook.start", input={"prompt": long})
        .add("user.message", content="do it", transformedContent=long)
        .called("view", {"path": "a"}, success=True, result={"content": "x", "detailedContent": long})
    )
    pruned = [prune(line.rstrip(b"\n")) + b"\n" for line in session.lines]
    assert b"vendor vendor" not in b"".join(pruned)
    found = COPILOT.decode(b"".join(pruned), 1)
    assert ([p.text for p in found.prompts], found.unknown, found.problems) == (["do it"], {}, [])
    assert len(found.tool_uses) == 1
