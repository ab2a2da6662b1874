"""Features of the server (tools, resources and prompts), found in the folders of these names.

A file holds one declaration or several, and adding a file is all it takes to add one. Files come in the order of their
`ORDER` (100 if they have none), then of their names.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from axiommind.errors import NotFound
from axiommind.registry import Registry
from axiommind.surfaces.mcp.arguments import checked
from axiommind.surfaces.mcp.context import Context
from axiommind.surfaces.mcp.declarations import PromptTemplate, Resource, Tool
from axiommind.surfaces.mcp.results import error_text, failed, succeeded

__all__ = ["ServerFeatures", "declared_in"]

T = TypeVar("T")
_USUAL_ORDER = 100


class ServerFeatures:
    """Tools, resources and prompts, and the context they are called in. Of tools only those that `wanted` names, or
    all if it names none. Resources and prompts are loaded when a client first asks for them."""

    def __init__(
        self,
        context: Context,
        tools: Iterable[Tool],
        resources: Callable[[], Iterable[Resource]] = tuple,
        prompts: Callable[[], Iterable[PromptTemplate]] = tuple,
        *,
        wanted: tuple[str, ...] = (),
    ) -> None:
        known = {tool.name: tool for tool in tools}
        if unknown := sorted(set(wanted) - known.keys()):
            raise NotFound(f"there is no tool {unknown[0]!r} (setting mcp.tools)", hint=f"one of: {', '.join(known)}")
        self.context = context
        self.tools = {name: tool for name, tool in known.items() if not wanted or name in wanted}
        self._resources, self._prompts = resources, prompts

    @classmethod
    def from_folders(cls, context: Context, wanted: tuple[str, ...] = ()) -> ServerFeatures:
        package = __name__.rpartition(".")[0]
        return cls(
            context,
            declared_in(f"{package}.tools", Tool),
            lambda: declared_in(f"{package}.resources", Resource),
            lambda: declared_in(f"{package}.prompts", PromptTemplate),
            wanted=wanted,
        )

    @functools.cached_property
    def resources(self) -> list[Resource]:
        return list(self._resources())

    @functools.cached_property
    def prompts(self) -> dict[str, PromptTemplate]:
        return {one.name: one for one in self._prompts()}

    def call(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The result of `tools/call`."""
        if (tool := self.tools.get(name)) is None:
            return failed(f"there is no tool {name!r} (there are: {', '.join(self.tools)})")
        try:
            given = tool.function(self.context, **checked(tool.input_schema, dict(arguments)))
            return succeeded(self.context.redact(given))
        except Exception as error:  # noqa: BLE001 - the outer edge: the agent is told, and goes on
            return failed(error_text(error, name, self.context.memory.config.home))


def declared_in(package: str, kind: type[T]) -> list[T]:
    """Every declaration of this kind in the files of a package, each file's in the order they are written."""
    importlib.import_module(package)
    folder = Registry[object](package, requires=())
    modules = [folder.find(name) for name in folder.own()]
    modules.sort(key=lambda module: getattr(module, "ORDER", _USUAL_ORDER))
    found = (one for module in modules for one in vars(module).values() if isinstance(one, kind))
    return list(dict.fromkeys(found))  # a file may import what another one declares
