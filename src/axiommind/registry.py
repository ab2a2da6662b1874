"""The folder is the registry: the public modules of a package, and what third parties add to it by entry points.

To add one, put a file in the folder; nothing else names it. A third party offers a module of the same shape under the
package's entry point group (`axiommind.sources`, for one). Their packages are only looked for when a name is not in the
folder or when all names are wanted, and `importlib.metadata` is only imported where there are any: a hook never pays.
"""

from __future__ import annotations

import importlib
import os
import sys
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar, cast

from axiommind.errors import PluginError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = ["Plugin", "Registry"]

_MARK = b"[axiommind."

T = TypeVar("T")


class Plugin(NamedTuple):
    """A module that a third party's package offers. `why_not` says why it is not used; empty when it is."""

    group: str
    name: str
    module: str
    package: str  # and its version
    why_not: str = ""


class Registry(Generic[T]):
    """The registered modules of one package. `requires` are the attributes that such a module has; where helpers stand
    in the same folder (`has_helpers`), a module without the first of them is one."""

    def __init__(self, package: str, *, requires: tuple[str, ...], group: str = "", has_helpers: bool = False) -> None:
        self.package = package
        self.requires = requires
        self.group = group
        self._has_helpers = has_helpers

    def own(self) -> list[str]:
        """The names of the folder's modules, as a person writes them: `tool_frequency.py` is `tool-frequency`."""
        found = {stem.replace("_", "-") for stem in self._stems()}
        if self._has_helpers:
            found = {name for name in found if hasattr(self._import(name), self.requires[0])}
        return sorted(found)

    def names(self) -> list[str]:
        """Every name that can be loaded. A plugin that is broken is left out here, and `plugins` says why."""
        return sorted({*self.own(), *(plugin.name for plugin in self.plugins() if not plugin.why_not)})

    def find(self, name: str) -> T | None:
        """The module of this name; None when nobody offers one. A plugin that is broken is a `PluginError`."""
        module = self._own(name)
        if module is not None:
            return module
        point = next((point for point in self._points() if point.name == name), None)
        return None if point is None else self._from(point)

    def is_plugin(self, name: str) -> bool:
        """Whether a name is a third party's, and not one of our own."""
        return self._own(name) is None

    def plugins(self) -> list[Plugin]:
        """What third parties offer, each with the reason why it is not used."""
        points = self._points()
        own: set[str] = set(self.own()) if points else set()
        taken: set[str] = set()
        found = []
        for point in points:
            why_not = ""
            if point.name in own:
                why_not = "the name is one of our own"
            elif point.name in taken:
                why_not = "another package offers the same name"
            else:
                try:
                    self._from(point)
                except PluginError as error:
                    why_not = str(error)
            taken.add(point.name)
            found.append(Plugin(self.group, point.name, point.value, _package_of(point), why_not))
        return found

    def _own(self, name: str) -> T | None:
        if name.replace("-", "_") not in self._stems():
            return None
        module = self._import(name)
        return cast(T, module) if not self._has_helpers or hasattr(module, self.requires[0]) else None

    def _stems(self) -> frozenset[str]:
        return _stems_in(tuple(sys.modules[self.package].__path__))

    def _import(self, name: str) -> Any:
        return importlib.import_module(f"{self.package}.{name.replace('-', '_')}")

    def _points(self) -> tuple[EntryPoint, ...]:
        paths = tuple(sys.path)
        return _entry_points(self.group, paths) if self.group and _may_have_plugins(paths) else ()

    def _from(self, point: EntryPoint) -> T:
        """The module of a plugin. Whatever it does wrong is its own fault and must not become ours."""
        try:
            module = point.load()
        except Exception as error:
            raise PluginError(
                f"the plugin {point.name} ({_package_of(point)}) cannot be loaded: {type(error).__name__}: {error}",
                hint="update or uninstall that package; axm doctor lists the plugins",
            ) from error
        missing = [name for name in self.requires if not hasattr(module, name)]
        if missing:
            raise PluginError(
                f"the plugin {point.name} ({_package_of(point)}) has no {', '.join(missing)}",
                hint="docs/plugins.md says what a plugin offers",
            )
        return cast(T, module)


@lru_cache
def _stems_in(folders: tuple[str, ...]) -> frozenset[str]:
    """The public modules and packages of some folders."""
    found = set()
    for folder in folders:
        with os.scandir(folder) as entries:
            for entry in entries:
                stem, dot, ending = entry.name.partition(".")
                if stem[:1].isalpha() and (ending == "py" or (not dot and _is_package(entry.path))):
                    found.add(stem)
    return frozenset(found)


def _is_package(folder: str) -> bool:
    return os.path.exists(os.path.join(folder, "__init__.py"))  # noqa: PTH110, PTH118 - pathlib is slow to import


@lru_cache
def _may_have_plugins(paths: tuple[str, ...]) -> bool:
    """Whether any installed package says something about us, told without `importlib.metadata`, which takes as long to
    import as all the rest of a hook."""
    return any(_offers(path) for path in paths)


def _offers(path: str) -> bool:
    if os.path.isfile(path):  # noqa: PTH113
        return path.endswith((".zip", ".egg", ".whl"))
    try:
        with os.scandir(path) as entries:
            infos = [entry.path for entry in entries if entry.name.endswith((".dist-info", ".egg-info"))]
    except OSError:
        return False
    for info in infos:
        try:
            with open(os.path.join(info, "entry_points.txt"), "rb") as file:  # noqa: PTH118, PTH123
                if _MARK in file.read():
                    return True
        except OSError:
            continue
    return False


@lru_cache
def _entry_points(group: str, _paths: tuple[str, ...]) -> tuple[EntryPoint, ...]:
    from importlib.metadata import entry_points

    return tuple(sorted(entry_points(group=group), key=lambda point: (point.name, _package_of(point))))


def _package_of(point: EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist is not None else "of no package"
