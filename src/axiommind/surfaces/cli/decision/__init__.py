"""`axm decision`: what was decided, and on what evidence."""

HELP = "List decisions, show one, or record one with its evidence"
GROUP = "remember"
EPILOG = """examples:
  axm decision list
  axm decision make "Releases are signed in CI" --evidence ent_8250e35c
  axm decision show dec_01m7g043
"""
