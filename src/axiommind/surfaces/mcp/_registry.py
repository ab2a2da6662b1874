"""What the server offers: tools, resources and prompts, each declared by a group on a plain function.

A group declares; calling is here: arguments are checked, our errors become the tool's with their hint, and an error
that nobody expected names its type only, with the rest on stderr. The standard library alone.
"""

from __future__ import annotations

import functools
import json
import math
import os
import re
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

from axiommind.errors import AxmError
from axiommind.surfaces.mcp._schemas import Arg, BadArguments, Schema, checked, input_schema, output_schema

if TYPE_CHECKING:
    from axiommind.memory import Memory, Scope

__all__ = ["Arg", "Message", "Prompt", "Resource", "Tool", "Tools"]

F = TypeVar("F", bound=Callable[..., Any])
Complete = Callable[[str], list[str]]

# Far above what clients take (25,000 tokens): each tool has limits of its own, and this is for what they missed.
MOST_CHARS = 400_000


class Tool:
    """A function that an agent may call. Its schemas are written when they are first asked for."""

    def __init__(self, name: str, title: str, description: str, function: Callable[..., Any], *, reads: bool) -> None:
        self.name, self.title, self.description, self.function = name, title, description, function
        # Nothing is ever lost by a write: the log keeps every version.
        self.annotations = {
            "title": title,
            "readOnlyHint": reads,
            "destructiveHint": False,
            "idempotentHint": reads,
            "openWorldHint": False,
        }

    @functools.cached_property
    def input_schema(self) -> Schema:
        return input_schema(self.function)

    @functools.cached_property
    def output_schema(self) -> Schema:
        return output_schema(self.function)

    @property
    def declared(self) -> dict[str, Any]:
        """Its line of `tools/list`."""
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": self.input_schema,
            "outputSchema": self.output_schema,
            "annotations": self.annotations,
        }


class Resource:
    """Something that can be read by its URI: a fixed one, or a template such as `axm://session/{id}`."""

    def __init__(
        self,
        uri: str,
        name: str,
        title: str,
        description: str,
        mime: str,
        function: Callable[..., str],
        complete: Mapping[str, Complete],
    ) -> None:
        self.uri, self.name, self.title, self.description, self.mime = uri, name, title, description, mime
        self.function, self.complete = function, dict(complete)
        self.is_template = "{" in uri
        # A last variable may hold slashes: clients write them as they are, or as %2F.
        parts = re.split(r"\{\+?(\w+)\}", uri)
        pattern = re.escape(parts[0])
        for n in range(1, len(parts), 2):
            of = ".+" if not parts[n + 1] or f"{{+{parts[n]}}}" in uri else "[^/]+"
            pattern += f"(?P<{parts[n]}>{of}){re.escape(parts[n + 1])}"
        self._pattern = re.compile(pattern, re.DOTALL)

    def variables(self, uri: str) -> dict[str, str] | None:
        """What the template's variables are in a URI; None where it is not of this template."""
        if (found := self._pattern.fullmatch(uri)) is None:
            return None
        return {name: _unquoted(value) for name, value in found.groupdict().items()}


class Message(NamedTuple):
    """One message of a prompt."""

    role: Literal["user", "assistant"]
    text: str


class Prompt:
    """A text that a person asks for by name, such as a slash command. Its function gives a text, or messages."""

    def __init__(
        self,
        name: str,
        title: str,
        description: str,
        function: Callable[..., str | list[Message]],
        complete: Mapping[str, Complete],
    ) -> None:
        self.name, self.title, self.description, self.function = name, title, description, function
        self.complete = dict(complete)

    @functools.cached_property
    def input_schema(self) -> Schema:
        return input_schema(self.function)

    @property
    def arguments(self) -> list[dict[str, Any]]:
        required = self.input_schema.get("required", ())
        return [
            {"name": name, **({"description": d} if (d := of.get("description")) else {}), "required": name in required}
            for name, of in self.input_schema["properties"].items()
        ]

    def messages(self, arguments: Mapping[str, Any]) -> list[Message]:
        given = self.function(**checked(self.input_schema, dict(arguments)))
        return [Message("user", given)] if isinstance(given, str) else given


class Tools:
    """Where groups put what they offer: of tools, only those that are wanted (all if none are named) are kept.

    A group's `add(tools)` declares on plain functions with annotations:

        @tools.tool("search", "Search memory", "What it does.")
        def search(query: Annotated[str, Arg("Words.", max_length=1_000)], limit: ... = 10) -> Found: ...

        @tools.resource("axm://session/{id}", "session", "A session", "What it is.", mime="text/markdown")
        def session(id: str) -> str: ...

        @tools.prompt("handoff", "Hand over", "What it is for.")
        def handoff(project: Annotated[str | None, Arg("Which project.")] = None) -> str: ...
    """

    def __init__(self, memory: Memory, wanted: tuple[str, ...] = ()) -> None:
        self.memory = memory
        self.known: list[str] = []
        self.tools: dict[str, Tool] = {}
        self.resources: list[Resource] = []
        self.prompts: dict[str, Prompt] = {}
        self.is_shared = False  # whether several clients ask through it, as over HTTP
        self._wanted = wanted

    def tool(self, name: str, title: str, description: str, *, reads: bool = True) -> Callable[[F], F]:
        """Offer a function as a tool; `reads` promises that it changes nothing. It gives a TypedDict."""

        def add(function: F) -> F:
            self.known.append(name)
            if not self._wanted or name in self._wanted:
                self.tools[name] = Tool(name, title, description, function, reads=reads)
            return function

        return add

    def resource(
        self,
        uri: str,
        name: str,
        title: str,
        description: str,
        mime: str = "text/plain",
        *,
        complete: Mapping[str, Complete] | None = None,
    ) -> Callable[[F], F]:
        """Offer what a function reads: it is given the variables of the URI as texts, and gives a text. `complete`
        gives the values of a variable that begin with what was typed. What is not there is `errors.NotFound`."""

        def add(function: F) -> F:
            self.resources.append(Resource(uri, name, title, description, mime, function, complete or {}))
            return function

        return add

    def prompt(
        self, name: str, title: str, description: str, *, complete: Mapping[str, Complete] | None = None
    ) -> Callable[[F], F]:
        """Offer a text that a person asks for: the function's arguments are texts, and it gives a text or messages."""

        def add(function: F) -> F:
            self.prompts[name] = Prompt(name, title, description, function, complete or {})
            return function

        return add

    def scope(self, project: str | None) -> Scope:
        """The project named; `all` is every one; without a name, the one that the client works in."""
        if project == "all":
            return self.memory.scope(all_projects=True)
        return self.memory.scope(project=project, cwd=os.environ.get("CLAUDE_PROJECT_DIR"))

    def call(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The result of `tools/call`."""
        if (tool := self.tools.get(name)) is None:
            return failed(f"there is no tool {name!r} (there are: {', '.join(self.tools)})")
        try:
            text, given = _written(self._redacted(tool.function(**checked(tool.input_schema, dict(arguments)))))
        except Exception as error:  # noqa: BLE001 - the edge: whatever it is, an agent is told and goes on
            return failed(self.said(error, name))
        if len(text) > MOST_CHARS:
            return failed(f"the answer has {len(text):,} characters, more than {MOST_CHARS:,} (ask for less of it)")
        return {"content": [{"type": "text", "text": text}], "structuredContent": given}

    def _redacted(self, value: Any) -> Any:
        """An answer without the secrets that are known by now: an older version may have stored some."""
        from axiommind.surfaces.mcp._pages import with_texts
        from axiommind.surfaces.render.recall import redacted

        return with_texts(value, lambda text: redacted(text, self.memory.config.home, keep_lines=True))

    def said(self, error: Exception, name: str) -> str:
        """What an error says to an agent: the same as to a person. Of one that nobody expected only its type, with the
        rest on stderr."""
        import sqlite3

        if isinstance(error, sqlite3.Error):  # a full disk, or a lock, that came through as SQLite said it
            from axiommind.db import store_error

            error = store_error(error, self.memory.config.home) or error
        if isinstance(error, BadArguments):
            return str(error)
        if isinstance(error, AxmError):
            return f"{error.message}{error.hint and f' ({error.hint})'}"
        import traceback

        traceback.print_exception(error, file=sys.stderr)
        return f"Internal error in {name}: {type(error).__name__}"


def failed(message: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": _encodable(message)}], "isError": True}


def _written(value: Any) -> tuple[str, Any]:
    """A value as compact JSON, and the value; without what JSON or UTF-8 has no way to write."""
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        text.encode()
    except ValueError:  # NaN, infinity, or half of a character
        value = _writable(value)
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text, value


def _writable(value: Any) -> Any:
    if isinstance(value, dict):
        return {_writable(key): _writable(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_writable(one) for one in value]
    if isinstance(value, str):
        return _encodable(value)
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _unquoted(text: str) -> str:
    if "%" not in text:
        return text
    from urllib.parse import unquote

    return unquote(text)
