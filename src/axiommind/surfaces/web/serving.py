"""Serving the web app until it is stopped; nothing is left behind."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from axiommind.distribution import extra_command
from axiommind.errors import MissingExtra
from axiommind.memory import Memory
from axiommind.surfaces.serving.access import Address

__all__ = ["serve_web"]

_GRACE = 1  # seconds that running requests get to finish when the server is stopped


def serve_web(memory: Memory, address: Address, *, opens: bool) -> int:
    """Serve until Ctrl-C, then return 0."""
    try:
        from axiommind.surfaces.serving.connections import ConnectionLimits, limited_server
        from axiommind.surfaces.web.app import gated
        from axiommind.surfaces.web.site import Site
    except ImportError as error:
        raise MissingExtra(f"the web app needs the package {error.name}", hint=extra_command("web")) from error
    listener, address = address.bind()
    caller = memory.identify()
    site = Site(memory, caller)
    server = limited_server(gated(site, address), ConnectionLimits(), grace=_GRACE)
    sys.stderr.write(f"axm: the web app is at {address.url}/?code={site.entrance.code}\n")
    if not caller.is_person:
        sys.stderr.write(f"axm: read-only, as no person started it ({caller.why})\n")
    sys.stderr.write("axm: Ctrl-C stops it\n")
    sys.stderr.flush()
    with tempfile.TemporaryDirectory(prefix="axm-web-") as folder:
        if opens:
            _open(Path(folder), f"{address.url}/?code={site.entrance.code_for_once()}")
        try:
            server.run(sockets=[listener])
        except KeyboardInterrupt:
            pass
        finally:
            listener.close()
    return 0


def _open(folder: Path, url: str) -> None:
    """In the user's browser, by a file that only they can read: what a browser is started with, everybody sees."""
    import webbrowser

    file = folder / "open.html"
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as page:
        page.write(f'<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url={url}">')
    if not webbrowser.open(file.as_uri()):
        sys.stderr.write("axm: no browser was found; open the address above\n")
