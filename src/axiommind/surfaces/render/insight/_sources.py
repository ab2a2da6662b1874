"""Where the citations of a page lead: each with the words that stand there, the day, and the file."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple

from axiommind.model import Citation
from axiommind.reports.insight.values import CitedQuote
from axiommind.surfaces.render.tables import day

if TYPE_CHECKING:
    from axiommind.reports.insight.values import InsightReport

__all__ = ["CitedSource", "sources"]

_SHORT = 8  # characters of a session's id


class CitedSource(NamedTuple):
    """`label`: the citation as it stands in the text; `href`: the file, where it is one."""

    label: str
    href: str
    quote: str
    day: str


def sources(report: InsightReport) -> dict[str, CitedSource]:
    """Every citation of a report, by the text that opens it."""
    found: dict[str, CitedSource] = {}
    for citation, quote, at in _cited(report):
        short = citation._replace(path=report.names.get(citation.path, citation.path))
        known = found.get(short.text)
        if known is None or not known.quote:
            found[short.text] = CitedSource(_label(short), _href(citation.path), quote, day(at) if at else "")
    return found


def _cited(value: Any) -> list[tuple[Citation, str, int | None]]:
    if isinstance(value, Citation):
        return [(value, "", None)]
    if isinstance(value, CitedQuote):
        return [(value.citation, value.quote, value.at)]
    return [one for each in value for one in _cited(each)] if isinstance(value, tuple) else []


def _label(citation: Citation) -> str:
    """The first characters of a session's id, and the lines."""
    name, _, ending = PurePath(citation.path).name.rpartition(".")
    lines = citation.text[len(citation.path) :]
    return (
        name[:_SHORT] if ending == "jsonl" and len(name) > _SHORT else f"{name}.{ending}" if name else ending
    ) + lines


def _href(path: str) -> str:
    try:
        return PurePath(path).as_uri()
    except ValueError:
        return ""
