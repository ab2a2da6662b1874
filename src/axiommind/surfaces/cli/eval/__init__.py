"""`axm eval`: how well search and hooks do on your own questions and your own past."""

HELP = "Measure search and hooks on your own data"
GROUP = "ask"
EPILOG = """examples:
  axm eval golden queries.yaml
  axm eval replay --since 30d
"""
