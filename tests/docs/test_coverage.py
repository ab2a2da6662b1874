"""Nothing that a user can ask for is undocumented: commands, perspectives, settings, tools for agents."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from axiommind.reports import perspectives
from axiommind.settings import KEYS
from axiommind.surfaces import cli, mcp
from tests.docs.pages import DOCS, handwritten, read, sample_memory


@pytest.mark.parametrize("command", cli.commands())
def test_every_command_is_explained_on_a_page(command: str) -> None:
    """By hand, beside the generated list of all options."""
    assert f"\n## axm {command}\n" in read(DOCS / "commands.md")
    mention = re.compile(rf"\baxm {command}(?![\w-])")
    assert any(mention.search(read(page)) for page in handwritten()), f"no page mentions axm {command}"


@pytest.mark.parametrize("name", perspectives.names())
def test_every_perspective_is_documented(name: str) -> None:
    text = read(DOCS / "perspectives.md")
    assert f"\n## {name}\n" in text
    for column in perspectives.load(name).columns:
        assert f"`{column}`" in text


@pytest.mark.parametrize("key", KEYS, ids=lambda key: key.name)
def test_every_setting_is_documented(key) -> None:
    text = read(DOCS / "configuration.md")
    assert f"| `{key.name}` | `{key.env}` |" in text
    assert key.help


def test_every_tool_for_agents_is_on_the_page_about_them(tmp_path: Path) -> None:
    text = read(DOCS / "mcp.md")
    assert [name for name in mcp.answers(sample_memory(tmp_path)).features.tools if f"`{name}`" not in text] == []
