"""`axm task`: what is to be done."""

HELP = "List tasks, inspect one, or set its status"
GROUP = "work"
EVERYDAY = 9
EPILOG = """examples:
  axm task list
  axm task blocked
  axm task show tsk_1ac1f1a1
  axm task set tsk_1ac1f1a1 --status done

A task moves from pending to in_progress to done; it may be blocked on the way, or cancelled. Done and cancelled are
final.
"""
