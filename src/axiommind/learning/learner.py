"""A learner: one extractor over the sessions of a home, with what it needs to know of them.

It queues, asks and reports; whose turn it is, and for how long, is decided by whoever runs it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from axiommind.home import Home, now
from axiommind.learning.session_queue import QueuedSession, ended_marks, is_finished, to_ask, to_learn
from axiommind.learning.turns import session_lease

if TYPE_CHECKING:
    from axiommind.learning.run_report import LearningReport
    from axiommind.log.sqlite import SqliteLog
    from axiommind.projections.runner import Index
    from axiommind.search.search import Search

__all__ = ["Learner"]


class Learner:
    def __init__(self, home: Home, search: Search, log: SqliteLog, key: bytes, index: Index, name: str) -> None:
        from axiommind import llm

        self.home, self.search, self.name = home, search, name
        self._log, self._key, self._index = log, key, index
        self.is_model = name in llm.names()
        self._began = now()

    def queue(
        self,
        *,
        project: str | None = None,
        since: int | None = None,
        again: bool = False,
        finished: bool = False,
        named: bool = False,
    ) -> list[QueuedSession]:
        """The sessions that it has not learned, as the log knows them now. `named`: also those that a model is asked
        about only by name, such as subagents'."""
        from axiommind.projections.runner import Segments

        self._began = now()
        self._index.catch_up(self._log, Segments(self._log))
        found = (to_ask if self.is_model and not named else to_learn)(
            self._index.db, self.name, project=project, since=since, again=again
        )
        if not finished:
            return found
        marks, at = ended_marks(self.home.config.home), now()
        return [one for one in found if is_finished(one, marks, at)]

    def learn(
        self,
        sessions: Sequence[str],
        *,
        again: bool = False,
        dry_run: bool = False,
        progress: Callable[[int, int], None] | None = None,
        stop: Callable[[], str] | None = None,
    ) -> LearningReport:
        """What it learns of these sessions, until `stop` says why not to go on."""
        from axiommind.extraction import load
        from axiommind.learning.checks import find_idris
        from axiommind.learning.event_writer import EventWriter
        from axiommind.learning.paid_answers import PaidAnswers
        from axiommind.learning.pipeline import Pipeline
        from axiommind.learning.run_report import LearningReport
        from axiommind.llm.budget import within_budget
        from axiommind.projections.runner import Segments

        log, index = self._log, self._index
        config = self.home.config
        answers = PaidAnswers(log, EventWriter(log, self._key), self.name) if self.is_model else None
        spending = within_budget(
            config, log, index.db, self.name, lambda: index.catch_up(log, Segments(log)), answers=answers
        )
        chosen = load(self.name, config, spending)
        if dry_run and not chosen.is_measured:
            report = LearningReport(dry_run=True, sessions=len(sessions), extractors=[self.name])
            report.notes.append(f"{self.name} would be asked about {len(sessions)} sessions; a dry run does not ask")
            return report
        pipeline = Pipeline(
            log,
            self._key,
            index,
            chosen,
            find_idris(self.home.environ),
            together=chosen.is_measured,
            near=self.search.tasks_near(),
            answers=answers,
            lease=partial(session_lease, config.home) if self.is_model else None,
            began=self._began,
            again=again,
        )
        report = pipeline.run(sessions, dry_run=dry_run, progress=progress, stop=stop)
        report.extractors = [self.name]
        return report
