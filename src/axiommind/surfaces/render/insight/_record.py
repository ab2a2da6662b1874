"""The report as JSON: one line for each item, citations as the text that opens them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from axiommind.model import Citation
from axiommind.surfaces.render.entries import iso

if TYPE_CHECKING:
    from axiommind.reports.insight.values import InsightReport

__all__ = ["write"]

_TIMES = frozenset({"as_of", "since", "until", "first_at", "last_at", "at"})
# What only writers need; and of a quote its session, whose id the citation's file has.
_LEFT_OUT = frozenset({"names", "weight", "language"})
_OF_QUOTES = frozenset({"session", "at"})


def write(report: InsightReport) -> str:
    lines = ['"schema": "axm.insight.v1"']
    for name, value in report._asdict().items():
        if name in _LEFT_OUT:
            continue
        if isinstance(value, tuple) and value:
            items = ",\n".join("  " + _dumped(_plain("", item, report)) for item in value)
            lines.append(f"{json.dumps(name)}: [\n{items}\n ]")
        else:
            lines.append(f"{json.dumps(name)}: {_dumped(_plain(name, value, report))}")
    return "{\n " + ",\n ".join(lines) + "\n}"


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _plain(name: str, value: Any, report: InsightReport) -> Any:
    if isinstance(value, Citation):
        return value._replace(path=report.names.get(value.path, value.path)).text
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        fields = value._asdict()
        drop = _LEFT_OUT | _OF_QUOTES if "quote" in fields else _LEFT_OUT
        if all(tokens.dollars is None for tokens in report.tokens):  # turned off, or no price is known of any
            drop |= {"dollars"}
        return {key: _plain(key, each, report) for key, each in fields.items() if key not in drop}
    if isinstance(value, tuple):
        return [_plain("", each, report) for each in value]
    if name in _TIMES and isinstance(value, int):
        return iso(value)
    return round(value, 3) if isinstance(value, float) else value
