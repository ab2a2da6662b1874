"""`axm mcp`: the MCP server, over stdin and stdout."""

from __future__ import annotations

import argparse
from contextlib import nullcontext

from axiommind.api import Memory

HELP = "Serve memory to an agent over MCP, on stdin and stdout (needs the extra mcp)."
_EPILOG = """examples:
  axm install claude-code                     writes it into Claude Code's settings, with the hooks
  claude mcp add axiommind -- axm mcp         only the server

The setting mcp.tools names the tools to offer; every tool costs an agent context.
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG


def run(_args: argparse.Namespace) -> int:
    from axiommind.surfaces.hooks._listening import listening
    from axiommind.surfaces.mcp import server

    memory = Memory().with_cache()
    made = server(memory)
    with listening(str(memory.config.home)) if memory.config.hooks.resident else nullcontext():
        made.run()
    return 0
