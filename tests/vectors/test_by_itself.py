"""Vectors that are made without being asked for: after learning, with the built-in embedder, where it can run."""

from __future__ import annotations

import importlib.util

import pytest

from axiommind.config import Config
from axiommind.memory import Memory
from axiommind.vectors import versions
from tests.search.asking import ask, tell
from tests.surfaces.command import Axm
from tests.transcripts import World


def memory_with(world: World, **settings: str) -> Memory:
    environ = world.environ | settings
    return Memory(Config.load(environ), environ=environ, user=world.base)


def test_learning_makes_them(world: World, axm: Axm, monkeypatch: pytest.MonkeyPatch) -> None:
    tell(world, "s1", "Delete the old files from the temporary directory before every build")
    monkeypatch.delenv("AXM_EMBED_BACKGROUND")
    done = axm("learn")
    assert done.code == 0 and "Embedded: " in done.err and versions.active(world.home) is not None
    assert ask(world, "임시 폴더의 오래된 파일을 삭제").search_method == "hybrid"
    assert "Embedded: " not in axm("learn").err


def test_only_where_they_are_wanted_and_can_be_made(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    by_itself = {"AXM_EMBED_BACKGROUND": "2"}
    assert memory_with(world, **by_itself).embeddings.goes_by_itself
    assert memory_with(world, **by_itself, AXM_EMBEDDER="static").embeddings.goes_by_itself
    assert not memory_with(world, **by_itself, AXM_EMBEDDER="openai").embeddings.goes_by_itself
    assert not memory_with(world, AXM_EMBED_BACKGROUND="1").embeddings.goes_by_itself
    assert not memory_with(world).embeddings.goes_by_itself
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert not memory_with(world, **by_itself).embeddings.goes_by_itself


def test_a_dry_run_makes_none(world: World, axm: Axm, monkeypatch: pytest.MonkeyPatch) -> None:
    tell(world, "s1", "hello there")
    axm("index")
    monkeypatch.delenv("AXM_EMBED_BACKGROUND")
    axm("learn", "--dry-run")
    assert versions.active(world.home) is None
