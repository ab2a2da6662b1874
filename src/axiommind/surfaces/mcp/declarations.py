"""Tools, resources and prompts, each declared on a plain function whose first parameter is the `Context`.

    @tool("search", "Search memory", "What it does.")
    def search(ctx: Context, query: Annotated[str, Arg("Words.", max_length=1_000)], limit: ... = 10) -> Matches: ...

    @resource("axm://session/{id}", "session", "A session", "What it is.", mime="text/markdown")
    def session(ctx: Context, id: str) -> str: ...

    @prompt("handoff", "Hand over", "What it is for.")
    def handoff(ctx: Context, project: Annotated[str | None, Arg("Which project.")] = None) -> str: ...

Declaring a function does not call anything; `features.py` finds the declarations in their folders.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, NamedTuple

from axiommind.surfaces.mcp.arguments import checked
from axiommind.surfaces.mcp.context import Context
from axiommind.surfaces.mcp.schemas import Arg, Schema, input_schema, published
from axiommind.surfaces.mcp.stored_schemas import ToolSchemas, schemas_of

__all__ = ["Complete", "Project", "PromptMessage", "PromptTemplate", "Resource", "Tool", "prompt", "resource", "tool"]

# What of a variable or an argument begins with what was typed.
Complete = Callable[[Context, str], list[str]]

Project = Annotated[str | None, Arg("A project's folder or name, or `all`. Default: this project.")]


class Tool:
    """A function that an agent may call. Its schemas are loaded when they are first needed."""

    def __init__(
        self, name: str, title: str, description: str | Callable[[], str], function: Callable[..., Any], *, reads: bool
    ) -> None:
        self.name, self.title, self.function = name, title, function
        self._description = description
        # Only what differs from the protocol's defaults. A write never destroys anything: the log keeps every version.
        self.annotations = {"readOnlyHint": True} if reads else {"readOnlyHint": False, "destructiveHint": False}
        self.annotations["openWorldHint"] = False

    @property
    def description(self) -> str:
        return self._description if isinstance(self._description, str) else self._description()

    @functools.cached_property
    def _schemas(self) -> ToolSchemas:
        return schemas_of(self.function)

    @property
    def input_schema(self) -> Schema:
        return self._schemas.input

    @property
    def output_schema(self) -> Schema:
        """What it answers. It is documented and tested, but not listed: an agent sees the answer itself."""
        return self._schemas.output

    @property
    def declared(self) -> dict[str, Any]:
        """Its entry in `tools/list`."""
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": published(self.input_schema),
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

    @functools.cached_property
    def _pattern(self) -> re.Pattern[str]:
        # The last variable may hold slashes: clients write them as they are, or as %2F.
        parts = re.split(r"\{\+?(\w+)\}", self.uri)
        pattern = re.escape(parts[0])
        for n in range(1, len(parts), 2):
            of = ".+" if not parts[n + 1] or f"{{+{parts[n]}}}" in self.uri else "[^/]+"
            pattern += f"(?P<{parts[n]}>{of}){re.escape(parts[n + 1])}"
        return re.compile(pattern, re.DOTALL)

    def variables(self, uri: str) -> dict[str, str] | None:
        """The values of the template's variables in a URI; None if the URI is not of this template."""
        if (found := self._pattern.fullmatch(uri)) is None:
            return None
        return {name: _unquoted(value) for name, value in found.groupdict().items()}


class PromptMessage(NamedTuple):
    role: Literal["user", "assistant"]
    text: str


class PromptTemplate:
    """A text that a person requests by name, such as a slash command. Its function returns a text, or messages."""

    def __init__(
        self,
        name: str,
        title: str,
        description: str,
        function: Callable[..., str | list[PromptMessage]],
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

    def messages(self, context: Context, arguments: Mapping[str, Any]) -> list[PromptMessage]:
        given = self.function(context, **checked(self.input_schema, dict(arguments)))
        return [PromptMessage("user", given)] if isinstance(given, str) else given


def tool(
    name: str, title: str, description: str | Callable[[], str], *, reads: bool = True
) -> Callable[[Callable[..., Any]], Tool]:
    """Declare a tool; `reads` promises that it changes nothing. Its function returns a TypedDict or a RowShape."""
    return lambda function: Tool(name, title, description, function, reads=reads)


def resource(
    uri: str,
    name: str,
    title: str,
    description: str,
    mime: str = "text/plain",
    *,
    complete: Mapping[str, Complete] | None = None,
) -> Callable[[Callable[..., str]], Resource]:
    """Declare a resource: its function gets the variables of the URI as strings and returns a text. `complete` gives
    the values of a variable that begin with what was typed. For what does not exist it raises `errors.NotFound`."""
    return lambda function: Resource(uri, name, title, description, mime, function, complete or {})


def prompt(
    name: str, title: str, description: str, *, complete: Mapping[str, Complete] | None = None
) -> Callable[[Callable[..., str | list[PromptMessage]]], PromptTemplate]:
    """Declare a prompt: the arguments of its function are strings, and it returns a text or messages."""
    return lambda function: PromptTemplate(name, title, description, function, complete or {})


def _unquoted(text: str) -> str:
    if "%" not in text:
        return text
    from urllib.parse import unquote

    return unquote(text)
