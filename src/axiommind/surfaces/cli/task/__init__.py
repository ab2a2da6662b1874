"""`axm task`: what is to be done."""

HELP = "List tasks, inspect one, set its status or reopen it"
GROUP = "work"
EVERYDAY = 9
EPILOG = """examples:
  axm task list
  axm task blocked
  axm task show tsk_1ac1f1a1
  axm task set tsk_1ac1f1a1 --status done
  axm task reopen tsk_1ac1f1a1

A task moves from pending to in_progress to done; it may be blocked on the way, or cancelled. What is done or cancelled
can be reopened.
"""
