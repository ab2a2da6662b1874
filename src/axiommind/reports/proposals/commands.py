"""From orders that come again: slash commands with the words, the steps that usually followed, and open slots.

An order deserves a command when it names steps that were then taken, or is long. "Fix all of it" names nothing that
is the same the next time. A step that the order names is kept whatever else is cut.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from axiommind.reports.analysers.actions import does, named, plain
from axiommind.reports.analysers.activity import DAY_MS
from axiommind.reports.analysers.evidence import Habit, HabitStep, ProposalMaterial, Sentence
from axiommind.reports.proposals.proposal import Proposal, Saving
from axiommind.reports.proposals.writing import command_file, inert, slug, step_text
from axiommind.text.pasted import pasted_spans, without
from axiommind.text.requests.prompt_kinds import goes_on

__all__ = ["from_habits", "from_repeated_texts"]

LEAST_SESSIONS = 2
LEAST_HABIT = 3  # sessions in which a habit was asked for, before it deserves a file of its own
SHARE_OF_STEP = 0.4
SHARE_OF_NAMED = 0.5  # of the sessions did what the order names
MOST_STEPS = 5
LONG_CHARS = 200  # a text worth a command of its own
LONG_ORDER = 80
LINE_CHARS = 30
_UNKNOWN_SKILL = re.compile(r"Unknown skill: ([\w:-]{1,60})")
_HEADING = re.compile(
    r"\s*(?:#{1,6}\s|[|>]|```|\*\*[^*]+\*\*:?\s*$|(?:phase|step|task|part)\s+\d|\d+[.)]\s+\*\*)", re.IGNORECASE
)


def from_habits(material: ProposalMaterial) -> Iterator[Proposal]:
    missing = {
        match[1]: failure for failure in material.failures if (match := _UNKNOWN_SKILL.fullmatch(failure.complaint))
    }
    covered: list[tuple[set[str], set[str]]] = []  # what each command is for, and what its steps do
    for habit in material.habits:
        if habit.kind != "directive" or habit.sessions < LEAST_HABIT or goes_on(habit.text):
            continue
        name = _name(habit)
        steps = _steps(habit)
        if not name or not _deserves(habit, steps):
            continue
        wanted = set(named(habit.text))
        if any(asked <= wanted <= done for asked, done in covered if asked):
            continue  # another command does all that is asked here
        covered.append((wanted, {action for step in steps for action in does(step.what)}))
        why = f"You asked for this {habit.count} times, in {habit.sessions} sessions."
        if habit.others:
            why += f" Also as {', '.join(f'“{inert(other)}”' for other in habit.others)}."
        failed = 0
        if (looked := missing.get(name)) is not None:
            failed = looked.times
            why += f" The agent itself looked for a skill `{name}` in {looked.sessions} sessions; there is none."
        if steps:
            why += " What followed, and in how many sessions: "
            why += ", ".join(f"{step_text(step)} ({step.sessions})" for step in steps) + "."
        saves = Saving(calls=failed, replaced=habit.count, typed=max(0, habit.typed - habit.count * (len(name) + 1)))
        yield command_file(name, habit.template or habit.text, steps, habit.slots, why, habit.witnesses, saves)


def _name(habit: Habit) -> str:
    """What a command is called: what it does, where the words are in another script and name nothing besides."""
    words = habit.template or habit.text
    return slug(" ".join(named(words)) if plain(words) and not words.isascii() else words)


def _steps(habit: Habit) -> list[HabitStep]:
    """The steps that usually followed, and those that the order names, in their order."""
    wanted = set(named(habit.text))
    usual = [s for s in habit.steps if s.sessions >= max(LEAST_SESSIONS, SHARE_OF_STEP * habit.sessions)]
    asked = [s for s in habit.steps if wanted & does(s.what) and s.sessions >= LEAST_SESSIONS]
    ranked = sorted(usual, key=lambda s: (-s.sessions, not s.is_edit, s.what))
    kept = [*asked, *(step for step in ranked if step not in asked)][: max(MOST_STEPS, len(asked))]
    return [step for step in habit.steps if step in kept]


def _deserves(habit: Habit, steps: Sequence[HabitStep]) -> bool:
    if len(steps) < 2:
        return len(habit.text) >= LONG_ORDER and bool(habit.slots)
    words = set(re.findall(r"[a-z]{4,}", habit.text.casefold()))
    wanted = set(named(habit.text))
    for step in steps:
        takes = wanted & does(step.what) or words & set(re.findall(r"[a-z]{4,}", step.what.casefold()))
        if takes and step.sessions >= SHARE_OF_NAMED * habit.sessions:
            return True
    return False


def from_repeated_texts(material: ProposalMaterial) -> Iterator[Proposal]:
    """A long text that was given again, whole or in part: what was the same each time becomes a slash command."""
    lines: dict[str, dict[str, Sentence]] = {}
    for said in material.prompts:
        typed = without(said.text, pasted_spans(said.text))
        for text in typed.splitlines():
            if len(text.strip()) >= LINE_CHARS and not _HEADING.match(text):
                lines.setdefault(text.strip(), {}).setdefault(said.witness.session, said)
    shared: dict[frozenset[str], list[str]] = {}
    for text, by_session in lines.items():
        if len(by_session) >= LEAST_SESSIONS:
            shared.setdefault(frozenset(by_session), []).append(text)
    for some in shared.values():
        text = "\n".join(some)
        witnesses = tuple(said.witness._replace(quote=some[0]) for said in lines[some[0]].values())
        days = {w.at // DAY_MS for w in witnesses if w.at}
        if len(text) < LONG_CHARS or len(days) < LEAST_SESSIONS:  # of one day it is the same attempt, begun again
            continue
        why = f"The same {len(text)} characters were given in {len(witnesses)} sessions."
        again = len(witnesses) - 1
        saves = Saving(replaced=again, typed=again * len(text))
        yield command_file(slug(some[0]), text + "\n\n$ARGUMENTS", [], ("text",), why, witnesses, saves)
