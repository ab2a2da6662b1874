"""`feedback`: an agent says whether what it was given was useful. Its word counts in its own session."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from axiommind.callers import AGENT
from axiommind.surfaces.mcp.context import Context
from axiommind.surfaces.mcp.declarations import tool
from axiommind.surfaces.mcp.schemas import Arg

ORDER = 25
GROUP = "history"


class FeedbackGiven(TypedDict):
    id: str
    verdict: str
    is_new: bool


@tool(
    "feedback",
    "Useful or not",
    "Say that a recalled memory was of no use here (no), was of use (yes), or take that back (clear). It counts in "
    "this session.",
    reads=False,
)
def feedback(
    ctx: Context,
    id: Annotated[str, Arg("As it was shown.", max_length=100)],  # noqa: A002 - its name everywhere else
    verdict: Literal["no", "yes", "clear"] = "no",
    session: Annotated[str | None, Arg("If not this one.", max_length=200)] = None,
) -> FeedbackGiven:
    said = ctx.memory.feedback.say(id, verdict, session=session, caller=AGENT)
    return ctx.clean(FeedbackGiven(id=said.id, verdict=said.verdict, is_new=said.is_new))
