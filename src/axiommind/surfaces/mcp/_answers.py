"""What each method of the protocol answers, as plain dicts: the same for every transport.

The standard library alone. What a transport adds (the fields of the 2026 era, the frame of JSON-RPC) is not here,
except `stamped`, which adds what the SDK adds by itself.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from axiommind import __version__
from axiommind.errors import AxmError
from axiommind.surfaces.mcp._schemas import BadArguments

if TYPE_CHECKING:
    from axiommind.surfaces.mcp._registry import Prompt, Resource, Tools

__all__ = ["HANDSHAKE", "INVALID_PARAMS", "METHOD_NOT_FOUND", "MODERN", "NAME", "Answers", "Refused"]

NAME = "axiommind"
HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN = "2026-07-28"

METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR = -32601, -32602, -32603
_CACHEABLE = frozenset(
    ("prompts/list", "resources/list", "resources/read", "resources/templates/list", "server/discover", "tools/list")
)
_SERVER_INFO = "io.modelcontextprotocol/serverInfo"
_MOST_COMPLETIONS = 100

Params = Mapping[str, Any]


class Refused(Exception):
    """An error of the protocol."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code, self.message, self.data = code, message, data


class Answers:
    """The answers of a server that offers these tools."""

    def __init__(self, tools: Tools, instructions: str) -> None:
        self.tools, self.instructions = tools, instructions
        self.info = {"name": NAME, "title": "AxiomMind", "version": __version__}
        # What may take a while, and is answered in a thread.
        self.slow = {"tools/call", "resources/read", "prompts/get", "completion/complete"}
        self.methods: dict[str, Callable[[Params], dict[str, Any]]] = {
            "ping": lambda _: {},
            "tools/list": self._tools,
            "tools/call": self._call,
        }
        if tools.resources:
            self.methods["resources/list"] = self._resources
            self.methods["resources/templates/list"] = self._templates
            self.methods["resources/read"] = self._read
        if tools.prompts:
            self.methods["prompts/list"] = self._prompts
            self.methods["prompts/get"] = self._prompt
        if any(one.complete for one in tools.resources) or any(one.complete for one in tools.prompts.values()):
            self.methods["completion/complete"] = self._complete

    # --- who it is -------------------------------------------------------------------------------------

    @property
    def capabilities(self) -> dict[str, Any]:
        """Nothing that is offered changes while the server runs."""
        found: dict[str, Any] = {}
        if "prompts/list" in self.methods:
            found["prompts"] = {"listChanged": False}
        if "resources/list" in self.methods:
            found["resources"] = {"subscribe": False, "listChanged": False}
        found["tools"] = {"listChanged": False}
        if "completion/complete" in self.methods:
            found["completions"] = {}
        return found

    def initialize(self, wanted: str) -> dict[str, Any]:
        return {
            "protocolVersion": wanted if wanted in HANDSHAKE else HANDSHAKE[-1],
            "capabilities": self.capabilities,
            "serverInfo": self.info,
            "instructions": self.instructions,
        }

    def discover(self) -> dict[str, Any]:
        return {
            "supportedVersions": [MODERN],
            "capabilities": self.capabilities,
            "instructions": self.instructions,
        }

    def modern(self, method: str, result: dict[str, Any]) -> dict[str, Any]:
        """A result as the 2026 era has it: whether it is all, and how long it may be kept."""
        kept = {"ttlMs": 0, "cacheScope": "private"} if method in _CACHEABLE else {}
        return {"resultType": "complete", **kept, **result}

    def stamped(self, method: str, result: dict[str, Any]) -> dict[str, Any]:
        """The same, and whose it is, which the SDK adds by itself."""
        return {**self.modern(method, result), "_meta": {_SERVER_INFO: self.info}}

    # --- tools -----------------------------------------------------------------------------------------

    def _tools(self, _: Params) -> dict[str, Any]:
        return {"tools": [tool.declared for tool in self.tools.tools.values()]}

    def _call(self, params: Params) -> dict[str, Any]:
        return self.tools.call(_text(params, "name"), _object(params, "arguments"))

    # --- resources -------------------------------------------------------------------------------------

    def _resources(self, _: Params) -> dict[str, Any]:
        return {"resources": [_declared(one, "uri") for one in self.tools.resources if not one.is_template]}

    def _templates(self, _: Params) -> dict[str, Any]:
        return {"resourceTemplates": [_declared(one, "uriTemplate") for one in self.tools.resources if one.is_template]}

    def _read(self, params: Params) -> dict[str, Any]:
        uri = _text(params, "uri")
        for one in self.tools.resources:
            if (variables := one.variables(uri)) is not None:
                text = self._run(uri, functools.partial(one.function, **variables))
                return {"contents": [{"uri": uri, "mimeType": one.mime, "text": text}]}
        known = ", ".join(one.uri for one in self.tools.resources)
        raise Refused(INVALID_PARAMS, f"there is no resource {uri} (there are: {known})", {"uri": uri})

    # --- prompts ---------------------------------------------------------------------------------------

    def _prompts(self, _: Params) -> dict[str, Any]:
        return {
            "prompts": [
                {"name": one.name, "title": one.title, "description": one.description, "arguments": one.arguments}
                for one in self.tools.prompts.values()
            ]
        }

    def _prompt(self, params: Params) -> dict[str, Any]:
        prompt = self._named(_text(params, "name"))
        messages = self._run(prompt.name, lambda: prompt.messages(_object(params, "arguments")))
        return {
            "description": prompt.description,
            "messages": [{"role": m.role, "content": {"type": "text", "text": m.text}} for m in messages],
        }

    def _named(self, name: str) -> Prompt:
        if (prompt := self.tools.prompts.get(name)) is None:
            known = ", ".join(self.tools.prompts)
            raise Refused(INVALID_PARAMS, f"there is no prompt {name!r} (there are: {known})")
        return prompt

    def _complete(self, params: Params) -> dict[str, Any]:
        ref, argument = _object(params, "ref"), _object(params, "argument")
        offered: Prompt | Resource | None
        if ref.get("type") == "ref/prompt":
            offered = self._named(_text(ref, "name"))
        else:
            uri = _text(ref, "uri")
            offered = next((one for one in self.tools.resources if one.uri == uri), None)
            if offered is None:
                raise Refused(INVALID_PARAMS, f"there is no resource {uri}")
        complete = offered.complete.get(_text(argument, "name"))
        begun = argument.get("value")
        values = self._run(offered.name, lambda: complete(str(begun or ""))) if complete else []
        shown = values[:_MOST_COMPLETIONS]
        return {"completion": {"values": shown, "total": len(values), "hasMore": len(shown) < len(values)}}

    def _run(self, name: str, function: Callable[[], Any]) -> Any:
        try:
            return function()
        except Exception as error:
            code = INVALID_PARAMS if isinstance(error, AxmError | BadArguments) else INTERNAL_ERROR
            raise Refused(code, self.tools.said(error, name)) from error


def _declared(one: Resource, uri: str) -> dict[str, Any]:
    return {uri: one.uri, "name": one.name, "title": one.title, "description": one.description, "mimeType": one.mime}


def _text(params: Params, name: str) -> str:
    if isinstance(value := params.get(name), str):
        return value
    raise Refused(INVALID_PARAMS, "Invalid request parameters", "")


def _object(params: Params, name: str) -> dict[str, Any]:
    value = params.get(name)
    if value is None:
        return {}
    if isinstance(value, dict):
        return value
    raise Refused(INVALID_PARAMS, "Invalid request parameters", "")
