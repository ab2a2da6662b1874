"""Checks of what waits for a person, and of the tokens by which persons are known."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping

from axiommind.callers.agents import agent_in_environment
from axiommind.callers.tokens import TOKEN_VARIABLE, PersonTokens
from axiommind.config import Config
from axiommind.errors import StoreError
from axiommind.health.check import Check
from axiommind.projections.proposal_rows import count_open_proposals
from axiommind.projections.scope import open_scoped

__all__ = ["check_proposals", "check_tokens"]


def check_proposals(config: Config) -> list[Check]:
    """What agents asked for, and nobody has decided."""
    if not config.index_path.exists():
        return []
    db = open_scoped(config.index_path, None)
    try:
        if db.execute("select 1 from sqlite_master where name = 'proposals'").fetchone() is None:
            return []  # of an older version, which the next index replaces
        count = count_open_proposals(db)
    finally:
        db.close()
    if not count:
        return []
    waits = "1 proposal of an agent waits" if count == 1 else f"{count} proposals of agents wait"
    return [Check("proposals", "note", f"{waits} for you: axm review", data={"open": count})]


def check_tokens(config: Config, environ: Mapping[str, str]) -> list[Check]:
    """Tokens that others could read, or that an agent holds."""
    tokens = PersonTokens(config.home)
    try:
        known = tokens.list()
    except StoreError as error:
        return [Check("person tokens", "warn", error.message, (error.hint,))]
    if not known:
        return []
    data = {"tokens": len(known)}
    if os.name != "nt" and stat.S_IMODE(tokens.path.stat().st_mode) & 0o077:
        text = f"others can read {tokens.path}; to mend it: chmod 600 {tokens.path}"
        return [Check("person tokens", "warn", text, data=data)]
    marked = agent_in_environment(environ)
    if marked is not None and tokens.find(environ.get(TOKEN_VARIABLE, "")) is not None:
        text = f"{marked.name} runs this with {TOKEN_VARIABLE} set: what it does counts as yours"
        hint = "set it for one command instead of exporting it; axm person revoke ends it"
        return [Check("person tokens", "warn", text, (hint,), data)]
    return []
