"""What `axm doctor` says of the server: which tools it offers, what they cost an agent, and names that do not exist."""

from __future__ import annotations

from axiommind.config import Config
from axiommind.errors import NotFound
from axiommind.health.check import Check
from axiommind.surfaces.mcp.declarations import Tool
from axiommind.surfaces.mcp.features import chosen, declared_in
from axiommind.surfaces.mcp.pages import cost

__all__ = ["check_tools"]


def check_tools(config: Config) -> Check:
    known = declared_in(f"{__package__}.tools", Tool)
    try:
        offered = chosen(known, config.mcp_tools)
    except NotFound as error:
        return Check("MCP tools", "bad", f"{error.message}: axm mcp does not start", (error.hint,))
    tokens = cost({"tools": [tool.declared for tool in offered]})
    data = {"offered": [tool.name for tool in offered], "known": len(known), "tokens": tokens}
    of = "all" if len(offered) == len(known) else f"{len(offered)} of {len(known)}"
    return Check("MCP tools", "ok", f"{of} are offered, about {tokens:,} tokens (setting mcp.tools)", data=data)
