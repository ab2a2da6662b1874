"""Reports: perspectives, free SQL, the analyst, insight and grounding, each a question to the index."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from axiommind import db as sqlite
from axiommind.home import Home, Scope
from axiommind.ids import one_of

if TYPE_CHECKING:
    import sqlite3

    from axiommind.grounding.read import Grounding
    from axiommind.prices.dollars import Pricing
    from axiommind.reports.analysis.analyst import Analyst
    from axiommind.reports.completing import Completing
    from axiommind.reports.digest.digests import Digests
    from axiommind.reports.insight.values import InsightReport
    from axiommind.reports.perspectives import Perspective
    from axiommind.reports.recent import Recent, SessionList
    from axiommind.reports.resuming import Resuming
    from axiommind.reports.standing import Standings

__all__ = ["PerspectiveRows", "Reports"]


class PerspectiveRows(list[dict[str, Any]]):
    """The rows of a perspective, their columns (also where there are no rows), and what has to be said beside them."""

    def __init__(self, columns: tuple[str, ...], rows: list[dict[str, Any]], pricing: Pricing | None = None) -> None:
        super().__init__(rows)
        self.columns = tuple(rows[0]) if rows else columns
        self.notes = () if pricing is None else pricing.notes


class Reports:
    """Answers questions about the sessions as a whole."""

    def __init__(self, home: Home) -> None:
        self.home = home

    def query(
        self, perspective: Perspective, params: Mapping[str, Any], scope: Scope, db: Path | None = None
    ) -> PerspectiveRows:
        """The rows of a perspective. Where dollars are turned off, they are left out."""
        with self.home.reading(scope, db) as connection:
            connection.execute("pragma query_only=on")
            if "dollars" not in perspective.columns:
                return PerspectiveRows(perspective.columns, perspective.run(connection, params))
            if not self.home.config.usage_dollars:
                columns = tuple(name for name in perspective.columns if name != "dollars")
                rows = perspective.run(connection, params)
                return PerspectiveRows(columns, [{name: row[name] for name in columns} for row in rows])
            from axiommind.prices.dollars import Pricing

            pricing = Pricing()
            pricing.register(connection)
            return PerspectiveRows(perspective.columns, perspective.run(connection, params), pricing)

    def statements(
        self, perspective: Perspective, params: Mapping[str, Any], scope: Scope
    ) -> tuple[PerspectiveRows, tuple[str, ...]]:
        """The rows of a perspective, and the statements that it asked the index, with their values in place."""
        asked: list[str] = []

        def run(connection: sqlite3.Connection, given: Mapping[str, Any]) -> list[dict[str, Any]]:
            connection.set_trace_callback(asked.append)
            try:
                return perspective.run(connection, given)
            finally:
                connection.set_trace_callback(None)

        rows = self.query(perspective._replace(run=run), params, scope)
        return rows, tuple(dict.fromkeys(one for one in asked if not one.startswith("--")))

    def recent(self, scope: Scope, *, limit: int = 8) -> Recent:
        """The last sessions, what was learned lately, and what agents were given."""
        from axiommind.reports.recent import recent

        with self.home.reading(scope, None) as connection:
            connection.execute("begin")
            return recent(connection, limit)

    def sessions(
        self, scope: Scope, *, key: str = "", words: str = "", agent: str = "", limit: int = 50
    ) -> SessionList:
        """Sessions, the latest first, page by page: `key` is the `next_key` of the page before."""
        from axiommind.reports.recent import list_sessions

        with self.home.reading(scope, None) as connection:
            return list_sessions(connection, key=key, words=words, agent=agent, limit=limit)

    def sql(self, text: str, scope: Scope, db: Path | None = None) -> sqlite.Rows:
        """The rows of one select statement of the user's, guarded and limited, from a process that can be killed."""
        from axiommind.reports.sql_process import run_apart

        # An interpreter inside another program, or one that this user may not start: the guard has to do.
        if not sys.executable or not os.access(sys.executable, os.X_OK):
            return self.own_sql(text, scope, db)
        path = db or self.home.config.index_path
        config = self.home.config
        with self.home.named_errors(path):
            return run_apart(
                path,
                scope.project,
                text,
                seconds=config.query_seconds,
                rows=config.query_rows,
                dollars=config.usage_dollars,
            )

    def own_sql(self, text: str, scope: Scope, db: Path | None = None) -> sqlite.Rows:
        """The rows of a select statement of this program's, guarded, in this process."""
        from axiommind.reports.sql_process import pricing_for

        config = self.home.config
        with self.home.reading(scope, db) as connection:
            pricing = pricing_for(connection, text, config.usage_dollars)
            sqlite.guard(connection)
            rows = sqlite.run_guarded(connection, text, seconds=config.query_seconds, rows=config.query_rows)
            rows.notes = () if pricing is None else pricing.notes
            return rows

    def grounding(self, scope: Scope, *, since: int | None = None, session: str | None = None) -> Grounding:
        """How much hook-supplied context agents used. `session` may be the beginning of an id."""
        from axiommind.grounding.read import ground, served_sessions

        # What was given may be of another project.
        with self.home.read_log() as (log, _key), self.home.reading(Scope(None), None) as connection:
            connection.execute("begin")
            wanted = None if session is None else one_of(session, served_sessions(connection), "session with answers")
            return ground(connection, log.blob, scope.project, since=since, session=wanted)

    def insight(
        self, scope: Scope, *, since: int | None = None, until: int | None = None, prose: bool | None = None
    ) -> InsightReport:
        """How work is done, with evidence; with `prose` a model writes the summary (the default where one is set)."""
        from axiommind.reports.insight.report import InsightReports

        return InsightReports(self.home).make(scope, since=since, until=until, prose=prose)

    @cached_property
    def digests(self) -> Digests:
        """What the work of some days came to."""
        from axiommind.reports.digest.digests import Digests

        return Digests(self.home)

    @cached_property
    def resuming(self) -> Resuming:
        """Which session to go on with."""
        from axiommind.reports.resuming import Resuming

        return Resuming(self.home)

    @cached_property
    def completing(self) -> Completing:
        """What a shell completes."""
        from axiommind.reports.completing import Completing

        return Completing(self.home)

    @cached_property
    def standings(self) -> Standings:
        """Where the work on a project stands."""
        from axiommind.reports.standing import Standings

        return Standings(self.home)

    @cached_property
    def analyst(self) -> Analyst:
        """What suggest-workflow v2 computed, from the index."""
        from axiommind.reports.analysis.analyst import Analyst

        return Analyst(self.home)
