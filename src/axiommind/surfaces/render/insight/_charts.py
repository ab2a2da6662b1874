"""The charts of a report as SVG text, drawn as `axm query --plot` draws; none where the extra is not installed."""

from __future__ import annotations

import re
import tempfile
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from axiommind.errors import MissingExtra
from axiommind.reports.perspectives import Perspective, Plot
from axiommind.surfaces.render.plot import draw

if TYPE_CHECKING:
    from axiommind.reports.insight.values import InsightReport

__all__ = ["charts"]

_IDS = re.compile(r"""(id="|url\(#|href="#)""")
_LINES = 6
_MOST_DAYS = 14


def charts(report: InsightReport) -> tuple[dict[str, str], str]:
    """Pictures by name; or none, and a word on how to get them."""
    found: dict[str, str] = {}
    try:
        for name, summary, subtitle, plot, rows in _asked(report):
            if rows:
                found[name] = _svg(name, summary, subtitle, plot, rows)
    except MissingExtra:
        return {}, "Without charts: they need the extra plot, and axm doctor says how to add it."
    return found, ""


def _asked(report: InsightReport) -> list[tuple[str, str, str, Plot, list[dict[str, Any]]]]:
    days, unit = _busy(report)
    tools = [{"tool": t.tool, "uses": t.uses} for t in report.tools]
    lines = [
        {"week": week, "tool": trend.tool, "uses": count}
        for trend in report.trends[:_LINES]
        for week, count in zip(report.weeks, trend.weeks, strict=True)
    ]
    return [
        ("days", f"active hours a {unit}", "pauses of more than 5 minutes left out", Plot("bar", "hours", "day"), days),
        ("tools", "tools used most", "by count", Plot("bar", "uses", "tool"), tools),
        ("trends", "tools gaining and fading", "uses a week", Plot("line", "week", "uses", "tool"), lines),
    ]  # fmt: skip


def _busy(report: InsightReport) -> tuple[list[dict[str, Any]], str]:
    """The days on which something was done; of more than can be seen at a glance, the weeks."""
    active = [(d.day, d.active_ms) for d in report.days if d.active_ms]
    unit = "day"
    if len(active) > _MOST_DAYS:
        unit = "week"
        weeks: dict[str, int] = {}
        for day, ms in active:
            monday = date.fromisoformat(day) - timedelta(days=date.fromisoformat(day).weekday())
            weeks[monday.isoformat()] = weeks.get(monday.isoformat(), 0) + ms
        active = list(weeks.items())[-_MOST_DAYS:]
    return [{"day": day, "hours": round(ms / 3_600_000, 2)} for day, ms in active], unit


def _svg(name: str, summary: str, subtitle: str, plot: Plot, rows: list[dict[str, Any]]) -> str:
    hint = Perspective(subtitle, summary, tuple(rows[0]), lambda _db, _params: rows, plot=plot)
    with tempfile.TemporaryDirectory(prefix="axm-chart-") as folder:
        path = Path(folder) / f"{name}.svg"
        draw(rows, hint, path)
        svg = path.read_text(encoding="utf-8")
    # Several pictures in one page: each has ids of its own.
    return _IDS.sub(rf"\g<1>{name}-", svg[svg.index("<svg") :])
