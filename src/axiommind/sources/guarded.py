"""Sources of third parties, and of nobody: whatever goes wrong in them is a problem of the lines they were given.

A plugin must never stop a run, so each call is held to its contract here; our own sources need no guard, their tests
hold them to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, cast

from axiommind.model import Problem
from axiommind.sources.contract import NOTHING, Discovery, Source, SourceFile
from axiommind.sources.records import Block, CallBlocks, Decoded
from axiommind.sources.rooms import Defaults
from axiommind.tools.kinds import KnownTool

__all__ = ["AbsentSource", "GuardedSource"]


class AbsentSource(Defaults):
    """Stands for a source that is not installed, or cannot be loaded."""

    TOOLS: Mapping[str, KnownTool] = {}
    WATCHED: tuple[str, ...] = ()

    def __init__(self, name: str, why: str) -> None:
        self.NAME = self.TITLE = name
        self._why = why

    def discover(self, environ: Mapping[str, str], home: Path, roots: Sequence[str], project: str | None) -> Discovery:  # noqa: ARG002
        return Discovery((), (), (Problem(self.NAME, 0, self._why),))

    def decode(
        self,
        content: bytes,
        first_line: int,
        skip: frozenset[str] = frozenset(),  # noqa: ARG002
        context: Mapping[str, Any] = NOTHING,  # noqa: ARG002
    ) -> Decoded:
        lines = content.count(b"\n") + (not content.endswith(b"\n") and bool(content))
        return Decoded(lines=lines, problems=[(first_line, self._why)])

    def blocks(
        self,
        content: bytes,  # noqa: ARG002
        first_line: int,  # noqa: ARG002
        skip: frozenset[str] = frozenset(),  # noqa: ARG002
        context: Mapping[str, Any] = NOTHING,  # noqa: ARG002
    ) -> tuple[list[Block], list[CallBlocks]]:
        return [], []


class GuardedSource:
    """A third party's source, held to its contract: what it does not offer has a default, and what fails is the problem
    that an absent source would tell of."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.NAME = source.NAME
        self.TITLE = str(getattr(source, "TITLE", source.NAME))
        self.TOOLS = source.TOOLS
        self.WATCHED = tuple(getattr(source, "WATCHED", (".jsonl",)))
        self.FINDS_PROJECTS = bool(getattr(source, "FINDS_PROJECTS", False))

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

    def resumes(self, stream: str) -> bool:
        return bool(self._try("resumes", stream)) if hasattr(self._source, "resumes") else True

    def start(self, prompt: str) -> tuple[str, ...] | None:
        return cast("tuple[str, ...] | None", self._try("start", prompt))

    def discover(self, environ: Mapping[str, str], home: Path, roots: Sequence[str], project: str | None) -> Discovery:
        return cast(Discovery, self._try("discover", environ, home, roots, project))

    def expand(self, container: SourceFile) -> Discovery:
        return cast(Discovery, self._try("expand", container))

    def session_of(self, file: SourceFile) -> str:
        return str(self._try("session_of", file))

    def folders_of(self, files: Sequence[SourceFile]) -> Mapping[str, str]:
        if not hasattr(self._source, "folders_of"):
            return {}
        return cast("Mapping[str, str]", self._try("folders_of", files))

    def open_stream(self, path: str) -> BinaryIO:
        """What cannot be opened is a problem of that file, as with a source of ours."""
        if not hasattr(self._source, "open_stream"):
            return Path(path).open("rb")
        return self._source.open_stream(path)

    def prune(self, line: bytes) -> bytes:
        return cast(bytes, self._try("prune", line))

    def record_id(self, line: bytes) -> str | None:
        if hasattr(self._source, "record_id"):
            return cast("str | None", self._try("record_id", line))
        return next((record.uuid for record in self.decode(line + b"\n", 1).records), None)

    def belongs_to(self, line: bytes) -> tuple[str, ...]:
        return tuple(self._try("belongs_to", line))

    def decode(
        self,
        content: bytes,
        first_line: int,
        skip: frozenset[str] = frozenset(),
        context: Mapping[str, Any] = NOTHING,
    ) -> Decoded:
        more = (context,) if context else ()
        return cast(Decoded, self._try("decode", content, first_line, skip, *more))

    def blocks(
        self,
        content: bytes,
        first_line: int,
        skip: frozenset[str] = frozenset(),
        context: Mapping[str, Any] = NOTHING,
    ) -> tuple[list[Block], list[CallBlocks]]:
        more = (context,) if context else ()
        return cast("tuple[list[Block], list[CallBlocks]]", self._try("blocks", content, first_line, skip, *more))

    def sidecar(self, kind: str, content: bytes) -> dict[str, str]:
        return cast("dict[str, str]", self._try("sidecar", kind, content))
