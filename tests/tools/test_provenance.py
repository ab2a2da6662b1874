"""Where the words of a call and of its result come from."""

from __future__ import annotations

from typing import Any

import pytest

from axiommind.sources.claude_code import TOOLS
from axiommind.tools.kinds import UNKNOWN_TOOL
from axiommind.tools.provenance import call_provenance, is_rules_file, result_provenance

ANSWER = 'User has answered your questions: "Which port?"="8080"'

OPTIONS = [{"label": "8080", "description": "usual"}, {"label": "9000", "description": "free"}]
ASKED = {"questions": [{"question": "Which port?", "options": OPTIONS}]}


@pytest.mark.parametrize(
    ("name", "given", "result", "expected"),
    [
        ("Read", {"file_path": "/p/src/a.py"}, "x", "file"),
        ("Read", {"file_path": "/p/CLAUDE.md"}, "x", "rules"),
        ("Edit", {"file_path": "/p/docs/AGENTS.md"}, "ok", "rules"),
        ("Bash", {"command": "pytest -q"}, "1 passed", "tool"),
        ("Bash", {"command": "cd x && curl -s https://example.org/a | jq ."}, "{}", "network"),
        ("Bash", {"command": "curl -s http://localhost:8080/health"}, "ok", "tool"),
        ("Bash", {"command": "grep curl README.md"}, "curl …", "tool"),
        ("Bash", {"command": "gh issue view 12"}, "…", "network"),
        ("Bash", {"command": "gh auth status"}, "…", "tool"),
        ("Bash", {"command": "gh pr create --title x --body y"}, "https://github.com/o/r/pull/1", "tool"),
        ("WebFetch", {"url": "https://example.org"}, "…", "network"),
        ("WebSearch", {"query": "x"}, "…", "network"),
        ("mcp__fetch__fetch", {"url": "x"}, "…", "network"),
        ("mcp__github__get_issue", {}, "…", "network"),
        ("mcp__db__query", {}, "…", "tool"),
        ("mcp__axiommind__search", {}, "…", "elsewhere"),
        ("Task", {"prompt": "look"}, "I found", "elsewhere"),
        ("AskUserQuestion", {}, ANSWER, "person"),
        ("AskUserQuestion", ASKED, ANSWER, "picked"),
        ("AskUserQuestion", ASKED, ANSWER.replace("8080", "8080, 9000"), "picked"),
        ("AskUserQuestion", ASKED, ANSWER.replace("8080", "the one of the proxy"), "person"),
        ("AskUserQuestion", ASKED, f"{ANSWER} user notes: only for now", "person"),
        ("Bash", {"command": "cat docs/install.md"}, "…", "file"),
        ("Bash", {"command": "cd /p && head -40 src/a.py"}, "…", "file"),
        ("Bash", {"command": "sed -n '1,40p' src/a.py"}, "…", "file"),
        ("Bash", {"command": "cat CLAUDE.md"}, "…", "rules"),
        ("Bash", {"command": "cat a.py | python"}, "…", "tool"),
        ("Bash", {"command": "cat a.txt > b.txt"}, "…", "tool"),
        ("Bash", {"command": "make && cat out.log"}, "…", "tool"),
        ("Bash", {"command": "curl -s https://example.org > a; cat a"}, "…", "network"),
        ("AskUserQuestion", {}, "invalid input", "tool"),
        ("ExitPlanMode", {"plan": "x"}, "approved", "agent"),
        ("Grep", {"pattern": "x", "path": "/p"}, "…", "tool"),
    ],
)
def test_a_result_is_from_where_its_tool_takes_it(name: str, given: dict[str, Any], result: str, expected: str) -> None:
    assert result_provenance(TOOLS.get(name, UNKNOWN_TOOL), name, given, result) == expected


def test_what_an_edit_writes_is_the_files_and_the_rest_is_the_agents() -> None:
    edit, bash = TOOLS["Edit"], TOOLS["Bash"]
    assert call_provenance(edit, {"file_path": "/p/a.py"}, "/new_string") == "file"
    assert call_provenance(edit, {"file_path": "/p/CLAUDE.md"}, "/edits/0/new_string") == "rules"
    assert call_provenance(edit, {"file_path": "/p/CLAUDE.md"}, "/file_path") == "agent"
    assert call_provenance(bash, {"command": "ls"}, "/command") == "agent"


@pytest.mark.parametrize(
    "path",
    [
        "CLAUDE.md",
        "/p/CLAUDE.local.md",
        "/p/sub/AGENTS.md",
        "GEMINI.md",
        "/home/u/.claude/projects/-p/memory/MEMORY.md",
        "/home/u/.claude/projects/-p/memory/build.md",
        "/p/.claude/rules/style.md",
        "/p/.cursor/rules/a.mdc",
        "/p/.cursorrules",
        "/p/.github/copilot-instructions.md",
        "C:\\p\\CLAUDE.md",
    ],
)
def test_rules_files(path: str) -> None:
    assert is_rules_file(path)


@pytest.mark.parametrize("path", ["README.md", "/p/src/memory/cache.md", "/p/claude.md.bak", "/p/rules/a.py", ""])
def test_other_files(path: str) -> None:
    assert not is_rules_file(path)
