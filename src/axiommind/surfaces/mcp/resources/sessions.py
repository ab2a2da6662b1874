"""`axm://session/{id}`: the prompts and answers of a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from axiommind.surfaces.mcp.context import Context
from axiommind.surfaces.mcp.declarations import resource
from axiommind.surfaces.mcp.pages import PAGE_TOKENS, cost
from axiommind.surfaces.mcp.resources._markdown import MARKDOWN, completed_by, one_line

if TYPE_CHECKING:
    from axiommind.search.reading.sessions import SessionTold, Turn

ORDER = 10

_TURN_CHARS = 2_000  # of one prompt or answer


@resource(
    "axm://session/{id}",
    "session",
    "A session",
    "The prompts and answers of an earlier session, in order. The beginning of an id will do.",
    mime=MARKDOWN,
    complete={"id": completed_by("select id from sessions order by coalesce(last_ts, started_at) desc limit 5000")},
)
def session(ctx: Context, id: str) -> str:  # noqa: A002 - the template's word
    return ctx.fence(_markdown(ctx.memory.sessions.show(id)))


def _markdown(told: SessionTold) -> str:
    from axiommind.surfaces.render.entries import iso

    began = iso(told.started_at)[:16].replace("T", " ") if told.started_at else "unknown time"
    about = f"session {told.session_id} · {told.project} · {told.agent} · {began} UTC"
    parts = [f"# {one_line(told.title) or 'A session'}", about]
    room = PAGE_TOKENS - sum(map(cost, parts))
    for n, turn in enumerate(told.turns):
        part = _turn(turn)
        room -= cost(part)
        if room < 0:
            left = len(told.turns) - n
            parts.append(
                f"… It goes on: {left:,} more prompts and answers, the next of them is {turn.id} (timeline, get)."
            )
            break
        parts.append(part)
    return "\n\n".join(parts)


def _turn(turn: Turn) -> str:
    text = turn.text.strip()
    if len(text) > _TURN_CHARS:
        text = f"{text[:_TURN_CHARS]}… ({len(text) - _TURN_CHARS:,} more characters: get {turn.id})"
    return f"## {'Prompt' if turn.is_prompt else 'Answer'} [{turn.id}]\n\n{text}"
