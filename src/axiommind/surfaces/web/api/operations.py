"""The questions that the API answers: a function each, whose parameters are those of the address and whose return is
what comes back."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from axiommind.errors import NotFound
from axiommind.health.check import Check
from axiommind.home import Scope, now
from axiommind.ingest.library import Library
from axiommind.learning.entry_view import EntryShown
from axiommind.memory import Memory
from axiommind.projections.entry_rows import ListedEntry
from axiommind.projections.proposal_rows import AgentProposal
from axiommind.projections.scratchpad_rows import ScratchpadRow, ScratchpadText, WorkflowRow
from axiommind.projections.task_rows import TaskDetail, TaskRow
from axiommind.recall.disclosure import Disclosed
from axiommind.recall.recall import Silence
from axiommind.reports import perspectives
from axiommind.reports.recent import Recent, SessionList
from axiommind.search.find import Page
from axiommind.search.reading.conversation import CallInFull, Outline, Said, ToolCalled
from axiommind.search.reading.session_margin import SessionMargin

__all__ = ["OPERATIONS", "Operation", "PlaceFound"]

_MOST = 1_000
_PLACES = 6


class Operation(NamedTuple):
    path: str
    summary: str
    answer: Any  # a function of a memory, a scope, and the parameters


class PlaceFound(NamedTuple):
    """Somewhere to go: a session, an entry or a task, with its address."""

    label: str
    kind: str
    about: str
    url: str


class PlacesFound(NamedTuple):
    places: tuple[PlaceFound, ...]


class SessionInFull(NamedTuple):
    outline: Outline
    margin: SessionMargin


class SessionLines(NamedTuple):
    lines: tuple[Said | ToolCalled, ...]
    total: int


class PerspectiveAsked(NamedTuple):
    """The rows of a perspective, and the statements that were asked of the index for them."""

    name: str
    summary: str
    columns: tuple[str, ...]
    rows: tuple[dict[str, Any], ...]
    notes: tuple[str, ...]
    statements: tuple[str, ...]


class PerspectiveKnown(NamedTuple):
    name: str
    summary: str
    columns: tuple[str, ...]
    parameters: tuple[str, ...]


class Recollection(NamedTuple):
    """What an agent would be given for a prompt, or why it would be given nothing."""

    given: Disclosed | None
    silence: Silence | None


def places(memory: Memory, scope: Scope, *, q: str = "") -> PlacesFound:
    """Where somebody may want to go: sessions by title or id, then entries and tasks by their words."""
    words = q.strip()
    found: list[PlaceFound] = []
    if not words:
        return PlacesFound(())
    for one in memory.reports.sessions(scope, words=words, limit=_PLACES).sessions:
        where = f"/session/{one.session_id}"
        found.append(PlaceFound(one.title or one.session_id, "session", one.project.rpartition("/")[2], where))
    for hit in memory.search(words, scope, k=_PLACES, kind="insight", mode="lexical").hits:
        if hit.entry is not None:
            found.append(PlaceFound(hit.summary, "entry", hit.entry.stage, f"/memory/{hit.entry.entry_id}"))
    low = words.lower()
    tasks = (one for one in memory.tasks.list(scope, limit=_MOST) if low in one.title.lower())
    for task, _ in zip(tasks, range(_PLACES), strict=False):
        found.append(PlaceFound(task.title, "task", task.status, f"/tasks/{task.task_id}"))
    return PlacesFound(tuple(found))


def search(
    memory: Memory,
    scope: Scope,
    *,
    q: str,
    limit: int = 10,
    cursor: str = "",
    mode: Literal["auto", "lexical", "semantic", "hybrid"] = "auto",
    group: bool = False,
    kind: str = "",
    since: str = "",
    until: str = "",
    provenance: str = "",
) -> Page:
    """Passages, or with `group` sessions and documents, that answer a text, best first."""
    flags: dict[str, Any] = {"kind": kind, "since": since, "until": until, "provenance": provenance}
    given = {name: value for name, value in flags.items() if value}
    return memory.search(q, scope, k=limit, cursor=cursor or None, mode=mode, group=group, **given)


def recent(memory: Memory, scope: Scope, *, limit: int = 8) -> Recent:
    """The last sessions, what was learned lately, and what agents were given."""
    return memory.reports.recent(scope, limit=limit)


def sessions(
    memory: Memory, scope: Scope, *, key: str = "", words: str = "", agent: str = "", limit: int = 50
) -> SessionList:
    """Sessions, the latest first, page by page: `key` is the `next_key` of the page before."""
    return memory.reports.sessions(scope, key=key, words=words, agent=agent, limit=limit)


def session(memory: Memory, _scope: Scope, *, id: str) -> SessionInFull:  # noqa: A002
    """A session in outline, and what stands around it."""
    of = memory.sessions.outline(id)
    return SessionInFull(of, memory.sessions.margin(of.head.session_id))


def session_lines(
    memory: Memory,
    _scope: Scope,
    *,
    id: str,  # noqa: A002
    first: int = 0,
    limit: int = 50,
) -> SessionLines:
    """Some things of a session in full, by their numbers in its outline."""
    of = memory.sessions.outline(id)
    return SessionLines(tuple(memory.sessions.stretch(of, first, min(limit, _MOST))), len(of.lines))


def call(memory: Memory, _scope: Scope, *, number: int) -> CallInFull:
    """All that a use of a tool was given, and all that came back."""
    return memory.sessions.call(number)


def entries(
    memory: Memory, scope: Scope, *, stage: str = "", status: str = "", kind: str = "", limit: int = 50
) -> list[ListedEntry]:
    """What was learned, highest stage and newest first."""
    return memory.entries.list(
        scope, stages=_one(stage), statuses=_one(status), kinds=_one(kind), limit=min(limit, _MOST)
    )


def entry(memory: Memory, _scope: Scope, *, id: str) -> EntryShown:  # noqa: A002
    """One entry with its history and its quotes in their place."""
    return memory.entries.show(id)


def proposals(memory: Memory, scope: Scope, *, every: bool = False) -> list[AgentProposal]:
    """What agents asked for that counts only from a person."""
    return memory.proposals.list(scope, every=every)


def tasks(memory: Memory, scope: Scope, *, status: str = "", limit: int = 50) -> list[TaskRow]:
    return memory.tasks.list(scope, statuses=_one(status), limit=min(limit, _MOST))


def task(memory: Memory, _scope: Scope, *, id: str) -> TaskDetail:  # noqa: A002
    """One task with its blockers, its evidence and its history."""
    return memory.tasks.show(id)


def workflows(memory: Memory, scope: Scope, *, limit: int = 50) -> list[WorkflowRow]:
    return memory.workflows.list(project=scope.project, limit=min(limit, _MOST))


def scratchpads(memory: Memory, scope: Scope, *, workflow: str = "", limit: int = 50) -> list[ScratchpadRow]:
    return memory.scratchpads.list(workflow=workflow or None, project=scope.project, limit=min(limit, _MOST))


def scratchpad(memory: Memory, _scope: Scope, *, id: str, at: str = "") -> ScratchpadText:  # noqa: A002
    """A scratchpad and its text, as it is or as it was."""
    return memory.scratchpads.at(id, at) if at else memory.scratchpads.show(id)


def documents(memory: Memory, _scope: Scope) -> Library:
    """The folders that were added, and the documents in them."""
    return memory.documents.list()


def known_perspectives(_memory: Memory, _scope: Scope) -> list[PerspectiveKnown]:
    """The perspectives that can be asked, and their parameters."""
    found = [perspectives.load(name) for name in perspectives.names()]
    return [
        PerspectiveKnown(one.name, one.summary, one.columns, tuple(param.name for param in (*one.filters, *one.params)))
        for one in found
    ]


def perspective(memory: Memory, scope: Scope, *, name: str, **params: str) -> PerspectiveAsked:
    """The rows of a perspective, with its own parameters."""
    if not perspectives.is_known(name):
        raise NotFound(f"there is no perspective {name!r}", hint=", ".join(perspectives.names()))
    asked = perspectives.load(name)
    rows, statements = memory.reports.statements(asked, asked.read(params, now()), scope)
    return PerspectiveAsked(asked.name, asked.summary, rows.columns, tuple(rows), rows.notes, statements)


def recall(memory: Memory, scope: Scope, *, prompt: str) -> Recollection:
    """What an agent would be given for a prompt, or why it would be given nothing."""
    told = memory.recall.answer(prompt, scope)
    return Recollection(None, told) if isinstance(told, Silence) else Recollection(told, None)


def health(memory: Memory, _scope: Scope) -> list[Check]:
    """What was found where, and what needs attention."""
    return memory.doctor()


def _one(value: str) -> tuple[str, ...]:
    return (value,) if value else ()


OPERATIONS = (
    Operation("/places", "Where to go", places),
    Operation("/search", "Search", search),
    Operation("/recent", "What happened lately", recent),
    Operation("/sessions", "Sessions", sessions),
    Operation("/sessions/{id}", "A session in outline", session),
    Operation("/sessions/{id}/lines", "Things of a session in full", session_lines),
    Operation("/calls/{number}", "A tool use in full", call),
    Operation("/entries", "What was learned", entries),
    Operation("/entries/{id}", "An entry", entry),
    Operation("/proposals", "What waits for a person", proposals),
    Operation("/tasks", "Tasks", tasks),
    Operation("/tasks/{id}", "A task", task),
    Operation("/workflows", "Workflows", workflows),
    Operation("/scratchpads", "Scratchpads", scratchpads),
    Operation("/scratchpads/{id}", "A scratchpad", scratchpad),
    Operation("/documents", "Documents", documents),
    Operation("/perspectives", "Perspectives", known_perspectives),
    Operation("/perspectives/{name}", "The rows of a perspective", perspective),
    Operation("/recall", "What an agent would be given", recall),
    Operation("/health", "Health", health),
)
