"""Where Codex keeps its rollouts, and how one is opened that was compressed.

A rollout that is compressed later keeps the name that it had: it is the same stream, of which nothing is new.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from io import SEEK_CUR, SEEK_END, BufferedReader, RawIOBase
from pathlib import Path
from typing import Any, BinaryIO, cast

from axiommind.model import Problem
from axiommind.sources.contract import Discovery, SourceFile
from axiommind.sources.finding import FoundIn, file_of, files_below, unique_roots

__all__ = ["discover", "open_stream", "watched"]

_SESSIONS = "sessions"
_FOLDERS = (_SESSIONS, "archived_sessions")
_PACKED = ".zst"
_DEPTH = 4  # `YYYY/MM/DD`, and one more to spare
_ID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$", re.IGNORECASE)
_BLOCK = 1 << 20
_MOST = 8 << 30  # bytes that a compressed rollout may hold


def discover(
    environ: Mapping[str, str],
    home: Path,
    roots: Sequence[str],
    project: str | None = None,  # noqa: ARG001 - the folders are days
) -> Discovery:
    places = unique_roots((environ.get("CODEX_HOME") or home / ".codex", *roots))
    problems: list[Problem] = []
    files: dict[str, SourceFile] = {}
    for root in places:
        for found in _below(root, problems):
            known = files.get(found.path)
            if known is None or found.size > known.size:  # while it is compressed both are there
                files[found.path] = found
    # A subagent began after its parent, and the names begin with the time.
    ordered = sorted(files.values(), key=lambda file: (Path(file.path).name, file.path))
    return Discovery(tuple(map(str, places)), tuple(ordered), tuple(problems))


def _below(root: Path, problems: list[Problem]) -> Iterator[SourceFile]:
    folders = [root / name for name in _FOLDERS if (root / name).is_dir()]
    if not folders and root.name != ".codex":  # a folder of rollouts that the settings name
        folders = [root]
    for folder in folders:
        for entry in files_below(folder, problems, (".jsonl", ".jsonl" + _PACKED), _DEPTH):
            stem = entry.name.removesuffix(_PACKED).removesuffix(".jsonl")
            # `rollout-2026-11-16T04-57-31-<id>.jsonl`
            named = _ID.search(stem)
            place = FoundIn(str(root), folder.name)
            session = named[0] if named else stem
            for file in file_of(entry, "transcript", session, place, None, problems, parent_inside=True):
                yield file._replace(path=file.path.removesuffix(_PACKED))


def watched(root: Path) -> Path:
    """The folder in which rollouts appear; the root itself until the client has made it."""
    return root / _SESSIONS if (root / _SESSIONS).is_dir() else root


def open_stream(path: str) -> BinaryIO:
    try:
        return Path(path).open("rb")
    except FileNotFoundError:
        if not os.path.exists(path + _PACKED):  # noqa: PTH110 - the path is a text here
            raise
    return cast(BinaryIO, BufferedReader(_Unpacked(path + _PACKED), _BLOCK))


class _Unpacked(RawIOBase):
    """A compressed file as what it holds. Only reading on is cheap: to go back it begins again, in bounded memory."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._size: int | None = None
        self._file: BinaryIO | None = None
        self._reader: Any = None
        self._at = 0
        self._begin()

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: Any) -> int:
        data = self._read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def seek(self, offset: int, whence: int = 0) -> int:
        if whence == SEEK_END:
            offset += self._whole()
        elif whence == SEEK_CUR:
            offset += self._at
        if offset < self._at:
            self._begin()
        while self._at < offset and self._read(min(offset - self._at, _BLOCK)):
            pass
        return self._at

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
        super().close()

    def _whole(self) -> int:
        if self._size is None:
            while self._read(_BLOCK):
                pass
            self._size = self._at
        return self._size

    def _begin(self) -> None:
        from zstandard import ZstdDecompressor

        if self._file is not None:
            self._file.close()
        self._file = Path(self._path).open("rb")  # noqa: SIM115 - closed with the stream
        self._reader = ZstdDecompressor().stream_reader(self._file, read_across_frames=True)
        self._at = 0

    def _read(self, size: int) -> bytes:
        from zstandard import ZstdError

        try:
            data = bytes(self._reader.read(size))
        except ZstdError as error:
            raise OSError(5, f"it cannot be decompressed: {error}", self._path) from error
        self._at += len(data)
        if self._at > _MOST:
            raise OSError(27, f"it holds more than {_MOST >> 30} GB", self._path)
        return data
