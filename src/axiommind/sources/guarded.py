"""Sources of third parties, and of nobody: whatever goes wrong in them is a problem of the lines they were given.

A plugin must never stop a run, so each call is held to its contract here; our own sources need no guard, their tests
hold them to it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from axiommind.model import Problem
from axiommind.sources import Discovery, Source
from axiommind.sources.records import Block, CallBlocks, Decoded
from axiommind.tools.kinds import KnownTool

__all__ = ["AbsentSource", "GuardedSource"]

_Given = TypeVar("_Given")


def _undecoded(content: bytes, first_line: int, why: str) -> Decoded:
    lines = content.count(b"\n") + (not content.endswith(b"\n") and bool(content))
    return Decoded(lines=lines, problems=[(first_line, why)])


class AbsentSource:
    """Stands for a source that is not installed, or cannot be loaded."""

    TOOLS: Mapping[str, KnownTool] = {}
    WATCHED: tuple[str, ...] = ()

    def __init__(self, name: str, why: str) -> None:
        self.NAME = name
        self._why = why

    def watched(self, root: Path) -> Path:
        return root

    def resume(self, session_id: str) -> tuple[str, ...] | None:  # noqa: ARG002
        return None

    def discover(self, environ: Mapping[str, str], home: Path, roots: Sequence[str], project: str | None) -> Discovery:  # noqa: ARG002
        return Discovery((), (), (Problem(self.NAME, 0, self._why),))

    def prune(self, line: bytes) -> bytes:
        return line

    def decode(self, content: bytes, first_line: int, skip: frozenset[str] = frozenset()) -> Decoded:  # noqa: ARG002
        return _undecoded(content, first_line, self._why)

    def blocks(
        self,
        content: bytes,  # noqa: ARG002
        first_line: int,  # noqa: ARG002
        skip: frozenset[str] = frozenset(),  # noqa: ARG002
    ) -> tuple[list[Block], list[CallBlocks]]:
        return [], []

    def sidecar(self, kind: str, content: bytes) -> dict[str, str]:  # noqa: ARG002
        return {}


class GuardedSource:
    """A third party's source, held to its contract."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.NAME = source.NAME
        self.TOOLS = source.TOOLS
        self.WATCHED = tuple(source.WATCHED)

    def _try(self, call: Callable[[], _Given], instead: Callable[[str], _Given]) -> _Given:
        try:
            return call()
        except Exception as error:  # noqa: BLE001 - a stranger's code
            return instead(f"the source {self.NAME} failed: {type(error).__name__}: {str(error)[:200]}")

    def watched(self, root: Path) -> Path:
        return self._try(lambda: self._source.watched(root), lambda _: root)

    def resume(self, session_id: str) -> tuple[str, ...] | None:
        return self._try(lambda: self._source.resume(session_id), lambda _: None)

    def discover(self, environ: Mapping[str, str], home: Path, roots: Sequence[str], project: str | None) -> Discovery:
        return self._try(
            lambda: self._source.discover(environ, home, roots, project),
            lambda why: Discovery((), (), (Problem(self.NAME, 0, why),)),
        )

    def prune(self, line: bytes) -> bytes:
        return self._try(lambda: self._source.prune(line), lambda _: line)

    def decode(self, content: bytes, first_line: int, skip: frozenset[str] = frozenset()) -> Decoded:
        return self._try(
            lambda: self._source.decode(content, first_line, skip), lambda why: _undecoded(content, first_line, why)
        )

    def blocks(
        self, content: bytes, first_line: int, skip: frozenset[str] = frozenset()
    ) -> tuple[list[Block], list[CallBlocks]]:
        return self._try(lambda: self._source.blocks(content, first_line, skip), lambda _: ([], []))

    def sidecar(self, kind: str, content: bytes) -> dict[str, str]:
        return self._try(lambda: self._source.sidecar(kind, content), lambda _: {})
