"""Plugins: what third parties add, and why something of it is not used."""

from __future__ import annotations

from axiommind.extraction import extractors
from axiommind.health.check import Check
from axiommind.reports import perspectives
from axiommind.sources import REGISTRY as SOURCES
from axiommind.vectors import embedders

__all__ = ["check_plugins"]


def check_plugins() -> list[Check]:
    """One line a plugin; nothing where there are none."""
    registries = (SOURCES, extractors.REGISTRY, embedders.REGISTRY, perspectives.REGISTRY)
    checks = []
    for plugin in (plugin for registry in registries for plugin in registry.plugins()):
        kind = plugin.group.rpartition(".")[2].removesuffix("s")
        text = f"{plugin.module} of {plugin.package}"
        if plugin.why_not:
            text += f" is not used: {plugin.why_not}"
        checks.append(Check(f"{kind} {plugin.name}", "warn" if plugin.why_not else "ok", text, data=plugin._asdict()))
    return checks
