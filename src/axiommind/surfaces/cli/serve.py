"""`axm serve`: the web app, for a person, on this machine."""

from __future__ import annotations

import argparse

from axiommind.memory import Memory
from axiommind.surfaces.cli import _options as options

HELP = "Open the memory in a browser"
CALLER = "free: a server that no person started changes nothing"
GROUP = "look"
_EPILOG = """examples:
  axm serve --open                                        start it, and open it in the browser
  axm serve --port 8788                                   always at the same port
  axm serve --port 8788 --public-url http://localhost:9000   behind ssh -L 9000:localhost:8788

It listens on this machine only, needs the code in the address that it prints, and asks nothing of the network. Started
by an agent it is read-only. Ctrl-C stops it. Needs the extra web.
"""


def configure(parser: argparse.ArgumentParser, _argv: list[str]) -> None:
    parser.epilog = _EPILOG
    parser.add_argument(
        "--port", type=options.between(0, 65535), default=0, help="the port (default: any that is free)"
    )
    parser.add_argument("--open", action="store_true", help="open it in your browser")
    parser.add_argument("--public-url", default="", metavar="URL", help="the address by which your browser reaches it")


def run(args: argparse.Namespace) -> int:
    from axiommind.surfaces.serving.access import Address
    from axiommind.surfaces.web.serving import serve_web

    memory = Memory()
    options.require_index(memory)
    address = Address.checked("127.0.0.1", args.port, "", public_url=args.public_url)
    return serve_web(memory, address, opens=args.open)
