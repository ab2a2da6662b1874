"""What is learned of a session of Codex: from plans, patches, and commands that run on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from axiommind.extraction.rules import errors, tasks, written_rules
from axiommind.memory import Scope
from axiommind.projections.transcript import Transcript, read
from tests.learning.quoted_drafts import check_quotes
from tests.sources.agents import AgentHome

SESSION = "019f2222-bbbb-7aaa-8bbb-0123456789ab"
RUNS_ON = "Wall time: 30.0 seconds\nProcess running with session ID 7\nOutput:\n"
ENDED = "Wall time: 1.0 seconds\nProcess exited with code {}\nOutput:\n"


class Rollout:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self.calls = 0
        self.add("session_meta", id=SESSION, cwd="/home/dev/demo", cli_version="0.142.4")
        self.add("turn_context", turn_id="t1", cwd="/home/dev/demo", model="gpt-5.5")

    def add(self, kind: str, **payload: Any) -> None:
        at = f"2026-07-02T09:00:{len(self.lines):02d}.000Z"
        self.lines.append(json.dumps({"timestamp": at, "type": kind, "payload": payload}))

    def said(self, role: str, text: str) -> None:
        kind = "output_text" if role == "assistant" else "input_text"
        self.add("response_item", type="message", role=role, content=[{"type": kind, "text": text}])

    def call(self, name: str, output: str, **given: Any) -> None:
        self.calls += 1
        call = f"call_{self.calls}"
        self.add("response_item", type="function_call", name=name, call_id=call, arguments=json.dumps(given))
        self.add("response_item", type="function_call_output", call_id=call, output=output)

    def patch(self, text: str) -> None:
        self.add("response_item", type="custom_tool_call", name="apply_patch", call_id="p", input=text)
        done = "Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess."
        self.add("response_item", type="custom_tool_call_output", call_id="p", output=done)


@pytest.fixture
def rollout() -> Rollout:
    return Rollout()


def recorded(rollout: Rollout, folder: Path) -> Transcript:
    home = AgentHome(folder)
    path = home.user / ".codex" / "sessions" / f"rollout-2026-07-02T09-00-00-{SESSION}.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text("\n".join(rollout.lines) + "\n", encoding="utf-8")
    memory = home.memory()
    memory.index()
    with memory.home.read_log() as (log, _), memory.home.reading(Scope(None), None) as db:
        found = read(db, log.blob, SESSION)
    assert found is not None
    return found


def test_a_plan_is_a_list_of_tasks(rollout: Rollout, tmp_path: Path) -> None:
    rollout.said("user", "Split the parser, please.")
    for status in ("in_progress", "completed"):
        plan = [{"step": "Split the parser", "status": status}, {"step": "Write the lexer", "status": "pending"}]
        rollout.call("update_plan", "Plan updated", plan=plan)
    transcript = recorded(rollout, tmp_path)
    drafts = tasks.find(transcript)
    check_quotes(transcript, drafts)
    assert [draft.title for draft in drafts] == ["Split the parser", "Write the lexer"]


def test_rules_that_a_patch_writes_are_of_its_files(rollout: Rollout, tmp_path: Path) -> None:
    rollout.said("user", "Write that rule into AGENTS.md and mend the parser.")
    rollout.patch(
        "*** Begin Patch\n*** Update File: parser.py\n@@\n-# Always return None\n+# Never return None\n"
        "*** Update File: AGENTS.md\n@@\n # Rules\n+- Never edit generated files, because the next\n+  build"
        " writes them anew.\n*** End Patch\n"
    )
    transcript = recorded(rollout, tmp_path)
    (draft,) = written_rules.find(transcript)
    check_quotes(transcript, [draft])
    assert "Never edit generated files, because the next build writes them anew." in draft.text
    assert "None" not in draft.text


def test_a_command_that_runs_on_fails_where_it_ends(rollout: Rollout, tmp_path: Path) -> None:
    wanted = "ModuleNotFoundError: No module named 'uvloop'"
    rollout.said("user", "Run the tests.")
    rollout.call("exec_command", RUNS_ON + "collecting", cmd="python -m pytest -q")
    rollout.call("write_stdin", ENDED.format(1) + wanted, session_id=7, chars="")
    rollout.call("exec_command", ENDED.format(0), cmd="pip install uvloop")
    rollout.call("exec_command", ENDED.format(0) + "3 passed", cmd="python -m pytest -q")
    transcript = recorded(rollout, tmp_path)
    (draft,) = errors.find(transcript)
    check_quotes(transcript, [draft])
    assert wanted.rstrip("'") in draft.text and "pip install uvloop" in draft.text
