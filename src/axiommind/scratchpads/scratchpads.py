"""Scratchpads: notes of a workflow, written through the log, with every version kept."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import TYPE_CHECKING

from axiommind.errors import BadQuery, NotFound

if TYPE_CHECKING:
    from axiommind.projections.scratchpad_rows import ScratchpadRow, ScratchpadText
    from axiommind.scratchpads.access import Access
    from axiommind.scratchpads.values import (
        ScratchpadConflict,
        ScratchpadMatches,
        ScratchpadPage,
        ScratchpadVersion,
        WrittenScratchpad,
    )
    from axiommind.text.edits import Edit

__all__ = ["Scratchpads"]

_NUMBER_CHARS = 20
# As much of a section's heading as an outline shows, so that it can be found again.
_HEADING_CHARS = 120


class Scratchpads:
    """Creates, reads, edits, restores and searches scratchpads."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def create(self, workflow: str, title: str, content: str = "", *, actor: str = "user") -> WrittenScratchpad:
        flow = self._access.named("workflows", workflow)
        with self._access.writing(actor) as writer:
            return writer.create_scratchpad(flow, title, content)

    def list(
        self, *, workflow: str | None = None, project: str | None = None, limit: int = 20, offset: int = 0
    ) -> builtins.list[ScratchpadRow]:
        """The scratchpads of a workflow in the order they were created; without one, the latest updated of all."""
        from axiommind.projections.scratchpad_rows import list_scratchpads

        flow = None if workflow is None else self._access.named("workflows", workflow)
        with self._access.index() as db:
            return (
                [] if db is None else list_scratchpads(db, workflow=flow, project=project, limit=limit, offset=offset)
            )

    def show(self, name: str) -> ScratchpadText:
        """A scratchpad and its text, by its id or the beginning of it."""
        scratchpad = self._access.named("pads", name)
        with self._access.reading() as writer:
            return writer.scratchpad(scratchpad)

    def append(self, name: str, content: str, *, expect: int | None = None, actor: str = "user") -> WrittenScratchpad:
        """Add a block at the end. Others may append at the same time: everything is kept."""
        from axiommind.text.edits import Edit, clean, with_separator

        piece = clean(content)
        if not piece.strip():
            raise BadQuery("there is nothing to append", hint="give some text")
        return self._change(
            name, lambda now: (Edit("appended", with_separator(now.text, piece)), None), expect=expect, actor=actor
        )

    def replace(self, name: str, content: str, *, expect: int | None = None, actor: str = "user") -> WrittenScratchpad:
        """Replace the whole text."""
        from axiommind.text.edits import Edit, clean

        edit = Edit("replaced", clean(content))
        return self._change(name, lambda _now: (edit, None), expect=expect, actor=actor)

    def insert(
        self, name: str, line: int, content: str, *, expect: int | None = None, actor: str = "user"
    ) -> WrittenScratchpad:
        """Insert lines before a line; past the last one, at the end."""
        from axiommind.text.edits import Edit, clean

        _counted(line)
        piece = clean(content)

        def make(now: ScratchpadText) -> tuple[Edit, str | None]:
            lines = now.row.lines
            said = f"the scratchpad had {lines} lines: it was added at the end." if line > lines + 1 else None
            return Edit("inserted", piece, min(line, lines + 1)), said

        return self._change(name, make, expect=expect, actor=actor)

    def replace_lines(
        self, name: str, start: int, end: int, content: str, *, expect: int | None = None, actor: str = "user"
    ) -> WrittenScratchpad:
        """Replace lines, both ends included; with an empty text, remove them."""
        from axiommind.text.edits import Edit, clean

        _counted(start)
        if end < start:
            raise BadQuery(f"lines {start} to {end}: the last is before the first", hint="give them in order")
        piece = clean(content)

        def make(now: ScratchpadText) -> tuple[Edit, str | None]:
            lines = now.row.lines
            if start > lines:
                raise BadQuery(
                    f"scratchpad {now.row.id} has {lines} lines, and no line {start}", hint="append, or insert instead"
                )
            said = f"the scratchpad had {lines} lines: those up to the last were replaced." if end > lines else None
            return Edit("lines", piece, start, min(end, lines)), said

        return self._change(name, make, expect=expect, actor=actor)

    def append_section(
        self, name: str, heading: str, content: str, *, expect: int | None = None, actor: str = "user"
    ) -> WrittenScratchpad:
        """Add lines at the end of the section with this heading; if there is none, add a section."""
        from axiommind.text.edits import Edit, clean, section_end

        given = " ".join(clean(heading).split())
        title = given.strip("# ")[:_HEADING_CHARS].rstrip()
        if not title:
            raise BadQuery("a section needs a heading", hint="such as: Next steps")
        level = min(len(given) - len(given.lstrip("#")), 6) or 2
        piece = clean(content)

        def make(now: ScratchpadText) -> tuple[Edit, str | None]:
            last = section_end(now.text, title)
            if last is not None:
                return Edit("inserted", piece, last + 1), None
            new = f"{'#' * level} {title}"
            gap = "" if not now.text else "\n" if now.text.endswith("\n") else "\n\n"
            return Edit("appended", f"{gap}{new}\n{piece}"), f"there was no section {title!r}: it was added at the end."

        return self._change(name, make, expect=expect, actor=actor)

    def chop(self, name: str, lines: int, *, expect: int | None = None, actor: str = "user") -> WrittenScratchpad:
        """Remove so many lines from the end."""
        from axiommind.text.edits import Edit

        if lines < 1:
            raise BadQuery(f"{lines} lines cannot be taken away", hint="give 1 or more")

        def make(now: ScratchpadText) -> tuple[Edit, str | None]:
            there = now.row.lines
            said = f"the scratchpad had {there} lines: it is empty now." if lines > there else None
            return Edit("chopped", "", 0, min(lines, there)), said

        return self._change(name, make, expect=expect, actor=actor)

    def rename(self, name: str, title: str, *, expect: int | None = None, actor: str = "user") -> WrittenScratchpad:
        from axiommind.scratchpads.writer import checked_name
        from axiommind.text.edits import Edit

        edit = Edit("renamed", checked_name(title, "a scratchpad"))
        return self._change(name, lambda _now: (edit, None), expect=expect, actor=actor)

    def _change(
        self,
        name: str,
        make: Callable[[ScratchpadText], tuple[Edit, str | None]],
        *,
        expect: int | None,
        actor: str,
        resolves: bool = False,
    ) -> WrittenScratchpad:
        scratchpad = self._access.named("pads", name)
        with self._access.writing(actor) as writer:
            return writer.change(scratchpad, make, expect=expect, resolves=resolves)

    # --- machines --------------------------------------------------------------------------------------

    def conflicts(self, name: str) -> builtins.list[ScratchpadConflict]:
        """The texts beside its text: what two machines made of one version. They stay until they are resolved."""
        scratchpad = self._access.named("pads", name)
        with self._access.reading() as writer:
            return writer.conflicts(scratchpad)

    def resolve(self, name: str, content: str, *, expect: int | None = None, actor: str = "user") -> WrittenScratchpad:
        """Replace the whole text, and be done with the texts beside it. All of them stay in the history."""
        from axiommind.text.edits import Edit, clean

        edit = Edit("replaced", clean(content))
        return self._change(name, lambda _now: (edit, None), expect=expect, actor=actor, resolves=True)

    # --- history ---------------------------------------------------------------------------------------

    def history(self, name: str) -> builtins.list[ScratchpadVersion]:
        """Every version of a scratchpad, newest first."""
        scratchpad = self._access.named("pads", name)
        with self._access.reading() as writer:
            return [version for version, _ in writer.versions(scratchpad)][::-1]

    def at(self, name: str, at: str) -> ScratchpadText:
        """A scratchpad as it was: at a version (`3`), so many versions ago (`-1`), or at a time."""
        scratchpad = self._access.named("pads", name)
        with self._access.reading() as writer:
            wanted = _version([version for version, _ in writer.versions(scratchpad)], at, scratchpad)
            return next(text for version, text in writer.versions(scratchpad) if version.version == wanted)

    def restore(self, name: str, at: str, *, expect: int | None = None, actor: str = "user") -> WrittenScratchpad:
        """Make an old text the newest version. The current one stays in the history."""
        from axiommind.text.edits import Edit

        old = self.at(name, at)

        def make(_now: ScratchpadText) -> tuple[Edit, str | None]:
            return Edit("restored", old.text), f"as it was in version {old.row.version}."

        return self._change(old.row.id, make, expect=expect, actor=actor)

    def search(
        self,
        query: str,
        *,
        workflow: str | None = None,
        project_scope: str | None = None,
        limit: int = 20,
        cursor: str | None = None,
    ) -> ScratchpadPage:
        """Scratchpads by the words in their titles and texts, best first."""
        from axiommind.scratchpads.search_scratchpads import no_scratchpads, search_scratchpads

        flow = None if workflow is None else self._access.named("workflows", workflow)
        with self._access.index() as db:
            if db is None:
                return no_scratchpads(query)
            return search_scratchpads(db, query, workflow=flow, project_scope=project_scope, limit=limit, cursor=cursor)

    def search_lines(
        self, name: str, *, query: str | None = None, regex: str | None = None, context: int = 2, limit: int = 20
    ) -> ScratchpadMatches:
        """Lines of one scratchpad that hold a text or match a pattern, with the lines around them."""
        from axiommind.scratchpads.search_lines import search_lines

        return search_lines(self.show(name), query=query, regex=regex, context=context, limit=limit)


def _counted(line: int) -> None:
    if line < 1:
        raise BadQuery(f"there is no line {line}", hint="lines are counted from 1")


def _version(versions: list[ScratchpadVersion], at: str, scratchpad: str) -> int:
    """The number of the version that `at` names."""
    from axiommind.home import now
    from axiommind.search.dates import moment

    wanted = at.strip()
    if wanted.removeprefix("-").isdecimal() and len(wanted) < _NUMBER_CHARS:
        number = int(wanted) if not wanted.startswith("-") else versions[-1].version + int(wanted)
        if not any(version.version == number for version in versions):
            raise NotFound(
                f"scratchpad {scratchpad} has no version {wanted}", hint=f"it has 1 to {versions[-1].version}"
            )
        return number
    from axiommind.projections.session_rows import iso

    # A day or a second means its end, so a time that the history shows names the version beside it.
    begin, until = moment(wanted, now()), moment(wanted, now(), end=True)
    if begin is None or until is None:
        raise BadQuery(
            f"{at[:80]!r} is neither a version nor a time", hint="such as 3, -1, yesterday, or 2026-11-15T10:00"
        )
    last = iso(until if until == begin else until - 1)
    found = [version.version for version in versions if version.at <= last]
    if not found:
        raise NotFound(f"scratchpad {scratchpad} was not there yet", hint=f"its first version is of {versions[0].at}")
    return found[-1]
