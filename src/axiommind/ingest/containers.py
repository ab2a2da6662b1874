"""Files that hold several sessions: a database is opened only when it looks changed, and then asked which sessions are
in it. What it looked like is a head of its own, noted when everything in it was read."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from io import BytesIO

from axiommind.ingest.file_names import without_secrets
from axiommind.ingest.heads import is_unchanged
from axiommind.log import Head
from axiommind.model import Problem
from axiommind.sources import Discovery, SourceFile, jsonl
from axiommind.sources import load as load_source
from axiommind.text.redaction import Redactor

__all__ = ["KIND", "Containers"]

KIND = "container"


class Containers:
    """Those of one run."""

    def __init__(self, heads: Mapping[str, Head], key: bytes, redactor: Redactor, *, full: bool) -> None:
        self._heads = heads
        self._key = key
        self._redactor = redactor
        self._full = full
        self._read: dict[str, Head] = {}
        self._seen: set[str] = set()
        self.unchanged: set[str] = set()
        self.unreadable: set[str] = set()

    def sessions(self, source: str, discovery: Discovery) -> tuple[list[SourceFile], list[Problem]]:
        """What was found, with the sessions of changed containers in their places; and what went wrong there."""
        files: list[SourceFile] = []
        problems: list[Problem] = []
        for file in discovery.files:
            if file.kind != KIND:
                files.append(file)
                continue
            self._seen.add(file.path)
            head = self._heads.get(file.path)
            if head is not None and not self._full and is_unchanged(head, file):
                self.unchanged.add(file.path)
                continue
            try:
                inner = load_source(source).expand(file._replace(path=file.place))
            except OSError as error:
                problems.append(Problem(file.path, 0, f"cannot be read: {error.strerror or error}"))
                self.unreadable.add(file.path)
                continue
            except Exception as error:  # noqa: BLE001 - whatever one file holds, it must not stop the others
                problems.append(Problem(file.path, 0, f"cannot be understood: {type(error).__name__}: {error}"))
                self.unreadable.add(file.path)
                continue
            ((_, inner),) = without_secrets([(source, inner)], self._redactor)
            files += (one._replace(container=file.path) for one in inner.files)
            problems += inner.problems
            if not inner.problems:
                self._read[file.path] = self._head(source, file)
        return files, problems

    def _head(self, source: str, file: SourceFile) -> Head:
        nothing = jsonl.ends_of(BytesIO(), 0, self._key)
        state = {
            "source": source,
            "session_id": "",
            "parent_session": None,
            "kind": KIND,
            "folder": file.folder,
            "project": "",
            "project_known": 0,
            "flips": 0,
            "lines": 0,
            "open_end": False,
            "head": nothing.head,
            "tail": nothing.tail,
        }
        return Head(file.path, 0, 0, file.size, file.mtime_ns, file.inode, state)

    def done(self, unread: Sequence[str]) -> list[Head]:
        """The heads to note once all was read; not of those some of whose sessions could not be. One that is gone is
        opened again when it comes back, even if it looks as before: its sessions come back with it."""
        left = {path.rpartition("#")[0] for path in unread}
        gone = [
            replace(head, size=-1)
            for path, head in self._heads.items()
            if head.state["kind"] == KIND and path not in self._seen and head.size >= 0 and not os.path.lexists(path)
        ]
        return [*gone, *(head for path, head in self._read.items() if path not in left)]
