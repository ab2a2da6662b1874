"""Claude Code's lines: what is a prompt, what is a command, what an answer cost, what is bulk."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from axiommind.sources import claude_code
from axiommind.sources.records import Decoded
from tests.rows import rows
from tests.transcripts import Lines, encode


def decode(*lines: dict[str, Any] | bytes, first: int = 1) -> Decoded:
    content = b"".join(line if isinstance(line, bytes) else encode(line) for line in lines)
    return claude_code.decode(content, first)


def user(text: Any, **fields: Any) -> dict[str, Any]:
    return Lines().prompt(text, **fields)


@pytest.mark.parametrize(
    "line",
    [
        user("fix it"),
        user("fix it", origin={"kind": "human"}, promptSource="typed"),
        user("fix it", promptSource="sdk"),
        user("fix it", promptSource="queued"),
        user([{"type": "text", "text": "fix it"}, {"type": "image", "source": {}}]),
        user("<system-reminder>\nnoise\n</system-reminder>\nfix it"),
        user("<ide_opened_file>a.py</ide_opened_file>fix it"),
        user("fix it<system-reminder>and more</system-reminder>"),
    ],
)
def test_real_prompts(line: dict[str, Any]) -> None:
    assert [p.text for p in decode(line).prompts] == ["fix it"]


@pytest.mark.parametrize(
    "line",
    [
        user("x", isMeta=True),
        user("x", isSidechain=True),
        user("x", isCompactSummary=True),
        user("x", isVisibleInTranscriptOnly=True),
        user("x", toolUseResult={"a": 1}),
        user("x", origin={"kind": "task-notification"}),
        user("x", promptSource="system"),
        user(""),
        user("   "),
        user([{"type": "image", "source": {}}]),
        user("<system-reminder>only this</system-reminder>"),
        user("<system-reminder>never closed"),
        user("<local-command-stdout>ls</local-command-stdout>"),
        user("<local-command-caveat>x</local-command-caveat>"),
        user("Caveat: The messages below"),
        user("<task-notification>done</task-notification>"),
        user("[Request interrupted by user]"),
        user("Stop hook feedback: no"),
        user("This session is being continued from a previous conversation"),
        user("[Image: source: /a.png]"),
        user("<bash-stdout>x</bash-stdout>"),
    ],
)
def test_not_prompts(line: dict[str, Any]) -> None:
    found = decode(line)
    assert found.prompts == [] and found.commands == []


def test_a_stamp_is_trusted_over_the_look_of_the_text() -> None:
    typed = user("Caveat: this is what I typed", origin={"kind": "human"})
    assert [p.text for p in decode(typed).prompts] == ["Caveat: this is what I typed"]


def test_commands_are_kept_apart() -> None:
    slash = user(
        "<command-name>/review</command-name>\n<command-message>review</command-message>\n"
        "<command-args>src/a.py</command-args>",
        origin={"kind": "human"},
    )
    bang = user("<bash-input>git status</bash-input>", uuid="u2")
    found = decode(slash, bang)
    assert found.prompts == []
    assert [(c.kind, c.name, c.args) for c in found.commands] == [
        ("slash", "/review", "src/a.py"),
        ("bash", "!", "git status"),
    ]


def test_a_prompt_typed_while_the_agent_works() -> None:
    lines = Lines()
    lines.add("attachment", attachment={"type": "queued_command", "prompt": "also this", "humanTurn": True})
    lines.add("attachment", attachment={"type": "queued_command", "prompt": "a task", "origin": {"kind": "task"}})
    found = decode(*lines.lines)
    assert [(p.text, p.origin) for p in found.prompts] == [("also this", "queued")]


def test_streamed_lines_become_one_answer_with_the_most_tokens() -> None:
    lines = Lines()
    small = {"input_tokens": 7, "output_tokens": 5, "cache_read_input_tokens": 100}
    large = {"input_tokens": 7, "output_tokens": 631, "cache_read_input_tokens": 100}
    lines.answer("Let me look.", message_id="m1", request_id="r1", usage=small)
    lines.prompt("a prompt in between")
    lines.answer(
        {"type": "tool_use", "id": "t1", "name": "Read", "input": {}}, message_id="m1", request_id="r1", usage=large
    )
    lines.answer("Done.", message_id="m1", request_id="r1", usage=large)
    (answer,) = decode(*lines.lines).responses
    assert answer.text == "Let me look.\n\nDone."
    assert (answer.input_tokens, answer.output_tokens, answer.cache_read_tokens) == (7, 631, 100)
    assert (answer.line_start, answer.line_end) == (1, 4)


def test_nested_cache_figures_count_when_the_sum_is_zero() -> None:
    nested = {"cache_creation_input_tokens": 0, "cache_creation": {"ephemeral_5m_input_tokens": 4, "x": 6}}
    lines = Lines()
    lines.answer("x", usage=nested)
    assert decode(*lines.lines).responses[0].cache_creation_tokens == 10


def test_what_is_kept_for_an_hour_and_how_an_answer_was_served_are_read_with_its_tokens() -> None:
    kept = {"ephemeral_5m_input_tokens": 100, "ephemeral_1h_input_tokens": 900}
    usage = {"output_tokens": 3, "cache_creation_input_tokens": 1000, "cache_creation": kept}
    lines = Lines()
    lines.answer("x", usage=usage | {"speed": "fast", "service_tier": "standard"})
    lines.answer("y", usage=usage | {"speed": "standard", "service_tier": "batch"})
    lines.answer("z", usage=usage | {"cache_creation": {"ephemeral_1h_input_tokens": 9000}, "speed": ["fast"]})
    lines.answer("old", usage={"output_tokens": 3, "cache_creation_input_tokens": 1000})
    found = [(r.cache_creation_tokens, r.cache_1h_tokens, r.service_tier) for r in decode(*lines.lines).responses]
    assert found == [(1000, 900, "fast"), (1000, 900, "batch"), (1000, 1000, None), (1000, 0, None)]


def test_the_line_with_the_most_tokens_says_how_an_answer_was_served() -> None:
    begun = {"output_tokens": 1, "cache_creation_input_tokens": 10}
    ended = begun | {"output_tokens": 9, "cache_creation": {"ephemeral_1h_input_tokens": 10}, "speed": "fast"}
    lines = Lines()
    lines.answer("Let me", message_id="m1", request_id="r1", usage=begun)
    lines.answer("look.", message_id="m1", request_id="r1", usage=ended)
    (answer,) = decode(*lines.lines).responses
    assert (answer.output_tokens, answer.cache_1h_tokens, answer.service_tier) == (9, 10, "fast")


def test_tool_uses_and_how_they_ended() -> None:
    lines = Lines()
    lines.tool("Bash", "t1", command="cd x && git commit -m y")
    lines.tool("Edit", "t2", file_path="/p/a.py", old_string="a", new_string="b")
    lines.result("t1", "all good")
    lines.result("t2", "String to replace not found", error=True)
    lines.result("t9", "of an earlier segment")
    found = decode(*lines.lines)
    bash, edit = found.tool_uses
    assert (bash.classified_name, bash.file_path) == ("Bash:git", None)
    assert bash.result is not None and (bash.result.is_error, bash.result.chars) == (0, 8)
    assert (edit.tool_name, edit.file_path) == ("Edit", "/p/a.py")
    assert edit.result is not None and edit.result.error == "String to replace not found"
    assert [r.tool_use_id for r in found.results] == ["t9"]
    assert found.prompts == []


def test_line_numbers_go_on_from_the_segment() -> None:
    lines = Lines()
    lines.prompt("one")
    lines.prompt("two")
    assert [p.line for p in decode(*lines.lines, first=101).prompts] == [101, 102]


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"{broken\n", "not JSON"),
        (b"\x00\x00\x00\n", "not JSON"),
        (b'{"type":"user","message":{"content":"\xff\xfe"}}\n', "not UTF-8"),
        (b"[1,2]\n", "not a JSON object"),
        (b'"text"\n', "not a JSON object"),
        (b"{}\n", "without a type"),
        (b'{"type":7}\n', "without a type"),
        (b'{"type":"user"}\n', "without content"),
        (b'{"type":"user","message":5}\n', "without content"),
        (b'{"type":"assistant","message":"x"}\n', "without a message"),
        (b'{"type":"assistant","message":{"content":5}}\n', "without content"),
        (b'{"type":"user","timestamp":"yesterday","message":{"content":"hi"}}\n', "not a time"),
        (b'{"type":"user","timestamp":[],"message":{"content":"hi"}}\n', "not a time"),
        (b'{"type":"assistant","message":{"content":[{"type":"tool_use","name":5}]}}\n', "without a name"),
        (b'{"type":"user","message":{"content":[{"type":"tool_result"}]}}\n', "without a tool_use_id"),
    ],
)
def test_bad_lines_are_problems_and_the_rest_is_read(raw: bytes, why: str) -> None:
    lines = Lines()
    lines.prompt("before")
    lines.prompt("after")
    found = decode(lines.lines[0], raw, lines.lines[1])
    assert [(n, why in text) for n, text in found.problems] == [(2, True)], found.problems
    assert [p.text for p in found.prompts if p.text != "hi"] == ["before", "after"]


def test_half_a_surrogate_pair_is_read() -> None:
    found = decode(b'{"type":"user","message":{"content":"cut \\ud83d here"}}\n')
    assert [p.text for p in found.prompts] == ["cut \ufffd here"] and found.problems == []


def test_deep_nesting_is_a_problem_not_a_crash() -> None:
    deep = b'{"type":"user","x":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n"
    assert len(decode(deep).problems) <= 1


def test_unknown_types_are_counted() -> None:
    found = decode(b'{"type":"from-the-future"}\n', b'{"type":"from-the-future","x":1}\n', b'{"type":"mode"}\n')
    assert found.unknown == {"from-the-future": 2} and found.counts["mode"] == 1 and found.problems == []


def test_without_timestamps() -> None:
    found = decode(b'{"type":"user","message":{"content":"hi"}}\n')
    assert [p.timestamp for p in found.prompts] == [None] and found.problems == []


def test_titles_summaries_and_pull_requests() -> None:
    found = decode(
        {"type": "ai-title", "aiTitle": "first"},
        {"type": "ai-title", "aiTitle": "second"},
        {"type": "custom-title", "customTitle": " mine "},
        {"type": "last-prompt", "lastPrompt": None},
        {"type": "summary", "summary": "of another file", "leafUuid": "u1"},
        {"type": "pr-link", "prUrl": "https://example.org/pull/1", "prNumber": 1, "prRepository": "a/b"},
    )
    assert found.titles == {"ai": "second", "custom": "mine"}
    assert found.summaries == [("u1", "of another file")]
    assert [p.number for p in found.pull_requests] == [1]


# --- bulk --------------------------------------------------------------------------------------------------------


def test_bulk_leaves_a_stub_with_hash_and_size() -> None:
    for line in (
        {"type": "progress", "uuid": "u", "data": {"type": "bash_progress", "fullOutput": "x" * 900}},
        {"type": "api-request-shape", "shape": "x" * 900},
        {"type": "attachment", "attachment": {"type": "prompt_snapshot", "text": "x" * 900}},
    ):
        raw = json.dumps(line).encode()
        stub = json.loads(claude_code.prune(raw))
        assert stub["type"] == line["type"] and stub["axm"]["bytes"] == len(raw)
        assert len(stub["axm"]["sha256"]) == 64 and "x" * 100 not in json.dumps(stub)
        assert decode(json.dumps(stub).encode() + b"\n").problems == []


def test_images_are_dropped_and_text_is_kept() -> None:
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBOR" * 5000}}
    line = encode(user([{"type": "text", "text": "look at this"}, picture]))
    pruned = claude_code.prune(line)
    assert len(pruned) < 1000 and b"dropped 25000 bytes" in pruned
    assert [p.text for p in decode(pruned).prompts] == ["look at this"]


def test_what_a_result_repeats_is_dropped_and_the_rest_stays() -> None:
    lines = Lines()
    text = "long output\n" * 500
    line = lines.result("t1", text)
    line["toolUseResult"] = {"stdout": text, "interrupted": False, "plan": "p" * 3000, "filePath": "/a.py"}
    pruned = json.loads(claude_code.prune(encode(line)))
    assert pruned["message"] == line["message"]
    assert pruned["toolUseResult"]["stdout"].startswith("[axm: dropped 6502 bytes")
    assert pruned["toolUseResult"]["plan"] == "p" * 3000
    assert pruned["toolUseResult"]["interrupted"] is False


def test_lines_that_cannot_be_read_are_left_alone() -> None:
    for raw in (b"{broken" * 100, b"\xff" * 1000, b"[" * 5000, b'{"type":"progress","data":' + b"x" * 600):
        assert claude_code.prune(raw) == raw


# --- where the files are -----------------------------------------------------------------------------------------


@rows("R0.27", "R0.77")
@pytest.mark.parametrize("tool", ["Read", "PowerShell", "mcp__server__tool", "BashOutput"])
def test_only_shell_commands_have_a_class(tool: str) -> None:
    called = Lines()
    called.tool(tool, "t1", command="git status")
    (use,) = decode(*called.lines).tool_uses
    assert use.classified_name == tool


def files(root: Path, **environ: str) -> list[tuple[str, str, str | None]]:
    found = claude_code.discover({"CLAUDE_CONFIG_DIR": str(root), **environ}, root, [])
    return [(f.kind, f.session_id, f.parent_session) for f in found.files]


def touch(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{}\n")


@rows("R0.12")
def test_discovery(tmp_path: Path) -> None:
    here = tmp_path / "projects" / "-p"
    touch(here / "one.jsonl")
    touch(here / "agent-old.jsonl")
    touch(here / "one" / "custom-title.json")
    touch(here / "one" / "subagents" / "agent-a1.jsonl")
    touch(here / "one" / "subagents" / "agent-a1.meta.json")
    touch(here / "one" / "subagents" / "workflows" / "wf" / "agent-b2.jsonl")
    touch(here / "one" / "subagents" / "workflows" / "wf" / "journal.jsonl")
    touch(here / "one" / "tool-results" / "x.txt")
    for ignored in ("memory/MEMORY.md", "memory/x.jsonl", "two.orphaned-1.jsonl", "x.jsonl.superseded-2", "notes.txt"):
        touch(here / ignored)
    assert files(tmp_path) == [
        ("transcript", "one", None),
        ("custom-title", "one", None),
        ("transcript", "agent-old", None),
        ("transcript", "agent-a1", "one"),
        ("agent-meta", "agent-a1", "one"),
        ("transcript", "agent-b2", "one"),
    ]


def test_roots(tmp_path: Path) -> None:
    for name in ("a", "b", "user/.claude", "user/.config/claude", "xdg/claude"):
        touch(tmp_path / name / "projects" / "-p" / f"{name.replace('/', '-').replace('.', '')}.jsonl")
    (tmp_path / "again").symlink_to(tmp_path / "a")

    def sessions(**environ: str) -> list[str]:
        found = claude_code.discover(environ, tmp_path / "user", [])
        return sorted(f.session_id for f in found.files)

    assert sessions() == ["user-claude", "user-config-claude"]
    assert sessions(XDG_CONFIG_HOME=str(tmp_path / "xdg")) == ["user-claude", "xdg-claude"]
    both = f"{tmp_path / 'a'}, {tmp_path / 'b'}, {tmp_path / 'again'}"
    assert sessions(CLAUDE_CONFIG_DIR=both) == ["a", "b"], "the same folder by another name is read once"
    assert sessions(CLAUDE_CONFIG_DIR=str(tmp_path / "nowhere")) == []


def test_one_project_and_its_worktrees(tmp_path: Path) -> None:
    project = tmp_path / "my_proj"
    project.mkdir()
    from axiommind.projects import slug

    name = slug(str(project))
    touch(tmp_path / "projects" / name / "a.jsonl")
    touch(tmp_path / "projects" / f"{name}--claude-worktrees-x" / "b.jsonl")
    touch(tmp_path / "projects" / f"{name}-other" / "c.jsonl")
    found = claude_code.discover({"CLAUDE_CONFIG_DIR": str(tmp_path)}, tmp_path, [], str(project))
    assert sorted(f.session_id for f in found.files) == ["a", "b"]
