"""From calls that fail on one file again and again: too large to be read at once, or edited from an old reading."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from axiommind.reports.analysers.evidence import ProposalMaterial
from axiommind.reports.analysers.rework import CountedCall, RepeatedFailure
from axiommind.reports.proposals.failures import saved_by, witnesses_of
from axiommind.reports.proposals.proposal import Proposal
from axiommind.reports.proposals.writing import as_code, line
from axiommind.text.patterns import lazy

__all__ = ["from_hard_files"]

MOST_FILES = 4


class _Advice(NamedTuple):
    least: int  # sessions in which a file did that
    title: str
    text: str  # after the name of the file


_TOO_LARGE = lazy(r"exceeds maximum allowed|\btoo (?:large|long|big)\b|larger than", re.IGNORECASE)
_NOT_THERE = lazy(
    r"string to replace not found|old_string|no match(?:es)? found|could not find the text", re.IGNORECASE
)
_ADVICE = (
    (
        _TOO_LARGE,
        _Advice(
            2,
            "Say which files are too large to be read at once",
            "is too large to be read at once: search in it, or read it in parts.",
        ),
    ),
    (
        _NOT_THERE,
        _Advice(
            3,
            "Say which files need a fresh look before an edit",
            "is often edited from an old reading: read the lines again right before an edit.",
        ),
    ),
)


def from_hard_files(material: ProposalMaterial) -> Iterator[Proposal]:
    for pattern, advice in _ADVICE:
        some = [one for one in material.failures if not one.is_command and pattern.search(one.complaint)]
        for failure in some[:1]:
            files = _files(failure, advice.least)
            calls = [call for those in files.values() for call in those]
            if not calls:
                continue
            each = ", ".join(
                f"`{as_code(name)}` {len(those)} times in {len({c.session for c in those})} sessions"
                for name, those in files.items()
            )
            yield line(
                advice.title,
                f"`{failure.what}` failed with “{as_code(failure.complaint)}” on {each}.",
                "\n".join(f"- `{as_code(name)}` {advice.text}" for name in files),
                witnesses_of(calls),
                saved_by(calls, _lost(failure, calls)),
                *files,
            )


def _files(failure: RepeatedFailure, least: int) -> dict[str, list[CountedCall]]:
    """The files on which it failed in most sessions."""
    found: dict[str, list[CountedCall]] = {}
    for call in failure.calls:
        if call.file:
            found.setdefault(call.file, []).append(call)
    often = {name: those for name, those in found.items() if len({c.session for c in those}) >= least}
    most = sorted(often, key=lambda name: (-len({c.session for c in often[name]}), -len(often[name]), name))
    return {name: often[name] for name in most[:MOST_FILES]}


def _lost(failure: RepeatedFailure, calls: list[CountedCall]) -> list[int]:
    each = {call.ref: ms for call, ms in zip(failure.calls, failure.lost_ms, strict=True)}
    return [each[call.ref] for call in calls]
