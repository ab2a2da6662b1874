"""Writing proposals: what people and programs said is put down as data.

It stays on one line, and can neither run a command nor import a file where it is pasted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from axiommind.reports.analysers.evidence import HabitStep, Witness
from axiommind.reports.proposals.proposal import Proposal, Saving

__all__ = ["as_code", "command_file", "inert", "line", "listed", "on_one_line", "slug", "step_text"]

_FILLING_WORDS = """
ok okay lets let us we you can could would please to the a an and this that it now then so yeah yes hmm also just i
arguments
"""
_FILLS = frozenset(_FILLING_WORDS.split())


def line(title: str, why: str, text: str, witnesses: tuple[Witness, ...], saves: Saving, *marks: str) -> Proposal:
    """A line for CLAUDE.md."""
    return Proposal("claude-md", "CLAUDE.md", title, why, text, "markdown", marks, witnesses, saves)


def command_file(
    name: str,
    body: str,
    steps: Sequence[HabitStep],
    slots: Sequence[str],
    why: str,
    witnesses: tuple[Witness, ...],
    saves: Saving,
) -> Proposal:
    """A slash command."""
    allowed = [f"Bash({step.what}:*)" for step in steps if not step.is_edit]
    head = [f"description: {json.dumps(on_one_line(body)[:80], ensure_ascii=False)}"]
    if slots:
        head.append(f"argument-hint: {json.dumps(' '.join(f'[{slot}]' for slot in slots))}")
    if allowed:
        head.append(f"allowed-tools: {', '.join(allowed)}")
    text = ["---", *head, "---", _quiet(body)]
    if steps:
        text += ["", "The usual steps here: " + ", then ".join(step_text(step) for step in steps) + "."]
    return Proposal(
        "command",
        f".claude/commands/{name}.md",
        f"A slash command `/{name}`",
        why,
        "\n".join(text),
        "markdown",
        (),
        witnesses,
        saves,
    )


def step_text(step: HabitStep) -> str:
    named = f"`{as_code(step.what)}`"
    return f"edit {named}" if step.is_edit else named


def listed(names: Sequence[str]) -> str:
    coded = [f"`{as_code(name)}`" for name in names]
    return f"{', '.join(coded[:-1])} and {coded[-1]}"


def on_one_line(text: str) -> str:
    """On one line, without what cannot be printed."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def as_code(text: str) -> str:
    """As it can stand between backticks."""
    return on_one_line(text).replace("`", "'")


def _quiet(text: str) -> str:
    """As it was, but a slash command must not run what a text holds (Claude Code runs !`…`)."""
    kept = "".join(c if c.isprintable() or c == "\n" else " " for c in text)
    return re.sub(r"!+(?=`)", "", kept)


def inert(text: str) -> str:
    """On one line; CLAUDE.md must not import what a text names (`@path` does, outside of backticks)."""
    plain = re.sub(r"(?<![\w`])@(?=[\w~./])", "", _quiet(on_one_line(text)))
    return plain.replace("<", "‹").replace(">", "›")


def slug(text: str) -> str:
    words = [word for word in re.findall(r"[^\W_]+", re.sub(r"\$\d", " ", text).casefold()) if word not in _FILLS]
    return "-".join(words[:4])[:40].strip("-")
