"""Sources: what agents leave on disk. One file per format, and the folder is the registry.

A source finds files, says what of a line is bulk, and decodes redacted lines into rows. It knows nothing of the
log or the index: `ingest/` reads and seals, the projections fold what `decode` returns.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from axiommind.model import Problem
    from axiommind.sources.records import Block, CallBlocks, Decoded
    from axiommind.tools.kinds import KnownTool

__all__ = ["Discovery", "Source", "SourceFile", "discover_all", "load", "names", "resume_command", "tool_names"]

# Modules of the folder that are not formats.
_SHARED = {"records", "jsonl", "markdown"}


class SourceFile(NamedTuple):
    """A file that a source found: `kind` is `transcript` (JSON lines, growing) or the name of a small sidecar."""

    path: str
    kind: str
    session_id: str
    root: str
    folder: str
    parent_session: str | None
    size: int
    mtime_ns: int
    inode: int
    parent_inside: bool = False  # it is a subagent's, and only its own lines say whose


class Discovery(NamedTuple):
    roots: tuple[str, ...]
    files: tuple[SourceFile, ...]
    problems: tuple[Problem, ...]


class Source(Protocol):
    """What a module in this folder offers."""

    NAME: str
    TOOLS: Mapping[str, KnownTool]  # by the agent's own names
    WATCHED: tuple[str, ...]  # how the names of the files end whose changes bring something new

    def watched(self, root: Path) -> Path:
        """The folder of a root to watch for changes."""

    def resume(self, session_id: str) -> tuple[str, ...] | None:
        """The command that takes a session up again, in its working folder; None where the agent has none."""

    def discover(self, environ: Mapping[str, str], home: Path, roots: Sequence[str], project: str | None) -> Discovery:
        """Every file under every root, or only those that may belong to one project."""

    def prune(self, line: bytes) -> bytes:
        """The line without its bulk (images, copies of requests, progress), as a stub that keeps hash and size."""

    def decode(self, content: bytes, first_line: int, skip: frozenset[str] = frozenset()) -> Decoded:
        """The rows of some redacted lines, less the records in `skip`. Pure: the same lines give the same rows."""

    def blocks(
        self, content: bytes, first_line: int, skip: frozenset[str] = frozenset()
    ) -> tuple[list[Block], list[CallBlocks]]:
        """The texts of some redacted lines in order, each where it stands, and the uses of tools among them."""

    def sidecar(self, kind: str, content: bytes) -> dict[str, str]:
        """The facts of a sidecar file: titles, and for a subagent its type and the call that started it."""


def names() -> list[str]:
    here = Path(__file__).parent
    found = [*here.glob("[a-z]*.py"), *(p.parent for p in here.glob("[a-z]*/__init__.py"))]
    return sorted(p.stem.replace("_", "-") for p in found if p.stem not in _SHARED)


def load(name: str) -> Source:
    module: Source = importlib.import_module(f"{__name__}.{name.replace('-', '_')}")
    return module


def discover_all(
    environ: Mapping[str, str], home: Path, roots: Sequence[str], project: str | None = None
) -> list[tuple[str, Discovery]]:
    """What every source finds, by the source's name."""
    return [(name, load(name).discover(environ, home, roots, project)) for name in names()]


def tool_names(*wanted: str) -> frozenset[str]:
    """What agents call the tools of these kinds or acts (`tools/kinds.py`)."""
    return frozenset(
        tool
        for name in names()
        for tool, known in load(name).TOOLS.items()
        if known.kind in wanted or known.act in wanted
    )


def resume_command(agent: str, session_id: str) -> tuple[str, ...] | None:
    """The command that takes a session up again, in its working folder; None where there is none."""
    return load(agent).resume(session_id) if agent in names() else None
