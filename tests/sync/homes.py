"""Machines that sync with each other, each a world of its own, and what their homes have in common."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from axiommind.projections import load_all
from axiommind.sync.sync import SyncReport
from tests.transcripts import PERSON, Lines, World

pytest.importorskip("nacl", reason="PyNaCl is not installed: pip install -e '.[sync]'")

__all__ = ["add", "machine", "paired", "said", "session", "sync", "tables", "texts"]


def machine(base: Path, name: str) -> World:
    return World(base / name)


def add(world: World, url: str, join: str | None = None) -> str:
    """Add a remote; the phrase for the next machine."""
    return world.memory().sync.add(url, join=join, name=world.base.name, caller=PERSON).phrase


def paired(base: Path, url: str, *names: str) -> list[World]:
    """Machines of one person that share a remote. The first one invited all others."""
    first, *others = [machine(base, name) for name in names]
    phrase = add(first, url)
    for other in others:
        add(other, url, phrase)
        phrase = first.memory().sync.phrase(url, caller=PERSON).phrase
    return [first, *others]


def session(world: World, name: str, *prompts: str) -> None:
    """A session on this machine, indexed."""
    lines = Lines(name)
    for prompt in prompts:
        lines.prompt(prompt)
        lines.answer(f"Done: {prompt}")
    world.write(lines)
    world.memory().index()


def sync(*worlds: World) -> list[SyncReport]:
    done = [world.memory().sync.run(caller=PERSON) for world in worlds]
    for report in done:
        assert not report.failed, report
    return done


def said(world: World) -> set[str]:
    """Every prompt that this home knows."""
    return {row[0] for row in world.rows("select text from prompts")}


def texts(world: World) -> set[str]:
    """Names of the texts in the log of this home."""
    with world.memory().home.read_log() as (log, _key):
        return {name for event in log.replay() for name in log.texts_of(event.position)}


def tables(world: World) -> dict[str, set[tuple[Any, ...]]]:
    """What homes that have the same events have in common, whatever they are called there: rows of sessions and what
    was said in them, of entries and tasks."""
    load_all()
    asked = {
        "sessions": "select id, started_at, ended_at, prompt_count, response_count from sessions",
        "prompts": "select session_id, text from prompts",
        "responses": "select session_id, text from responses",
        "entries": "select entry_id, kind, stage, status from entries",
        "tasks": "select entity_id, entity_type, status from entities",
    }
    return {name: set(world.rows(sql)) for name, sql in asked.items()}
