"""The MCP server: what an agent can ask for while it works.

A tool is translation: arguments, one call of the library, a typed answer. Each is declared in a file of `tools/`
(resources and prompts in folders of their own), and the folder is the registry. Our errors become the tool's, with
their hint; recalled text is quoted history, and every answer says where it comes from.

A client waits for the first answer, and the SDK takes a second to load: on stdin and stdout the server answers by
itself (`stdio_server`). The SDK serves HTTP, clients in the same process, and methods that the light server lacks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from axiommind.surfaces.mcp.answers import Answers
from axiommind.surfaces.mcp.context import Context
from axiommind.surfaces.mcp.features import ServerFeatures
from axiommind.surfaces.mcp.instructions import instructions

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

    from axiommind.memory import Memory

__all__ = ["Answers", "Context", "ServerFeatures", "answers", "server"]


def answers(memory: Memory) -> Answers:
    """What the server answers, with every tool that the settings leave."""
    features = ServerFeatures.from_folders(Context(memory), memory.config.mcp_tools)
    return Answers(features, instructions(features.tools))


def server(memory: Memory) -> Server[Any]:
    """The SDK's server with the same answers."""
    from axiommind.surfaces.mcp.sdk_server import server_of

    return server_of(answers(memory))
