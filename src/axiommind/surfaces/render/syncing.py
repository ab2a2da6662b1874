"""What a run of syncing did, how machines are, and who has forgotten what, as text and JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from axiommind.surfaces.render.tables import bold, counted, day

if TYPE_CHECKING:
    from axiommind.sync.run import SpaceReport
    from axiommind.sync.status import ForgetState, MachineState, SpaceState, SyncStatus
    from axiommind.sync.sync import SyncReport

__all__ = ["ago", "as_json", "certificate", "place", "report", "status", "status_as_json"]


def place(url: str) -> str:
    """Where a remote is, as people write it: a folder by its path."""
    if not url.startswith("file:///"):
        return url
    from urllib.request import url2pathname  # brings the whole of HTTP

    return url2pathname(url.removeprefix("file://"))


def report(done: SyncReport) -> Iterator[str]:
    """What a run did, in lines for a person."""
    for note in done.notes:
        yield f"Note: {note}"
    for space in done.spaces:
        yield from _space(space)


def _space(one: SpaceReport) -> Iterator[str]:
    sent, got = one.published, one.pulled
    if one.error:
        yield f"Not synced: {one.error}"
        if one.hint:
            yield f"  hint: {one.hint}"
    if sent.events or got.segments or not one.error:
        yield f"Synced: {counted(sent.events, 'event')} sent, {counted(got.events, 'event')} fetched"
    if got.forgotten:
        yield f"Left out, because it was forgotten: {counted(got.forgotten, 'event')}"
    if got.quarantined:
        yield f"Refused: {counted(got.quarantined, 'event')}: axm sync status says why"
    if got.unread:
        yield f"{counted(got.unread, 'event')} of a newer version: kept, and not shown until this one is updated"
    for stopped in got.stopped:
        what = "waits" if stopped.is_waiting else "stopped"
        yield f"Problem: {stopped.name} {what} at segment {stopped.n}: {stopped.why}"
    for problem in one.problems:
        yield f"Problem: {problem}"


def as_json(done: SyncReport) -> dict[str, Any]:
    spaces = []
    for one in done.spaces:
        pulled = one.pulled._asdict() | {"stopped": [each._asdict() for each in one.pulled.stopped]}
        spaces.append(one._asdict() | {"pulled": pulled, "published": one.published._asdict()})
    return {"machine": done.machine, "spaces": spaces, "notes": list(done.notes)}


# --- status ---------------------------------------------------------------------------------------------------


def status(now: SyncStatus, at: int) -> Iterator[str]:
    """Every machine, in lines."""
    for space in now.spaces:
        yield f"{bold(now.machine)} syncs through {place(space.remote)}"
        yield f"    last synced: {ago(space.synced or None, at)}" + _waiting(space)
        if space.error:
            yield f"    cannot be reached: {space.error}"
        for one in space.machines:
            yield f"  {_label(one)}: {_machine(one, at)}"
        if not space.machines:
            yield "  no other machine yet: axm sync phrase lets one in"
    for forgotten in now.forgettings:
        if forgotten.not_yet or forgotten.left:
            yield f"Not forgotten everywhere: {_what(forgotten)}, of {day(forgotten.at)}"
            yield from _who_has_not(forgotten, at)
    for refused in now.refused:
        yield f"Refused: {_refused(refused)}: {refused.why}"


def _waiting(space: SpaceState) -> str:
    return f"; {counted(space.waiting, 'event')} not sent yet" if space.waiting else ""


def _machine(one: MachineState, at: int) -> str:
    if one.has_left:
        return "syncs no more"
    said = []
    if one.behind:
        said.append(f"{counted(one.behind, 'segment')} of it not fetched yet")
    if one.lacks:
        said.append(f"it has not fetched {counted(one.lacks, 'segment')} of this machine's")
    if one.lacks is None:
        said.append("it has not synced yet")
    elif not said:
        said.append("up to date")
    return "; ".join([*said, *([f"seen {ago(one.seen, at)}"] if one.seen else [])])


def _label(one: MachineState) -> str:
    return f"{one.who}@{one.name}" if one.relation == "teammate" else one.name


def _refused(one: Any) -> str:
    what = f"text {one.blob}" if one.blob else f"event {one.seq}" if one.seq else f"segment {one.n}"
    return f"{what} of {one.origin[:8]}"


def status_as_json(now: SyncStatus) -> dict[str, Any]:
    return {
        "machine": now.machine,
        "spaces": [one._asdict() | {"machines": [each._asdict() for each in one.machines]} for one in now.spaces],
        "forgettings": [one._asdict() for one in now.forgettings],
        "refused": [one._asdict() for one in now.refused],
    }


# --- forgetting -----------------------------------------------------------------------------------------------


def certificate(states: list[dict[str, Any]], at: int) -> Iterator[str]:
    """Who has forgotten what, in lines."""
    for one in states:
        what = one["project"] or ", ".join(one["sessions"])
        yield f"{bold(what)}, forgotten {day(one['at'])}"
        for name, when in one["done"]:
            yield f"    {name}: gone {day(when)}"
        for name, seen in one["not_yet"]:
            yield f"    {name}: not yet; seen {ago(seen, at)}"
        for name in one["left"]:
            yield f"    {name}: syncs no more, and has not said that it did"


def _who_has_not(one: ForgetState, at: int) -> Iterator[str]:
    for name, seen in one.not_yet:
        yield f"    {name}: not yet; seen {ago(seen, at)}"
    for name in one.left:
        yield f"    {name}: syncs no more, and has not said that it did"


def _what(one: ForgetState) -> str:
    return one.project or ", ".join(one.sessions)


def ago(then: int | None, at: int) -> str:
    if then is None:
        return "never"
    seconds = max(0, at - then) // 1000
    for size, noun in ((86_400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            return f"{counted(seconds // size, noun)} ago"
    return "just now"
