"""Templates and what they say of values: times, sizes, ids, places. Everything is escaped that is not marked as HTML
by `prose`, which makes it harmless."""

from __future__ import annotations

import functools
import shlex
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from axiommind.memory import Memory
from axiommind.surfaces.render.markup import visible
from axiommind.surfaces.render.provenance import SAID_BY
from axiommind.surfaces.web import prose
from axiommind.surfaces.web.icons import icon

__all__ = ["environment", "projects"]

_FOLDER = Path(__file__).parent / "templates"
_PROJECTS_SECONDS = 30
_UNITS = ((31_536_000, "y"), (2_592_000, "mo"), (604_800, "w"), (86_400, "d"), (3_600, "h"), (60, "min"))


@functools.cache
def environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "ago": _ago,
        "long_ago": lambda at: _ago(at, in_words=True),
        "cited": _cited,
        "clock": _clock,
        "compact": compact,
        "count": lambda value: f"{value:,}",
        "counted": _counted,
        "day": _day,
        "dollars": _dollars,
        "lasted": _lasted,
        "place": _place,
        "said_by": lambda name: SAID_BY.get(name, name),
        "shell": lambda words: shlex.join(words),
        "short": lambda name: str(name).removeprefix("ent_")[:8],
        "stamp": _stamp,
        "words": lambda text: str(text).replace("_", " ").replace("-", " "),
        "visible": lambda text: visible(str(text)),
        "markdown": prose.markdown,
        "document": prose.document,
        "code": prose.code,
        "diff": prose.diff,
    }
    made.globals["icon"] = icon
    return made


def projects(memory: Memory) -> Sequence[str]:
    """The projects of the index, the largest first. Looked up now and then, as every page offers them."""
    return _projects(memory, int(time.monotonic() // _PROJECTS_SECONDS))


@functools.lru_cache(maxsize=4)
def _projects(memory: Memory, _now: int) -> Sequence[str]:
    if not memory.config.index_path.exists():
        return ()
    sql = "select project from sessions where parent_session is null group by project order by count(*) desc, project"
    return tuple(str(row[0]) for row in memory.own_sql(f"{sql} limit 200", memory.scope(all_projects=True)))


def compact(value: float | None) -> str:
    """A number in as few letters as tell its size: 950, 12.3k, 4.1M."""
    number = float(value or 0)
    for size, unit in ((1e9, "B"), (1e6, "M"), (1e3, "k")):
        if abs(number) >= size:
            shown = f"{number / size:.1f}" if abs(number) < 100 * size else f"{number / size:.0f}"
            return f"{shown.removesuffix('.0')}{unit}"
    return f"{number:.0f}"


def _counted(value: int, word: str, plural: str = "") -> str:
    return f"{value:,} {word if value == 1 else plural or word + 's'}"


def _dollars(value: float | None) -> str:
    if value is None:
        return "–"
    return f"${value:,.2f}" if value >= 0.01 or value == 0 else "<$0.01"


def _moment(at: Any) -> datetime | None:
    if at in (None, "", 0):
        return None
    if isinstance(at, str):
        try:
            return datetime.fromisoformat(at.replace("Z", "+00:00"))
        except ValueError:
            return None
    return datetime.fromtimestamp(at / 1000, UTC)


def _ago(at: Any, *, in_words: bool = False) -> Markup:
    """How long ago, with the moment itself for whoever points at it."""
    moment = _moment(at)
    if moment is None:
        return Markup("")
    seconds = max((datetime.now(UTC) - moment).total_seconds(), 0)
    shown = next((f"{int(seconds // size)} {unit}" for size, unit in _UNITS if seconds >= size), "now")
    if in_words:
        shown = "just now" if shown == "now" else f"{shown} ago"
    return Markup('<time datetime="{}" title="{}">{}</time>').format(
        moment.isoformat(timespec="seconds"), f"{moment:%Y-%m-%d %H:%M} UTC", shown
    )


def _stamp(at: Any) -> str:
    moment = _moment(at)
    return "" if moment is None else f"{moment:%Y-%m-%d %H:%M}"


def _day(at: Any) -> str:
    moment = _moment(at)
    return "" if moment is None else f"{moment:%Y-%m-%d}"


def _clock(at: Any) -> str:
    moment = _moment(at)
    return "" if moment is None else f"{moment:%H:%M}"


def _lasted(milliseconds: int | None) -> str:
    seconds = max((milliseconds or 0) // 1000, 0)
    if seconds < 60:
        return f"{seconds} s"
    minutes = seconds // 60
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02d} min"


def _cited(citation: Any) -> str:
    """The file's own name and the lines."""
    return visible(citation.text.replace("\\", "/").rpartition("/")[2])


def _place(path: str | None) -> str:
    """A folder or file by its last two names: what a person calls it."""
    parts = [part for part in str(path or "").replace("\\", "/").split("/") if part]
    return "/".join(parts[-2:]) if len(parts) > 1 else str(path or "")
