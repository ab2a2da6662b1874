"""Working memory: workflows and their scratchpads, written through the log, every version of them kept."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Self

from axiommind import db as sqlite
from axiommind.errors import BadQuery, DiskFull, IndexCorrupt, Locked, NotFound, NotWritable
from axiommind.home import Home, Scope

if TYPE_CHECKING:
    from axiommind.log.sqlite import SqliteLog
    from axiommind.projections.runner import Index
    from axiommind.projections.scratchpad_rows import PadRow, PadText, WorkflowRow
    from axiommind.scratchpads.search_lines import PadMatches
    from axiommind.scratchpads.search_workflows import PadPage, WorkflowPage
    from axiommind.scratchpads.writer import Desk, PadVersion, Written
    from axiommind.text.edits import Edit

__all__ = ["Pads"]

# Events that an index may be behind the log, and still be brought up to it by whoever writes a note.
_AT_ONCE = 500
# What may keep the index from having what was written. The log has it, and the next `axm index` tries again.
_LATER = (IndexCorrupt, Locked, NotWritable, DiskFull)
_FLOWS = "axm workflow list (list-workflows) shows them"
_PADS = "axm pad list (list-scratchpads) shows them"


class Pads(Home):
    """What `axm workflow`, `axm pad` and the tools of the same names can ask for."""

    _held: dict[Path, sqlite3.Connection] | None = None

    def hold_open(self) -> Self:
        """For a process that stays: keep a connection to both files once something was written. Without one, every
        write is the last to close them, and waits while SQLite moves its write-ahead log: 5 ms of 13."""
        self._held = {}
        return self

    # --- workflows -------------------------------------------------------------------------------------

    def create_workflow(
        self,
        name: str,
        description: str = "",
        project_scope: str | None = None,
        *,
        actor: str = "user",
        cwd: str | None = None,
    ) -> WorkflowRow:
        """A new workflow, active. It belongs to the project that `project_scope` names, if that is a folder, and else
        to the one that is worked in."""
        project = _project(project_scope, cwd)
        with self._desk(actor) as desk:
            made = desk.create_workflow(name, description, project_scope, project)
        return self.workflow(made)

    def update_workflow(
        self,
        name: str,
        *,
        active: bool | None = None,
        title: str | None = None,
        description: str | None = None,
        actor: str = "user",
    ) -> WorkflowRow:
        """Change whether a workflow takes writes, what it is called, or what it says it is for."""
        if active is None and title is None and description is None:
            raise BadQuery("there is nothing to change", hint="give a status, a name or a description")
        flow = self._named("workflows", name, "workflow", _FLOWS)
        with self._desk(actor) as desk:
            desk.update_workflow(flow, active=active, name=title, description=description)
        return self.workflow(flow)

    def workflows(
        self,
        *,
        project_scope: str | None = None,
        project: str | None = None,
        active: bool | None = None,
        limit: int = 20,
        offset: int = 0,
    ) -> list[WorkflowRow]:
        """Workflows, the latest updated first. `project_scope` is compared as it is."""
        from axiommind.projections.scratchpad_rows import list_workflows

        with self._index_to_read() as db:
            if db is None:
                return []
            return list_workflows(
                db, project_scope=project_scope, project=project, active=active, limit=limit, offset=offset
            )

    def workflow(self, name: str) -> WorkflowRow:
        """One workflow, by its id or the beginning of it."""
        flow = self._named("workflows", name, "workflow", _FLOWS)
        with self._desk_to_read() as desk:
            return desk.workflow(flow)

    def latest_active_workflow(self, project_scope: str) -> WorkflowRow | None:
        """Of the active workflows with this scope, the one that was worked on last; where there is none and the scope
        is a folder, of those of its project that have no scope."""
        found = self.workflows(project_scope=project_scope, active=True, limit=1)
        if not found and (project := _project(project_scope, None)) and Path(project_scope).is_absolute():
            others = self.workflows(project=project, active=True, limit=100)
            found = [one for one in others if one.project_scope is None]
        return found[0] if found else None

    # --- pads ------------------------------------------------------------------------------------------

    def create_pad(self, workflow: str, title: str, content: str = "", *, actor: str = "user") -> Written:
        flow = self._named("workflows", workflow, "workflow", _FLOWS)
        with self._desk(actor) as desk:
            return desk.create_pad(flow, title, content)

    def pads(
        self, *, workflow: str | None = None, project: str | None = None, limit: int = 20, offset: int = 0
    ) -> list[PadRow]:
        """The pads of a workflow in the order they were made; without one, the latest updated of all."""
        from axiommind.projections.scratchpad_rows import list_pads

        flow = None if workflow is None else self._named("workflows", workflow, "workflow", _FLOWS)
        with self._index_to_read() as db:
            return [] if db is None else list_pads(db, workflow=flow, project=project, limit=limit, offset=offset)

    def pad(self, name: str) -> PadText:
        """One pad and its text, by its id or the beginning of it."""
        pad = self._named("pads", name, "scratchpad", _PADS)
        with self._desk_to_read() as desk:
            return desk.pad(pad)

    def append_pad(self, name: str, content: str, *, expect: int | None = None, actor: str = "user") -> Written:
        """Add a block at the end. Others may write at the same time: all of it is kept."""
        from axiommind.text.edits import Edit, clean, with_separator

        piece = clean(content)
        if not piece.strip():
            raise BadQuery("there is nothing to append", hint="give some text")
        return self._change(
            name, lambda now: (Edit("appended", with_separator(now.text, piece)), None), expect=expect, actor=actor
        )

    def replace_pad(self, name: str, content: str, *, expect: int | None = None, actor: str = "user") -> Written:
        """Put another text in the place of the whole one."""
        from axiommind.text.edits import Edit, clean

        edit = Edit("replaced", clean(content))
        return self._change(name, lambda _now: (edit, None), expect=expect, actor=actor)

    def insert_in_pad(
        self, name: str, line: int, content: str, *, expect: int | None = None, actor: str = "user"
    ) -> Written:
        """Put lines before a line; past the last one, at the end."""
        from axiommind.text.edits import Edit, clean

        _counted(line)
        piece = clean(content)

        def make(now: PadText) -> tuple[Edit, str | None]:
            lines = now.pad.lines
            said = f"the scratchpad had {lines} lines: it was added at the end." if line > lines + 1 else None
            return Edit("inserted", piece, min(line, lines + 1)), said

        return self._change(name, make, expect=expect, actor=actor)

    def replace_lines(
        self, name: str, start: int, end: int, content: str, *, expect: int | None = None, actor: str = "user"
    ) -> Written:
        """Put other lines in the place of some, both ends included; none, and they are taken out."""
        from axiommind.text.edits import Edit, clean

        _counted(start)
        if end < start:
            raise BadQuery(f"lines {start} to {end}: the last is before the first", hint="give them in order")
        piece = clean(content)

        def make(now: PadText) -> tuple[Edit, str | None]:
            lines = now.pad.lines
            if start > lines:
                raise BadQuery(
                    f"scratchpad {now.pad.id} has {lines} lines, and no line {start}", hint="append, or insert instead"
                )
            said = f"the scratchpad had {lines} lines: those up to the last were replaced." if end > lines else None
            return Edit("lines", piece, start, min(end, lines)), said

        return self._change(name, make, expect=expect, actor=actor)

    def append_section(
        self, name: str, heading: str, content: str, *, expect: int | None = None, actor: str = "user"
    ) -> Written:
        """Add lines at the end of the section with this heading; where there is none, a new section."""
        from axiommind.text.edits import Edit, clean, section_end

        given = " ".join(clean(heading).split())
        title = given.strip("# ")[:_HEADING_CHARS].rstrip()
        if not title:
            raise BadQuery("a section needs a heading", hint="such as: Next steps")
        level = min(len(given) - len(given.lstrip("#")), 6) or 2
        piece = clean(content)

        def make(now: PadText) -> tuple[Edit, str | None]:
            last = section_end(now.text, title)
            if last is not None:
                return Edit("inserted", piece, last + 1), None
            new = f"{'#' * level} {title}"
            gap = "" if not now.text else "\n" if now.text.endswith("\n") else "\n\n"
            return Edit("appended", f"{gap}{new}\n{piece}"), f"there was no section {title!r}: it was added at the end."

        return self._change(name, make, expect=expect, actor=actor)

    def chop_pad(self, name: str, lines: int, *, expect: int | None = None, actor: str = "user") -> Written:
        """Take so many lines away at the end."""
        from axiommind.text.edits import Edit

        if lines < 1:
            raise BadQuery(f"{lines} lines cannot be taken away", hint="give 1 or more")

        def make(now: PadText) -> tuple[Edit, str | None]:
            there = now.pad.lines
            said = f"the scratchpad had {there} lines: it is empty now." if lines > there else None
            return Edit("chopped", "", 0, min(lines, there)), said

        return self._change(name, make, expect=expect, actor=actor)

    def rename_pad(self, name: str, title: str, *, expect: int | None = None, actor: str = "user") -> Written:
        from axiommind.scratchpads.writer import checked_name
        from axiommind.text.edits import Edit

        edit = Edit("renamed", checked_name(title, "a scratchpad"))
        return self._change(name, lambda _now: (edit, None), expect=expect, actor=actor)

    def _change(
        self,
        name: str,
        make: Callable[[PadText], tuple[Edit, str | None]],
        *,
        expect: int | None,
        actor: str,
    ) -> Written:
        pad = self._named("pads", name, "scratchpad", _PADS)
        with self._desk(actor) as desk:
            return desk.change(pad, make, expect=expect)

    # --- history ---------------------------------------------------------------------------------------

    def pad_history(self, name: str) -> list[PadVersion]:
        """Every version of a pad, newest first."""
        pad = self._named("pads", name, "scratchpad", _PADS)
        with self._desk_to_read() as desk:
            return [version for version, _ in desk.versions(pad)][::-1]

    def pad_at(self, name: str, at: str) -> PadText:
        """A pad as it was: at a version (`3`), so many versions ago (`-1`), or at a time."""
        pad = self._named("pads", name, "scratchpad", _PADS)
        with self._desk_to_read() as desk:
            wanted = _version([version for version, _ in desk.versions(pad)], at, pad)
            return next(text for version, text in desk.versions(pad) if version.version == wanted)

    def restore_pad(self, name: str, at: str, *, expect: int | None = None, actor: str = "user") -> Written:
        """Make an old text the newest version. What is there now stays in the history."""
        from axiommind.text.edits import Edit

        old = self.pad_at(name, at)

        def make(_now: PadText) -> tuple[Edit, str | None]:
            return Edit("restored", old.text), f"as it was in version {old.pad.version}."

        return self._change(old.pad.id, make, expect=expect, actor=actor)

    # --- searching -------------------------------------------------------------------------------------

    def search_workflows(
        self, query: str, *, project_scope: str | None = None, page: int = 1, limit: int = 5
    ) -> WorkflowPage:
        """Workflows by the words of theirs and of their pads: 5 points for each in a name, 3 in a description or the
        title of a pad, 1 in its text."""
        from axiommind.scratchpads.search_workflows import no_workflows, search_workflows

        with self._index_to_read() as db:
            if db is None:
                return no_workflows(query, page=page, limit=limit)
            return search_workflows(db, query, project_scope=project_scope, page=page, limit=limit)

    def search_pads(
        self,
        query: str,
        *,
        workflow: str | None = None,
        project_scope: str | None = None,
        limit: int = 20,
        cursor: str | None = None,
    ) -> PadPage:
        """Pads by the words in their titles and texts, best first."""
        from axiommind.scratchpads.search_workflows import no_pads, search_pads

        flow = None if workflow is None else self._named("workflows", workflow, "workflow", _FLOWS)
        with self._index_to_read() as db:
            if db is None:
                return no_pads(query)
            return search_pads(db, query, workflow=flow, project_scope=project_scope, limit=limit, cursor=cursor)

    def search_in_pad(
        self, name: str, *, query: str | None = None, regex: str | None = None, context: int = 2, limit: int = 20
    ) -> PadMatches:
        """Lines of one pad that hold a text or fit a pattern, with lines around them."""
        from axiommind.scratchpads.search_lines import search_lines

        return search_lines(self.pad(name), query=query, regex=regex, context=context, limit=limit)

    # --- opening ---------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _desk(self, actor: str) -> Iterator[Desk]:
        """A desk to write at; afterwards the index has what was written, unless somebody else is at it for long."""
        from axiommind.projections.runner import Segments
        from axiommind.scratchpads.writer import Desk

        if self.is_sample:
            raise BadQuery("this is the home of the sample", hint="set AXM_HOME to a home of your own")
        with self._log() as (log, key), contextlib.ExitStack() as stack:
            index = self._index_at_hand(log, stack)
            session = self.environ.get("CLAUDE_CODE_SESSION_ID") or None
            self._hold(self.config.log_path, self.config.index_path)
            yield Desk(log, key, None if index is None else index.db, actor=actor, session=session)
            if index is not None:
                with contextlib.suppress(*_LATER):
                    index.catch_up(log, Segments(log))

    def _hold(self, *paths: Path) -> None:
        if self._held is None or os.name == "nt":  # there, what is open cannot be moved aside when it is damaged
            return
        for path in paths:
            if path not in self._held:
                with contextlib.suppress(OSError, sqlite3.Error):
                    self._held[path] = sqlite.open_read(path)

    def _index_at_hand(self, log: SqliteLog, stack: contextlib.ExitStack) -> Index | None:
        """The index, if it can be brought up to the log at once. One that has to be made anew is left to `axm index`:
        what is written is safe in the log, and whoever writes a note does not wait for that."""
        from axiommind.projections.runner import Index

        path = self.config.index_path
        if not path.exists() and log.last_position() > _AT_ONCE:
            return None  # an empty one would say that there is nothing
        try:
            index = Index(path)
        except _LATER:
            return None
        stack.callback(index.close)
        behind = log.last_position() - index.position()
        return None if index.stale or behind > _AT_ONCE or not index.follows(log) else index

    @contextlib.contextmanager
    def _desk_to_read(self) -> Iterator[Desk]:
        from axiommind.scratchpads.writer import Desk

        with self._log_to_read() as (log, key), contextlib.ExitStack() as stack:
            db = None
            # The log has it all, if more slowly: where there is no index, or one of an older version.
            with contextlib.suppress(NotFound, IndexCorrupt, sqlite3.DatabaseError):
                found = stack.enter_context(self._reading(Scope(None), None))
                found.execute("select 1 from pads limit 0")
                db = found
            yield Desk(log, key, db, actor="user")

    @contextlib.contextmanager
    def _index_to_read(self) -> Iterator[sqlite3.Connection | None]:
        """The index over all projects; None in a home where nothing was written yet."""
        if not self.config.index_path.exists() and not self.config.log_path.exists():
            yield None
            return
        with self._reading(Scope(None), None) as db:
            db.execute("begin")  # one state of the index, whoever writes meanwhile
            yield db

    def _named(self, table: str, name: str, what: str, hint: str) -> str:
        """The id that was meant: itself, or the only one that begins so."""
        wanted = name.strip().lower()
        if len(wanted) >= _WHOLE_ID[table] and wanted.isascii():
            return wanted  # whether there is one, the log knows
        with self._index_to_read() as db:
            rows = [] if db is None or not wanted else _beginning(db, table, wanted)
        if not rows:
            raise NotFound(f"there is no {what} {name!r}", hint=hint)
        if len(rows) > 1:
            raise BadQuery(f"{name!r} fits more than one {what}", hint="give more characters of the id")
        return rows[0]


# `wf_` or `pad_`, and a ULID.
_WHOLE_ID = {"workflows": 29, "pads": 30}
_NUMBER_CHARS = 20
# Of a section's: as much as an outline shows, and so can be found again.
_HEADING_CHARS = 120


def _beginning(db: sqlite3.Connection, table: str, start: str) -> list[str]:
    rows = db.execute(f"select id from {table} where id >= ? and id < ? limit 2", (start, start + "\U0010ffff"))
    return [row[0] for row in rows]


def _project(project_scope: str | None, cwd: str | None) -> str | None:
    from axiommind.projects import project_of

    if project_scope and Path(project_scope).is_absolute():
        return project_of(os.path.realpath(project_scope)) if "\x00" not in project_scope else None
    try:
        return project_of(os.path.realpath(cwd or os.getcwd()))  # noqa: PTH109
    except OSError:  # the current folder was deleted
        return None


def _counted(line: int) -> None:
    if line < 1:
        raise BadQuery(f"there is no line {line}", hint="lines are counted from 1")


def _version(versions: list[PadVersion], at: str, pad: str) -> int:
    """The number of the version that is meant."""
    from axiommind.home import now
    from axiommind.search.dates import moment

    wanted = at.strip()
    if wanted.removeprefix("-").isdecimal() and len(wanted) < _NUMBER_CHARS:
        number = int(wanted) if not wanted.startswith("-") else versions[-1].version + int(wanted)
        if not any(version.version == number for version in versions):
            raise NotFound(f"scratchpad {pad} has no version {wanted}", hint=f"it has 1 to {versions[-1].version}")
        return number
    from axiommind.projections.session_rows import iso

    # At a day or a second is at the end of it: so a time that the history shows names the version beside it.
    begin, until = moment(wanted, now()), moment(wanted, now(), end=True)
    if begin is None or until is None:
        raise BadQuery(
            f"{at[:80]!r} is neither a version nor a time", hint="such as 3, -1, yesterday, or 2026-11-15T10:00"
        )
    last = iso(until if until == begin else until - 1)
    found = [version.version for version in versions if version.at <= last]
    if not found:
        raise NotFound(f"scratchpad {pad} was not there yet", hint=f"its first version is of {versions[0].at}")
    return found[-1]
