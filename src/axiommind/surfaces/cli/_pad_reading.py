"""The actions of `axm pad` that read: a text, its outline, its end, matching lines, its history, lists and searches."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from axiommind.errors import UsageError
from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.cli import _texts as texts
from axiommind.surfaces.cli._working_memory import Listing, print_list
from axiommind.surfaces.render import scratchpads as shown
from axiommind.surfaces.render import tables as render
from axiommind.surfaces.render.entries import one_line

if TYPE_CHECKING:
    from axiommind.projections.scratchpad_rows import ScratchpadText

__all__ = ["ACTIONS", "configure"]

_TAIL_LINES = 50


def configure(action: Any) -> None:
    show = action("show", "Print the text of a scratchpad, unchanged.")
    show.add_argument(
        "--at", metavar="VERSION|TIME", help="an older version: 3, -1 (the previous one), yesterday, 2026-01-31"
    )
    show.add_argument("--lines", type=texts.line_range, metavar="A-B", help="only these lines (A- means to the end)")
    show.add_argument("--numbers", action="store_true", help="with line numbers")
    action("outline", "Print its headings with their line numbers.")
    tail = action("tail", f"Print its end ({_TAIL_LINES} lines).")
    which = tail.add_mutually_exclusive_group()
    which.add_argument("--lines", type=options.count, metavar="N", help="so many lines")
    which.add_argument("--chars", type=options.count, metavar="N", help="so many characters")
    which.add_argument("--blocks", type=options.count, metavar="N", help="so many blocks, as they were appended")
    grep = action("grep", "Print its lines that contain a text, with the lines around them.")
    grep.add_argument("pattern", metavar="PATTERN", help="the text to look for, ignoring case")
    grep.add_argument("--regex", action="store_true", help="PATTERN is a regular expression")
    grep.add_argument(
        "--context", type=_number, default=2, metavar="N", help="so many lines around a match (default 2)"
    )
    options.add_limit(grep, "matches", 20)
    action("history", "List its versions, newest first.")
    diff = action("diff", "Print the changes between two versions as a unified diff (default: the last change).")
    diff.add_argument(
        "--from", dest="old", metavar="VERSION|TIME", help="default: the previous version; 0 is the empty text"
    )
    diff.add_argument("--to", dest="new", metavar="VERSION|TIME", help="default: the current version")


def _number(text: str) -> int:
    if text.isdecimal() and int(text) <= 50:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 50")


def _show(memory: Memory, args: argparse.Namespace) -> int:
    found = memory.scratchpads.show(args.id) if args.at is None else memory.scratchpads.at(args.id, args.at)
    part = shown.between(found.text, *(args.lines or (1, None)))
    if args.lines and args.lines[0] > max(found.row.lines, 1):
        raise UsageError(f"--lines: it has {render.counted(found.row.lines, 'line')}")
    return _print(found, part, args)


def _tail(memory: Memory, args: argparse.Namespace) -> int:
    found = memory.scratchpads.show(args.id)
    if args.chars:
        part = shown.last_chars(found.text, args.chars)
    elif args.blocks:
        part = shown.last_blocks(found.text, args.blocks)
    else:
        part = shown.last_lines(found.text, args.lines or _TAIL_LINES)
    return _print(found, part, args)


def _print(found: ScratchpadText, part: shown.Excerpt, args: argparse.Namespace) -> int:
    """Print the text unchanged into a pipe; a terminal gets no control characters."""
    if args.json:
        lines = {"line_start": part.line_start, "line_end": part.line_end}
        options.print_json("pad", {"scratchpad": found.row._asdict(), **lines, "content": part.text})
        return 0
    options.say(shown.scratchpad_heading(found.row))
    if found.row.conflicts:
        from axiommind.surfaces.render.scratchpad_conflicts import conflict_note

        options.say(conflict_note(found.row))
    text = shown.numbered(part) if getattr(args, "numbers", False) else part.text
    if sys.stdout.isatty():
        text = render.printable(text)
        text += "" if text.endswith("\n") or not text else "\n"
    sys.stdout.write(text)
    return 0


def _outline(memory: Memory, args: argparse.Namespace) -> int:
    found = memory.scratchpads.show(args.id)
    headings = shown.outline_json(found.text)
    if args.json:
        options.print_json("pad.outline", {"scratchpad": found.row._asdict(), "outline": headings})
        return 0
    options.say(shown.scratchpad_heading(found.row))
    if headings:
        print(shown.outline_as_text(found))
    else:
        options.say("There are no headings.")
    return 0


def _list(memory: Memory, args: argparse.Namespace) -> int:
    listing = Listing(
        schema="pads",
        key="scratchpads",
        rows=lambda project, limit: memory.scratchpads.list(workflow=args.workflow, project=project, limit=limit),
        table=shown.scratchpads_table,
        filter=None if args.workflow is None else f"in workflow {args.workflow}",
        hint="axm pad create WORKFLOW TITLE makes one",
    )
    return print_list(memory, args, listing)


def _search(memory: Memory, args: argparse.Namespace) -> int:
    page = memory.scratchpads.search(
        " ".join(args.query), workflow=args.workflow, project_scope=args.scope, limit=args.limit, cursor=args.cursor
    )
    if args.json:
        options.print_json("pad.search", shown.scratchpad_page_json(page))
    elif page.results:
        print(shown.scratchpad_page_as_text(page))
        if page.next_cursor:
            options.say(f"More: --cursor {page.next_cursor}")
    if page.results:
        return 0
    options.say("No scratchpad contains any of these words.")
    return 1


def _grep(memory: Memory, args: argparse.Namespace) -> int:
    asked = {"regex": args.pattern} if args.regex else {"query": args.pattern}
    found = memory.scratchpads.search_lines(args.id, **asked, context=args.context, limit=args.limit)
    if args.json:
        options.print_json("pad.grep", shown.matches_json(found))
    elif found.ranges:
        print(render.printable("\n--\n".join(one.text for one in found.ranges)))
    if not found.matches:
        options.say(f"No line of {one_line(found.scratchpad.title)} matches.")
    elif found.truncated:
        options.say(f"{render.counted(found.total_matches, 'line')} match; -k 50 shows more")
    return 0 if found.matches else 1


def _history(memory: Memory, args: argparse.Namespace) -> int:
    scratchpad = memory.scratchpads.show(args.id).row
    found = memory.scratchpads.history(scratchpad.id)
    if args.json:
        versions = [one._asdict() for one in found]
        options.print_json("pad.history", {"scratchpad": scratchpad._asdict(), "versions": versions})
        return 0
    options.say(shown.scratchpad_heading(scratchpad))
    print(shown.history_table(found))
    options.say(f"To see one: axm pad show {shown.short(scratchpad.id)} --at VERSION")
    return 0


def _diff(memory: Memory, args: argparse.Namespace) -> int:
    new = memory.scratchpads.show(args.id) if args.new is None else memory.scratchpads.at(args.id, args.new)
    scratchpad = new.row
    before = str(scratchpad.version - 1) if args.old is None else args.old.strip()
    old, name = "", "nothing"
    if before != "0":
        earlier = memory.scratchpads.at(scratchpad.id, before)
        old, name = earlier.text, f"version {earlier.row.version}"
    now = f"version {scratchpad.version}"
    found = shown.difference(old, new.text, (f"{scratchpad.id} {name}", f"{scratchpad.id} {now}"))
    if args.json:
        options.print_json("pad.diff", {"id": scratchpad.id, "from": name, "to": now, "diff": found})
    else:
        sys.stdout.write(render.printable(found))
    if not found:
        options.say(f"{name.capitalize()} and {now} have the same text.")
    return 0


ACTIONS = {
    "show": _show,
    "outline": _outline,
    "tail": _tail,
    "list": _list,
    "search": _search,
    "grep": _grep,
    "history": _history,
    "diff": _diff,
}
