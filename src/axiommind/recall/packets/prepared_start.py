"""What the next start of a project is told, prepared by whoever indexed last, so that a start costs a read.

One file per project, in `hooks/starts/` of the home, replaced in one step. It holds only while the index is the very
file that it was made from and the code that it speaks of is as it was; otherwise, and when some of it is old news by
now, a start is made from the index. Forgetting removes the folder, and whoever prepares looks at the index again
afterwards, so nothing of a forgotten session stays. A hook reads this, so it imports little.
"""

from __future__ import annotations

import json
import os
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from axiommind import __version__
from axiommind.recall.packet import Note, Packet, Section

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from axiommind.config import Config

__all__ = ["IndexState", "PreparedStart", "read_prepared", "state_of", "write_prepared"]

_VERSION = 2
_MOST_BYTES = 100_000

FileState = list[int] | None
IndexState = list[FileState]


class PreparedStart(NamedTuple):
    """What a start is told, as of one state of the index."""

    fresh: Packet | None  # a new session
    resumed: Packet | None  # one that goes on: without what was said last
    session: str | None  # the last session, which is not to be told about itself
    until: int  # when some of it is old news, in epoch milliseconds

    def told(self, source: str) -> Packet | None:
        return self.fresh if source == "startup" else self.resumed

    @property
    def notes(self) -> tuple[Note, ...]:
        return tuple(note for packet in (self.fresh, self.resumed) if packet is not None for note in packet.notes)


def state_of(config: Config) -> IndexState:
    """The index as a file: whatever is written into it changes this."""
    wal = _stat(f"{config.index_path}-wal")
    return [_stat(config.index_path), wal if wal is not None and wal[1] else None]  # a reader leaves an empty one


def write_prepared(
    config: Config, state: IndexState, starts: Mapping[str, PreparedStart], files: Mapping[str, Iterable[str]]
) -> int:
    """Keep the starts of projects, read from an index that was in this state before it was read, and the files of code
    that they speak of. What was kept before goes. Returns how many hold."""
    folder = config.starts_path
    for made in (folder.parent, folder):
        made.mkdir(exist_ok=True, mode=0o700)
    written = set()
    for project, start in starts.items():
        content = {
            "made": [_VERSION, __version__],
            "project": project,
            "state": state,
            "files": [(path, _stat(path)) for path in files.get(project, ())],
            "session": start.session,
            "until": start.until,
            "fresh": _listed(start.fresh),
            "resumed": _listed(start.resumed),
        }
        path = _path(config, project)
        beside = path.with_suffix(f".{os.getpid()}")
        beside.touch(0o600)
        beside.write_bytes(json.dumps(content, ensure_ascii=False).encode("utf-8", "replace"))
        beside.replace(path)
        written.add(path.name)
    # Whoever forgets something changes the index first and removes these files then: one of us sees the other.
    kept = written if state_of(config) == state else set()
    for left in folder.iterdir():
        if left.name not in kept:
            left.unlink(missing_ok=True)
    return len(kept)


def read_prepared(config: Config, project: str, *, session: str, now: int) -> PreparedStart | None:
    """The prepared start of a project; None where there is none that holds."""
    try:
        data = _path(config, project).read_bytes()
        if len(data) > _MOST_BYTES:
            return None
        said = json.loads(data)
        if said["made"] != [_VERSION, __version__] or said["project"] != project or said["state"] != state_of(config):
            return None
        if said["session"] == session or now >= said["until"]:
            return None
        if any(_stat(path) != before for path, before in said["files"]):
            return None  # what is told may hold no more: made from the index, it is compared with the code
        return PreparedStart(_packet(said["fresh"]), _packet(said["resumed"]), said["session"], said["until"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def _path(config: Config, project: str) -> Path:
    """Where two projects have the same sum, one has the file: its content says which."""
    return config.starts_path / f"{zlib.crc32(os.fsencode(project)):08x}.json"


def _stat(path: str | Path) -> FileState:
    try:
        found = os.stat(path)  # noqa: PTH116 - a hook has no time for another Path
    except (OSError, ValueError):
        return None
    return [found.st_ino, found.st_size, found.st_mtime_ns]


def _listed(packet: Packet | None) -> list[Any] | None:
    """A packet without its citations: the ids open them."""
    if packet is None:
        return None
    return [(section.title, [note._replace(citation=None) for note in section.notes]) for section in packet.sections]


def _packet(said: list[Any] | None) -> Packet | None:
    if said is None:
        return None
    return Packet(tuple(Section(title, tuple(map(Note._make, notes))) for title, notes in said))
