"""Memory: a home, and everything that can be done with it.

Composition only: each part is made when it is first asked for, so that a question loads what answers it and no more.
No SQL and no rules are here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from axiommind.callers import AGENT, Caller
from axiommind.home import SAMPLE, SAMPLE_FOLDER, SAMPLE_MARK, Home, Scope
from axiommind.memory_parts import MemoryParts

if TYPE_CHECKING:
    from axiommind.approval.proposals import Proposals
    from axiommind.callers.tokens import PersonTokens
    from axiommind.config import Config
    from axiommind.db import Rows
    from axiommind.health.check import Check
    from axiommind.health.health import Forgettings, Health
    from axiommind.health.overview import Overview
    from axiommind.health.redacting import Redacted
    from axiommind.health.sources import SourceState
    from axiommind.ingest.forgetting import Forgotten
    from axiommind.ingest.indexing import Indexing
    from axiommind.ingest.report import IndexReport
    from axiommind.learning.conflicts import Conflicts
    from axiommind.learning.entries import Entries
    from axiommind.learning.runs import Learning
    from axiommind.projections.runner import Progress
    from axiommind.recall.handoff.handoffs import Handoffs
    from axiommind.recall.recall import Recall
    from axiommind.recall.said_of import Feedback
    from axiommind.reports.perspectives import Perspective
    from axiommind.reports.reports import PerspectiveRows
    from axiommind.scratchpads.access import Access
    from axiommind.scratchpads.scratchpads import Scratchpads
    from axiommind.scratchpads.workflows import Workflows

__all__ = ["SAMPLE", "SAMPLE_FOLDER", "SAMPLE_MARK", "Memory", "Scope"]


class Memory(MemoryParts):
    """A home (`log.db` and `index.db`) and what can be done with it."""

    def __init__(
        self,
        config: Config | None = None,
        *,
        environ: Mapping[str, str] | None = None,
        user: Path | None = None,
        caller: Caller = AGENT,
    ) -> None:
        """Whoever uses the library is an agent, unless it says otherwise: here, or with a request of a person's."""
        self.home = Home(config, environ=environ, user=user, caller=caller)
        self._stays = False

    def stay(self) -> Memory:
        """For a long-running process: keep answers and connections. To be called first, before any part is made."""
        self._stays = True
        return self

    @property
    def config(self) -> Config:
        return self.home.config

    def scope(
        self, *, project: str | None = None, all_projects: bool = False, db: Path | None = None, cwd: str | None = None
    ) -> Scope:
        """The project asked for; else the one of the current folder, if it is indexed; else all."""
        return self.home.scope(project=project, all_projects=all_projects, db=db, cwd=cwd)

    # --- reading what is new, and forgetting -------------------------------------------------------------

    def index(
        self,
        *,
        project: str | None = None,
        agents: Sequence[str] | None = None,
        full: bool = False,
        prune: bool = False,
        progress: Callable[[int, int], None] | None = None,
        caller: Caller | None = None,
    ) -> IndexReport:
        """Read what is new into the log, bring the index up to it. An agent only proposes to prune (`NeedsPerson`)."""
        return self._indexing.index(
            project=project, agents=agents, full=full, prune=prune, progress=progress, caller=caller
        )

    def index_given(self) -> None:
        """Index, if hooks have given something since the last time: it is spoken of a moment later."""
        from axiommind.ingest.served import has_unread

        if has_unread(self.config.home / "hooks"):
            self.index()

    def watch(self, *, project: str | None = None, stop: Any = None) -> Iterator[IndexReport]:
        """Index, then again whenever a transcript grows or a document changes."""
        return self._indexing.watch(project=project, stop=stop)

    def rebuild(self, tick: Callable[[int, int], None] | None = None) -> Progress:
        """Make a new index from the log alone, without blocking readers."""
        return self._indexing.rebuild(tick)

    def start_anew(self, tick: Callable[[int, int], None] | None = None) -> tuple[Progress, Path | None]:
        """Go on with the log that is here; an index that was made from another one is kept aside. Returns where."""
        return self._indexing.start_anew(tick)

    def forget(
        self,
        *,
        session: str | None = None,
        project: str | None = None,
        document: str | None = None,
        decision: str | None = None,
        workflow: str | None = None,
        scratchpad: str | None = None,
        reason: str = "",
        dry_run: bool = False,
        caller: Caller | None = None,
    ) -> Forgotten:
        """Write a tombstone, and purge the text everywhere. An agent's request makes a proposal (`NeedsPerson`)."""
        from axiommind.ingest.forgetting import Forgetting

        return Forgetting(self.home).forget(
            session=session,
            project=project,
            document=document,
            decision=decision,
            workflow=workflow,
            scratchpad=scratchpad,
            reason=reason,
            dry_run=dry_run,
            caller=caller,
        )

    def undo_forget(
        self,
        *,
        session: str | None = None,
        project: str | None = None,
        document: str | None = None,
        caller: Caller | None = None,
    ) -> IndexReport:
        """Lift a tombstone, and read again what is still on disk."""
        from axiommind.ingest.forgetting import Forgetting

        Forgetting(self.home).lift(session=session, project=project, document=document, caller=caller)
        return self.index()

    def redact_again(self, *, dry_run: bool = True, caller: Caller | None = None) -> Redacted:
        """Count what today's rules of redaction find in the log; a person may have it purged and marked in place."""
        from axiommind.health.redacting import Redacting

        return Redacting(self.home).again(dry_run=dry_run, caller=caller)

    # --- questions ---------------------------------------------------------------------------------------

    def query(
        self, perspective: Perspective, params: Mapping[str, Any], scope: Scope, db: Path | None = None
    ) -> PerspectiveRows:
        """The rows of a perspective."""
        return self.reports.query(perspective, params, scope, db)

    def sql(self, text: str, scope: Scope, db: Path | None = None) -> Rows:
        """The rows of one select statement of the user's, guarded and limited, from a process that can be killed."""
        return self.reports.sql(text, scope, db)

    def own_sql(self, text: str, scope: Scope, db: Path | None = None) -> Rows:
        """The rows of a select statement that no user wrote, in this process."""
        return self.reports.own_sql(text, scope, db)

    def overview(self, scope: Scope) -> Overview:
        """What is in the index, in a few figures."""
        return self._health.overview(scope)

    def doctor(self) -> list[Check]:
        """What was found where, and what needs attention."""
        return self._health.doctor()

    def sources(self) -> list[SourceState]:
        """What there is of every agent whose sessions can be read."""
        return self._health.sources()

    def verify(self, *, deep: bool = False) -> list[tuple[str, str]]:
        """Everything that is wrong, as (where, what). What a purge left to do is done first, if it can be."""
        return self._health.verify(deep=deep)

    def forgotten(self) -> Forgettings:
        """What was proven to be gone, and what is pending; what can be finished is finished first."""
        return self._health.forgotten()

    # --- parts -------------------------------------------------------------------------------------------

    @cached_property
    def recall(self) -> Recall:
        """What an agent is given for a prompt, or nothing."""
        from axiommind.recall.recall import Recall

        made = Recall(self.home, self.search)
        return made.with_cache() if self._stays else made

    @cached_property
    def handoffs(self) -> Handoffs:
        """What the next agent has to know of a session."""
        from axiommind.recall.handoff.handoffs import Handoffs

        return Handoffs(self.home, self.recall.reading, self.index, lambda session: self.learning.catch_up(session))

    def identify(self) -> Caller:
        """Who runs this process: a person at a terminal or with a token, or an agent."""
        from axiommind.callers.identity import identify

        return identify(self.home.environ, self.config.home)

    @property
    def person_tokens(self) -> PersonTokens:
        """The tokens by which persons are known where there is no terminal."""
        from axiommind.callers.tokens import PersonTokens

        return PersonTokens(self.config.home)

    @cached_property
    def proposals(self) -> Proposals:
        """What agents asked for that counts only from a person."""
        from axiommind.approval.acts import acts_of
        from axiommind.approval.proposals import Proposals

        return Proposals(self.home, acts_of(self))

    @cached_property
    def feedback(self) -> Feedback:
        """What people and agents say of what was given."""
        from axiommind.recall.said_of import Feedback

        return Feedback(self.home, lambda project: self.index(project=project), self.index_given)

    @cached_property
    def learning(self) -> Learning:
        """Extracting entries and tasks from sessions."""
        from axiommind.learning.runs import Learning

        return Learning(self.home, self.search)

    @cached_property
    def entries(self) -> Entries:
        """What was learned."""
        from axiommind.learning.entries import Entries

        return Entries(self.home, lambda project: self.index(project=project))

    @cached_property
    def conflicts(self) -> Conflicts:
        """Claims that cannot both hold."""
        from axiommind.learning.conflicts import Conflicts

        return Conflicts(self.home, self.entries)

    @cached_property
    def workflows(self) -> Workflows:
        """Pieces of work that outlast a session."""
        from axiommind.scratchpads.workflows import Workflows

        return Workflows(self._access)

    @cached_property
    def scratchpads(self) -> Scratchpads:
        """Notes of a workflow."""
        from axiommind.scratchpads.scratchpads import Scratchpads

        return Scratchpads(self._access)

    @cached_property
    def _indexing(self) -> Indexing:
        from axiommind.ingest.indexing import Indexing

        return Indexing(self.home, self.documents)

    @cached_property
    def _access(self) -> Access:
        from axiommind.scratchpads.access import Access

        return Access(self.home, hold_open=self._stays)

    @cached_property
    def _health(self) -> Health:
        from axiommind.health.health import Health

        return Health(self.home)
