"""Sources of third parties, and of nobody: whatever goes wrong in them is a problem of the lines they were given.

A plugin must never stop a run, so each call is held to its contract here; our own sources need no guard, their tests
hold them to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from axiommind.model import Problem
from axiommind.sources.contract import Discovery, Source
from axiommind.sources.records import Block, CallBlocks, Decoded
from axiommind.tools.kinds import KnownTool

__all__ = ["AbsentSource", "GuardedSource"]


class AbsentSource:
    """Stands for a source that is not installed, or cannot be loaded."""

    TOOLS: Mapping[str, KnownTool] = {}
    WATCHED: tuple[str, ...] = ()

    def __init__(self, name: str, why: str) -> None:
        self.NAME = self.TITLE = name
        self._why = why

    def watched(self, root: Path) -> Path:
        return root

    def deletes_after(self, root: Path) -> int | None:  # noqa: ARG002
        return None

    def resume(self, session_id: str) -> tuple[str, ...] | None:  # noqa: ARG002
        return None

    def discover(self, environ: Mapping[str, str], home: Path, roots: Sequence[str], project: str | None) -> Discovery:  # noqa: ARG002
        return Discovery((), (), (Problem(self.NAME, 0, self._why),))

    def prune(self, line: bytes) -> bytes:
        return line

    def record_id(self, line: bytes) -> str | None:  # noqa: ARG002
        return None

    def belongs_to(self, line: bytes) -> tuple[str, ...]:  # noqa: ARG002
        return ()

    def decode(self, content: bytes, first_line: int, skip: frozenset[str] = frozenset()) -> Decoded:  # noqa: ARG002
        lines = content.count(b"\n") + (not content.endswith(b"\n") and bool(content))
        return Decoded(lines=lines, problems=[(first_line, self._why)])

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
    """A third party's source, held to its contract: what it does not offer has a default, and what fails is the problem
    that an absent source would tell of."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.NAME = source.NAME
        self.TITLE = str(getattr(source, "TITLE", source.NAME))
        self.TOOLS = source.TOOLS
        self.WATCHED = tuple(getattr(source, "WATCHED", (".jsonl",)))

    def _try(self, method: str, *given: Any) -> Any:
        call = getattr(self._source, method, None)
        why = f"the source {self.NAME} has no {method}"
        if call is not None:
            try:
                return call(*given)
            except Exception as error:  # noqa: BLE001 - a stranger's code
                why = f"the source {self.NAME} failed: {type(error).__name__}: {str(error)[:200]}"
        return getattr(AbsentSource(self.NAME, why), method)(*given)

    def watched(self, root: Path) -> Path:
        return cast(Path, self._try("watched", root))

    def deletes_after(self, root: Path) -> int | None:
        return cast("int | None", self._try("deletes_after", root))

    def resume(self, session_id: str) -> tuple[str, ...] | None:
        return cast("tuple[str, ...] | None", self._try("resume", session_id))

    def discover(self, environ: Mapping[str, str], home: Path, roots: Sequence[str], project: str | None) -> Discovery:
        return cast(Discovery, self._try("discover", environ, home, roots, project))

    def prune(self, line: bytes) -> bytes:
        return cast(bytes, self._try("prune", line))

    def record_id(self, line: bytes) -> str | None:
        if hasattr(self._source, "record_id"):
            return cast("str | None", self._try("record_id", line))
        return next((record.uuid for record in self.decode(line + b"\n", 1).records), None)

    def belongs_to(self, line: bytes) -> tuple[str, ...]:
        return tuple(self._try("belongs_to", line))

    def decode(self, content: bytes, first_line: int, skip: frozenset[str] = frozenset()) -> Decoded:
        return cast(Decoded, self._try("decode", content, first_line, skip))

    def blocks(
        self, content: bytes, first_line: int, skip: frozenset[str] = frozenset()
    ) -> tuple[list[Block], list[CallBlocks]]:
        return cast("tuple[list[Block], list[CallBlocks]]", self._try("blocks", content, first_line, skip))

    def sidecar(self, kind: str, content: bytes) -> dict[str, str]:
        return cast("dict[str, str]", self._try("sidecar", kind, content))
