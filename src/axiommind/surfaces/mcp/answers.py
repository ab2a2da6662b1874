"""Answers: the result of each method of the protocol as a plain dict, the same for every transport.

Standard library only. What a transport adds (the fields of the 2026 era, the JSON-RPC envelope) is not here, except
`stamped`, which adds what the SDK adds by itself.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from axiommind import __version__
from axiommind.errors import AxmError
from axiommind.surfaces.mcp.arguments import BadArguments
from axiommind.surfaces.mcp.elicitation import Ask, ask_by_retry
from axiommind.surfaces.mcp.results import error_text, short

if TYPE_CHECKING:
    from axiommind.surfaces.mcp.declarations import PromptTemplate, Resource
    from axiommind.surfaces.mcp.features import ServerFeatures

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
    """The answers of a server that has these features."""

    def __init__(self, features: ServerFeatures, instructions: str) -> None:
        self.features, self.instructions = features, instructions
        self.info = {"name": NAME, "title": "AxiomMind", "version": __version__}
        # What may take a while, and is answered in a thread.
        self.slow = {"tools/call", "resources/read", "prompts/get", "completion/complete"}
        self.methods: dict[str, Callable[[Params], dict[str, Any]]] = {
            "ping": lambda _: {},
            "tools/list": self._tools,
            "tools/call": self.call_tool,
            "resources/list": self._resources,
            "resources/templates/list": self._templates,
            "resources/read": self._read,
            "prompts/list": self._prompts,
            "prompts/get": self._prompt,
            "completion/complete": self._complete,
        }

    # --- identity --------------------------------------------------------------------------------------

    @property
    def capabilities(self) -> dict[str, Any]:
        """What is offered does not change while the server runs."""
        return {
            "prompts": {"listChanged": False},
            "resources": {"subscribe": False, "listChanged": False},
            "tools": {"listChanged": False},
            "completions": {},
        }

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
        """A result in the form of the 2026 era: whether it is complete, and how long it may be cached."""
        kept = {"ttlMs": 0, "cacheScope": "private"} if method in _CACHEABLE else {}
        return {"resultType": "complete", **kept, **result}

    def stamped(self, method: str, result: dict[str, Any]) -> dict[str, Any]:
        """The same, with the server's identity, which the SDK adds by itself."""
        return {**self.modern(method, result), "_meta": {_SERVER_INFO: self.info}}

    # --- tools -----------------------------------------------------------------------------------------

    def _tools(self, _: Params) -> dict[str, Any]:
        return {"tools": [tool.declared for tool in self.features.tools.values()]}

    def call_tool(self, params: Params, ask: Ask | None = None) -> dict[str, Any]:
        """The result of a tool; `ask` puts a question to the person, where the connection can while the call waits."""
        how = ask or ask_by_retry(params)
        return self.features.call(_text(params, "name"), _object(params, "arguments"), how)

    # --- resources -------------------------------------------------------------------------------------

    def _resources(self, _: Params) -> dict[str, Any]:
        return {"resources": [_declared(one, "uri") for one in self.features.resources if not one.is_template]}

    def _templates(self, _: Params) -> dict[str, Any]:
        return {
            "resourceTemplates": [_declared(one, "uriTemplate") for one in self.features.resources if one.is_template]
        }

    def _read(self, params: Params) -> dict[str, Any]:
        uri = _text(params, "uri")
        for one in self.features.resources:
            if (variables := one.variables(uri)) is not None:
                text = self._run(
                    uri, functools.partial(one.function, self.features.context, **variables), uri, variables
                )
                return {"contents": [{"uri": uri, "mimeType": one.mime, "text": text}]}
        known = ", ".join(one.uri for one in self.features.resources)
        said = short(f"there is no resource {uri} (there are: {known})", uri)
        raise Refused(INVALID_PARAMS, said, {"uri": short(uri, uri)})

    # --- prompts ---------------------------------------------------------------------------------------

    def _prompts(self, _: Params) -> dict[str, Any]:
        return {
            "prompts": [
                {"name": one.name, "title": one.title, "description": one.description, "arguments": one.arguments}
                for one in self.features.prompts.values()
            ]
        }

    def _prompt(self, params: Params) -> dict[str, Any]:
        prompt = self._named(_text(params, "name"))
        given = _object(params, "arguments")
        messages = self._run(prompt.name, lambda: prompt.messages(self.features.context, given), given)
        return {
            "description": prompt.description,
            "messages": [{"role": m.role, "content": {"type": "text", "text": m.text}} for m in messages],
        }

    def _named(self, name: str) -> PromptTemplate:
        if (prompt := self.features.prompts.get(name)) is None:
            known = ", ".join(self.features.prompts)
            raise Refused(INVALID_PARAMS, short(f"there is no prompt {name!r} (there are: {known})", name))
        return prompt

    def _complete(self, params: Params) -> dict[str, Any]:
        ref, argument = _object(params, "ref"), _object(params, "argument")
        offered: PromptTemplate | Resource | None
        if ref.get("type") == "ref/prompt":
            offered = self._named(_text(ref, "name"))
        else:
            uri = _text(ref, "uri")
            offered = next((one for one in self.features.resources if one.uri == uri), None)
            if offered is None:
                raise Refused(INVALID_PARAMS, short(f"there is no resource {uri}", uri))
        complete = offered.complete.get(_text(argument, "name"))
        begun = argument.get("value")
        values = self._run(offered.name, lambda: complete(self.features.context, str(begun or ""))) if complete else []
        shown = values[:_MOST_COMPLETIONS]
        return {"completion": {"values": shown, "total": len(values), "hasMore": len(shown) < len(values)}}

    def _run(self, name: str, function: Callable[[], Any], *given: Any) -> Any:
        """What a function returns; an error in it, without what is long in what it was given, is the protocol's."""
        try:
            return function()
        except Exception as error:
            code = INVALID_PARAMS if isinstance(error, AxmError | BadArguments) else INTERNAL_ERROR
            said = error_text(error, name, self.features.context.memory.config.home)
            raise Refused(code, short(said, list(given))) from error


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
