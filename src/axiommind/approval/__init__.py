"""Approval: what counts only from a person. An agent that asks for it makes a proposal, which a person confirms or
declines.

    request      `requests`: an act of the library with its arguments, in words too
    asked        `proposing`: a person goes ahead; for an agent an event is written, and nothing else
    decided      `proposals`: listed, confirmed (and done then, as the person's) or declined
"""
