"""What a source offers, and what it finds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, Protocol

if TYPE_CHECKING:
    from axiommind.model import Problem
    from axiommind.sources.records import Block, CallBlocks, Decoded
    from axiommind.tools.kinds import KnownTool

__all__ = ["NOTHING", "Discovery", "Source", "SourceFile"]

# The context of the first lines of a transcript.
NOTHING: Mapping[str, Any] = MappingProxyType({})


class SourceFile(NamedTuple):
    """A file that a source found: `kind` is `transcript` (JSON lines, growing), `container` (a file that holds several
    sessions, which `expand` lists), or the name of a small sidecar. A session in a container is a transcript whose path
    is a stream (`rendered.py`), and whose size and times say whether it changed. `session_id` is empty where neither
    name nor place says it: `session_of` reads it."""

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
    container: str | None = None  # the file that holds it, where that is another
    cwd: str | None = None  # its working folder, where its container says so; else `folders_of` may know
    # Its lines say neither who nor when: the context of `decode` has the `session`, its `parent`, the `folder` that it
    # lies in, and `at`, when the file was written.
    is_bare: bool = False
    opens: str = ""  # where it really is, if `path` had to be redacted

    @property
    def place(self) -> str:
        """What to open."""
        return self.opens or self.path


class Discovery(NamedTuple):
    roots: tuple[str, ...]
    files: tuple[SourceFile, ...]
    problems: tuple[Problem, ...]
    notes: tuple[tuple[str, str], ...] = ()  # folders of what the agent notes for itself, each with that of its project


class Source(Protocol):
    """What a module in this folder offers. A third party's need only have NAME, TOOLS, `discover`, `decode` and
    `blocks`: of the rest there is a default (`guarded.py`)."""

    NAME: str
    TITLE: str  # the agent's name as people write it
    TOOLS: Mapping[str, KnownTool]  # by the agent's own names
    WATCHED: tuple[str, ...]  # how the names of the files end whose changes bring something new
    FINDS_PROJECTS: bool  # `discover` finds the files of one project without opening any

    def watched(self, root: Path) -> Path:
        """The folder of a root to watch for changes."""

    def deletes_after(self, root: Path) -> int | None:
        """The days after which the agent deletes its transcripts by itself; None where it never does."""

    def resume(self, session_id: str) -> tuple[str, ...] | None:
        """The command that resumes a session, in its working folder; None where the agent has none."""

    def resumes(self, stream: str) -> bool:
        """Whether that command takes sessions that are kept in such a place."""

    def start(self, prompt: str) -> tuple[str, ...] | None:
        """The command that starts the agent in the current folder with a first prompt, and lets the person go on with
        it; None where it is not known."""

    def discover(self, environ: Mapping[str, str], home: Path, roots: Sequence[str], project: str | None) -> Discovery:
        """Every file under every root, or only those that may belong to one project. It opens no file: what it returns
        is what the file system says, so that a run with nothing new reads nothing."""

    def expand(self, container: SourceFile) -> Discovery:
        """The sessions in a container."""

    def session_of(self, file: SourceFile) -> str:
        """The id of a session, from the beginning of its file. Asked once, of a file whose `session_id` is empty."""

    def folders_of(self, files: Sequence[SourceFile]) -> Mapping[str, str]:
        """The working folders of transcripts, by path, where something beside them says so. Asked of files that are
        about to be read, because `discover` opens none."""

    def open_stream(self, path: str) -> BinaryIO:
        """A transcript as lines of JSON, wherever it is kept."""

    def prune(self, line: bytes) -> bytes:
        """The line without its bulk (images, copies of requests, progress), as a stub that keeps hash and size."""

    def record_id(self, line: bytes) -> str | None:
        """The id of the record on a line, by which a copy of it in another file is known; None where it has none. By
        default the one that `decode` gives it."""

    def belongs_to(self, line: bytes) -> tuple[str, ...]:
        """Of a line that is no record: ids of records, and of sessions as `session:ID`, that it speaks of."""

    def decode(
        self,
        content: bytes,
        first_line: int,
        skip: frozenset[str] = frozenset(),
        context: Mapping[str, Any] = NOTHING,
    ) -> Decoded:
        """The rows of some redacted lines, less the records in `skip`. Pure: the same lines give the same rows.
        `context` is that of the lines before (`Decoded.context`), and is only given where it says something."""

    def blocks(
        self,
        content: bytes,
        first_line: int,
        skip: frozenset[str] = frozenset(),
        context: Mapping[str, Any] = NOTHING,
    ) -> tuple[list[Block], list[CallBlocks]]:
        """The texts of some redacted lines in order, each where it stands, and the uses of tools among them."""

    def sidecar(self, kind: str, content: bytes) -> dict[str, str]:
        """The facts of a sidecar file: `title`; of a subagent its `agent_type`, `model` and `parent_tool_use_id`; and,
        as digits, what a session spent where its lines do not say it: `input_tokens`, `output_tokens`,
        `cache_creation_tokens` and `cache_read_tokens`."""
