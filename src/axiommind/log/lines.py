"""Lines: an event as it travels, one line of canonical JSON, and what is checked before any of it is believed."""

from __future__ import annotations

import json
import math
from typing import Any, NamedTuple

from axiommind.errors import BadQuery
from axiommind.ids import canonical_json, checksum
from axiommind.log.origins import ABOUT_FORGETTING, TRAVELS, VOCABULARY
from axiommind.log.sqlite import SqliteLog
from axiommind.model import Event

__all__ = ["LONGEST_LINE", "ForeignRefused", "Outgoing", "line_of", "outgoing", "read_lines"]

LONGEST_LINE = 4 << 20
_MOST_LINES = 100_000
_DEEPEST = 64
_LONGEST_NAME = 200
_FIELDS: dict[str, tuple[type, ...]] = {
    "seq": (int,),
    "id": (str,),
    "ts": (int,),
    "type": (str,),
    "actor": (str,),
    "session": (str, type(None)),
    "project": (str, type(None)),
    "payload": (dict,),
    "checksum": (str,),
    "happened_at": (int, type(None)),
    "build": (str, type(None)),
    "sensitivity": (str,),
    "schema": (int,),
    "blobs": (list,),
}


class ForeignRefused(BadQuery):
    """What another home sent is not what it has to be. Nothing of it was appended."""


class Outgoing(NamedTuple):
    """An event that travels, and the names of its texts. Of one that was read from a line, `event.seq` and
    `event.origin_ts` are its position and time there."""

    event: Event
    texts: tuple[str, ...] = ()


def outgoing(log: SqliteLog, after: int = 0, most: int = 1000) -> list[Outgoing]:
    """This home's events after a position that may travel, at most so many; none only when there are no more."""
    marks = log.tombstones()
    made: list[Outgoing] = []
    while len(made) < most and (page := log.own_since(after, sorted(TRAVELS), most)):
        after = page[-1].position
        made += [
            Outgoing(event, log.texts_of(event.position))
            for event in page
            if event.event_type in ABOUT_FORGETTING
            or not marks & {("session", event.session_id), ("project", event.project)}
        ]
    return made[:most]


def line_of(one: Outgoing) -> bytes:
    """One line of a segment: canonical JSON, without the line break."""
    event = one.event
    line = {
        "seq": event.position,
        "id": event.event_id,
        "ts": event.ts,
        "type": event.event_type,
        "actor": event.actor,
        "session": event.session_id,
        "project": event.project,
        "payload": event.payload,
        "checksum": event.checksum,
        "happened_at": event.happened_at,
        "build": event.build_id,
        "sensitivity": event.sensitivity,
        "schema": VOCABULARY,
        "blobs": list(one.texts),
    }
    return canonical_json(line).encode("utf-8", "surrogatepass")


def read_lines(body: bytes) -> list[Outgoing]:
    """The events of a segment's body, checked; `ForeignRefused` says which line is wrong and why."""
    lines = body.split(b"\n")
    if lines and not lines[-1]:
        lines.pop()
    if len(lines) > _MOST_LINES:
        raise ForeignRefused(f"{len(lines)} events in one segment: the most is {_MOST_LINES}")
    found: list[Outgoing] = []
    last = 0
    for number, line in enumerate(lines, 1):
        try:
            one = _event_in(line)
            if one.event.seq is None or one.event.seq <= last:
                raise ValueError("its number does not follow the one before it")
            last = one.event.seq
        except (ValueError, RecursionError) as error:
            said = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
            raise ForeignRefused(f"line {number} is refused: {said}") from None
        found.append(one)
    return found


def _event_in(line: bytes) -> Outgoing:
    if len(line) > LONGEST_LINE:
        raise ValueError(f"it is longer than {LONGEST_LINE} bytes")
    given = json.loads(line.decode("utf-8", "surrogatepass"), object_pairs_hook=_once, parse_constant=_no_constant)
    if not isinstance(given, dict) or given.keys() < _FIELDS.keys():
        raise ValueError("a field is missing")
    for name, types in _FIELDS.items():
        if not isinstance(given[name], types) or isinstance(given[name], bool):
            raise ValueError(f"{name} is not what it has to be")
    if given.keys() != _FIELDS.keys() and given["schema"] <= VOCABULARY:
        raise ValueError("it has a field that nobody knows")
    if any(isinstance(given[name], int) and abs(given[name]) >= 1 << 53 for name in ("seq", "ts", "happened_at")):
        raise ValueError("a number is out of range")
    names = ("id", "type", "actor", "session", "build", "sensitivity")
    if any(given[name] is not None and not 0 < len(given[name]) <= _LONGEST_NAME for name in names):
        raise ValueError("a name is empty or too long")
    if not all(isinstance(one, str) and len(one) <= _LONGEST_NAME for one in given["blobs"]):
        raise ValueError("a text has no name")
    _require_shallow(given["payload"], _DEEPEST)
    if checksum(given["payload"]) != given["checksum"]:
        raise ValueError("its payload does not match its checksum")
    event = Event(
        position=0,
        event_id=given["id"],
        ts=given["ts"],
        event_type=given["type"],
        actor=given["actor"],
        session_id=given["session"],
        project=given["project"],
        payload=given["payload"],
        checksum=given["checksum"],
        happened_at=given["happened_at"],
        build_id=given["build"],
        sensitivity=given["sensitivity"],
        seq=given["seq"],
        origin_ts=given["ts"],
        schema=given["schema"],
    )
    return Outgoing(event, tuple(given["blobs"]))


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a key is there twice")
    return made


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number")


def _require_shallow(value: Any, deepest: int) -> None:
    if deepest < 0:
        raise RecursionError
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("a number is out of range")
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _require_shallow(one, deepest - 1)
