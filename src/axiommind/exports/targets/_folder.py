"""An export that is a folder: a folder for each table, a file for each part, and `manifest.json`, which names them.

New parts are written under other names first. Then they get theirs, the manifest is replaced, and what it does not name
goes. Whoever was killed in between left files that the next run removes; no file that is not of our making is touched.
"""

from __future__ import annotations

import json
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from axiommind.disk import os_error
from axiommind.errors import StoreError, UsageError
from axiommind.exports.manifest import Manifest, dictionary
from axiommind.exports.parts import Part
from axiommind.exports.snapshot import ExportedTable
from axiommind.private import make_private

__all__ = ["MANIFEST", "FolderTarget", "file_of", "found", "private_file"]

MANIFEST = "manifest.json"
_DICTIONARY = "dictionary.json"
_NEW = ".new"


def private_file(path: Path) -> Any:
    """A new file that only its owner can read."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb")


def found(path: Path, to: str, suffix: str) -> Manifest | None:
    """The export in a folder; None where the folder is empty or not there."""
    if path.is_file():
        raise UsageError(f"{path} is a file, and {to} writes a folder", hint="name a folder")
    manifest = path / MANIFEST
    if manifest.is_file():
        said = Manifest.of_json(manifest.read_bytes(), str(path))
        if said.to != to:
            raise UsageError(f"{path} is an export to {said.to}", hint="name another folder")
        there = tuple(p for p in said.parts if file_of(path, p, suffix).is_file())
        return said if len(there) == len(said.parts) else said.in_part(there)
    if path.is_dir() and not _is_unfinished(path) and any(path.iterdir()):
        raise UsageError(f"{path} is not empty and no export of ours", hint="name another folder")
    return None


def _is_unfinished(path: Path) -> bool:
    """Whether there is only what a first run left that did not come to its end."""
    return all(one.is_dir() and all(_OURS.fullmatch(file.name) for file in one.iterdir()) for one in path.iterdir())


_OURS = re.compile(r"(?:[0-9]{16}-)?[0-9a-f]{32}\.(?:jsonl|parquet)(?:\.new)?")


def file_of(path: Path, part: Part, suffix: str) -> Path:
    """The file of a part in an export."""
    return path / part.table / _name(part, suffix)


def _name(part: Part, suffix: str) -> str:
    """Parts of tables that are numbered are listed in the order of their numbers."""
    numbered = len(part.first) == 1 and isinstance(part.first[0], int) and part.first[0] >= 0
    return f"{part.first[0]:016d}-{part.digest}.{suffix}" if numbered else f"{part.digest}.{suffix}"


class FolderTarget(ABC):
    """An export in a folder that is being written."""

    SUFFIX: str
    TYPES: dict[str, str]

    def __init__(self, path: Path) -> None:
        self.path = path
        self._tables: list[ExportedTable] = []
        self._new: list[Path] = []

    @abstractmethod
    def write(self, file: Path, table: ExportedTable, rows: Iterable[tuple[Any, ...]]) -> None:
        """Rows of a part into a new file."""

    def begin(self, tables: Sequence[ExportedTable], _anew: bool, /) -> None:
        self._tables = list(tables)
        with self._named_errors():
            make_private(self.path)

    def add(self, table: ExportedTable, part: Part, rows: Iterable[tuple[Any, ...]], /) -> None:
        file = self.path / table.name / (_name(part, self.SUFFIX) + _NEW)
        self._new.append(file)
        with self._named_errors():
            make_private(file.parent)
            self.write(file, table, rows)

    def remove(self, _table: ExportedTable, _parts: Sequence[Part], _everything: bool, /) -> None:
        """They go when the manifest does not name them any more."""
        return

    def commit(self, manifest: Manifest) -> int:
        with self._named_errors():
            for file in self._new:
                file.replace(file.with_name(file.name.removesuffix(_NEW)))
            self._new = []
            self.replace(_DICTIONARY, json.dumps(dictionary(self._tables, self.TYPES), indent=1, ensure_ascii=False))
            self.describe(self._tables, frozenset(part.table for part in manifest.parts))
            self.replace(MANIFEST, manifest.as_json(self._tables))
            self._sweep(manifest)
        return sum(file.stat().st_size for file in self.path.rglob("*") if file.is_file())

    def describe(self, _tables: Sequence[ExportedTable], _filled: frozenset[str], /) -> None:
        """Files beside the parts that a format has of its own; `filled` are the tables with rows."""
        return

    def abort(self) -> None:
        for file in self._new:
            with suppress(OSError):
                file.unlink()

    def replace(self, name: str, text: str) -> None:
        new = self.path / (name + _NEW)
        with private_file(new) as file:
            file.write(text.encode("utf-8", "replace"))
            file.flush()
            os.fsync(file.fileno())
        new.replace(self.path / name)

    def _sweep(self, manifest: Manifest) -> None:
        """Remove our files that the manifest does not name, and folders of ours that are empty then."""
        named = {(part.table, _name(part, self.SUFFIX)) for part in manifest.parts}
        filled = {part.table for part in manifest.parts}
        for folder in [one for one in self.path.iterdir() if one.is_dir() and not one.is_symlink()]:
            for file in folder.iterdir():
                if _OURS.fullmatch(file.name) and (folder.name, file.name) not in named:
                    file.unlink()
            if folder.name not in filled:
                with suppress(OSError):  # somebody else's files are in it
                    folder.rmdir()

    def _named_errors(self) -> Any:
        return _NamedErrors(self.path)


class _NamedErrors:
    """What an error of the system means for this folder."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, OSError):
            raise os_error(error, self._path) or StoreError(
                f"{self._path} cannot be written: {error.strerror or error}", hint="name another place"
            ) from error
