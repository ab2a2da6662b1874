"""What is peculiar to Antigravity: steps without ids, results that name no call, inputs that are JSON twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from axiommind import sources
from axiommind.sources.records import Decoded
from axiommind.text.pointers import text_at
from tests.sources.agents import AgentHome

ANTIGRAVITY = sources.load("antigravity")
AT = "2026-11-16T05:20:00Z"


def step(number: int, kind: str, content: str = "", source: str = "MODEL", **more: Any) -> dict[str, Any]:
    base = {"step_index": number, "source": source, "type": kind, "status": "DONE", "created_at": AT}
    return {**base, "content": content, **more}


def calls(number: int, *given: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    return step(number, "PLANNER_RESPONSE", tool_calls=[{"name": name, "args": args} for name, args in given])


def written(*lines: dict[str, Any]) -> bytes:
    return b"".join(ANTIGRAVITY.prune(json.dumps(one).encode()) + b"\n" for one in lines)


def read(*lines: dict[str, Any]) -> Decoded:
    return ANTIGRAVITY.decode(written(*lines), 1)


def failures(found: Decoded) -> list[tuple[str, int | None]]:
    return [(use.tool_name, use.result.is_error if use.result else None) for use in found.tool_uses]


def test_inputs_are_read_whether_they_are_json_twice_or_once() -> None:
    for encode in (json.dumps, str):
        line = calls(1, ("write_to_file", {"TargetFile": encode("/home/dev/a.py"), "CodeContent": encode("x = 1\n")}))
        (use,) = read(line).tool_uses
        assert (use.file_path, json.loads(use.input_json)["content"]) == ("/home/dev/a.py", "x = 1\n")
        blocks, _ = ANTIGRAVITY.blocks(written(line), 1)
        assert [text_at(written(line), block.pointer) for block in blocks] == ["/home/dev/a.py", "x = 1\n"]


def test_results_find_their_calls_by_name_and_order() -> None:
    asked = calls(
        1, ("view_file", {"AbsolutePath": "/a"}), ("run_command", {"CommandLine": "make"}), ("search_web", {})
    )
    found = read(
        asked,
        step(2, "RUN_COMMAND", "The command failed with exit code: 2"),
        step(3, "VIEW_FILE", "1: a"),
        step(4, "GENERIC", "nothing", status="ERROR"),
        step(5, "GENERIC", "of no call"),
    )
    assert failures(found) == [("view_file", 0), ("run_command", 1), ("search_web", 1)]


def test_a_call_that_waits_has_no_result_yet() -> None:
    asked = calls(1, ("run_command", {"CommandLine": "make"}))
    assert failures(read(asked, step(2, "RUN_COMMAND", status="WAITING"))) == [("run_command", None)]
    assert failures(read(asked, step(2, "RUN_COMMAND", status="WAITING"), step(3, "RUN_COMMAND"))) == [
        ("run_command", 0)
    ]


def test_a_result_in_a_later_segment_finds_its_call() -> None:
    first = read(calls(1, ("run_command", {"CommandLine": "make"})))
    later = ANTIGRAVITY.decode(
        written(step(2, "RUN_COMMAND", "", error="exit status 1")), 2, frozenset(), first.context
    )
    assert [(one.tool_use_id, one.is_error) for one in later.results] == [(first.tool_uses[0].tool_use_id, 1)]


def test_what_the_client_and_hooks_say_is_not_kept() -> None:
    told = step(1, "EPHEMERAL_MESSAGE", "said by a hook " * 60, "SYSTEM")
    assert b"said by a hook" not in written(told)
    found = read(
        step(0, "USER_INPUT", "from the client", "SYSTEM"), told, step(2, "SYSTEM_MESSAGE", "not sent", "SYSTEM")
    )
    assert (found.prompts, found.unknown, found.problems) == ([], {}, [])


def test_steps_of_two_sessions_at_one_second_are_two() -> None:
    one, other = (read(step(0, "USER_INPUT", text, "USER_EXPLICIT")).records[0].uuid for text in ("this", "that"))
    assert one != other


def test_a_session_that_names_no_folder_has_that_of_its_first_command(tmp_path: Path) -> None:
    logs = tmp_path / "user" / ".gemini" / "antigravity" / "brain" / "s1" / ".system_generated" / "logs"
    logs.mkdir(parents=True)
    asked = calls(1, ("run_command", {"CommandLine": "make", "Cwd": "/home/dev/demo"}))
    (logs / "transcript.jsonl").write_bytes(written(step(0, "USER_INPUT", "Build it", "USER_EXPLICIT"), asked))
    home = AgentHome(tmp_path)
    home.memory().index()
    assert home.rows("select id, project from sessions") == [("s1", "/home/dev/demo")]
