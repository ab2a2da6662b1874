"""`axm pad`: scratchpads from the shell. What is printed is the text itself; every write can be taken back."""

from __future__ import annotations

import argparse
import re
import sys
from typing import TYPE_CHECKING, Any

from axiommind.errors import UsageError
from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.cli import _texts as texts
from axiommind.surfaces.cli import workflow
from axiommind.surfaces.render import scratchpads as shown
from axiommind.surfaces.render import tables as render
from axiommind.surfaces.render.entries import one_line

if TYPE_CHECKING:
    from axiommind.projections.scratchpad_rows import ScratchpadText
    from axiommind.scratchpads.values import WrittenScratchpad

HELP = "Write, edit, search and version scratchpads"
GROUP = "work"
_EPILOG = """examples:
  axm pad create wf_01kamhz3f0ab "Findings" notes.md
  pytest 2>&1 | axm pad append pad_01kamhz4k2qd
  axm pad show pad_01kamhz4k2qd --lines 10-40 --numbers
  axm pad edit pad_01kamhz4k2qd                      in $VISUAL or $EDITOR
  axm pad search "row level security"
  axm pad history pad_01kamhz4k2qd
  axm pad restore pad_01kamhz4k2qd --at 3

A text comes from an argument, from --file, or from a pipe. Nothing is lost by a write: history has every version, and
restore brings one back. --version N writes only on top of version N (exit code 3 when somebody else was quicker).
axm forget --pad ID purges one with all its versions.
"""
_TAIL_LINES = 50
_RANGE = re.compile(r"(\d{1,9})(?:(-)(\d{1,9})?)?")


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    options.add_json(parser)
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True, help="what to do")

    def action(name: str, text: str, epilog: str = "") -> argparse.ArgumentParser:
        sub = options.action(parser, actions, name, text, epilog)
        sub.add_argument("id", type=texts.plain, metavar="ID", help="the scratchpad's id, or the beginning of it")
        return sub

    _configure_reading(action)
    _configure_writing(action)

    create = options.action(parser, actions, "create", "Make a scratchpad in a workflow, and print its id.")
    create.add_argument(
        "workflow", type=texts.plain, metavar="WORKFLOW", help="the workflow's id, or the beginning of it"
    )
    create.add_argument("title", metavar="TITLE", help="what it is called, in quotes")
    given = create.add_mutually_exclusive_group()
    given.add_argument("source", nargs="?", metavar="FILE|-", help="its text; - is stdin; at a terminal: $EDITOR")
    given.add_argument("--text", help="its text")
    texts.take_late(create, "source")

    listed = options.action(parser, actions, "list", "List scratchpads: a workflow's, or the latest changed.")
    listed.add_argument(
        "--workflow", type=texts.plain, metavar="ID", help="those of this workflow, in the order they were made"
    )
    options.add_limit(listed, "scratchpads", 50)
    options.add_scope(listed)

    search = options.action(parser, actions, "search", "Search scratchpads by the words in their titles and texts.")
    search.add_argument("query", nargs="+", metavar="QUERY", help="words, in any language")
    search.add_argument("--workflow", type=texts.plain, metavar="ID", help="in this workflow")
    search.add_argument("--scope", type=texts.plain, metavar="TEXT", help="in workflows of exactly this scope")
    search.add_argument("--cursor", help="the next page: the next_cursor of the last one")
    options.add_limit(search, "scratchpads", 20)


def _configure_reading(action: Any) -> None:
    show = action("show", "Print the text of a scratchpad, exactly.")
    show.add_argument("--at", metavar="VERSION|TIME", help="as it was: 3, -1 (the one before), yesterday, 2026-01-31")
    show.add_argument("--lines", type=_lines, metavar="A-B", help="only these lines (A- is to the end)")
    show.add_argument("--numbers", action="store_true", help="with line numbers")
    action("outline", "Print its headings, with their lines.")
    tail = action("tail", f"Print the end of it ({_TAIL_LINES} lines).")
    which = tail.add_mutually_exclusive_group()
    which.add_argument("--lines", type=options.count, metavar="N", help="so many lines")
    which.add_argument("--chars", type=options.count, metavar="N", help="so many characters")
    which.add_argument("--blocks", type=options.count, metavar="N", help="so many blocks, as they were appended")
    grep = action("grep", "Print the lines of it that hold a text, with lines around them.")
    grep.add_argument("pattern", metavar="PATTERN", help="what is looked for, as it is (upper or lower case)")
    grep.add_argument("--regex", action="store_true", help="it is a regular expression")
    grep.add_argument("--context", type=_number, default=2, metavar="N", help="so many lines around (default 2)")
    options.add_limit(grep, "matches", 20)
    action("history", "List its versions, the newest first.")
    diff = action("diff", "Print what changed between two versions, as a unified diff (default: the last change).")
    diff.add_argument("--from", dest="old", metavar="VERSION|TIME", help="default: the one before; 0 is nothing")
    diff.add_argument("--to", dest="new", metavar="VERSION|TIME", help="default: as it is now")


def _configure_writing(action: Any) -> None:
    append = action("append", "Add a block of text at the end. Others may do so at the same time.")
    replace = action("replace", "Put another text in the place of the whole one.")
    insert = action("insert", "Put lines before a line.")
    insert.add_argument("--line", type=options.count, required=True, metavar="N", help="before this line")
    lines = action("replace-lines", "Put other lines in the place of some; an empty text takes them out.")
    lines.add_argument("--lines", type=_lines, required=True, metavar="A-B", help="these lines, both included")
    section = action("section", "Add lines at the end of a section; where there is none, a new one is made.")
    section.add_argument("heading", metavar="HEADING", help="the section's heading")
    for sub in (append, replace, insert, lines, section):
        texts.add_text(sub)
    edit = action("edit", "Change it in $VISUAL or $EDITOR.")
    chop = action("chop", "Take lines away at the end.")
    chop.add_argument("--lines", type=options.count, default=1, metavar="N", help="so many (default 1)")
    rename = action("rename", "Give it another title.")
    rename.add_argument("title", metavar="TITLE", help="in quotes")
    restore = action("restore", "Make an old version the newest one.")
    restore.add_argument("--at", required=True, metavar="VERSION|TIME", help="3, -1 (the one before), yesterday")
    for sub in (append, replace, insert, lines, section, edit, chop, rename, restore):
        sub.add_argument(
            "--version", dest="expect", type=options.count, metavar="N", help="only if this is still its version"
        )


def _lines(text: str) -> tuple[int, int | None]:
    """`3-9`, `3-` (to the end) or `3`."""
    found = _RANGE.fullmatch(text.strip())
    if found is None or int(found[1]) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not such as 3-9, 3- or 3 (lines are counted from 1)")
    first = int(found[1])
    last = first if found[2] is None else None if found[3] is None else int(found[3])
    if last is not None and last < first:
        raise argparse.ArgumentTypeError(f"{text!r}: the last line is before the first")
    return first, last


def _number(text: str) -> int:
    if text.isdecimal() and int(text) <= 50:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 50")


def run(args: argparse.Namespace) -> int:
    memory = Memory()
    if args.action in _READS:
        return _READS[args.action](memory, args)
    return _say(_WRITES[args.action](memory, args), args)


# --- reading -----------------------------------------------------------------------------------------------


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
    """The text as it is: what is piped on is not changed; a terminal gets no control characters."""
    if args.json:
        lines = {"line_start": part.line_start, "line_end": part.line_end}
        options.print_json("pad", {"scratchpad": found.row._asdict(), **lines, "content": part.text})
        return 0
    options.say(shown.scratchpad_heading(found.row))
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
        options.say("It has no headings.")
    return 0


def _list(memory: Memory, args: argparse.Namespace) -> int:
    project = None if args.workflow is not None else workflow.project_of_list(memory, args)
    limit = args.limit + 1
    found = memory.scratchpads.list(workflow=args.workflow, project=project, limit=limit)
    if not found and project is not None and args.project is None:
        project, found = None, memory.scratchpads.list(limit=limit)
    found, more = options.first(found, args.limit)
    if args.json:
        rows = [row._asdict() for row in found]
        options.print_json("pads", {"project": project, "scratchpads": rows, "truncated": more})
    elif found:
        print(shown.scratchpads_table(found))
        if more:
            options.say_more(args.limit)
    if found:
        return 0
    where = f" in workflow {args.workflow}" if args.workflow else f" in {project}" if project else ""
    options.say(f"No scratchpads{where}.")
    options.say("  hint: axm pad create WORKFLOW TITLE makes one")
    return 1


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
    options.say("No scratchpad has any of these words.")
    return 1


def _grep(memory: Memory, args: argparse.Namespace) -> int:
    asked = {"regex": args.pattern} if args.regex else {"query": args.pattern}
    found = memory.scratchpads.search_lines(args.id, **asked, context=args.context, limit=args.limit)
    if args.json:
        options.print_json("pad.grep", shown.matches_json(found))
    elif found.ranges:
        print(render.printable("\n--\n".join(one.text for one in found.ranges)))
    if not found.matches:
        options.say(f"No line of {one_line(found.scratchpad.title)} has it.")
    elif found.truncated:
        options.say(f"{render.counted(found.total_matches, 'line')} match; -k 50 shows more of them")
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
    options.say(f"One of them: axm pad show {shown.short(scratchpad.id)} --at VERSION")
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


# --- writing -----------------------------------------------------------------------------------------------


def _create(memory: Memory, args: argparse.Namespace) -> WrittenScratchpad:
    if args.text is not None:
        text = args.text
    elif args.source is not None:
        text = texts.read_file(args.source)
    elif not texts.at_terminal():
        text = texts.read_stdin()
    else:
        memory.workflows.show(args.workflow)  # before anybody writes a text for one that is not there
        draft = texts.Draft("")
        text = draft.edit()
        if not text.strip():
            draft.drop()
            raise UsageError("the text is empty: nothing was made", hint='--text "" makes an empty scratchpad')
        with draft.kept():
            return memory.scratchpads.create(args.workflow, args.title, text, actor=memory.home.actor)
    return memory.scratchpads.create(args.workflow, args.title, text, actor=memory.home.actor)


def _append(memory: Memory, args: argparse.Namespace) -> WrittenScratchpad:
    return memory.scratchpads.append(args.id, texts.text_of(args), expect=args.expect, actor=memory.home.actor)


def _replace(memory: Memory, args: argparse.Namespace) -> WrittenScratchpad:
    return memory.scratchpads.replace(args.id, texts.text_of(args), expect=args.expect, actor=memory.home.actor)


def _insert(memory: Memory, args: argparse.Namespace) -> WrittenScratchpad:
    return memory.scratchpads.insert(
        args.id, args.line, texts.text_of(args), expect=args.expect, actor=memory.home.actor
    )


def _replace_lines(memory: Memory, args: argparse.Namespace) -> WrittenScratchpad:
    first, last = args.lines
    text, expect = texts.text_of(args), args.expect
    if last is None:
        scratchpad = memory.scratchpads.show(args.id).row
        last, expect = max(scratchpad.lines, first), scratchpad.version if expect is None else expect
    return memory.scratchpads.replace_lines(args.id, first, last, text, expect=expect, actor=memory.home.actor)


def _section(memory: Memory, args: argparse.Namespace) -> WrittenScratchpad:
    return memory.scratchpads.append_section(
        args.id, args.heading, texts.text_of(args), expect=args.expect, actor=memory.home.actor
    )


def _chop(memory: Memory, args: argparse.Namespace) -> WrittenScratchpad:
    return memory.scratchpads.chop(args.id, args.lines, expect=args.expect, actor=memory.home.actor)


def _rename(memory: Memory, args: argparse.Namespace) -> WrittenScratchpad:
    return memory.scratchpads.rename(args.id, args.title, expect=args.expect, actor=memory.home.actor)


def _restore(memory: Memory, args: argparse.Namespace) -> WrittenScratchpad:
    return memory.scratchpads.restore(args.id, args.at, expect=args.expect, actor=memory.home.actor)


def _edit(memory: Memory, args: argparse.Namespace) -> WrittenScratchpad | None:
    """The text in an editor, written back on top of the version that was opened."""
    from axiommind.text.edits import clean

    found = memory.scratchpads.show(args.id)
    if args.expect is not None and args.expect != found.row.version:
        from axiommind.scratchpads.writer import changed

        raise changed(found, args.expect)
    draft = texts.Draft(found.text)
    text = clean(draft.edit())
    # Most editors end the last line, which changes nothing.
    if text == found.text or (text == f"{found.text}\n" and not found.text.endswith("\n")):
        draft.drop()
        return None
    with draft.kept():
        return memory.scratchpads.replace(found.row.id, text, expect=found.row.version, actor=memory.home.actor)


def _say(done: WrittenScratchpad | None, args: argparse.Namespace) -> int:
    if done is None:
        options.say("Nothing was changed, and nothing was written.")
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
        options.say(f"axm pad restore {shown.short(scratchpad.id)} --at {at} brings back what was there")
    return 0


_READS = {
    "show": _show,
    "outline": _outline,
    "tail": _tail,
    "list": _list,
    "search": _search,
    "grep": _grep,
    "history": _history,
    "diff": _diff,
}
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
}
_DONE = {
    "create": "Made",
    "append": "Appended",
    "replace": "Replaced",
    "insert": "Inserted",
    "replace-lines": "Replaced",
    "section": "Added",
    "edit": "Written",
    "chop": "Chopped",
    "rename": "Renamed",
    "restore": "Restored",
}
