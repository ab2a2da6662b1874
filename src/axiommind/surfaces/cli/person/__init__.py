"""`axm person`: who counts as a person, and the tokens that prove it where there is no terminal."""

HELP = "Show who you are taken for; make and revoke tokens"
GROUP = "keep safe"
EPILOG = """examples:
  axm person status
  axm person token --name nightly --expires 90d
  AXM_PERSON_TOKEN=… axm forget --session 3e1c26d3 --yes
  axm person revoke nightly

A person is whoever types in a terminal that no agent runs, or passes a token in AXM_PERSON_TOKEN. Everybody else is an
agent: what it asks to raise, lower, decide or delete waits as a proposal. This stops mistakes and persuasion; it stops
no malicious program that runs as you.
"""
