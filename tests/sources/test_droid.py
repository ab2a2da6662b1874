"""What is peculiar to Droid: what is between the client and the model only, and tokens that only a session has."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from axiommind import sources
from axiommind.sources.records import Decoded
from tests.sources.agents import AgentHome

DROID = sources.load("droid")
FORK = "cb909ed6-f7d3-4c15-bab2-e2ee3a55b25f"
PARENT = "1de7f95f-c0ae-481a-a1d4-70525664e4d9"
START = {"type": "session_start", "id": "s1", "title": "Fix the build", "version": 2, "cwd": "/home/dev/demo"}


def message(name: str, role: str, content: Any, **more: Any) -> dict[str, Any]:
    at = "2026-11-16T05:00:01.000Z"
    return {"type": "message", "id": name, "timestamp": at, "message": {"role": role, "content": content, **more}}


def read(*lines: dict[str, Any]) -> Decoded:
    return DROID.decode(b"".join(DROID.prune(json.dumps(one).encode()) + b"\n" for one in lines), 1)


def test_only_what_a_person_typed_is_a_prompt() -> None:
    reminder = "<system-reminder>vendor text</system-reminder>"
    found = read(
        START,
        message("context-m1", "user", [{"type": "text", "text": "vendor text " * 100}]),
        message(
            "m1", "user", [{"type": "text", "text": f"{reminder}Fix the build"}, {"type": "text", "text": reminder}]
        ),
        message("m2", "user", [{"type": "text", "text": "said by a hook"}], visibility="user_only"),
        message(
            "task-completion:1", "user", [{"type": "text", "text": "Background task completed."}], visibility="llm_only"
        ),
        message("m3", "user", "/compress now"),
    )
    assert [one.text for one in found.prompts] == ["Fix the build"]
    assert [(one.name, one.args) for one in found.commands] == [("/compress", "now")]
    assert found.problems == []


def test_a_patch_names_every_file_that_it_changes() -> None:
    patch = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-x\n+y\n*** Add File: src/b.py\n+z\n*** End Patch"
    use = {"type": "tool_use", "id": "c1", "name": "ApplyPatch", "input": {"input": patch}}
    (made,) = read(START, message("m1", "assistant", [use])).tool_uses
    assert (made.file_path, made.more_files) == ("src/a.py", ("src/b.py",))


def test_a_compaction_leaves_its_summary() -> None:
    found = read(START, {"type": "compaction_state", "id": "c1", "summaryText": "The build is fixed."})
    assert len(found.compactions) == 1
    assert [one.text for one in found.compaction_summaries] == ["The build is fixed."]


def test_tokens_of_a_session_are_as_its_settings_say_now(tmp_path: Path) -> None:
    home = AgentHome(tmp_path, "droid")
    home.memory().index()
    (settings,) = home.user.rglob(f"{FORK}.settings.json")
    known = json.loads(settings.read_text(encoding="utf-8"))
    known["tokenUsage"] |= {"inputTokens": 1080, "outputTokens": 330}
    settings.write_text(json.dumps(known), encoding="utf-8")
    home.memory().index()
    assert home.sessions()[FORK]["tokens"] == [1080, 330, 0, 40]
    assert home.memory().verify(deep=True) == []


def test_a_total_is_no_answer_but_counts_with_its_model(tmp_path: Path) -> None:
    home = AgentHome(tmp_path, "droid")
    home.memory().index()
    assert home.rows(f"select response_count from sessions where id = '{FORK}'") == [(5,)]
    spent = "select model, sum(input_tokens), sum(output_tokens) from responses where canonical group by 1"
    assert home.rows(spent) == [("custom:mock", 800, 300)]
    assert home.rows("select count(*) from responses where not line_start and timestamp is null") == [(0,)]


def test_a_parent_does_not_count_what_its_children_spent(tmp_path: Path) -> None:
    home = AgentHome(tmp_path, "droid")
    home.memory().index()
    children = home.rows(f"select id, parent_tool_use_id from sessions where parent_session = '{PARENT}'")
    assert children == [("760fc007-1fa7-4aed-858c-213271828ef1", "call_966ff3a2")]
    assert home.sessions()[PARENT]["tokens"] == [240, 90, 0, 120]
    assert home.total()[:2] == [1200, 300]


def test_a_subagent_stays_its_parents_when_it_goes_on(tmp_path: Path) -> None:
    home = AgentHome(tmp_path, "droid")
    home.memory().index()
    (lines,) = home.user.rglob("760fc007*.jsonl")
    with lines.open("a", encoding="utf-8") as file:
        file.write(json.dumps(message("m9", "assistant", [{"type": "text", "text": "More."}])) + "\n")
    home.memory().index()
    home.memory().forget(session=PARENT)
    assert home.rows("select count(*) from sessions where id like '760fc007%'") == [(0,)]
