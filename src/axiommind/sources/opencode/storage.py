"""Sessions of OpenCode before version 1.2: a JSON file for each session, message and part. Later versions took them
over into their database, so where there is one, these are old copies."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from axiommind.model import Problem
from axiommind.sources.contract import SourceFile
from axiommind.sources.databases import text_of
from axiommind.sources.finding import FoundIn, file_of, files_below, scan
from axiommind.sources.opencode.rendering import MessageRow, SessionRow, lines_of
from axiommind.sources.rendered import Rendered, is_name
from axiommind.sources.values import whole_number
from axiommind.text import jsonlines

__all__ = ["read", "sessions"]


def sessions(root: Path, problems: list[Problem]) -> Iterator[SourceFile]:
    """Each session with the times of its messages, and of the parts of the last one: earlier ones have settled."""
    storage = root / "storage"
    if (root / "opencode.db").exists():
        return
    for entry in files_below(storage / "session", problems, (".json",), depth=1):
        name = entry.name.removesuffix(".json")
        place = FoundIn(str(root), Path(entry.path).parent.name)
        for found in file_of(entry, "transcript", name, place, None, problems) if is_name(name) else ():
            rows = scan(storage / "message" / name, problems)
            last = rows[-1].name.removesuffix(".json") if rows else ""
            rows += scan(storage / "part" / last, problems) if is_name(last) else []
            times = [found.mtime_ns, *(_changed(row.path) for row in rows)]
            yield found._replace(size=found.size + len(rows), mtime_ns=max(times), parent_inside=True)


def _changed(path: str) -> int:
    try:
        return Path(path).stat().st_mtime_ns
    except OSError:
        return 0


def read(path: str) -> Rendered:
    """A session as lines."""
    storage = Path(path).parents[2]
    about = _value(Path(path))
    if not isinstance(about, dict):
        raise OSError(5, "is no session of OpenCode", path)
    name = Path(path).stem
    messages = []
    for place in sorted((storage / "message" / name).glob("*.json")):
        parts = [(one.stem, _value(one)) for one in sorted((storage / "part" / place.stem).glob("*.json"))]
        messages.append(MessageRow(place.stem, _value(place), parts))
    return Rendered(lines_of(_session(name, about), messages, is_over=False))


def _session(name: str, about: dict[str, Any]) -> SessionRow:
    time = about.get("time")
    created = whole_number(time.get("created")) if isinstance(time, dict) else None
    texts = text_of(about.get("directory")), text_of(about.get("version")), text_of(about.get("title"))
    parent = about.get("parentID")
    return SessionRow(name, parent if is_name(parent) else None, *texts, created or 0)


def _value(path: Path) -> Any:
    try:
        return jsonlines.parse(path.read_bytes())
    except ValueError:
        return None
