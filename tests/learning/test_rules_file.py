"""Rules for the agent's rules file: a diff that a person reviews, which changes its own section and nothing else."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from axiommind.memory import Memory
from tests.learning.sessions import Session
from tests.shell import axm
from tests.transcripts import World

RULES = {
    "preference": "Always branch off main before a new task",
    "convention": "Amounts are integer cents, never floats",
}


def _world(tmp_path: Path, **rules: str) -> tuple[World, Memory, Path]:
    root = tmp_path / "weather"
    root.mkdir()
    world = World(tmp_path / "machine")
    lines = Session("s1", cwd=str(root))
    for claim in rules.values():
        lines.prompt(claim)
    lines.answer("Noted.")
    world.write(lines)
    memory = world.memory()
    memory.index()
    for kind, claim in rules.items():
        entry = memory.entries.remember(claim, kind=kind, quotes=[claim], session="s1").entry
        if entry.stage != "certified":
            memory.entries.promote(entry.entry_id, "a rule of ours", to="certified")
    return world, memory, root


def _apply(root: Path, diff: str) -> None:
    subprocess.run(["patch", "-p1", "-s"], cwd=root, input=diff, text=True, check=True)


def test_a_diff_that_patch_takes_and_that_ends_at_itself(tmp_path: Path) -> None:
    _, memory, root = _world(tmp_path, **RULES)
    (root / "CLAUDE.md").write_text("# Weather\n\nRead the docs first.")
    found = memory.entries.propose_rules(str(root))
    assert found.before == (root / "CLAUDE.md").read_text()  # nothing is written
    _apply(root, found.diff)
    text = (root / "CLAUDE.md").read_text()
    assert text == found.after
    assert text.startswith("# Weather\n\nRead the docs first.")
    assert all(f"- {rule}" in text for rule in RULES.values())
    again = memory.entries.propose_rules(str(root))
    assert again.diff == ""


def test_a_file_that_is_not_there_is_made(tmp_path: Path) -> None:
    _, memory, root = _world(tmp_path, **RULES)
    found = memory.entries.propose_rules(str(root))
    assert found.diff.startswith("--- /dev/null\n+++ b/CLAUDE.md\n")
    _apply(root, found.diff)
    assert (root / "CLAUDE.md").read_text() == found.after


def test_a_rule_that_no_longer_stands_leaves_the_section(tmp_path: Path) -> None:
    _, memory, root = _world(tmp_path, **RULES)
    (root / "AGENTS.md").write_text("# Agents\n")
    first = memory.entries.propose_rules(str(root))
    assert first.path.name == "AGENTS.md"
    _apply(root, first.diff)
    memory.entries.rule(first.rules[0].entry_id, "deprecated", "no longer so")
    second = memory.entries.propose_rules(str(root))
    _apply(root, second.diff)
    text = (root / "AGENTS.md").read_text()
    assert RULES["preference"] not in text
    assert RULES["convention"] in text
    memory.entries.rule(second.rules[0].entry_id, "deprecated", "no longer so")
    _apply(root, memory.entries.propose_rules(str(root)).diff)
    assert (root / "AGENTS.md").read_text().strip() == "# Agents"


def test_what_the_file_says_already_is_not_said_again(tmp_path: Path) -> None:
    _, memory, root = _world(tmp_path, **RULES)
    (root / "CLAUDE.md").write_text("- Always branch off `main` before starting a new task.\n")
    found = memory.entries.propose_rules(str(root))
    assert [entry.kind for entry in found.said_already] == ["preference"]
    assert [entry.kind for entry in found.rules] == ["convention"]


@pytest.mark.parametrize("claim", ["# Always --> end here <!-- x", "- > Never leave\nthe section"])
def test_a_rule_is_one_line_of_text(tmp_path: Path, claim: str) -> None:
    _, memory, root = _world(tmp_path, convention=claim)
    (line,) = [line for line in memory.entries.propose_rules(str(root)).after.splitlines() if line.startswith("- ")]
    assert line[2] not in "#->"
    assert "-->" not in line
    assert memory.entries.propose_rules(str(root)).after.count("<!--") == 2


def test_the_command_writes_nothing(tmp_path: Path) -> None:
    world, _, root = _world(tmp_path, **RULES)
    done = axm(world, "rules", "--diff", cwd=root)
    assert done.returncode == 0
    assert "+- Always branch off main" in done.stdout
    assert "Nothing was written" in done.stderr
    assert list(root.iterdir()) == []
    assert axm(world, "rules", "--stage", "candidate", cwd=root).returncode == 1


def test_only_a_diff_needs_the_folder(tmp_path: Path) -> None:
    world, _, root = _world(tmp_path, **RULES)
    root.rmdir()
    listed = axm(world, "rules", "--project", str(root))
    assert listed.returncode == 0 and "Always branch off main" in listed.stdout
    refused = axm(world, "rules", "--diff", "--project", str(root))
    assert refused.returncode == 1 and "is not on this machine" in refused.stderr


def test_the_hint_is_a_command_that_works(tmp_path: Path) -> None:
    world, _, root = _world(tmp_path, domain="Invoices are made at night")
    done = axm(world, "rules", cwd=root)
    assert done.returncode == 1 and 'axm entry promote ID --to certified --reason "…"' in done.stderr


def test_a_wish_of_the_hour_is_no_rule_until_somebody_vouches_for_it(tmp_path: Path) -> None:
    root = tmp_path / "weather"
    root.mkdir()
    world = World(tmp_path / "machine")
    said = ("Always run the linter before every commit", "The build is still failing, always check it before a push")
    lines = Session("s1", cwd=str(root))
    for text in said:
        lines.prompt(text)
    world.write(lines)
    memory = world.memory()
    memory.index()
    ids = [
        memory.entries.remember(text, kind="preference", quotes=[text], session="s1").entry.entry_id for text in said
    ]

    def rules() -> str:
        return memory.entries.propose_rules(str(root), stages=("verified", "certified")).after

    assert said[0] in rules() and said[1] not in rules()
    memory.entries.promote(ids[1], "it keeps failing", to="certified")
    assert said[1] in rules()
