"""From what fails: a line that says what to run instead, with which option, or what the error itself says to run; a
hook where a linter is repaired by one command each time."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from axiommind.reports.analysers.complaints import complaint
from axiommind.reports.analysers.evidence import ProposalMaterial, Witness
from axiommind.reports.analysers.rework import CountedCall, RepeatedFailure, shape
from axiommind.reports.proposals.proposal import Proposal, Saving
from axiommind.reports.proposals.writing import as_code, line
from axiommind.tools.kinds import LINT

__all__ = ["from_failures", "saved_by", "witnesses_of"]

LEAST_SESSIONS = 2
LEAST_ANSWERED = 3  # sessions in which one command followed another's failure
MOST_REMEDIES = 3  # each of them for the failure of the one before

# What never ran, as opposed to what ran and complained.
_COULD_NOT_RUN = re.compile(
    r"\b(?:unrecognized|unknown|unexpected|illegal|invalid|unsupported|not found|no such|not recognized|cannot find"
    r"|could not find|missing|permission denied|not permitted|no module|does not exist|unauthori[sz]ed)\b",
    re.IGNORECASE,
)
# Around a check, and not through it: only where the person said so.
_BYPASS = re.compile(r"--(?:no-(?:verify|check|gpg|lint|test)|skip|ignore|disable|allow|insecure|unsafe)")


def from_failures(material: ProposalMaterial) -> Iterator[Proposal]:
    for failure in material.failures:
        if failure.is_command and failure.sessions >= LEAST_SESSIONS:
            for rule in (_instead, _otherwise, _remedied, _hook, _next, _never):
                if (found := rule(failure, material)) is not None:
                    yield found
                    break


def _instead(failure: RepeatedFailure, _material: ProposalMaterial) -> Proposal | None:
    """Another command, where this one could never be run."""
    could_not = failure.never_worked and _COULD_NOT_RUN.search(failure.complaint)
    if not (could_not and failure.then and failure.passed_sessions >= LEAST_SESSIONS):
        return None
    why = f"{_seen(failure)}; it never passed. `{failure.then}` came next {failure.passed} times and passed."
    text = f"- Run `{failure.then}`, never `{failure.what}`: that fails with “{_told(failure)}”."
    title = f"Run `{failure.then}`, not `{failure.what}`"
    return line(title, why, text, _witnesses(failure), _saves(failure), failure.what, failure.then)


def _otherwise(failure: RepeatedFailure, material: ProposalMaterial) -> Proposal | None:
    """The same command with an option more or less."""
    varied = failure.varied
    if varied is None or (_BYPASS.match(varied.option) and varied.is_added and not _is_asked(varied.option, material)):
        return None
    how = "with" if varied.is_added else "without"
    why = (
        f"{_seen(failure)}; {how} `{varied.option}` it then passed {varied.passed} times, in {varied.sessions} of them."
    )
    text = f"- `{failure.what}` fails with “{_told(failure)}”: run it {how} `{varied.option}`."
    marks = [failure.what, varied.option]
    if steps := _remedies(failure, material.failures):
        why += f" The errors themselves say how to mend it: {_steps(steps)}."
        text = (
            f"- `{failure.what}` fails with “{_told(failure)}”. To mend it, run {_steps(steps)}, as the errors say; "
            f"until then run it {how} `{varied.option}`."
        )
    title = f"Run `{failure.what}` {how} `{varied.option}`" + (", or mend what fails" if steps else "")
    return line(title, why, text, _witnesses(failure), _saves(failure), *marks)


def _is_asked(option: str, material: ProposalMaterial) -> bool:
    """Whether a person said the words of an option, and it was run so."""
    return any(meant[1] == option for habit in material.habits if (meant := habit.option_meant) is not None)


def _remedied(failure: RepeatedFailure, material: ProposalMaterial) -> Proposal | None:
    """What the error itself says to run."""
    steps = _remedies(failure, material.failures)
    if not steps or failure.remedy_sessions < LEAST_SESSIONS:
        return None
    if any(failure in _followers(one, material.failures) for one in material.failures if one is not failure):
        return None  # it is a step of another one's remedy, and told there
    why = f"{_seen(failure)}, and the error says how to mend it."
    text = f"- When `{failure.what}` fails with “{_told(failure)}”, run {_steps(steps)}."
    title = f"When `{failure.what}` fails so, run `{steps[0]}`"
    return line(title, why, text, _witnesses(failure), _saves(failure), failure.what, *steps)


def _hook(failure: RepeatedFailure, _material: ProposalMaterial) -> Proposal | None:
    if failure.tool != LINT or not failure.then or failure.passed_sessions < LEAST_ANSWERED:
        return None
    hook = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": failure.then, "timeout": 60}]}]}}
    saves = _saves(failure)
    return Proposal(
        kind="hook",
        target=".claude/settings.json",
        title=f"Run `{failure.then}` whenever the agent stops",
        why=f"{_seen(failure)}; `{failure.then}` came next and passed in {failure.passed_sessions} of them. "
        "A hook does it without being asked.",
        text=json.dumps(hook, indent=2, ensure_ascii=False),
        language="json",
        marks=("\0",),  # CLAUDE.md cannot say that there is a hook
        witnesses=_witnesses(failure),
        saves=saves._replace(repairs=max(0, len(failure.answers) - 1)),
    )


def _next(failure: RepeatedFailure, _material: ProposalMaterial) -> Proposal | None:
    if not failure.then or failure.passed_sessions < LEAST_ANSWERED:
        return None
    why = f"{_seen(failure)}; `{failure.then}` came next and passed in {failure.passed_sessions} of them."
    text = f"- When `{failure.what}` fails with “{_told(failure)}”, run `{failure.then}`."
    title = f"When `{failure.what}` fails so, run `{failure.then}`"
    return line(title, why, text, _witnesses(failure), _saves(failure), failure.what, failure.then)


def _never(failure: RepeatedFailure, _material: ProposalMaterial) -> Proposal | None:
    """What was tried again and again, could never be run, and has no answer yet."""
    is_known = failure.never_worked and failure.runs == failure.times and _COULD_NOT_RUN.search(failure.complaint)
    if not is_known or failure.sessions < LEAST_ANSWERED or " " not in failure.what:
        return None
    why = f"{_seen(failure)}; it never passed, and nothing took its place."
    text = f"- `{failure.what}` does not work here (“{_told(failure)}”): say so, and do not try it."
    title = f"Mend `{failure.what}`, or say that it does not work here"
    return line(title, why, text, _witnesses(failure), _saves(failure), failure.what)


def _remedies(failure: RepeatedFailure, others: Sequence[RepeatedFailure]) -> list[str]:
    """What to run, in order: where the remedy failed too, first the remedy of that."""
    return [one.remedy for one in reversed((failure, *_followers(failure, others))) if one.remedy]


def _followers(failure: RepeatedFailure, others: Sequence[RepeatedFailure]) -> list[RepeatedFailure]:
    found = [failure]
    while len(found) < MOST_REMEDIES and found[-1].remedy:
        name = shape(found[-1].remedy)
        after = next((one for one in others if one.what == name and one.never_worked and one not in found), None)
        if after is None:
            break
        found.append(after)
    return found[1:]


def _steps(commands: Sequence[str]) -> str:
    return ", then ".join(f"`{as_code(command)}`" for command in commands)


def _told(failure: RepeatedFailure) -> str:
    return as_code(failure.complaint)


def _seen(failure: RepeatedFailure) -> str:
    return f"`{failure.what}` failed {failure.times} times with “{_told(failure)}” in {failure.sessions} sessions"


def _witnesses(failure: RepeatedFailure) -> tuple[Witness, ...]:
    return witnesses_of(failure.calls)


def witnesses_of(calls: Sequence[CountedCall]) -> tuple[Witness, ...]:
    """Calls that failed, each with its complaint."""
    return tuple(Witness("tool", call.ref, call.session, call.at, complaint(call.error)) for call in calls)


def _saves(failure: RepeatedFailure) -> Saving:
    return saved_by(failure.calls, failure.lost_ms)


def saved_by(calls: Sequence[CountedCall], lost_ms: Sequence[int]) -> Saving:
    """What these calls cost after the first session, which nobody could have spared."""
    first = min(calls, key=lambda call: (call.at or 0, call.session, call.ref)).session
    later = [ms for call, ms in zip(calls, lost_ms, strict=True) if call.session != first]
    return Saving(calls=len(later), ms=sum(later))
