"""`axm pad resolve`: the texts that two machines made of one version, side by side, and which of them stays."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from axiommind.errors import NotFound, UsageError
from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.cli import _texts as texts
from axiommind.surfaces.render import scratchpad_conflicts as beside
from axiommind.surfaces.render import scratchpads as shown
from axiommind.surfaces.render import tables as render

if TYPE_CHECKING:
    from axiommind.scratchpads.values import WrittenScratchpad

__all__ = ["configure", "print_conflicts", "resolve"]


def configure(action: Any) -> argparse.ArgumentParser:
    sub: argparse.ArgumentParser = action(
        "resolve",
        "Settle what two machines made of one version: both texts are kept until then.",
        "Without an option it prints the texts beside the current one, as changes of it, and exits with 3.",
    )
    how = sub.add_mutually_exclusive_group()
    how.add_argument("--keep", type=_number, metavar="N", help="keep text N; 0 is the current one")
    how.add_argument("--edit", action="store_true", help="in $VISUAL or $EDITOR, with all texts and marks between them")
    how.add_argument("--file", metavar="FILE|-", help="this text instead of them; - is stdin")
    return sub


def _number(text: str) -> int:
    if text.isdecimal() and len(text) < 4:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not the number of a text")


def print_conflicts(memory: Memory, args: argparse.Namespace) -> int:
    """Print what there is to settle."""
    current = memory.scratchpads.show(args.id)
    found = memory.scratchpads.conflicts(current.row.id)
    if args.json:
        rows = {"scratchpad": current.row._asdict(), "conflicts": [one._asdict() for one in found]}
        options.print_json("pad.conflicts", rows)
        return 3 if found else 0
    options.say(shown.scratchpad_heading(current.row))
    if not found:
        options.say("There is nothing to settle.")
        return 0
    for one in found:
        name = beside.conflict_name(one)
        options.say(f"Text {one.number}, {name}, as changes of the current one:")
        sys.stdout.write(render.printable(shown.difference(current.text, one.text, ("current", f"text {one.number}"))))
    short = shown.short(current.row.id)
    options.say(f"To settle: axm pad resolve {short} --keep 0 (the current text), --keep 1 …, --edit, or --file FILE")
    return 3


def resolve(memory: Memory, args: argparse.Namespace) -> WrittenScratchpad | None:
    """Make one text of them, and write it on top of the version that was looked at."""
    actor = memory.identify().actor
    current = memory.scratchpads.show(args.id)
    found = memory.scratchpads.conflicts(current.row.id)
    if not found:
        raise NotFound(f"scratchpad {current.row.id} has one text only", hint="there is nothing to settle")
    expect = current.row.version if args.expect is None else args.expect
    if args.keep is not None:
        texts_there = {0: current.text, **{one.number: one.text for one in found}}
        if args.keep not in texts_there:
            raise UsageError(f"there is no text {args.keep}", hint=f"it has 0 to {len(found)}")
        return memory.scratchpads.resolve(current.row.id, texts_there[args.keep], expect=expect, actor=actor)
    if args.file is not None:
        return memory.scratchpads.resolve(current.row.id, texts.read_file(args.file), expect=expect, actor=actor)
    draft = texts.EditorDraft(beside.with_marks(current.text, found))
    text = draft.edit()
    if any(line.startswith(beside.MARKS) for line in text.splitlines()):
        raise UsageError("marks of both texts are still in it: nothing was written", hint="take one side of each")
    with draft.kept():
        return memory.scratchpads.resolve(current.row.id, text, expect=expect, actor=actor)
