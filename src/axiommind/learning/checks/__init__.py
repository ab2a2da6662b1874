"""The gate between candidate and verified: a built-in checker that always runs, and Idris 2 where it is installed.

Both check the same obligations under the same names. Where both run they must agree about every entry: if they do not,
one of them is wrong, nothing passes, and the difference is reported. What was verified says by whom, and never claims
more than was run."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Literal, NamedTuple

from axiommind.learning.checks import builtin
from axiommind.learning.checks._runner import Idris, IdrisJudgement, find_idris, idris_status, judge
from axiommind.learning.checks.builtin import OBLIGATIONS
from axiommind.learning.checks.candidate import Candidate

__all__ = [
    "OBLIGATIONS",
    "SILENT",
    "Checked",
    "CheckerReport",
    "Idris",
    "Verdict",
    "check",
    "find_idris",
    "idris_status",
]

SILENT = "idris2 gave no verdict, so nothing of this batch passes: "  # before why not
_DISAGREE = "checkers_agree"  # what an entry fails that only a disagreement holds back
_NAMED = 5


class Verdict(NamedTuple):
    """On one entry. `failed` names obligations; `checkers_agree` is among them when the checkers did not."""

    passed: bool
    failed: tuple[str, ...] = ()


class CheckerReport(NamedTuple):
    """What one checker said. `ok`: it gave a verdict on every entry; not ok: it hung, crashed, or could not be
    understood."""

    name: Literal["builtin", "idris2"]
    version: str
    ok: bool
    seconds: float
    said: str


class Checked(NamedTuple):
    checkers: tuple[CheckerReport, ...]
    verdicts: dict[str, Verdict]
    agree: bool
    verified_by: str  # `builtin`, or `idris2-0.8.0` when that one was run and agreed
    difference: str = ""  # in words, when they do not agree

    @property
    def is_answered(self) -> bool:
        """Whether every checker gave its verdicts: else they do not disagree, one of them said nothing."""
        return all(one.ok for one in self.checkers)


def check(candidates: Sequence[Candidate], *, idris: Idris | None) -> Checked:
    """The verdict on each candidate. Two candidates with the same id share the stricter one."""
    started = time.perf_counter()
    failed = [builtin.failures(candidate) for candidate in candidates]
    rejected = {index for index, names in enumerate(failed) if names}
    said = _summary(candidates, rejected, {index: ", ".join(failed[index]) for index in rejected})
    spoken = [CheckerReport("builtin", builtin.VERSION, True, time.perf_counter() - started, said)]
    verified_by, difference = "builtin", ""
    if idris is not None and candidates:
        started = time.perf_counter()
        judged = judge(candidates, idris)
        said = judged.silent or "; ".join((_summary(candidates, judged.rejected, {}), *judged.remarks))
        spoken.append(CheckerReport("idris2", idris.version, not judged.silent, time.perf_counter() - started, said))
        difference = _difference(candidates, failed, judged)
        if not difference:
            verified_by = f"idris2-{idris.version}"
    verdicts: dict[str, Verdict] = {}
    for candidate, names in zip(candidates, failed, strict=True):
        names = (*names, _DISAGREE) if difference else names
        before = verdicts.get(candidate.entry_id, Verdict(True)).failed
        names = (*before, *(name for name in names if name not in before))
        verdicts[candidate.entry_id] = Verdict(not names, names)
    return Checked(tuple(spoken), verdicts, not difference, verified_by, difference)


def _summary(candidates: Sequence[Candidate], rejected: frozenset[int] | set[int], why: dict[int, str]) -> str:
    text = f"{len(candidates) - len(rejected)} passed, {len(rejected)} failed"
    named = [_name(candidates[i]) + (f" ({why[i]})" if why.get(i) else "") for i in sorted(rejected)[:_NAMED]]
    more = [f"{len(rejected) - _NAMED} more"] if len(rejected) > _NAMED else []
    return f"{text}: {'; '.join(named + more)}" if named else text


def _name(candidate: Candidate) -> str:
    return candidate.entry_id if builtin.is_id(candidate.entry_id) else repr(candidate.entry_id[:40])


def _difference(candidates: Sequence[Candidate], failed: Sequence[tuple[str, ...]], judged: IdrisJudgement) -> str:
    if judged.silent:
        return f"{SILENT}{judged.silent}"
    told = []
    for index, candidate in enumerate(candidates):
        if failed[index] and index not in judged.rejected:
            told.append(f"{_name(candidate)}: builtin failed it ({', '.join(failed[index])}), idris2 passed it")
        elif not failed[index] and index in judged.rejected:
            told.append(f"{_name(candidate)}: builtin passed it, idris2 failed it")
    if not told:
        return ""
    more = [f"and {len(told) - _NAMED} more"] if len(told) > _NAMED else []
    words = ["the checkers disagree, so nothing of this batch passes", *told[:_NAMED], *more, *judged.remarks]
    return "; ".join(words)
