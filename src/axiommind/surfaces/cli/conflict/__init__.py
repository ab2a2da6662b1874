"""`axm conflict`: claims that contradict each other."""

HELP = "List claims that contradict each other, and settle one"
GROUP = "remember"
EPILOG = """examples:
  axm conflict list
  axm conflict settle cfl_1f0a22c4 --keep ent_ca375937 --reason "measured again"
"""
