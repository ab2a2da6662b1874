"""The report of `axm insight` as Markdown, HTML or JSON.

What it says is put together once (`_document.py`), as blocks that know what is ours and what was quoted; each writer
escapes what was quoted in its own way. The same report gives the same bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from axiommind.reports.insight.values import InsightReport

__all__ = ["FORMATS", "as_html", "as_json", "as_markdown"]

FORMATS = ("md", "html", "json")


def as_markdown(report: InsightReport) -> str:
    from axiommind.surfaces.render.insight._document import blocks
    from axiommind.surfaces.render.insight._markdown import write

    return write(blocks(report))


def as_html(report: InsightReport) -> str:
    from axiommind.surfaces.render.insight._charts import charts
    from axiommind.surfaces.render.insight._document import blocks
    from axiommind.surfaces.render.insight._html import write
    from axiommind.surfaces.render.insight._sources import sources

    pictures, note = charts(report)
    return write(blocks(report, without_bars=bool(pictures)), pictures, sources(report), note)


def as_json(report: InsightReport) -> str:
    from axiommind.surfaces.render.insight._record import write

    return write(report)
