"""`handoff`: write down everything that the next session needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from axiommind.errors import NotFound
from axiommind.surfaces.mcp.context import Context
from axiommind.surfaces.mcp.declarations import Project, prompt
from axiommind.surfaces.mcp.pages import lines_fitting
from axiommind.surfaces.mcp.prompts._lists import MOST_LISTED, one_line
from axiommind.surfaces.mcp.schemas import Arg

if TYPE_CHECKING:
    from axiommind.memory import Memory, Scope

_TOKENS = 3_000  # for the state of the project, or of all of them, and for this session
_NOTES_TOKENS = 2_000  # for the headings of scratchpads
_MOST_PROJECTS = 3
_LAST_WORKED_ON = f"""
    select project
    from sessions
    where project is not null
    group by project
    order by max(coalesce(last_ts, started_at)) desc, project
    limit {_MOST_PROJECTS}
"""
_MOST_HEADINGS = 12
_REQUEST = (
    "Write the handoff {into}, titled `Handoff` and the date, with these sections:\n"
    "1. Goal: what is wanted, in the user's words.\n"
    "2. State: what is done and proved, what is half done, which files hold it.\n"
    "3. Decisions and their reasons, and what was tried and given up.\n"
    "4. Open tasks and blockers, in the order to do them.\n"
    "5. First steps: the exact commands and files to begin with.\n"
    "Use what you know of this session; check what you take from the history above before you repeat it. "
    "Remember lasting facts and lessons with their words (remember). Then tell the user the id of the "
    "scratchpad."
)


@prompt(
    "handoff",
    "Hand over",
    "Write down everything that the next session needs to go on with this work.",
)
def handoff(
    ctx: Context,
    project: Project = None,
    focus: Annotated[str | None, Arg("What the next session will work on.", max_length=2_000)] = None,
) -> str:
    scope = ctx.scope(project)
    workflow, scratchpads = _working_memory(ctx.memory, scope)
    known = "\n\n".join(part for part in (*_project_state(ctx.memory, scope), scratchpads) if part)
    about = f" The next session will work on: {' '.join(focus.split())}." if focus else ""
    into = (
        f"as a new scratchpad of the workflow {workflow} (create-scratchpad)"
        if workflow is not None
        else "as a scratchpad of a new workflow for this work (create-workflow, create-scratchpad)"
    )
    return "\n\n".join(
        (
            f"Hand this work over to the next session, which will know nothing but what you write down.{about}",
            ctx.fence(known) if known else f"Memory holds nothing of {'this' if scope.project else 'any'} project yet.",
            _REQUEST.format(into=into),
        )
    )


def _project_state(memory: Memory, scope: Scope) -> list[str]:
    """Where a project stands, or those that were worked on last, and what this session was about."""
    from axiommind.home import now
    from axiommind.recall.packets.session_start import left_off, recovery
    from axiommind.surfaces.render.recall import packet_text, packet_within

    session = memory.home.environ.get("CLAUDE_CODE_SESSION_ID") or None
    try:
        projects = (
            [scope.project] if scope.project is not None else [row[0] for row in memory.own_sql(_LAST_WORKED_ON, scope)]
        )
        with memory.recall.reading() as reader:
            mine = recovery(reader.db, session)
            found = [left_off(reader.db, one, session=session, source="startup", now=now()) for one in projects]
    except NotFound:  # there is no index yet
        return []
    parts = []
    if mine is not None and (text := packet_text(packet_within(mine, _TOKENS))):
        parts.append(f"# This session so far\n\n{text}")
    for project, stands in zip(projects, found, strict=True):
        if stands is not None and (text := packet_text(packet_within(stands, _TOKENS // len(projects)))):
            name = "the project" if scope.project is not None else project
            parts.append(f"# Where {name} stands\n\n{text}")
    return parts


def _working_memory(memory: Memory, scope: Scope) -> tuple[str | None, str]:
    """The workflow that was worked on last, and the headings of its scratchpads."""
    from axiommind.text.edits import outline

    found = memory.workflows.list(project=scope.project, active=True, limit=1)
    if not found:
        return None, ""
    workflow = found[0]
    lines = [f"# Working memory: {one_line(workflow.name)} ({workflow.id})"]
    for row in memory.scratchpads.list(workflow=workflow.id, limit=MOST_LISTED):
        lines.append(f"- [{row.id}] {one_line(row.title)} · {row.lines} lines · updated {row.updated_at[:10]}")
        headings = outline(memory.scratchpads.show(row.id).text)
        lines += [f"  - {one_line(one.title)} (L{one.line})" for one in headings[:_MOST_HEADINGS]]
        if len(headings) > _MOST_HEADINGS:
            lines.append(f"  - … {len(headings) - _MOST_HEADINGS} more headings")
    return workflow.id, lines_fitting("\n".join(lines), _NOTES_TOKENS, "list-scratchpads has them")
