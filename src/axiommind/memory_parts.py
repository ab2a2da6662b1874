"""The parts of `Memory` that need its home and nothing else. Each is made when it is first asked for."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from axiommind.backups.backups import Backups
    from axiommind.exports.exports import Exports
    from axiommind.home import Home
    from axiommind.ingest.library import Documents
    from axiommind.ingest.projects import Projects
    from axiommind.ingest.purging import PurgeResult
    from axiommind.learning.decisions import Decisions
    from axiommind.learning.tasks.tasks import Conditions, Tasks
    from axiommind.log.sqlite import SqliteLog
    from axiommind.projections.runner import Index
    from axiommind.reports.reports import Reports
    from axiommind.search.reading.passages import Passages
    from axiommind.search.reading.sessions import Sessions
    from axiommind.search.search import Search
    from axiommind.sync.sync import Sync
    from axiommind.sync.teams import Teams
    from axiommind.vectors.embedding import Embeddings
    from axiommind.vectors.models import Models

__all__ = ["MemoryParts"]


class MemoryParts:
    """What can be done with a home, by subject."""

    home: Home

    @cached_property
    def search(self) -> Search:
        """Search by words, by meaning, or both."""
        from axiommind.search.search import Search

        return Search(self.home)

    @cached_property
    def passages(self) -> Passages:
        """Passages in full, and the lines that citations name."""
        from axiommind.search.reading.passages import Passages

        return Passages(self.home)

    @cached_property
    def sessions(self) -> Sessions:
        """Whole sessions."""
        from axiommind.search.reading.sessions import Sessions

        return Sessions(self.home)

    @cached_property
    def reports(self) -> Reports:
        """Perspectives, analysers, insight and grounding."""
        from axiommind.reports.reports import Reports

        return Reports(self.home)

    @cached_property
    def decisions(self) -> Decisions:
        """What was decided."""
        from axiommind.learning.decisions import Decisions

        return Decisions(self.home)

    @cached_property
    def tasks(self) -> Tasks:
        """What is to be done."""
        from axiommind.learning.tasks.tasks import Tasks

        return Tasks(self.home)

    @cached_property
    def conditions(self) -> Conditions:
        """What tasks wait for."""
        from axiommind.learning.tasks.tasks import Conditions

        return Conditions(self.home)

    @cached_property
    def documents(self) -> Documents:
        """The folders of Markdown that a user has added."""
        from axiommind.ingest.library import Documents

        return Documents(self.home)

    @cached_property
    def projects(self) -> Projects:
        """Which folders are one project."""
        from axiommind.ingest.projects import Projects

        return Projects(self.home)

    @cached_property
    def backups(self) -> Backups:
        """Backups of the log, and restoring them."""
        from axiommind.backups.backups import Backups

        return Backups(self.home)

    @cached_property
    def exports(self) -> Exports:
        """Taking everything elsewhere, in formats that other programs read."""
        from axiommind.exports.exports import Exports

        return Exports(self.home)

    @cached_property
    def sync(self) -> Sync:
        """Other machines, through a remote that can read nothing."""
        from axiommind.sync.sync import Sync

        return Sync(self.home, _finish_purges)

    @cached_property
    def teams(self) -> Teams:
        """Other people: who is in a team, and what is shared with it."""
        from axiommind.sync.teams import Teams

        return Teams(self.home)

    @cached_property
    def embeddings(self) -> Embeddings:
        """Vectors for semantic search."""
        from axiommind.vectors.embedding import Embeddings

        return Embeddings(self.home)

    @cached_property
    def models(self) -> Models:
        """Models for semantic search."""
        from axiommind.vectors.models import Models

        return Models(self.home)


def _finish_purges(home: Home, log: SqliteLog, index: Index) -> PurgeResult:
    from axiommind.ingest.purging import finish  # most runs purge nothing

    return finish(home, log, index)
