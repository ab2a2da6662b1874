"""`axm entry`: what was learned."""

HELP = "List, inspect and correct what was learned"
GROUP = "remember"
EVERYDAY = 8
EPILOG = """examples:
  axm entry list --type decision
  axm entry show ent_ca375937
  axm entry deprecate ent_ca375937 --reason "we moved to Postgres"

Stages, lowest first: raw, working, candidate (its evidence was found), verified (checked, nothing contradicts
it, and it rests on a person's words or a check that passed), certified (in use for a long time, or vouched for).
"""
