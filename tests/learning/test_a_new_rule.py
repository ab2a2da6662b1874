"""One file adds an extraction rule: its drafts, its precision and its form are then where every rule's are."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from bench import precision

from axiommind.extraction import rules
from axiommind.extraction.rules import PLAIN, declared, form_of
from axiommind.home import Scope, now
from axiommind.projections.entry_rows import ENTRY_TYPES
from axiommind.recall.packets.session_start import left_off
from tests.transcripts import PROJECT, Lines, World

RULE = '''
"""A rule of somebody who needs no other file."""

from axiommind.extraction.drafts import Draft
from axiommind.extraction.quoting import clip, head, within
from axiommind.extraction.rules import QUESTION, Rule

RULES = (Rule("riddles", types=("decision",), labelled="riddles", right=9, total=10, form=QUESTION),)
ORDER = 99


def find(transcript):
    found = []
    for n, message in enumerate(transcript.messages):
        asked, mark, answer = message.text.partition(" Answer: ")
        if message.role == "person" and mark:
            quotes = within(transcript, n, head(message.text))
            found.append(Draft("decision", clip(asked), answer, quotes, "riddles", value=answer, rationale=answer))
    return found
'''


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that is part of the rules' folder, with one rule in it."""
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "riddles.py").write_text(RULE)
    monkeypatch.setattr(rules, "__path__", [*rules.__path__, str(tmp_path / "rules")])
    importlib.invalidate_caches()
    form_of.cache_clear()
    yield tmp_path / "rules"
    sys.modules.pop("axiommind.extraction.rules.riddles", None)
    form_of.cache_clear()


def test_it_is_declared_with_its_precision(folder: Path) -> None:
    assert list(declared())[-1] == "riddles"
    assert declared()["riddles"].precision == round(10 / 12, 2)
    assert "riddles" in precision.real([])
    assert form_of("riddles") == rules.QUESTION


def test_its_drafts_become_entries_that_read_by_their_form(folder: Path, world: World) -> None:
    lines = Lines("s1")
    lines.prompt("Which quartz store holds the riddle cache? Answer: the ruby one, always the ruby one")
    world.write(lines)
    memory = world.memory()
    memory.index()
    memory.learning.run()
    found = world.rows("select rule, entry_type, confidence, title, text from entries where rule = 'riddles'")
    question = "Which quartz store holds the riddle cache?"
    assert found == [("riddles", "decision", 0.83, question, "the ruby one, always the ruby one")]
    with memory.home.reading(Scope(None), None) as db:
        packet = left_off(db, PROJECT, session=None, source="startup", now=now())
    assert packet is not None
    assert f"{question} → the ruby one, always the ruby one" in [note.text for note in packet.notes]


def test_every_rule_keeps_the_contract() -> None:
    for name, module in rules.modules().items():
        assert module.RULES and len({module.ORDER for module in rules.modules().values()}) == len(rules.modules())
        for rule in module.RULES:
            assert set(rule.types) <= set(ENTRY_TYPES), name
            assert rule.right <= rule.total and rule.precision >= 0.5
            # A hook looks at the file of a rule's name only.
            assert form_of(rule.name) == rule.form, rule.name
    assert form_of("a-model") == form_of("agent") == form_of("person") == PLAIN


def test_the_docs_list_every_rule() -> None:
    page = (Path(__file__).parents[2] / "docs" / "memory.md").read_text(encoding="utf-8")
    listed = page.partition("## What the rules extract")[2].partition("## ")[0]
    for name in declared():
        assert name in listed or f"-{name.rpartition('-')[2]}" in listed, name
