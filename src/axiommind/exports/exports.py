"""Exports of one home: made, brought up to date, and remembered, so that forgetting can name them."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from axiommind.callers import Caller
from axiommind.errors import UsageError
from axiommind.exports.contract import ExportTarget
from axiommind.exports.manifest import FORMAT, Manifest
from axiommind.exports.parts import Part, cut
from axiommind.exports.snapshot import EVENTS, ExportedTable, Snapshot
from axiommind.exports.targets import load
from axiommind.home import Home
from axiommind.log.origins import VOCABULARY
from axiommind.private import make_private
from axiommind.projections.following import folded_from, has_log, require_log

if TYPE_CHECKING:
    from axiommind.exports.conversation import SessionPage
    from axiommind.exports.taking_in import TakenIn

__all__ = ["ExportReport", "Exports", "KnownExport"]

# The exports that were made of this home, so that they are found again: format and path, a line each.
_MADE = "exports.jsonl"
Progress = Callable[[int, int], None]


class ExportReport(NamedTuple):
    """What an export holds now, and what this run wrote of it."""

    path: Path
    to: str
    position: int
    tables: int
    rows: int
    rows_written: int
    parts_removed: int
    bytes: int
    is_anew: bool


class KnownExport(NamedTuple):
    path: Path
    to: str


class Exports:
    """Makes exports, and knows those that were made."""

    def __init__(self, home: Home) -> None:
        self.home = home

    def make(
        self,
        to: str,
        path: Path,
        *,
        project: str | None = None,
        since: int | None = None,
        blobs: bool | None = None,
        force: bool = False,
        progress: Progress | None = None,
    ) -> ExportReport:
        """Export to a place, or bring the export there up to date. `force` writes it anew, and over a file that is
        something else; a folder with other things in it is never written to."""
        form = load(to)
        path = path.expanduser().absolute()
        before = self._before(form, path, force)
        config = self.home.config
        if not has_log(config.log_path):
            require_log(folded_from(config.index_path), None, config.index_path, config.log_path)
        with contextlib.closing(Snapshot(config.index_path, config.log_path, project, since)) as view:
            tables = view.tables(blobs=form.WITH_BLOBS if blobs is None else blobs)
            manifest = Manifest(
                to,
                view.log_name,
                view.origin,
                VOCABULARY,
                view.position,
                view.last_event,
                project,
                since,
                form.WITH_BLOBS if blobs is None else blobs,
                _state(view, tables),
                (),
            )
            if before is not None and before.project != project:
                whose = f"of {before.project}" if before.project else "of all projects"
                raise UsageError(f"{path} is an export {whose}", hint="name another place, or say --force")
            if before is not None and (
                not view.follows(before.position, before.last_event)
                or before.shape != manifest.shape
                or (form.PLACE == "FILE" and view.removed_since(before.position))
            ):
                before = None
            if before is not None and before._replace(parts=()) == manifest:
                return _report(path, before, written=0, removed=0, size=_size(path), tables=len(tables), anew=False)
            self._note(path, to)
            with _open(form, path) as target:
                return _write(_Run(view, target, tables, before, progress), path, manifest)

    def take_in(
        self,
        folder: Path,
        name: str | None = None,
        *,
        dry_run: bool = False,
        caller: Caller | None = None,
        progress: Progress | None = None,
    ) -> TakenIn:
        """Import an export of another home (JSON lines). `name` says whose it is: `laptop`, or `kim@laptop`."""
        from axiommind.exports.taking_in import take_in

        path = folder.expanduser().absolute()
        return take_in(self.home, path, name, dry_run=dry_run, caller=caller, progress=progress)

    def session(self, name: str) -> SessionPage:
        """A session as a conversation to be shared, redacted again."""
        from axiommind.exports.conversation import conversation

        return conversation(self.home, name)

    def known(self) -> list[KnownExport]:
        """The exports that were made of this home and are still there."""
        return [one for one in self._made() if one.path.exists()]

    def _before(self, form: Any, path: Path, force: bool) -> Manifest | None:
        try:
            found: Manifest | None = form.found(path)
        except UsageError:
            if not force or form.PLACE == "DIR" or path.is_dir():
                raise
            return None
        return None if force else found

    def _note(self, path: Path, to: str) -> None:
        if KnownExport(path, to) not in self._made():
            make_private(self.home.config.home)
            with (self.home.config.home / _MADE).open("a", encoding="utf-8") as file:
                file.write(json.dumps({"to": to, "path": str(path)}) + "\n")

    def _made(self) -> list[KnownExport]:
        found: dict[KnownExport, None] = {}
        with contextlib.suppress(OSError):
            for line in (self.home.config.home / _MADE).read_text(encoding="utf-8").splitlines():
                with contextlib.suppress(ValueError, KeyError, TypeError):
                    said = json.loads(line)
                    found[KnownExport(Path(str(said["path"])), str(said["to"]))] = None
        return [*found]


class _Run(NamedTuple):
    view: Snapshot
    target: ExportTarget
    tables: list[ExportedTable]
    before: Manifest | None
    progress: Progress | None


@contextlib.contextmanager
def _open(form: Any, path: Path) -> Iterator[ExportTarget]:
    target: ExportTarget = form.open(path)
    try:
        yield target
    except BaseException:
        target.abort()
        raise


def _write(run: _Run, path: Path, manifest: Manifest) -> ExportReport:
    run.target.begin(run.tables, run.before is None)
    before = () if run.before is None else run.before.parts
    count = _Count(run)
    parts: list[Part] = []
    removed = 0
    for table in run.tables:
        old = {part.digest: part for part in before if part.table == table.name}
        now = _bring(run, table, old, count)
        parts += now
        removed += len(old.keys() - {part.digest for part in now})
    manifest = manifest._replace(parts=tuple(parts))
    written = run.target.commit(manifest)
    return _report(
        path,
        manifest,
        written=count.written,
        removed=removed,
        size=written,
        tables=len(run.tables),
        anew=run.before is None,
    )


class _Count:
    """How many rows were read, of how many, and how many were written."""

    def __init__(self, run: _Run) -> None:
        self._progress = run.progress
        self._total = sum(run.view.count(table) for table in run.tables) if run.progress else 0
        self._read = self.written = 0

    def read(self, rows: int) -> None:
        self._read += rows
        if self._progress is not None:
            self._progress(self._read, self._total)


def _bring(run: _Run, table: ExportedTable, old: dict[str, Part], count: _Count) -> list[Part]:
    """Write the parts of a table that are not there; returns those that it has now."""
    kept = _settled(run, table, old)
    for part in kept:
        count.read(part.rows)
    after = kept[-1].last[0] if kept else 0
    is_keyed = bool(table.keys)
    if not is_keyed and old:
        now = [part for part, _ in cut(table, run.view.rows(table))]
        if [part.digest for part in now] == [*old]:
            count.read(sum(part.rows for part in now))
            return now
    now = [*kept]
    for part, rows in cut(table, run.view.rows(table, after)):
        if not is_keyed or part.digest not in old:
            run.target.add(table, part, run.view.filled(table, rows))
            count.written += len(rows)
        now.append(part)
        count.read(len(rows))
    names = {part.digest for part in now}
    gone = [part for digest, part in old.items() if digest not in names]
    run.target.remove(table, gone, not is_keyed)
    return now


def _settled(run: _Run, table: ExportedTable, old: dict[str, Part]) -> list[Part]:
    """Events are only appended: all of their parts but the last are as they were, where every event is wanted."""
    before = run.before
    if table.name != EVENTS or before is None or not before.is_whole or run.view.is_narrow or before.since is not None:
        return []
    return sorted(old.values(), key=lambda part: part.first)[:-1]


def _state(view: Snapshot, tables: Iterable[ExportedTable]) -> str:
    """What the rows of the tables depend on, and what shape they have."""
    shape = repr([(table.name, table.columns) for table in tables] + [FORMAT])
    state = json.dumps([sorted(view.offsets.items()), sorted(view.versions.items())])
    return f"{hashlib.sha256(shape.encode()).hexdigest()[:32]}:{hashlib.sha256(state.encode()).hexdigest()[:32]}"


def _size(path: Path) -> int:
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file())


def _report(
    path: Path, manifest: Manifest, *, written: int, removed: int, size: int, tables: int, anew: bool
) -> ExportReport:
    rows = sum(part.rows for part in manifest.parts)
    return ExportReport(path, manifest.to, manifest.position, tables, rows, written, removed, size, anew)
