"""`axm mcp`: the MCP server, on stdin and stdout or over HTTP."""

from __future__ import annotations

import argparse
from contextlib import nullcontext

from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options

HELP = "Serve the memory to an agent over MCP"
CALLER = "free: every tool says for itself what it may do"
GROUP = "wire up"
_EPILOG = """examples:
  axm install claude-code              add it to Claude Code, with the hooks; codex, gemini …: to another agent
  claude mcp add axiommind -- axm mcp  add only the server
  axm mcp --http                       http://127.0.0.1:8765/mcp (extra mcp)

The setting mcp.tools selects the tools to offer; every tool costs context. Over HTTP, requests for another host or from
another origin are refused; if mcp.token is set, so are requests without the token.
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("--http", action="store_true", help="serve streamable HTTP at /mcp instead of stdin and stdout")
    parser.add_argument("--host", help="the address to listen on (default 127.0.0.1; others need mcp.token)")
    parser.add_argument("--port", type=options.between(0, 65535), help="the port (default 8765; 0 picks a free one)")


def run(args: argparse.Namespace) -> int:
    from axiommind.surfaces.hooks.resident_server import listening
    from axiommind.surfaces.mcp import answers

    if not args.http and (args.host is not None or args.port is not None):
        args.parser.error("--host and --port need --http")
    memory = Memory().stay()
    made = answers(memory)
    if args.http:
        from axiommind.surfaces.mcp.http_server import serve_http
        from axiommind.surfaces.serving.access import Address

        port = 8765 if args.port is None else args.port
        address = Address.checked(args.host or "127.0.0.1", port, memory.config.mcp_token)
    with listening(str(memory.config.home)) if memory.config.hooks.resident else nullcontext():
        if args.http:
            return serve_http(made, address)
        from axiommind.surfaces.mcp.stdio_server import serve_stdio

        serve_stdio(made)
    return 0
