"""From what people say: standing instructions that were given again, and what memory holds as verified.

What can stand in a rules file by itself becomes a line. A few words that became an option ("no verify") become the
command that was run; without one they say nothing to a reader, and are left out.
"""

from __future__ import annotations

from collections.abc import Iterator

from axiommind.reports.analysers.actions import plain
from axiommind.reports.analysers.activity import DAY_MS
from axiommind.reports.analysers.evidence import Habit, ProposalMaterial, RepeatedClaim, Witness
from axiommind.reports.analysers.sayings import alike, bare, contradictions
from axiommind.reports.proposals.proposal import Proposal, Saving, after_first
from axiommind.reports.proposals.writing import as_code, inert, line, on_one_line
from axiommind.text.requests.lasting import reads_as_rule
from axiommind.text.requests.prompt_kinds import goes_on

__all__ = ["from_instructions", "from_memory"]

LEAST_SESSIONS = 2
LEAST_HABIT = 3  # sessions in which something was asked for
LONG_CHARS = 200
MOST_FACTS = 6
_INSTRUCTING = ("convention", "correction", "preference")


def from_instructions(material: ProposalMaterial) -> Iterator[Proposal]:
    """Standing instructions that a person gave again, and never took back."""
    fallen = {earlier.text for earlier, _ in contradictions(material.statements)}
    for group in alike(material.statements):
        latest = max(group, key=lambda said: (said.witness.at or 0, said.witness.ref))
        if not any(said.text in fallen for said in group):
            yield _line(latest.text, tuple(said.witness for said in group), "You said so")
    varied = {f.varied.option for f in material.failures if f.varied is not None and f.varied.is_added}
    for habit in material.habits:
        if habit.sessions < LEAST_HABIT or habit.kind not in _INSTRUCTING or goes_on(habit.text):
            continue
        if (meant := habit.option_meant) is not None:
            command, option = meant
            if option not in varied:  # that line is made of the failure, with its reason
                yield _option_line(habit, command, option)
        elif (
            len(habit.text) <= LONG_CHARS
            and reads_as_rule(habit.text)
            and not any(bare(said.text) in bare(habit.text) for said in material.statements)
        ):
            yield _line(habit.text, habit.witnesses, "You asked for it")


def _option_line(habit: Habit, command: str, option: str) -> Proposal:
    run = as_code(f"{command} {option}")
    return line(
        f"Run `{run}` without being told",
        f"You said “{inert(habit.text)}” {habit.count} times in {habit.sessions} sessions, and it was run so.",
        f"- Run `{run}`.",
        habit.witnesses,
        Saving(prompts=len(after_first(habit.witnesses))),
        run,
    )


def _line(text: str, witnesses: tuple[Witness, ...], who: str) -> Proposal:
    said = on_one_line(text)
    return line(
        "Write down a standing instruction",
        f"{who} in {len({w.session for w in witnesses})} sessions.",
        f"- {inert(said)}",
        witnesses,
        Saving(prompts=len(after_first(witnesses))),
        said,
    )


def from_memory(material: ProposalMaterial) -> Iterator[Proposal]:
    """Facts, conventions and decisions that hold and came up in several sessions, not twice in one attempt."""
    said = [bare(one.text) for one in material.statements]  # those are proposed by themselves
    known = bare(material.known)
    usual = [claim for claim in material.claims if _is_usual(claim)]
    told = {f"`{command}`" for one in material.failures for command in (one.then, one.remedy) if command}
    usual = [c for c in usual if not any(text in bare(c.text) for text in said) and bare(c.text) not in known]
    usual = [c for c in usual if not any(command in c.text for command in told)]
    usual = sorted(usual, key=lambda c: (-len(c.witnesses), c.text))[:MOST_FACTS]
    if usual:
        every = tuple(w for claim in usual for w in claim.witnesses)
        yield line(
            "Known facts",
            "Memory holds them as verified, and each came up in at least two sessions.",
            "\n".join(["## Known facts", "", *(f"- {inert(claim.text)}" for claim in usual)]),
            every,
            Saving(relearned=sum(len({w.session for w in after_first(c.witnesses)}) for c in usual)),
            *(claim.text for claim in usual),
        )


def _is_usual(claim: RepeatedClaim) -> bool:
    sessions = {w.session for w in claim.witnesses}
    if claim.kind != "preference":
        return len(sessions) >= LEAST_SESSIONS
    # Somebody's own words twice on one day are the same attempt, begun again.
    days = {w.at // DAY_MS for w in claim.witnesses if w.at}
    is_said_again = len(sessions) > LEAST_SESSIONS or len(days) >= LEAST_SESSIONS
    return is_said_again and not plain(claim.text) and reads_as_rule(claim.text)
