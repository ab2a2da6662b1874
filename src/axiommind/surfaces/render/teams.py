"""Teams, their people, and what is shared, as text and JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from axiommind.surfaces.render.syncing import ago, place
from axiommind.surfaces.render.tables import bold, day

if TYPE_CHECKING:
    from axiommind.sync.teams import Invited, TeamState

__all__ = ["lines", "row", "state_as_json", "url_for", "what"]


def what(session: str | None, project: str | None) -> str:
    return f"the session {session}" if session else f"the project {project}"


def url_for(invited: Invited) -> str:
    """The remote as somebody else names it: under their own name, where the URL has one."""
    return re.sub(r"^(postgres(?:ql)?://)[^@/]*@", rf"\g<1>{invited.who}@", place(invited.remote))


def row(team: TeamState) -> dict[str, str]:
    people = {one.who for one in team.members}
    return {
        "team": team.name,
        "you": team.who,
        "people": "?" if team.error else str(len(people)),
        "shared": str(len(team.shares)),
        "kept": place(team.remote),
    }


def lines(team: TeamState, at: int) -> Iterator[str]:
    """One team."""
    yield f"{bold(team.name)}, kept in {place(team.remote)}"
    if team.error:
        yield f"  cannot be reached: {team.error}"
    for one in team.members:
        seen = "this machine" if one.is_mine else f"seen {ago(one.seen, at)}" if one.seen else "has not synced yet"
        yield f"  {one.who} ({one.machine}): {seen}"
    if not team.shares:
        yield "  nothing is shared from here: axm share --project . shares a project"
    for share in team.shares:
        yield f"  shared {day(share.at)}: {what(share.session, share.project)}"


def state_as_json(team: TeamState) -> dict[str, Any]:
    shares = [{"session": one.session, "project": one.project, "at": one.at} for one in team.shares]
    return team._asdict() | {"members": [one._asdict() for one in team.members], "shares": shares}
