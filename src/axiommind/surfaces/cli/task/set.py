"""`axm task set`: a person sets the status or the priority of a task."""

from __future__ import annotations

import argparse

from axiommind.memory import Memory
from axiommind.projections.task_fold import PRIORITIES, TASK_STATUSES
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import tasks as shown
from axiommind.surfaces.render.entries import one_line, words_of

HELP = "Set the status or the priority of a task"
_EPILOG = """examples:
  axm task set tsk_1ac1f1a1 --status done
  axm task set tsk_1ac1f1a1 --status blocked --priority high
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("id", metavar="ID", help="the task's id or its start")
    parser.add_argument("--status", choices=TASK_STATUSES, help="the new status")
    parser.add_argument("--priority", choices=(*PRIORITIES, "none"), help="the new priority")
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    if not (args.status or args.priority):
        args.parser.error("give --status or --priority")
    memory = Memory()
    options.require(memory)
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
