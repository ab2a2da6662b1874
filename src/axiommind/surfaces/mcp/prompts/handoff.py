"""`handoff`: write down everything that the next session needs, below what the record already says of this one."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

from axiommind.errors import AxmError, NotFound
from axiommind.surfaces.mcp.context import Context
from axiommind.surfaces.mcp.declarations import Project, prompt
from axiommind.surfaces.mcp.schemas import Arg

if TYPE_CHECKING:
    from axiommind.memory import Memory, Scope

_TOKENS = 3_000
_REQUEST = (
    "Write the handoff {into}, titled `Handoff` and the date, with these sections:\n"
    "1. Goal: what is wanted, in the user's words.\n"
    "2. State: what is done and proved, what is half done, which files hold it.\n"
    "3. Decisions and their reasons, and what was tried and given up.\n"
    "4. Open tasks and blockers, in the order to do them.\n"
    "5. First steps: the exact commands and files to begin with.\n"
    "Use what you know of this session; check what you take from the history above before you repeat it. "
    "Remember lasting facts and lessons with their words (remember). Then tell the user the id of the "
    "scratchpad, and that `axm handoff --to AGENT --run` starts another agent with the packet above, which lists the "
    "scratchpad too."
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
    session: Annotated[
        str | None, Arg("The session to hand over, by its id. Default: this one, or the newest.")
    ] = None,
) -> str:
    scope = ctx.scope(project)
    known = _packet(ctx.memory, scope, session)
    found = ctx.memory.workflows.list(project=scope.project, active=True, limit=1)
    about = f" The next session will work on: {' '.join(focus.split())}." if focus else ""
    into = (
        f"as a new scratchpad of the workflow {found[0].id} (create-scratchpad)"
        if found
        else "as a scratchpad of a new workflow for this work (create-workflow, create-scratchpad)"
    )
    return "\n\n".join(
        (
            f"Hand this work over to the next session, which will know nothing but what you write down.{about}",
            known or f"Memory holds nothing of {'this' if scope.project else 'any'} project yet.",
            _REQUEST.format(into=into),
        )
    )


def _packet(memory: Memory, scope: Scope, name: str | None) -> str:
    """The record of a session as `axm handoff` gives it; of this one where the client says which it is and it is read,
    else of the newest. Empty where there is none."""
    from axiommind.surfaces.render.handoff import handoff_packet

    with suppress(AxmError, OSError):  # what was read before will do
        memory.handoffs.refresh(name, scope.project)
    own = memory.home.environ.get("CLAUDE_CODE_SESSION_ID") or None
    try:
        try:
            chosen = memory.handoffs.session(name or own, scope)
        except NotFound:
            if name is not None:
                raise
            chosen = memory.handoffs.session(None, scope)
    except NotFound:
        if name is not None:
            raise
        return ""
    return handoff_packet(memory.handoffs.of(chosen), _TOKENS, memory.config.home).quoted
