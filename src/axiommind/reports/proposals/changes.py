"""From what belongs to a change: the checks that are run after edits, and the files that change together."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from axiommind.reports.analysers.evidence import ProposalMaterial, groups
from axiommind.reports.proposals.proposal import Proposal, Saving
from axiommind.reports.proposals.writing import line, listed

__all__ = ["from_checks", "from_files"]

LEAST_CHECKED = 3  # sessions
SHARE_OF_CHECK = 0.4
SHARE_OF_PAIR = 0.5
MOST_CHECKS = 3
MOST_GROUPS = 4


def from_checks(material: ProposalMaterial) -> Iterator[Proposal]:
    """The checks that are run after most edits, in their usual order."""
    apart = {failure.what for failure in material.failures if failure.never_worked}
    apart |= {failure.then for failure in material.failures if not failure.never_worked}  # these repair
    least = max(LEAST_CHECKED, SHARE_OF_CHECK * material.edited_sessions)
    usual = [c for c in material.checks if len(c.witnesses) >= least and c.command not in apart]
    usual = sorted(usual, key=lambda c: (-len(c.witnesses), c.command))[:MOST_CHECKS]
    usual.sort(key=lambda c: (c.place, c.command))
    if len(usual) < 2:
        return
    named = [f"`{check.command}`" for check in usual]
    each = ", ".join(f"{name} in {len(c.witnesses)}" for name, c in zip(named, usual, strict=True))
    every = tuple(w for check in usual for w in check.witnesses)
    complete = set.intersection(*({w.session for w in check.witnesses} for check in usual))
    yield line(
        "Say which checks belong to a change",
        f"Of {material.edited_sessions} sessions that edited files, these were run after the edits: {each}.",
        f"- After a change, run {', '.join(named[:-1])} and {named[-1]} before calling it done.",
        every,
        Saving(reminded=material.edited_sessions - len(complete)),
        *(check.command for check in usual),
    )


def from_files(material: ProposalMaterial) -> Iterator[Proposal]:
    """Files that change together without saying so in their names; on one day that is one piece of work."""
    usual = [g for g in groups(material.pairs) if g.days > 1 and g.together >= SHARE_OF_PAIR * g.either][:MOST_GROUPS]
    if not usual:
        return
    lines = [f"- {listed(g.files)} usually change together: look at all of them." for g in usual]
    shares = "; ".join(
        f"{listed([PurePosixPath(name).name for name in g.files])} in {g.together} of {g.either}" for g in usual
    )
    yield line(
        "Say which files belong together",
        f"Of the sessions that changed one of them, these changed all: {shares}.",
        "\n".join(lines),
        tuple(w for g in usual for w in g.witnesses),
        Saving(reminded=max(g.either - g.together for g in usual)),
        *(name for g in usual for name in g.files),
    )
