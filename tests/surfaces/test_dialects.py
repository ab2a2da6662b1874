"""Calls of other clients, as the real ones write them: heard in our words, answered in theirs, or not at all."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given as given_by
from hypothesis import settings
from hypothesis import strategies as st

from axiommind.ingest.served import drop_served
from axiommind.surfaces import hooks
from axiommind.surfaces.hooks import events, record
from axiommind.surfaces.hooks.answers import HookAnswer
from axiommind.surfaces.hooks.dialects import all_dialects, find
from axiommind.surfaces.hooks.dialects._calls import AFTER_TOOL, Heard
from tests.counting import PATIENCE_S
from tests.examples import examples
from tests.transcripts import PROJECT, Lines, World

AGENTS = all_dialects()
PROMPT = "how does the zephyr anemometer calibrate its hygroscope?"
ERROR = "Traceback (most recent call last):\nModuleNotFoundError: No module named 'nosuchmodule'"
RUN = {"command": "python3 -m nosuchmodule"}
PATCH = """*** Begin Patch
*** Update File: src/calc.py
@@ def add
-    return a - b
+    return a + b
*** Add File: /abs/new.py
+print(1)
*** Delete File: old.py
*** End Patch"""


def hear(agent: str, event: str, **given: Any) -> Heard | None:
    dialect = find(agent)
    assert dialect is not None
    return dialect.hear(event, given)


def calls_of(agent: str) -> dict[str, dict[str, Any]]:
    """One call of each event that an agent is wired for, with the fields that its real client sends."""
    dialect = find(agent)
    assert dialect is not None
    if agent == "copilot":
        about: dict[str, Any] = {"sessionId": "s", "timestamp": 1, "cwd": PROJECT}
        tool = {"toolName": "bash", "toolArgs": RUN}
        result = {"resultType": "success", "textResultForLlm": f"{ERROR}\n<shellId: 0 completed with exit code 1>"}
        more = {"SessionStart": {"source": "new"}, AFTER_TOOL: {**tool, "toolResult": result}}
    elif agent == "cursor":
        about = {"conversation_id": "s", "cursor_version": "3.0", "workspace_roots": [PROJECT]}
        run = {"tool_name": "Shell", "tool_input": RUN, "result_json": json.dumps({"output": ERROR, "exitCode": 1})}
        more = {AFTER_TOOL: run}
    elif agent == "antigravity":
        about, more = {"invocationNum": 1, "workspacePaths": [PROJECT]}, {}
    else:
        about = {"session_id": "s", "cwd": PROJECT, "transcript_path": "/nowhere.jsonl"}
        tools = {"codex": "Bash", "gemini": "run_shell_command", "qwen": "run_shell_command", "openclaw": "exec"}
        tool = {"tool_name": tools.get(agent, "bash"), "tool_input": RUN}
        response: dict[str, Any] = {"codex": {"tool_response": ERROR}}.get(agent, {"error": ERROR})
        if agent == "gemini":
            response = {"tool_response": {"llmContent": f"Output: {ERROR}\nExit Code: 1", "returnDisplay": ""}}
        more = {AFTER_TOOL: {**tool, **response}, "PostToolUseFailure": {**tool, **response}}
    calls = {}
    for event, named in dialect.NAMES.items():
        fields = {**about, "prompt": PROMPT, "source": "startup", **more.get(event, {})}
        if agent not in ("copilot", "antigravity"):
            fields["hook_event_name"] = named
        calls[event] = fields
    return calls


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> World:
    """A machine whose memory holds one thing worth recalling among others, and a file that something is decided for."""
    world = World(tmp_path_factory.mktemp("dialects"))
    lines = Lines("old")
    lines.prompt("the zephyr anemometer calibrates its hygroscope against the quartz reference")
    lines.answer("Done: the zephyr anemometer calibrates its hygroscope against the quartz reference at noon.")
    lines.prompt("We decided to keep amounts as decimal strings in rate_table.py, because floats drift.")
    lines.tool("Edit", "e1", file_path=f"{PROJECT}/rate_table.py", old_string="a", new_string="b")
    lines.result("e1", "ok")
    for n in range(30):
        lines.prompt(f"add a chart of rainfall for station {n}")
    world.write(lines)
    world.memory().index()
    world.memory().learning.run()
    return world


def text_in(agent: str, data: bytes) -> str:
    """The text for the model in an answer, where this client looks for it."""
    said = json.loads(data)
    if agent in ("codex", "gemini", "qwen", "droid"):
        assert said.keys() == {"hookSpecificOutput"}
        assert said["hookSpecificOutput"].keys() == {"hookEventName", "additionalContext"}
        return str(said["hookSpecificOutput"]["additionalContext"])
    if agent == "antigravity":
        return str(said["injectSteps"][0]["ephemeralMessage"])
    (key,) = said
    assert key == ("additional_context" if agent == "cursor" else "additionalContext")
    return str(said[key])


# --- promises ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("agent", AGENTS)
def test_every_event_is_one_of_ours_and_is_heard(agent: str, told: World) -> None:
    for event, given in calls_of(agent).items():
        heard = hear(agent, event, **given)
        if heard is None:
            # A command that failed: Droid says nothing of it, and Qwen by an event of its own.
            assert agent in ("droid", "qwen") and event == AFTER_TOOL
            continue
        assert events.find(heard.event) is not None, heard
        assert heard.given["cwd"] == PROJECT
        if agent != "antigravity":
            assert heard.given["session_id"] == "s"
        answer = hooks.answer(f"{event} {agent}", json.dumps(given).encode(), told.environ)
        assert answer.outcome in ("served", "silent"), answer
        assert not answer.indexing or heard.event in ("Stop", "SessionEnd", "PreCompact", "SessionStart")


@pytest.mark.parametrize("agent", [name for name in AGENTS if "UserPromptSubmit" in find(name).NAMES])  # type: ignore[union-attr]
def test_a_prompt_is_answered_as_the_client_takes_it(agent: str, told: World) -> None:
    given = calls_of(agent)["UserPromptSubmit"]
    handed = hooks.HandedOver(f"UserPromptSubmit {agent}", json.dumps(given).encode(), told.environ)
    assert handed.answer.outcome == "served", handed.answer
    assert "quartz reference" in text_in(agent, handed.data)
    if agent in ("codex", "gemini", "qwen", "droid"):
        named = json.loads(handed.data)["hookSpecificOutput"]["hookEventName"]
        assert named == given["hook_event_name"]


EDITS: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "codex": [("apply_patch", {"command": PATCH.replace("src/calc.py", "rate_table.py")})],
    "copilot": [("edit", {"path": f"{PROJECT}/rate_table.py", "old_str": "a", "new_str": "b"})],
    "gemini": [("replace", {"file_path": f"{PROJECT}/rate_table.py", "old_string": "a", "new_string": "b"})],
    "qwen": [("edit", {"file_path": f"{PROJECT}/rate_table.py", "old_string": "a", "new_string": "b"})],
    "droid": [("Edit", {"file_path": f"{PROJECT}/rate_table.py", "old_str": "a", "new_str": "b"})],
    "cursor": [("StrReplace", {"path": f"{PROJECT}/rate_table.py", "old_string": "a", "new_string": "b"})],
    "opencode": [("edit", {"filePath": f"{PROJECT}/rate_table.py", "oldString": "a", "newString": "b"})],
    "pi": [("edit", {"path": "rate_table.py", "edits": [{"oldText": "a", "newText": "b"}]})],
    "openclaw": [("edit", {"path": "rate_table.py", "edits": [{"oldText": "a", "newText": "b"}]})],
}


@pytest.mark.parametrize("agent", sorted(EDITS))
def test_a_file_that_was_changed_is_told_about(agent: str, told: World) -> None:
    for tool, taken in EDITS[agent]:
        named = (
            {"toolName": tool, "toolArgs": taken} if agent == "copilot" else {"tool_name": tool, "tool_input": taken}
        )
        given = {
            **calls_of(agent)[AFTER_TOOL],
            "toolResult": None,
            "tool_response": None,
            "error": "",
            "result_json": "",
        }
        raw = json.dumps({**given, **named}).encode()
        answer = hooks.answer(f"{AFTER_TOOL} {agent}", raw, told.environ)
        assert answer.outcome == "served" and "decimal strings" in answer.text, answer


def test_every_agent_with_tools_has_an_edit_here() -> None:
    assert {name for name in AGENTS if AFTER_TOOL in find(name).NAMES} == EDITS.keys()  # type: ignore[union-attr]


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.sampled_from([PATCH, "*** "]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
FIELDS = [
    "session_id", "sessionId", "conversation_id", "cwd", "prompt", "source", "tool_name", "toolName", "tool_input",
    "toolArgs", "tool_response", "toolResult", "error", "result_json", "workspace_roots", "workspacePaths",
    "invocationNum", "hook_event_name", "cursor_version", "is_interrupt",
]  # fmt: skip


@settings(max_examples=examples(40))
@given_by(
    st.dictionaries(st.sampled_from(FIELDS), ANYTHING),
    st.sampled_from(AGENTS),
    st.sampled_from([AFTER_TOOL, "SessionStart", "UserPromptSubmit", "Stop", ""]),
)
def test_whatever_a_client_says_the_answer_is_json_or_nothing(fields: dict[str, Any], agent: str, event: str) -> None:
    handed = hooks.HandedOver(f"{event} {agent}", json.dumps(fields).encode(), {"AXM_HOME": "/nowhere/at/all"})
    assert handed.answer.outcome in ("silent", "error", "off", "served")
    assert handed.data == b"" or json.loads(handed.data)


@pytest.mark.parametrize("agent", [*AGENTS, "nobody", "../events/stop", "_calls", "Ünicode", ""])
def test_a_hostile_call_ends_well_and_says_nothing(agent: str, told: World) -> None:
    for raw in (b"", b"{", b"\xff\xfe", b"[" * 50_000, b'{"hook_event_name": 3, "session_id": []}'):
        for event in (AFTER_TOOL, "Nonsense"):
            done = run(told, "--agent", agent, event, given=raw)
            assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def run(world: World, *arguments: str, given: bytes) -> subprocess.CompletedProcess[bytes]:
    code = "from axiommind.surfaces.hooks import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        input=given,
        env=world.environ,
        capture_output=True,
        check=False,
        timeout=PATIENCE_S,
    )


def test_a_call_says_in_the_log_whose_it_was(told: World) -> None:
    given = json.dumps({**calls_of("gemini")["UserPromptSubmit"], "session_id": "logged"}).encode()
    done = run(told, "--agent", "gemini", "UserPromptSubmit", given=given)
    assert "quartz" in text_in("gemini", done.stdout)
    (line,) = [
        one
        for one in map(json.loads, (told.home / "hooks" / "hooks.log").read_text().splitlines())
        if one["session"] == "logged"
    ]
    assert (line["agent"], line["hook"], line["outcome"]) == ("gemini", "UserPromptSubmit", "served")
    assert run(told, "--agent", "gemini", "UserPromptSubmit", given=given).stdout == b""  # told before
    wrong = run(told, "--agent", "gemini", "Stop", given=given)
    assert (wrong.returncode, wrong.stdout) == (0, b"")


# --- what is particular ------------------------------------------------------------------------------------


def error_of(heard: Heard | None) -> str:
    assert heard is not None and heard.event == "PostToolUseFailure"
    assert heard.given["tool_input"] == RUN
    return str(heard.given["error"])


@pytest.mark.parametrize("agent", [name for name in sorted(EDITS) if name != "droid"])
def test_a_command_that_failed_is_an_error(agent: str) -> None:
    event = "PostToolUseFailure" if agent == "qwen" else AFTER_TOOL
    assert "nosuchmodule" in error_of(hear(agent, event, **calls_of(agent)[event]))


SUCCESSES: list[tuple[str, Mapping[str, Any]]] = [
    ("codex", {"tool_name": "Bash", "tool_input": RUN, "tool_response": "3 passed"}),
    ("codex", {"tool_name": "Bash", "tool_input": {"command": "rg Error: src"}, "tool_response": ERROR}),
    ("codex", {"tool_name": "Bash", "tool_input": {"command": ["x"]}, "tool_response": {"no": "text"}}),
    ("copilot", {"toolName": "bash", "toolResult": {"textResultForLlm": f"{ERROR} completed with exit code 0"}}),
    ("gemini", {"tool_name": "run_shell_command", "tool_response": {"llmContent": "Exit Code: 0"}}),
    ("gemini", {"tool_name": "run_shell_command", "tool_response": "Exit Code: 1"}),
    ("qwen", {"tool_name": "run_shell_command", "error": ERROR}),  # PostToolUse
    ("droid", {"tool_name": "Execute", "tool_response": ERROR}),
    ("cursor", {"tool_name": "Shell", "tool_input": RUN, "result_json": '{"exitCode": 0, "output": "x"}'}),
    ("cursor", {"tool_name": "Shell", "tool_input": RUN, "result_json": "{"}),
    ("opencode", {"tool_name": "bash", "tool_input": RUN, "error": ""}),
    ("pi", {"tool_name": "read", "tool_input": {"path": "/a"}, "error": "no such file"}),
]


@pytest.mark.parametrize(("agent", "given"), SUCCESSES)
def test_what_did_not_fail_is_none(agent: str, given: Mapping[str, Any]) -> None:
    assert hear(agent, AFTER_TOOL, session_id="s", **given) is None


def test_a_patch_names_its_files() -> None:
    heard = hear("codex", AFTER_TOOL, cwd="/p", tool_name="apply_patch", tool_input={"command": PATCH})
    assert heard is not None
    assert heard.given["changes"] == [
        {"file_path": "/p/src/calc.py", "old_string": "    return a - b", "new_string": "    return a + b"},
        {"file_path": "/abs/new.py", "content": "print(1)"},
    ]


def test_gemini_s_prompt_is_what_the_person_wrote() -> None:
    added = f"<hook_context>what we said</hook_context>\n\n<hook_context>x</hook_context>{PROMPT}"
    heard = hear("gemini", "UserPromptSubmit", prompt=added)
    assert heard is not None and heard.given["prompt"] == PROMPT
    assert hear("gemini", "UserPromptSubmit", prompt="<hook_context>torn") is None


def test_qwen_s_prompt_hook_without_a_prompt_is_not_answered() -> None:
    assert hear("qwen", "UserPromptSubmit", prompt="") is None
    heard = hear("qwen", "UserPromptSubmit", prompt=f"{PROMPT}<qwen:user-prompt-submit-context>ours")
    assert heard is not None and heard.given["prompt"] == PROMPT
    interrupted = {"tool_name": "run_shell_command", "error": ERROR, "is_interrupt": True}
    assert hear("qwen", "PostToolUseFailure", **interrupted) is None


def test_gemini_is_not_wired_for_its_precompress() -> None:
    dialect = find("gemini")
    assert dialect is not None and "PreCompress" not in dialect.NAMES.values()


def test_antigravity_is_told_at_its_first_request_only() -> None:
    assert hear("antigravity", "SessionStart", invocationNum=2, workspacePaths=["/p"]) is None
    assert hear("antigravity", "SessionStart", invocationNum=1, workspacePaths=[]) is None


def test_cursor_is_told_once_whichever_hooks_it_runs(told: World) -> None:
    """Its own hooks and those of Claude Code's settings, at once."""
    own = {**calls_of("cursor")["SessionStart"], "conversation_id": "both"}
    claude = {**own, "hook_event_name": "SessionStart", "session_id": "both"}
    first = hooks.answer("", json.dumps(own).encode(), told.environ)
    second = hooks.answer("SessionStart", json.dumps(claude).encode(), told.environ)
    assert first.why != second.why == "another hook of the client is told it"
    prompt = {**claude, "hook_event_name": "UserPromptSubmit", "prompt": PROMPT}
    assert hooks.answer("UserPromptSubmit", json.dumps(prompt).encode(), told.environ).text == ""


def test_who_claims_first_is_the_only_one(tmp_path: Path) -> None:
    assert record.claim(tmp_path, "a/../b-SessionStart") and not record.claim(tmp_path, "a/../b-SessionStart")
    assert record.claim(tmp_path, "c-SessionStart")
    drop_served(tmp_path / "hooks", ["a/../b"])  # what is forgotten leaves nothing
    assert [path.name for path in (tmp_path / "hooks" / "claimed").iterdir()] == ["c-SessionStart"]


def test_an_answer_of_nobody_s_dialect_is_nothing() -> None:
    assert hooks.output("Stop", HookAnswer("served", text="x"), "nobody") == b""


def test_the_calls_of_a_command_line() -> None:
    assert hooks.called(["Stop"]) == "Stop"
    assert hooks.called(["--agent", "codex", "Stop"]) == "Stop codex"
    assert hooks.called([]) == "" and hooks.called(["--agent"]) == ""
