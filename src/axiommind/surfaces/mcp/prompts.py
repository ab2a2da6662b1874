"""Prompts that a person asks for by name: handing work over, and looking back at a week.

What memory holds comes first, fenced as quoted history; what is asked of the agent stands below it, outside the fence.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any

from axiommind.errors import BadQuery, NotFound
from axiommind.surfaces.mcp._registry import Arg

if TYPE_CHECKING:
    from axiommind.memory import Memory, Scope
    from axiommind.surfaces.mcp import Tools

__all__ = ["add"]

_TOKENS = 3_000  # of where the work stands, and of this session
_LISTED = 15
_HEADINGS = 12
_OPEN = ("pending", "in_progress", "blocked")

Project = Annotated[str | None, Arg("A project folder, or `all`; without it, the project that is worked in.")]


def add(tools: Tools) -> None:
    memory, home = tools.memory, tools.memory.config.home

    @tools.prompt(
        "handoff",
        "Hand over",
        "Write down everything that the next session needs to go on with this work.",
    )
    def handoff(
        project: Project = None,
        focus: Annotated[str | None, Arg("What the next session will work on.", max_length=2_000)] = None,
    ) -> str:
        from axiommind.surfaces.render.recall import fenced

        scope = tools.scope(project)
        flow, pads = _working_memory(memory, scope)
        known = "\n\n".join(part for part in (*_where_we_are(memory, scope), pads) if part)
        about = f" The next session will work on: {' '.join(focus.split())}." if focus else ""
        into = (
            f"as a new scratchpad of the workflow {flow} (create-scratchpad)"
            if flow is not None
            else "as a scratchpad of a new workflow for this work (create-workflow, create-scratchpad)"
        )
        return "\n\n".join(
            part
            for part in (
                f"Hand this work over to the next session, which will know nothing but what you write down.{about}",
                fenced(known, home) if known else "Memory holds nothing of this project yet.",
                f"Write the handoff {into}, titled `Handoff` and the date, with these sections:\n"
                "1. Goal: what is wanted, in the user's words.\n"
                "2. State: what is done and proved, what is half done, which files hold it.\n"
                "3. Decisions and their reasons, and what was tried and given up.\n"
                "4. Open tasks and blockers, in the order to do them.\n"
                "5. First steps: the exact commands and files to begin with.\n"
                "Use what you know of this session; check what you take from the history above before you repeat it. "
                "Remember lasting facts and lessons with their words (remember). Then tell the user the id of the "
                "scratchpad.",
            )
            if part
        )

    @tools.prompt(
        "weekly-review",
        "Review the week",
        "Look back: sessions, files, decisions, contradictions, open tasks, and what was learned.",
    )
    def weekly_review(
        project: Project = None,
        since: Annotated[str | None, Arg("Since when: 7d (the default), 2w, 2026-01-31, last week.")] = None,
    ) -> str:
        from axiommind.home import now
        from axiommind.search.dates import moment
        from axiommind.surfaces.render.recall import fenced

        written = (since or "7d").strip()
        begin = moment(written, now())
        if begin is None:
            raise BadQuery(f"since: {written[:40]!r} is not a time", hint="such as 7d, 2w, 2026-01-31, last week")
        known = "\n\n".join(part for part in _week(memory, tools.scope(project), begin) if part)
        if not known:
            return f"Tell the user that memory holds nothing since {written}, and that `axm index` reads new sessions."
        return "\n\n".join(
            (
                f"Review what happened since {written}.",
                fenced(known, home),
                "Write a short review for the user: what was done and what it led to; where work went round in "
                "circles (files changed often, errors that came back); decisions that should be looked at again; for "
                "each contradiction which side holds, and why; open tasks that are stale or done in fact; and which "
                "of the things learned to vouch for or to reject (axm promote, axm deprecate: only the user does). "
                "Look things up before you claim them (search, get, query). End with at most three proposals.",
            )
        )


# --- what is known -----------------------------------------------------------------------------------------------


def _where_we_are(memory: Memory, scope: Scope) -> list[str]:
    """Where work stands in a project, and what this session was about."""
    from axiommind.home import now
    from axiommind.recall.packets.session_start import left_off, recovery
    from axiommind.surfaces.render.recall import packet_text

    session = memory.home.environ.get("CLAUDE_CODE_SESSION_ID") or None
    try:
        with memory.recall.reading() as reader:
            mine = recovery(reader.db, session, now=now())
            stands = left_off(reader.db, scope.project, session=session, source="startup", now=now())
    except NotFound:  # there is no index yet
        return []
    parts = []
    if mine is not None and (text := packet_text(mine, _TOKENS)):
        parts.append(f"# This session so far\n\n{text}")
    if stands is not None and (text := packet_text(stands, _TOKENS)):
        parts.append(f"# Where the project stands\n\n{text}")
    return parts


def _working_memory(memory: Memory, scope: Scope) -> tuple[str | None, str]:
    """The workflow that was worked on last, and what its scratchpads are about."""
    from axiommind.text.edits import outline

    found = memory.workflows.list(project=scope.project, active=True, limit=1)
    if not found:
        return None, ""
    flow = found[0]
    lines = [f"# Working memory: {_line(flow.name)} ({flow.id})"]
    for row in memory.scratchpads.list(workflow=flow.id, limit=_LISTED):
        lines.append(f"- [{row.id}] {_line(row.title)} · {row.lines} lines · updated {row.updated_at[:10]}")
        headings = outline(memory.scratchpads.show(row.id).text)
        lines += [f"  - {_line(one.title)} (L{one.line})" for one in headings[:_HEADINGS]]
        if len(headings) > _HEADINGS:
            lines.append(f"  - … {len(headings) - _HEADINGS} more headings")
    return flow.id, "\n".join(lines)


def _week(memory: Memory, scope: Scope, begin: int) -> list[str]:
    from axiommind.surfaces.render.entries import iso

    try:
        sessions = _perspective(memory, scope, "sessions", since=begin)
        files = _perspective(memory, scope, "hotfiles", since=begin, top=_LISTED)
    except NotFound:  # there is no index yet
        return []
    day = iso(begin)
    decided = [one for one in memory.decisions.list(scope, limit=200) if one["at"] >= begin]
    conflicts = memory.conflicts.list(scope)
    tasks = memory.tasks.list(scope, statuses=_OPEN, limit=200)
    learned = [
        one.entry
        for one in memory.entries.list(scope, types=("fact", "insight", "reference"), statuses=("active",), limit=500)
        if one.entry.created_ts >= begin
    ]
    return [
        _list(
            "Sessions",
            (
                f"[{one['id'][:8]}] {_line(one['title'] or '')} · {(one['started'] or '')[:10]} · "
                f"{one['prompts']} prompts, {one['edits']} edits, {one['errors']} errors"
                for one in sessions
            ),
            len(sessions),
        ),
        _list(
            "Files changed most",
            (
                f"{_line(one['file_path'])} · {one['edit_count']} edits in {one['session_count']} sessions"
                for one in files
            ),
            len(files),
        ),
        _list(
            "Decisions",
            (f"[{one['id']}] {_line(one['decision'])} · {one['stage']}, by {one['made_by']}" for one in decided),
            len(decided),
        ),
        _list(
            "Contradictions",
            (
                f"[{one['conflict_id']}] {_line(one['title'])}: «{_line(one['older'])}» or «{_line(one['newer'])}»"
                for one in conflicts
            ),
            len(conflicts),
        ),
        _list(
            "Open tasks",
            (
                f"[{one.task_id}] {_line(one.title)} · {one.status.replace('_', ' ')}, updated {one.updated_at[:10]}"
                + ("" if one.updated_at >= day else " (before this time)")
                for one in tasks
            ),
            len(tasks),
        ),
        _list(
            "Learned",
            (f"[{one.entry_id}] {_line(one.title)} · {one.entry_type}, {one.stage}" for one in learned),
            len(learned),
        ),
    ]


def _perspective(memory: Memory, scope: Scope, name: str, **given: Any) -> list[dict[str, Any]]:
    from axiommind.reports.perspectives import load

    asked = load(name)
    params = {param.name: param.default for param in (*asked.filters, *asked.params)}
    return memory.query(asked, params | given, scope)


def _list(title: str, lines: Iterable[str], total: int) -> str:
    if not total:
        return ""
    shown = [line for line, _ in zip(lines, range(_LISTED), strict=False)]
    more = [f"- … {total - len(shown):,} more"] if total > len(shown) else []
    return "\n".join([f"## {title} ({total:,})", *(f"- {line}" for line in shown), *more])


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 160 else line[:159] + "…"
