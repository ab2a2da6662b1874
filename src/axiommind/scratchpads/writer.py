"""The writer: workflows and scratchpads are created and changed here, as events of the log.

The next version of a scratchpad is an event whose key is the scratchpad and the version's number, so of two who write
at the same time one is first, and the other learns of it: nobody waits for a lock, and nothing is overwritten unseen.
The current text is read from the index if that has it, and from the log if the index is behind.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from typing import Any

from axiommind.errors import BadQuery, Changed, NotFound
from axiommind.ids import canonical_json, dedupe_key, ulid
from axiommind.log import EventLog, Sealed, seal_lines, seal_page, unseal
from axiommind.model import Event
from axiommind.projections.scratchpad_rows import (
    ScratchpadRow,
    ScratchpadText,
    WorkflowRow,
)
from axiommind.projections.session_rows import iso
from axiommind.scratchpads.reader import ScratchpadReader
from axiommind.scratchpads.values import WrittenScratchpad
from axiommind.text.edits import Edit, apply, clean, count, outline
from axiommind.text.redaction import Redactor

__all__ = ["MOST_BYTES", "MOST_SCRATCHPADS", "ScratchpadWriter", "changed", "checked_name", "described"]

MOST_BYTES = 1 << 20
MOST_SCRATCHPADS = 50
_NAME_CHARS = 200
_DESCRIPTION_CHARS = 10_000
_SCOPE_CHARS = 4_096
# Appending is tried again when another writer was quicker; nobody loses so many times in a row.
_TRIES = 100
_OUTLINED = 12
# Characters before an appended text that may be the beginning of a secret: a private key has thousands.
_REACH = 16_384
_REDACTED = "what looked like a secret was not kept: a mark stands in its place"


class ScratchpadWriter(ScratchpadReader):
    """Writes to an open log. The index may be behind it, or None: then everything is read from the log."""

    def __init__(
        self,
        log: EventLog,
        key: bytes,
        db: sqlite3.Connection | None,
        *,
        actor: str,
        session: str | None = None,
        now: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
    ) -> None:
        super().__init__(log, db)
        self._key = key
        self._redactor = Redactor(key)
        self._actor, self._session, self._now = actor, session, now

    # --- workflows -------------------------------------------------------------------------------------

    def create_workflow(self, name: str, description: str, project_scope: str | None, project: str | None) -> str:
        words = {
            "name": checked_name(name, "a workflow"),
            "description": _description(description),
            "project_scope": _scope(project_scope),
        }
        if self._log.is_forgotten(None, project):
            raise BadQuery(f"project {project} was forgotten", hint=f"axm forget --project {project} --undo")
        flow = "wf_" + ulid(self._now()).lower()
        self._append("workflow_created", flow, project, {}, (flow,), words)
        return flow

    def update_workflow(self, flow: str, *, active: bool | None, name: str | None, description: str | None) -> None:
        current = self.workflow(flow)
        words: dict[str, str | None] = {}
        if name is not None:
            words["name"] = checked_name(name, "a workflow")
        if description is not None:
            words["description"] = _description(description)
        given: dict[str, Any] = {"active": active}
        if seen := self._log.origins.tips(flow, self._log.last_position()):
            given["seen"] = seen
        if current.conflicts and description is not None:  # it stands for all of them
            given["resolves"] = [one.name for one in self._merged(flow)[1].asides]
        key = (flow, ulid(self._now()))
        self._append("workflow_updated", flow, current.project or None, given, key, words or None)

    def _append(
        self,
        event_type: str,
        flow: str,
        project: str | None,
        payload: dict[str, Any],
        key: tuple[str, ...],
        words: dict[str, str | None] | None,
    ) -> None:
        blobs, given = [], {**payload, "session": self._session}
        if words is not None:
            sealed, _ = seal_lines(self._redactor, self._key, [canonical_json(words).encode("utf-8", "replace")])
            blobs, given["blob"] = [sealed], sealed.hash
        self._log.append_dedup(
            event_type,
            actor=self._actor,
            payload=given,
            dedupe_key=dedupe_key(event_type, *key),
            session_id=flow,
            project=project,
            blobs=blobs,
        )

    # --- scratchpads -----------------------------------------------------------------------------------

    def create_scratchpad(self, flow: str, title: str, content: str) -> WrittenScratchpad:
        """A new scratchpad. Those of a workflow are numbered, and the number is the event's key, so the limit holds
        however many are created at once."""
        current = self._open_workflow(flow)
        edit, sealed, note = self._sealed(Edit("created", f"{checked_name(title, 'a scratchpad')}\n{clean(content)}"))
        named, _, text = edit.piece.partition("\n")
        _check_size(text)
        made, there = self._scratchpads_made(flow)
        scratchpad = "pad_" + ulid(self._now()).lower()
        for ordinal in range(made + 1, made + MOST_SCRATCHPADS + 1 - there):
            event = self._write(scratchpad, current, 1, edit, sealed, ("pad", flow, ordinal), {"ordinal": ordinal})
            if event is not None:
                at, size = iso(event.ts), len(text.encode())
                return WrittenScratchpad(
                    ScratchpadRow(scratchpad, flow, named, 1, size, count(text), at, at, current.project), note
                )
        raise BadQuery(
            f"workflow {flow} has {MOST_SCRATCHPADS} scratchpads, which is the most",
            hint="append to one of them, or make another workflow",
        )

    def _scratchpads_made(self, flow: str) -> tuple[int, int]:
        """How many scratchpads were ever created in a workflow, as far as the index knows, and how many exist."""
        if self._db is None:
            return 0, 0
        row = self._db.execute(
            "select pads_made, (select count(*) from pads p where p.workflow_id = w.id) from workflows w where id = ?",
            (flow,),
        ).fetchone()
        return row or (0, 0)

    def change(
        self,
        scratchpad: str,
        make: Callable[[ScratchpadText], tuple[Edit, str | None]],
        *,
        expect: int | None = None,
        resolves: bool = False,
    ) -> WrittenScratchpad:
        """Write the next version. `make` returns the edit for the current text, and a note; it is called again when
        somebody else was quicker, unless a version is expected. `resolves`: the texts beside it are done with."""
        for _ in range(_TRIES):
            known = self._known_of(scratchpad, resolves=resolves)
            current = self.scratchpad(scratchpad)
            row = current.row
            if expect is not None and expect != row.version:
                raise changed(current, expect)
            flow = self._open_workflow(row.workflow_id)
            made, said = make(current)
            edit, sealed, note = self._sealed(made)
            text = apply(current.text, edit)
            if self._is_given_away(current.text, edit, text):
                edit, sealed, _ = self._sealed(Edit("replaced", text))
                text, note = edit.piece, _REDACTED
            _check_size(text)
            version = row.version + 1
            event = self._write(scratchpad, flow, version, edit, sealed, ("version", scratchpad, version), known)
            if event is not None:
                title = edit.piece if edit.mode == "renamed" else row.title
                size, lines = len(text.encode()), count(text)
                row = row._replace(title=title, version=version, size_bytes=size, lines=lines, updated_at=iso(event.ts))
                row = row._replace(conflicts=0 if resolves else row.conflicts)
                return WrittenScratchpad(row, " ".join(one for one in (said, note) if one) or None)
        raise changed(self.scratchpad(scratchpad), expect)

    def _known_of(self, scratchpad: str, *, resolves: bool) -> dict[str, Any]:
        """What the next edit says of those of other machines: which it follows, and which texts beside it are done
        with. Asked before the text is read, so that nothing counts as known that was not read."""
        known: dict[str, Any] = {}
        if seen := self._log.origins.tips(scratchpad, self._log.last_position()):
            known["seen"] = seen
        if resolves:
            known["resolves"] = [one.name for one in self._merged(scratchpad)[1].asides]
        return known

    def _sealed(self, edit: Edit) -> tuple[Edit, Sealed | None, str | None]:
        """The edit as it will be stored, its text sealed, and a note if that differs from what was given."""
        if edit.mode == "chopped":
            return edit, None, None
        sealed = seal_page(self._redactor, self._key, edit.piece.split("\n"))
        kept = unseal(sealed.codec, sealed.data).decode()
        return edit._replace(piece=kept), sealed, None if kept == edit.piece else _REDACTED

    def _is_given_away(self, was: str, edit: Edit, text: str) -> bool:
        """Whether the whole text holds a secret that none of its pieces held: a key written in two halves."""
        if edit.mode in ("replaced", "restored", "renamed"):
            return False
        seen = text[max(len(was) - _REACH, 0) :] if edit.mode == "appended" else text
        return self._redactor.text(seen, keep_lines=True) != seen

    def _write(
        self,
        scratchpad: str,
        flow: WorkflowRow,
        version: int,
        edit: Edit,
        sealed: Sealed | None,
        key: tuple[str | int, ...],
        payload: dict[str, Any],
    ) -> Event | None:
        """None if that version, or that scratchpad, exists already."""
        given: dict[str, Any] = {
            **payload,
            "workflow": flow.id,
            "version": version,
            "mode": edit.mode,
            "start": edit.start,
            "end": edit.end,
            "session": self._session,
        }
        if sealed is not None:
            given["blob"] = sealed.hash
        with self._log.atomic():
            if any(self._log.is_forgotten(name, flow.project or None) for name in (scratchpad, flow.id)):
                raise NotFound(
                    f"scratchpad {scratchpad} was forgotten meanwhile", hint="axm pad list shows what there is"
                )
            return self._log.append_dedup(
                "scratchpad_written",
                actor=self._actor,
                payload=given,
                dedupe_key=dedupe_key("scratchpad_written", *key),
                session_id=scratchpad,
                project=flow.project or None,
                blobs=[] if sealed is None else [sealed],
            )

    def _open_workflow(self, flow: str) -> WorkflowRow:
        found = self.workflow(flow)
        if not found.is_active:
            raise BadQuery(
                f"workflow {flow} ({found.name}) is not active, and takes no writes",
                hint=f"axm workflow update {flow} --active (update-workflow-status)",
            )
        return found


def described(text: ScratchpadText) -> str:
    """A scratchpad in a line, with its outline: what a writer has to know before overwriting it."""
    scratchpad = text.row
    found = outline(text.text)
    shown = [f"L{one.line} {'#' * one.level} {one.title}" for one in found[:_OUTLINED]]
    if len(found) > _OUTLINED:
        shown.append(f"… and {len(found) - _OUTLINED} headings more")
    if not found:
        shown = ["no headings"]
    return f"{scratchpad.title!r}, version {scratchpad.version}, {scratchpad.lines} lines: {'; '.join(shown)}"


def changed(current: ScratchpadText, expect: int | None) -> Changed:
    read = "" if expect is None else f" since version {expect}"
    return Changed(
        f"scratchpad {current.row.id} was changed{read}; nothing was written. It is now {described(current)}",
        hint="read it again, and write what you want on top of that version",
    )


def checked_name(text: str, what: str) -> str:
    name = " ".join(clean(text).split())
    if not name:
        raise BadQuery(f"{what} needs a name", hint="give it a few words")
    if len(name) > _NAME_CHARS:
        raise BadQuery(
            f"a name has {_NAME_CHARS} characters at most, and this has {len(name)}", hint="put the rest into the text"
        )
    return name


def _description(text: str) -> str:
    text = clean(text).strip("\n")
    if len(text) > _DESCRIPTION_CHARS:
        raise BadQuery(
            f"a description has {_DESCRIPTION_CHARS:,} characters at most, and this has {len(text):,}",
            hint="put the rest into a scratchpad",
        )
    return text


def _scope(text: str | None) -> str | None:
    """A scope as it was given: it is only compared, never interpreted."""
    if text and len(text) > _SCOPE_CHARS:
        raise BadQuery(
            f"a scope has {_SCOPE_CHARS:,} characters at most, and this has {len(text):,}",
            hint="give the project's folder, or a short name",
        )
    return text or None


def _check_size(text: str) -> None:
    size = len(text.encode())
    if size > MOST_BYTES:
        raise BadQuery(
            f"a scratchpad holds {MOST_BYTES:,} bytes at most, and this would have {size:,}",
            hint="make another scratchpad in the same workflow",
        )
