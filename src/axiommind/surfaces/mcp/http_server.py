"""The server over HTTP, at /mcp: the SDK's, behind the guard that every server of ours has."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from axiommind.distribution import extra_command
from axiommind.errors import MissingExtra
from axiommind.surfaces.mcp.sdk_server import server_of
from axiommind.surfaces.serving.access import AccessGuard, Address

if TYPE_CHECKING:
    from axiommind.surfaces.mcp.answers import Answers

__all__ = ["serve_http"]

PATH = "/mcp"
_GRACE = 2  # seconds that running requests get to finish when the server is stopped


def serve_http(answers: Answers, address: Address) -> int:
    """Serve until Ctrl-C, then return 0."""
    answers.features.context.is_shared = True
    made = server_of(answers)
    try:
        from mcp.server.transport_security import TransportSecuritySettings

        from axiommind.surfaces.serving.connections import ConnectionLimits, limited_server
    except ImportError as error:
        raise MissingExtra("serving HTTP needs the package uvicorn", hint=extra_command("mcp")) from error
    listener, address = address.bind()
    # The guard checks the same, and says it in JSON; this is the SDK's own check.
    hosts = [f"{name}:{address.port}" for name in address.names]
    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=bool(hosts) and address.port != 80,
        allowed_hosts=hosts,
        allowed_origins=[f"http://{host}" for host in hosts],
    )
    app = made.streamable_http_app(streamable_http_path=PATH, json_response=True, transport_security=security)
    server = limited_server(AccessGuard(app, address), ConnectionLimits(), grace=_GRACE)
    where = f"{address.url}{PATH}"
    sys.stderr.write(f"axm: serving MCP at {where}{' (with a token)' if address.token else ''}\n")
    sys.stderr.flush()
    try:
        server.run(sockets=[listener])
    except KeyboardInterrupt:
        pass
    finally:
        listener.close()
    return 0
