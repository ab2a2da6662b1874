"""How far a claim of a model or an agent is believed: a lower bound of how often such claims are right.

It begins with what readers found in recorded answers, and every claim that a person promotes or rejects counts from
then on. The bound is Wilson's, so that a few judgements cannot claim much.
"""

from __future__ import annotations

import sqlite3
from math import sqrt

from axiommind.projections.entry_rows import STAGES

__all__ = ["PRIOR", "trust", "wilson"]

# (right, of how many): of 144 claims of a capable model on 29 labelled sessions, 119 were labelled worth having
# (`bench/extract.py --alone`). That share, rounded down, and at the weight of 25 only, so that a person's judgements
# soon outweigh it. A model that nobody has judged yet is believed as far as this lets one say, which is 0.68.
PRIOR = (20, 25)
_Z = 1.28  # nine times in ten the true share is above the bound
# The claims of a model that a person has judged, each counted once however many sessions make it: those the person
# vouched for (the last word raised it), and those rejected.
_JUDGED = """
    select
        count(distinct e.value_key) filter (
            where e.status <> 'deprecated'
              and (select instr(:stages, p.to_stage) > instr(:stages, p.from_stage)
                   from promotions p
                   where p.entry_id = e.entry_id and p.actor = 'user'
                   order by p.id desc
                   limit 1)),
        count(distinct e.value_key) filter (where e.status = 'deprecated')
    from entries e
    where e.rule = :rule
"""


def wilson(right: int, total: int) -> float:
    """The lower bound of a share of which `right` of `total` were seen."""
    if not total:
        return 0.0
    share, square = right / total, _Z * _Z
    spread = _Z * sqrt(share * (1 - share) / total + square / (4 * total * total))
    return (share + square / (2 * total) - spread) / (1 + square / total)


def trust(db: sqlite3.Connection, rule: str) -> float:
    """How far the claims of a model, or of agents, are believed now."""
    right, wrong = db.execute(_JUDGED, {"rule": rule, "stages": " ".join(STAGES)}).fetchone()
    return round(wilson(PRIOR[0] + int(right), PRIOR[1] + int(right) + int(wrong)), 4)
