"""Texts that two machines made of one version, for people: whose they are, and one text with marks between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from axiommind.surfaces.render import tables as render
from axiommind.surfaces.render.scratchpads import ended, short, stamp

if TYPE_CHECKING:
    from axiommind.projections.scratchpad_rows import ScratchpadRow
    from axiommind.scratchpads.values import ScratchpadConflict

__all__ = ["MARKS", "conflict_name", "conflict_note", "descriptions_as_text", "with_marks"]

# What stands between texts that are to be made one, as programs for versions of code mark it.
MARKS = ("<<<<<<< ", "=======", ">>>>>>> ")


def conflict_name(one: ScratchpadConflict) -> str:
    """Where a text beside another is from."""
    return f"written {f'on {one.machine}' if one.machine else 'here'} at {stamp(one.at)} by {one.actor}"


def conflict_note(row: ScratchpadRow) -> str:
    texts = render.counted(row.conflicts, "other text")
    how = f"axm pad resolve {short(row.id)} shows and settles it"
    return f"Two machines changed it at once: {texts} beside this one. {how}"


def with_marks(text: str, others: Sequence[ScratchpadConflict]) -> str:
    """A text with what the others have instead, marked where they differ."""
    from difflib import SequenceMatcher

    for one in others:
        mine, theirs = ended(text), ended(one.text)
        parts: list[str] = []
        for what, a, b, c, d in SequenceMatcher(None, mine, theirs, autojunk=False).get_opcodes():
            if what == "equal":
                parts += mine[a:b]
                continue
            name = f"{MARKS[2]}text {one.number}, {conflict_name(one)}\n"
            sides = (f"{MARKS[0]}current text\n", *mine[a:b], f"{MARKS[1]}\n", *theirs[c:d], name)
            parts += [side if side.endswith("\n") else f"{side}\n" for side in sides]
        text = "".join(parts)
    return text


def descriptions_as_text(beside: Sequence[ScratchpadConflict]) -> str:
    """The descriptions beside that of a workflow."""
    return "\n\n".join(
        f"Two machines described it at once. {conflict_name(one).capitalize()}:\n\n{render.printable(one.text)}"
        for one in beside
    )
