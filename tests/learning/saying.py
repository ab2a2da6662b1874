"""An extractor that says what it is told, and a run of the pipeline with it."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from axiommind.extraction.contract import Extraction
from axiommind.extraction.drafts import Draft, Quote
from axiommind.learning.pipeline import Pipeline
from axiommind.learning.run_report import LearningReport
from axiommind.projections.transcript import Transcript
from tests.learning.sessions import Session
from tests.transcripts import World

SAID = "We decided to keep the log in SQLite because DuckDB lost rows."


class Saying:
    """An extractor that says what it is told."""

    name = "told"
    is_measured = True

    def __init__(self, *drafts: Draft, before: Callable[[Transcript], None] = lambda _: None) -> None:
        self.drafts = drafts
        self.before = before

    def extract(self, transcript: Transcript) -> Extraction:
        self.before(transcript)
        return Extraction(self.drafts, "told-1", "0123456789abcdef")


def run(world: World, extractor: Any, *, again: bool = False) -> LearningReport:
    from axiommind.learning.session_queue import to_learn

    memory = world.memory()
    with memory.home.writing([]) as (log, key, index):
        chosen = [one.session for one in to_learn(index.db, extractor.name, again=again)]
        return Pipeline(log, key, index, extractor, None, together=False).run(chosen)


def claim(title: str = "The log", quote: str = SAID, **more: Any) -> Draft:
    given = {"text": "The log is kept in SQLite.", "confidence": 0.8, "rationale": "DuckDB lost rows", **more}
    return Draft(type=given.pop("type", "decision"), title=title, quotes=(Quote(0, quote),), rule="told", **given)


def told(world: World, session: str, minute: int, draft: Draft) -> None:
    lines = Session(session)
    lines._clock = itertools.count(minute)
    lines.prompt(SAID)
    world.write(lines)
    world.memory().index()
    assert run(world, Saying(draft)).failed == 0
