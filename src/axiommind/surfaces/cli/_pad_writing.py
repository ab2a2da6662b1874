"""The actions of `axm pad` that write. Each prints the version it made, and how to undo it."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from axiommind.errors import UsageError
from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.cli import _pad_resolving as resolving
from axiommind.surfaces.cli import _texts as texts
from axiommind.surfaces.render import scratchpads as shown
from axiommind.surfaces.render import tables as render
from axiommind.surfaces.render.entries import one_line

if TYPE_CHECKING:
    from axiommind.scratchpads.values import WrittenScratchpad

__all__ = ["configure", "run"]


def configure(action: Any) -> None:
    append = action("append", "Append a block of text. Others may append at the same time.")
    replace = action("replace", "Replace the whole text.")
    insert = action("insert", "Insert lines before a line.")
    insert.add_argument("--line", type=options.count, required=True, metavar="N", help="before this line")
    lines = action("replace-lines", "Replace lines; an empty text removes them.")
    lines.add_argument(
        "--lines", type=texts.line_range, required=True, metavar="A-B", help="these lines, both ends included"
    )
    section = action("section", "Append lines to a section; a missing section is added.")
    section.add_argument("heading", metavar="HEADING", help="the section's heading")
    for sub in (append, replace, insert, lines, section):
        texts.add_text(sub)
    edit = action("edit", "Edit it in $VISUAL or $EDITOR.")
    chop = action("chop", "Remove lines from the end.")
    chop.add_argument("--lines", type=options.count, default=1, metavar="N", help="so many (default 1)")
    rename = action("rename", "Change its title.")
    rename.add_argument("title", metavar="TITLE", help="in quotes")
    restore = action("restore", "Make an old version the newest one.")
    restore.add_argument("--at", required=True, metavar="VERSION|TIME", help="3, -1 (the previous one), yesterday")
    resolve = resolving.configure(action)
    for sub in (append, replace, insert, lines, section, edit, chop, rename, restore, resolve):
        sub.add_argument(
            "--version",
            dest="expect",
            type=options.count,
            metavar="N",
            help="only if this is still the current version",
        )


def run(memory: Memory, args: argparse.Namespace) -> int:
    if args.action == "resolve" and args.keep is None and args.file is None and not args.edit:
        return resolving.print_conflicts(memory, args)
    return _say(_WRITES[args.action](memory, args), args)


def _create(memory: Memory, args: argparse.Namespace) -> WrittenScratchpad:
    if args.text is not None:
        text = args.text
    elif args.source is not None:
        text = texts.read_file(args.source)
    elif not texts.at_terminal():
        text = texts.read_stdin()
    else:
        memory.workflows.show(args.workflow)  # before anybody writes a text for a workflow that does not exist
        draft = texts.EditorDraft("")
        text = draft.edit()
        if not text.strip():
            draft.drop()
            raise UsageError("the text is empty: nothing was created", hint='--text "" makes an empty scratchpad')
        with draft.kept():
            return memory.scratchpads.create(args.workflow, args.title, text, actor=memory.identify().actor)
    return memory.scratchpads.create(args.workflow, args.title, text, actor=memory.identify().actor)


def _append(memory: Memory, args: argparse.Namespace) -> WrittenScratchpad:
    return memory.scratchpads.append(args.id, texts.text_of(args), expect=args.expect, actor=memory.identify().actor)


def _replace(memory: Memory, args: argparse.Namespace) -> WrittenScratchpad:
    return memory.scratchpads.replace(args.id, texts.text_of(args), expect=args.expect, actor=memory.identify().actor)


def _insert(memory: Memory, args: argparse.Namespace) -> WrittenScratchpad:
    return memory.scratchpads.insert(
        args.id, args.line, texts.text_of(args), expect=args.expect, actor=memory.identify().actor
    )


def _replace_lines(memory: Memory, args: argparse.Namespace) -> WrittenScratchpad:
    first, last = args.lines
    text, expect = texts.text_of(args), args.expect
    if last is None:
        scratchpad = memory.scratchpads.show(args.id).row
        last, expect = max(scratchpad.lines, first), scratchpad.version if expect is None else expect
    return memory.scratchpads.replace_lines(args.id, first, last, text, expect=expect, actor=memory.identify().actor)


def _section(memory: Memory, args: argparse.Namespace) -> WrittenScratchpad:
    return memory.scratchpads.append_section(
        args.id, args.heading, texts.text_of(args), expect=args.expect, actor=memory.identify().actor
    )


def _chop(memory: Memory, args: argparse.Namespace) -> WrittenScratchpad:
    return memory.scratchpads.chop(args.id, args.lines, expect=args.expect, actor=memory.identify().actor)


def _rename(memory: Memory, args: argparse.Namespace) -> WrittenScratchpad:
    return memory.scratchpads.rename(args.id, args.title, expect=args.expect, actor=memory.identify().actor)


def _restore(memory: Memory, args: argparse.Namespace) -> WrittenScratchpad:
    return memory.scratchpads.restore(args.id, args.at, expect=args.expect, actor=memory.identify().actor)


def _edit(memory: Memory, args: argparse.Namespace) -> WrittenScratchpad | None:
    """Open the text in an editor, and write it back on top of the version that was opened."""
    from axiommind.text.edits import clean

    found = memory.scratchpads.show(args.id)
    if args.expect is not None and args.expect != found.row.version:
        from axiommind.scratchpads.writer import changed

        raise changed(found, args.expect)
    draft = texts.EditorDraft(found.text)
    text = clean(draft.edit())
    # Most editors add a line break at the end, which is no change.
    if text == found.text or (text == f"{found.text}\n" and not found.text.endswith("\n")):
        draft.drop()
        return None
    with draft.kept():
        return memory.scratchpads.replace(found.row.id, text, expect=found.row.version, actor=memory.identify().actor)


def _say(done: WrittenScratchpad | None, args: argparse.Namespace) -> int:
    if done is None:
        options.say("Nothing changed, so nothing was written.")
        return 0
    scratchpad = done.row
    if args.json:
        options.print_json("pad.written", {"scratchpad": scratchpad._asdict(), "note": done.note})
    else:
        print(scratchpad.id if args.action == "create" else f"{scratchpad.id}  version {scratchpad.version}")
    now = "" if args.action == "create" else " now"
    options.say(f"{_DONE[args.action]}: {one_line(scratchpad.title)}, {render.counted(scratchpad.lines, 'line')}{now}")
    if done.note:
        options.say(f"Note: {done.note}")
    if scratchpad.version > 1:
        at = scratchpad.version - 1
        options.say(f"To undo: axm pad restore {shown.short(scratchpad.id)} --at {at}")
    return 0


_WRITES: dict[str, Any] = {
    "create": _create,
    "append": _append,
    "replace": _replace,
    "insert": _insert,
    "replace-lines": _replace_lines,
    "section": _section,
    "edit": _edit,
    "chop": _chop,
    "rename": _rename,
    "restore": _restore,
    "resolve": resolving.resolve,
}
_DONE = {
    "create": "Created",
    "append": "Appended",
    "replace": "Replaced",
    "insert": "Inserted",
    "replace-lines": "Replaced",
    "section": "Added",
    "edit": "Written",
    "chop": "Chopped",
    "rename": "Renamed",
    "restore": "Restored",
    "resolve": "Settled",
}
