"""`axm task set`: a person sets the status or the priority of a task."""

from __future__ import annotations

import argparse

from axiommind.learning.tasks.changes import transition_path
from axiommind.memory import Memory
from axiommind.projections.task_fold import CLOSED, PRIORITIES, TASK_STATUSES
from axiommind.projections.task_rows import TaskRow
from axiommind.surfaces.cli import _options as options
from axiommind.surfaces.render import tasks as shown
from axiommind.surfaces.render.entries import one_line, words_of

HELP = "Set the status or the priority of a task"
CALLER = "proposal: it decides"
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
    detail = memory.tasks.set(args.id, status=args.status, priority=args.priority, caller=memory.identify())
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
    if undo := _undo(before, after):
        options.say(f"To undo: axm task {undo}")
    return 0


def _undo(before: TaskRow, after: TaskRow) -> str:
    """What sets it back; nothing when the table of transitions does not lead there."""
    back = [f"--priority {before.priority or 'none'}"] if before.priority != after.priority else []
    if before.status != after.status:
        if before.status not in TASK_STATUSES or transition_path(after.status, before.status) is None:
            return ""
        if before.status == "pending" and after.status in CLOSED and not back:
            return f"reopen {after.task_id}"
        back.insert(0, f"--status {before.status}")
    return f"set {after.task_id} {' '.join(back)}"
