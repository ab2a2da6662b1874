"""What is peculiar to Qwen Code: who a line in a person's name is from, and records of the client's own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from axiommind import sources
from axiommind.sources.records import Decoded
from tests.sources.agents import AgentHome

QWEN = sources.load("qwen")
_NUMBERS = iter(range(1, 1_000_000))


def line(kind: str, parts: list[Any] | None = None, **more: Any) -> dict[str, Any]:
    base = {"uuid": f"u{next(_NUMBERS)}", "sessionId": "s1", "timestamp": "2026-11-16T05:00:01.000Z", "type": kind}
    return {**base, "cwd": "/home/dev/demo", **({} if parts is None else {"message": {"parts": parts}}), **more}


def user(text: str, **more: Any) -> dict[str, Any]:
    return line("user", [{"text": text}], **{"provenance": "real_user", **more})


def system(subtype: str, **payload: Any) -> dict[str, Any]:
    return line("system", provenance="system", subtype=subtype, systemPayload=payload)


def pruned(*lines: dict[str, Any]) -> bytes:
    return b"".join(QWEN.prune(json.dumps(one).encode()) + b"\n" for one in lines)


def read(*lines: dict[str, Any]) -> Decoded:
    return QWEN.decode(pruned(*lines), 1)


def test_only_what_a_person_typed_is_a_prompt() -> None:
    told = "told by a hook " * 50
    hook = f"<qwen:user-prompt-submit-context>{told}</qwen:user-prompt-submit-context>"
    shown = {"displayText": "Fix the build", "hookContext": told}
    found = read(
        line("user", [{"text": "Fix the build"}, {"text": hook}], provenance="real_user", systemPayload=shown),
        line("user", [{"text": "And the docs"}, {"text": hook}]),  # an older version: no provenance
        user("<task-notification>done</task-notification>", provenance="system", subtype="notification"),
        user("Go on with the goal", provenance="goal_runtime"),
        user("The task of a subagent", isSidechain=True),
    )
    assert [one.text for one in found.prompts] == ["Fix the build", "And the docs"]
    assert found.titles == {"task": "The task of a subagent"}


def test_what_is_typed_while_the_agent_works_is_queued() -> None:
    wrapped = "\n[User message received during tool execution]: and the docs"
    found = read(
        user(wrapped, subtype="mid_turn_user_message"),
        user(wrapped, subtype="mid_turn_user_message", systemPayload={"displayText": "and the tests"}),
    )
    assert [(one.text, one.origin) for one in found.prompts] == [
        ("and the docs", "queued"),
        ("and the tests", "queued"),
    ]


def test_a_command_counts_once() -> None:
    asked = system("slash_command", phase="invocation", rawCommand="/review main")
    done = system("slash_command", phase="result", rawCommand="/review main")
    found = read(asked, user("/review main"), done, user("/clear"))
    assert [(one.name, one.args) for one in found.commands] == [("/review", "main"), ("/clear", "")]
    assert found.prompts == []


def test_titles_say_who_gave_them() -> None:
    found = read(
        system("custom_title", customTitle="The build", titleSource="auto"),
        system("custom_title", customTitle="My build"),
    )
    assert found.titles == {"ai": "The build", "custom": "My build"}


def test_a_compaction_leaves_its_summary() -> None:
    history = [
        {"role": "user", "parts": [{"text": "The build is fixed."}]},
        {"role": "model", "parts": [{"text": "x" * 999}]},
    ]
    found = read(system("chat_compression", info={"originalTokenCount": 9000}, compressedHistory=history))
    assert [one.pre_tokens for one in found.compactions] == [9000]
    assert [one.text for one in found.compaction_summaries] == ["The build is fixed."]


def test_thoughts_are_counted_once_whoever_serves_the_model() -> None:
    usage = {
        "promptTokenCount": 120,
        "candidatesTokenCount": 30,
        "thoughtsTokenCount": 10,
        "cachedContentTokenCount": 40,
    }
    for total, output in ((150, 30), (160, 40)):
        found = read(line("assistant", [{"text": "Done."}], usageMetadata={**usage, "totalTokenCount": total}))
        assert [one[7:11] for one in found.responses] == [(80, output, 0, 40)]


def test_how_a_command_ended_is_kept_where_what_it_shows_is_not() -> None:
    call = {"functionCall": {"id": "c1", "name": "run_shell_command", "args": {"command": "make"}}}
    display = {"type": "shell_result", "exitCode": 2, "output": "no rule " * 100}
    done = {"functionResponse": {"id": "c1", "response": {"output": "no rule"}}}
    about = {"callId": "c1", "status": "success", "resultDisplay": display}
    ended = line("tool_result", [done], toolCallResult=about)
    assert b"no rule no rule" not in pruned(ended)
    found = read(line("assistant", [call]), ended)
    assert [use.result and use.result.is_error for use in found.tool_uses] == [1]


def test_records_of_the_client_leave_a_stub() -> None:
    kept = pruned(system("ui_telemetry", uiEvent={"response_text": "said " * 200}))
    assert b"said" not in kept and json.loads(kept)["axm"]["dropped"] == "bulk"
    found = QWEN.decode(kept, 1)
    assert (found.counts, found.unknown, found.problems) == ({"ui_telemetry": 1}, {}, [])


def test_a_branch_counts_once_in_totals(tmp_path: Path) -> None:
    home = AgentHome(tmp_path, "qwen")
    home.memory().index()
    before = home.total()
    (chat,) = home.user.rglob("8b42101b*.jsonl")
    branch = chat.with_name("11111111-2222-4333-8444-555555555555.jsonl")
    branch.write_text(chat.read_text(encoding="utf-8").replace(chat.stem, branch.stem), encoding="utf-8")
    home.memory().index()
    assert home.total() == before and branch.stem in home.sessions()
