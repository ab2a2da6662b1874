"""A home: `log.db` and `index.db`, opened when they are needed, and the project that a question is about.

Low-level failures become errors for people here.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from axiommind import db as sqlite
from axiommind.callers import AGENT, Caller
from axiommind.config import Config
from axiommind.errors import IndexCorrupt, NotFound

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from axiommind.log.sqlite import SqliteLog
    from axiommind.model import Event
    from axiommind.projections.runner import Index, Progress
    from axiommind.sources import Discovery

__all__ = ["SAMPLE", "SAMPLE_FOLDER", "SAMPLE_MARK", "Home", "Scope", "now"]

# The sample that comes with the program, the file that marks a home as its, and the copy of the sample in that home:
# what cites it still opens when the program moves.
SAMPLE = Path(__file__).parent / "sample"
SAMPLE_MARK = "this-is-the-sample"
SAMPLE_FOLDER = "claude"
# Below this many new bytes, starting worker processes costs more than it saves.
_POOL_BYTES = 8 << 20


def now() -> int:
    """The time in epoch milliseconds."""
    return time.time_ns() // 1_000_000


class Scope(NamedTuple):
    """What a question is about: one project, or all of them (None)."""

    project: str | None


class Home:
    """Opens the log and the index of one home, for reading and for writing."""

    def __init__(
        self,
        config: Config | None = None,
        *,
        environ: Mapping[str, str] | None = None,
        user: Path | None = None,
        caller: Caller = AGENT,
    ) -> None:
        self.caller = caller  # of whatever is asked without naming one
        self.environ = os.environ if environ is None else environ
        self.config = config or Config.load(self.environ)
        self.user = user or Path.home()
        if self.is_sample:  # whoever uses the sample's home, real sessions never get into it
            copied = self.config.home / SAMPLE_FOLDER
            self.environ = {**self.environ, "CLAUDE_CONFIG_DIR": str(copied if copied.is_dir() else SAMPLE)}
            self.config = self.config._replace(claude_roots=(), sources_roots=())

    @property
    def is_sample(self) -> bool:
        """Whether this is the home of the sample that comes with the program."""
        return (self.config.home / SAMPLE_MARK).exists()

    def agents(self) -> list[str]:
        """The agents whose sessions are read."""
        from axiommind.sources import names

        if self.is_sample:
            return ["claude-code"]
        return [name for name in names() if name not in self.config.sources_off]

    def discover(self, project: str | None = None, agents: Sequence[str] | None = None) -> list[tuple[str, Discovery]]:
        """What the agents left on this machine."""
        from axiommind.sources import discover_all

        wanted = self.agents() if agents is None else agents
        return discover_all(self.environ, self.user, self.config.roots, project, wanted=wanted)

    @contextlib.contextmanager
    def open_log(self, *, anew: bool = False) -> Iterator[tuple[SqliteLog, bytes]]:
        """The log, to be written. Refused where the index beside it was made from another one, unless a person starts
        anew."""
        from axiommind.log import home_key
        from axiommind.log.sqlite import SqliteLog
        from axiommind.projections.following import folded_from, has_log, require_log

        # What the index was made from is read first: a log is there before anything is folded from it.
        index, path = self.config.index_path, self.config.log_path
        folded = None if anew else folded_from(index)
        if not has_log(path):
            require_log(folded, None, index, path)
        key = home_key(self.config.home)
        log = SqliteLog(path, key)
        try:
            require_log(folded, log, index, path)
            yield log, key
        finally:
            log.close()

    @contextlib.contextmanager
    def read_log(self) -> Iterator[tuple[SqliteLog, bytes]]:
        from axiommind.log import home_key
        from axiommind.log.sqlite import SqliteLog
        from axiommind.projections.following import folded_from, has_log, require_log

        index, path = self.config.index_path, self.config.log_path
        if not has_log(path):
            require_log(folded_from(index), None, index, path)
            raise NotFound(f"there is no log at {path} yet", hint="run: axm index")
        key = home_key(self.config.home, make=False)
        log = SqliteLog(self.config.log_path, key, read_only=True)
        try:
            yield log, key
        finally:
            log.close()

    @contextlib.contextmanager
    def writing(self, notes: list[str]) -> Iterator[tuple[SqliteLog, bytes, Index]]:
        """The log, its key, and the index brought up to it."""
        from axiommind.projections.runner import Segments

        with self.open_log() as (log, key), contextlib.ExitStack() as stack:
            index = self.open_index(log, notes, stack)
            index.catch_up(log, Segments(log))
            yield log, key, index

    def open_index(self, log: SqliteLog, notes: list[str], stack: contextlib.ExitStack) -> Any:
        """The index, ready to be written. A damaged one is moved aside, and an old one replayed, and both are said."""
        from axiommind.projections.following import folded_in, require_log
        from axiommind.projections.runner import Index, quarantine

        path = self.config.index_path
        index = None
        try:
            index = Index(path)
            index.db.execute("select count(*) from sessions").fetchone()
            if index.mend():
                notes.append("the full-text index was damaged: made anew from the passages")
        except (IndexCorrupt, sqlite3.DatabaseError) as error:
            if isinstance(error, sqlite3.DatabaseError) and not sqlite.is_damage(error):
                raise
            if index is not None:
                index.close()
            aside = quarantine(path)
            notes.append(f"index.db was damaged: rebuilt from the log (the old one is {aside})")
            self.replay(log, stack)
            index = Index(path)
        foreign = not index.follows(log)
        redacted = index.precedes_redaction(log)
        if index.stale or foreign or redacted:
            if foreign:
                require_log(folded_in(index.db), log, path, log.path)
            index.close()
            notes.append(
                "index.db was made from the log before the restore: rebuilt from this one"
                if foreign
                else "texts were redacted again: the index was rebuilt from the log"
                if redacted
                else "the index had another shape: rebuilt from the log"
            )
            self.replay(log, stack)
            index = Index(path)
        stack.callback(index.close)
        return index

    def pool(self, size: int, stack: contextlib.ExitStack) -> Executor | None:
        workers = self.config.index_workers
        if workers < 0:
            workers = min(os.cpu_count() or 1, 4)
        if workers == 0 or size < _POOL_BYTES:
            return None
        import multiprocessing
        from concurrent.futures import ProcessPoolExecutor

        pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), initializer=_worker)
        stack.callback(pool.shutdown, wait=True, cancel_futures=True)
        return pool

    def rebuild(
        self, log: SqliteLog, stack: contextlib.ExitStack, tick: Callable[[int, int], None] | None = None
    ) -> Progress:
        from axiommind.projections.runner import Index, Segments

        last = log.last_position()
        done = self.replay(log, stack, None if tick is None else (lambda event: tick(event.position, last)))
        index = Index(self.config.index_path)
        try:
            index.catch_up(log, Segments(log))
            index.stamp()
        finally:
            index.close()
        return done

    def replay(
        self, log: SqliteLog, stack: contextlib.ExitStack, tick: Callable[[Event], None] | None = None
    ) -> Progress:
        from axiommind.projections.runner import rebuild

        return rebuild(log, self.config.index_path, self.pool(log.sizes()["blob_bytes"], stack), tick)

    def scope(
        self,
        *,
        project: str | None = None,
        all_projects: bool = False,
        db: Path | None = None,
        cwd: str | None = None,
    ) -> Scope:
        """The project asked for; else the one of the current folder, if it is indexed; else all."""
        from axiommind.projections.scope import resolve_project

        if all_projects:
            return Scope(None)
        path = db or self.config.index_path
        if project is not None:
            found = resolve_project(path, project)
            if found is None and path.exists():
                raise NotFound(
                    f"project {project!r} is not in the index",
                    hint="axm project list shows what is",
                )
            return Scope(found)
        try:
            here = cwd or str(Path.cwd())
        except OSError:  # the current folder was deleted
            return Scope(None)
        return Scope(resolve_project(path, here, stop=str(self.user)))

    @contextlib.contextmanager
    def reading(self, scope: Scope, db: Path | None) -> Iterator[sqlite3.Connection]:
        from axiommind.projections.scope import open_scoped

        path = db or self.config.index_path
        connection = open_scoped(path, scope.project)
        try:
            with self.named_errors(path):
                yield connection
        finally:
            connection.close()

    @contextlib.contextmanager
    def named_errors(self, path: Path) -> Iterator[None]:
        """What an error of SQLite means for the index at this path."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            from axiommind.projections.full_text import is_of_full_text, mark_file

            if is_of_full_text(error):
                mark_file(path)  # the next run that writes it looks, and mends it if it can
            if sqlite.is_damage(error):
                raise IndexCorrupt(f"{path} is damaged ({error})", hint="run: axm rebuild") from error
            if str(error).startswith(("no such table", "no such column")):  # SQL of ours: the user's is guarded
                raise IndexCorrupt(f"{path} was made by an older version ({error})", hint="run: axm index") from error
            raise sqlite.store_error(error, path) or error from error


def _worker() -> None:
    """A worker process leaves interrupts to its parent, and ends when the parent is gone, however it went."""
    import multiprocessing
    import signal
    import threading
    from multiprocessing.connection import wait

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()

    def follow() -> None:
        if parent is not None:
            wait([parent.sentinel])
            os._exit(1)

    threading.Thread(target=follow, daemon=True).start()
