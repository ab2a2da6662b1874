"""Proposals: text for CLAUDE.md, a slash command or a hook, made by rules from what happened in several sessions.

Pure: material in, proposals out, the strongest first. Nothing is proposed that rests on fewer than two sessions, that
CLAUDE.md says already, or for which a command of that name is there. What people said is quoted as data: it is put on
one line, and can neither run a command nor import a file where it is pasted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from axiommind.reports.analysers.activity import DAY_MS
from axiommind.reports.analysers.evidence import HabitStep, ProposalMaterial, Sentence, Witness, groups
from axiommind.reports.analysers.rework import complaint
from axiommind.reports.analysers.sayings import alike, bare, contradictions
from axiommind.text.requests.prompt_kinds import goes_on
from axiommind.tools.kinds import LINT

__all__ = ["Proposal", "propose"]

LEAST_SESSIONS = 2
LEAST_HABIT = 3  # sessions in which a habit was asked for, before it deserves a file of its own
LEAST_ANSWERED = 3  # sessions in which one command followed another's failure
MOST_PROPOSALS = 8
SHARE_OF_PAIR = 0.4
SHARE_OF_CHECK = 0.4
SHARE_OF_STEP = 0.4
LONG_CHARS = 200  # a text worth a command of its own
LINE_CHARS = 30
MOST_GROUPS = 4
MOST_FACTS = 6
MOST_STEPS = 5


@dataclass(frozen=True, slots=True)
class Proposal:
    """Text to paste into `target`. `marks`: CLAUDE.md says it already when it holds all of them."""

    kind: str  # claude-md, command or hook
    target: str
    title: str
    why: str
    text: str
    language: str
    marks: tuple[str, ...]
    witnesses: tuple[Witness, ...]
    weight: float = 1.0  # what one session's evidence is worth: an error avoided is worth more than words saved

    @property
    def sessions(self) -> int:
        return len({w.session for w in self.witnesses})

    @property
    def days(self) -> int:
        return len({w.at // DAY_MS for w in self.witnesses if w.at})


def propose(material: ProposalMaterial) -> list[Proposal]:
    """The proposals, those that save most first."""
    rules = (_failing, _stated, _habitual, _repeated, _checked, _together, _known)
    made = [proposal for rule in rules for proposal in rule(material)]
    known = bare(material.known)
    kept = [p for p in made if p.sessions >= LEAST_SESSIONS and not _is_known(p, known, material.commands)]
    return sorted(kept, key=lambda p: (-p.weight * p.sessions, -p.days, p.kind, p.title))[:MOST_PROPOSALS]


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


# What never ran, as opposed to what ran and complained.
_COULD_NOT_RUN = re.compile(
    r"\b(?:unrecognized|unknown|unexpected|illegal|invalid|unsupported|not found|no such|not recognized|cannot find"
    r"|could not find|missing|permission denied|not permitted|no module|does not exist)\b",
    re.IGNORECASE,
)


# --- rules ----------------------------------------------------------------------------------------------------------


def _failing(material: ProposalMaterial) -> Iterator[Proposal]:
    """A command that failed in one way, and was answered by one other command."""
    for failure in material.failures:
        if not failure.is_command or not failure.then:
            continue
        witnesses = tuple(
            Witness("tool", call.ref, call.session, call.at, complaint(call.error)) for call in failure.calls
        )
        told = _code(failure.complaint)
        seen = f"`{failure.what}` failed {failure.times} times with “{told}” in {failure.sessions} sessions; "
        could_not = failure.never_worked and _COULD_NOT_RUN.search(failure.complaint)
        if could_not and failure.passed_sessions >= LEAST_SESSIONS:
            yield Proposal(
                kind="claude-md",
                target="CLAUDE.md",
                title=f"Run `{failure.then}`, not `{failure.what}`",
                why=f"{seen}it never passed. `{failure.then}` came next {failure.passed} times and passed.",
                text=f"- Run `{failure.then}`, never `{failure.what}`: that fails with “{told}”.",
                language="markdown",
                marks=(failure.what, failure.then),
                witnesses=witnesses,
                weight=3.0,
            )
        elif failure.passed_sessions >= LEAST_ANSWERED and failure.tool == LINT:
            yield Proposal(
                kind="hook",
                target=".claude/settings.json",
                title=f"Run `{failure.then}` whenever the agent stops",
                why=f"{seen}`{failure.then}` came next and passed in {failure.passed_sessions} of them. "
                "A hook does it without being asked.",
                text=_stop_hook(failure.then),
                language="json",
                marks=("\0",),  # CLAUDE.md cannot say that there is a hook
                witnesses=witnesses,
                weight=2.0,
            )
        elif failure.passed_sessions >= LEAST_ANSWERED:
            yield Proposal(
                kind="claude-md",
                target="CLAUDE.md",
                title=f"When `{failure.what}` fails so, run `{failure.then}`",
                why=f"{seen}`{failure.then}` came next and passed in {failure.passed_sessions} of them.",
                text=f"- When `{failure.what}` fails with “{told}”, run `{failure.then}`.",
                language="markdown",
                marks=(failure.what, failure.then),
                witnesses=witnesses,
            )


def _stop_hook(command: str) -> str:
    hook = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command, "timeout": 60}]}]}}
    return json.dumps(hook, indent=2, ensure_ascii=False)


def _stated(material: ProposalMaterial) -> Iterator[Proposal]:
    """A standing instruction that a person gave again, and never took back."""
    fallen = {earlier.text for earlier, _ in contradictions(material.statements)}
    for group in alike(material.statements):
        latest = max(group, key=lambda said: (said.witness.at or 0, said.witness.ref))
        if any(said.text in fallen for said in group):
            continue
        yield _line(latest.text, tuple(said.witness for said in group), "You said so")


def _habitual(material: ProposalMaterial) -> Iterator[Proposal]:
    """Prompts that come again: instructions become a line, orders a slash command. What is a sentence of its own is
    `_stated`'s."""
    stated = material.statements
    missing = {
        match[1]: failure
        for failure in material.failures
        if (match := re.fullmatch(r"Unknown skill: ([\w:-]{1,60})", failure.complaint))
    }
    for habit in material.habits:
        if habit.sessions < LEAST_HABIT or goes_on(habit.text):
            continue
        if habit.kind in ("convention", "correction", "preference"):
            if len(habit.text) <= LONG_CHARS and not any(bare(s.text) in bare(habit.text) for s in stated):
                yield _line(habit.text, habit.witnesses, "You asked for it")
        elif habit.kind == "directive":
            name = _slug(habit.text)
            why = f"You asked for this {habit.count} times, in {habit.sessions} sessions."
            witnesses = habit.witnesses
            if (looked := missing.get(name)) is not None:
                why += f" The agent itself looked for a skill `{name}` in {looked.sessions} sessions; there is none."
            usual = [s for s in habit.steps if s.sessions >= max(LEAST_SESSIONS, SHARE_OF_STEP * habit.sessions)]
            if len(usual) > 1 and name:
                most = sorted(usual, key=lambda s: (-s.sessions, not s.is_edit, s.what))[:MOST_STEPS]
                steps = [step for step in usual if step in most]
                why += " What followed, and in how many sessions: "
                why += ", ".join(f"{_step(step)} ({step.sessions})" for step in steps) + "."
                yield _command(name, habit.text, habit.text, steps, why, witnesses)


def _repeated(material: ProposalMaterial) -> Iterator[Proposal]:
    """A long text that was given again, whole or in part: what was the same each time becomes a slash command."""
    lines: dict[str, dict[str, Sentence]] = {}
    for said in material.prompts:
        for line in said.text.splitlines():
            if len(line.strip()) >= LINE_CHARS:
                lines.setdefault(line.strip(), {}).setdefault(said.witness.session, said)
    shared: dict[frozenset[str], list[str]] = {}
    for line, by_session in lines.items():
        if len(by_session) >= LEAST_SESSIONS:
            shared.setdefault(frozenset(by_session), []).append(line)
    for some in shared.values():
        text = "\n".join(some)
        witnesses = tuple(said.witness._replace(quote=some[0]) for said in lines[some[0]].values())
        days = {w.at // DAY_MS for w in witnesses if w.at}
        if len(text) < LONG_CHARS or len(days) < LEAST_SESSIONS:  # of one day it is the same attempt, begun again
            continue
        why = f"The same {len(text)} characters were given in {len(witnesses)} sessions."
        yield _command(_slug(some[0]), some[0], text + "\n\n$ARGUMENTS", [], why, witnesses)


def _checked(material: ProposalMaterial) -> Iterator[Proposal]:
    """The checks that are run after most edits, in their usual order."""
    apart = {failure.what for failure in material.failures if failure.never_worked}
    apart |= {failure.then for failure in material.failures if not failure.never_worked}  # these repair
    least = max(LEAST_HABIT, SHARE_OF_CHECK * material.edited_sessions)
    usual = [c for c in material.checks if len(c.witnesses) >= least and c.command not in apart]
    usual = sorted(sorted(usual, key=lambda c: (-len(c.witnesses), c.command))[:3], key=lambda c: (c.place, c.command))
    if len(usual) < 2:
        return
    named = [f"`{check.command}`" for check in usual]
    each = ", ".join(f"{name} in {len(c.witnesses)}" for name, c in zip(named, usual, strict=True))
    every = tuple(w for check in usual for w in check.witnesses)
    yield Proposal(
        kind="claude-md",
        target="CLAUDE.md",
        title="Say which checks belong to a change",
        why=f"Of {material.edited_sessions} sessions that edited files, these were run after the edits: {each}.",
        text=f"- After a change, run {', '.join(named[:-1])} and {named[-1]} before calling it done.",
        language="markdown",
        marks=tuple(check.command for check in usual),
        witnesses=every,
    )


def _together(material: ProposalMaterial) -> Iterator[Proposal]:
    """Files that change together without saying so in their names; on one day that is one piece of work."""
    usual = [g for g in groups(material.pairs) if g.days > 1 and g.together >= SHARE_OF_PAIR * g.either][:MOST_GROUPS]
    if not usual:
        return
    lines = [f"- {_listed(g.files)} usually change together: look at all of them." for g in usual]
    shares = "; ".join(
        f"{_listed([PurePosixPath(name).name for name in g.files])} in {g.together} of {g.either}" for g in usual
    )
    yield Proposal(
        kind="claude-md",
        target="CLAUDE.md",
        title="Say which files belong together",
        why=f"Of the sessions that changed one of them, these changed all: {shares}.",
        text="\n".join(lines),
        language="markdown",
        marks=tuple(name for g in usual for name in g.files),
        witnesses=tuple(w for g in usual for w in g.witnesses),
        weight=0.5,
    )


def _listed(names: Sequence[str]) -> str:
    coded = [f"`{_code(name)}`" for name in names]
    return f"{', '.join(coded[:-1])} and {coded[-1]}"


def _known(material: ProposalMaterial) -> Iterator[Proposal]:
    """Facts and decisions that hold and were said in several sessions."""
    said = [bare(one.text) for one in material.statements]  # those are proposed by themselves
    usual = [c for c in material.claims if len({w.session for w in c.witnesses}) >= LEAST_SESSIONS]
    usual = [claim for claim in usual if not any(text in bare(claim.text) for text in said)]
    usual = sorted(usual, key=lambda c: (-len(c.witnesses), c.text))[:MOST_FACTS]
    if usual:
        yield Proposal(
            kind="claude-md",
            target="CLAUDE.md",
            title="Known facts",
            why="Memory holds them as verified, and each was said in at least two sessions.",
            text="\n".join(["## Known facts", "", *(f"- {_inert(claim.text)}" for claim in usual)]),
            language="markdown",
            marks=tuple(claim.text for claim in usual),
            witnesses=tuple(w for claim in usual for w in claim.witnesses),
        )


# --- writing --------------------------------------------------------------------------------------------------------


def _line(text: str, witnesses: tuple[Witness, ...], who: str) -> Proposal:
    said = _words(text)
    sessions = len({w.session for w in witnesses})
    return Proposal(
        kind="claude-md",
        target="CLAUDE.md",
        title="Write down a standing instruction",
        why=f"{who} in {sessions} sessions.",
        text=f"- {_inert(said)}",
        language="markdown",
        marks=(said,),
        witnesses=witnesses,
        weight=3.0,
    )


def _command(
    name: str, about: str, body: str, steps: Sequence[HabitStep], why: str, witnesses: tuple[Witness, ...]
) -> Proposal:
    allowed = [f"Bash({step.what}:*)" for step in steps if not step.is_edit]
    head = [f"description: {json.dumps(_words(about)[:80], ensure_ascii=False)}"]
    if allowed:
        head.append(f"allowed-tools: {', '.join(allowed)}")
    text = ["---", *head, "---", _quiet(body)]
    if steps:
        text += ["", "The usual steps here: " + ", then ".join(_step(step) for step in steps) + "."]
    return Proposal(
        kind="command",
        target=f".claude/commands/{name}.md",
        title=f"A slash command `/{name}`",
        why=why,
        text="\n".join(text),
        language="markdown",
        marks=(),
        witnesses=witnesses,
    )


def _step(step: HabitStep) -> str:
    named = f"`{_code(step.what)}`"
    return f"edit {named}" if step.is_edit else named


def _words(text: str) -> str:
    """On one line, without what cannot be printed."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def _code(text: str) -> str:
    """As it can stand between backticks."""
    return _words(text).replace("`", "'")


def _quiet(text: str) -> str:
    """As it was, but a slash command must not run what a text holds (Claude Code runs !`…`)."""
    kept = "".join(c if c.isprintable() or c == "\n" else " " for c in text)
    return re.sub(r"!+(?=`)", "", kept)


def _inert(text: str) -> str:
    """On one line; CLAUDE.md must not import what a text names (`@path` does, outside of backticks)."""
    return re.sub(r"(?<![\w`])@(?=[\w~./])", "", _quiet(_words(text))).replace("<", "‹").replace(">", "›")


_FILLING_WORDS = """
ok okay lets let us we you can could would please to the a an and this that it now then so yeah yes hmm also just i
"""
_FILLS = frozenset(_FILLING_WORDS.split())


def _slug(text: str) -> str:
    words = [word for word in re.findall(r"[^\W_]+", text.casefold()) if word not in _FILLS]
    return "-".join(words[:4])[:40].strip("-")
