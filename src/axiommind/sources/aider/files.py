"""Where Aider's histories are, and the runs in them.

A history lies in the repository that it is of, and no list says in which. The settings name repositories, or folders of
repositories (`sources.roots`: `aider=~/src`); besides, there may be one in the home folder, and one that Aider's own
variable names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, NamedTuple

from axiommind.model import Problem
from axiommind.sources.aider.lines import lines_of
from axiommind.sources.contract import Discovery, SourceFile
from axiommind.sources.finding import scan, unique_roots
from axiommind.sources.rendered import Rendered, split_stream, stream_name

__all__ = ["discover", "expand", "open_stream"]

_HISTORY = ".aider.chat.history.md"
_RUN = re.compile(rb"^# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)[ \t]*\r?$", re.MULTILINE)


class _Run(NamedTuple):
    key: str  # when it began, and which of those that began then
    started: int  # milliseconds
    text: bytes


def discover(
    environ: Mapping[str, str],
    home: Path,
    roots: Sequence[str],
    project: str | None = None,  # noqa: ARG001 - there are few files, and each says its folder
) -> Discovery:
    problems: list[Problem] = []
    places = unique_roots(roots)
    named = environ.get("AIDER_CHAT_HISTORY_FILE")
    histories = [home / _HISTORY, *([Path(named).expanduser()] if named else [])]
    for root in places:
        histories += [root / _HISTORY, *(Path(entry.path) / _HISTORY for entry in scan(root, problems))]
    files = {found.path: found for path in histories if (found := _container(path)) is not None}
    return Discovery(tuple(map(str, places)), tuple(files.values()), tuple(problems))


def _container(path: Path) -> SourceFile | None:
    try:
        info = path.stat()
    except OSError:
        return None
    if not path.is_file():
        return None
    state = (info.st_size, info.st_mtime_ns, info.st_ino)
    return SourceFile(str(path), "container", "", str(path.parent), path.parent.name, None, *state)


def expand(container: SourceFile) -> Discovery:
    """The runs of a history. Each looks changed when it has grown."""
    found = []
    for run in _runs(Path(container.path).read_bytes()):
        session = f"{container.folder}-{run.key}"
        state = (len(run.text), run.started * 1_000_000, container.inode)
        where = stream_name(container.path, run.key)
        place = (container.root, container.folder)
        found.append(SourceFile(where, "transcript", session, *place, None, *state, cwd=container.root))
    return Discovery((container.root,), tuple(found), ())


def open_stream(path: str) -> BinaryIO:
    file, key = split_stream(path)
    run = next((one for one in _runs(Path(file).read_bytes()) if one.key == key), None)
    return Rendered(() if run is None else lines_of(run.started, run.text.decode("utf-8", "replace")))


def _runs(content: bytes) -> Iterator[_Run]:
    starts = list(_RUN.finditer(content))
    seen: dict[str, int] = {}
    for i, start in enumerate(starts):
        when = start[1].decode()
        try:
            began = datetime.strptime(when, "%Y-%m-%d %H:%M:%S").astimezone()  # of this machine
        except (ValueError, OverflowError):
            continue
        seen[when] = seen.get(when, 0) + 1
        key = re.sub(r"\D", "", when) + (f"-{seen[when]}" if seen[when] > 1 else "")
        end = starts[i + 1].start() if i + 1 < len(starts) else len(content)
        yield _Run(key, int(began.timestamp() * 1000), content[start.end() : end])
