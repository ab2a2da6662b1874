"""What is Codex's own: rollouts that move and are compressed, two families of records, patches, JSON in texts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import zstandard

from axiommind import sources
from axiommind.sources.codex.bulk import prune
from axiommind.sources.patches import read_patch
from axiommind.sources.records import CallBlocks, Decoded
from axiommind.text.pointers import text_at
from tests.sources.agents import AgentHome, expected

MAIN = "01a1e2b7-b0c3-7662-8441-2d2906877fc8"
CODEX = sources.load("codex")


def line(kind: str, payload: dict[str, Any], at: str = "2026-07-02T09:00:00.000Z") -> bytes:
    return json.dumps({"timestamp": at, "type": kind, "payload": payload}).encode() + b"\n"


def meta(session: str = "019f2222-aaaa-7aaa-8bbb-0123456789ab", **more: Any) -> bytes:
    return line("session_meta", {"id": session, "cwd": "/home/dev/demo", "cli_version": "0.142.4", **more})


def turn(name: str = "turn-1", **more: Any) -> bytes:
    return line("turn_context", {"turn_id": name, "cwd": "/home/dev/demo", "model": "gpt-5.5", **more})


def item(kind: str, **fields: Any) -> bytes:
    return line("response_item", {"type": kind, **fields})


def asked(*texts: str, **more: Any) -> bytes:
    return item("message", role="user", content=[{"type": "input_text", "text": text} for text in texts], **more)


def shell(call: str, **given: Any) -> bytes:
    return item("function_call", name="exec_command", call_id=call, arguments=json.dumps(given))


def returned(call: str, output: Any) -> bytes:
    return item("function_call_output", call_id=call, output=output)


def spent(total: int, given: int, cached: int, output: int) -> bytes:
    last = {"input_tokens": given, "cached_input_tokens": cached, "output_tokens": output}
    return line(
        "event_msg",
        {"type": "token_count", "info": {"total_token_usage": {"total_tokens": total}, "last_token_usage": last}},
    )


def decoded(*lines: bytes) -> Decoded:
    return CODEX.decode(b"".join(lines), 1)


def calls(*lines: bytes) -> list[CallBlocks]:
    return CODEX.blocks(b"".join(lines), 1)[1]


def quoted(content: bytes) -> dict[str, str]:
    """The texts of calls, by their places in the record."""
    records = content.split(b"\n")
    found = {}
    for block in CODEX.blocks(content, 1)[0]:
        if block.role == "call":
            assert text_at(records[block.line - 1], block.pointer) == block.text
            found[block.pointer] = block.text
    return found


# --- where rollouts are ----------------------------------------------------------------------------------------


def rollout_of(home: AgentHome, session: str) -> Path:
    return next(home.user.rglob(f"*{session}.jsonl"))


def compress(path: Path) -> Path:
    packed = path.with_name(path.name + ".zst")
    packed.write_bytes(zstandard.ZstdCompressor().compress(path.read_bytes()))
    return packed


def test_a_rollout_that_is_compressed_later_is_the_same_session(tmp_path: Path) -> None:
    home = AgentHome(tmp_path, "codex")
    home.memory().index()
    said, total = home.said(), home.total()
    for path in list(home.user.rglob("*.jsonl")):
        compress(path)
    assert home.memory().index().events == 0  # while both are there
    for path in list(home.user.rglob("*.jsonl")):
        path.unlink()
    report = home.memory().index()
    assert (report.events, report.missing, report.problems) == (0, 0, [])
    assert (home.said(), home.total()) == (said, total)
    home.memory().index(full=True)
    assert (home.said(), home.total()) == (said, total)


def test_a_compressed_rollout_is_read_like_any_other(tmp_path: Path) -> None:
    home = AgentHome(tmp_path, "codex")
    for path in list(home.user.rglob("*.jsonl")):
        compress(path)
        path.unlink()
    home.memory().index()
    assert home.sessions() == expected("codex")["sessions"]
    again = home.memory().index()
    assert (again.files_opened, again.events) == (0, 0)
    assert home.memory().verify(deep=True) == []


def test_a_damaged_archive_is_a_problem_of_its_own(tmp_path: Path) -> None:
    home = AgentHome(tmp_path, "codex")
    path = rollout_of(home, MAIN)
    packed = compress(path)
    packed.write_bytes(packed.read_bytes()[:200])
    path.unlink()
    report = home.memory().index()
    assert [problem.path for problem in report.problems] in ([], [str(path)])
    assert len(home.sessions()) >= len(expected("codex")["sessions"]) - 1


def test_an_archived_rollout_counts_once(tmp_path: Path) -> None:
    home = AgentHome(tmp_path, "codex")
    home.memory().index()
    sessions, total = home.sessions(), home.total()
    path = rollout_of(home, MAIN)
    path.rename(home.user / ".codex" / "archived_sessions" / path.name)
    home.memory().index()
    assert (home.sessions(), home.total()) == (sessions, total)
    assert home.memory().verify() == []


def test_codex_home_says_where_they_are(tmp_path: Path) -> None:
    home = AgentHome(tmp_path, "codex")
    moved = tmp_path / "elsewhere"
    (home.user / ".codex").rename(moved)
    found = sources.load("codex").discover({"CODEX_HOME": str(moved)}, home.user, [], None)
    assert len(found.files) == len(expected("codex")["sessions"])
    assert not sources.load("codex").discover({}, home.user, [], None).files
    loose = tmp_path / "loose"  # a folder of rollouts that the settings name
    loose.mkdir()
    (loose / f"{MAIN}.jsonl").write_bytes(meta(MAIN))
    assert [file.session_id for file in CODEX.discover({}, home.user, [str(loose)], None).files] == [MAIN]


# --- what a person said ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "<environment_context>\n  <cwd>/x</cwd>\n</environment_context>",
        "# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\nTest.\n</INSTRUCTIONS>",
        "<turn_aborted>\nThe user interrupted the previous turn on purpose.\n</turn_aborted>",
        "<skill>\n<name>worktree</name>\n</skill>",
        "<subagent_notification>{}</subagent_notification>",
        "Another language model started to solve this problem and produced a summary",
    ],
)
def test_what_the_client_put_there_is_no_prompt(text: str) -> None:
    assert decoded(meta(), turn(), asked(text)).prompts == []


def test_a_prompt_may_look_like_markup() -> None:
    assert [p.text for p in decoded(meta(), turn(), asked("<Button> is too wide")).prompts] == ["<Button> is too wide"]


def test_newer_versions_say_what_is_typed() -> None:
    kinds = {"turn_id": "turn-1", "content_item_kinds": ["agents_md.instructions", "user.text"]}
    found = decoded(meta(), turn(), asked("Notes", "do it", internal_chat_message_metadata_passthrough=kinds))
    assert [p.text for p in found.prompts] == ["do it"]


def test_the_same_words_twice_are_two_prompts() -> None:
    found = decoded(meta(), turn("a"), asked("continue"), asked("continue"), turn("b"), asked("continue"))
    assert len({p.uuid for p in found.prompts}) == len(found.prompts) == 3


def test_sessions_of_the_first_versions_are_lines_of_items() -> None:
    first = {"id": "s1", "timestamp": "2025-05-01T10:00:00Z", "instructions": None}
    message = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "list the files"}]}
    content = b"".join(json.dumps(one).encode() + b"\n" for one in (first, {"record_type": "state"}, message))
    found = CODEX.decode(content, 1)
    assert ([p.text for p in found.prompts], found.problems, found.unknown) == (["list the files"], [], {})


# --- calls -------------------------------------------------------------------------------------------------------


def test_words_in_arguments_are_quoted_inside_of_the_text() -> None:
    plan = {"plan": [{"step": "Write the parser", "status": "in_progress"}]}
    content = meta() + item("function_call", name="update_plan", call_id="c", arguments=json.dumps(plan))
    assert quoted(content)["/payload/arguments/~2/plan/0/step"] == "Write the parser"
    (call,) = calls(content)
    assert call.given == {"todos": [{"content": "Write the parser", "status": "in_progress"}]}
    assert "/todos/0/content" in call.leaves


def test_a_shell_command_is_its_script() -> None:
    content = meta() + item(
        "function_call", name="shell", call_id="c", arguments=json.dumps({"command": ["bash", "-lc", "npm test"]})
    )
    assert quoted(content) == {"/payload/arguments/~2/command/2": "npm test"}
    (call,) = calls(content)
    assert (call.given, call.classified_name) == ({"command": "npm test"}, "Bash:test")
    (words,) = calls(
        meta(), item("function_call", name="shell", call_id="c", arguments='{"command": ["git", "log", "a b"]}')
    )
    assert (words.given["command"], words.classified_name, words.leaves) == ("git log 'a b'", "Bash:git", {})


@pytest.mark.parametrize(
    ("output", "failed"),
    [
        ("Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 1\nOutput:\nno", 1),
        ("Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\nx exited with code 3", 0),
        ('{"output":"no","metadata":{"exit_code":127}}', 1),
        ({"content": "ok", "success": False}, 1),
        ("Wall time: 0.1 seconds\naborted by user", 1),
        ("exec command rejected by user", 1),
        ([{"type": "input_text", "text": "fine"}], 0),
    ],
)
def test_whether_a_command_failed(output: Any, failed: int) -> None:
    (use,) = decoded(meta(), turn(), shell("c", cmd="make x"), returned("c", output)).tool_uses
    assert use.result is not None and use.result.is_error == failed


def test_a_command_that_runs_on_ends_where_it_was_waited_for() -> None:
    head = "Wall time: 30.0 seconds\nProcess {}\nOutput:\n"
    wait = [
        item("function_call", name="write_stdin", call_id=f"w{n}", arguments='{"session_id": 7, "chars": ""}')
        for n in (1, 2)
    ]
    lines = (
        meta(),
        turn(),
        shell("c", cmd="npm test"),
        returned("c", head.format("running with session ID 7") + "1 of 2\nx exited with code 3"),
        wait[0],
        returned("w1", head.format("running with session ID 7") + "2 of 2"),
        wait[1],
        returned("w2", head.format("exited with code 1") + "1 failing"),
    )
    whole = decoded(*lines)
    assert [(u.tool_name, u.result and u.result.is_error) for u in whole.tool_uses] == [
        ("exec_command", 1),
        ("write_stdin", 0),
        ("write_stdin", 0),
    ]
    assert whole.tool_uses[0].result is not None and whole.tool_uses[0].result.error == "1 failing"
    said = [b.text.strip() for b in CODEX.blocks(b"".join(lines), 1)[0] if b.role == "result" and b.use_id == "c"]
    assert said == ["1 of 2\nx exited with code 3", "2 of 2", "1 failing"]
    first = decoded(*lines[:5])
    assert first.tool_uses[0].result is None
    rest = CODEX.decode(b"".join(lines[5:]), 6, frozenset(), first.context).results
    assert [(one.tool_use_id, one.is_error) for one in rest] == [("w1", 0), ("c", 1)]


def test_a_command_that_printed_nothing_came_to_an_end() -> None:
    content = b"".join((meta(), turn(), shell("c", cmd="git add -A"), returned("c", "Exit code: 0\nOutput:\n")))
    assert [b.failed for b in CODEX.blocks(content, 1)[0] if b.role == "result"] == [False]


def test_how_a_result_begins_is_not_what_it_says() -> None:
    head = "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 1\nOriginal token count: 3\nOutput:\n"
    (use,) = decoded(meta(), turn(), shell("c", cmd="make x"), returned("c", head + "no rule")).tool_uses
    assert use.result is not None and use.result.error == "no rule"


PATCH = """*** Begin Patch
*** Add File: a.py
+one
+two
*** Update File: src/b.py
*** Move to: src/c.py
@@ def f():
 same
-old
+new
@@
-gone
*** Delete File: /abs/d.py
*** End Patch
"""


def test_a_patch_names_its_files_and_what_it_changes() -> None:
    patch = read_patch(PATCH, "/home/dev/demo")
    demo = "/home/dev/demo"
    assert patch.files == (f"{demo}/a.py", f"{demo}/src/b.py", f"{demo}/src/c.py", "/abs/d.py")
    assert patch.fields["edits"] == [
        {"file_path": f"{demo}/a.py", "new_string": "one\ntwo\n"},
        {"file_path": f"{demo}/src/c.py", "old_string": "same\nold", "new_string": "same\nnew"},
        {"file_path": f"{demo}/src/c.py", "old_string": "gone", "new_string": ""},
    ]
    one = read_patch("*** Begin Patch\n*** Update File: x\n@@\n-a\n+b\n*** End Patch", "/p")
    assert one.fields == {"file_path": "/p/x", "old_string": "a", "new_string": "b"}


@pytest.mark.parametrize("text", ["", "*** Begin Patch", "*** Add File: ", "*** Update File: x", "@@\n-\n+"])
def test_a_broken_patch_is_a_call_all_the_same(text: str) -> None:
    content = meta() + turn() + item("custom_tool_call", name="apply_patch", call_id="c", input=text)
    assert len(CODEX.decode(content, 1).tool_uses) == 1
    quoted(content)


# --- what it cost ------------------------------------------------------------------------------------------------


def test_only_a_new_total_is_a_new_answer() -> None:
    found = decoded(
        meta(), turn(), spent(110, 100, 40, 10), spent(110, 100, 40, 10), spent(110, 0, 0, 0), spent(160, 50, 50, 0)
    )
    rows = [(r.input_tokens, r.cache_read_tokens, r.output_tokens) for r in found.responses]
    assert rows == [(60, 40, 10), (0, 50, 0)]


def test_an_answer_is_what_came_since_the_last_one_was_counted() -> None:
    said = [{"type": "output_text", "text": "Looking."}]
    found = decoded(
        meta(),
        turn(),
        item("message", role="assistant", content=said),
        shell("call_aaaaaaaaaaaaaaaaaaaaaaaa", cmd="ls"),
        spent(10, 5, 0, 5),
        item("message", role="assistant", content=said),
        spent(20, 5, 0, 5),
    )
    assert [(r.text, r.output_tokens, r.model) for r in found.responses] == [("Looking.", 5, "gpt-5.5")] * 2
    assert found.tool_uses[0].message_id == found.responses[0].message_id


def test_each_answer_is_of_the_model_of_its_turn() -> None:
    found = decoded(
        meta(), turn("a", model="gpt-5.4"), spent(10, 5, 0, 5), turn("b", model="gpt-5.5"), spent(20, 5, 0, 5)
    )
    assert [r.model for r in found.responses] == ["gpt-5.4", "gpt-5.5"]


# --- bulk --------------------------------------------------------------------------------------------------------


def test_the_vendors_texts_are_dropped_and_the_rest_stays() -> None:
    long = "vendor " * 200
    pruned = [
        prune(one.rstrip(b"\n"))
        for one in (
            meta(base_instructions={"text": long}),
            item("message", role="developer", content=[{"type": "input_text", "text": long}]),
            turn(collaboration_mode={"settings": {"developer_instructions": long}}),
            line("compacted", {"message": "what was done", "replacement_history": [long]}),
            item("reasoning", summary=[], encrypted_content=long),
            line("event_msg", {"type": "user_message", "message": long}),
        )
    ]
    assert all(b"vendor vendor" not in one and b"sha256" in one for one in pruned)
    found = decoded(*(one + b"\n" for one in pruned))
    assert (found.cwd, found.unknown, found.problems) == ("/home/dev/demo", {}, [])
    assert [s.text for s in found.compaction_summaries] == ["what was done"]


def test_of_an_image_only_its_size_is_kept() -> None:
    image = {"type": "input_image", "image_url": "data:image/png;base64," + "A" * 2000}
    text = {"type": "input_text", "text": "what is this"}
    pruned = prune(item("message", role="user", content=[text, image]).rstrip(b"\n"))
    assert b"AAAA" not in pruned
    assert [p.text for p in decoded(meta(), turn(), pruned + b"\n").prompts] == ["what is this"]


def test_a_call_that_an_event_calls_failed_has_failed_also_when_the_event_was_dropped() -> None:
    end = line(
        "event_msg",
        {
            "type": "mcp_tool_call_end",
            "call_id": "c",
            "invocation": {"text": "x" * 600},
            "result": {"Ok": {"content": [], "isError": True}},
        },
    )
    call = item("function_call", name="ask", namespace="mcp__wiki", call_id="c", arguments="{}")
    for event in (end, prune(end.rstrip(b"\n")) + b"\n"):
        (use,) = decoded(meta(), turn(), call, event, returned("c", "Wall time: 1 seconds\nOutput:\nno")).tool_uses
        assert use.tool_name == "mcp__wiki__ask"
        assert use.result is not None and use.result.is_error


@pytest.mark.parametrize(
    ("source", "origin"), [("exec", "headless"), ("mcp", "headless"), ("cli", "typed"), ("vscode", "typed")]
)
def test_a_prompt_on_a_command_line_may_be_anybodys(source: str, origin: str) -> None:
    (prompt,) = decoded(meta(source=source), turn(), asked("Always use pnpm.", id="msg-1")).prompts
    assert prompt.origin == origin
