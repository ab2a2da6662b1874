"""What a model is told is known, through the whole pipeline: this session's entries, the project's nearest, and nothing
that was only said afterwards. The answers are recorded ones."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from axiommind.config import Config
from axiommind.extraction.conversation import short_id
from axiommind.memory import Memory, Scope
from tests.transcripts import Lines, World


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def said(session: str, text: str, at: float) -> Lines:
    lines = Lines(session)
    lines.prompt(text, at=at)
    return lines


class Recorded:
    """A home that learns from recorded answers."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.folder = world.base / "answers"
        self.folder.mkdir()
        environ = world.environ | {"AXM_EXTRACT_ANSWERS": str(self.folder)}
        self.memory = Memory(Config.load(environ), environ=environ, user=world.base)

    def answer(self, session: str, *entries: dict[str, Any], verdicts: Sequence[dict[str, Any]] = ()) -> None:
        (self.folder / f"{session}.0.answer.json").write_text(json.dumps({"entries": entries}))
        (self.folder / f"{session}.check.answer.json").write_text(json.dumps({"verdicts": verdicts}))

    def learn(self, session: str | None = None) -> Any:
        self.memory.index()
        return self.memory.learning.run(extractor="recorded", session=session)

    def asked(self, session: str) -> str:
        changed = self.folder / f"{session}.0.changed.md"
        return (changed if changed.exists() else self.folder / f"{session}.0.question.md").read_text()

    def titles(self) -> list[tuple[str, str]]:
        listed = self.memory.entries.list(Scope(None), every=True)
        return sorted((one.entry.session_id, one.entry.title) for one in listed)


def entry(title: str, quote: str, **more: Any) -> dict[str, Any]:
    evidence = [{"messageIndex": 0, "quote": quote}]
    return {"kind": "preference", "title": title, "text": title, "evidence": evidence, "confidence": 0.9} | more


def test_the_next_session_is_told_what_the_one_before_it_said(world: World) -> None:
    home = Recorded(world)
    world.write(said("s1", "Deploy the weather service with make deploy, please.", 100))
    world.write(said("s2", "Deploy the weather service with just deploy from now on.", 200))
    world.write(said("s3", "Rename a column of the users table.", 300))
    home.answer("s1", entry("Deploy the weather service with make", "Deploy the weather service with make deploy"))
    home.answer("s2", entry("Deploy the weather service with just", "with just deploy from now on"))
    home.answer("s3")
    home.learn("s2")
    home.learn()
    assert "Known already" not in home.asked("s1").partition("BEGIN")[2]  # s2 came after it
    assert [title for _, title in home.titles()] == [
        "Deploy the weather service with make",
        "Deploy the weather service with just",
    ]
    report = home.memory.learning.run(extractor="recorded", again=True)
    assert report.entries == {}  # replayed: nothing is new
    (known,) = [one.entry for one in home.memory.entries.list(Scope(None)) if one.entry.session_id == "s1"]
    told = home.asked("s2").partition("BEGIN")[2]
    assert f"({short_id(known.entry_id)}) preference: Deploy the weather service with make" in told
    assert "this session, preference: Deploy the weather service with just" in told
    assert "Known already" not in home.asked("s3").partition("BEGIN")[2]  # nothing near


def test_what_a_check_says_is_stored(tmp_path: Path) -> None:
    verdicts: list[dict[str, Any]] = []
    for name, stored in (("first", None), ("second", "supported")):
        home = Recorded(World(tmp_path / name))
        home.world.write(said("s1", "Never push on a Friday.", 100))
        home.answer("s1", entry("No pushes on Fridays", "Never push on a Friday."), verdicts=verdicts)
        home.learn()
        (one,) = home.memory.entries.list(Scope(None))
        assert one.entry.content.get("support") == stored
        question = (home.folder / "s1.check.changed.md").read_text()
        claim = question.partition("\nClaim ")[2].partition(":")[0]
        verdicts = [{"id": claim, "support": "supported", "undoneBy": None}]
