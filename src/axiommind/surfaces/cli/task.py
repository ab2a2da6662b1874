"""`axm task`: one task in full, and a person's word about it."""

from __future__ import annotations

import argparse

from axiommind.learning.drafts import PRIORITIES, TASK_STATUSES
from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import tasks as shown
from axiommind.surfaces.render.entries import one_line, words_of

HELP = "Show a task with what it waits for and everything that happened to it, or set its status or priority."
_EPILOG = """examples:
  axm task show tsk_1ac1f1a1
  axm task set tsk_1ac1f1a1 --status done
  axm task set tsk_1ac1f1a1 --priority high

A task goes pending → in_progress → done; it may be blocked on the way, or cancelled. Done and cancelled are final.
"""
_SHOW = """example:
  axm task show tsk_1ac1f1a1          its history, with the lines where each thing was said
"""
_SET = """examples:
  axm task set tsk_1ac1f1a1 --status done
  axm task set tsk_1ac1f1a1 --status blocked --priority high
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    options.add_json(parser)
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True, help="what to do")
    show = options.action(parser, actions, "show", "Show one task in full.", _SHOW)
    change = options.action(parser, actions, "set", "Say what a task's status or priority is.", _SET)
    for sub in (show, change):
        sub.add_argument("id", metavar="ID", help="its id, or the beginning of it")
    change.add_argument("--status", choices=TASK_STATUSES, help="what it is now")
    change.add_argument("--priority", choices=(*PRIORITIES, "none"), help="how urgent it is")
    change.set_defaults(sub=change)


def run(args: argparse.Namespace) -> int:
    if args.action == "set" and not (args.status or args.priority):
        args.sub.error("give --status or --priority")
    memory = Memory()
    options.require(memory)
    return _set(memory, args) if args.action == "set" else _show(memory, args)


def _show(memory: Memory, args: argparse.Namespace) -> int:
    detail = memory.tasks.show(args.id)
    if args.json:
        options.print_json("task", shown.task_detail_json(detail))
    else:
        print(shown.task_as_text(detail))
    return 0


def _set(memory: Memory, args: argparse.Namespace) -> int:
    before = memory.tasks.show(args.id).task
    detail = memory.tasks.set(args.id, status=args.status, priority=args.priority)
    after = detail.task
    if args.json:
        options.print_json("task", shown.task_detail_json(detail))
    else:
        changes = []
        if after.status != before.status:
            changes.append(f"{words_of(before.status)} → {words_of(after.status)}")
        if after.priority != before.priority:
            changes.append(f"priority {before.priority or 'none'} → {after.priority or 'none'}")
        print(f"{after.task_id}  {', '.join(changes)}")
    options.say(f"Set: {one_line(after.title)}")
    undo = _undo(before.status, after.status, before.priority, after.priority)
    if undo:
        options.say(f"To undo: axm task set {after.task_id} {undo}")
    elif after.status != before.status and after.status in ("done", "cancelled"):
        options.say(f"{words_of(after.status).capitalize()} is final; the same title in a session starts a new task")
    return 0


def _undo(status: str, now: str, priority: str | None, priority_now: str | None) -> str:
    """What sets it back; nothing when the table of transitions does not lead there."""
    from axiommind.projections.task_fold import TRANSITIONS

    if status != now and status not in TRANSITIONS[now]:
        return ""
    back = [f"--status {status}"] if status != now else []
    return " ".join([*back, *([f"--priority {priority or 'none'}"] if priority != priority_now else [])])
