"""What is peculiar to Gemini CLI: messages that are written again, patches, and folders that are called by a hash."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from axiommind import sources
from axiommind.sources.records import Decoded
from tests.sources.agents import AgentHome, expected

SESSION = "2446927d-f1e3-4193-aa1a-6c34fc23d633"
GEMINI = sources.load("gemini")
START = {"sessionId": SESSION, "projectHash": "0" * 64, "startTime": "2026-11-16T05:00:00.000Z", "kind": "main"}


def message(kind: str, name: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"id": name, "timestamp": "2026-11-16T05:00:01.000Z", "type": kind, "content": content, **more}


def call(name: str, status: str, output: str | None = None) -> dict[str, Any]:
    """A shell command that is under way, or has returned something."""
    returned = [{"functionResponse": {"id": name, "response": {"output": output}}}]
    made = {"id": name, "name": "run_shell_command", "args": {"command": "make"}, "status": status}
    return made if output is None else {**made, "result": returned}


def pruned(*lines: dict[str, Any]) -> bytes:
    return b"".join(GEMINI.prune(json.dumps(line).encode()) + b"\n" for line in lines)


def read(*lines: dict[str, Any]) -> Decoded:
    return GEMINI.decode(pruned(START, *lines), 1)


def prompts(*lines: dict[str, Any]) -> list[str]:
    return [one.text for one in read(*lines).prompts]


def test_a_message_that_grew_is_one() -> None:
    usage = {"input": 100, "output": 10, "cached": 20, "thoughts": 5}
    running = message("gemini", "m1", "On it.", toolCalls=[call("c1", "executing")])
    done = message("gemini", "m1", "On it.", tokens=usage, toolCalls=[call("c1", "success", "Exit Code: 2")])
    found = read(message("gemini", "m1", "On it."), running, done, done)
    assert [(one.text, one.input_tokens, one.output_tokens) for one in found.responses] == [("On it.", 80, 15)]
    assert [use.result and use.result.is_error for use in found.tool_uses] == [1]


def test_a_result_that_comes_in_a_later_segment_is_that_calls() -> None:
    running = message("gemini", "m1", "On it.", toolCalls=[call("c1", "executing")])
    done = message("gemini", "m1", "On it.", toolCalls=[call("c1", "success", "Exit Code: 2")])
    first = read(running)
    known = frozenset(record.uuid for record in first.records)
    later = GEMINI.decode(pruned(done), 3, known, first.context)
    assert later.tool_uses == [] and [(one.tool_use_id, one.is_error) for one in later.results] == [("c1", 1)]
    assert [one.text for one in later.responses] == [""]


def test_only_what_a_person_typed_is_a_prompt() -> None:
    hook = "<hook_context>told by a hook</hook_context>\n\nFix the build"
    files = [{"text": "Read @a.txt"}, {"text": "\n--- Content from referenced files ---"}, {"text": "A"}]
    assert prompts(
        message("user", "u1", [{"text": "<session_context>\n</session_context>"}]),
        message("user", "u2", [{"text": hook}]),
        message("user", "u3", [*files, {"text": "\n--- End of content ---"}]),
        message("user", "u4", "Read @b.txt\nB", displayContent=[{"text": "Read @b.txt"}]),
        message("user", "u5", "System: Please continue."),
        message("user", "u6", [{"functionResponse": {"response": {"output": "out"}}}]),
        message("user", "u7", "/home/dev is full"),
        message("info", "u8", "Update available"),
    ) == ["Fix the build", "Read @a.txt", "Read @b.txt", "/home/dev is full"]


def test_commands_are_no_prompts() -> None:
    shell = "I ran the following shell command:\n```sh\nls\n```\n\nThis produced the following result:\n```\na\n```"
    found = read(message("user", "u1", "/compress now"), message("user", "u2", shell))
    assert [(one.kind, one.name, one.args) for one in found.commands] == [
        ("slash", "/compress", "now"),
        ("bash", "!", "ls"),
    ]
    assert found.prompts == []


def test_history_that_is_written_again_adds_nothing() -> None:
    said = [message("user", "u1", "Fix the build"), message("gemini", "m1", "Done. " * 100)]
    assert len(pruned({"$set": {"messages": said}})) < 200
    again = read(*said, {"$set": {"messages": said}}, {"$rewindTo": "u1"})
    assert (len(again.prompts), len(again.responses)) == (1, 1)


def test_a_summary_stands_in_a_patch_or_on_a_line_of_its_own() -> None:
    written = message("user", "s1", [{"text": f"<state_snapshot>{'The build is fixed. ' * 30}</state_snapshot>"}])
    for lines in ([{"$set": {"messages": [written]}}], [written, {"$set": {"messages": [written]}}]):
        found = read(*lines)
        assert len(found.compactions) == len(found.compaction_summaries) == 1 and found.prompts == []


def test_a_document_and_the_lines_that_continue_it_are_one_session(tmp_path: Path) -> None:
    """The client goes on with an older session in a new file, into which it copies it."""
    home = AgentHome(tmp_path, "gemini")
    (old,) = home.user.rglob("*.json")
    document = json.loads(old.read_text(encoding="utf-8"))
    start, messages = {**document, "messages": None}, document["messages"]
    more = message("user", "u9", "And now?")
    old.with_suffix(".jsonl").write_bytes(
        b"".join(json.dumps(one).encode() + b"\n" for one in (start, *messages, more))
    )
    home.memory().index()
    session = document["sessionId"]
    wanted = expected("gemini")["sessions"][session]
    assert home.sessions()[session] == {**wanted, "prompts": [*wanted["prompts"], "And now?"]}


def test_short_names_and_hashes_are_resolved(tmp_path: Path) -> None:
    home = AgentHome(tmp_path, "gemini")
    for marker in home.user.rglob(".project_root"):
        marker.unlink()
    (home.user / ".gemini" / "projects.json").write_text(json.dumps({"projects": {"/home/dev/demo": "demo"}}))
    found = GEMINI.discover({}, home.user, (), None)
    assert GEMINI.folders_of(found.files) == {file.path: "/home/dev/demo" for file in found.files}
    assert len(found.files) == 5


def test_a_hash_that_no_path_explains_stays_one(tmp_path: Path) -> None:
    chats = tmp_path / "user" / ".gemini" / "tmp" / ("0" * 64) / "chats"
    chats.mkdir(parents=True)
    (chats / "session-2026-11-16T05-00-2446927d.jsonl").write_bytes(
        pruned(START, message("user", "u1", "Fix the build"))
    )
    home = AgentHome(tmp_path)
    home.memory().index()
    assert home.rows("select id, project, cwd from sessions") == [(SESSION, "0" * 64, None)]
