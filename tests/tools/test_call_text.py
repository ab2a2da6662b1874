"""What a tool call says: its naming value first, its words, how it ended; and which results are worth keeping."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from axiommind.sources.claude_code import TOOLS
from axiommind.tools.call_text import ERROR_CHARS, VALUE_CHARS, excerpt, tool_text
from axiommind.tools.kinds import UNKNOWN_TOOL
from axiommind.tools.results import has_output


def said(name: str, given: Any, error: str | None = None, output: str | None = None) -> list[str]:
    return tool_text(name, json.dumps(given, ensure_ascii=False), error, output).split("\n")


@pytest.mark.parametrize(
    ("name", "given", "lines"),
    [
        ("Bash", {"description": "Run the tests", "command": "pytest -q"}, ["pytest -q", "Run the tests"]),
        ("Edit", {"old_string": "a = 1", "new_string": "a = 2", "file_path": "/p/a.py"}, ["/p/a.py", "a = 2"]),
        ("Write", {"file_path": "/p/a.md", "content": "안녕"}, ["/p/a.md", "안녕"]),
        ("NotebookEdit", {"new_source": "x", "notebook_path": "/p/a.ipynb"}, ["/p/a.ipynb", "x"]),
        ("Grep", {"pattern": "def main", "path": "src"}, ["src", "def main"]),
        ("WebFetch", {"prompt": "what is new", "url": "https://a.example/x"}, ["https://a.example/x", "what is new"]),
        ("Task", {"subagent_type": "general", "prompt": "look", "description": "d"}, ["d", "look"]),
        ("mcp__jira__get", {"id": "AB-12"}, ["mcp__jira__get", "AB-12"]),
        ("TodoWrite", {"todos": [{"content": "one", "status": "pending"}, {"content": "two"}]}, ["one", "two"]),
        ("Odd", {"n": 5, "yes": True, "none": None, "blank": "  "}, [""]),
        ("Odd", "just text", ["just text"]),
        ("Odd", ["a", ["b"]], ["a", "b"]),
    ],
)
def test_what_a_call_says(name: str, given: Any, lines: list[str]) -> None:
    assert said(name, given) == lines


def test_how_it_ended() -> None:
    assert said("Bash", {"command": "make"}, output="built in 3 s") == ["make", "built in 3 s"]
    assert said("Bash", {"command": "make"}, error="no rule") == ["make", "no rule"]
    assert said("Bash", {"command": "make"}, error="no rule", output="never both") == ["make", "no rule"]


@pytest.mark.parametrize("given", [None, "", "{", "[" * 100_000, "null", "5", '{"a": NaN}', '"\\ud800"'])
def test_any_input_is_text(given: str | None) -> None:
    assert isinstance(tool_text("Bash", given, None, None), str)


def test_what_is_deep_is_left_out() -> None:
    deep: Any = "treasure"
    for _ in range(30):
        deep = {"more": deep}
    assert said("Odd", {"command": "dig", "more": deep}) == ["dig"]


def test_a_long_value_keeps_its_beginning_and_its_end() -> None:
    patch = "\n".join(f"line {i}" for i in range(1000))
    lines = said("Write", {"file_path": "/p/a", "content": patch})
    assert lines[:2] == ["/p/a", "line 0"] and lines[-1] == "line 999" and "…" in lines
    assert set(lines[1:]) - {"…"} <= set(patch.split("\n")), "cut at line ends"
    assert len("\n".join(lines)) < VALUE_CHARS + 20


@given(st.text(max_size=3000), st.integers(10, 2000))
def test_an_excerpt_is_of_its_text(text: str, limit: int) -> None:
    short = excerpt(text, limit)
    if len(text) <= limit:
        assert short == text
    else:
        assert len(short) <= max(limit, 3)
        assert any(text.startswith(short[:i]) and text.endswith(short[i + 3 :]) for i in range(len(short) - 2))


@given(st.text(), st.one_of(st.none(), st.text()), st.one_of(st.none(), st.text()), st.one_of(st.none(), st.text()))
def test_it_depends_on_its_arguments_alone(name: str, given: str | None, error: str | None, output: str | None) -> None:
    assert tool_text(name, given, error, output) == tool_text(name, given, error, output)


def test_of_an_error_as_much_as_of_an_output() -> None:
    assert len(tool_text("Bash", "{}", "e" * 5000, None)) <= ERROR_CHARS
    assert "the cause" in tool_text("Bash", "{}", "e" * 5000 + " the cause", None), "an error says it at its end"


@pytest.mark.parametrize(
    ("name", "classified", "given", "kept"),
    [
        ("Bash", "Bash:test", {"command": "pytest"}, True),
        ("WebFetch", "WebFetch", {"url": "x"}, True),
        ("Task", "Task", {"prompt": "x"}, True),
        ("mcp__jira__get", "mcp__jira__get", {}, True),
        ("Read", "Read", {"file_path": "x"}, False),
        ("Edit", "Edit", {"file_path": "x"}, False),
        ("Grep", "Grep", {"pattern": "x"}, False),
        ("Bash", "Bash:git", {"command": "git log"}, False),
        ("Bash", "Bash:axm", {"command": "axm search wombat"}, False),
        ("Bash", "Bash", {"command": "cd /p && axm search wombat"}, False),
        ("Bash", "Bash", {"command": "x=$(axm search wombat)"}, False),
        ("Bash", "Bash", {"command": "/home/me/.venv/bin/axm search wombat"}, False),
        ("Bash", "Bash", {"command": "suggest-workflow query"}, False),
        ("Bash", "Bash", {"command": "taxm search"}, True),
        ("Bash", "Bash", {"command": "cat axm.py"}, True),
        ("mcp__axiommind__search", "x", {}, False),
        ("mcp__plugin_axiommind_memory__recall", "x", {}, False),
        ("Bash", "Bash", {"command": 5}, True),
        ("Bash", "Bash", None, True),
        ("Bash", "Bash", [1], True),
    ],
)
def test_which_results_are_worth_searching(name: str, classified: str, given: Any, kept: bool) -> None:
    tool = TOOLS.get(name, UNKNOWN_TOOL)
    assert has_output(tool, name, classified, given) is kept
    assert has_output(tool, name, classified, json.dumps(given)) is kept, "as the index holds it"
