"""The proposals of a project, those that would have saved most first.

Pure: material in, proposals out. Nothing is proposed that rests on fewer than two sessions, that CLAUDE.md says
already, for which a command of that name is there, or that would have saved nothing.
"""

from __future__ import annotations

from pathlib import PurePosixPath

from axiommind.reports.analysers.evidence import ProposalMaterial
from axiommind.reports.analysers.sayings import bare
from axiommind.reports.proposals.changes import from_checks, from_files
from axiommind.reports.proposals.commands import from_habits, from_repeated_texts
from axiommind.reports.proposals.failures import from_failures
from axiommind.reports.proposals.hard_files import from_hard_files
from axiommind.reports.proposals.instructions import from_instructions, from_memory
from axiommind.reports.proposals.proposal import Proposal

__all__ = ["propose"]

LEAST_SESSIONS = 2
MOST_PROPOSALS = 8
_RULES = (
    from_failures,
    from_hard_files,
    from_instructions,
    from_habits,
    from_repeated_texts,
    from_checks,
    from_files,
    from_memory,
)


def propose(material: ProposalMaterial) -> list[Proposal]:
    """The proposals, those that save most first."""
    made = [proposal for rule in _RULES for proposal in rule(material)]
    known = bare(material.known)
    kept = [
        p
        for p in made
        if p.sessions >= LEAST_SESSIONS and p.saves.worth > 0 and not _is_known(p, known, material.commands)
    ]
    return sorted(kept, key=lambda p: (-p.saves.worth, -p.sessions, -p.days, p.kind, p.title))[:MOST_PROPOSALS]


def _is_known(proposal: Proposal, known: str, commands: frozenset[str]) -> bool:
    if proposal.kind == "command":
        return PurePosixPath(proposal.target).stem in commands
    if not known:
        return False
    for mark in sorted(map(bare, proposal.marks), key=len, reverse=True):
        if mark not in known:
            return False
        known = known.replace(mark, " ")  # who names `rtk pytest` alone has not said `pytest`
    return True
