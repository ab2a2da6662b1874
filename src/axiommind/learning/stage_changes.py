"""Changes of stage that a policy decides or a person asks for, as one event of the log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from axiommind.home import now

if TYPE_CHECKING:
    from axiommind.learning.event_writer import EventWriter
    from axiommind.learning.policies import StageChange
    from axiommind.log.sqlite import SqliteLog
    from axiommind.projections.entry_rows import EntryRow
    from axiommind.projections.runner import Index

__all__ = ["apply_policy", "write_changes"]


def apply_policy(
    log: SqliteLog,
    writer: EventWriter,
    index: Index,
    name: str,
    *,
    at: int,
    dry_run: bool = False,
) -> list[StageChange]:
    """What a policy changes now, as one event; decided while nobody else can append."""
    from axiommind.learning.entry_facts import facts_of
    from axiommind.learning.policies import POLICIES
    from axiommind.projections.runner import Segments

    version, decide = POLICIES[name]
    with log.atomic():
        index.catch_up(log, Segments(log))
        changes = decide(facts_of(index.db, at))
        if changes and not dry_run:
            write_changes(writer, name, version, changes, actor="memory")
    index.catch_up(log, Segments(log))
    return changes


def write_changes(
    writer: EventWriter,
    policy: str,
    version: str,
    changes: Sequence[StageChange],
    *,
    actor: str,
    entry: EntryRow | None = None,
    said: str = "",
) -> None:
    """Changes of stage, by a policy or on a person's word."""
    from axiommind.ids import canonical_json
    from axiommind.learning.new_event import NewEvent

    payload = {"policy": policy, "version": version, "changes": [change.payload() for change in changes]}
    unique: tuple[str | int, ...] = (policy, version, now(), *(change.entry_id for change in changes))
    event = NewEvent("promoted", payload, unique, text=canonical_json({"reason": said}) if said else None)
    writer.append(
        event,
        session=None if entry is None else entry.session_id,
        project=None if entry is None else entry.project,
        actor=actor,
    )
