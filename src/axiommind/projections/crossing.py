"""What may leave its project: only what a person stands behind, never what tools, pages, pastes or agents said alone.

A claim crosses when it is in the person's own words, was recorded by a person, or was raised by one; a prompt when it
was typed, since a command line is given anybody's words; a document because a person added its folder (what an agent
notes for itself stays, and what a team mate has). Conditions for SQL, on an entry `e` and a passage `p`.
"""

from __future__ import annotations

from axiommind.model import HEADLESS
from axiommind.projections.entry_rows import BY_PERSON, STAGES

__all__ = ["ENTRY_CROSSES", "PASSAGE_CROSSES"]

_ORDER = f"'{' '.join(STAGES)}'"
# By the last word that a person said on its stage.
_VOUCHED = f"""
    coalesce((select instr({_ORDER}, o.to_stage) > instr({_ORDER}, o.from_stage)
              from promotions o
              where o.entry_id = e.entry_id and o.actor = 'user'
              order by o.id desc
              limit 1), 0)
"""
_TYPED = f"""
    (e.provenance = 'person'
     and not exists (select 1 from prompts h where h.session_id = e.session_id and h.origin = '{HEADLESS}'))
"""
ENTRY_CROSSES = f"({_TYPED} or e.rule = '{BY_PERSON}' or {_VOUCHED})"
PASSAGE_CROSSES = f"""
    (p.kind = 'doc' and p.provenance not in ('agent', 'teammate')
     or p.kind = 'prompt' and p.provenance = 'person'
        and not exists (select 1 from prompts h where h.id = p.ref and h.origin = '{HEADLESS}')
     or p.kind = 'insight' and exists (select 1 from entries e where e.id = p.ref and {ENTRY_CROSSES}))
"""
