"""Proposals as text and as JSON. What agents wrote is printed on one line, and without escapes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from axiommind.approval.requests import cannot_be_undone, in_words
from axiommind.errors import AxmError
from axiommind.surfaces.render import tables as render
from axiommind.surfaces.render.entries import one_line
from axiommind.text.summary import preview

if TYPE_CHECKING:
    from axiommind.memory import Memory
    from axiommind.projections.proposal_rows import AgentProposal

__all__ = ["COLUMNS", "in_short", "proposal_json", "proposal_row", "proposal_text"]

COLUMNS = ("id", "what", "reason", "asked", "status")
_TEXT_CHARS = 400


def in_short(one: AgentProposal) -> str:
    """What it asks for, on one line."""
    return one_line(render.printable(in_words(one.act, one.args)))


def proposal_json(one: AgentProposal) -> dict[str, Any]:
    return {
        "id": one.id,
        "status": one.status,
        "what": in_words(one.act, one.args),
        "act": one.act,
        "about": one.about,
        "arguments": one.args,
        "asked_by": one.asked_by or None,
        "asked_at": one.asked_at,
        "decided_at": one.decided_at,
        "decline_reason": one.reason or None,
        "cannot_be_undone": cannot_be_undone(one.act, one.args),
        "project": one.project,
    }


def proposal_row(one: AgentProposal) -> dict[str, Any]:
    return {
        "id": one.id,
        "what": in_short(one),
        "reason": _reason(one),
        "asked": render.day(one.asked_at),
        "status": one.status,
    }


def proposal_text(memory: Memory, one: AgentProposal) -> str:
    """A proposal with the words of what it is about, for a person who decides."""
    by = f" by {one_line(render.printable(one.asked_by))}" if one.asked_by else ""
    what = in_short(one)
    lines = [render.bold(f"{what[:1].upper()}{what[1:]}")]
    if (about := _about(memory, one)) and about not in what:
        lines.append(about)
    if reason := _reason(one):
        lines.append(f"Because: {reason}")
    lines.append(render.dim(f"{one.id}, {one.status}, asked{by} on {render.day(one.asked_at)}"))
    if one.reason:
        lines.append(f"Declined because: {one_line(render.printable(one.reason))}")
    if cannot_be_undone(one.act, one.args) and one.status != "confirmed":
        lines.append("What exists nowhere else cannot be brought back.")
    return "\n".join(lines)


def _reason(one: AgentProposal) -> str:
    return one_line(render.printable(str(one.args.get("reason") or "")))


def _about(memory: Memory, one: AgentProposal) -> str:
    """What it would change, as it is now; empty where that has no words or is gone."""
    try:
        if one.about.startswith("ent_"):
            entry = memory.entries.show(one.about).entry
            said = f"{entry.title}: {entry.text}" if entry.title not in entry.text else entry.text
            words = f"{entry.stage}, {entry.status}: {said}"
        elif one.about.startswith("tsk_"):
            task = memory.tasks.show(one.about).task
            words = f"{task.status}: {task.title}"
        else:
            return ""
    except AxmError:
        return "It is gone."
    return preview(one_line(render.printable(words)), _TEXT_CHARS)
