"""Reversal: who says it otherwise in a later session is heard, and the next session start says the newer one."""

from __future__ import annotations

from pathlib import Path

import pytest

from axiommind.home import Scope
from axiommind.recall.packets.session_start import left_off
from tests.learning.sessions import Session
from tests.transcripts import PROJECT, START, World

DAY = 1_440


def _standing(tmp_path: Path, prompts: tuple[str, ...]) -> tuple[World, list[str]]:
    world = World(tmp_path)
    for n, prompt in enumerate(prompts):
        lines = Session(f"s{n}")
        lines.prompt(prompt, at=n * DAY + 1)
        lines.answer("Done.", at=n * DAY + 2)
        world.write(lines)
    memory = world.memory()
    memory.index()
    memory.learning.run()
    return world, [one.entry.title for one in memory.entries.list(Scope(None), statuses=("active", "contested"))]


@pytest.mark.parametrize(
    "prompts",
    [
        ("Use Redis for the session cache", "Use Memcached instead of Redis for the session cache"),
        ("Use Memcached instead of Redis for the session cache", "Actually go back to Redis for the session cache"),
        ("Always use integer cents for money, never floats", "revert that: use floats for money after all"),
        ("Always use tabs for indentation", "Never use tabs for indentation, use spaces"),
        ("항상 pnpm을 사용해줘", "이제부터 pnpm 말고 bun을 사용해줘"),
        ("コミットメッセージは必ず英語で書いて", "コミットメッセージは日本語で書くようにして"),
    ],
)
def test_the_newer_word_stands_alone(tmp_path: Path, prompts: tuple[str, ...]) -> None:
    assert _standing(tmp_path, prompts)[1] == [prompts[-1]]


@pytest.mark.parametrize(
    "prompts",
    [
        ("Show the tree in the sidebar, not in the header", "Make the header bar smaller so that it fits"),
        ("Always use tabs for indentation", "Never use floats for money"),
        ("The badge should say Claude Rule, not just Rule", "Every rule should be sorted by its name"),
    ],
)
def test_what_is_about_something_else_stays(tmp_path: Path, prompts: tuple[str, ...]) -> None:
    assert set(_standing(tmp_path, prompts)[1]) == set(prompts)


def test_a_session_start_says_the_newer_one(tmp_path: Path) -> None:
    world, _ = _standing(
        tmp_path,
        (
            "Use Redis for the session cache",
            "Use Memcached instead of Redis for the session cache",
            "Actually go back to Redis for the session cache",
            "Look at the open issues",
        ),
    )
    with world.memory().recall.reading() as reader:
        packet = left_off(reader.db, PROJECT, session=None, source="startup", now=START + 4 * DAY * 60_000)
    assert packet is not None
    told = [note.text for section in packet.sections if section.title == "Decided and wanted" for note in section.notes]
    assert told == ["Actually go back to Redis for the session cache"]


def test_a_wish_that_is_said_again_in_another_session_is_verified(tmp_path: Path) -> None:
    world, _ = _standing(tmp_path, ("commit this and update the changelog", "Look at the open issues"))
    memory = world.memory()
    assert [one.entry.stage for one in memory.entries.list(Scope(None))] == ["candidate"]
    lines = Session("later")
    lines.prompt("ok, commit and update changelog please", at=9 * DAY)
    lines.answer("Done.", at=9 * DAY + 1)
    world.write(lines)
    memory.index()
    memory.learning.run()
    found = memory.entries.list(Scope(None))
    assert [(one.entry.stage, one.sessions) for one in found] == [("verified", 2)]
