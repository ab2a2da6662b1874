"""What is an agent's own stays in its room: elsewhere no module names an agent's tools, files or folders."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import axiommind
from axiommind.sources import load, names, tool_names
from axiommind.tools.kinds import EDIT, KINDS, PLAN, PROPOSE_PLAN, RUN

ROOT = Path(axiommind.__file__).parent
# Where an agent may be spoken of: its own room, what wires us up to it, and examples in a command's help.
EXCUSED = (
    "sources/",
    "surfaces/hooks/dialects/",
    "surfaces/install/",
    "surfaces/cli/open.py",  # its help shows the path of a transcript
    "config.py",  # and for which source its folders are
    "settings.py",  # the key `claude.roots` says what its folders hold
)
# Words that mean an agent's own and nothing else.
OWN = [
    r"projects/",
    r"\.meta\.json",
    r"custom-title\.json",
    r"agent-",
    r"--resume",
    *sorted(tool for name in names() for tool in load(name).TOOLS if re.fullmatch(r"(?:[A-Z][a-z]+){2,}", tool)),
]
# Tool names that are words of other things too: named as a text of their own.
AMBIGUOUS = ("Bash", "Edit", "Write", "Read", "Grep", "Glob", "TaskList")
OWN = [word for word in OWN if word not in AMBIGUOUS] + [rf"""[\"']{tool}[\"']""" for tool in AMBIGUOUS]
# A line of `__all__`.
NAMES_OF_OURS = re.compile(r'\s*(?:__all__ = |"\w+",$)')


def modules() -> list[Path]:
    found = sorted(ROOT.rglob("*.py"))
    return [path for path in found if not path.relative_to(ROOT).as_posix().startswith(EXCUSED)]


@pytest.mark.parametrize("word", OWN)
def test_no_other_module_says(word: str) -> None:
    said = re.compile(rf"(?<![\w/]){word}(?![\w])" if word[0].isalpha() else word)
    wrong = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in modules()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if said.search(line) and not NAMES_OF_OURS.match(line)
    ]
    assert wrong == []


@pytest.mark.parametrize("name", names())
def test_every_tool_is_of_a_kind(name: str) -> None:
    for tool in load(name).TOOLS.values():
        assert tool.kind in KINDS
        assert bool(tool.file_field) == (tool.kind == EDIT), "an edit says which field names the file"
        assert tool.kind == PLAN or not tool.act


def test_the_vocabulary_is_asked_by_kind_or_by_act() -> None:
    assert {"Edit", "MultiEdit", "Write", "NotebookEdit"} <= tool_names(EDIT)
    assert {"Bash"} <= tool_names(RUN) and "Bash" not in tool_names(EDIT)
    assert tool_names(PROPOSE_PLAN) < tool_names(PLAN)
