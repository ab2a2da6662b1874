"""`axm proposal`: what agents asked for that counts only from a person."""

HELP = "List, confirm and decline what agents asked for"
GROUP = "remember"
EPILOG = """examples:
  axm proposal list
  axm proposal show prp_5f0a22c4
  axm proposal confirm prp_5f0a22c4
  axm proposal decline prp_5f0a22c4 --reason "it still holds"

An agent cannot raise, lower, decide or delete anything. What it asks for waits here, and nothing of it is done before a
person confirms it. axm review goes through them one by one.
"""
