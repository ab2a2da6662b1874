"""Asking a small world: sessions in a line each, and a page of hits as the texts that were found."""

from __future__ import annotations

from typing import Any

from axiommind.memory import Scope
from axiommind.search.find import Page
from tests.transcripts import PROJECT, START, Lines, World

DAY = 24 * 60  # in minutes, as transcripts count
DAY_MS = 86_400_000
NOW = START + 90 * DAY_MS  # 2026-04-05, a Sunday


def tell(world: World, session: str, *prompts: str, at: float = 0, cwd: str = PROJECT) -> Lines:
    """A session in which a person says these things, a minute apart. The caller indexes."""
    lines = Lines(session, cwd=cwd)
    for minute, text in enumerate(prompts):
        lines.prompt(text, at=at + minute)
    world.write(lines, folder=cwd.replace("/", "-"))
    return lines


def ask(world: World, text: str, *, project: str | None = None, now: int = NOW, **options: Any) -> Page:
    return world.memory().search(text, Scope(project), now=now, **options)


def found(world: World, text: str, **options: Any) -> list[str]:
    """The texts that answer, best first."""
    return [hit.snippet.text for hit in ask(world, text, **options).hits]


def sessions(world: World, text: str, **options: Any) -> list[str | None]:
    """The sessions that answer, best first."""
    return [hit.session_id for hit in ask(world, text, group=True, **options).hits]


def untimed(page: Page) -> Page:
    return page._replace(took_ms=0.0)
