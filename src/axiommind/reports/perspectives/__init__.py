"""Perspectives: ready-made questions to the index.

One file each, and the folder is the registry: `tool_frequency.py` is the perspective `tool-frequency` and
holds one `PERSPECTIVE`; third parties add theirs by entry points (docs/plugins.md). A perspective reads the tables of
the index through a connection that is already read-only and already scoped to a project (see `projections/scope.py`),
with bound parameters only.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

from axiommind.errors import AxmError, BadQuery, PluginError
from axiommind.registry import Registry

__all__ = ["COMMON", "REGISTRY", "Param", "Params", "Perspective", "Plot", "Row", "common", "is_known", "load", "names"]

Row = dict[str, Any]
Params = Mapping[str, Any]


class Param(NamedTuple):
    """One parameter: `kind` is how its text is read, `least` and `most` its limits; `default` None means not given."""

    name: str
    kind: type[int] | type[float] | type[str]
    default: int | float | str | None
    help: str
    choices: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None

    def read(self, given: Any, now: int) -> Any:
        """A value as a person or an agent wrote it: a time in their words, a number within its limits."""
        if self.name in ("since", "until") and isinstance(given, str):
            from axiommind.search.dates import moment

            at = moment(given, now, end=self.name == "until")
            if at is None:
                raise BadQuery(f"{given!r} is not a time", hint="such as 2026-01-31, 7d, yesterday, last week")
            return at
        if self.name == "top" and given == "all":
            return -1
        try:
            value = self.kind(given)
        except (TypeError, ValueError):
            kind = {int: "a whole number", float: "a number"}.get(self.kind, "text")
            raise BadQuery(f"{given!r} is not {kind}", hint=self.help) from None
        if self.choices and value not in self.choices:
            raise BadQuery(f"{given!r} is not one of {', '.join(self.choices)}", hint=self.help)
        if not isinstance(value, str) and not self._is_within(value):
            raise BadQuery(f"{given} is not {self._limits()}", hint=self.help)
        return value

    def _is_within(self, value: float) -> bool:
        return (self.least is None or value >= self.least) and (self.most is None or value <= self.most)

    def _limits(self) -> str:
        if self.most is None:
            return f"{self.least} or more"
        return f"from {self.least} to {self.most}"


class Plot(NamedTuple):
    """How the rows look as a chart: a mark (`bar`, `line`, `area`, `heat`, `graph`) over named columns."""

    mark: str
    x: str
    y: str
    color: str | None = None
    size: str | None = None


# The filters of R0.66: every perspective honours all of them. `since` and `until` are given as epoch
# milliseconds (until exclusive); `tool` is a LIKE pattern only when it contains `%`.
COMMON: tuple[Param, ...] = (
    Param("since", int, None, "only what happened since then: 2026-01-31, 7d, yesterday (UTC)"),
    Param("until", int, None, "only what happened until then, the named day included"),
    Param("tool", str, None, "only this tool (classified name; a pattern when it contains %)"),
    Param("session", str, None, "only this session (id, or its first characters)"),
    Param("top", int, None, "at most this many rows, or all", least=1),
    Param("min_count", int, None, "only rows counted at least this often", least=0),
)


def common(defaults: Mapping[str, int], **meaning: str) -> tuple[Param, ...]:
    """COMMON as one perspective reads it: its own defaults, and its own words where a filter means more."""
    every = {"top": -1, "min_count": 0, **defaults}
    return tuple(p._replace(default=every.get(p.name, p.default), help=meaning.get(p.name, p.help)) for p in COMMON)


class Perspective(NamedTuple):
    """`filters` are the common filters in this perspective's words, with its defaults; `params` its own."""

    name: str
    summary: str
    columns: tuple[str, ...]
    run: Callable[[sqlite3.Connection, Params], list[Row]]
    params: tuple[Param, ...] = ()
    plot: Plot | None = None
    filters: tuple[Param, ...] = COMMON

    def read(self, given: Mapping[str, Any], now: int) -> dict[str, Any]:
        """Every parameter: as somebody wrote it, or its default."""
        known = {param.name: param for param in (*self.filters, *self.params)}
        values: dict[str, Any] = {name: param.default for name, param in known.items()}
        for written, value in given.items():
            name = written.strip().replace("-", "_")
            if name not in known:
                raise BadQuery(
                    f"{self.name} has no parameter {written!r}",
                    hint="it has: " + "; ".join(f"{one.name} ({one.help})" for one in known.values()),
                )
            if value is not None:
                try:
                    values[name] = known[name].read(value, now)
                except BadQuery as error:
                    raise BadQuery(f"{name}: {error.message}", hint=error.hint) from None
        return values


class PerspectiveModule(Protocol):
    PERSPECTIVE: Perspective


REGISTRY: Registry[PerspectiveModule] = Registry(__name__, requires=("PERSPECTIVE",), group="axiommind.perspectives")


def names() -> list[str]:
    """Every perspective, without importing any of ours."""
    return REGISTRY.names()


def is_known(name: str) -> bool:
    """Whether there is such a perspective, without a look at all the others."""
    try:
        return REGISTRY.find(name) is not None
    except PluginError:
        return False


def load(name: str) -> Perspective:
    """Import the one perspective that is asked for."""
    module = REGISTRY.find(name)
    if module is None:
        from difflib import get_close_matches

        near = get_close_matches(name, names(), n=1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise BadQuery(f"unknown perspective {name!r}", hint=f"{hint}axm query --list-perspectives names them")
    perspective = module.PERSPECTIVE
    return _guarded(perspective) if REGISTRY.is_plugin(name) else perspective


def _guarded(perspective: Perspective) -> Perspective:
    """A third party's perspective, whose mistakes are told as its own."""

    def run(db: sqlite3.Connection, params: Params) -> list[Row]:
        try:
            return perspective.run(db, params)
        except (AxmError, sqlite3.Error):
            raise
        except Exception as error:
            raise PluginError(
                f"the perspective {perspective.name} failed: {type(error).__name__}: {error}",
                hint="it is a plugin: axm doctor names its package",
            ) from error

    return perspective._replace(run=run)
