"""What the MCP server offers is found in folders: a new file is a new tool, everywhere it should be."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from axiommind.errors import NotFound
from axiommind.surfaces.mcp import answers, prompts, resources, stored_schemas, tools
from tests.docs.pages import read, script
from tests.transcripts import World

TOOL = '''
"""`count-letters`: a tool of its own."""

from __future__ import annotations

from typing import Annotated, TypedDict

from axiommind.surfaces.mcp.context import Context
from axiommind.surfaces.mcp.declarations import tool
from axiommind.surfaces.mcp.schemas import Arg, RowShape


class CitedJson(RowShape, of="axiommind.model:Citation", fields="path line_start:line"): ...


class LetterCount(TypedDict):
    letters: int
    where: CitedJson


@tool("count-letters", "Count letters", "Counts the letters of a word.")
def count_letters(ctx: Context, word: Annotated[str, Arg("Which word.", max_length=9)]) -> LetterCount:
    return LetterCount(letters=len(word), where=CitedJson(path=str(ctx.memory.config.home.name), line=1))
'''
RESOURCE = """
from axiommind.surfaces.mcp.declarations import resource

@resource("axm://letter/{id}", "letter", "A letter", "One letter.")
def letter(ctx, id: str) -> str:
    return id.upper()
"""
PROMPT = """
from axiommind.surfaces.mcp.declarations import prompt

@prompt("spell", "Spell", "Spells a word.")
def spell(ctx, word: str) -> str:
    return "-".join(word)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for one tool, one resource and one prompt more, each a file."""
    before = set(sys.modules)
    for package, text in ((tools, TOOL), (resources, RESOURCE), (prompts, PROMPT)):
        inside = tmp_path / package.__name__.rpartition(".")[2]
        inside.mkdir()
        (inside / "letters.py").write_text(text, encoding="utf-8")
        monkeypatch.setattr(package, "__path__", [*package.__path__, str(inside)])
    yield tmp_path
    for name in set(sys.modules) - before:
        if name.endswith(".letters"):
            del sys.modules[name]


def test_a_tool_is_one_file(world: World, folder: Path) -> None:
    server = answers(world.memory())
    listed = server.methods["tools/list"]({})["tools"][-1]  # without an ORDER of its own it comes last
    assert (listed["name"], listed["title"]) == ("count-letters", "Count letters")
    assert listed["inputSchema"]["properties"] == {
        "word": {"type": "string", "description": "Which word.", "maxLength": 9}
    }
    assert server.features.tools["count-letters"].output_schema["properties"]["where"] == {
        "type": "object",
        "properties": {"path": {"type": "string"}, "line": {"type": "integer"}},
        "required": ["path", "line"],
    }
    called = server.methods["tools/call"]({"name": "count-letters", "arguments": {"word": "seven"}})
    assert called["structuredContent"] == {"letters": 5, "where": {"path": world.home.name, "line": 1}}
    assert server.methods["tools/call"]({"name": "count-letters"})["content"][0]["text"] == "word: is missing"


def test_a_new_tool_is_documented_and_can_be_chosen(world: World, folder: Path) -> None:
    page = script("generate").mcp_tools()
    assert "## count-letters" in page and "axm://letter/{id}" in page and "`spell`" in page
    world.home.mkdir(exist_ok=True)
    (world.home / "config.toml").write_text('[mcp]\ntools = ["count-letters", "stats"]\n')
    assert list(answers(world.memory()).features.tools) == ["stats", "count-letters"]
    (world.home / "config.toml").write_text('[mcp]\ntools = ["count-numbers"]\n')
    with pytest.raises(NotFound, match="there is no tool 'count-numbers'"):
        answers(world.memory())


def test_a_resource_and_a_prompt_are_one_file_each(world: World, folder: Path) -> None:
    server = answers(world.memory())
    assert server.methods["resources/templates/list"]({})["resourceTemplates"][-1]["uriTemplate"] == "axm://letter/{id}"
    assert server.methods["resources/read"]({"uri": "axm://letter/x"})["contents"][0]["text"] == "X"
    assert [one["name"] for one in server.methods["prompts/list"]({})["prompts"]] == [
        "handoff",
        "spell",
        "weekly-review",
    ]
    asked = server.methods["prompts/get"]({"name": "spell", "arguments": {"word": "abc"}})
    assert asked["messages"][0]["content"]["text"] == "a-b-c"


def test_stored_schemas_are_what_the_annotations_say(world: World) -> None:
    offered = answers(world.memory()).features.tools.values()
    assert read(stored_schemas.PATH) == stored_schemas.as_text([one.function for one in offered]), "run: make docs"
    for one in offered:
        derived = stored_schemas.derived_schemas(one.function)
        # Order included, because a client shows it.
        assert json.dumps([one.input_schema, one.output_schema]) == json.dumps(derived), one.name
