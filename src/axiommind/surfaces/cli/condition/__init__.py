"""`axm condition`: what tasks wait for."""

HELP = "Resolve the conditions that tasks wait for"
GROUP = "work"
EPILOG = """examples:
  axm task blocked                                     shows open conditions
  axm condition resolve cond_5b2f --to tsk_1ac1f1a1
  axm condition list
"""
