"""Projections: folds of the log into tables of `index.db`. All of them are disposable.

One file each, and the folder is the registry. A projection has a name, a version (changing its shape is a new
version; replay does the rest), the projections it builds on, `apply(db, batch)`, and its tables, each of which says
what is in it and what of it a project sees. Modules without tables help; row readers stand beside their projection.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from axiommind.model import Event
    from axiommind.sources.records import Decoded

__all__ = [
    "OF_PROJECT",
    "OF_SESSION",
    "PLACE_BITS",
    "Batch",
    "Decode",
    "Projection",
    "Segment",
    "Table",
    "forgotten_projects",
    "load_all",
]


class Segment(NamedTuple):
    """Where some lines of a session are kept, and what they cannot be read without."""

    source: str
    blob: str
    first_line: int
    context: str | None = None  # of the lines before them, as JSON


class Decode(Protocol):
    """The rows of a segment, less the records in `skip`; None when its text was purged."""

    def __call__(self, position: int, segment: Segment, skip: frozenset[str] = frozenset()) -> Decoded | None: ...


# What of a table a project sees, in the two most frequent cases.
OF_PROJECT = "project = :project"
OF_SESSION = "session_id in (select id from main.sessions where project = :project)"
# A row's id is the position of its event and, in so many bits, its place in it.
PLACE_BITS = 24


class Table(NamedTuple):
    """A table or a view of the index, and everything that others have to know about it."""

    name: str
    about: str  # a sentence or two for docs/schema.md
    scope: str = ""  # the rows that a project sees: a condition on them; empty = all of them
    columns: str = "*"  # and the columns
    over_all: str = ""  # the query that shows the table over all projects, where that is not its rows
    forgotten_by: str = ""  # the column with the id of a session or document: when that is forgotten, the row goes
    differs: str = ""  # operational: the rows that may differ after a rebuild, as a condition
    differing: tuple[str, ...] = ()  # and the columns
    is_view: bool = False
    is_cache: bool = False  # not derived from events at all


class Batch:
    """Some events in order, the way to their text, and what earlier projections touched while folding them."""

    __slots__ = ("blob", "decode", "event_at", "events", "groups", "moved", "projects", "sessions")

    def __init__(
        self,
        events: list[Event],
        decode: Decode,
        blob: Callable[[str], bytes | None],
        event_at: Callable[[int], Event | None] = lambda _position: None,
    ) -> None:
        self.events = events
        self.decode = decode
        self.blob = blob
        self.event_at = event_at  # one that was folded before, by its position
        self.sessions: set[str] = set()  # touched
        self.projects: set[str] = set()  # whose derived rows may have changed
        self.groups: dict[str, str] = {}  # the projects of the folders of which something is known
        self.moved: dict[str, str] = {}  # of these folders the ones that are of another project now, with the old one

    def only(self, types: tuple[str, ...]) -> Batch:
        """The same batch with the events of these types; what is touched is shared."""
        part = Batch([e for e in self.events if e.event_type in types], self.decode, self.blob, self.event_at)
        part.sessions, part.projects, part.groups, part.moved = self.sessions, self.projects, self.groups, self.moved
        return part

    def placed(self, event: Event, default: str | None = None) -> dict[str, str | None]:
        """Whose an event is: the project, and the folder that it names as a place of that."""
        path = event.project or default
        return {"project": self.groups.get(path, path) if path else path, "project_path": path}


def forgotten_projects(event: Event) -> list[str]:
    """The folder that an event says is forgotten, of a project that may have several; none where it is about sessions
    only."""
    project = event.payload["project"]
    return [] if project is None else [project]


class Projection(Protocol):
    """What a module in this folder offers."""

    NAME: str
    VERSION: int
    AFTER: tuple[str, ...]
    EVENT_TYPES: tuple[str, ...]
    TABLES: tuple[Table, ...]

    def create(self, db: sqlite3.Connection) -> None: ...

    def apply(self, db: sqlite3.Connection, batch: Batch) -> None: ...


def load_all() -> list[Projection]:
    """Every projection of the folder, each after the ones it builds on."""
    from axiommind.registry import Registry

    registry: Registry[Projection] = Registry(__name__, requires=("TABLES",), has_helpers=True)
    modules = {module.NAME: module for name in registry.own() if (module := registry.find(name)) is not None}
    if unknown := {name for module in modules.values() for name in module.AFTER} - modules.keys():
        raise RuntimeError(f"projections build on what is none: {sorted(unknown)}")
    ordered: list[Projection] = []
    while modules:
        ready = [n for n, m in modules.items() if not set(m.AFTER) & modules.keys()]
        if not ready:
            raise RuntimeError(f"projections build on each other in a circle: {sorted(modules)}")
        ordered += [modules.pop(name) for name in ready]
    return ordered
