"""Tasks as JSON and as text for people: lists, blockers and history."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from axiommind.surfaces.render import hits
from axiommind.surfaces.render import tables as render
from axiommind.surfaces.render.entries import labelled, one_line, project_name, several_projects, short_ids, words_of

if TYPE_CHECKING:
    from axiommind.projections.task_rows import (
        BlockedTask,
        BlockerRow,
        HistoryRow,
        ResolvedCondition,
        TaskDetail,
        TaskRow,
    )

__all__ = [
    "blocked_as_text",
    "blocked_json",
    "condition_json",
    "conditions_table",
    "task_as_text",
    "task_detail_json",
    "task_json",
    "tasks_table",
]


def task_json(task: TaskRow) -> dict[str, Any]:
    shown = task._asdict()
    return {"id": shown.pop("task_id"), **shown, "citation": hits.cited(task.citation)}


# Stages of a task whose words were not found where it is said to come from, or that only an agent wrote down.
UNPROVEN = ("raw", "working")


def tasks_table(found: Sequence[TaskRow]) -> str:
    names = short_ids(task.task_id for task in found)
    rows = [
        {
            "id": names[task.task_id],
            "status": words_of(task.status),
            "priority": task.priority,
            "title": task.title if task.stage not in UNPROVEN else f"{task.title} (unproven)",
            "project": project_name(task.project),
            "said in": _said_in(task),
            "last seen": task.seen_at[:10],
        }
        for task in found
    ]
    columns = ["id", "status", "title", "said in", "last seen"]
    if any(task.priority for task in found):
        columns.insert(2, "priority")
    if several_projects(task.project for task in found):
        columns.insert(-2, "project")
    return render.as_table(columns, rows)


def _said_in(task: TaskRow) -> str:
    """The session and the line, in short."""
    line = f":L{task.citation.line_start}" if task.citation is not None else ""
    return f"{one_line(task.session_id)[:8]}{line}" if task.session_id else "by hand"


# --- what a task waits for ---------------------------------------------------------------------------------


def blocked_json(one: BlockedTask) -> dict[str, Any]:
    return {
        **task_json(one.task),
        "blocked_by": [_blocker_json(blocker) for blocker in one.blocked_by],
        "suggested": [_blocker_json(blocker) for blocker in one.suggested],
        "may_go_on": may_go_on(one.blocked_by),
    }


def _blocker_json(blocker: BlockerRow) -> dict[str, Any]:
    shown = blocker._asdict()
    return {"id": shown.pop("entity_id"), **shown, "is_over": is_over(blocker)}


def is_over(blocker: BlockerRow) -> bool:
    """Whether it no longer blocks anything."""
    return blocker.kind == "task" and blocker.status in ("done", "cancelled")


def may_go_on(blockers: Sequence[BlockerRow]) -> bool:
    return bool(blockers) and all(map(is_over, blockers))


def blocked_as_text(found: Sequence[BlockedTask]) -> str:
    """Each task, and under it what it waits for."""
    names = short_ids(one.task.task_id for one in found)
    several = several_projects(one.task.project for one in found)
    shown = []
    for one in found:
        where = render.dim(f" · {project_name(one.task.project)}") if several else ""
        priority = f" [{one.task.priority}]" if one.task.priority else ""
        lines = [f"{names[one.task.task_id]}  {render.bold(one_line(one.task.title))}{priority}{where}"]
        lines += [f"  {line}" for line in waits(one.blocked_by, one.suggested)]
        shown.append("\n".join(lines))
    return "\n\n".join(shown)


def waits(blocked_by: Sequence[BlockerRow], suggested: Sequence[BlockerRow]) -> list[str]:
    """What a task waits for, what it may wait for, and whether it can continue."""
    lines = [_blocker("waits for", blocker) for blocker in blocked_by]
    lines += [_blocker("may wait for", blocker, guess=True) for blocker in suggested]
    if may_go_on(blocked_by):
        lines.append("✓ all its blockers are done: it can continue")
    return lines


def _blocker(verb: str, blocker: BlockerRow, *, guess: bool = False) -> str:
    if blocker.auto_placeholder:
        return f"{verb:<12}  an unnamed blocker  {render.dim(blocker.entity_id)}"
    state = words_of(blocker.status or blocker.kind)
    if is_over(blocker):
        state = f"✓ {state}"
    if guess:
        state += f", {blocker.confidence:.0%} sure"
    via = f", named as {blocker.via}" if blocker.via else ""
    return f"{verb:<12}  {one_line(blocker.title)} ({state}{via})  {render.dim(blocker.entity_id)}"


def condition_json(one: ResolvedCondition) -> dict[str, Any]:
    return one._asdict()


def conditions_table(found: Sequence[ResolvedCondition]) -> str:
    names = short_ids([name for one in found for name in (one.condition_id, one.entity_id)])
    rows = [
        {
            "condition": names[one.condition_id],
            "text": one.text,
            "is": names[one.entity_id],
            "title": one.title,
            "status": words_of(one.status or one.kind),
            "by": one.by,
            "date": one.resolved_at[:10],
        }
        for one in found
    ]
    return render.as_table(("condition", "text", "is", "title", "status", "by", "date"), rows)


# --- one task ----------------------------------------------------------------------------------------------


def task_detail_json(detail: TaskDetail) -> dict[str, Any]:
    return {
        **task_json(detail.task),
        "aliases": list(detail.aliases),
        "blocked_by": [_blocker_json(blocker) for blocker in detail.blocked_by],
        "suggested": [_blocker_json(blocker) for blocker in detail.suggested],
        "history": [{**change._asdict(), "citation": hits.cited(change.citation)} for change in detail.history],
        "evidence": list(detail.evidence),
    }


def task_as_text(detail: TaskDetail) -> str:
    task = detail.task
    facts = [
        ("id", task.task_id),
        ("status", words_of(task.status)),
        ("priority", task.priority or "none"),
        ("stage", task.stage),
        ("project", one_line(task.project)),
        ("created", task.created_at[:10]),
        ("updated", task.updated_at[:10]),
        ("last seen", task.seen_at[:10]),
        ("said in", one_line(task.citation.text) if task.citation is not None else ""),
        ("also called", ", ".join(one_line(alias.rpartition(":")[2]) for alias in detail.aliases[1:])),
    ]
    parts = [render.bold(one_line(task.title)), labelled(facts)]
    waiting = waits(detail.blocked_by, detail.suggested)
    for title, lines in (
        ("Waits for", waiting),
        ("History", [_change(change) for change in detail.history]),
        ("Evidence", [f"axm entry show {name}" for name in detail.evidence]),
    ):
        if lines:
            parts.append("\n".join([render.bold(title), *(f"  {line}" for line in lines)]))
    return "\n\n".join(parts)


def _change(change: HistoryRow) -> str:
    what = _WHAT.get(change.what, words_of(change.what))
    if change.what == "task_blockers_set":
        verb = "waits for" if change.after == "replace" else "may wait for"
        what = f"{verb}: {'; '.join(map(_waited_for, change.waits_for)) or 'nothing'}"
        change = change._replace(after=None)
    before, after = (None if side is None else words_of(one_line(side)) for side in (change.before, change.after))
    if after is not None:
        what += f": {before} → {after}" if before is not None else f": {after}"
    why = [change.outcome if change.outcome != "applied" else "", one_line(change.reason)]
    if any(why):
        what += f" ({': '.join(filter(None, why))})"
    where = f" · {one_line(change.citation.text)}" if change.citation is not None else ""
    return f"{render.day(change.at)}  {what} {render.dim(f'· {change.actor}{where}')}"


def _waited_for(title: str | None) -> str:
    from axiommind.projections.task_fold import UNKNOWN_BLOCKER

    if title is None:
        return "something forgotten"
    return "an unnamed blocker" if title == UNKNOWN_BLOCKER else one_line(title)


_WHAT = {
    "task_created": "created",
    "task_status_changed": "status",
    "task_priority_changed": "priority",
    "task_title_changed": "title",
    "task_transition_rejected": "status refused",
    "task_mentioned": "mentioned",
}
