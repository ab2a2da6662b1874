"""`weekly-review`: look back at sessions, files, decisions, contradictions, tasks, and what was learned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from axiommind.errors import BadQuery, NotFound
from axiommind.surfaces.mcp.context import Context
from axiommind.surfaces.mcp.declarations import Project, prompt
from axiommind.surfaces.mcp.pages import PAGE_TOKENS, lines_fitting
from axiommind.surfaces.mcp.prompts._lists import MOST_LISTED, listed, one_line
from axiommind.surfaces.mcp.schemas import Arg

if TYPE_CHECKING:
    from axiommind.memory import Memory, Scope
    from axiommind.projections.task_rows import TaskRow

_OPEN = ("pending", "in_progress", "blocked")
_REQUEST = (
    "Write a short review for the user: what was done and what it led to; where work went round in "
    "circles (files changed often, errors that came back); decisions that should be looked at again; for "
    "each contradiction which side holds, and why; open tasks that are stale or done in fact; and which "
    "of the things learned to vouch for or to reject (axm entry promote, axm entry deprecate: only the user does). "
    "Look things up before you claim them (search, get, query). End with at most three proposals."
)


@prompt(
    "weekly-review",
    "Review the week",
    "Look back: sessions, files, decisions, contradictions, open tasks, and what was learned.",
)
def weekly_review(
    ctx: Context,
    project: Project = None,
    since: Annotated[str | None, Arg("Since when: 7d (the default), 2w, 2026-01-31, last week.")] = None,
) -> str:
    from axiommind.home import now
    from axiommind.search.dates import moment

    written = (since or "7d").strip()
    begin = moment(written, now())
    if begin is None:
        raise BadQuery(f"since: {written[:40]!r} is not a time", hint="such as 7d, 2w, 2026-01-31, last week")
    known = "\n\n".join(part for part in _since(ctx.memory, ctx.scope(project), begin) if part)
    known = lines_fitting(known, PAGE_TOKENS, "query, tasks and search have them")
    if not known:
        return f"Tell the user that memory holds nothing since {written}, and that `axm index` reads new sessions."
    return "\n\n".join((f"Review what happened since {written}.", ctx.fence(known), _REQUEST))


def _since(memory: Memory, scope: Scope, begin: int) -> list[str]:
    """A list of each kind of thing that happened, or is open."""
    from axiommind.surfaces.render.entries import iso

    try:
        sessions = _perspective(memory, scope, "sessions", since=begin)
        files = _perspective(memory, scope, "hotfiles", since=begin, top=MOST_LISTED)
    except NotFound:  # there is no index yet
        return []
    day = iso(begin)
    decided = [one for one in memory.decisions.list(scope, limit=200) if one["at"] >= begin]
    learned = [
        one.entry
        for one in memory.entries.list(scope, types=("fact", "insight", "reference"), statuses=("active",), limit=500)
        if one.entry.created_ts >= begin
    ]
    return [
        listed("Sessions", sessions, _session_line),
        listed("Files changed most", files, _file_line),
        listed("Decisions", decided, _decision_line),
        listed("Contradictions", memory.conflicts.list(scope), _conflict_line),
        listed("Open tasks", memory.tasks.list(scope, statuses=_OPEN, limit=200), lambda task: _task_line(task, day)),
        listed("Learned", learned, lambda e: f"[{e.entry_id}] {one_line(e.title)} · {e.entry_type}, {e.stage}"),
    ]


def _session_line(one: dict[str, Any]) -> str:
    about = f"[{one['id'][:8]}] {one_line(one['title'] or '')} · {(one['started'] or '')[:10]}"
    return f"{about} · {one['prompts']} prompts, {one['edits']} edits, {one['errors']} errors"


def _file_line(one: dict[str, Any]) -> str:
    return f"{one_line(one['file_path'])} · {one['edit_count']} edits in {one['session_count']} sessions"


def _decision_line(one: dict[str, Any]) -> str:
    return f"[{one['id']}] {one_line(one['decision'])} · {one['stage']}, by {one['made_by']}"


def _conflict_line(one: dict[str, Any]) -> str:
    return f"[{one['conflict_id']}] {one_line(one['title'])}: «{one_line(one['older'])}» or «{one_line(one['newer'])}»"


def _task_line(task: TaskRow, day: str) -> str:
    stale = "" if task.updated_at >= day else " (before this time)"
    status = task.status.replace("_", " ")
    return f"[{task.task_id}] {one_line(task.title)} · {status}, updated {task.updated_at[:10]}{stale}"


def _perspective(memory: Memory, scope: Scope, name: str, **given: Any) -> list[dict[str, Any]]:
    from axiommind.reports.perspectives import load

    asked = load(name)
    params = {param.name: param.default for param in (*asked.filters, *asked.params)}
    return memory.query(asked, params | given, scope)
