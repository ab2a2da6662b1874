"""Handing over: the session that is meant, read as it stands on disk now, and what the next agent has to know of it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from typing import TYPE_CHECKING, Any

from axiommind.errors import AxmError, NotFound
from axiommind.home import Home, Scope

if TYPE_CHECKING:
    import sqlite3

    from axiommind.recall.handoff.values import Handoff, HandoffNote
    from axiommind.recall.reader import Reader

__all__ = ["Handoffs"]


class Handoffs:
    """What is handed over from one agent to the next."""

    def __init__(
        self,
        home: Home,
        reading: Callable[[], AbstractContextManager[Reader]],
        index: Callable[..., Any],
        learn: Callable[[str], None],
    ) -> None:
        self.home = home
        self._reading = reading
        self._index = index
        self._learn = learn

    def refresh(
        self, name: str | None, project: str | None, *, progress: Callable[[int, int], None] | None = None
    ) -> None:
        """Read what is new of a session's project, or of a folder's: a session that was cut off is mostly not read to
        its end. Of all projects where neither is known yet."""
        if name is not None:
            project = self._project_of(name) if self.home.config.index_path.exists() else None
        self._index(project=project, progress=progress)

    def _project_of(self, name: str) -> str | None:
        from axiommind.recall.handoff.record import project_of, session_like

        with self._reading() as reader:
            try:
                return project_of(reader.db, session_like(reader.db, name.strip()))
            except AxmError:  # it may be new, or become the only one that is meant
                return None

    def session(self, name: str | None, scope: Scope) -> str:
        """The session of this id, or whose id begins so; without one, the newest of the project, or of all."""
        from axiommind.recall.handoff.record import newest_session, session_like

        with self._reading() as reader:
            if name is not None:
                return session_like(reader.db, name.strip())
            newest = newest_session(reader.db, scope.project)
        if newest is None:
            where = f" of {scope.project}" if scope.project is not None else ""
            raise NotFound(f"there is no session{where} in the index", hint="axm index reads what agents left on disk")
        return newest

    def learn(self, session: str) -> None:
        """Have the rules learn what is new in a session, if they may and nobody else is at it."""
        self._learn(session)

    def of(self, session: str) -> Handoff:
        """What is known of a session, by its whole id."""
        from axiommind.recall.handoff.packet import handoff_of

        with self._reading() as reader, ExitStack() as stack:
            try:
                blob = stack.enter_context(self.home.read_log())[0].blob
            except AxmError:  # an index alone still says most of it
                blob = None
            handoff = handoff_of(reader.db, blob, session)
            sections = tuple(
                section._replace(notes=tuple(_cited(reader.db, section.notes))) for section in handoff.sections
            )
        return handoff._replace(sections=sections)


def _cited(db: sqlite3.Connection, notes: tuple[HandoffNote, ...]) -> list[HandoffNote]:
    """The notes with the lines that they stand on."""
    from axiommind.ids import number_of
    from axiommind.projections.passages import KIND_BITS, KINDS
    from axiommind.search.citations import locate

    kinds = {number: kind for kind, number in KINDS.items() if kind in ("prompt", "response", "tool", "insight")}
    numbers = {number for note in notes if note.id and (number := number_of(note.id)) is not None}
    rows = [
        (number, kind, number >> KIND_BITS)
        for number in sorted(numbers)
        if (kind := kinds.get(number & ((1 << KIND_BITS) - 1))) is not None
    ]
    where = locate(db, rows)
    return [note._replace(citation=where.get(number_of(note.id) or 0)) for note in notes]
