"""The counts of common terms: made when there are enough passages, scaled to the index of now, forgotten with them."""

from __future__ import annotations

import pytest

from axiommind.memory import Scope
from axiommind.projections import _common_terms
from axiommind.projections.runner import Index
from axiommind.search import lexical
from axiommind.text.query_terms import clauses
from tests.transcripts import Lines, World


def grown(world: World, session: str, prompts: int) -> None:
    lines = Lines(session)
    for i in range(prompts):
        lines.prompt(f"the parser breaks on input number{i}")
    world.write(lines)
    world.memory().index()


def weighed(world: World, text: str) -> dict[str, int]:
    index = Index(world.home / "index.db")
    lexical.prepare(index.db)
    found = lexical.weigh(index.db, clauses(text), lexical.statistics(index.db))
    index.close()
    return {w.clause.terms[0]: w.passages for w in found}


def test_they_are_counted_once_and_scaled(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_common_terms, "COMMON", 8)
    grown(world, "s1", 20)
    kept = dict(world.memory().sql("select term, passages from common_terms where term <> ''", Scope(None)))
    assert kept["parser"] == 20 and "number3" not in kept
    grown(world, "s2", 2)  # not enough to count again
    assert world.one("select max(of_passages) from common_terms") == 20
    assert weighed(world, "parser number3") == {"parser": 22, "number": 22, "number3": 1}
    grown(world, "s3", 20)
    assert world.one("select max(of_passages) from common_terms") == 42
    assert world.memory().verify() == []


def test_they_do_not_outlive_what_is_forgotten(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_common_terms, "COMMON", 8)
    grown(world, "s1", 20)
    world.memory().forget(session="s1")
    assert world.one("select count(*) from common_terms") == 0
