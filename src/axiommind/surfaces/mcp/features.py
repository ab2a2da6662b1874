"""Features of the server (tools, resources and prompts), found in the folders of these names.

A file holds one declaration or several, and adding a file is all it takes to add one. Files come in the order of their
`ORDER` (100 if they have none), then of their names. The tools of a file with a `GROUP` can be chosen by that name.
"""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from axiommind.errors import NotFound
from axiommind.registry import Registry
from axiommind.surfaces.mcp.arguments import checked
from axiommind.surfaces.mcp.context import Context
from axiommind.surfaces.mcp.declarations import PromptTemplate, Resource, Tool
from axiommind.surfaces.mcp.elicitation import Ask, InputNeeded
from axiommind.surfaces.mcp.results import error_text, failed, short, succeeded

__all__ = ["ServerFeatures", "chosen", "declared_in", "groups_of"]

T = TypeVar("T")
_USUAL_ORDER = 100


class ServerFeatures:
    """Tools, resources and prompts, and the context they are called in. Of tools only those that `wanted` names, by
    themselves or by their group, or all if it names none. Resources and prompts are loaded when a client first asks for
    them."""

    def __init__(
        self,
        context: Context,
        tools: Iterable[Tool],
        resources: Callable[[], Iterable[Resource]] = tuple,
        prompts: Callable[[], Iterable[PromptTemplate]] = tuple,
        *,
        wanted: tuple[str, ...] = (),
    ) -> None:
        self.context = context
        self.tools = {tool.name: tool for tool in chosen(tools, wanted)}
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

    def call(self, name: str, arguments: Mapping[str, Any], ask: Ask | None = None) -> dict[str, Any]:
        """The result of `tools/call`; `ask` puts a question to the person."""
        if (tool := self.tools.get(name)) is None:
            return failed(short(f"there is no tool {name!r} (there are: {', '.join(self.tools)})", name))
        try:
            with self.context.asking(ask):
                given = tool.function(self.context, **checked(tool.input_schema, dict(arguments)))
            return succeeded(self.context.redact(given))
        except InputNeeded as needed:
            return needed.result
        except Exception as error:  # noqa: BLE001 - the outer edge: the agent is told, and goes on
            return failed(short(error_text(error, name, self.context.memory.config.home), arguments))


def chosen(tools: Iterable[Tool], wanted: tuple[str, ...]) -> list[Tool]:
    """The tools that the setting `mcp.tools` names, in the order of their files; all, if it names none."""
    known = list(tools)
    groups = groups_of(known)
    names = {tool.name for tool in known}
    if unknown := [name for name in dict.fromkeys(wanted) if name not in names and name not in groups]:
        raise NotFound(
            f"there is no tool {' and no tool '.join(map(repr, unknown))} (setting mcp.tools)",
            hint=f"groups: {', '.join(groups)}; tools: {', '.join(tool.name for tool in known)}",
        )
    taken = {*wanted, *(tool.name for name in wanted for tool in groups.get(name, ()))}
    return [tool for tool in known if not wanted or tool.name in taken]


def groups_of(tools: Iterable[Tool]) -> dict[str, list[Tool]]:
    """The tools of each group. A file without one is chosen by the names of its tools."""
    groups: dict[str, list[Tool]] = {}
    for tool in tools:
        if (group := getattr(sys.modules[tool.function.__module__], "GROUP", None)) is not None:
            groups.setdefault(group, []).append(tool)
    return groups


def declared_in(package: str, kind: type[T]) -> list[T]:
    """Every declaration of this kind in the files of a package, each file's in the order they are written."""
    importlib.import_module(package)
    folder = Registry[object](package, requires=())
    modules = [folder.find(name) for name in folder.own()]
    modules.sort(key=lambda module: getattr(module, "ORDER", _USUAL_ORDER))
    found = (one for module in modules for one in vars(module).values() if isinstance(one, kind))
    return list(dict.fromkeys(found))  # a file may import what another one declares
